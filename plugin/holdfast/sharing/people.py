"""Who signed what a machine sent, and which of these people are trusted here.

Signatures are SSH signatures of `machine.json`, with a namespace of holdfast's own: what somebody signed for another
purpose, such as a commit, is no signature here. Who is trusted is in the file `people` in the store. The keys of the
user are trusted without being in it.
"""

import base64
import binascii
import hashlib
import os
import re

from holdfast.core import fast_json, files
from holdfast.core.errors import HoldfastError
from holdfast.core.fast_json import text_of
from holdfast.git import objects
from holdfast.git.run import program, run
from holdfast.sharing import status
from holdfast.trust import safe

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import TypedDict

    class Person(TypedDict):
        """A person with a key: the fingerprint, and the key as ssh-keygen reads it."""

        name: str
        email: str
        print: str
        key: str


_NAMESPACE = "holdfast"
_ASKS_NOBODY = {"SSH_ASKPASS": "", "SSH_ASKPASS_REQUIRE": "never"}
_ARMOR = re.compile(rb"-----BEGIN SSH SIGNATURE-----\n([A-Za-z0-9+/=\n]{20,8000})\n-----END SSH SIGNATURE-----\n?")
_KEY_TYPE = re.compile(rb"[a-z0-9@.-]{3,60}")
_GOOD = re.compile(r'^Good "holdfast" signature with \S+ key (SHA256:[A-Za-z0-9+/]{43})$', re.MULTILINE)
_LITERAL = ("key::", "ssh-", "ecdsa-", "sk-")  # beginnings of a setting that is the key itself, and not its file
_KEYS = 50  # of a person's own keys that are read at most
_OWN_SCOPES = ("system", "global", "command")


def signing(root: str) -> str:
    """Return the key with which the user signs, from the user's own configuration; "" if nothing is signed so."""
    known = _configured(root)
    return known.get("user.signingkey", "") if known.get("gpg.format") == "ssh" else ""


def _configured(root: str) -> dict[str, str]:
    """Return the user's own configuration of git, without what the repository adds."""
    words = run(root, "config", "--list", "--show-scope", "-z")[1].split("\0")
    values = {}
    for scope, word in zip(words[::2], words[1::2], strict=False):
        key, _, value = word.partition("\n")
        if scope in _OWN_SCOPES:
            values[key] = value
    return values


def options(root: str) -> list[str]:
    """Return the options of git for a commit of this machine: a name for a user whom git does not know."""
    if run(root, "var", "GIT_COMMITTER_IDENT")[0] == 0:
        return []
    name = os.environ.get("USER", "") or "holdfast"
    return ["-c", f"user.name={name}", "-c", f"user.email={name}@{os.uname().nodename}"]


def own_name(root: str) -> str:
    """Return the name under which the user commits."""
    identity = run(root, "var", "GIT_AUTHOR_IDENT")[1].partition(" <")[0]
    return safe.line(identity, 60) or "me"


def author(data: bytes) -> tuple[str, str]:
    """Return name and address of the author of a commit, as it says itself: nothing of it is proved."""
    name, address = objects.author(data)
    return safe.line(name, 60), safe.line(address, 100)


def sign(root: str, scratch: str, text: str) -> bytes:
    """Return the user's signature of a text, b"" for a user who signs nothing; HoldfastError if it cannot be made.

    `scratch` is a folder for temporary files.
    """
    key, path = signing(root), f"{scratch}/key"
    if not key:
        return b""
    literal = key.startswith(_LITERAL)
    if literal:
        files.write_private(path, key.removeprefix("key::").encode() + b"\n", durable=False)
    words = ["-f", path, "-U"] if literal else ["-f", os.path.expanduser(key)]
    command = ["ssh-keygen", "-Y", "sign", "-n", _NAMESPACE, *words]
    code, output, errors = program(root, command, _ASKS_NOBODY, stdin=text)
    if code:
        raise HoldfastError(f"nothing could be signed with {safe.line(key, 100)}: {safe.line(errors, 200)}")
    return output.encode()


