"""The checks of `holdfast doctor`: what could keep holdfast from working, each with its remedy."""

import os
import sys
from collections import Counter
from collections.abc import Iterable
from contextlib import ExitStack, suppress

from holdfast.actions import accept, adoption, merge_file
from holdfast.actions import doctor_clients as clients
from holdfast.context.short_lists import counted, kilobytes
from holdfast.core import clock, fast_json, files
from holdfast.core.errors import HoldfastError
from holdfast.core.fast_json import table_of
from holdfast.core.finding import Finding, result
from holdfast.editing import store
from holdfast.git import merge, objects, queries
from holdfast.hub import validation
from holdfast.journal import log
from holdfast.journal.kinds import OWN
from holdfast.project import (
    background,
    claude_registration,
    client_registration,
    discovery,
    error_log,
    install,
    linters,
    packages,
    paths,
    user_settings,
)
from holdfast.project.paths import Project
from holdfast.sessions import hub_location
from holdfast.sessions import survey as sessions
from holdfast.sessions.workspace import Workspace
from holdfast.sharing import status
from holdfast.trust import safe

_SHOWN = 3
_RECENT = 86400.0
_ACCEPT = "holdfast trust "


def examine(workspace: Workspace) -> list[Finding]:
    """Return the results of all checks; a check comes after those that it depends on."""
    project, now, survey = workspace.project, workspace.now, sessions.survey(workspace)
    others = clients.examine(project, now)
    return [
        _python(),
        _packages(),
        _git(project),
        _plugin(project, now, elsewhere=bool(others)),
        *others,
        _project(project),
        *_folders(project),
        *_state_files(survey),
        *_damaged(survey),
        *_live(survey, claude_registration.running() if project.store else None),
        _hub(project),
        *_usage(project),
        _merges(workspace),
        *_linters(project),
        *_sharing(project, now),
        *_webhooks(project),
        *_tracker(project),
        _hooks(project, now),
        _errors(project),
    ]


def _webhooks(project: Project) -> list[Finding]:
    """Check the user's webhooks, if there are any: their settings, and what did not arrive from this project."""
    if not user_settings.tells(os.environ):
        return []
    from holdfast.webhooks import endpoint, events, outbox

    try:
        configured = endpoint.configured(os.environ)
        events.is_notice_configured(os.environ)
        given_up = [one for one in outbox.of_project(project.store) if one.state == outbox.FAILED]
    except HoldfastError as error:
        return [result("webhooks", "not usable", str(error))]
    if unusable := [f"{one.name}: {why}" for one in configured if (why := endpoint.problem(one, os.environ))]:
        return [result("webhooks", "not usable", one) for one in unusable]
    if not given_up:
        return [result("webhooks", ", ".join(one.name for one in configured) or "none")]
    last = given_up[-1]
    return [
        result(
            "webhooks",
            f"{counted(len(given_up), 'message')} to {last.endpoint} did not arrive: {safe.line(last.problem)}",
            f"Correct that, then type: holdfast webhook retry {last.endpoint}",
        )
    ]


def _tracker(project: Project) -> list[Finding]:
    """Say why issues could not be read or written in the background the last time."""
    data = files.read_or_none(project.store + background.TRACKER_PROBLEM) if project.store else None
    problem = safe.line((data or b"").decode("utf-8", "replace"))
    return [result("issue tracker", problem, "Correct that; ten minutes later it is tried again.")] if problem else []


def _python() -> Finding:
    return result("Python", f"{sys.version.split()[0]} at {sys.executable}")


def _packages() -> Finding:
    if packages.ready():
        return result("packages", packages.folder())
    where = "those of the Python above" if packages.activate() else "missing"
    return result("packages", where, "" if packages.activate() else "Type: holdfast deps")


def _git(project: Project) -> Finding:
    version = queries.version()
    if not version:
        return result(
            "git", "not found on PATH", "Install git: without it nothing is staged, and worktrees are not known."
        )
    return result("git", f"{version}; {'repository ' + project.common if project.git else 'no repository here'}")


