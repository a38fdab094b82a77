"""The arguments of an update (formats/genie-session-state-updater.md): values, --key value, or KEY=VALUE."""

import re

from holdfast.clients import catalogue
from holdfast.core.errors import HoldfastError
from holdfast.hub import update_context
from holdfast.sessions import resume

ACTIONS = {
    "started": "active",
    "in_progress": "active",
    "completed": "completed",
    "waiting": "waiting",
    "paused": "paused",
}
AGENTS = ("implementor", "tests", "git", "genie", "learn", "release", "roadmap")
KEYS = ("action", "agent", "session_id", "purpose", "context", "parent_session", "branch")
_PURPOSE, _BRANCH = 4000, 200  # characters
_IDENT = re.compile(r"(?=.*[A-Za-z0-9])[A-Za-z0-9._-]{1,128}")
_KEY = re.compile(r"(?:(?<=\s)(?<!\\\s)|\A)([A-Za-z_][\w-]*)=")
_QUOTED = re.compile(r"\"((?:[^\"\\]|\\.)*)\"|'([^']*)'", re.DOTALL)
_OPTION = re.compile(r"--[A-Za-z][\w-]*(?:=|\Z)")
_WORD = re.compile(r"\s*(\"(?:[^\"\\]|\\.)*\"(?!\S)|'[^']*'(?!\S)|\S+)")
_ESCAPED = re.compile(r"\\([\s\"'\\$`=])")  # before all else a backslash is one
TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping


class RefusedError(HoldfastError):
    """A request that cannot be carried out, whatever becomes of the hub."""


_EXAMPLE = 'holdfast update action=started agent=implementor session_id=ID purpose="…"'


class Request:
    """The values of an update; "" for one that was not given."""

    __slots__ = ("action", "agent", "branch", "context", "cut", "parent", "purpose", "session")

    def __init__(self, given: "Mapping[str, str]") -> None:
        self.action = given.get("action", "").strip(" ,;").casefold()
        self.agent = given.get("agent", "")
        self.session = given.get("session_id", "")
        self.purpose = update_context.line(given.get("purpose", ""), _PURPOSE)
        self.context = update_context.safe(given.get("context", ""))
        self.parent = given.get("parent_session", "")
        self.branch = update_context.line(given.get("branch", ""), _BRANCH)
        limits = (("purpose", _PURPOSE), ("branch", _BRANCH), ("context", update_context.WHOLE))
        self.cut = [f"{key} was cut at {most:,} characters" for key, most in limits if len(given.get(key, "")) > most]

    @property
    def status(self) -> str:
        """The status that the action means."""
        return ACTIONS[self.action]

    @property
    def given(self) -> "dict[str, object]":
        """The request as a mapping, from which it can be made again."""
        values = (self.action, self.agent, self.session, self.purpose, self.context, self.parent, self.branch)
        return dict(zip(KEYS, values, strict=True))


def read(arguments: tuple[str, ...], own: str = "") -> Request:
    """Return the request in the arguments; `own` is the session id where they give none or an empty one.

    HoldfastError names the argument that cannot be used and the ones that can.
    """
    given = _pairs(arguments)
    for key, _ in given:
        if key not in KEYS:
            raise HoldfastError(f"unknown parameter {key!r}. Known: {', '.join(KEYS)}. A value with an = is quoted.")
    fields = dict(given)
    if len(fields) < len(given):
        twice = next(key for number, (key, _) in enumerate(given) if key in dict(given[:number]))
        raise HoldfastError(f"the parameter {twice} is given twice. Give it once.")
    return _valid(Request({**fields, "session_id": fields.get("session_id", "").strip() or own}))


def _pairs(arguments: tuple[str, ...]) -> list[tuple[str, str]]:
    """Return keys and values: of options, of values in the order of `KEYS`, and of KEY=VALUE."""
    options, rest = _options(arguments)
    values, left = _positional(rest)
    if len(values) > len(KEYS):
        raise HoldfastError(f"{values[len(KEYS)][:80]!r} is one value too many. Their order: {', '.join(KEYS)}.")
    return [*options, *zip(KEYS, values, strict=False), *_keyed(left)]


def _options(arguments: tuple[str, ...]) -> tuple[list[tuple[str, str]], tuple[str, ...]]:
    """Return the keys and values of `--key value` and `--key=value`, and the other arguments."""
    options, rest, left = [], [], iter(arguments)
    for argument in left:
        if not _OPTION.match(argument):
            rest.append(argument)
            continue
        name, given, value = argument[2:].partition("=")
        options.append((name.replace("-", "_"), value if given else next(left, "")))
    return options, tuple(rest)


