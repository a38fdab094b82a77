"""The command `trust`: shows what a clone brings to the user, who may say that Claude reads it."""

import os
import sys

import click

from holdfast.actions import accept as accepting
from holdfast.actions.accept import UntrustedFile
from holdfast.cli import screen
from holdfast.cli.app import cli, print_json, require_worktree, say, say_nothing, warn
from holdfast.cli.output import HEADER, is_json, report, reports
from holdfast.context.short_lists import counted
from holdfast.core.errors import HoldfastError
from holdfast.project import paths
from holdfast.project.paths import Project
from holdfast.sessions.workspace import Workspace
from holdfast.sharing import known_machines, people
from holdfast.sharing.exchange import exchange
from holdfast.trust import clone, safe

TYPE_CHECKING = False
if TYPE_CHECKING:
    from holdfast.sharing.people import Person


_ALL_TRUSTED = "This clone is trusted. To take that back: holdfast trust --off"
_BRINGS_NOTHING = "Nothing here waits for a yes of yours."


@cli.command("trust")
@click.argument("names", metavar="[PATH]...", nargs=-1)
@click.option("--off", is_flag=True, help="Trust this clone no more.")
@click.option("--person", is_flag=True, help="List or trust people, whose sessions on other machines are read.")
@click.option("--revoke", is_flag=True, help="With --person: stop trusting this person.")
@click.option("-y", "--yes", is_flag=True, help="Say yes without a question.")
@HEADER
@reports
@click.pass_obj
def trust(  # noqa: PLR0913 - one for each option
    workspace: Workspace,
    *,
    names: tuple[str, ...],
    off: bool,
    person: bool,
    revoke: bool,
    yes: bool,
) -> int:
    """Show what this clone brings, and trust it: Claude then reads its state files. With PATH: print these texts.

    The yes counts for this clone and its worktrees, on this machine. Settings that a pull changes ask again.
    """
    project = workspace.project
    require_worktree(project)
    if person:
        return manage_people(workspace, names, yes=yes, revoke=revoke)
    if off:
        return _off(project)
    if names:
        _show(*accepting.named(workspace, names), workspace.now)
        return 0
    untrusted_files = accepting.untrusted_files(workspace)
    if yes or (sys.stdin.isatty() and screen.size() and not is_json()):
        return _accept(project, untrusted_files, workspace.now, yes=yes)
    return _list(project, untrusted_files, workspace.now)


def _off(project: Project) -> int:
    """Take the trust in a clone back, and print what was done."""
    if clone.output_reaches_claude():
        raise HoldfastError("only a person changes what is trusted. The user types this in a terminal of their own")
    done = clone.revoke(project)
    report(
        {"trusted": clone.is_trusted(project), "changed": done},
        "This clone is trusted no more." if done else "This clone was not trusted; nothing changed.",
    )
    return 0


def _list(project: Project, untrusted_files: list[UntrustedFile], now: float) -> int:
    """Print the files without their texts, and how to trust them; less of this if Claude reads the output."""
    if clone.output_reaches_claude():
        untrusted_files = [
            file.anonymous(named=number < clone.NAMES_SHOWN) for number, file in enumerate(untrusted_files)
        ]
    if is_json():
        print_json([file.row() for file in untrusted_files])
        return 0
    if not untrusted_files:
        say_nothing(_ALL_TRUSTED if clone.is_trusted(project) else _BRINGS_NOTHING)
        return 0
    if clone.output_reaches_claude():
        click.echo(_summary(untrusted_files))
        return 0
    if screen.size():
        say(*(file.line(now) for file in untrusted_files))
    else:
        rows = [[str(value) for value in file.row().values()] for file in untrusted_files]
        click.echo("\n".join(screen.tabbed([key.upper() for key in untrusted_files[0].row()], rows)))
    say_nothing("Read one: holdfast trust PATH; trust this clone: holdfast trust --yes")
    return 0


def _show(untrusted_files: list[UntrustedFile], accepted: list[str], now: float) -> None:
    """Print the files with their texts; only their number and short names if Claude reads the output."""
    for name in accepted:
        click.echo(f"{name} is trusted already.")
    if untrusted_files and clone.output_reaches_claude():
        click.echo(_summary(untrusted_files))
        return
    for file in untrusted_files:
        click.echo(f"{file.line(now)}\n{file.text()}\n")


def _summary(untrusted_files: list[UntrustedFile]) -> str:
    """Return how many files there are, and the short names of three."""
    kept = clone.kept_back([file.path for file in untrusted_files])
    return f"{kept}.\nThe user reads them and says yes in a terminal: {_typed()}"


def _typed() -> str:
    """Return the line that trusts this clone in a terminal, wherever that is opened."""
    command = paths.typed_elsewhere()
    return f"{command} trust" if command == "holdfast" else f"{command} -C {safe.shell(os.getcwd())} trust"


