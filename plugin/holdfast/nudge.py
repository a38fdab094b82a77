"""The nudge: a line to the user when a state file has fallen behind, and with the next prompt one to Claude.

Evidence decides, never the clock. The settle behind a Stop looks, while nobody waits, and leaves the line for the next
Stop. Most of them end with a few looks at the file system: what was heard since the last real look says how far behind
the file can be at the most, and only where that would be news is it compared.
"""

import os

from holdfast import codec, files, heard, journal, paths
from holdfast.heard import Heard, Look

TYPE_CHECKING = False
if TYPE_CHECKING:
    from holdfast.behind import Behind
    from holdfast.paths import Place
    from holdfast.payload import Payload

_PROMPT = 400  # characters of a prompt that are looked at


def look(place: "Place", session: str, now: float) -> None:
    """Leave a line for the next Stop where a session's state file has fallen behind, or further than the user was told.

    As long as one waits there is nothing to look for.
    """
    path = journal.held(place.store, session) if place.store else ""
    last = _last(place, session, path) if path else None
    if last is None or last.line:
        return
    news = Heard(place, session, last)
    wanted = last.limit if news.written else last.wanted
    if news.most < wanted or last.prompts + news.prompts < heard.APART:
        return
    from holdfast import behind

    found = behind.look(place, session, now)
    if found:
        after = _compared(last, news, found)
        after.line = behind.for_user(found) if found.reaches(after.wanted) else ""
        _remember(place.store, session, after)


def at_stop(body: "Payload", place: "Place") -> str:
    """Return the line that waits for the user, "" for none, and for one that is true no more: the file was written.

    What cannot be noted is not told: it would be at every Stop.
    """
    last = heard.read(place.store, body.session) if place.store and not body.agent else None
    if last is None or not last.line:
        return ""
    news, line, last.line = Heard(place, body.session, last), last.line, ""
    if news.written or journal.held(place.store, body.session) != last.path or not os.path.lexists(last.path):
        _remember(place.store, body.session, last)
        return ""
    last.told, last.prompts = last.points, -news.prompts  # those until now were before he was told
    told = _remember(place.store, body.session, last) and _owe(place.store, body.session)
    return line if told else ""


def _compared(look: Look, news: Heard, found: "Behind") -> Look:
    """Return what a look came to; where the file was written since the one before, nothing of it was told yet."""
    after = Look(look.path)
    after.read, after.moves = news.read, news.moves
    after.limit, after.points, after.asked = found.limit, found.points, found.asked
    after.over, after.open = found.over, [*found.open]
    after.since = max(found.since, look.since)  # a person's save cannot be told from a settle's once it is staged
    after.told = 0 if found.since > look.since else look.told
    after.prompts = look.prompts + news.prompts
    return after


def at_prompt(body: "Payload", place: "Place", now: float) -> str:
    """Return what Claude is told beside the first prompt of a person's own after the user was told; "" for any other.

    It is compared anew: what the settle behind the Stop has written is not told. Nothing is, where the file was written
    meanwhile, or where the prompt brings the whole report along.
    """
    from holdfast import behind, recovery
    from holdfast.session import typed

    prompt = " ".join(body.text("prompt")[:_PROMPT].split())
    if not place.store or body.agent or not typed(prompt) or not _forgive(place.store, body.session):
        return ""
    look = heard.read(place.store, body.session)
    if look is None or journal.held(place.store, body.session) != look.path or recovery.asked(prompt):
        return ""
    found = behind.look(place, body.session, now, calls=True)
    return behind.for_claude(found) if found and found.marked and found.since <= look.since else ""


def _last(place: "Place", session: str, path: str) -> "Look | None":
    """Return the last look at a session's state file, a first one where there was none; None where none can be kept."""
    known = heard.read(place.store, session)
    if known and known.path == path:
        return known
    from holdfast import behind

    look = Look(path)
    look.limit, look.points = behind.limit(place), heard.UNSEEN
    if known:  # of the file that it has now nobody knows what it says
        _forgive(place.store, session)
        look.points = heard.ENOUGH
        look.read, look.moves, look.prompts, look.open = known.read, known.moves, known.prompts, known.open
    return look if _remember(place.store, session, look) else None


def _remember(store: str, session: str, look: Look) -> bool:
    """Keep a look; whether that worked."""
    kept = {name: getattr(look, name) for name in Look.__slots__}
    try:
        os.makedirs(store + heard.FOLDER, exist_ok=True)
        return files.write_atomic(store + heard.FOLDER + session, codec.dumps(kept).encode())
    except OSError:
        return False


def _owe(store: str, session: str) -> bool:
    """Note that Claude is to be told; whether that worked."""
    try:
        return files.write_atomic(paths.owed_file(store, session), b"")
    except OSError:
        return False


def _forgive(store: str, session: str) -> bool:
    """Note that Claude is told, or is not to be; whether he was to be, and that worked."""
    try:
        os.unlink(paths.owed_file(store, session))
    except OSError:
        return False
    return True