def _plugin(project: Project, now: float, *, elsewhere: bool) -> Finding:
    """Check that a settings file of Claude Code enables the plugin or registers the hooks.

    Whoever has the plugin in another client may not use Claude Code at all.
    """
    silenced = claude_registration.silenced(project.root)
    if silenced:
        return result("plugin", *silenced)
    for path, known in claude_registration.read_settings(project.root):
        if table_of(known, "enabledPlugins").get(client_registration.PLUGIN) is True:
            return result("plugin", f"enabled in {path}")
        if "/hooks/launch" in fast_json.dumps(known.get("hooks")):
            return result("plugin", f"hooks wired in {path}")
    if log.latest_times(project.store).get("start", 0.0) > now - _RECENT:
        return result("plugin", "not in any settings file, but its hooks run: probably loaded with --plugin-dir")
    return _not_installed(elsewhere=elsewhere)


def _not_installed(*, elsewhere: bool) -> Finding:
    """Say that Claude Code does not have the plugin, and what to type, which works without Claude Code, too."""
    missing = not claude_registration.Claude.find()
    if elsewhere and missing:
        return result("plugin", "`claude` is not on PATH; another client has it")
    script = f"{paths.PLUGIN_ROOT}/install.sh"
    typed = script if os.path.isfile(script) else "holdfast install"
    if missing:
        problem = "Claude Code is not installed here: `claude` is not on PATH, so no session is recorded"
        return result("plugin", problem, f"Install Claude Code or put it on PATH; after that type: {typed}")
    return result("plugin", f"no settings file enables {client_registration.PLUGIN}", f"Type: {typed}")


def _project(project: Project) -> Finding:
    """Say whether state files are kept. Not to keep them is the user's choice and needs no remedy."""
    where = project.root or project.common
    problem = paths.store_problem(project)
    if problem:
        folder = project.common or f"{project.root}/{os.path.dirname(paths.SETTINGS)}"
        return result("project", problem, f'Work in a copy of your own, or type: chown -R "$USER" {folder}')
    if project.initialised:
        return result("project", f"{where} keeps state files")
    if objects.is_left_out(project.root, project.git, paths.SETTINGS):
        found = f"{where} keeps journals only: {paths.SETTINGS} is outside the sparse checkout"
        return result("project", found, f"Type: git sparse-checkout add {os.path.dirname(paths.SETTINGS)}")
    kept = "keeps journals only" if project.store else "keeps nothing"
    return result("project", f"{where} {kept}; `holdfast init` makes it keep state files")


def _folders(project: Project) -> list[Finding]:
    """Check that files can be made in each folder that holdfast writes to."""
    states = f"{project.target.root}/{paths.STATE_FOLDER}" if project.initialised else ""
    folders = {"store": project.store, "state files": states, "plugin data": paths.data_dir(os.environ)}
    wrong = []
    if shared := _open_to_others(project.store) if project.store else 0:
        problem = f"other users have permissions on {counted(shared, 'path')} in {folders.pop('store')}"
        wrong.append(result("store", problem, "Type: holdfast settle"))
    if states and not paths.within(states, project.target.root):
        problem = f"{folders.pop('state files')} leads out of the project through a link"
        wrong.append(result("state files", problem, "Make it a plain folder."))
    return wrong + [_folder(name, folder) for name, folder in folders.items() if folder]


def _folder(name: str, folder: str) -> Finding:
    """Check that a file can be made in a folder; missing folders are made for that and removed again."""
    probe = f"{folder}/.holdfast-probe-{os.getpid()}"
    try:
        with ExitStack() as undo:
            install.make_folder(os.path.abspath(folder), [], undo)
            os.close(os.open(probe, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600))
            os.unlink(probe)
    except OSError as error:
        return result(name, f"{folder}: {error.strerror}", f"Make {folder} writable for you, or free some room.")
    return result(name, f"{folder}, {kilobytes(_size(folder))}" if name == "store" else folder)


def _size(folder: str) -> int:
    """Return how many bytes the files in a folder have."""
    places = [f"{place}/{name}" for place, _, names in os.walk(folder) for name in names]
    return sum(os.lstat(path).st_size for path in places if os.path.lexists(path))


