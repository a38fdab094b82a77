"""The command `init`: where a project keeps its files, and what git does with them."""

from __future__ import annotations

import os
import sys

import click

from holdfast.actions import accept as accepting
from holdfast.actions import merge_file
from holdfast.cli import screen
from holdfast.cli.app import cli, require_worktree, warn
from holdfast.cli.output import is_json, report_told, reports, tell
from holdfast.context.short_lists import counted
from holdfast.core import files
from holdfast.core.errors import HoldfastError
from holdfast.editing import store
from holdfast.formats import template
from holdfast.git import merge, objects, queries
from holdfast.hub import merge as hub_merge
from holdfast.journal import log
from holdfast.project import background, discovery, linters, paths, settings
from holdfast.project.paths import Project
from holdfast.sessions import hub_location, ledger
from holdfast.sessions.paused_work import PATTERNS
from holdfast.sessions.workspace import Workspace
from holdfast.trust import clone, safe

_QUESTION = """\
Where should holdfast keep its files?
  shared    in .agents/sessions, staged in git: others see and review them
  private   in .git/holdfast/private: not in the tree, in commits or reviews"""


@cli.command()
@click.option(
    "--shared/--private",
    default=None,
    help="Keep state files in the tree, or everything in git's folder. Given later, it moves the files.",
)
@click.option("--genie", is_flag=True, help="Keep the hub in .genie/, and answer `npx automagik-genie run ...`.")
@click.option(
    "--linters", "ignored", is_flag=True, help="Let the project's Markdown linters leave holdfast's files alone."
)
@click.option("--yes", "agreed", is_flag=True, help="Ask nothing: prepare a home directory or a folder without git.")
@click.option("--without-merges", is_flag=True, hidden=True, help="Only undo what lets git merge with holdfast.")
@reports
@click.pass_obj
def init(  # noqa: PLR0913 - click passes each option as an argument
    workspace: Workspace,
    *,
    shared: bool | None,
    genie: bool,
    ignored: bool,
    agreed: bool,
    without_merges: bool,
) -> None:
    """Prepare this project: from here on its sessions have state files."""
    project = workspace.project
    root = require_worktree(project)
    if without_merges:
        tell(*(merge.remove(root) if project.git else []))
    else:
        _init(workspace, root, shared, genie=genie, agreed=agreed)
    after = paths.locate(root)
    if not without_merges:
        background.note_project(after)
    if not without_merges and after.initialised and not after.is_private:
        _offer_ignoring(root, agreed=ignored)
    report_told({"root": root, "prepared": after.initialised, "private": after.is_private})


def _init(workspace: Workspace, root: str, shared: bool | None, *, genie: bool, agreed: bool) -> None:  # noqa: FBT001 - click's value
    """Prepare a project, or move its files, and print what was done."""
    project = workspace.project
    confirm(project, root, agreed=agreed)
    is_shared = _chosen(project, shared)
    if genie and not is_shared:
        raise HoldfastError("--genie keeps the hub in the tree, and --private keeps it out. Give one of them.")
    _trust(root)
    settings = f"{root}/{paths.SETTINGS}"
    made = "" if os.path.lexists(settings) else settings
    from holdfast.actions import adoption

    if genie:
        tell(*adoption.prepare_genie(root))
    if not is_shared:
        _prepare_private(workspace)
    elif project.is_private:
        tell(*to_shared(workspace))
        tell("The files of holdfast are in the tree now. Commit them to share them.", *_set_up_merges(project))
    else:
        _prepare(workspace, root)
    if not project.store:
        _trust(root, made)  # a folder without git has a store only now
    if genie:
        adoption.remember_genie(paths.locate(root))


