"""What was said in a session, in its own words: quotes from prompts and from the last answer of each turn.

Nothing here decides what a sentence means. `replies` has what a person answered to questions.
"""

from holdfast.core.patterns import pattern
from holdfast.core.words import words
from holdfast.journal.phrases import QUOTING, SAYING, SPEAKING

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

_STOPS, _WIDE_STOPS = ".!?", "\u3002\uff01\uff1f"  # after a wide one no blank follows
STOPS = (*_STOPS, *_WIDE_STOPS)
_ASKING = ("?", "\uff1f")
# Polite forms that ask without a question mark, and what only agrees with such an ending.
_ASKING_FORMS = tuple(f"{form}\u304b\u3002" for form in ("です", "ます", "でしょう", "ましょう", "ません"))
_AGREEING = ("そうですか。", "なるほどですか。")
_NEEDING = (
    *("i need to know", "i have to know", "i need you to", "please tell me", "please decide", "tell me which"),
    *("ich muss wissen", "ich müsste wissen", "sag mir bitte", "bitte entscheide", "preciso saber", "me diga qual"),
    *("necesito saber", "dime cuál", "j'ai besoin de savoir", "dis-moi quel", "devo sapere"),
)
_NEEDING_MOST = 24
_CLOSING = "\"')]*_`\u201d\u300d "
SHORT = 45  # characters of a question that is quoted with what precedes it
LABEL = (":", "\uff1a")
_ADDRESSES = 2  # lines with an address that are kept
_FENCE = "```"
_BETWEEN_CLAUSES = ",.!?;\uff0c\u3001\u3002\uff01"
_ABBREVIATIONS = frozenset(
    """
    e.g. i.e. etc. vs. cf. ca. approx. z.b. d.h. u.a. u.u. i.d.r. s.o. s.u. lt. bzw. usw. ggf. evtl. vgl. inkl. sog. st.
    p.ex. p.ej. ex. mr. mrs. ms. dr. drs. prof. hr. fr. dra. sr. sra. srta. dott. sig. mme. mlle. mm. jr. a.m. p.m.
    """.split()  # noqa: SIM905 - a list of words in several languages
)
_BEFORE_NUMBERS = frozenset(["no.", "nr.", "núm.", "art.", "abs.", "fig.", "pág.", "p.", "pp.", "vol."])
_BEFORE_DAYS = frozenset(["am", "zum", "vom", "bis", "ab", "seit", "den", "dem", "der", "das", "im", "nach", "vor"])
_BEFORE_LETTERS = frozenset(["option", "plan", "variante", "variant", "opção", "opción", "take", "use"])
_WRAPPED = (55, 100)  # columns of a line that may have been broken
_ENDING, _BEGINNING = (":", ";", "|", "\uff1a"), ("#", ">", "|", "`", "<", "$", "[", "{", "+")  # of lines that were not
_QUOTES = (('"', '"'), ("\u201c", "\u201d"), ("\u201e", "\u201c"), ("\u00ab", "\u00bb"), ("\u300c", "\u300d"))
_LABEL_WIDTH = 24  # columns of a text in quotation marks that is a name rather than words of somebody
_PASTED = (">", "$ ", "at ", 'File "', "Traceback", "+++ ", "--- ", "@@ ")
_SHELL = pattern(r"[\w.-]+[@:][\w.:~/-]*[#$%] ")  # what a terminal writes before a command
_TIMED = pattern(r"^(?:real|user|sys)\s+[\dms.]+s\b")  # and after one that was timed
_LEVELS = frozenset(
    ["ERROR", "WARNING", "WARN", "INFO", "DEBUG", "FATAL", "TRACE", "FAILED", "PASSED", "E", "W", "npm"]
)


API_ERROR = "an API error ("  # how the fact of a turn begins that ended with one


class Turn:
    """A prompt of a person and the last answer to it; `answer` is "" while none came. Times in seconds since 1970.

    `why` is what Claude said before its edits in the turn, in short.
    """

    __slots__ = ("answer", "answered", "at", "prompt", "why")

    def __init__(self, at: float, prompt: str, answered: float = 0.0, answer: str = "", why: str = "") -> None:
        self.at, self.prompt = at, prompt
        self.answered, self.answer, self.why = answered, answer, why


