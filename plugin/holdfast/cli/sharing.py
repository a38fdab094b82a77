"""The commands `share …`: sessions of several machines, through refs of git."""

import click

from holdfast.cli import screen
from holdfast.cli.app import cli, print_json, say, say_nothing, warn
from holdfast.cli.output import is_json, report, reports
from holdfast.context.short_lists import counted
from holdfast.core import clock, fast_json
from holdfast.core.errors import HoldfastError
from holdfast.git import remotes
from holdfast.sessions import survey as sessions
from holdfast.sessions.workspace import Workspace
from holdfast.sharing import content, known_machines, machine, own_ref, people, status
from holdfast.sharing.exchange import exchange, switch
from holdfast.trust import clone, safe

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from holdfast.sharing.exchange.exchange import Outcome
    from holdfast.sharing.status import Sharing

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
    name = switch.choose(project, remote)
    _agree(project.root, name, yes=yes)
    sharing = switch.turn_on(project, name)
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
    remote = sharing.remote if sharing else switch.choose(project, "")
    survey = sessions.survey(workspace, guarded=True)
    texts = content.of_survey(survey)
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
    signed = bool(people.signing(workspace.project.root))
    say(
        *_times(sharing, workspace.now),
        f"This machine: {machine.short(sharing.machine)}. Others: {counted(_machines(workspace), 'machine')}.",
        *(safe.line(note, 300) for note in sharing.notes),
        *([] if signed else [_UNSIGNED]),
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
    done = switch.turn_off(workspace.project)
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
    switch.require_sent(workspace.project)
    if not yes and not (screen.can_ask() and click.confirm("Remove all that this clone has shared from the remote?")):
        raise HoldfastError("nothing was removed. To remove it without a question: holdfast share forget --yes")
    remote = switch.forget(workspace.project)
    report({"on": False, "remote": remote}, f"{remote} has nothing of this clone any more, and sharing is off.")
