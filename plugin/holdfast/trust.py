"""The files whose text nobody has accepted here: what is told of each, and how one is accepted."""

import os

from holdfast import clock, files, git, paths, provenance, sessions, text
from holdfast.cache import Cache
from holdfast.errors import HoldfastError
from holdfast.paths import Place

_SHOWN = 6000  # characters of a text
_UNKNOWN = ("", "", 0.0)


class Stranger:
    """One file with a text from elsewhere: its name in the project, title and status, and who committed it last."""

    __slots__ = ("at", "author", "data", "name", "path", "status", "subject", "title")

    def __init__(self, place: Place, path: str, title: str, status: str) -> None:
        home = paths.locate(os.path.dirname(path))
        self.path = path
        self.name = text.line(place.relative(path) or path, 300)
        self.title = text.line(title, 80)
        self.status = text.line(status, 40)
        self.data = files.read(path)  # what is shown is what is accepted, whatever stands there by then
        told = git.last(home.root, home.relative(path)) or _UNKNOWN
        self.author, self.subject, self.at = text.line(told[0], 60), text.line(told[1], 80), told[2]

    def line(self, now: float) -> str:
        """Return it in a line, without its text."""
        status = f"; {self.status}" if self.status else ""
        origin = f'"{self.subject}" by {self.author}, {clock.ago(now - self.at)}' if self.at else "no commit known"
        return f'{self.name}: "{self.title}"{status}; {len(self.data)} bytes; last commit: {origin}'

    def row(self) -> dict[str, object]:
        """Return it as JSON gives it, without its text."""
        return {
            "path": self.name,
            "title": self.title,
            "status": self.status,
            "size": len(self.data),
            "author": self.author,
            "subject": self.subject,
            "committed": clock.write(self.at) if self.at else "",
        }

    def text(self) -> str:
        """Return its text as people may look at it: no control characters, a mark before each line, and what is cut."""
        whole = text.plain(self.data.decode("utf-8", "replace"))
        left = f"\n({len(whole) - _SHOWN} more characters: read {self.name} itself)" if len(whole) > _SHOWN else ""
        return "\n".join(f"> {line}".rstrip() for line in whole[:_SHOWN].splitlines()) + left

    def accept(self) -> None:
        """Accept the text that was shown."""
        provenance.accept(self.path, self.data)


def strangers(place: Place, now: float) -> list[Stranger]:
    """Return the files of a project whose text nobody has accepted."""
    survey = sessions.survey(place, now, guarded=True)
    known = {session.state: session for session in survey.sessions}
    found = []
    for path in survey.foreign:
        one = known.get(path)
        found.append(Stranger(place, path, one.title if one else os.path.basename(path), one.status if one else ""))
    return found


def named(place: Place, wanted: tuple[str, ...], now: float) -> tuple[list[Stranger], list[str]]:
    """Return those files that are meant by these paths, and the names of those that are accepted already."""
    known = {one.path: one for one in strangers(place, now)}
    found, accepted = [], []
    for word in wanted:
        path = _there(place, word)
        if path in known:
            found.append(known[path])
        elif provenance.Judge(Cache(place.store)).foreign([path]):
            found.append(Stranger(place, path, os.path.basename(path), ""))
        else:
            accepted.append(text.line(word, 300))
    return found, accepted


def _there(place: Place, word: str) -> str:
    """Return the path of a plain file that is meant from here, or from the root of the project."""
    for path in (os.path.abspath(word), os.path.normpath(os.path.join(place.root, word))):
        if os.path.isfile(path) and not os.path.islink(path):
            return path
    raise HoldfastError(f"{text.line(word, 300)} is no file here. Type: holdfast trust")
