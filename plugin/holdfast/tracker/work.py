"""Says which issue a session has, and does what the user switched on: reads it, and writes what is done and left."""

import contextlib
import os
import re
import time
from dataclasses import replace

from holdfast.actions import sync
from holdfast.context.checklist import checklist, unfinished
from holdfast.context.checklist.unfinished import remaining
from holdfast.core import files
from holdfast.core.errors import HoldfastError
from holdfast.core.fast_json import text_of, texts_of
from holdfast.core.statuses import COMPLETED
from holdfast.formats import issue
from holdfast.git import remotes
from holdfast.journal import log
from holdfast.project import background, user_settings
from holdfast.sessions import survey
from holdfast.sessions.candidates import Hit
from holdfast.sessions.workspace import Workspace
from holdfast.tracker import tools
from holdfast.tracker.tools import COMMENT, ISSUE, REQUEST, Draft
from holdfast.trust import clone, safe

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from holdfast.core.summary import Summary
    from holdfast.journal.said import Said
    from holdfast.project.paths import Project
    from holdfast.sessions.session import Session
    from holdfast.tracker.tools import Choices, Repository

START, FINISHED = "start", "finished"
_PAUSE = 600.0  # seconds after a failure in which the background makes no call
_OLDEST = 7 * 86_400.0  # seconds since a completed session was active
_SECTIONS = ("Context", "Key Insights")  # where an issue's lines go, as far as a format has them


def run(project: "Project") -> None:
    """Do in the background what is switched on for the sessions here; why that failed is kept for `holdfast link`."""
    kept = project.store + background.TRACKER_PROBLEM
    waits = 0 <= time.time() - files.modified_at(kept) < _PAUSE
    if waits or not clone.is_trusted(project):
        return
    with contextlib.suppress(HoldfastError), noting_problem(project.store):
        chosen = tools.configured(os.environ)
        if chosen.start or chosen.comment or chosen.remaining:
            _each(Workspace(project), chosen)


@contextlib.contextmanager
def noting_problem(store: str) -> "Iterator[None]":
    """Keep the HoldfastError of what is done within for `holdfast link`, or that there was none."""
    kept = store + background.TRACKER_PROBLEM
    try:
        yield
    except HoldfastError as error:
        files.write_private(kept, safe.line(str(error)).encode())
        raise
    files.unlink_quietly(kept)


def problem(store: str) -> str:
    """Return why the background could not do its work the last time, "" if it could."""
    return (files.read_or_none(store + background.TRACKER_PROBLEM) or b"").decode("utf-8", "replace")


def _each(workspace: Workspace, chosen: "Choices") -> None:
    recent = workspace.now - _OLDEST
    switched_on = files.modified_at(user_settings.path(os.environ))  # of what was completed before, nothing is written
    sessions = [one for one in survey.survey(workspace).sessions if one.journaled and one.state and not one.shared]
    for session in sessions:
        number = number_of_issue(issue_of(workspace, session)) if session.last_active > recent else 0
        if number and chosen.start and session.active:
            begin(workspace, session, number, tools.repository(workspace.project.root, chosen.tool))
        completed = session.status == COMPLETED and session.last_active > max(recent, switched_on)
        if completed and not _has(workspace, session, FINISHED):
            where = tools.repository(workspace.project.root, chosen.tool)
            if tools.may_write(workspace.project, where):
                finish(workspace, session, where, chosen)


def unplaced(workspace: Workspace, session: "Session") -> str:
    """Return the text of an issue for which the session's state file has no place, "" if there is none."""
    facts = log.of_kinds(workspace.project.store, session.id, ("tracked",))
    left = [fact for fact in facts if fact.get("type") == START and fact.get("note") == ""]
    return text_of(left[-1], "subject") if left else ""


def _has(workspace: Workspace, session: "Session", kind: str, name: str = "") -> bool:
    """Whether something was done for a session: the issue `name` was read, or its completion was written."""
    facts = log.of_kinds(workspace.project.store, session.id, ("tracked",))
    return any((fact.get("type"), fact.get("id")) == (kind, name) for fact in facts)


def begin(workspace: Workspace, session: "Session", number: int, where: "Repository") -> None:
    """Write the title and the acceptance criteria of an issue into the state file of its session, once."""
    name = f"#{number}"
    if _has(workspace, session, START, name):
        return
    row = tools.read(where, f"{where.issues()}/{number}")
    lines = of_issue(name, str(row.get("title", "")), str(row.get(where.text()) or ""))
    hit = Hit(session)
    previews = [sync.preview(hit, {section: lines}, workspace.formats) for section in _SECTIONS]
    place = next((one for one, seen in zip(_SECTIONS, previews, strict=True) if not seen.outcome.unplaced), "")
    if place:
        sync.sync(workspace.project, hit, {place: lines}, workspace.formats, workspace.settings)
    fact = {"kind": "tracked", "id": name, "type": START, "text": tools.url(row), "subject": lines[0], "note": place}
    log.append(workspace.project.store, session.id, fact)


