"""The commands `share …`: sessions of several machines, through refs of git."""

import contextlib
import shutil
from typing import Any

import click

from holdfast.cli import screen
from holdfast.cli.app import cli, print_json, say, say_nothing, warn
from holdfast.cli.output import is_json, report, reports
from holdfast.context.short_lists import counted
from holdfast.core import clock, fast_json, lock
from holdfast.core.errors import HoldfastError
from holdfast.git import objects, remotes
from holdfast.git.remotes import RemoteError
from holdfast.journal import file_touches
from holdfast.project import paths
from holdfast.project.paths import Project
from holdfast.sessions import survey as sessions
from holdfast.sessions.workspace import Workspace
from holdfast.sharing import known_machines, machine, own_ref, people, status
from holdfast.sharing.exchange import exchange
from holdfast.sharing.exchange.exchange import Outcome
from holdfast.sharing.status import Sharing
from holdfast.trust import clone, safe

_PERSON = "A person does this in a terminal of their own, not Claude."
_UNSIGNED = (
    "Not signed: others see title, status and path only. To sign with your SSH key, type:\n"
    "  git config --global gpg.format ssh\n"
    "  git config --global user.signingkey ~/.ssh/id_ed25519.pub"
)


@cli.group("share")
def share_group() -> None:
    """Share sessions with your other machines and your team, through the git remote."""


@share_group.command("on")
@click.argument("remote", default="", metavar="[REMOTE]")
@click.option("-y", "--yes", is_flag=True, help="Agree to the programs that the repository names, without a question.")
@reports
@click.pass_obj
def turn_on(workspace: Workspace, remote: str, *, yes: bool) -> int:
    """Share the sessions of this clone through REMOTE.

    It sends them there, and fetches those of other clones.

    For each session: its summary, state file and hand-over, with secrets masked. All of it goes to a ref of this
    machine's own, never to a branch. `holdfast share show` prints what is sent.
    """
    project = workspace.project
    if clone.output_reaches_claude():
        raise HoldfastError(f"sharing stays off. {_PERSON}")
    name = choose(project, remote)
    _agree(project.root, name, yes=yes)
    sharing = switch_on(project, name)
    outcome = exchange.run(workspace)
    where = f"{name} ({safe.line(remotes.address(project.root, name), 200)})"
    signed = bool(people.signing(project.root))
    lines = [f"Sessions are shared with {where}.", *_lines(outcome, sharing.remote), *([] if signed else [_UNSIGNED])]
    report({"on": True, "remote": name, "signed": signed, **_row(outcome)}, *lines)
    return _code(outcome)


def _agree(root: str, remote: str, *, yes: bool) -> None:
    """Ask about programs in the repository's own settings that git would run; HoldfastError unless the user agrees."""
    programs = remotes.settings(root, remote)[1]
    if not programs or yes:
        return
    say(
        "To reach it, git uses what .git/config of this repository names:", *(f"  {safe.line(one)}" for one in programs)
    )
    if not (screen.can_ask() and click.confirm("Agree to that?")):
        raise HoldfastError("sharing stays off. To agree to these programs, type: holdfast share on --yes")


@share_group.command("now")
@reports
@click.pass_obj
def share_now(workspace: Workspace) -> int:
    """Send what is new here, and fetch what is new there."""
    outcome = exchange.run(workspace)
    sharing = status.load(workspace.project.store)
    report(_row(outcome), *_lines(outcome, sharing.remote if sharing else "the remote"))
    return _code(outcome)


@share_group.command("keep", hidden=True)
@click.pass_obj
def keep(workspace: Workspace) -> None:
    """In the background: exchange what is due while sessions are live."""
    exchange.keep_exchanging(workspace.project)


def _row(outcome: "Outcome") -> "dict[str, object]":
    return {"sent": outcome.sent, "machines": outcome.machines, "problem": outcome.problem}


def _lines(outcome: "Outcome", remote: str) -> list[str]:
    """Return what an exchange did, as lines."""
    lines = [f"{remote} has everything that is shared here."] if outcome.sent else []
    if outcome.split:
        lines.append("Another machine or clone uses the id that this one had; it has a new one now.")
    if outcome.sent and not outcome.problem:
        lines.append(f"{counted(outcome.machines, 'other machine')} known: holdfast list")
    return lines


def _code(outcome: "Outcome") -> int:
    """Print what went wrong, and return the exit code."""
    if outcome.problem:
        later = " It is sent later." if outcome.away and not outcome.sent else ""
        warn(f"{safe.line(outcome.problem, 400)}.{later}".replace("..", "."))
    return 1 if outcome.problem else 0