def turns(prompts: "Iterable[tuple[float, str]]", answers: "Iterable[tuple[float, str]]") -> list[Turn]:
    """Return the turns of a session in order: each prompt with the last answer before the next prompt.

    An answer before any prompt makes a turn with the prompt "". That a turn ended with an error answers nothing: what
    was said before it is where the work stands.
    """
    said = ((at, 1, text) for at, text in answers if not text.startswith(API_ERROR))
    events = [*((at, 0, text) for at, text in prompts), *said]
    made: list[Turn] = []
    for at, is_answer, text in sorted(events, key=lambda event: event[:2]):
        if not is_answer or not made:
            made.append(Turn(at, "" if is_answer else text))
        if is_answer:
            made[-1].answered, made[-1].answer = at, text
    return made


def clauses(text: str) -> list[str]:
    """Return the parts of a text between its marks of punctuation."""
    for mark in _BETWEEN_CLAUSES:
        text = text.replace(mark, "\n")
    return text.splitlines()


def is_of_others(sentence: str) -> bool:
    """Whether a sentence says what somebody else says or wants, such as "my boss says never on Fridays"."""
    its = words(next(iter(clauses(sentence)), ""))
    return bool(its) and its[0] not in SPEAKING and bool(SAYING.intersection(its[1:4]))


def own(prompt: str) -> str:
    """Return what a person says in a prompt: without code, quoted lines, pasted logs and quotes of several words.

    What follows a line such as "you said:" is of others, too.
    """
    lines = without_code(without_terminal(prompt)).splitlines()
    leads = [at for at, line in enumerate(lines, 1) if _leads(line, lines[at:])]
    shown = [_TIMED.sub("", line) for line in lines[: min(leads, default=len(lines))]]
    text = "\n".join(line for line in shown if not _is_pasted(line.strip()))
    for opening, closing in _QUOTES:
        text = outside(text, opening, closing)
    return text


def without_terminal(text: str) -> str:
    """Return what a person says after what is pasted from a terminal: below a blank line, or after a measured time."""
    lines = text.strip().splitlines()
    if not _SHELL.match(text.strip()):
        return text
    last = max(at for at, line in enumerate(lines) if _SHELL.match(line))
    ends = [at for at, line in enumerate(lines) if at > last and (_TIMED.match(line) or not line.strip())]
    return "\n".join(_TIMED.sub("", line) for line in lines[ends[-1] :]).strip() if ends else ""


def _leads(line: str, below: list[str]) -> bool:
    """Whether a line leads to what somebody else said: by its words, or by indented lines of prose below it."""
    quotes = QUOTING.count(line, words(line)) and (line.rstrip().endswith(LABEL) or width(line.strip()) < SHORT)
    first = below[0] if below else ""
    indented = line.rstrip().endswith(LABEL) and first[:1] == " " and bare_item(first) == first.strip()
    return bool(below and (quotes or indented))


def _is_pasted(line: str) -> bool:
    first = line.partition(" ")[0].strip("[]:")
    dated = first[:4].isdecimal() and first[4:5] in {"-", "/", ":"}
    levels = first in _LEVELS and line[:1] + line[len(first) : len(first) + 2] != first[:1]
    return (
        bool(_SHELL.match(line))
        or line.startswith(_PASTED)
        or dated
        or levels
        or "Error: " in line[: 2 * SHORT]
        or "ERR!" in line
    )


def outside(text: str, opening: str, closing: str) -> str:
    """Return a text without what is long between two marks."""
    made = ""
    while True:
        before, _, rest = text.partition(opening)
        inside, end, following = rest.partition(closing)
        if not end:
            return made + text
        made += before + (opening + inside + closing if width(inside) < _LABEL_WIDTH else "")
        text = following


