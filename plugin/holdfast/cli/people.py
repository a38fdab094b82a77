"""`holdfast trust --person`: whose sessions on other machines are reported with their text."""

import sys

import click

from holdfast.cli import screen
from holdfast.cli.app import print_json, say, say_nothing, warn
from holdfast.core.errors import HoldfastError
from holdfast.sharing import known_machines, people, status
from holdfast.sharing.exchange import exchange
from holdfast.trust import clone, safe

TYPE_CHECKING = False
if TYPE_CHECKING:
    from holdfast.sessions.workspace import Workspace
    from holdfast.sharing.people import Person

_NOBODY = "No other machine has sent anything signed. Type: holdfast share now"
_HEADINGS = ("NAME", "EMAIL", "KEY", "TRUSTED")


def run(  # noqa: PLR0913 - one for each option
    workspace: "Workspace", names: tuple[str, ...], output: str, *, yes: bool, revoke: bool, header: bool
) -> int:
    """List the people who signed what other machines sent, or trust the one who is meant; return the exit code."""
    project = workspace.project
    if not status.is_on(project.store):
        raise HoldfastError("sessions are not shared here. Type: holdfast share on")
    known = _known(workspace)
    if not names:
        _list(known, output, header=header)
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
    if output == "json":
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


def _list(known: "dict[str, tuple[Person, bool]]", output: str, *, header: bool) -> None:
    if output == "json":
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
        click.echo("\n".join(screen.tabbed(_HEADINGS, rows, header=header)))
