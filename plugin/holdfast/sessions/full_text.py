"""Full text over journals and state files: the texts of a session's facts, their tokens, and the search for words.

The tables `texts` and `words` of the index are brought up to date by a search. They only name candidates: what fits,
and in which order, is decided here, so that a search without a usable index gives the same answer.
"""

import re
import unicodedata
from typing import NamedTuple

from holdfast.core.fast_json import number_of, text_of
from holdfast.journal import log
from holdfast.journal.session import typed_by_user
from holdfast.sessions import listed

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from holdfast.core.cache import Change, Database
    from holdfast.journal.log import Fact
    from holdfast.sessions.survey import Survey

# Kinds of facts with the key of their text, and what a search calls such a text.
SOURCES = {
    "prompt": ("text", "prompt"),
    "answer": ("text", "answer"),
    "decided": ("text", "decision"),
    "loop": ("title", "question"),
    "named": ("title", "title"),
    "task": ("subject", "task"),
    "plan": ("text", "plan"),
    "child": ("text", "report"),
    "summary": ("text", "summary"),
    "update": ("text", "update"),
    "choice": ("text", "choice"),
    "commit": ("subject", "commit"),
    "edit": ("path", "file"),
    "status": ("text", "note"),
}
STATE = "state"  # the text of a state file
KINDS = (*(called for _, called in SOURCES.values()), STATE)
_WEIGHTS = {"decision": 2.0, "question": 2.0, "title": 2.0, "prompt": 1.5, "plan": 1.5, "task": 1.5, "file": 0.7}
_MARK = "texts "  # before the id of a session, the name under which `marks` has the signature of its journal
_VERSION = "4 "  # before the signature; increase it when tokens or sources change
_PREFIX = 3  # characters of a word that also matches longer words
_LONG = 800  # characters; of two texts in which a word occurs as often, the shorter one is about it

# Scripts without blanks between words, and Korean, whose particles follow a word without one.
_WIDE = (
    "\u0e00-\u0eff\u1000-\u109f\u1100-\u11ff\u1780-\u17ff\u3005-\u3007\u3040-\u30ff\u3130-\u318f\u31f0-\u31ff"
    "\u3400-\u4dbf\u4e00-\u9fff\ua960-\ua97f\uac00-\ud7ff\uf900-\ufaff\uff66-\uff9f\U00020000-\U0003ffff"
)
_MARKS = "\u0300-\u036f\u0483-\u0487\u0591-\u05c7\u0610-\u061a\u064b-\u065f\u0670\u0900-\u0dff\u200c\u200d"
_LETTER = rf"(?:[^\W_{_WIDE}]|[{_MARKS}])"
_RUN = re.compile(rf"([{_WIDE}]+)|({_LETTER}+(?:[_-]+{_LETTER}+)*)")
_JOINT = re.compile(r"[_-]+")
_HUMP = re.compile(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])")
_LAST_WITH_ACCENTS = "\u0530"  # Latin, Greek, Cyrillic; in other scripts a mark is a part of the letter


class Text(NamedTuple):
    """A text that a journal keeps: when (seconds since 1970), its kind (`KINDS`), and the id of its session."""

    at: float
    kind: str
    session: str
    text: str


class Word(NamedTuple):
    """A word to search for: its text without accents, and the lists of tokens that match it when one has them all."""

    text: str
    choices: tuple[tuple[str, ...], ...]


def tokens(text: str) -> list[str]:
    """Return the tokens of a text, each as often as it occurs.

    A run of a script without blanks gives its characters and pairs of them. A word gives itself in lower case, the
    parts of an identifier, and all of these without accents.
    """
    tokens_read: list[str] = []
    for wide, word in _RUN.findall(unicodedata.normalize("NFC", text)):
        tokens_read += _pairs(wide.lower()) if wide else [form for one in _word_tokens(word) for form in _forms(one)]
    return tokens_read


def query(words: str) -> list[Word]:
    """Return what to search for."""
    query_words = []
    for wide, word in _RUN.findall(unicodedata.normalize("NFC", words)):
        if wide:
            run = wide.lower()
            pairs = tuple(run[at : at + 2] for at in range(len(run) - 1)) or (run,)
            query_words.append(Word(run, (pairs,)))
        else:
            whole = folded(_JOINT.sub("", word).lower())
            parts = tuple(folded(part.lower()) for part in _parts(word))
            query_words.append(Word(whole, tuple(dict.fromkeys([(whole,), parts]))))
    return query_words


