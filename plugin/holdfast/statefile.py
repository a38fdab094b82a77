"""One state file in the shape of `.agents/sessions` (formats/agents-sessions.md): make it, read it, edit what is ours.

What is ours: the time in `session.last_updated`, and the lines between the marks `<!-- holdfast:… -->`. Lines there are
added, and a task's checkbox is ticked; nothing is taken away.
"""

import os
import re
import unicodedata
from typing import Any

from holdfast import clock, files
from holdfast.markdown import Document, splice

REQUIRED = ("Context", "Current State", "Next Steps")
_KEPT = 1200  # characters of a section that are remembered for listing
_NOTE = "kept by holdfast down to the end mark; write anywhere else"
_BLOCKS = {"tasks": "Execution Progress", "files": "Files Modified"}
_LINE = re.compile(r"[^\r\n]*(?:\r\n|\r|\n)")
_TASK = re.compile(r"- \[(.)\] ")
_TICKS = {"completed": "x", "deleted": "-"}


def name(title: str, created: float) -> str:
    """Return the file name for a piece of work: its start in UTC and a slug of its title."""
    words = unicodedata.normalize("NFKD", title).encode("ascii", "ignore").decode().lower()
    slug = "-".join(re.findall(r"[a-z0-9]+", words))[:48].strip("-")
    return f"{clock.write(created, clock.FILE_NAME)}-{slug or 'session'}.md"


def compose(title: str, created: float, *, branch: str, request: str, session: str) -> bytes:
    """Return a new state file that somebody who knows nothing could take over from."""
    minute = clock.write(created, clock.MINUTE)
    on_branch = f" on branch {_code(branch)}" if branch else ""
    asked = f", with this request:\n\n> {request}" if request else "."
    by = f"Claude Code session {_code(session)} started this work." if session else "Work started by hand."
    return f"""\
---
session:
  title: {_quoted(title)}
  status: in_progress
  created: "{clock.write(created)}"
  last_updated: "{clock.write(created)}"

orchestration:
  current_task: {_quoted(title)}
  spawned_agents: []
---

# Session: {title}

## Context
Started {minute} UTC{on_branch}{asked}

## Current State
Work began {minute} UTC. Nothing has been written here since; what was measured stands under
Execution Progress and Files Modified.

## Next Steps
- {title}

{_section("tasks")}
{_section("files")}
---

## Session Log

### {minute} - Session started
{by}
""".encode()


def digest(path: str) -> dict[str, object]:
    """Return what listing and briefing need of a state file; `problem` says why a file is not one."""
    document = Document(files.read(path))
    metadata = _metadata(document)
    session, task = metadata.get("session"), metadata.get("orchestration")
    if not isinstance(session, dict):
        return {"problem": metadata["problem"]}
    heading = next((heading.title for heading in document.headings if heading.level == 1), "")
    return {
        "title": _scalar(session.get("title")) or heading.removeprefix("Session:").strip() or os.path.basename(path),
        "status": _scalar(session.get("status")),
        "created": clock.read(_scalar(session.get("created"))),
        "updated": clock.read(_scalar(session.get("last_updated"))),
        "task": _scalar(task.get("current_task")) if isinstance(task, dict) else "",
        "body": document.body,
        **{title: (document.section(title) or "")[:_KEPT] for title in REQUIRED},
    }


def problem(data: bytes) -> str:
    """Return why these bytes are no state file, "" when they are one."""
    return str(_metadata(Document(data)).get("problem", ""))


def _metadata(document: Document) -> dict[str, Any]:
    """Return the frontmatter of a state file, and of any other file why it is not one as `problem`."""
    import yaml
    from frontmatter.default_handlers import YAMLHandler  # the one importer

    front = document.text(*document.frontmatter) if document.frontmatter else ""
    try:  # with the base loader a value is the text that a person sees: no date becomes an object, no `on` a truth
        metadata = YAMLHandler().load(front, Loader=yaml.BaseLoader)
    except (yaml.YAMLError, RecursionError) as error:
        return {"problem": f"its frontmatter is not YAML: {' '.join(str(error).split())[:200]}"}
    session = metadata.get("session") if isinstance(metadata, dict) else None
    if not isinstance(session, dict) or not {"title", "status"} & session.keys():
        return {"problem": "it has no `session:` frontmatter with a title or status"}
    return {**metadata, "problem": ""}


def stamp(data: bytes, now: float) -> bytes:
    """Return the file with `session.last_updated` set to `now` in the form it has; unchanged when that is unclear."""
    document = Document(data)
    if document.frontmatter is None or document.conflicted():
        return data
    found = _updated(data[slice(*document.frontmatter)])
    if found is None:
        return data
    start, end = (document.frontmatter[0] + offset for offset in found)
    form = clock.form(document.text(start, end))
    if not form or clock.read(document.text(start, end)) > now:
        return data
    return splice(data, start, end, clock.write(now, form).encode())


