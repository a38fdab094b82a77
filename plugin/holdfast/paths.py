"""Where everything is, told from environment and folders alone: git is never run here."""

import os

from holdfast import files

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Mapping

PLUGIN_ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
CLI = PLUGIN_ROOT + "/plugin/holdfast/__main__.py"
SETTINGS = ".agents/holdfast.toml"
STATE_FOLDER = ".agents/sessions"  # where new state files are made
PLACES = (STATE_FOLDER + "/*.md",)
LINKED = "{} is a link, and holdfast makes none: nothing is kept through it. Remove it."
_OUTSIDE_GIT = ".agents/.holdfast"
_ABOUT = frozenset(("readme.md", "template.md", "index.md"))  # explain a folder of state files, and are none


class Place:
    """One project as seen from one folder.

    `root` is the working tree, "" in a bare repository. `git` is this worktree's git folder and `common` the one that
    all worktrees share, both "" outside git. `store` holds journals, lock, cache and error log; it is "" where nothing
    may be kept yet, which is a folder outside git before `holdfast init`.
    """

    __slots__ = ("common", "git", "root", "store")

    def __init__(self, root: str, git: str, common: str, store: str) -> None:
        self.root = root
        self.git = git
        self.common = common
        self.store = store

    def relative(self, path: str) -> str:
        """Return `path` relative to the working tree, with slashes; "" when it lies outside."""
        for root, inner in ((self.root, path), (os.path.realpath(self.root), os.path.realpath(path))):
            if self.root and inner.startswith(root.rstrip("/") + "/"):
                return os.path.normpath(inner[len(root.rstrip("/")) + 1 :])
        return ""

    @property
    def initialised(self) -> bool:
        """Whether files may appear in the working tree: after `holdfast init`, or where `.agents/sessions` already is.

        State files in other places are other tools' own: they are read and edited there, and nothing joins them.
        """
        return bool(self.root) and (
            os.path.exists(self.root + "/" + SETTINGS) or os.path.isdir(self.root + "/" + STATE_FOLDER)
        )


def locate(start: str) -> Place:
    """Return the project that the folder `start` belongs to; a folder that is gone belongs to one of its parents."""
    folder = os.path.abspath(start)
    outside = ""
    while True:
        git = _git_folder(folder)
        if git:
            return _in_git("" if git == folder else folder, git)
        if not outside and os.path.exists(folder + "/" + SETTINGS):
            outside = folder
        parent = os.path.dirname(folder)
        if parent == folder:
            break
        folder = parent
    store = outside and outside + "/" + _OUTSIDE_GIT
    return Place(outside or os.path.abspath(start), "", "", "" if store and _leads_out(store, outside) else store)


def _leads_out(store: str, root: str) -> bool:
    """Whether a link stands in the way to a store, which may then be anybody's folder."""
    return os.path.islink(store) or (os.path.islink(os.path.dirname(store)) and not within(store, root))


def linked(place: Place) -> str:
    """Return a link that is the store or stands directly in it, "" for none: nobody knows where it leads."""
    if not place.store:
        return place.common and place.common + "/holdfast"
    try:
        with os.scandir(place.store) as entries:
            return next((entry.path for entry in entries if entry.is_symlink()), "")
    except OSError:
        return ""


def store_outside_git(root: str) -> str:
    """Return where the project at `root`, which git does not know, keeps what is never committed."""
    return root + "/" + _OUTSIDE_GIT


def _git_folder(folder: str) -> str:
    """Return the git folder that `folder` names or is, "" for none."""
    entry = folder + "/.git"
    if os.path.isdir(entry):
        known = os.path.exists(entry + "/HEAD") and not (os.path.islink(entry) and not _owned(folder, entry))
        return entry if known and _common(entry) else ""
    try:
        line = _first_line(entry)
    except OSError:
        bare = os.path.isdir(folder + "/objects") and os.path.isdir(folder + "/refs")
        return folder if bare and os.path.exists(folder + "/HEAD") else ""
    target = os.path.normpath(os.path.join(folder, line[8:])) if line.startswith("gitdir: ") else ""
    known = bool(target) and os.path.exists(target + "/HEAD") and _owned(folder, target)
    return target if known and _common(target) else ""


def _owned(folder: str, git: str) -> bool:
    from holdfast import belief  # an ordinary working tree needs none

    return belief.owned(folder, git)


def _in_git(root: str, git: str) -> Place:
    """Return the place whose git folder is `git`; worktrees name the shared one in a file `commondir`."""
    common = _common(git)
    store = common + "/holdfast"
    return Place(root, git, common, "" if os.path.islink(store) else store)