@share_group.command("show")
@click.option("--all", "everything", is_flag=True, help="Also print what was sent already.")
@reports
@click.pass_obj
def show(workspace: Workspace, *, everything: bool) -> None:
    """Print exactly what would be sent now.

    Before `share on`: what that command would send.
    """
    project = workspace.project
    sharing = status.load(project.store)
    remote = sharing.remote if sharing else choose(project, "")
    survey = sessions.survey(workspace, guarded=True)
    texts = own_ref.content_of(survey)
    if sharing and sharing.pushed and not everything:
        texts = own_ref.changes(project.root, sharing.pushed, texts, f"{status.folder(project.store)}/scratch")
    known = sharing or status.Sharing(project.store, remote, "", "")
    contents = {
        f"{month}/{ident}/{name}": data for (month, ident), each in texts.items() for name, data in each.items()
    }
    if contents:
        about = own_ref.about(project.root, known, 0, workspace.now)
        del about["sequence"], about["machine"]
        contents = {own_ref.MACHINE: fast_json.dumps(about).encode() + b"\n", **contents}
    if is_json():
        print_json([{"path": path, "text": data.decode()} for path, data in contents.items()])
    elif contents:
        say(f"To {remote}, as {people.own_name(project.root)}:")
        for path, data in contents.items():
            click.echo(f"\n--- {path} ({len(data)} bytes)\n{safe.plain(data.decode())}", nl=False)
    else:
        say_nothing("Nothing waits to be sent. What was sent already: holdfast share show --all")


@share_group.command("status")
@reports
@click.pass_obj
def show_status(workspace: Workspace) -> None:
    """Show whether sessions are shared, and with whom."""
    sharing = status.load(workspace.project.store)
    row = _status(workspace, sharing)
    if is_json():
        print_json(row)
        return
    if sharing is None:
        say("Sessions are not shared here. Type: holdfast share on")
        return
    say(
        *_times(sharing, workspace.now),
        f"This machine: {machine.short(sharing.machine)}. Others: {counted(_machines(workspace), 'machine')}.",
        *(safe.line(note, 300) for note in sharing.notes),
        *([] if row["signed"] else [_UNSIGNED]),
    )


def _times(sharing: "Sharing", now: float) -> list[str]:
    """Return when something was exchanged; a problem comes first, and then no time that looks like success."""
    shown = clock.write if sharing.problem else lambda at: clock.ago(now - at)
    times = (shown(at) if at else "not yet" for at in (sharing.sent, sharing.fetched))
    if sharing.problem:
        failed = f"The last exchange with {sharing.remote} failed: {safe.line(sharing.problem, 300)}"
        return [failed, "Before that: sent {}, fetched {}.".format(*times)]
    return ["Shared with {}: sent {}, fetched {}.".format(sharing.remote, *times)]


def _machines(workspace: Workspace) -> int:
    return sum(bool(one.tip) for one in known_machines.machines(workspace.project.store).values())


def _status(workspace: Workspace, sharing: "Sharing | None") -> "dict[str, Any]":
    times = (sharing.sent, sharing.fetched) if sharing else (0.0, 0.0)
    sent, fetched = (clock.write(at) if at else "" for at in times)
    return {
        "on": sharing is not None,
        "remote": sharing.remote if sharing else "",
        "machine": sharing.machine if sharing else "",
        "sent": sent,
        "fetched": fetched,
        "problem": sharing.problem if sharing else "",
        "notes": sharing.notes if sharing else [],
        "machines": _machines(workspace),
        "signed": bool(people.signing(workspace.project.root)),
    }


@share_group.command("off")
@reports
@click.pass_obj
def turn_off(workspace: Workspace) -> None:
    """End sharing, and remove all that it keeps here. What was sent stays at the remote."""
    if clone.output_reaches_claude():
        raise HoldfastError(f"sharing stays on. {_PERSON}")
    done = switch_off(workspace.project)
    stays = f"{done.remote} keeps what was sent: holdfast share forget removes it."
    lines = ["Sessions are not shared any more; nothing of it is left here.", *([stays] if done.pushed else [])]
    report({"on": False, "remote": done.remote, "ref": done.ref if done.pushed else ""}, *lines)


