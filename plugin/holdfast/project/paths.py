"""Where a project and its parts are, found from the environment and the folders alone. git is never run here.

It is one module because every hook imports it: each further module would cost every tool call its import.
"""

import os

from holdfast.core import files

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Mapping

_PACKAGE = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))  # plugin/holdfast
PLUGIN_ROOT = os.path.normpath(_PACKAGE + ("/../../../../share/holdfast" if "site-packages/" in _PACKAGE else "/../.."))
CLI = PLUGIN_ROOT + "/plugin/holdfast/__main__.py"
SETTINGS = ".agents/holdfast.toml"
GENIE = "/genie"  # an empty file of the store: genie's program for npx was made for this project
STATE_FOLDER = ".agents/sessions"  # where new state files are made
PATTERNS = (STATE_FOLDER + "/*.md",)  # where state files are, until a survey has stored what the formats say
REPOSITORIES = "/repositories"  # in the data folder: the projects in which something is kept, a path on each line
_LINKED = "{} is a link, and holdfast makes none: nothing is kept through it. Remove it."
_NOT_YOURS = "{0} does not belong to you: its owner could read what holdfast keeps. Work in a copy, or type: ls -ld {0}"
_OUTSIDE_GIT = ".agents/.holdfast"
PRIVATE = "/holdfast/private"  # in git's common folder: files as in a working tree, which git never sees
_NOT_STATE = frozenset(("readme.md", "template.md", "index.md"))  # files that only explain a folder of state files


def typed() -> str:
    """Return what runs the command in a shell: its name where PATH has it, but not the plugin's; else its path."""
    own, link = PLUGIN_ROOT + "/bin", os.environ.get("HOME", "") + "/.local/bin/holdfast"
    folders = {*os.environ.get("PATH", "").split(":")} - {own, ""}
    if any(os.access(f"{folder}/holdfast", os.X_OK) for folder in folders):
        return "holdfast"
    return link if os.path.lexists(link) else f"{own}/holdfast"


def typed_elsewhere() -> str:
    """Return what runs the command in a terminal: only the client has the `bin` of an installed plugin on PATH."""
    return typed() if "/plugins/cache/" in PLUGIN_ROOT else "holdfast"


class Project:
    """One project as seen from one folder. All attributes are absolute paths.

    `root` is the working tree, or outside git the project's folder. `git` is this worktree's git folder and `common`
    the one that all worktrees share, both "" outside git. `store` holds journals, lock, cache and error log; it is ""
    where nothing may be kept: outside git before `holdfast init`, and where the folder belongs to another user.
    """

    # No dataclass: its import would double the time of a hook.
    __slots__ = ("common", "git", "root", "store")

    def __init__(self, root: str, git: str, common: str, store: str) -> None:
        self.root = root
        self.git = git
        self.common = common
        self.store = store

    def relative(self, path: str) -> str:
        """Return `path` relative to the working tree, "" when it is outside; links are followed if needed."""
        root, inner = self.root.rstrip("/") + "/", path
        if self.root and path != self.root and not inner.startswith(root):
            root, inner = os.path.realpath(self.root).rstrip("/") + "/", os.path.realpath(path)
        return os.path.normpath(inner[len(root) :]) if self.root and inner.startswith(root) else ""

    @property
    def initialised(self) -> bool:
        """Whether new files may be made in the working tree: after `holdfast init`, or where `.agents/sessions` exists.

        State files elsewhere belong to other tools; they are read and edited, but holdfast adds no file to them.
        """
        return bool(self.root) and (
            os.path.exists(self.root + "/" + SETTINGS)
            or os.path.isdir(self.root + "/" + STATE_FOLDER)
            or self.is_private
        )

    @property
    def private(self) -> str:
        """The folder for files that are kept out of the working tree, which may not exist; "" outside git."""
        return self.store and self.common and self.common + PRIVATE

    @property
    def aside(self) -> str:
        """The folder of this working tree's hand-overs that are in no commit; "" where nothing may be kept."""
        linked = self.git != self.common and bool(self.git)
        return self.store and self.store + "/private" + (self.git[self.git.rindex("/") :] if linked else "")

    @property
    def is_private(self) -> bool:
        """Whether all files of holdfast are in the private folder."""
        return bool(self.private) and os.path.exists(self.private + "/" + SETTINGS)

    @property
    def target(self) -> "Project":
        """The project in whose root new files are made: the private folder of a private one, else this one."""
        return self.private_project if self.is_private else self

    @property
    def private_project(self) -> "Project":
        """The private folder as a project of its own, which is in no working tree; outside git this project."""
        return Project(self.private, "", self.common, self.store) if self.private else self

    @property
    def is_written(self) -> bool:
        """Whether files in this root are brought up to date unasked: in a private project only the private ones."""
        return self.initialised and (self.root == self.private or not self.is_private)