def ends(text: str, room: int, elsewhere: "Sequence[str]" = ()) -> str:
    """Return a text in about `room` characters: whole, or its beginning and its end, with the addresses between them.

    Items that the reader has `elsewhere` are left out, and empty boxes of a long text, which somebody else ticks.
    """
    text = "\n".join(_without_items(text.splitlines(), elsewhere)).strip()
    if len(text) <= room:
        return text
    text = "\n".join(line for line in text.splitlines() if not bare_item(line).startswith("[ ] "))
    if len(text) <= room:
        return text
    head = _up_to_a_stop(text[: room * 2 // 5])
    tail = text[-(room - len(head) - 3) :]
    _, line, whole = tail.partition("\n")
    tail = whole if line and len(whole) > len(tail) // 2 else tail.partition(" ")[2] or tail
    between = [line for line in text[len(head) : len(text) - len(tail)].splitlines() if "://" in line]
    return "\n…\n".join([head, *between[:_ADDRESSES], tail.lstrip("\n")])


def without_question(answer: str) -> str:
    """Return an answer without the questions with which it ends; one that only asks as it is."""
    lines = answer.rstrip().splitlines()
    while lines and (asks(lines[-1]) or not lines[-1].strip()):
        parts = sentences_of(lines.pop())
        while parts and asks(parts[-1]):
            parts.pop()
        if parts:
            lines.append(" ".join(parts))
            break
    return "\n".join(lines) or answer


def _without_items(lines: list[str], elsewhere: "Sequence[str]") -> list[str]:
    """Return lines without the items of lists that are `elsewhere`, and without the label of a list that goes whole."""
    gone = {at for at, line in enumerate(lines) if line.strip() != bare_item(line) in elsewhere}
    written = [at for at, line in enumerate(lines) if line.strip()]
    for number in range(len(written) - 2, -1, -1):
        at, following = written[number], written[number + 1 :]
        rest = next((one for one in following if one not in gone), -1)
        goes_on = rest >= 0 and lines[rest].strip() != bare_item(lines[rest])
        label = lines[at].strip()
        is_label = label.startswith("#") or label.rstrip("*_").endswith(LABEL) or (label[:2] == label[-2:] == "**")
        gone |= {at} if is_label and following[0] in gone and not goes_on else set()
    return [line for at, line in enumerate(lines) if at not in gone]


def clipped(text: str, room: int) -> str:
    """Return a text on one line in at most `room` characters, cut where a sentence ends, else at a word."""
    line = " ".join(text.split())
    if len(line) <= room:
        return line
    cut = line[: room - 1]
    whole = _up_to_a_stop(cut[:-1])
    if len(whole) > room // 2 and whole.endswith(STOPS):
        return f"{whole} …"
    at_word = cut.rpartition(" ")[0]
    return f"{at_word if len(at_word) > room // 2 else cut}…"


def clipped_front(text: str, room: int) -> str:
    """Return the end of a text on one line in at most `room` characters: whole sentences, else cut at a word."""
    line = " ".join(text.split())
    if len(line) <= room:
        return line
    parts = sentences_of(line)
    while len(parts) > 1 and sum(len(one) + 1 for one in parts) > room - 1:
        del parts[0]
    if len(whole := " ".join(parts)) < room - 1:
        return f"… {whole}"
    cut = line[-(room - 1) :]
    at_word = cut.partition(" ")[2]
    return f"…{at_word if len(at_word) > room // 2 else cut}"


def without_code(text: str) -> str:
    """Return a text without its fenced blocks of code; one that is not closed goes to the end."""
    return "".join(text.split(_FENCE)[::2])


def sentences(text: str, *, marked: bool = False) -> list[str]:
    """Return the sentences, list items and lines of a text, without marks of headings, and of lists unless `marked`."""
    lines = ((line.strip(), bare_item(line)) for line in unwrapped(text.splitlines()))
    marks = ((line[: len(line) - len(bare)] if marked else "", bare) for line, bare in lines)
    parts = [one for mark, bare in marks for one in _marked(mark, sentences_of(bare.strip("#> ")))]
    return [part for part in parts if any(map(str.isalnum, part))]


def unwrapped(lines: list[str]) -> list[str]:
    """Return lines with those joined that an editor or a terminal broke within a sentence."""
    made: list[str] = []
    for line in lines:
        last = made[-1].rstrip() if made else ""
        goes_on = _WRAPPED[0] <= len(last.rpartition("\n")[2]) <= _WRAPPED[1] and not last.endswith((*_STOPS, *_ENDING))
        is_text = bool(line.strip()) and bare_item(line) == line.strip() and line.lstrip()[:1] not in _BEGINNING
        if goes_on and is_text:
            made[-1] = f"{last}\n{line.strip()}"
        else:
            made.append(line)
    return [line.replace("\n", " ") for line in made]


def _marked(mark: str, parts: list[str]) -> list[str]:
    return [mark + parts[0], *parts[1:]] if parts else []


def sentences_of(line: str) -> list[str]:
    """Return the sentences of a line: each ends with a stop before a blank, or with a wide stop."""
    made, start = [], 0
    for at, char in enumerate(line):
        stops = char in _STOPS and line[at + 1 : at + 2] in {"", " "} and not _goes_on(line[start : at + 1], line[at:])
        if (char in _WIDE_STOPS or stops) and at + 1 > start:
            made.append(line[start : at + 1].strip())
            start = at + 1
    rest = line[start:].strip()
    if rest and made and not any(map(str.isalnum, rest)):
        made[-1] += rest
        return made
    return [*made, rest] if rest else made


def _goes_on(text: str, rest: str) -> bool:
    """Whether the stop that ends a text ends no sentence: of an abbreviation such as "e.g.", a lone sign, or in (!).

    The stop of an initial, as in "M. Roux", ends none; that of an option, as in "take plan B.", does.
    """
    before, _, last = text.rpartition(" ")
    word, following = last.lstrip("(").casefold(), rest[2:3]
    alone = len(word) == 1 and following.islower()
    previous = before.rpartition(" ")[2].casefold()
    lettered = previous in _BEFORE_LETTERS or word == "i."
    initial = len(word) == 2 and word[:1].isalpha() and last[-2:].isupper() and following.isupper() and not lettered
    numbered = word in _BEFORE_NUMBERS and following.isdecimal()
    # A day, as in "am 12.11. bestätigt" and "bis zum 30. Juni"; each half of "d. h."
    dated = word.replace(".", "").isdecimal() and len(word) < len("31.12.2") and not following.isdecimal()
    dated = dated and (following.islower() or previous in _BEFORE_DAYS)
    pair = rest[3:4] == "." or (previous[1:] == "." and following.islower())
    halved = len(word) == len("d.") and word[:1].isalpha() and pair and not lettered
    in_brackets = text.count("(") > text.count(")") and ")" in rest
    return word in _ABBREVIATIONS or alone or initial or numbered or dated or halved or in_brackets


def joined(text: str, chosen: list[str], room: int) -> str:
    """Return sentences of a text on one line, with an ellipsis between those that do not follow each other."""
    parts = sentences(without_code(text))
    line, before = "", -1
    for one in chosen:
        at = parts.index(one, before + 1) if one in parts[before + 1 :] else before + 1
        line += ("" if not line else " " if at == before + 1 else " … ") + one
        before = at
    return clipped(line, room)


def width(text: str) -> int:
    """Return how long a text is, where a character of a script without blanks counts twice."""
    return sum(2 if char >= "\u1100" else 1 for char in text)


def bare_item(line: str) -> str:
    """Return a line without the mark of a list's item."""
    text = line.strip()
    mark, blank, rest = text.partition(" ")
    numbered = mark[-1:] in {".", ")"} and (mark[:-1].isdecimal() or (len(mark) == 2 and mark[0].isalpha()))
    return rest.strip() if blank and (mark in {"-", "*", "+", "•"} or numbered) else text


def row_of(line: str, cells: int = 9) -> list[str]:
    """Return the row of a table as words, by so many cells; nothing for its rule."""
    first, *others = [cell.strip() for cell in line.strip().strip("|").split("|")][:cells]
    told = ", ".join(filter(None, others))
    return [f"{first}: {told}" if told else first] if any(map(str.isalnum, line)) else []


def asks(text: str) -> bool:
    """Whether a text ends with a question, also one in Japanese without its mark, or begins as one that has no mark."""
    end = text.rstrip(_CLOSING + "\n")
    if end[:_NEEDING_MOST].casefold().startswith(_NEEDING):
        return True
    return end.endswith(_ASKING) or (end.endswith(_ASKING_FORMS) and not end.endswith(_AGREEING))


def _up_to_a_stop(text: str) -> str:
    """Return a text without the sentence that was cut at its end, unless only one sentence is there."""
    at = max(text.rfind(stop) for stop in (*(f"{stop} " for stop in _STOPS), *_WIDE_STOPS, "\n"))
    return text[: at + 1].rstrip() if at > len(text) // 3 else text.rpartition(" ")[0] or text


# Labels of the `<state>` block.
OBJECTIVE, DECISION, DEAD_END, NEXT, QUESTION, PREFERENCE = (
    *("objective", "decision", "dead end", "next", "question", "preference"),
)
# Labels of the numbered sections: the request, pending tasks, what is done now, the next step, errors and problems.
REQUEST, PENDING, CURRENT, STEP, FIX = "request", "pending", "current", "next step", "fix"
LASTING = (DECISION, DEAD_END, PREFERENCE, FIX)  # what a later summary does not replace
STATED = (OBJECTIVE, DECISION, DEAD_END, NEXT, QUESTION, PREFERENCE)
SECTIONS = {1: REQUEST, 4: FIX, 5: FIX, 7: PENDING, 8: CURRENT, 9: STEP}
