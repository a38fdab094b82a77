"""Runs `gh api` and `glab api`, which have the user's login (holdfast sees no token), and writes a text once.

What is switched on says `[tracker]` in the user's own settings. A project cannot switch it on.

[tracker]
start = true         # title and acceptance criteria of a session's issue into its state file
comment = true       # at completion, a comment on the issue with the checklist's evidence
remaining = true     # at completion, an issue for each task and open question that is left
pull_request = true  # `holdfast pr --create`
tool = "gh"          # gh or glab; left out: by the remote's host

The addresses are those of the REST API of GitHub (docs.github.com/rest: issues, comments, pulls) and of GitLab
(docs.gitlab.com/api: issues, notes, merge requests).

Each text ends with a mark, a comment of HTML that no reader sees. A process that is killed between the call and the
journal leaves the mark there, where the next one reads it.
"""

import hashlib
import os
import time
from dataclasses import dataclass, field
from urllib.parse import quote

from holdfast.core import clock, fast_json, lock
from holdfast.core.errors import HoldfastError
from holdfast.core.fast_json import text_of
from holdfast.git import remotes
from holdfast.journal import log
from holdfast.project import settings, user_settings
from holdfast.project.settings import match
from holdfast.trust import clone, safe

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from typing import Any

    Row = dict[str, Any]
    from collections.abc import Iterable

    from holdfast.project.paths import Project
    from holdfast.sessions.session import Session

GH, GLAB = "gh", "glab"
TOOLS = (GH, GLAB)
_PATIENCE = 60.0  # seconds for one call
_PAGE, _PAGES = 100, 20  # rows of a page, and pages that are read at most
# Neither asks, nor looks for a new version, nor prints headers, which have the token.
_QUIET = {"GH_PROMPT_DISABLED": "1", "GH_NO_UPDATE_NOTIFIER": "1", "GLAB_CHECK_UPDATE": "false", "NO_PROMPT": "1"}
_LOUD = frozenset({"GH_DEBUG", "DEBUG", "GLAB_DEBUG", "GLAB_DEBUG_HTTP"})


_SHAPE = {**dict.fromkeys(("start", "comment", "remaining", "pull_request"), bool), "tool": TOOLS}


@dataclass(frozen=True, slots=True)
class Choices:
    """The switches, each off by default, and the program, "" for the one that fits the remote."""

    start: bool = False
    comment: bool = False
    remaining: bool = False
    pull_request: bool = False
    tool: str = ""


def configured(environ: "Mapping[str, str]") -> Choices:
    """Return what the user's settings say; HoldfastError names a key or value that is wrong."""
    table: Any = settings.load_personal(environ).get(user_settings.TRACKER, {})
    match(table, _SHAPE, f"{user_settings.path(environ)}: [tracker]")
    return Choices(**table)


@dataclass(frozen=True, slots=True)
class Repository:
    """A repository of a tracker: the program for it, its host, its path there, and the working tree here."""

    tool: str
    host: str
    path: str
    root: str

    @property
    def name(self) -> str:
        """How messages name it."""
        return f"{self.host}/{self.path}"

    def issues(self) -> str:
        """Return the address of its issues."""
        return f"repos/{self.path}/issues" if self.tool == GH else f"{self._project}/issues"

    def comments(self, number: int) -> str:
        """Return the address of the comments on an issue."""
        return f"{self.issues()}/{number}/{'comments' if self.tool == GH else 'notes'}"

    def requests(self) -> str:
        """Return the address of its pull requests or merge requests."""
        return f"repos/{self.path}/pulls" if self.tool == GH else f"{self._project}/merge_requests"

    def itself(self) -> str:
        """Return its own address."""
        return f"repos/{self.path}" if self.tool == GH else self._project

    def text(self) -> str:
        """Return the key of the text of an issue or a request; comments have `body` in both."""
        return "body" if self.tool == GH else "description"

    @property
    def _project(self) -> str:
        return f"projects/{quote(self.path, safe='')}"