def locate(start: str, project: "Project | None" = None) -> Project:
    """Return the project that contains the folder `start`, which need not exist any more.

    `project` is one that was located before: where it is this one, nothing of it is looked at again.
    """
    folder = os.path.abspath(start)
    above: list[str] = []
    if PRIVATE in folder:
        if project and project.private and f"{folder}/".startswith(f"{project.private}/"):
            return project.private_project
        from holdfast.project import git_ownership

        common = git_ownership.around_private(folder, PRIVATE)
        # git tracks nothing in `.git`, and nothing outside of all trees.
        if common and ("/.git/" in common + "/" or not locate(os.path.dirname(common)).git):
            return _in_git("", common, _common(common)).private_project
    while True:
        if project and project.git and folder == project.root:
            return project
        git, common = _git_folder(folder)
        if common:
            return _in_git(folder, git, common)
        above.append(folder)
        parent = os.path.dirname(folder)
        if parent == folder:
            break
        folder = parent
    outside = next((each for each in above if os.path.exists(each + "/" + SETTINGS)), "")
    store = outside and outside + "/" + _OUTSIDE_GIT
    return Project(outside or os.path.abspath(start), "", "", "" if store and _is_unusable(store, outside) else store)


def _is_ours(folder: str, status_of: "Callable[[str], os.stat_result]" = os.lstat) -> bool:
    """Whether a path belongs to the current user, and by default is no link. Another owner could plant a store."""
    try:
        status = status_of(folder)
    except FileNotFoundError:  # a store that is still to be created
        return True
    return status.st_uid == os.geteuid() and status.st_mode & 0o170000 != 0o120000  # stat.S_ISLNK, without the import


def _is_unusable(store: str, root: str) -> bool:
    """Whether a store outside git belongs to another user, or a link on its path leads out of the project."""
    folder = os.path.dirname(store)
    return not (_is_ours(store) and _is_ours(folder, os.stat)) or (os.path.islink(folder) and not within(store, root))


def store_problem(project: Project) -> str:
    """Return why the store cannot be used: it is a link, contains one, or belongs to another user; else ""."""
    if not project.store and (project.common or os.path.exists(f"{project.root}/{SETTINGS}")):
        store = project.common + "/holdfast" if project.common else store_outside_git(project.root)
        folder = os.path.dirname(store)
        linked = next((path for path in (store, folder)[: 1 if project.common else 2] if os.path.islink(path)), "")
        return _LINKED.format(linked) if linked else _NOT_YOURS.format(store if _is_ours(folder, os.stat) else folder)
    try:
        with os.scandir(project.store or "/dev/null") as entries:
            return next((_LINKED.format(entry.path) for entry in entries if entry.is_symlink()), "")
    except OSError:
        return ""


def store_outside_git(root: str) -> str:
    """Return the path of the store of a project outside git."""
    return f"{root}/{_OUTSIDE_GIT}"


def _git_folder(folder: str) -> "tuple[str, str]":
    """Return the git folder of the working tree `folder`, and the one that all worktrees share; "" when it is none."""
    entry = folder + "/.git"
    try:
        kind = os.lstat(entry).st_mode & 0o170000  # stat.S_IFMT, without the import
        linked = kind == 0o120000
        if kind == 0o040000 or (linked and os.path.isdir(entry)):
            known = os.path.exists(entry + "/HEAD") and not (linked and not _owned(folder, entry))
            return entry, _common(entry) if known else ""
        line = _first_line(entry)
    except OSError:  # a bare repository counts only through its worktrees: a commit may contain a folder like one
        return "", ""
    target = os.path.normpath(os.path.join(folder, line[8:])) if line.startswith("gitdir: ") else ""
    known = bool(target) and os.path.exists(target + "/HEAD") and _owned(folder, target)
    return target, _common(target) if known else ""


def _owned(folder: str, git: str) -> bool:
    """Whether the git folder that a working tree names is its own."""
    from holdfast.project import git_ownership  # an ordinary working tree does not need it

    return git_ownership.owned(folder, git)


def _in_git(root: str, git: str, common: str) -> Project:
    """Return the project whose git folder is `git`, and whose worktrees share the git folder `common`."""
    store = common + "/holdfast"
    return Project(root, git, common, store if _is_usable_in_git(root, common, store) else "")


def _is_usable_in_git(root: str, common: str, store: str) -> bool:
    """Whether the store in a git folder is this user's, or the user trusts a working tree of another owner."""
    if _is_ours(common, os.stat) and _is_ours(store):
        return True
    if os.path.islink(store) or not os.path.isdir(common):
        return False
    from holdfast.project import git_ownership  # an ordinary working tree does not need it

    return bool(root) and git_ownership.consented(root)


