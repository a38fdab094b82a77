"""The warnings about git where several sessions work in one tree: a commit that takes along what another one changed.

The other one is that the tree is on another branch.
"""

import operator
import re
import shlex
from collections.abc import Iterator

from holdfast.clients import catalogue
from holdfast.git import queries
from holdfast.journal import checkouts, file_touches
from holdfast.project import paths
from holdfast.project.paths import Project
from holdfast.sessions.conflicts import Change, View, who
from holdfast.sessions.workspace import Workspace
from holdfast.trust import safe

_NAMED = 3  # files in a warning
_RUN = re.compile(r"\bgit(?:\s+-[cC]\s+\S+|\s+--[\w=./-]+)*\s+(add|commit)(?![^\s;&|])([^;&|\n]*)")
_ALL = frozenset(("--all", "--update", "."))
# Options of `git commit` whose value is the next word; of the short ones the last letter counts.
_WITH_VALUE = frozenset(
    (
        *("--message", "--file", "--author", "--date", "--reuse-message", "--reedit-message", "--template", "--fixup"),
        *("--squash", "--trailer", "--cleanup", "--pathspec-from-file"),
    )
)
_SHORT_WITH_VALUE, _SHORT_ALL = "mFCct", {"add": "Au", "commit": "a"}
_UNTRACKED = "??"  # the letters of `git status`


class Commit:
    """What a command of the shell commits: what is staged, all changed files with `tracked`, new ones with `new`.

    `named` are the files and folders that it names.
    """

    def __init__(self, command: str) -> None:
        parts = [(verb, word) for verb, rest in _RUN.findall(command) for word in _words(rest)]
        self.tracked = any(_takes_all(*part) for part in parts)
        self.new = any(part[0] == "add" and _takes_all(*part) for part in parts)
        self.named = [word.removeprefix("./").rstrip("/") for _, word in parts if not word.startswith("-")]

    def takes(self, path: str, letters: str) -> bool:
        """Return whether a file is committed; `letters` are those of `git status`."""
        staged = letters[0] not in " ?"
        named = any(path == name or path.startswith(f"{name}/") for name in self.named)
        return staged or named or (self.new if letters == _UNTRACKED else self.tracked)


def is_commit(command: str) -> bool:
    """Return whether a command of the shell runs `git commit`."""
    return any(verb == "commit" for verb, _ in _RUN.findall(command))


def warning(workspace: "Workspace", ident: str, command: str, folder: str) -> tuple[str, str]:
    """Return what Claude should know before a commit in a folder, and a line for the user; "" and "" for nothing.

    Only changes of other live sessions count that were made in this working tree, and after the last one of the
    session `ident` itself.
    """
    root = paths.locate(folder or workspace.project.root).root
    if workspace.settings.conflicts == "off" or not root or not is_commit(command):
        return "", ""
    view = View(workspace, (ident, ""), root)
    theirs = dict(sorted(_changed_by_others(view, ident), key=operator.itemgetter(0)))
    changed = (queries.changes(root, [*theirs]) if theirs else None) or {}
    commit = Commit(command)
    taken = [change for path, change in theirs.items() if path in changed and commit.takes(path, changed[path])]
    if not taken:
        return "", ""
    named = [f"{safe.line(one.path, 200)}, changed by {who(one, (ident, ''))}" for one in taken]
    files = safe.listed(named, _NAMED, "; ")
    advice = "To commit only files of this session, name them: git commit -- FILE"
    title = safe.line(taken[0].session.title, safe.USER_MOST - len('commits files of ""'))
    return f"holdfast: this commit includes {files}. {advice}", f'commits files of "{title}"'


def _changed_by_others(view: View, ident: str) -> "Iterator[tuple[str, Change]]":
    """Yield each file that other live sessions changed last in the asker's working tree, with the latest change."""
    for path, touches in view.lately().items():
        later = file_touches.others(touches, (ident, ""), warned=False)
        changes = [one for one in view.others(later) if one.session.id != ident and not (one.worktree or one.declared)]
        if changes and not path.startswith("/"):
            yield path, changes[0]


def _takes_all(verb: str, word: str) -> bool:
    short = word[1:] if word[:1] == "-" and word[1:2] not in ("", "-") else ""
    letters = re.split(f"[{_SHORT_WITH_VALUE}]", short)[0]
    return word in _ALL or any(letter in _SHORT_ALL[verb] for letter in letters)


def _words(rest: str) -> "Iterator[str]":
    """Yield the options and paths of a command without the values of its options."""
    try:
        words = shlex.split(rest)
    except ValueError:  # the text of the message goes on in the next lines
        words = rest.split()
    is_value = False
    for word in words:
        if not is_value:
            yield word
        short = word[:1] == "-" and word[1:2] != "-" and word[-1:] in _SHORT_WITH_VALUE
        is_value = not is_value and (short or word in _WITH_VALUE)


_NAMED_BRANCH = 3  # sessions
_USER_MOST = 18  # columns of a branch in the line for the user


def switch_warning(workspace: "Workspace", ident: str, tree: "Project", was: str) -> tuple[str, str]:
    """Return what Claude should know when a tree is no longer on the branch `was`, and a line for the user.

    Both are "" if no other live session works in the tree: then the session or its user switched.
    """
    if workspace.settings.conflicts == "off":
        return "", ""
    view, now = View(workspace, (ident, ""), tree.root), safe.line(paths.branch(tree), 100)
    reader = view.session(ident).client
    sessions = (
        view.session(other) for other in checkouts.in_tree(workspace.project.store, tree.root) if other != ident
    )
    others = [
        f'"{safe.line(one.title, 80)}" ({catalogue.label(one.id[:8], one.client, reader)})'
        for one in sessions
        if one.live
    ]
    if not others:
        return "", ""
    reason = (
        f"holdfast: this working tree is on branch {now} now, and was on {safe.line(was, 100)}. "
        f"Also at work in it: {safe.listed(others, _NAMED)}. Unless this session switched, ask the user before "
        "the next edit. `git worktree add` gives a session a tree of its own."
    )
    return reason, f"branch {safe.line(now, _USER_MOST)} now, was {safe.line(was, _USER_MOST)}"