def _updated(front: bytes) -> tuple[int, int] | None:
    """Return the span of the value of `session.last_updated`, None unless there is one, and it stands by its key."""
    import yaml

    try:
        text = front.decode()
        root = yaml.compose(text, Loader=yaml.BaseLoader)
    except (yaml.YAMLError, UnicodeDecodeError, RecursionError):
        return None
    found = _value(_value(root, "session"), "last_updated")
    if not isinstance(found, yaml.ScalarNode):
        return None
    quote = len(found.style or "")
    start, end = found.start_mark.index + quote, found.end_mark.index - quote
    return len(text[:start].encode()), len(text[:end].encode())


def _value(node: Any, name: str) -> Any:
    """Return the node that a mapping has under a key; None unless the key stands once, and its value right there."""
    pairs = node.value if getattr(node, "id", "") == "mapping" else []
    found = [(key, value) for key, value in pairs if key.value == name]
    if len(found) != 1:
        return None
    key, value = found[0]
    return value if value.start_mark.index > key.end_mark.index else None  # else an alias of what stands elsewhere


def with_blocks(data: bytes) -> bytes:
    """Return the file with a place for what is measured: in the one section of that name, else in a new one."""
    for name, title in _BLOCKS.items():
        document = Document(data)
        if document.block(name) is not None or document.conflicted():
            continue
        own, log = document.only(title), document.only("Session Log")
        at = own.end if own else log.start if log else len(data)
        if any(span and span[0] <= at <= span[1] for span in map(document.block, _BLOCKS)):
            continue  # a heading between the marks of another block: nobody can tell what belongs to what
        changed = splice(data, at, at, _spaced(document, at, _marks(name) if own else _section(name)))
        found = Document(changed).block(name)
        if found and found[0] > at:  # not so in an unclosed fence or comment
            data = changed
    return data


def with_measured(data: bytes, paths: list[str], tasks: list[tuple[str, str]]) -> bytes:
    """Return the file with each path and each (subject, status) in its block, a completed task ticked.

    Lines are added and boxes ticked, nothing else changes; a file without the blocks, or in conflict, not at all.
    """
    document = Document(data)
    if document.conflicted():
        return data
    ticks = {_one_line(subject).strip(): _TICKS.get(status, " ") for subject, status in tasks}
    entries = {
        "files": ["- " + _code(_one_line(path)) for path in paths],
        "tasks": [f"- [{tick}] {subject}" for subject, tick in ticks.items()],
    }
    spans = {name: span for name in _BLOCKS if (span := document.block(name))}
    for name, (start, end) in sorted(spans.items(), key=lambda item: -item[1][0]):  # from the end: offsets stay true
        lines = _LINE.findall(data[start:end].decode("utf-8", "surrogateescape"))
        known = {_key(line) for line in lines}
        lines = [_ticked(line, ticks) for line in lines] if name == "tasks" else lines
        new = [entry for entry in dict.fromkeys(entries[name]) if _key(entry) not in known]
        lines += [entry + document.newline.decode() for entry in new]
        data = splice(data, start, end, "".join(lines).encode("utf-8", "surrogateescape"))
    return data


def _ticked(line: str, ticks: dict[str, str]) -> str:
    """Return a task's line with its empty box ticked when the task is done; what a person put into it stays."""
    box = _TASK.match(line)
    tick = ticks.get(line[box.end() :].strip(), " ") if box and box[1] == " " else " "
    return line if tick == " " else f"- [{tick}] {line[6:]}"


def _key(line: str) -> str:
    """Return what makes a line of a block this entry: a task's subject, or the code span of a path."""
    box = _TASK.match(line)
    if box:
        return line[box.end() :].strip()
    span = re.match(r"- (`+) ?(.+?) ?\1(?!`)", line)
    return span[0] if span else line.strip()


def _section(name: str) -> str:
    """Return a section that holds an empty block."""
    return f"## {_BLOCKS[name]}\n\n{_marks(name)}"


def _marks(name: str) -> str:
    """Return an empty block."""
    return f"<!-- holdfast:{name} - {_NOTE} -->\n<!-- /holdfast:{name} -->\n"


def _spaced(document: Document, at: int, text: str) -> bytes:
    """Return a section as it stands at an offset: a blank line on either side, line ends as in the file."""
    before = document.data[:at]
    gap = "" if not before or before.endswith((b"\n\n", b"\r\n\r\n")) else "\n" if before.endswith(b"\n") else "\n\n"
    after = "\n" if at < len(document.data) else ""
    return (gap + text + after).encode().replace(b"\n", document.newline)


def _scalar(value: object) -> str:
    """Return a value of the frontmatter as text."""
    return "" if value is None else str(value)


def _one_line(text: str) -> str:
    """Return text that fits on a line of a UTF-8 file."""
    return " ".join(text.splitlines()).encode("utf-8", "replace").decode()


def _quoted(text: str) -> str:
    """Return text as a double-quoted YAML scalar."""
    return '"' + text.replace("\\", "\\\\").replace('"', '\\"') + '"'


def _code(text: str) -> str:
    """Return text as a code span, whatever backticks it holds."""
    longest = max((len(run) for run in re.findall("`+", text)), default=0)
    fence = "`" * (longest + 1)
    return f"{fence} {text} {fence}" if longest else f"`{text}`"