def folded(word: str) -> str:
    """Return a word without accents, such as "strasse" for "straße"."""
    if word.isascii():
        return word
    kept = ""
    for char in unicodedata.normalize("NFD", word.casefold()):
        accent = unicodedata.combining(char) and kept and kept[-1] < _LAST_WITH_ACCENTS
        kept += "" if accent else char
    return unicodedata.normalize("NFC", kept)


def _forms(token: str) -> list[str]:
    """Return a token, and the same without accents."""
    return [token] if token.isascii() else list(dict.fromkeys([token, folded(token)]))


def _pairs(run: str) -> list[str]:
    """Return the characters of a run, and each two that are beside each other."""
    return [*run, *(run[at : at + 2] for at in range(len(run) - 1))]


def _parts(word: str) -> list[str]:
    """Return the parts of an identifier."""
    return [part for piece in _JOINT.split(word) for part in _HUMP.split(piece) if part]


def _word_tokens(word: str) -> list[str]:
    """Return an identifier as one word, its pieces, and their parts, in lower case, each once."""
    pieces, parts = _JOINT.split(word), _parts(word)
    ends = ("".join(parts[at:]) for at in range(1, len(parts) - 1))  # such as ById of fetchUserById
    return [*dict.fromkeys(one.lower() for one in ["".join(pieces), *pieces, *parts, *ends])]


def texts_of(session: str, facts: "Iterable[Fact]") -> list[Text]:
    """Return the texts in the facts of a session; of equal texts of one kind the last."""
    found: dict[tuple[str, str], Text] = {}
    for fact in facts:
        key, kind = SOURCES.get(fact["kind"], ("", ""))
        text = text_of(fact, key).encode("utf-8", "replace").decode() if key else ""  # half a pair is no text of SQLite
        if text and (kind != "prompt" or typed_by_user(text)):
            found[kind, text] = Text(number_of(fact, "at"), kind, session, text)
    return [*found.values()]


def search(
    survey: "Survey", words: str, shown: "Callable[[list[str]], Iterable[str]]" = iter, kinds: "Sequence[str]" = ()
) -> list[Text]:
    """Return the texts in which all words occur, the best first; if none has all of them, those that have some.

    A state file counts where nothing else of its session fits. `shown` shows the progress while changed journals are
    read. Without `kinds` texts of all kinds count.
    """
    wanted = query(words)
    if not wanted:
        return []
    database = survey.cache.database
    texts = _from_index(database, wanted, shown)
    if texts is None:
        store = database.store
        texts = [text for ident in shown(log.sessions(store)) for text in texts_of(ident, log.read(store, ident))]
    texts += _of_files(survey, wanted)
    ranked = _ranked([text for text in texts if not kinds or text.kind in kinds], wanted, words)
    said = {one.session for one in ranked if one.kind != STATE}
    return [one for one in ranked if one.kind != STATE or one.session not in said]


def _of_files(survey: "Survey", wanted: list[Word]) -> "Iterable[Text]":
    """Yield the state files that may have one of the words, without the untrusted ones that nobody may read here."""
    known = {token for word in wanted for choice in word.choices for token in choice}
    for one in [*(one for one in survey.sessions if one.journaled and one.state), *listed.without_session(survey)]:
        if one.elsewhere or one.state in survey.redacted:
            continue
        lines = one.text().decode("utf-8", "replace").splitlines()
        text = "\n".join(line for line in lines if not line.startswith("<!--"))
        plain = folded(text.lower())
        if any(token in whole for whole in (plain, _JOINT.sub("", plain)) for token in known):
            yield Text(one.last_active, STATE, one.id, text)


def _ranked(texts: list[Text], wanted: list[Word], words: str) -> list[Text]:
    """Return the texts that fit, the best first."""
    phrase = _plain(words)
    scored = [(score, text) for text in texts for score in [_score(text, wanted, phrase)] if score[0]]
    most = max((count for (count, _), _ in scored), default=0)
    fitting = [(points, text) for (count, points), text in scored if count == most]
    return [text for _, text in sorted(fitting, key=lambda one: (-one[0], -one[1].at, one[1][1:]))]