def _common(git: str) -> str:
    """Return the git folder that a worktree shares, its own where there are no others, "" for one it has no part in."""
    try:
        common = os.path.normpath(os.path.join(git, _first_line(git + "/commondir")))
    except OSError:
        return git
    from holdfast import belief

    return common if belief.shared(git, common) else ""


def _first_line(path: str) -> str:
    """Return the first line of a small file without its end."""
    handle = os.open(path, os.O_RDONLY | os.O_NONBLOCK)  # or a pipe of that name would be waited for, for ever
    try:
        return os.fsdecode(os.read(handle, 4096)).split("\n", 1)[0]
    finally:
        os.close(handle)


def within(path: str, root: str) -> bool:
    """Whether a path lies inside a working tree once all links are followed."""
    return (os.path.realpath(path) + "/").startswith(os.path.realpath(root).rstrip("/") + "/")


def branch(place: Place) -> str:
    """Return the branch checked out here, twelve digits of the commit when detached, "" outside git."""
    try:
        head = _first_line(place.git + "/HEAD")
    except OSError:
        return ""
    return head[16:] if head.startswith("ref: refs/heads/") else head[:12]


def called(path: str) -> str:
    """Return a file's name in a case that no file system tells from the one it has."""
    return os.path.basename(path).casefold()


def marks(path: str) -> "set[tuple[object, object]]":
    """Return what tells a file from all others; two paths with a mark in common name one file, however written.

    One mark is its path in whichever working tree of its repository, the other the very file on disk.
    """
    folder, name = os.path.split(path)
    folder = os.path.realpath(folder)
    home = locate(folder)
    found: set[tuple[object, object]] = {(repository(home), home.relative(f"{folder.rstrip('/')}/{name}"))}
    try:
        here = os.lstat(path)
    except OSError:
        return found
    return found | {(here.st_dev, here.st_ino)}


def repository(place: Place) -> str:
    """Return what all working trees of a repository share, and no other has; outside git the project itself."""
    return os.path.realpath(place.common or place.root)


def places(store: str) -> "tuple[str, ...]":
    """Return the patterns of where state files may lie, as the last survey left them for those in a hurry."""
    try:
        kept = os.fsdecode(files.read(places_file(store))) if store else ""
    except OSError:
        kept = ""
    return tuple(line for line in kept.split("\n") if line) or PLACES


def places_file(store: str) -> str:
    """Return where a survey leaves the patterns, one a line."""
    return store + "/places"


def owed_file(store: str, session: str) -> str:
    """Return what is there as long as the user was told that a state file is behind, and Claude was not yet."""
    return store + "/nudged/" + session + ".owed"


def is_state_path(relative: str, places: "Iterable[str]") -> bool:
    """Whether a file at this place may be a state file; its content decides, later."""
    # Journals hold thousands of edits, and there are dozens of places: most paths are out by their last three letters.
    return relative[-3:].lower() == ".md" and any(matches(relative, place) for place in places)


def matches(relative: str, pattern: str) -> bool:
    """Whether a path in a project is one of those that a pattern stands for, name by name."""
    names, wanted = relative.split("/"), pattern.split("/")
    # From the end: most files differ from most patterns in their own name already.
    return len(names) == len(wanted) and all(map(fits, reversed(names), reversed(wanted)))


def fits(name: str, wanted: str) -> bool:
    """Whether a name is the wanted one, in which one `*` may stand for any text; file systems differ in case, so none.

    A `*` finds no hidden name, and nothing that only explains a folder.
    """
    return bool(fitting((name.casefold(),), wanted))


def fitting(names: "Collection[str]", wanted: str) -> "list[str]":
    """Return those of these names, each without its case, that fit the wanted one."""
    before, star, after = wanted.casefold().partition("*")
    if not star:
        return [before] if before and before in names else []
    least, hidden = max(1, len(before) + len(after)), before.startswith(".")
    return [
        name
        for name in names
        if name.endswith(after) and name.startswith(before) and len(name) >= least
        if (hidden or name[0] != ".") and name not in _ABOUT
    ]


def data_dir(environ: "Mapping[str, str]") -> str:
    """Return the plugin's own data folder, by the same rule as hooks/launch; "" without any home."""
    given = environ.get("HOLDFAST_DATA") or environ.get("CLAUDE_PLUGIN_DATA")
    if given:
        return given
    home = environ.get("HOME")
    config = environ.get("CLAUDE_CONFIG_DIR") or (home and home + "/.claude")
    return config + "/plugins/data/holdfast-holdfast-tools" if config else ""
