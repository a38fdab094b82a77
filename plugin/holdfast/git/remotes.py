"""What is asked of a remote, sent to it and fetched from it: never a branch, and never with a question.

Only `replace` lets a ref not continue what was there, and only if that is what this clone sent last.

Git's own credentials are used. A program or an address in the repository's own configuration counts only as it was when
the user agreed to it; see `settings`.
"""

import time
from collections.abc import Sequence

from holdfast.git.run import LONG_TIMEOUT, REPOSITORY_SCOPES, run

# The last three let no program ask for a password, neither in a terminal nor in a window.
_VARIABLES = {
    "GIT_ALLOW_PROTOCOL": "file:git:http:https:ssh",
    "GIT_ASKPASS": "",
    "SSH_ASKPASS": "",
    "SSH_ASKPASS_REQUIRE": "never",
}
_QUIET = (
    "-c",
    "core.askPass=",
    "-c",
    "credential.interactive=false",
    "-c",
    "maintenance.auto=false",
    "-c",
    "gc.auto=0",
)
# A large blob goes through git in pieces, and not as a whole into its memory.
_CHECKED = ("-c", "fetch.fsckObjects=true", "-c", "transfer.fsckObjects=true", "-c", "core.bigFileThreshold=1m")
_FETCH = (
    *("fetch", "--quiet", "--no-tags", "--no-prune", "--no-recurse-submodules", "--no-write-fetch-head"),
    *("--no-show-forced-updates", "--no-auto-maintenance", "--refmap="),
)
_PUSH = ("push", "--porcelain", "--no-verify", "--no-follow-tags", "--no-signed", "--recurse-submodules=no")
_BATCH = 25  # refs in one fetch, which has a time limit
# Parts of git's messages when nothing answers.
_AWAY = (
    *("could not resolve", "unable to connect", "failed to connect", "connection refused", "connection timed out"),
    *("network is unreachable", "no route to host", "temporary failure", "operation timed out", "no answer within"),
    *("connection reset", "could not connect", "name or service not known"),
)
# Settings that name programs or addresses, or say who is asked for what.
_SECTIONS = ("credential.", "url.", "http.", "https.", "ssh.", "protocol.", "include")
_SINGLE = frozenset(("core.sshcommand", "core.gitproxy", "core.askpass"))
_PROGRAMS = ("core.sshcommand", "core.gitproxy", ".helper", ".uploadpack", ".receivepack", ".vcs", ".cookiefile")


class RemoteError(Exception):
    """The remote did not do what was asked. `away`: nothing answered, so it is no refusal."""

    def __init__(self, errors: str) -> None:
        lines = [line.strip() for line in errors.splitlines() if line.strip()]
        reason = next((line for line in lines if line.startswith(("fatal:", "error:", "ERROR"))), "".join(lines[:1]))
        super().__init__(reason[:300] or "git did not say why")
        self.away = any(part in errors.casefold() for part in _AWAY)


def names(root: str) -> list[str]:
    """Return the names of the remotes."""
    return run(root, "remote")[1].split()


def address(root: str, remote: str) -> str:
    """Return the address of a remote without the name and password in it, "" for none."""
    address = run(root, "remote", "get-url", "--push", remote)[1].strip()
    scheme, mark, rest = address.partition("://")
    return f"{scheme}://{rest.rpartition('@')[2]}" if mark else address


def place(root: str, remote: str) -> str:
    """Return the place that a remote's address names, whichever way it goes there: host and path, or a path."""
    _, mark, rest = address(root, remote).partition("://")
    rest = rest if mark else address(root, remote).rpartition("@")[2]
    host, _, path = rest.partition("/") if mark else rest.partition(":")
    plain = f"{host.partition(':')[0].casefold()}/{path.lstrip('/')}" if path and not rest.startswith("/") else rest
    return plain.rstrip("/").removesuffix(".git")