def _positional(arguments: tuple[str, ...]) -> tuple[list[str], tuple[str, ...]]:
    """Return the values that are without a key before all others, and the other arguments.

    They begin with an action: other words are a mistake.
    """
    values: list[str] = []
    if len(arguments) == 1:
        whole, at = arguments[0], 0
        while (word := _WORD.match(whole, at)) and not _KEY.match(whole, word.start(1)):
            values.append(_value(f"{word[1]}", 0)[0])
            at = word.end()
        arguments = (whole[at:],) if whole[at:].strip() or not values else ()
    else:
        count = next((at for at, one in enumerate(arguments) if _KEY.match(one)), len(arguments))
        values, arguments = list(arguments[:count]), arguments[count:]
    if values and values[0].strip(" ,;").casefold() not in ACTIONS:
        raise HoldfastError(f"{values[0].strip()[:80]!r} is not KEY=VALUE. Type: {_EXAMPLE}")
    return values, arguments


def _keyed(arguments: tuple[str, ...]) -> list[tuple[str, str]]:
    """Return keys and values: of arguments that the shell unquoted, or of one string, even if split at its blanks."""
    whole = len(arguments) > 1 and all(_KEY.match(argument) for argument in arguments)
    if not whole:
        return _split(" ".join(arguments))
    return [(key, value) for key, _, value in (argument.partition("=") for argument in arguments)]


def _split(whole: str) -> list[tuple[str, str]]:
    """Return keys and values of one string: a value is quoted, or goes on to the next key, blanks and all."""
    pairs = []
    at = 0
    while key := _KEY.search(whole, at):
        if whole[at : key.start()].strip():
            raise HoldfastError(f"{whole[at : key.start()].strip()[:80]!r} is not KEY=VALUE. Type: {_EXAMPLE}")
        value, at = _value(whole, key.end())
        pairs.append((key[1], value))
    if whole[at:].strip():
        raise HoldfastError(f"{whole[at:].strip()[:80]!r} is not KEY=VALUE. Type: {_EXAMPLE}")
    return pairs


def _value(whole: str, at: int) -> tuple[str, int]:
    """Return the value that begins at an offset, and where it ends."""
    quoted = _QUOTED.match(whole, at)
    if quoted and (quoted.end() == len(whole) or whole[quoted.end()].isspace()):
        double = quoted[1]
        return (_ESCAPED.sub(r"\1", double) if double is not None else quoted[2]), quoted.end()
    following = _KEY.search(whole, at)
    end = following.start() if following else len(whole)
    return _ESCAPED.sub(r"\1", whole[at:end].strip()), end


def _valid(request: Request) -> Request:
    """Return a request that can be carried out; HoldfastError says what is wrong with it."""
    if request.action not in ACTIONS:
        given = repr(request.action) if request.action else "missing"
        raise HoldfastError(f"action is {given}. Give one of: {', '.join(ACTIONS)}. Type: {_EXAMPLE}")
    for key, ident in (("session_id", request.session), ("parent_session", request.parent)):
        if ident and not _IDENT.fullmatch(ident):
            raise HoldfastError(f"{key} {ident[:80]!r} is not an id. Give a UUID, or letters, digits, -, _ and . only.")
        if ident and resume.nameless(ident):
            raise HoldfastError(f"{key} {ident!r} is a placeholder. Give the session's id. Type: {_EXAMPLE}")
    if not request.session:
        raise HoldfastError(f"session_id is missing. Give the session's id. Type: {_EXAMPLE}")
    if request.parent == request.session:
        raise HoldfastError("parent_session is the session itself. Give the id of the one that started it.")
    return request


def check_agent(agent: str, more: tuple[str, ...], present: str) -> None:
    """Refuse an agent that is neither documented nor named in the settings, nor the entry's `present` agent."""
    own = (client.SHORT.lower() for client in catalogue.every())  # what the hub calls clients' own sessions
    known = (*AGENTS, *more, *own)
    if agent and agent not in {*known, present}:
        raise RefusedError(
            f"agent {agent[:80]!r} is not known. Known: {', '.join(known)}. "
            'More are named in .agents/holdfast.toml: agents = ["…"]'
        )