def _offer_ignoring(root: str, *, agreed: bool) -> None:
    """Offer to let the project's linters leave holdfast's files alone: what people say may not be in their form."""
    for linter in linters.open_to(root):
        asked = f"{linter.name} checks this project; quotes in state files may not pass. Let it leave them alone?"
        if agreed or (screen.can_ask() and not is_json() and click.confirm(asked, default=True)):
            tell(linters.leave_alone(root, linter))
        else:
            tell(
                f"{linter.name} checks this project; quotes in state files may not pass. Type: holdfast init --linters"
            )


def _trust(root: str, made: str = "") -> None:
    """Trust the clone, and print what it brings; where Claude reads the output, only a clone that brings nothing.

    The file that was just `made` came with no clone.
    """
    project = paths.locate(root)
    if not project.store or clone.is_trusted(project):
        return
    untrusted_files = [file for file in accepting.untrusted_files(Workspace(project)) if file.path != made]
    if untrusted_files and clone.output_reaches_claude():
        kept = clone.kept_back([file.path for file in untrusted_files])
        tell(f"{kept}. The user says yes in a terminal: {paths.typed_elsewhere()} trust")
        return
    try:
        accepting.accept(project, untrusted_files)
    except OSError as error:
        warn(f"{error.filename}: {error.strerror}. Claude reads no state file here until that is corrected")
        return
    if untrusted_files:
        names = clone.short_names(file.path for file in untrusted_files)
        tell(
            f"Claude may read what is here: {counted(len(untrusted_files), 'file')}, {names}.",
            "Take it back: holdfast trust --off",
        )


def _chosen(project: Project, shared: bool | None) -> bool:  # noqa: FBT001 - click's value
    """Return whether files are shared: as given, else as they are, else as the user answers, else shared."""
    if shared is not None:
        return shared
    if project.initialised or not project.git:
        return not project.is_private
    if not screen.can_ask() or is_json():
        return True
    click.echo(_QUESTION)
    return str(click.prompt("Keep them", type=click.Choice(["shared", "private"]), default="shared")) == "shared"


def _prepare_private(workspace: Workspace) -> None:
    """Keep everything in git's folder, moving there what is in the tree, and print what was done."""
    project = workspace.project
    known = project.is_private
    lines = to_private(workspace)
    if known and not lines:
        tell(f"The files of holdfast are in {project.private} already; nothing changed.")
        return
    tell(*lines, f"holdfast keeps its files in {project.private} and writes none into the tree.")


def _prepare(workspace: Workspace, root: str) -> None:
    """Make the settings of a project, where there are none, and print what was done."""
    project = workspace.project
    path = f"{root}/{paths.SETTINGS}"
    if os.path.exists(path):
        changed = _set_up_merges(project)
        stays = "it stays as it is." if changed else "nothing changed."
        tell(f"{paths.SETTINGS} is there already; {stays}", *changed)
        return
    if objects.is_left_out(root, project.git, paths.SETTINGS):
        raise HoldfastError(
            f"{paths.SETTINGS} is committed and stays as it is, outside the sparse checkout. To have it here type: "
            f"git sparse-checkout add {os.path.dirname(paths.SETTINGS)}"
        )
    if not paths.within(os.path.dirname(path), root):
        raise HoldfastError(f"{os.path.dirname(path)} leads out of {root} through a link. Make it a folder of its own.")
    os.makedirs(os.path.dirname(path), exist_ok=True)
    files.write_atomic(path, settings.TEMPLATE.encode(), fresh=True)
    if not project.git:
        store = paths.store_outside_git(root)
        files.write_private(f"{store}/.gitignore", b"*\n")
    tell(f"Made {paths.SETTINGS}. State files are kept in {paths.STATE_FOLDER}/.")
    tell("From the next session on, Claude learns where the last one stopped.")
    ignored = queries.ignored(root, [paths.SETTINGS, f"{paths.STATE_FOLDER}/x.md"]) if project.git else []
    if ignored:
        folders = safe.listed(sorted({os.path.dirname(name) for name in ignored}), 2)
        tell(
            f"git ignores {folders} here, so nothing of it is shared: take that out of .gitignore or .git/info/exclude."
        )
    elif project.git:
        tell(f"To share this with others, commit {paths.SETTINGS}.")
        name = template.name("Parse the invoices", workspace.now)
        tell(
            "A session that edits files adds one to your next commit, such as",
            f"  A  {paths.STATE_FOLDER}/{name}",
            "To keep them out of commits: holdfast init --private",
        )
    tell(*_set_up_merges(project))