def _score(text: Text, wanted: list[Word], phrase: str) -> tuple[int, float]:
    """Return how many of the words occur in a text, and how much it is about them."""
    counts: dict[str, int] = {}
    for token in tokens(text.text):
        counts[token] = counts.get(token, 0) + 1
    each = [max(_occurs(choice, counts) for choice in word.choices) for word in wanted]
    number = sum(map(bool, each))
    if not number:
        return 0, 0.0
    literal = 1.5 if phrase in _plain(text.text) else 1.0
    length = 1 + len(text.text) / _LONG
    return number, round(sum(each) * literal * _WEIGHTS.get(text.kind, 1.0) / length, 6)


def _occurs(choice: tuple[str, ...], counts: dict[str, int]) -> float:
    """Return how often these tokens occur, at most 3; less for the beginning of a word; 0 if one does not occur."""
    ranks = [min(counts.get(token, 0), 3) or _begins(token, counts) for token in choice]
    return min(ranks) if all(ranks) else 0.0


def _begins(token: str, counts: dict[str, int]) -> float:
    """Return 0.5 if a word begins with the token, else 0."""
    return 0.5 if is_open(token) and any(one.startswith(token) for one in counts) else 0.0


def is_open(token: str) -> bool:
    """Whether a token also matches the words that begin with it."""
    return len(token) >= _PREFIX


def _plain(text: str) -> str:
    """Return a text in lower case and NFC, with single blanks."""
    return " ".join(unicodedata.normalize("NFC", text).lower().split())


def line_with(text: str, words: str) -> str:
    """Return the line of a text in which most of the words occur, the first of several."""
    wanted, phrase = query(words), _plain(words)
    lines = [line.strip() for line in text.splitlines() if line.strip()] or [""]
    return max(lines, key=lambda line: _score(Text(0.0, "", "", line), wanted, phrase)[0])


def _from_index(
    database: "Database", wanted: list[Word], shown: "Callable[[list[str]], Iterable[str]]"
) -> list[Text] | None:
    """Return the texts that may fit, None if the index cannot be used now."""
    signatures = {ident: _VERSION + line for ident, line in log.signatures(database.store).items()}
    marks = database.rows("select name, value from marks where name glob ?", f"{_MARK}*")
    known = {name.removeprefix(_MARK): value for name, value in marks}
    changed = [ident for ident, line in signatures.items() if known.get(ident) != line]
    for ident in known.keys() - signatures.keys():
        database.change(_removal(ident))
    for ident in shown(changed):
        if not database.change(_filling(database.store, ident, signatures[ident])):
            return None
    # The count shows whether the query was answered, and by the database that was filled.
    rows = database.rows(
        "select at, kind, session, text from texts where number in (select rowid from words where words match ?)"
        " union all select count(*), '', '', '' from marks where name glob ?",
        " OR ".join(_expression(word) for word in wanted),
        f"{_MARK}*",
    )
    if not rows or rows[-1] != (len(signatures), "", "", ""):
        return None
    return [Text(*row) for row in rows[:-1]]


def _removal(ident: str) -> "list[Change]":
    """Return what removes a session's texts."""
    return [
        ("delete from words where rowid in (select number from texts where session = ?)", [(ident,)]),
        ("delete from texts where session = ?", [(ident,)]),
        ("delete from marks where name = ?", [(_MARK + ident,)]),
    ]


def _filling(store: str, ident: str, signature: str) -> "list[Change]":
    """Return what replaces a session's texts by those of its journal now."""
    changes = _removal(ident)
    for one in texts_of(ident, log.read(store, ident)):
        changes.append(
            ("insert into texts (at, kind, session, text) values (?, ?, ?, ?)", [(one.at, one.kind, ident, one.text)])
        )
        row = " ".join(dict.fromkeys(map(_ascii, tokens(one.text))))
        changes.append(("insert into words (rowid, tokens) values (last_insert_rowid(), ?)", [(row,)]))
    return [*changes, ("insert or replace into marks values (?, ?)", [(_MARK + ident, signature)])]


def _expression(word: Word) -> str:
    """Return the query of FTS5 for a word; quotes keep its operators out."""
    choices = (" AND ".join(f'"{_ascii(token)}"{"*" * is_open(token)}' for token in choice) for choice in word.choices)
    return " OR ".join(f"({choice})" for choice in choices)


def _ascii(token: str) -> str:
    """Return a token in characters that FTS5 neither drops nor changes; what begins it begins its form, too."""
    return token if token.isascii() else "".join(char if char.isascii() else f"u{ord(char):06x}" for char in token)
