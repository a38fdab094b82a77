"""Whether this user trusts a clone: the one answer by which its texts reach Claude, in all of its working trees.

Claude Code asks once whether a folder is trusted, and then reads the CLAUDE.md of it. This is the same: after a yes the
texts of a clone are data, whoever wrote them. Before it Claude receives their number and three short names.

The answers are lines of the file `trusted` in the user's own data folder, which no clone can bring: the mark of a
store, a blank, and `clone` or the SHA-256 of a text that changes what holdfast does, such as the settings. The mark is
the change time of an empty file in the store, which neither an archive nor a copy has.

Example: a pull changes holdfast.toml. Its text is one that git knows and that nobody said yes to, so it has no effect
until the user types `holdfast trust`. The same change made in an editor is in no commit yet: it counts at once.
"""

import os

from holdfast.core import files
from holdfast.core.errors import HoldfastError
from holdfast.core.fast_json import rows_of, texts_of
from holdfast.project import paths, settings
from holdfast.trust import safe

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Mapping

    from holdfast.core.cache import Cache
    from holdfast.core.files import Look
    from holdfast.core.summary import Summary
    from holdfast.project.paths import Project
    from holdfast.project.settings import Settings

_NAME = "/holdfast/trusted"
_CLONE = "clone"


class TrustCheck:
    """Finds the files of clones that the user does not trust; each clone is looked up once."""

    def __init__(self, project: "Project | None" = None, look: "Look" = os.lstat) -> None:
        self._project = project  # one that was located before
        self._look = look
        self._projects: dict[str, Project] = {}  # by folder
        self._answers: dict[str, bool] = {}  # by store

    def untrusted(self, files_to_check: "Iterable[str]") -> set[str]:
        """Return those of the files that are in no trusted clone, and links; missing and empty files have no text."""
        return {path for path in files_to_check if not self._is_trusted(path)}

    def _is_trusted(self, path: str) -> bool:
        try:
            status = self._look(path)
        except FileNotFoundError:
            return True
        except OSError:
            return False
        is_file = status.st_mode & 0o170000 == 0o100000  # stat.S_ISREG, without the import
        return is_file and (not status.st_size or self._trusts(path))

    def _trusts(self, path: str) -> bool:
        folder = os.path.dirname(path)
        if folder not in self._projects:
            self._projects[folder] = paths.locate(folder, self._project)
        project = self._projects[folder]
        if project.store not in self._answers:
            self._answers[project.store] = is_trusted(project)
        return self._answers[project.store]


def is_trusted(project: "Project") -> bool:
    """Whether the user trusts the clone that a project is in."""
    return _CLONE in _answers(project.store)


def approves(project: "Project", path: str, data: bytes) -> bool:
    """Whether a text that changes what holdfast does may do so: the user said yes to it, or wrote it in this clone.

    The second holds for a text that git neither has nor wrote: it did not come with a pull. Filters, ident, encodings
    and mixed line ends make bytes in the working tree that git has no object of. It also holds for a file as the last
    commit to it left it, if `git commit` made that commit in this clone.
    """
    answers = _answers(project.store)
    if _CLONE not in answers:
        return False
    if not data or _name(data) in answers:
        return True
    from holdfast.git import refs  # a text that the user said yes to does not need it

    if not (refs.is_own_text(project, path, data) or refs.is_own_commit(project, path)):
        return False
    try:
        approve(project, data)
    except OSError:  # then git is asked again the next time, unless the text is committed by then
        return True
    return True


def is_accepted(project: "Project", data: bytes) -> bool:
    """Whether the user said yes to a text that is no file of its own, such as the filters in git's configuration."""
    return _name(data) in _answers(project.store)


def approve(project: "Project", *texts: bytes) -> None:
    """Record that the user trusts a clone, and these texts that change what holdfast does.

    OSError when that cannot be read back afterwards.
    """
    path = _path()
    if not (path and project.store):
        raise OSError(2, "there is no home directory or store to record it in", project.root)
    mark = seal_of(project.store) or sealed(project.store)
    wanted = [_CLONE, *map(_name, texts)]
    known = _answers(project.store)
    lines = [f"{mark} {answer}" for answer in wanted if answer not in known]
    if lines:
        files.append_line(path, "\n".join(lines).encode())
    if not _answers(project.store).issuperset(wanted):
        raise OSError(30, "cannot be recorded as trusted", path)


def revoke(project: "Project") -> bool:
    """Forget all that was said about a clone; return whether there was something to forget."""
    mark, path = seal_of(project.store), _path()
    lines = _lines(path)
    kept = [line for line in lines if line.partition(" ")[0] != mark]
    if len(kept) < len(lines):
        files.write_private(path, "".join(f"{line}\n" for line in kept).encode())
    return len(kept) < len(lines)


def output_reaches_claude() -> bool:
    """Whether what is printed now enters a model's context: in a hook, and in a shell that a coding client runs."""
    from holdfast.clients import catalogue  # a start knows it

    return catalogue.output_reaches_model(os.environ)


def require_trusted(files_to_show: "Iterable[str]") -> None:
    """Raise HoldfastError, which names the first one, when the output reaches Claude and a file is untrusted."""
    if output_reaches_claude():
        refuse(TrustCheck().untrusted(files_to_show))


def require_trusted_project(project: "Project", path: str) -> None:
    """Raise HoldfastError, which names a file of a project, when the output reaches Claude and the clone is untrusted.

    The file may be missing, or may be another text than what would be shown, as with a snapshot.
    """
    if output_reaches_claude() and not is_trusted(project):
        refuse([path])