def _set_up_merges(project: Project) -> list[str]:
    """Let git merge this project's files with holdfast; return what changed. A failure is reported and no more."""
    try:
        done = merge_file.set_up(project)
    except (HoldfastError, OSError) as error:
        warn(f"git merges state files line by line: {error}")
        return []
    return done


_HOME = "{} is your home directory: every session below it that is in no other project would count as one of this one."
_NO_GIT = (
    "{} is not in git: nothing is staged or merged, what is committed is not known, and journals are kept in "
    ".agents/.holdfast."
)


def confirm(project: Project, root: str, *, agreed: bool) -> None:
    """Explain what preparing `root` means, and ask if it is a home directory or not in git, unless the user `agreed`.

    Without a terminal, or with --json, a home directory is refused with a HoldfastError, and of a missing git only a
    warning is printed.
    """
    at_home = _same(root, os.path.expanduser("~"))
    reason = _HOME if at_home else "" if project.git else _NO_GIT
    if not reason:
        if not _same(root, os.getcwd()):
            tell(f"Prepares {root}, the root of the repository that this folder is in.")
        return
    explained = reason.format(root)
    if agreed or is_json() or not sys.stdin.isatty():
        if at_home and not agreed:
            raise HoldfastError(f"{explained} If that is meant: holdfast init --yes")
        warn(explained)
    elif not click.confirm(f"{explained}\nPrepare it all the same?"):
        raise click.Abort


def _same(one: str, other: str) -> bool:
    return os.path.realpath(one) == os.path.realpath(other)


_HUB = hub_location.PATHS[-1]
_OWN = (*paths.PATTERNS, discovery.PATHS[-1])
_HUB_FILES = (_HUB, hub_location.companion(_HUB, hub_location.ARCHIVE))


def to_private(workspace: Workspace) -> list[str]:
    """Move everything from the working tree to the private folder; return what was done, a line each.

    Untrusted files stay: what holdfast writes into the private folder is trusted. HoldfastError where a file of the
    same name is there already, and while git is in the middle of an operation; then nothing is moved.
    """
    project = workspace.project
    if not project.git or not project.root:
        raise HoldfastError("private files are kept in git's folder, and there is no git here. Type: git init")
    _refuse_busy(project, hub_location.tree(project))
    with store.writing(project):
        main = hub_location.tree(project).root
        moving = [(path, project.root) for path in discovery.state_files(project.root, (*_OWN, *PATTERNS)).paths]
        moving += [(path, main) for path in discovery.state_files(main, _HUB_FILES).paths]
        own = f"{project.root}/{paths.SETTINGS}"
        known = [path for path, _ in moving] + [own] * os.path.isfile(own)
        untrusted = clone.TrustCheck().untrusted(known)
        there = {path: f"{project.private}/{os.path.relpath(path, root)}" for path, root in moving}
        there = {path: target for path, target in there.items() if path not in untrusted}
        chosen = os.path.isfile(own) and clone.is_settings_file_trusted(own)
        data = _settings(own if chosen else "", f"{project.private}/{paths.SETTINGS}")
        _copy(workspace, there)
        _write(f"{project.private}/{paths.SETTINGS}", data)  # from here on the project is private
        lines = _remove(workspace, {**there, own: ""} if chosen else there)
    lines += merge.remove(project.root)
    if untrusted:
        left = counted(len(untrusted), "file")
        lines.append(f"Left in the tree: {left} that may come from elsewhere. See: holdfast trust")
    return lines