def _common(git: str) -> str:
    """Return the git folder that all worktrees share, from the file `commondir`; "" when that names a foreign one."""
    try:
        common = os.path.normpath(os.path.join(git, _first_line(git + "/commondir")))
    except OSError:
        return git
    from holdfast.project import git_ownership

    return common if git_ownership.shared(git, common) else ""


def _first_line(path: str) -> str:
    """Return the first line of a small file, without the newline."""
    handle = os.open(path, os.O_RDONLY | os.O_NONBLOCK)  # without O_NONBLOCK opening a pipe waits for a writer
    try:
        return os.fsdecode(os.read(handle, 4096)).split("\n", 1)[0]
    finally:
        os.close(handle)


def within(path: str, root: str) -> bool:
    """Whether a path is inside a working tree after following all links."""
    return (os.path.realpath(path) + "/").startswith(os.path.realpath(root).rstrip("/") + "/")


def branch(project: Project) -> str:
    """Return the branch checked out here, twelve digits of the commit when detached, "" outside git."""
    try:
        head = _first_line(project.git + "/HEAD")
    except OSError:
        return ""
    return head[16:] if head.startswith("ref: refs/heads/") else head[:12]


def folded_name(path: str) -> str:
    """Return a file's name in one case, for file systems that ignore case."""
    return os.path.basename(path).casefold()


def identities(path: str) -> "set[tuple[object, object]]":
    """Return keys that identify a file; two paths with a common key name the same file.

    One key is its repository and its path in the tree, the same in every worktree; the other its device and inode.
    """
    folder, name = os.path.split(path)
    folder = os.path.realpath(folder)
    project = locate(folder)
    keys: set[tuple[object, object]] = {(repository(project), project.relative(f"{folder.rstrip('/')}/{name}"))}
    try:
        status = os.lstat(path)
    except OSError:
        return keys
    return keys | {(status.st_dev, status.st_ino)}


def repository(project: Project) -> str:
    """Return a path that is the same in all worktrees of a repository and in no other project."""
    return os.path.realpath(project.common or project.root)


def patterns(store: str) -> "tuple[str, ...]":
    """Return the patterns of the paths of state files, as the last survey stored them for the hooks."""
    try:
        stored = os.fsdecode(files.read(patterns_file(store))) if store else ""
    except OSError:
        stored = ""
    return tuple(line for line in stored.split("\n") if line) or PATTERNS


def preferences_file(store: str) -> str:
    """Return the path of the file with what the user prefers in all sessions, a line for each."""
    return store + "/preferences.jsonl"


def is_shared(store: str) -> bool:
    """Whether the sessions of a project are shared."""
    return bool(store) and os.path.exists(store + "/sharing/on")


def patterns_file(store: str) -> str:
    """Return the path of the file with the patterns, one on each line."""
    return store + "/patterns"


def is_state_path(relative: str, patterns: "Iterable[str]") -> bool:
    """Whether a file at this path may be a state file; its content decides."""
    # A journal has thousands of edits and there are dozens of patterns; the suffix excludes most paths at once.
    return relative[-3:].lower() == ".md" and any(matches(relative, pattern) for pattern in patterns)


def matches(relative: str, pattern: str) -> bool:
    """Whether a relative path matches a pattern, name by name."""
    names, parts = relative.split("/"), pattern.split("/")
    # From the end, because most files differ from most patterns in their last name.
    return len(names) == len(parts) and all(map(matches_name, reversed(names), reversed(parts)))


def matches_name(name: str, pattern: str) -> bool:
    """Whether a name matches a pattern, in which one `*` stands for any text; case is ignored.

    A `*` matches no hidden file, and no file that only explains a folder, such as README.md.
    """
    return bool(matching_names((name.casefold(),), pattern))


def matching_names(names: "Collection[str]", pattern: str) -> "list[str]":
    """Return those of the names, which must be case-folded, that match a pattern as in `matches_name`."""
    before, star, after = pattern.casefold().partition("*")
    if not star:
        return [before] if before and before in names else []
    least, hidden = max(1, len(before) + len(after)), before.startswith(".")
    return [
        name
        for name in names
        if name.endswith(after) and name.startswith(before) and len(name) >= least
        if (hidden or name[0] != ".") and name not in _NOT_STATE
    ]


def claude_config(environ: "Mapping[str, str]") -> str:
    """Return the configuration folder of Claude Code, "" without a home directory."""
    return environ.get("CLAUDE_CONFIG_DIR") or (environ.get("HOME", "") and environ["HOME"] + "/.claude")


def data_dir(environ: "Mapping[str, str]") -> str:
    """Return the plugin's data folder, by the same rule as hooks/launch; "" without one, or for a relative path."""
    config = claude_config(environ)
    ours = config and config + "/plugins/data/holdfast-holdfast-tools"
    folder = environ.get("HOLDFAST_DATA") or environ.get("CLAUDE_PLUGIN_DATA") or ours
    return folder if folder.startswith("/") else ""