def _state_files(survey: sessions.Survey) -> list[Finding]:
    """Check the settings, count the state files of each format, and name those that are untrusted."""
    complaint, _, accepting = survey.complaint.partition(f": {_ACCEPT}")
    what = f"Type: {_ACCEPT}{accepting}" if accepting else f"Correct that in {paths.SETTINGS}"
    remedy = f"{what}; until then the defaults are in force." if complaint else ""
    counts = Counter(str(session.summary.get("format")) for session in survey.sessions if session.state)
    untrusted = [safe.line(os.path.basename(path), 60) for path in accept.untrusted_paths(survey)]
    names = f"{counted(len(untrusted), 'file')} kept back from Claude until you type `holdfast trust`: "
    names += ", ".join(untrusted[:_SHOWN])
    listed = (
        ", ".join(f"{name} ({counted(count, 'file')})" for name, count in sorted(counts.items()))
        or "no state files yet"
    )
    more = f"; {survey.left_out} more are too many to look at" if survey.left_out else ""
    tidy = "Move those that are done to another folder." if more else ""
    return [
        result("settings", complaint or "in order", remedy),
        result("formats", listed + more, tidy),
        result("trust", names if untrusted else "the texts of this clone may reach Claude"),
    ]


def _damaged(survey: sessions.Survey) -> list[Finding]:
    """Name conflict copies of state files, and state files that git cannot stage because their filter is missing."""
    project = survey.workspace.project
    findings = []
    copies = discovery.state_files(project.target.root, survey.workspace.formats.patterns).copies
    if copies:
        why = f"conflict copies, which are no sessions: {_names(copies)}"
        findings.append(result("copies", why, "Move what is only in a copy into its original, then delete the copy."))
    states = [session.state for session in survey.sessions if session.state]
    inside = sorted({name for path in states if (name := project.relative(path))})
    missing = queries.without_filter(project.root, inside) if project.git and project.root and inside else []
    if missing:
        filters = ", ".join(sorted({name for _, name in missing}))
        why = f"git cannot stage {_names(path for path, _ in missing)}: the filter {filters} is not set up here"
        remedy = (
            "Type: git lfs install" if filters == "lfs" else f"Set up the filter {filters}, as the repository says."
        )
        findings.append(result("filters", why, remedy))
    return findings


def _names(paths_found: "Iterable[str]") -> str:
    """Return the first names of some files."""
    return safe.listed([safe.line(os.path.basename(path), 80) for path in paths_found], _SHOWN)


def _live(survey: sessions.Survey, running: dict[str, str] | None) -> list[Finding]:
    """Compare which sessions of Claude Code run here with the client's own list of id -> folder, where it has one."""
    project = survey.workspace.project
    if running is None:
        return []
    theirs = {ident for ident, folder in running.items() if folder and paths.locate(folder).store == project.store}
    known = {session.id for session in survey.sessions if session.journaled and not session.client}
    ours = {session.id for session in survey.sessions if session.live and session.id in known}
    silent, gone = sorted(theirs - ours), sorted(ours - theirs)
    if silent:
        named = ", ".join(ident[:8] for ident in silent[:_SHOWN])
        remedy = "They began before the plugin was installed, or without hooks. Exit them, then type: claude --resume"
        return [result("live", f"no hooks fire in {counted(len(silent), 'session')} of Claude Code: {named}", remedy)]
    agreed = f"does not list {', '.join(ident[:8] for ident in gone[:_SHOWN])}" if gone else "lists the same"
    return [result("live", f"{counted(len(ours), 'session')}; `claude agents` {agreed}")]


def _hub(project: Project) -> Finding:
    """Say where the hub is; a second one is an error."""
    root = hub_location.home(project).root
    path = hub_location.known(root)
    if path and hub_location.is_outside(root, path.removeprefix(f"{root}/")):
        problem = f"{os.path.dirname(path)} leads out of the project through a link"
        return result("hub", problem, "Make it a plain folder.")
    left_out = hub_location.outside_cone(hub_location.tree(project)) if not path else ""
    if left_out:
        problem = f"{left_out} is outside the sparse checkout; lists read it from git"
        return result("hub", problem, f"Type: {hub_location.adding(left_out)}")
    seconds = "; ".join(validation.SECOND.format(other) for other in validation.others(path))
    remedy = f"Move its entries to {path}, then delete it: holdfast validate tells what is wrong." if seconds else ""
    return result("hub", "; ".join(filter(None, [path or "none yet", seconds])), remedy)


