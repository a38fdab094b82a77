"""What could keep holdfast from working, looked at one by one; each finding comes with its remedy."""

import os
import sys
from collections import Counter

from holdfast import clock, codec, deps, faults, files, git, journal, paths, sessions, text, wiring
from holdfast.hub import place as hub
from holdfast.hub import validation
from holdfast.paths import Place

_SHOWN = 3
_RECENT = 86400.0


class Finding:
    """One thing looked at: whether it is as it should be, what was found, and what to do if not."""

    def __init__(self, check: str, found: str, remedy: str = "") -> None:
        self.check = check
        self.found = found
        self.remedy = remedy
        self.ok = not remedy


def version() -> str:
    """Return holdfast's version, as plugin.json has it."""
    try:
        return wiring.version()
    except OSError:  # installed as a wheel, without the plugin around it
        from importlib.metadata import version as installed

        return installed("holdfast")


def examine(place: Place, now: float) -> list[Finding]:
    """Return what was found, in the order in which things depend on each other."""
    return [
        _python(),
        _packages(),
        _git(place),
        _plugin(place, now),
        _project(place),
        *_writable(place),
        *_known(sessions.survey(place, now)),
        _hub(place),
        _hooks(place, now),
        _faults(place),
    ]


def _python() -> Finding:
    return Finding("Python", f"{sys.version.split()[0]} at {sys.executable}")


def _packages() -> Finding:
    if deps.ready():
        return Finding("dependency folder", deps.folder())
    found = "not built; packages come from the Python above" if deps.activate() else "missing"
    return Finding("dependency folder", found, "" if deps.activate() else "Type: holdfast deps")


def _git(place: Place) -> Finding:
    version = git.version()
    if not version:
        return Finding(
            "git", "not found on PATH", "Install git: without it nothing is staged, and worktrees are not known."
        )
    return Finding("git", f"{version}; {'repository ' + place.common if place.git else 'no repository here'}")


def _plugin(place: Place, now: float) -> Finding:
    """Return whether some settings file enables the plugin, or this project wires the hooks itself."""
    config = os.environ.get("CLAUDE_CONFIG_DIR") or os.path.expanduser("~/.claude")
    folders = [config, place.root + "/.claude"] if place.root else [config]
    for path in [f"{folder}/{name}" for folder in folders for name in ("settings.json", "settings.local.json")]:
        chosen = _json(path)
        enabled = chosen.get("enabledPlugins")
        if isinstance(enabled, dict) and enabled.get(wiring.PLUGIN) is True:
            return Finding("plugin", f"enabled in {path}")
        if "/hooks/launch" in codec.dumps(chosen.get("hooks")):
            return Finding("plugin", f"hooks wired in {path}")
    if journal.latest(place.store).get("start", 0.0) > now - _RECENT:
        return Finding("plugin", "in no settings file, yet its hooks fire: loaded with --plugin-dir, it seems")
    return Finding(
        "plugin", f"no settings file enables {wiring.PLUGIN}", "Run ./install.sh from the clone of holdfast."
    )


def _project(place: Place) -> Finding:
    """Return whether state files are kept; not to keep them is a choice, so nothing is wrong with it."""
    where = place.root or place.common
    if place.initialised:
        return Finding("project", f"{where} keeps state files")
    kept = "keeps journals only" if place.store else "keeps nothing"
    return Finding("project", f"{where} {kept}; `holdfast init` lets it keep state files")


def _writable(place: Place) -> list[Finding]:
    """Return whether a file can be made in each folder that is written to."""
    folders = {"store": place.store, "state files": place.initialised and f"{place.root}/{paths.STATE_FOLDER}"}
    data = paths.data_dir(os.environ)
    return [_probed(name, folder) for name, folder in [*folders.items(), ("plugin data", data)] if folder]


def _probed(name: str, folder: str) -> Finding:
    """Return whether a file can be made in a folder, or would be once the folder is there."""
    probe = f"{folder}/.holdfast-probe-{os.getpid()}"
    there = os.path.isdir(folder)
    try:
        os.makedirs(folder, exist_ok=True)
        os.close(os.open(probe, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600))
        os.unlink(probe)
        if not there:
            os.rmdir(folder)
    except OSError as error:
        return Finding(name, f"{folder}: {error.strerror}", f"Make {folder} writable for you, or free some room.")
    return Finding(name, folder)


def _known(survey: sessions.Survey) -> list[Finding]:
    """Return whether the settings can be used, and how many state files there are of which dialect."""
    remedy = f"Mend that in {paths.SETTINGS}; until then the defaults are in force." if survey.complaint else ""
    found = Counter(str(session.digest.get("dialect")) for session in survey.sessions if session.state)
    shut = [text.line(os.path.basename(path), 60) for path in survey.foreign]
    those = f"{len(shut)} not accepted here, as holdfast trust lists: {', '.join(shut[:_SHOWN])}" if shut else ""
    told = ", ".join(f"{count} {name}" for name, count in sorted(found.items())) or "no state files yet"
    more = f"; {survey.left_out} more are too many to look at" if survey.left_out else ""
    tidy = "Move those that are done out of the known places." if more else ""
    return [
        Finding("settings", survey.complaint or "in order", remedy),
        Finding("dialects", told + more, tidy),
        Finding("provenance", those or "every text was written or accepted here"),
    ]


def _hub(place: Place) -> Finding:
    """Return where the hub lies; two are one too many."""
    path = hub.known(hub.home(place).root)
    seconds = "; ".join(validation.SECOND.format(other) for other in validation.others(path))
    remedy = f"Move its entries to {path}, then delete it: holdfast validate tells what is wrong." if seconds else ""
    return Finding("hub", "; ".join(filter(None, [path or "none yet", seconds])), remedy)


def _hooks(place: Place, now: float) -> Finding:
    heard = {kind: at for kind, at in journal.latest(place.store).items() if kind not in journal.OWN}
    if not heard:
        return Finding("hooks", "none has fired here", "Open Claude Code in this project once, then look again.")
    told = [f"{kind} {clock.ago(now - at)}" for kind, at in sorted(heard.items(), key=lambda item: -item[1])]
    return Finding("hooks", f"last heard: {', '.join(told)}")


def _faults(place: Place) -> Finding:
    """Return the last faults logged for this project and for the plugin as a whole."""
    data = paths.data_dir(os.environ)
    logs = [folder for folder in (place.store, data) if folder]
    logged = [line for folder in logs for line in faults.read(folder)]
    if not logged:
        return Finding("faults", "none logged")
    where = " and ".join(f"{folder}/errors.log" for folder in logs if faults.read(folder))
    return Finding(
        "faults", f"{len(logged)} logged; last: {' | '.join(sorted(logged)[-_SHOWN:])}", f"Read, then delete {where}"
    )


def _json(path: str) -> dict[str, object]:
    """Return a JSON object from a file, {} when there is none."""
    try:
        value = codec.loads(files.read(path))
    except (OSError, ValueError):
        return {}
    return value if isinstance(value, dict) else {}
