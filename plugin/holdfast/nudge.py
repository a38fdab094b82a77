"""The nudge: a line to the user when a state file has fallen behind, and with the next prompt one to Claude.

Evidence decides, never the clock. Most Stops end with a few looks at the file system: what was heard since the last
real look says how far behind the file can be at the most, and only where that would be news is it compared.
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


def at_stop(body: "Payload", place: "Place", now: float) -> str:
    """Return a line for the user where the session's state file has fallen behind, or further than he was told; or "".

    What cannot be noted is not told: it would be at every Stop.
    """
    path = journal.held(place.store, body.session) if place.store and not body.agent else ""
    look = _last(place, body.session, path) if path else None
    if look is None:
        return ""
    news = Heard(place, body.session, look)
    wanted = look.limit if news.written else look.wanted
    if news.most < wanted or look.prompts + news.prompts < heard.APART:
        return ""
    from holdfast import behind

    found = behind.look(place, body.session, now)
    return _told(place, body.session, _compared(look, news, found), found) if found else ""


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


def _told(place: "Place", session: str, look: Look, found: "Behind") -> str:
    """Keep a look, and return what the user is told of it."""
    news = found.reaches(look.wanted)
    if news:
        look.told, look.prompts = found.points, 0
    if not _remember(place.store, session, look) or not news or not _owe(place.store, session):
        return ""
    from holdfast import behind

    return behind.for_user(found)


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