def _usage(project: Project) -> list[Finding]:
    """Say which documents call genie's updater in a way that would not work here, [] for none."""
    names = adoption.without_program(project)
    sentence = (
        f"npx has no automagik-genie here, which {safe.listed([safe.line(name, 80) for name in names], _SHOWN)} call"
    )
    remedy = f"Type: holdfast init --genie. Or write into them: {adoption.LINE}"
    return [result("updater", sentence, remedy)] if names else []


def _merges(workspace: Workspace) -> Finding:
    """Check that no file has conflict markers, and that the program exists with which git merges these files."""
    project = workspace.project
    left = merge_file.conflicted(workspace)
    if left:
        shown = safe.listed([safe.line(path, 80) for path in left], _SHOWN)
        remedy = "Keep what is right between the markers, remove them, then type: git add FILE"
        return result("merges", f"conflict markers in {shown}", remedy)
    program = merge.program(project.root) if project.git and project.root else ""
    if program and not os.access(program, os.X_OK):
        problem = f"git merges with {program}, which is missing or not executable"
        return result("merges", problem, "Type: holdfast init")
    by_lines = "git merges state files by lines; after `holdfast init`, with holdfast"
    return result("merges", f"git merges state files with {program}" if program else by_lines)


def _linters(project: Project) -> list[Finding]:
    """Name the project's linters of Markdown that look at state files, whose documents and quotes break some rules."""
    here = project.initialised and not project.is_private
    names = ", ".join(linter.name for linter in linters.open_to(project.root)) if here else ""
    problem = f"{names} may refuse what is quoted in state files"
    return [result("linters", problem, "Type: holdfast init --linters")] if names else []


def _sharing(project: Project, now: float) -> list[Finding]:
    """Say when sessions were last exchanged, and why the remote refuses that; nothing where they are not shared."""
    sharing = status.load(project.store)
    if sharing and sharing.problem:  # it may have gone meanwhile
        from holdfast.sharing.exchange import exchange

        with suppress(HoldfastError):  # another process is at it
            exchange.run(Workspace(project), timeout=1.0)
        sharing = status.load(project.store)
    if sharing is None:
        return []
    done = f"sent {clock.ago(now - sharing.sent) if sharing.sent else 'nothing yet'}"
    notes = "".join(f"; {safe.line(note, 200)}" for note in sharing.notes)
    if not sharing.problem or sharing.away:
        away = "; the remote does not answer now, so it is sent later" if sharing.away else ""
        refs = f"; refs/holdfast* take {kilobytes(queries.size_of_refs(project.root))}"
        return [result("sharing", f"with {sharing.remote}, {done}{away}{refs}{notes}")]
    remedy = "Put that right, then type: holdfast share now"
    return [result("sharing", f"{sharing.remote}: {safe.line(sharing.problem, 300)}{notes}", remedy)]


def _hooks(project: Project, now: float) -> Finding:
    """Check that hooks have fired here, and say when each event was last received."""
    latest = {kind: at for kind, at in log.latest_times(project.store).items() if kind in OWN}
    if paths.store_problem(project):
        return result("hooks", "nothing is recorded of what they receive here; `project` above says why")
    if not latest:
        return result("hooks", "none has fired here yet; they do once Claude Code works in this project")
    events = [f"{kind} {clock.ago(now - at)}" for kind, at in sorted(latest.items(), key=lambda item: -item[1])]
    return result("hooks", f"last received: {', '.join(events)}")


def _errors(project: Project) -> Finding:
    """Name the last errors of this project, or of the plugin where there is none; `_sharing` names its own."""
    data = paths.data_dir(os.environ)
    logged = [line for line in error_log.read(project.store or data) if " share: " not in line[:30]]
    if not logged:
        return result("errors", "none logged")
    summary = f"{len(logged)} logged; last: {' | '.join(logged[-_SHOWN:])}"
    places = [place for folder in (project.store, data) if os.path.exists(place := f"{folder}/errors.log")]
    return result("errors", summary, f"Read, then delete {' and '.join(places)}")


def _open_to_others(folder: str) -> int:
    """Return how many files and folders in the store, itself included, other users have a permission on."""
    every_path = (
        path for place, _, names in os.walk(folder) for path in (place, *(f"{place}/{name}" for name in names))
    )
    return sum(bool(store.open_mode(path)) for path in every_path)