def signed_by(root: str, scratch: str, data: bytes, signature: bytes) -> str:
    """Return the key that signed these bytes, "" without a good signature.

    The key is as in a file of public keys: its type and its text. Whether it is trusted is another question.
    """
    key = key_in(signature)
    if not key:
        return ""
    path = f"{scratch}/signature"
    files.write_private(path, signature, durable=False)
    command = ["ssh-keygen", "-Y", "check-novalidate", "-n", _NAMESPACE, "-s", path]
    _, output, _ = program(root, command, _ASKS_NOBODY, stdin=os.fsdecode(data))
    good = _GOOD.search(output)
    return key if good and good[1] == fingerprint(key) else ""


def key_in(signature: bytes) -> str:
    """Return the public key that an SSH signature names, "" for none; it is not checked whether that key made it.

    The form is that of PROTOCOL.sshsig: `SSHSIG`, a version of 4 bytes, and the key, after its length in 4 bytes. The
    key itself begins with its type, after the length of that.
    """
    match = _ARMOR.fullmatch(signature)
    try:
        blob = base64.b64decode(match[1].replace(b"\n", b""), validate=True) if match else b""
    except binascii.Error:
        return ""
    key = blob[14 : 14 + int.from_bytes(blob[10:14], "big")] if blob[:6] == b"SSHSIG" else b""
    kind = key[4 : 4 + int.from_bytes(key[:4], "big")]
    if not _KEY_TYPE.fullmatch(kind):
        return ""
    return f"{kind.decode()} {base64.b64encode(key).decode()}"


def fingerprint(key: str) -> str:
    """Return the fingerprint of a key, as ssh-keygen prints it; "" for a text that is no key."""
    words = key.split()
    try:
        blob = base64.b64decode(words[1], validate=True) if len(words) > 1 else b""
    except binascii.Error:
        return ""
    return "SHA256:" + base64.b64encode(hashlib.sha256(blob).digest()).decode().rstrip("=") if blob else ""


def own_keys(root: str) -> list[str]:
    """Return the public keys in what the user signs with, each with its type; [] without one."""
    key = signing(root)
    if key.startswith(_LITERAL):
        return [key.removeprefix("key::")]
    path = os.path.expanduser(key)
    for name in (path, f"{path.removesuffix('.pub')}.pub") if key else ():
        try:
            lines = files.read(name).decode("utf-8", "replace").splitlines()[:_KEYS]
        except OSError:
            continue
        if keys := [line for line in lines if fingerprint(line)]:
            return keys
    return []


def own_prints(root: str) -> set[str]:
    """Return the fingerprints of the keys with which the user signs."""
    return {fingerprint(key) for key in own_keys(root)} - {""}


def trusted(store: str) -> "dict[str, Person]":
    """Return the people who are trusted here, by the fingerprint of their key."""
    rows = {mark: row for mark, row in fast_json.read_object(_path(store)).items() if isinstance(row, dict)}
    return {
        mark: {"name": text_of(row, "name"), "email": text_of(row, "email"), "print": mark, "key": text_of(row, "key")}
        for mark, row in rows.items()
    }


def accept(store: str, person: "Person") -> None:
    """Trust a person from now on; OSError."""
    _write(store, {**trusted(store), person["print"]: person})


def revoke(store: str, mark: str) -> None:
    """Trust the person with this fingerprint no more; OSError."""
    _write(store, {known: person for known, person in trusted(store).items() if known != mark})


def _write(store: str, people: "dict[str, Person]") -> None:
    rows = {mark: {key: value for key, value in one.items() if key != "print"} for mark, one in people.items()}
    files.write_private(_path(store), fast_json.dumps(rows).encode() + b"\n")


def _path(store: str) -> str:
    return status.folder(store) + "/people"