def due(workspace: Workspace, session: "Session", chosen: "Choices") -> "list[Draft]":
    """Return what is to be written about a completed session and was not yet, in this order; the comment comes last."""
    session = session.replace(measured=unfinished.measure(workspace, session))
    number = number_of_issue(issue_of(workspace, session))
    drafts = issues(session, number) if chosen.remaining else []
    # What is not written yet has no address; it comes before the comment, which then names it.
    left = [tools.written(workspace.project.store, session, one) or f"(the address of: {one.title})" for one in drafts]
    drafts += [comment(session, number, left)] if chosen.comment and number else []
    return [one for one in drafts if not tools.written(workspace.project.store, session, one)]


def finish(workspace: Workspace, session: "Session", where: "Repository", chosen: "Choices") -> list[str]:
    """Write what is due about a completed session, and return the addresses; HoldfastError for what cannot be."""
    addresses = []
    while drafts := due(workspace, session, chosen):  # a comment names the issues that were written before it
        addresses.append(tools.write(workspace.project, where, session, drafts[0]))
    if not _has(workspace, session, FINISHED):  # what comes after further work is for a person or `holdfast close`
        log.append(workspace.project.store, session.id, {"kind": "tracked", "type": FINISHED, "id": ""})
    return addresses


def pull_request(workspace: Workspace, session: "Session") -> "Draft":
    """Return the pull request of a session's branch, as `holdfast pr` prints it."""
    session = session.replace(measured=unfinished.measure(workspace, session))
    number = number_of_issue(issue_of(workspace, session))
    return request(session, session.summary, workspace.said(session.id), number)


def with_branches(where: "Repository", draft: "Draft", branch: str) -> "Draft":
    """Return a pull request with its branch and the one that it goes to."""
    base = str(tools.read(where, where.itself()).get("default_branch", ""))
    if not base or base == branch:
        raise HoldfastError(f"{where.name} needs a branch of its own for this; the present one is {branch or 'none'}.")
    keys = ("head", "base") if where.tool == tools.GH else ("source_branch", "target_branch")
    return replace(draft, more=dict(zip(keys, (branch, base), strict=True)))


_HEADINGS = r"(?:acceptance criteria|definition of done|done when)"
_CRITERIA = re.compile(rf"(?ims)^#{{1,6}}[ \t]*{_HEADINGS}[ \t:]*$(.*?)(?=^#|\Z)")
_ITEM = re.compile(r"^[ \t]*[-*+][ \t]+(?:\[[ xX]\][ \t]+)?(\S.*)$", re.MULTILINE)
_BOX = re.compile(r"^[ \t]*[-*+][ \t]+\[[ xX]\][ \t]+(\S.*)$", re.MULTILINE)
_LINES, _LINE, _TITLE = 12, 200, 120  # lines, and characters of a line and of a title
# A name or number, a quick action of GitLab, and a word that closes what follows: an address, or a key such as GH-7.
_REFERENCE = re.compile(
    r"[@#](?=\w)|^(?=/[a-z])|\b(?:clos|fix|resolv|implement)(?=\w*\W{1,9}(?:issues?\W{1,9})?(?:https?:|[a-z]\w*-[0-9]))",
    re.IGNORECASE | re.MULTILINE,
)


def criteria(body: str) -> list[str]:
    """Return the acceptance criteria in the text of an issue: the list below their heading, else its boxes."""
    part = _CRITERIA.search(body.replace("\r\n", "\n"))
    texts = _ITEM.findall(part[1]) if part else _BOX.findall(body)
    return [line for text in texts[:_LINES] if (line := safe.line(text, _LINE))]


def of_issue(issue: str, title: str, body: str) -> list[str]:
    """Return an issue as lines of a state file."""
    return [f"Issue {issue}: {safe.line(title, _LINE)}", *(f"Acceptance: {line}" for line in criteria(body))]


def comment(session: "Session", number: int, left: "Iterable[str]") -> Draft:
    """Return the comment that says what was measured when the work of a session was completed."""
    items = [item.text for item in checklist.items(session) if item.kind in checklist.MEASURED]
    new = [f"- remaining: {address}" for address in left]
    lines = [f"The session {_quoted(session.title)} is completed.", "", *(_quiet(line) for line in items), *new]
    return Draft(COMMENT, str(session.settling.changed), "\n".join(lines), number=number)