def _accept(project: Project, untrusted_files: list[UntrustedFile], now: float, *, yes: bool) -> int:
    """Trust the clone if the user says so, and return the exit code. Claude cannot say so."""
    if clone.output_reaches_claude():
        return _refuse(project, untrusted_files, now, "A person says yes, in a terminal of their own.")
    if clone.is_trusted(project) and not untrusted_files:
        return _list(project, untrusted_files, now)
    if not yes:
        say(*(file.line(now) for file in untrusted_files))
        what = (
            f"Let Claude read {counted(len(untrusted_files), 'file')} of this clone"
            if untrusted_files
            else "Trust this clone"
        )
        if not click.confirm(f"{what}, and what is written here later?"):
            return _refuse(project, untrusted_files, now, "")
    accepting.accept(project, untrusted_files)
    if is_json():
        print_json([{**file.row(), "accepted": True} for file in untrusted_files])
    else:
        names = ", ".join(file.name for file in untrusted_files)
        say(f"This clone is trusted{': ' if names else ''}{names}. To take that back: holdfast trust --off")
    return 0


def _refuse(project: Project, untrusted_files: list[UntrustedFile], now: float, reason: str) -> int:
    """Print why nothing was trusted, and return the exit code."""
    if is_json():
        _list(project, untrusted_files, now)
    warn(f"nothing was changed. {reason}".rstrip())
    return 1


_NOBODY = "No other machine has sent anything signed. Type: holdfast share now"
_HEADINGS = ("NAME", "EMAIL", "KEY", "TRUSTED")


def manage_people(workspace: "Workspace", names: tuple[str, ...], *, yes: bool, revoke: bool) -> int:
    """List the people who signed what other machines sent, or trust the one who is meant; return the exit code."""
    project = workspace.project
    if not paths.is_shared(project.store):
        raise HoldfastError("sessions are not shared here. Type: holdfast share on")
    known = _known(workspace)
    if not names:
        _list_people(known)
        return 0
    person = _meant(known, " ".join(names))
    if clone.output_reaches_claude():
        warn("nothing was changed. A person does this in a terminal of their own.")
        return 1
    if revoke:
        people.revoke(project.store, person["print"])
    elif not _agreed(person, yes=yes):
        warn("nobody was trusted.")
        return 1
    else:
        people.accept(project.store, person)
    exchange.read_again(workspace)
    is_trusted = person["print"] in people.trusted(project.store)
    if is_json():
        print_json([_row(person, trusted=is_trusted)])
    else:
        says = "trusted here: for state files, not for settings" if is_trusted else "not trusted here any more"
        say(f"{_name(person)} is {says}.")
    return 0


def _known(workspace: "Workspace") -> "dict[str, tuple[Person, bool]]":
    """Return each person with a key, by its fingerprint, and whether they are trusted. The user is not among them."""
    store = workspace.project.store
    trusted = people.trusted(store)
    found = {mark: (person, True) for mark, person in trusted.items()}
    for one in known_machines.machines(store).values():
        mark = people.fingerprint(one.key)
        if mark and mark not in found:
            person: Person = {"name": one.name, "email": one.email, "print": mark, "key": one.key}
            found[mark] = person, False
    return {mark: one for mark, one in found.items() if mark not in people.own_prints(workspace.project.root)}


def _meant(known: "dict[str, tuple[Person, bool]]", words: str) -> "Person":
    """Return the only person with these words in name, address or fingerprint; HoldfastError if there is not one."""
    found = [one for one, _ in known.values() if words in one["print"] or words.casefold() in _name(one).casefold()]
    if len(found) == 1:
        return found[0]
    problem = (
        f"{len(found)} people have {words!r} in name or key." if found else f"nobody has {words!r} in name or key."
    )
    raise HoldfastError(f"{problem} To see them type: holdfast trust --person")


def _agreed(person: "Person", *, yes: bool) -> bool:
    """Whether the user trusts a person; the key is what is trusted, and anybody can claim a name."""
    if yes:
        return True
    if not sys.stdin.isatty():
        return False
    say(f"{_name(person)} claims this name; the key is {person['print']}. Compare it with what they tell you.")
    return click.confirm("Let Claude read what this key signs?")


def _name(person: "Person") -> str:
    return safe.line(f"{person['name']} <{person['email']}>", 200)


def _row(person: "Person", *, trusted: bool) -> "dict[str, object]":
    return {"name": person["name"], "email": person["email"], "key": person["print"], "trusted": trusted}


def _list_people(known: "dict[str, tuple[Person, bool]]") -> None:
    if is_json():
        print_json([_row(person, trusted=trusted) for person, trusted in known.values()])
        return
    if not known:
        say_nothing(_NOBODY)
        return
    rows = [
        (safe.line(one["name"], 60), safe.line(one["email"], 100), one["print"], "yes" if trusted else "no")
        for one, trusted in known.values()
    ]
    if screen.size():
        say(
            *(
                f"{name} <{email}>, {'trusted' if word == 'yes' else 'not trusted'}: {key}"
                for name, email, key, word in rows
            )
        )
        say_nothing("Trust one: holdfast trust --person NAME")
    else:
        click.echo("\n".join(screen.tabbed(_HEADINGS, rows)))
