"""Compresses parts of a conversation and encrypts them to SSH keys. The format is that of age-encryption.org/v1."""

import zlib

from holdfast.core import files
from holdfast.core.errors import HoldfastError
from holdfast.project import packages
from holdfast.sharing.conversation import passphrase

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

KINDS = ("ssh-ed25519", "ssh-rsa")  # of keys that age can encrypt to
_MISSING = "what encrypts conversations is not installed. Type: holdfast share conversation"


def sealed(data: bytes, keys: "Sequence[str]") -> bytes:
    """Return bytes compressed and encrypted, so that only who has one of these public SSH keys can read them.

    HoldfastError when a key is of a kind that age does not know, or the package is missing.
    """
    pyrage = _package()
    try:
        readers = [pyrage.ssh.Recipient.from_str(key) for key in keys]
    except pyrage.RecipientError as error:
        raise HoldfastError(f"cannot encrypt to a key: {error}. It must be one of: {', '.join(KINDS)}") from None
    return bytes(pyrage.encrypt(zlib.compress(data, 6), readers))


class Opener:
    """Decrypts with the user's private key, which is read once."""

    def __init__(self, path: str) -> None:
        self._pyrage = _package()
        self._key = self._read(path)

    def opened(self, data: bytes, limit: int) -> bytes:
        """Return what `sealed` was given; HoldfastError if it is for others, damaged, or larger than `limit` bytes."""
        try:
            inner = self._pyrage.decrypt(data, [self._key])
            unpacker = zlib.decompressobj()
            found = bytes(unpacker.decompress(inner, limit))
        except self._pyrage.DecryptError:
            raise HoldfastError("it is not encrypted to your key, or it is damaged") from None
        except zlib.error:
            raise HoldfastError("it is damaged") from None
        if unpacker.unconsumed_tail or not unpacker.eof:
            raise HoldfastError(f"it is damaged, or larger than {limit >> 20} MB")
        return found

    def _read(self, path: str) -> "Any":
        try:
            data = files.read(path)
        except OSError as error:
            raise HoldfastError(f"cannot read your private key {path}: {error.strerror}") from None
        try:
            return self._pyrage.ssh.Identity.from_buffer(data)
        except self._pyrage.IdentityError as error:
            if "decrypted" not in str(error):
                raise HoldfastError(f"{path} is not a private key that age can use: {error}") from None
        try:
            return self._pyrage.ssh.Identity.from_buffer(passphrase.removed(path, data))
        except self._pyrage.IdentityError:
            raise HoldfastError(f"the passphrase of {path} was not given") from None


def _package() -> "Any":
    if not packages.activate_extra():
        raise HoldfastError(_MISSING)
    import pyrage

    return pyrage