def to_shared(workspace: Workspace) -> list[str]:
    """Move all but hub and hand-overs from the private folder to the working tree, stage it, return what was done.

    HoldfastError while git is in the middle of an operation; then nothing is moved.
    """
    project = workspace.project
    private, own = project.private_project, f"{project.private}/{paths.SETTINGS}"
    _refuse_busy(project)
    with store.writing(project):
        names = discovery.state_files(private.root, _OWN).paths
        there = {path: f"{project.root}/{private.relative(path)}" for path in names}
        settings_there = f"{project.root}/{paths.SETTINGS}"
        if not os.path.lexists(settings_there) or files.read(own) != settings.TEMPLATE.encode():
            there[own] = settings_there
        _copy(workspace, there)
        lines = _remove(workspace, {**there, own: there.get(own, "")})
    known = bool(queries.head_blob(project.root, paths.SETTINGS))
    workspace.stage(*(target for path, target in there.items() if path != own or known))
    return [*lines, *(why for why in workspace.not_staged.values() if why)]


def _refuse_busy(*projects: Project) -> None:
    """Raise HoldfastError while git is in the middle of an operation: a changed or missing file would stop it."""
    for project in projects:
        if busy := queries.busy(project.git) if project.git else "":
            raise HoldfastError(f"nothing was moved: {busy}")


def _settings(shared: str, private: str) -> bytes:
    """Return the text of the private settings, from those in the tree if given; HoldfastError if both are changed."""
    template = settings.TEMPLATE.encode()
    chosen, there = (files.read(path) if os.path.isfile(path) else b"" for path in (shared, private))
    changed = {text for text in (chosen, there) if text not in (b"", template)}
    if len(changed) > 1:
        raise _occupied(private)
    return changed.pop() if changed else template


def _occupied(target: str) -> HoldfastError:
    return HoldfastError(f"{target} is there already, with another text. Move it away; nothing was moved.")


def _copy(workspace: Workspace, there: dict[str, str]) -> None:
    """Copy each file to its target; HoldfastError before anything is written where another one is there."""
    texts: dict[str, bytes] = {}
    united: dict[str, str] = {}
    for path, target in there.items():
        texts[target] = data = files.read(path)
        if not os.path.lexists(target):
            continue
        if path.endswith("/" + _HUB):
            texts[target], united[target] = hub_merge.united(files.read(target), path, workspace.hub_format), path
        elif files.read(target) != data:
            raise _occupied(target)
    for target, data in texts.items():
        (store.copy if target in united else _write)(target, data)


def _write(target: str, data: bytes) -> None:
    """Write the text of another file, and its folder, through no link that leads elsewhere."""
    if not os.path.lexists(target) or files.read(target) != data:
        store.copy(target, data)


def _remove(workspace: Workspace, there: dict[str, str]) -> list[str]:
    """Give each file's sessions its new path, then remove the file and stage that; return what was done."""
    project = workspace.project
    tracked: dict[str, list[str]] = {}
    for path, target in there.items():
        if target and files.read(target) != files.read(path) and not path.endswith("/" + _HUB):
            raise HoldfastError(f"{path} was changed meanwhile; it stays. Type the same again.")
        for ident in log.sessions_of_file(project.store, path) if target else []:
            log.claim(project.store, ident, target, by="rename")
        if target:
            ledger.moved(path, target)
        store.remove(path)
        home = paths.locate(os.path.dirname(path))
        if home.git and home.root:
            tracked.setdefault(home.root, []).append(home.relative(path))
    lines = [f"Moved {_named(project, path)} to {_named(project, target)}." for path, target in there.items() if target]
    for root, names in tracked.items():
        known = sorted(queries.tracked(root, names))
        workspace.stage(*(f"{root}/{name}" for name in known))
        if known:
            verb = "was" if len(known) == 1 else "were"
            lines.append(f"{counted(len(known), 'file')} of these {verb} in git; commit the removal.")
            lines.append("Earlier commits keep their text.")
    return lines


def _named(project: Project, path: str) -> str:
    return project.relative(path) or path
