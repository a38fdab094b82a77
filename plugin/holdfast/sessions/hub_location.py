"""Where the hub of a project and the files beside it are. This module is cheap to import."""

import os

from holdfast.core import files
from holdfast.core.errors import HoldfastError
from holdfast.project import discovery, paths
from holdfast.project.paths import Project

TYPE_CHECKING = False
if TYPE_CHECKING:
    from holdfast.core.cache import Cache

PATHS = (".genie/SESSION-STATE.md", ".genie/state/SESSION-STATE.md", ".agents/SESSION-STATE.md")
ARCHIVE = "SESSION-HISTORY.md"
_GENIE = ".genie"
_SETTING, _VARIABLE = b"hub", "HOLDFAST_HUB"


def tree(project: Project) -> Project:
    """Return the working tree for the shared hub: the main one if it is initialised or has a hub, else this one."""
    main = os.path.dirname(project.common) if os.path.basename(project.common) == ".git" else ""
    if not main or project.git == project.common:
        return project
    main_tree = paths.locate(main)
    return main_tree if main_tree.initialised or known(main_tree.root) else project


def home(project: Project, cache: "Cache | None" = None) -> Project:
    """Return the project whose root has the hub: the working tree if it is kept there, else the private one.

    The hub is kept in the tree if one exists there, if there is a folder `.genie`, or if the settings have
    `hub = "tracked"`; by default it is private, because a hub in the tree conflicts when two branches have a session
    each. Outside git there is only the tree. `cache` is the cache of the project's store if it is open already.
    """
    if project.is_private:
        return project.private_project
    main = tree(project)
    there = known(main.root) or os.path.isdir(f"{main.root}/{_GENIE}") or outside_cone(main)
    in_tree = bool(there) or _is_tracked(main, cache)
    return main if in_tree or not main.root else main.private_project


def is_kept(project: Project) -> bool:
    """Whether holdfast keeps a hub for this project."""
    return project.is_private or tree(project).initialised


def _is_tracked(main: Project, cache: "Cache | None") -> bool:
    """Whether the settings say that the hub is in the tree."""
    if not main.root:
        return False
    try:
        lines = files.read(f"{main.root}/{paths.SETTINGS}").splitlines()
    except OSError:
        lines = []
    chosen = any(line.lstrip(b" \t\"'").startswith(_SETTING) for line in lines)
    if not chosen and _VARIABLE not in os.environ:  # the usual case, which needs no parser
        return False
    from holdfast.core.cache import Cache
    from holdfast.trust import clone

    return clone.usable_settings(main.root, os.environ, cache or Cache(main.store))[0].hub == "tracked"


def known(root: str) -> str:
    """Return the path of the existing hub under `root`, "" when there is none.

    A hub that is a link, or in a linked folder, is returned too: the caller refuses it and makes no second one. Where a
    folder leads out of `root`, nothing behind it is looked at: a hub counts as being there if that is `.genie`.
    """
    hubs = discovery.state_files(root, PATHS).paths if root else []
    for relative in PATHS if root else ():
        path = f"{root}/{relative}"
        if named := [one for one in hubs if one.casefold().endswith(f"/{relative}".casefold())]:
            return named[0]
        if not os.path.lexists(f"{root}/{relative.partition('/')[0]}"):
            continue
        if is_outside(root, relative):
            if relative.startswith(_GENIE):
                return path
            continue
        if os.path.islink(path) or (os.path.islink(os.path.dirname(path)) and os.path.lexists(path)):
            return path
    return ""


def left_in_store(project: Project, path: str) -> str:
    """Return the path of a second hub in the store, "" when the hub at `path` is the only one."""
    there = known(project.private) if project.private else ""
    return "" if there == path or (there and os.path.islink(there)) else there


def is_outside(root: str, relative: str) -> bool:
    """Whether the folder of a file under `root` leads out through a link; the file itself is not looked at."""
    folder = root
    for name in relative.split("/")[:-1]:
        folder = f"{folder}/{name}"
        if os.path.islink(folder) and not paths.within(folder, root):
            return True
    return False


def path_of(project: Project) -> str:
    """Return the path of a project's hub, existing or not; HoldfastError in a bare repository."""
    main = home(project)
    root = main.root
    if not project.git:
        from holdfast.project import git_ownership

        if git_ownership.is_bare(project.root):
            raise HoldfastError(f"{root} is a bare repository, which has no working tree for a hub. Use a worktree.")
    genie = f"{root}/{PATHS[0]}"
    return known(root) or outside_cone(main) or (genie if os.path.isdir(f"{root}/{_GENIE}") else f"{root}/{PATHS[-1]}")


def outside_cone(main: Project) -> str:
    """Return the path of a hub that git has and that a sparse checkout leaves out of the tree, "" for none."""
    if not (main.git and main.root and os.path.isfile(f"{main.git}/info/sparse-checkout")):
        return ""
    from holdfast.git import objects

    left_out = [name for name in PATHS if objects.index_entry(main.root, main.git, name).state == objects.SPARSE]
    return f"{main.root}/{left_out[0]}" if left_out else ""


def adding(path: str) -> str:
    """Return the command that brings a hub outside the sparse checkout into the tree."""
    return f"git sparse-checkout add {next(one for one in PATHS if path.endswith(f'/{one}')).partition('/')[0]}"


def name_of(project: Project, path: str) -> str:
    """Return the path of the hub, or of a file beside it, relative to this working tree, or to git's folder."""
    return os.path.relpath(path, project.root if tree(project).root and project.root else project.common)


def is_genie(path: str) -> bool:
    """Return whether a hub is where genie keeps it; a start names every open session then."""
    return f"/{_GENIE}/" in path


def refuse_outside(path: str) -> None:
    """Raise HoldfastError for a hub outside the project, reached through a link: its text is not printed."""
    if os.path.islink(path) or discovery.leads_out(path):
        raise HoldfastError(f"{path} leads out of the project through a link. Put the file itself there.")


def companion(path: str, name: str) -> str:
    """Return the path of a file beside the hub."""
    return f"{os.path.dirname(path)}/{name}"


def archived(path: str) -> bytes:
    """Return the bytes of the archive beside the hub at `path`, b"" when there is none."""
    archive = companion(path, ARCHIVE)
    return files.read(archive) if os.path.isfile(archive) else b""