def is_redacted(path: str) -> bool:
    """Whether the text of a file must not be shown here: the output reaches Claude, and its clone is not trusted."""
    return output_reaches_claude() and bool(TrustCheck().untrusted([path]))


def refuse(untrusted: "Iterable[str]") -> None:
    """Raise HoldfastError, which names the first of some untrusted files."""
    for path in sorted(untrusted):
        # most processes read no untrusted file

        raise HoldfastError(
            f"{short_names([path])} came with a clone that is not trusted here. The user looks at it and "
            "says yes, in a terminal of their own: holdfast trust"
        )


def _answers(store: str) -> set[str]:
    """Return what was said about the clone of a store."""
    mark = seal_of(store) if store else ""
    parted = (line.partition(" ") for line in _lines(_path())) if mark else ()
    return {answer for known, _, answer in parted if known == mark}


def _lines(path: str) -> list[str]:
    """Return the lines of the answers, none without a home directory."""
    return (files.read_or_none(path) or b"").decode("utf-8", "replace").splitlines() if path else []


def _path() -> str:
    """Return the path of the answers, "" without a home directory."""
    home = os.environ.get("HOME", "")
    data = os.environ.get("XDG_DATA_HOME", "") or (home and home + "/.local/share")
    return data + _NAME if data.startswith("/") else ""


def _name(data: bytes) -> str:
    """Return the SHA-256 of a text with Unix line ends, which git may change."""
    import hashlib

    return hashlib.sha256(data.replace(b"\r\n", b"\n")).hexdigest()


_BORN = "/born"  # the file whose change time is the mark


def seal_of(store: str) -> str:
    """Return the seal of a store, "" where there is none."""
    try:
        return f"={os.lstat(store + _BORN).st_ctime_ns}"
    except OSError:
        return ""


def sealed(store: str) -> str:
    """Return the seal of a store, which gets one if there is none; OSError."""
    files.private_folder(store)
    os.close(os.open(store + _BORN, os.O_WRONLY | os.O_CREAT | os.O_NOFOLLOW, 0o600))
    return seal_of(store)


def usable_settings(root: str, environ: "Mapping[str, str]", cache: "Cache") -> "tuple[Settings, str]":
    """Return the settings in force, and why the project's own are not, "" if they are or there are none."""
    return settings.usable(root, environ, cache, is_settings_file_trusted)


def settings_of(project: "Project", cache: "Cache | None" = None) -> "tuple[Settings, str]":
    """Return what `usable_settings` does for a project in this environment; without a `cache` its own is read."""
    if cache is None:
        from holdfast.core.cache import Cache

        cache = Cache(project.store)
    return usable_settings(project.target.root, os.environ, cache)


def is_settings_file_trusted(path: str) -> bool:
    """Whether the user said yes to the settings file at a path, or wrote it here; False for one that is not read."""
    from holdfast.core import files
    from holdfast.project import paths
    # a project without settings of its own does not need it

    data = files.read_or_none(path)
    return data is not None and approves(paths.locate(os.path.dirname(path)), path, data)


_NAME_LIMIT, _FORMAT_LIMIT, _ID_LIMIT = 40, 40, 64  # characters
NAMES_SHOWN = 3  # of untrusted files that are shown
_KEPT = ("format", "category", "shared", "created", "updated", "body")  # keys whose values quote nothing
_KEPT_OF_ENTRY = ("category", "created", "updated")


def redacted(summary: "Summary") -> "Summary":
    """Return the summary of an untrusted file with category, dates and ids only, and `untrusted` set."""
    return {
        **{key: value for key, value in summary.items() if key in _KEPT},  # type: ignore[typeddict-item] # its own
        "untrusted": True,
        "title": "",
        "status": "",
        "format": safe.line(str(summary.get("format", "")), _FORMAT_LIMIT),
        "ids": [ident for ident in texts_of(summary, "ids") if _is_id(ident)],
        "entries": [_redacted_entry(entry) for entry in rows_of(summary, "entries") if _is_id(str(entry.get("id")))],
    }


def kept_back(paths: "Collection[str]") -> str:
    """Return how many files of a clone Claude does not read until the user trusts it, and the names of three."""
    files = "1 file of this clone is" if len(paths) == 1 else f"{len(paths)} files of this clone are"
    return f"{files} kept back from Claude: {short_names(paths)}"


def short_names(paths: "Iterable[str]") -> str:
    """Return the file names of at most three paths, short, in quotes, and with `_` for what is no letter or digit."""
    return safe.listed([f'"{_short_name(path)}"' for path in paths], NAMES_SHOWN)


def _short_name(path: str) -> str:
    name = "".join(char if char.isalnum() or char in "-._" else "_" for char in path.rpartition("/")[2])
    return safe.clip(safe.line(name, 1000), _NAME_LIMIT)


def _redacted_entry(entry: "Summary") -> "Summary":
    """Return an entry of a hub with its id, category and dates only."""
    kept = {key: value for key, value in entry.items() if key in _KEPT_OF_ENTRY}
    return {"id": entry["id"], "title": "", "status": "", **kept}  # type: ignore[typeddict-item] # the entry's own


def _is_id(ident: str) -> bool:
    """Whether a text can be an id, and is no sentence."""
    return len(ident) <= _ID_LIMIT and ident.replace("-", "").replace("_", "").replace(".", "").isalnum()
