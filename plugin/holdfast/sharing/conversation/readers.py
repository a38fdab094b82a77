"""Who can read the conversations that this clone sends: the user, and trusted people whom the user names."""

from holdfast.core.errors import HoldfastError
from holdfast.sharing import people
from holdfast.sharing.conversation.sealed import KINDS

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

    from holdfast.project.paths import Project

OWN = "your own key"


def chosen(project: "Project", requested: "Iterable[str]") -> dict[str, str]:
    """Return name -> public SSH key of the user and of the trusted people with these words in their name or key.

    HoldfastError when one of them has no key that age can encrypt to, or when words do not mean one person.
    """
    own = next((key for key in people.own_keys(project.root) if key.startswith(KINDS)), "")
    if not own:
        known = "of another kind" if people.own_keys(project.root) else "missing"
        raise HoldfastError(
            f"your signing key is {known}; conversations are encrypted to one of {' or '.join(KINDS)}. "
            "Type: git config --global user.signingkey ~/.ssh/id_ed25519.pub"
        )
    return {OWN: _plain(own), **dict(_reader(project, words) for words in requested)}


def _reader(project: "Project", words: str) -> tuple[str, str]:
    known = people.trusted(project.store).values()
    found = [one for one in known if words in one["print"] or words.casefold() in one["name"].casefold()]
    if len(found) != 1:
        many = f"{len(found)} trusted people have" if found else "no trusted person has"
        raise HoldfastError(f"{many} {words!r} in name or key. To see them type: holdfast trust --person")
    (person,) = found
    if not person["key"].startswith(KINDS):
        raise HoldfastError(f"{person['name']} has a key of another kind than {' or '.join(KINDS)}.")
    return person["name"], _plain(person["key"])


def names(project: "Project", keys: "Iterable[str]") -> list[str]:
    """Return the names of people for their keys; the fingerprint of a key whose person is not trusted any more."""
    known = {mark: one["name"] for mark, one in people.trusted(project.store).items()}
    own = people.own_prints(project.root)
    marks = [people.fingerprint(key) for key in keys]
    return [OWN if mark in own else known.get(mark, mark) for mark in marks]


def _plain(key: str) -> str:
    """Return kind and text of a key, without its comment."""
    return " ".join(key.split()[:2])
