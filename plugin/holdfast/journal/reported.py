"""Decisions that an answer of Claude's states itself: the items or rows below a heading that says so."""

from holdfast.core.words import words
from holdfast.journal.conversation import LABEL, asks, bare_item, clipped, without_code

_HEADING = 80  # characters of a line that may be such a heading
_LONGEST, _MOST = 220, 8  # characters of a decision, decisions of an answer
_DECIDED = frozenset(
    """
    decision decisions decided entscheidung entscheidungen entschieden décision décisions décidé decisão decisões
    decidido decisión decisiones decisione decisioni deciso
    """.split()  # noqa: SIM905 - a list of words in several languages
)
_DECIDED_PARTS = ("결정", "決定", "决定", "决策")  # of languages without blanks
# A heading with one of these names what is still to be decided.
_OPEN = frozenset(
    """
    open pending needed need needs required outstanding remaining missing your you next offen offene offenen nötig
    nötige ausstehende deine ihre pendente pendentes pendiente pendientes sua suas tu tus abertas abiertas requise
    requises votre vos
    """.split()  # noqa: SIM905 - the same
)
_OPEN_PARTS = ("필요", "남은", "必要", "未決", "待ち", "需要", "待定", "未决")


def decisions(answer: str) -> list[str]:
    """Return what an answer states as decided: the list items, or table rows, below a heading about decisions."""
    lines = without_code(answer).splitlines()
    found: list[str] = []
    for number, line in enumerate(lines):
        if _is_heading(line):
            found += _below(lines[number + 1 :])
        elif (
            _is_row(line)
            and _is_heading(line.strip("| "), cells=True)
            and not _is_row(lines[number - 1] if number else "")
        ):
            found += _rows(lines[number:])
    return [clipped(text, _LONGEST) for text in dict.fromkeys(found)][:_MOST]


def _is_heading(line: str, *, cells: bool = False) -> bool:
    """Whether a line is a heading, a label, or the head of a table that announces decisions which were taken."""
    text = line.strip()
    marked = text.startswith(("#", "**")) or text.rstrip("*_ ").endswith(LABEL) or cells
    if not marked or len(text) > _HEADING or bare_item(text) != text or asks(text):
        return False
    its, low = set(words(text)), text.casefold()
    decided = bool(its & _DECIDED) or any(part in low for part in _DECIDED_PARTS)
    return decided and not (its & _OPEN or any(part in low for part in _OPEN_PARTS))


def _below(lines: list[str]) -> list[str]:
    """Return the items of the list, or the rows of the table, with which these lines begin."""
    filled = [line for line in lines if line.strip()]
    if filled and _is_row(filled[0]):
        return _rows(filled)
    found: list[str] = []
    for line in filled:
        bare = bare_item(line)
        if bare != line.strip():
            found.append(_plain(bare))
        elif found and line.startswith((" ", "\t")):
            found[-1] += f" {bare}"
        else:
            break
    return [text for text in found if not asks(text)]


def _rows(lines: list[str]) -> list[str]:
    """Return a text for each row of the table with which these lines begin, without its head."""
    table = []
    for line in lines:
        if not _is_row(line):
            break
        table.append([_plain(cell.strip()) for cell in line.strip().strip("|").split("|")])
    rows = [cells for cells in table[1:] if any(any(map(str.isalnum, cell)) for cell in cells)]
    return [": ".join(cell for cell in cells[:2] if cell) for cells in rows]


def _is_row(line: str) -> bool:
    return line.strip().startswith("|") and line.count("|") > 2


def _plain(text: str) -> str:
    return text.replace("**", "").replace("`", "").strip()