def settings(root: str, remote: str) -> tuple[str, list[str]]:
    """Return the repository's own settings that decide how a remote is reached, as text, and the programs in them.

    A file for cookies is with the programs: git writes it wherever it is.
    """
    words = run(root, "config", "--list", "--show-scope", "-z")[1].split("\0")
    own = []
    for scope, word in zip(words[::2], words[1::2], strict=False):
        key, _, value = word.partition("\n")
        about = key.startswith(f"remote.{remote}.") and not key.endswith((".fetch", ".push"))
        if scope in REPOSITORY_SCOPES and (about or key in _SINGLE or key.startswith(_SECTIONS)):
            own.append(f"{key}={value}")
    programs = [line for line in own if line.partition("=")[0].endswith(_PROGRAMS)]
    return "\n".join(sorted(own)), programs


def listed(root: str, remote: str, pattern: str) -> dict[str, str]:
    """Return the refs of a remote that match a pattern, and what each names; RemoteError."""
    code, output, errors = _run(root, "ls-remote", "--quiet", remote, pattern)
    if code:
        raise RemoteError(errors)
    rows = [line.partition("\t") for line in output.splitlines()]
    return {name: target for target, _, name in rows}


def fetch(root: str, remote: str, refspecs: "Sequence[str]", seconds: float = 3600.0) -> str:
    """Fetch refs, each `theirs:ours`; return what was refused, "" for nothing. RemoteError when nothing answers.

    A ref that does not continue what is here is refused. One that git cannot take does not keep back the others. After
    so many seconds no further refs are fetched.
    """
    refused, end = [], time.monotonic() + seconds
    for begin in range(0, len(refspecs), _BATCH):
        some = refspecs[begin : begin + _BATCH]
        if time.monotonic() > end:
            refused.append(f"error: {len(refspecs) - begin} refs were left for later, after {seconds:g} seconds")
            break
        code, _, errors = _fetched(root, remote, some)
        if code == 0:
            continue
        if RemoteError(errors).away:
            raise RemoteError(errors)
        for refspec in some if len(some) > 1 else ():
            _, _, each = _fetched(root, remote, [refspec])
            refused += [each] if each else []
        refused += [errors] if len(some) == 1 else []
    return str(RemoteError("\n".join(refused))) if refused else ""


def _fetched(root: str, remote: str, refspecs: "Sequence[str]") -> tuple[int, str, str]:
    """Fetch refs. Git looks in them alone for what both sides have: among hundreds it would give up, and fetch all."""
    ours = [refspec.partition(":")[2] for refspec in refspecs]
    known = run(root, "for-each-ref", "--format=--negotiation-tip=%(refname)", *ours)[1].split()
    return _run(root, *_CHECKED, *_FETCH, *known, remote, *refspecs)


def push(root: str, remote: str, refspec: str) -> bool:
    """Send one ref, or delete it with an empty left side; return False if it does not continue what is there.

    RemoteError when the remote refuses it or nothing answers.
    """
    code, output, errors = _run(root, *_PUSH, remote, refspec)
    if code == 0:
        return True
    if any("fetch first" in line or "non-fast-forward" in line for line in _refused(output)):
        return False
    raise _refusal(output, errors)


def replace(root: str, remote: str, ref: str, old: str, new: str) -> None:
    """Set a ref at the remote to a commit that does not continue it, if it still is `old`; RemoteError."""
    code, output, errors = _run(root, *_PUSH, f"--force-with-lease={ref}:{old}", remote, f"{new}:{ref}")
    if code:
        raise _refusal(output, errors)


def _refused(output: str) -> list[str]:
    """Return the lines of `git push --porcelain` about refs that were not taken."""
    return [line for line in output.splitlines() if line.startswith("!")]


def _refusal(output: str, errors: str) -> RemoteError:
    """Return the error of a push: why each ref was not taken, and what git says."""
    return RemoteError("\n".join([*("error: " + line.rpartition("\t")[2] for line in _refused(output)), errors]))


def has(root: str, name: str) -> bool:
    """Whether an object is here."""
    return bool(name) and run(root, "cat-file", "-e", name)[0] == 0


def _run(root: str, *arguments: str, timeout: float = LONG_TIMEOUT) -> tuple[int, str, str]:
    """Run git with the network allowed, without asking a person, and with limits to what a server can make it do."""
    return run(root, *_QUIET, *arguments, timeout=timeout, variables=_VARIABLES, bounded=True)
