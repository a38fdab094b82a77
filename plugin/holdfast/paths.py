"""Where everything is, told from environment and folders alone: git is never run here."""

import os

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

PLUGIN_ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
CLI = PLUGIN_ROOT + "/plugin/holdfast/__main__.py"
SETTINGS = ".agents/holdfast.toml"
STATE_FOLDER = ".agents/sessions"
_OUTSIDE_GIT = ".agents/.holdfast"


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
        """Whether files may appear in the working tree: after `holdfast init`, or where state files already are."""
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
    return Place(outside or os.path.abspath(start), "", "", outside and outside + "/" + _OUTSIDE_GIT)


def store_outside_git(root: str) -> str:
    """Return where the project at `root`, which git does not know, keeps what is never committed."""
    return root + "/" + _OUTSIDE_GIT


def _git_folder(folder: str) -> str:
    """Return the git folder that `folder` names or is, "" for none."""
    entry = folder + "/.git"
    if os.path.isdir(entry):
        return entry if os.path.exists(entry + "/HEAD") else ""
    try:
        line = _first_line(entry)
    except OSError:
        bare = os.path.isdir(folder + "/objects") and os.path.isdir(folder + "/refs")
        return folder if bare and os.path.exists(folder + "/HEAD") else ""
    target = os.path.normpath(os.path.join(folder, line[8:])) if line.startswith("gitdir: ") else ""
    return target if target and os.path.exists(target + "/HEAD") else ""


def _in_git(root: str, git: str) -> Place:
    """Return the place whose git folder is `git`; worktrees name the shared one in a file `commondir`."""
    try:
        common = os.path.normpath(os.path.join(git, _first_line(git + "/commondir")))
    except OSError:
        common = git
    return Place(root, git, common, common + "/holdfast")


def _first_line(path: str) -> str:
    """Return the first line of a small file without its end."""
    handle = os.open(path, os.O_RDONLY)
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


def is_state_path(relative: str) -> bool:
    """Whether a file at this place may be a state file; its content decides, later."""
    folder, _, name = relative.rpartition("/")
    about = name.lower() in ("readme.md", "template.md", "index.md")
    return folder == STATE_FOLDER and name.endswith(".md") and not name.startswith(".") and not about


def data_dir(environ: "Mapping[str, str]") -> str:
    """Return the plugin's own data folder, by the same rule as hooks/launch; "" without any home."""
    given = environ.get("HOLDFAST_DATA") or environ.get("CLAUDE_PLUGIN_DATA")
    if given:
        return given
    home = environ.get("HOME")
    config = environ.get("CLAUDE_CONFIG_DIR") or (home and home + "/.claude")
    return config + "/plugins/data/holdfast-holdfast-tools" if config else ""
