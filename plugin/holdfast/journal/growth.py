"""What is added to the journals of a project, from one look to the next."""

from holdfast.core import files
from holdfast.journal import log

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from holdfast.journal.log import Fact


class Growth:
    """Yields the facts that were added since the last look; the first one yields all facts, or none `from_now` on."""

    def __init__(self, store: str, *, from_now: bool = False) -> None:
        self._store = store
        self._signatures = log.signatures(store) if from_now else {}
        self._read = {ident: files.size_of(log.path_of(store, ident)) for ident in self._signatures}

    def new(self) -> "Iterator[tuple[str, list[Fact]]]":
        """Yield each session whose journal grew, with the facts in its new whole lines.

        A journal that shrank was rewritten without some of its facts: what it has then is not new.
        """
        signatures = log.signatures(self._store)
        changed = [ident for ident, line in signatures.items() if self._signatures.get(ident) != line]
        self._signatures = signatures
        for ident in changed:
            path, begin = log.path_of(self._store, ident), self._read.get(ident, 0)
            try:
                data = files.read(path, files.OWN_LIMIT)
            except OSError:  # removed meanwhile
                continue
            end = data.rfind(b"\n") + 1
            self._read[ident] = end
            if end > begin:
                yield ident, log.facts_in(data[begin:end])