@share_group.command("forget")
@click.option("-y", "--yes", is_flag=True, help="Ask no question.")
@reports
@click.pass_obj
def forget(workspace: Workspace, *, yes: bool) -> None:
    """Remove what this clone sent, and end sharing.

    It is removed from the remote at once, and from other clones with their next fetch. That also works after `share
    off`.
    """
    if clone.output_reaches_claude():
        raise HoldfastError(f"nothing was removed. {_PERSON}")
    require_sent(workspace.project)
    if not yes and not (screen.can_ask() and click.confirm("Remove all that this clone has shared from the remote?")):
        raise HoldfastError("nothing was removed. To remove it without a question: holdfast share forget --yes")
    remote = forget_sent(workspace.project)
    report({"on": False, "remote": remote}, f"{remote} has nothing of this clone any more, and sharing is off.")


_DEFAULT = "origin"


def choose(project: Project, remote: str) -> str:
    """Return the remote that is meant: by default `origin`, else the only one. HoldfastError names those there are."""
    if not project.git or not project.root or not project.store:
        raise HoldfastError("sessions are shared through git, and this is not a working tree of git. Type: git init")
    known = remotes.names(project.root)
    chosen = remote or (_DEFAULT if _DEFAULT in known else known[0] if len(known) == 1 else "")
    if chosen in known:
        return chosen
    if not known:
        raise HoldfastError("this repository has no remote. Add one: git remote add origin ADDRESS")
    raise HoldfastError(f"which remote is meant? Type one of them: holdfast share on {' | '.join(known)}")


def switch_on(project: Project, remote: str) -> Sharing:
    """Record that sessions are shared with a remote, whose present settings the user agrees to; HoldfastError, OSError.

    Without a second call, nothing is sent yet.
    """
    before = status.load(project.store)
    if before and before.remote != remote:
        raise HoldfastError(f"sessions are shared with {before.remote} already. End that first: holdfast share off")
    with lock.hold(status.folder(project.store)):
        agreed = exchange.digest(remotes.settings(project.root, remote)[0])
        sharing = before or Sharing(project.store, remote, machine.claim(project), agreed)
        sharing.agreed = agreed
        sharing.save()
    return sharing


def switch_off(project: Project) -> Sharing:
    """Remove everything that sharing keeps here; return what was recorded. HoldfastError when it is off.

    What stays is the list of refs that the remote has, so that `forget_sent` can remove them later.
    """
    sharing = require_on(project)
    folder = status.folder(project.store)
    with lock.hold(folder), lock.hold(f"{folder}/receiving"):
        objects.delete(project.root, project.common, _own(project, sharing))
        if _own(project, sharing):
            raise HoldfastError(f"git did not delete the refs in {sharing.tracking}. Type: git for-each-ref")
        machine.release(project)
        file_touches.forget_elsewhere(project.store)
        shutil.rmtree(folder, ignore_errors=True)
    return sharing


def _own(project: Project, sharing: Sharing) -> list[str]:
    """Return all refs here that belong to sharing."""
    folders = (sharing.tracking, sharing.ref)
    return [ref for folder in folders for ref in objects.refs(project.root, folder)]


def forget_sent(project: Project) -> str:
    """Remove all that this clone ever sent from the remote, then switch sharing off; return the name of the remote.

    HoldfastError where nothing was sent, or the remote keeps something.
    """
    require_sent(project)
    sharing = status.load(project.store)
    remote, refs = status.sent_refs(project.store)
    remote = sharing.remote if sharing else remote
    refs = sorted({*refs, *([sharing.ref] if sharing else [])})
    with lock.hold(status.folder(project.store)) if sharing else contextlib.nullcontext():
        try:
            for ref in _left(project, remote, refs):
                remotes.push(project.root, remote, f":{ref}")
            left = _left(project, remote, refs)
        except RemoteError as error:
            reason = safe.line(str(error))
            raise HoldfastError(f"{remote} did not remove it, and nothing changed here: {reason}") from None
    if left:
        raise HoldfastError(f"{remote} still has {left[0]}, and nothing changed here. Ask who keeps it.")
    status.forget_sent(project.store)
    if sharing:
        switch_off(project)
    return remote


def _left(project: Project, remote: str, refs: list[str]) -> list[str]:
    """Return those of the refs that the remote has; RemoteError."""
    listed = remotes.listed(project.root, remote, status.OWN + "*")
    return [ref for ref in refs if ref in listed]


def require_sent(project: Project) -> None:
    """HoldfastError where sessions are not shared and nothing was sent before."""
    if not paths.is_shared(project.store) and not status.sent_refs(project.store)[1]:
        raise HoldfastError("nothing was sent from here. To share sessions type: holdfast share on")


def require_on(project: Project) -> Sharing:
    """Return how sessions are shared; HoldfastError when they are not."""
    sharing = status.load(project.store)
    if sharing is None:
        raise HoldfastError("sessions are not shared here. Type: holdfast share on")
    return sharing