def issues(session: "Session", number: int) -> list[Draft]:
    """Return an issue for each task and question that is left."""
    origin = f" It was about #{number}." if number else ""
    body = f"This was left when the session {_quoted(session.title)} was completed.{origin}"
    return [Draft(ISSUE, text, body, title=_quiet(safe.line(text, _TITLE))) for text in remaining(session)]


def request(session: "Session", summary: "Summary", said: "Said", number: int) -> Draft:
    """Return a pull request with what was decided, tested and left in a session; `more` is for the caller.

    Of a command that ran tests the last run counts.
    """
    own = said.without_candid(answers=True)
    parts = {
        "Decisions": _entries(texts_of(summary, "decisions") or [one.told for one in own.decisions]),
        "Tests": _entries({text.partition(": ")[0]: text for _, text in said.ran}.values()),
        "Commits": _entries(said.commits),
        "Left": _entries([*own.following, *remaining(session)]),
    }
    about = text_of(summary, "objective") or text_of(summary, "focus")
    blocks = [] if about in {"", session.title} else [_quiet(safe.line(about, 3 * _LINE))]
    blocks += ["\n".join([f"## {name}", "", *list(lines)[-_LINES:]]) for name, lines in parts.items() if lines]
    blocks += [f"Closes #{number}"] if number else []
    return Draft(REQUEST, session.branch, "\n\n".join(blocks), title=_quiet(safe.line(session.title, _TITLE)))


def _entries(lines: "Iterable[str]") -> "dict[str, None]":
    """Return texts as entries of a list, each once."""
    return dict.fromkeys(f"- {_quiet(safe.line(text, _LINE))}" for text in lines)


def _quoted(text: str) -> str:
    return f'"{_quiet(safe.line(text, _TITLE))}"'


def _quiet(text: str) -> str:
    """Return a text that calls nobody and closes no issue: a character without width parts what would do that."""
    return _REFERENCE.sub("\\g<0>\u200b", safe.safe(text))


_FIELDS = ("github_issue", "gitlab_issue", "issue", "linear_issue")
_NUMBER = re.compile(r"(?:https?://\S+/issues/|(?<![\w&/])#|\bGH-)((?!0)[0-9]{1,7})(?!\w)")
_ADDRESS = re.compile(r"https?://(?:www\.)?(\S+)/issues/[0-9]")
_ALONE = re.compile(r"#?(?!0)[0-9]{1,7}")
# A part of a branch such as 12-fix-totals, issue-12 or gh-12; dates and versions are none.
_BRANCH = re.compile(r"(?:^|/)(?:(?:issues?|gh)[-_/]?((?!0)[0-9]{1,7})(?![\d.])|((?!0)[0-9]{1,7})-(?=[A-Za-z]))")


def issue_key(text: str, root: str) -> str:
    """Return the issue that a text names, such as "#12" or "PLT-123", "" for none.

    The address of an issue names one only if a remote of the working tree `root` leads to its repository.
    """
    address = _ADDRESS.search(text)
    if address and not _is_here(address[1].removesuffix("/-"), root):
        return ""
    if _ALONE.fullmatch(text.strip()):
        return f"#{text.strip().removeprefix('#')}"
    match = _NUMBER.search(text)
    return f"#{match[1]}" if match else issue.key(text)


def _is_here(repository: str, root: str) -> bool:
    """Whether a remote leads to a repository, such as "github.com/o/r"."""
    return any(remotes.place(root, name).casefold() == repository.casefold() for name in remotes.names(root))


def issue_of(workspace: "Workspace", session: "Session") -> str:
    """Return the issue of a session, "" for none."""
    said = log.last(workspace.project.store, session.id, "linked")
    if said:
        return str(said.get("text", ""))
    name = issue_field(workspace, session)
    written = workspace.state_file(session.state).metadata.text(name) if name else ""
    root = workspace.project.root
    return issue_key(written, root) or _in_branch(session.branch) or issue_key(session.title, root)


def number_of_issue(digits: str) -> int:
    """Return the number of an issue of GitHub or GitLab, 0 for the key of another tracker."""
    return int(digits[1:]) if _ALONE.fullmatch(digits) else 0


def issue_field(workspace: "Workspace", session: "Session") -> str:
    """Return the key of a state file's frontmatter that names its issue, such as "session.issue", "" for none."""
    if not session.state:
        return ""
    metadata = workspace.state_file(session.state).metadata
    places = [place for name in _FIELDS for place in (f"session.{name}", name)]
    return next((one for one in places if issue_key(metadata.text(one) or "", workspace.project.root)), "")


def _in_branch(branch: str) -> str:
    match = _BRANCH.search(branch)
    return f"#{match[1] or match[2]}" if match else issue.key(branch.upper())