def repository(root: str, tool: str = "") -> Repository:
    """Return the repository that the remote `origin`, or the only one, leads to; HoldfastError without a known one."""
    names = remotes.names(root) if root else []
    remote = "origin" if "origin" in names else names[0] if len(names) == 1 else ""
    host, _, path = remotes.place(root, remote).partition("/") if remote else ("", "", "")
    chosen = tool or (GLAB if "gitlab" in host else GH if "github" in host else "")
    if not (path and chosen):
        raise HoldfastError(
            'no remote leads to GitHub or GitLab. If it does under another name, write tool = "gh" or "glab" below '
            "[tracker] in your settings."
        )
    return Repository(chosen, host, path, root)


def read(where: Repository, address: str) -> "Row":
    """Return the object at an address; HoldfastError says why there is none."""
    answer = _call(where, "GET", address)
    return answer if isinstance(answer, dict) else {}


def rows(where: Repository, address: str, **query: str) -> "Iterator[Row]":
    """Yield the objects at an address, page by page; HoldfastError if there is no end to them."""
    ends = time.monotonic() + _PATIENCE
    asked = "".join(f"&{key}={quote(value, safe='')}" for key, value in query.items())
    for page in range(1, _PAGES + 1):
        answer = _call(where, "GET", f"{address}?per_page={_PAGE}&page={page}{asked}", patience=ends - time.monotonic())
        known = [row for row in answer if isinstance(row, dict)] if isinstance(answer, list) else []
        yield from known
        if len(known) != _PAGE:
            break
    if len(known) >= _PAGE:
        raise HoldfastError(f"{where.name} has no end of {address}: what is looked for may be in what was not read.")


def create(where: Repository, address: str, values: "Mapping[str, str]") -> "Row":
    """Create an object at an address and return it as the answer has it."""
    answer = _call(where, "POST", address, fast_json.dumps(dict(values)))
    return answer if isinstance(answer, dict) else {}


def number(row: "Row") -> int:
    """Return the number of an issue or request, 0 for none."""
    digits = row.get("iid", row.get("number", 0))
    return digits if isinstance(digits, int) else 0


def url(row: "Row") -> str:
    """Return the address of a page for people, "" for none."""
    return safe.line(str(row.get("html_url") or row.get("web_url") or ""))


def _call(where: Repository, method: str, address: str, body: str = "", patience: float = _PATIENCE) -> object:
    """Return the JSON that a call answers."""
    import shutil
    import subprocess

    program = shutil.which(where.tool)
    if not program:
        raise HoldfastError(f"{where.tool} is not on PATH. Install it, then type: {where.tool} auth login")
    command = [program, "api", "--hostname", where.host, "--method", method, address]
    command += ["--header", "Content-Type: application/json", "--input", "-"] if body else []
    environment = {name: value for name, value in os.environ.items() if name not in _LOUD} | _QUIET
    try:
        done = subprocess.run(
            command,
            input=body,
            capture_output=True,
            text=True,
            check=False,
            cwd=where.root,
            env=environment,
            timeout=max(0.0, patience),
        )
    except subprocess.TimeoutExpired:
        raise HoldfastError(f"{where.name} does not answer within {_PATIENCE:g} s.") from None
    if done.returncode:
        raise HoldfastError(_reason(where, done.stderr or done.stdout))
    try:
        return fast_json.loads(done.stdout.encode())
    except ValueError:
        raise HoldfastError(f"{where.tool} did not answer JSON for {address}.") from None


def _reason(where: Repository, output: str) -> str:
    """Return why a call failed and what to do, from what the program printed."""
    low = output.casefold()
    if "auth login" in low or "http 401" in low or "401 unauthorized" in low:
        return f"{where.tool} is not logged in to {where.host}. Type: {where.tool} auth login --hostname {where.host}"
    if "rate limit" in low or "http 429" in low or "429 too many" in low:
        return f"{where.host} allows no more calls for now (rate limit); it is tried again later."
    lines = [line for line in output.splitlines() if line.strip()]
    reason = lines[-1].removeprefix(f"{where.tool}: ") if lines else "it failed without a word"
    return safe.line(f"{where.tool}: {reason}")


COMMENT, ISSUE, REQUEST = "comment", "issue", "request"
_LOCK = "tracker.lock"
_SKEW = 86_400.0  # seconds by which clocks may differ


@dataclass(frozen=True, slots=True)
class Draft:
    """What is to be written: a comment on the issue `number`, an issue, or a pull request.

    `subject` says what it is about; together with the session it is written once. `more` has what only this kind needs.
    """

    kind: str
    subject: str
    body: str
    title: str = ""
    number: int = 0
    more: dict[str, str] = field(default_factory=dict)

    def name(self) -> str:
        """Return what it becomes."""
        return f"a comment on #{self.number}" if self.kind == COMMENT else f"a new {self.kind}: {self.title}"


def consent(where: "Repository") -> bytes:
    """Return the text to which a person says yes before the first write to a repository of a tracker."""
    return f"tracker {where.tool} {where.name}".encode()


def may_write(project: "Project", where: "Repository") -> bool:
    """Whether a person said yes, in this clone, to writing to this repository."""
    return clone.is_trusted(project) and clone.is_accepted(project, consent(where))


def written(store: str, session: "Session", draft: Draft) -> str:
    """Return where a text was written earlier, "" if the journal does not say that it was."""
    mark = _mark(session, draft)
    facts = log.of_kinds(store, session.id, ("tracked",))
    return next((text_of(fact, "text") for fact in facts if text_of(fact, "id") == mark), "")


def write(project: "Project", where: "Repository", session: "Session", draft: Draft) -> str:
    """Write a text unless it is there already, and return its address; HoldfastError if it is not there afterwards."""
    if not may_write(project, where):
        raise HoldfastError(f"nobody has said yes to writing to {where.name} yet. A person types: holdfast link --send")
    with lock.sole(f"{project.store}/{_LOCK}") as alone:
        if not alone:
            raise HoldfastError("another process writes to the tracker now; try again when it is done.")
        if known := written(project.store, session, draft):
            return known
        mark = _mark(session, draft)
        row = _existing(where, session, draft, mark)
        row = row or _created(where, draft, whole(session, draft), mark)
        address = url(row) or f"https://{where.name}/-/issues/{draft.number}#note_{row.get('id', '')}"
        fact = {"kind": "tracked", "id": mark, "type": draft.kind, "text": address, "subject": draft.subject}
        log.append(project.store, session.id, fact)
        return address


def _mark(session: "Session", draft: Draft) -> str:
    return hashlib.sha256(f"{session.id} {draft.kind} {draft.subject}".encode()).hexdigest()[:16]


def whole(session: "Session", draft: Draft) -> str:
    """Return the text of a draft as it is written, with its mark."""
    return f"{draft.body.rstrip()}\n\n<!-- holdfast:{_mark(session, draft)} -->\n"


def _created(where: "Repository", draft: Draft, body: str, mark: str) -> "Row":
    """Create what a draft says and return it as it reads back."""
    key = "body" if draft.kind == COMMENT else where.text()
    values = {key: body, **({"title": draft.title} if draft.title else {}), **draft.more}
    made = create(where, _address(where, draft), values)
    if draft.kind == COMMENT:
        back = _with_mark(rows(where, _address(where, draft)), mark)
    else:
        back = _with_mark([read(where, f"{_address(where, draft)}/{number(made)}")], mark)
    if not back:
        raise HoldfastError(
            f"{where.name} does not show the {draft.kind} that was written. Look at it: https://{where.name}"
        )
    return back if url(back) else made


def _existing(where: "Repository", session: "Session", draft: Draft, mark: str) -> "Row | None":
    """Return what an earlier process wrote and could not journal, None for nothing."""
    since = clock.write(max(0.0, session.started - _SKEW), clock.ISO)
    gh = where.tool == GH
    if draft.kind == COMMENT:
        query = {"since": since} if gh else {}
    elif draft.kind == ISSUE:
        query = {"state": "all", "since": since} if gh else {"scope": "all", "created_after": since}
    else:
        query = {"state": "all"}
        query |= {"head": f"{where.path.partition('/')[0]}:{draft.subject}"} if gh else {"source_branch": draft.subject}
    return _with_mark(rows(where, _address(where, draft), **query), mark)


def _with_mark(rows: "Iterable[Row]", mark: str) -> "Row | None":
    texts = ("body", "description")
    return next((row for row in rows if any(f"holdfast:{mark}" in str(row.get(key)) for key in texts)), None)


def _address(where: "Repository", draft: Draft) -> str:
    if draft.kind == COMMENT:
        return where.comments(draft.number)
    return where.issues() if draft.kind == ISSUE else where.requests()
