"""What is to be posted: `outbox.db` in the store, an SQLite database.

Unlike `index.db` it cannot be computed again: it says how much of each journal became messages, and which of them
arrived. Both change in one transaction, so a process that is killed loses no event and makes none twice.
"""

import contextlib
import os
import sqlite3
from collections.abc import Iterator, Sequence
from dataclasses import astuple, dataclass, fields
from typing import Any

from holdfast.core import files
from holdfast.core.errors import HoldfastError
from holdfast.project import error_log

NAME = "outbox.db"
WAITS, SENT, FAILED = "waits", "sent", "failed"
_KEPT = 200  # messages that arrived and are still listed
_SCHEMA = """
create table if not exists seen (session text primary key, signature text, facts integer) without rowid;
create table if not exists noticed (what text primary key) without rowid;
create table if not exists message (number integer primary key, id text unique, endpoint text, session text,
  event text, body text, at real, made real, tries integer default 0, due real default 0, state text default 'waits',
  problem text default '');
create index if not exists message_by_state on message (state, endpoint, session, number);
"""


@dataclass(frozen=True, slots=True)
class Draft:
    """A message that is not stored yet; `at` is the time of its event, in seconds since 1970.

    `id` is the same at each try, so that a receiver can tell a repetition.
    """

    id: str
    endpoint: str
    session: str
    event: str
    body: str
    at: float


@dataclass(frozen=True, slots=True)
class Message(Draft):
    """A stored message to one webhook: when it was made, and the time `due` of its next try, after `problem`."""

    number: int
    made: float
    tries: int
    due: float
    state: str
    problem: str


_DRAFT_COLUMNS = ", ".join(field.name for field in fields(Draft))
_COLUMNS = ", ".join(field.name for field in fields(Message))


def exists(store: str) -> bool:
    """Whether a project has an outbox."""
    return os.path.exists(f"{store}/{NAME}")


def of_project(store: str) -> list[Message]:
    """Return the messages of a project, oldest first; HoldfastError when its outbox cannot be used."""
    if not (store and exists(store)):
        return []
    with contextlib.closing(Outbox(store)) as box:
        return box.messages()


def intact(store: str) -> bool:
    """Set an outbox aside that is no database any more, or no file, and return whether nothing was.

    The new one gets the messages of the last day again, each with its id, so that none of them is lost.
    """
    path = f"{store}/{NAME}"
    try:
        Outbox(store).close()
    except HoldfastError as error:
        broken = error.__cause__
        damaged = isinstance(broken, sqlite3.DatabaseError) and not isinstance(broken, sqlite3.OperationalError)
        if not damaged and (os.path.isfile(path) or not os.path.lexists(path)):
            raise
        files.unlink_quietly(f"{path}-journal")  # it would be applied to the new one
        files.unlink_quietly(f"{path}.broken")
        os.replace(path, f"{path}.broken")
        error_log.record(store, "webhooks", error)
        return False
    return True


class Outbox:
    """The outbox of a project. Everything raises HoldfastError when the file cannot be used."""

    def __init__(self, store: str) -> None:
        self._path = f"{store}/{NAME}"
        files.private_folder(store)
        with self._explained():
            if not os.path.lexists(self._path):
                os.close(os.open(self._path, os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW, 0o600))
            self._database = sqlite3.connect(self._path, timeout=30.0, isolation_level=None)
            try:
                self._database.execute("pragma trusted_schema = off")
                self._database.executescript(_SCHEMA)
                if self._database.execute("pragma quick_check(1)").fetchall() != [("ok",)]:
                    raise sqlite3.DatabaseError("a part of it is damaged")
            except sqlite3.Error:
                self._database.close()
                raise

    def close(self) -> None:
        """Close the file."""
        self._database.close()

    def seen(self) -> dict[str, tuple[str, int]]:
        """Return the signature of each journal when it was read last, and how many facts it had."""
        return {session: (signature, facts) for session, signature, facts in self._rows("select * from seen")}

    def noticed(self) -> set[str]:
        """Return what was noticed once, as `add` got it."""
        return {what for (what,) in self._rows("select what from noticed")}

    def add(
        self,
        drafts: "Sequence[Draft]",
        now: float,
        *,
        seen: "Sequence[tuple[str, str, int]]" = (),
        noticed: "Sequence[str]" = (),
    ) -> None:
        """Store messages together with what they were made from; a message that is there already stays as it is."""
        rows = [(*astuple(draft), now) for draft in drafts]
        with self._transaction():
            self._database.executemany("insert or replace into seen values (?, ?, ?)", seen)
            self._database.executemany("insert or ignore into noticed values (?)", [(what,) for what in noticed])
            self._database.executemany(
                f"insert or ignore into message ({_DRAFT_COLUMNS}, made) values (?, ?, ?, ?, ?, ?, ?)",  # noqa: S608 - names of ours
                rows,
            )

    def heads(self) -> list[Message]:
        """Return the messages that may be sent next: the oldest that waits, for each webhook and session."""
        return self._messages(
            "where number in (select min(number) from message where state = ? group by endpoint, session)", WAITS
        )

    def messages(self) -> list[Message]:
        """Return all messages that are kept, oldest first."""
        return self._messages("")

    def arrived(self, message: Message) -> None:
        """Note that a message was received, and forget the oldest of those that were."""
        with self._transaction():
            self._database.execute(
                "update message set state = ?, problem = '' where number = ?", (SENT, message.number)
            )
            self._database.execute(
                "delete from message where state = ? and number <= "
                "(select number from message where state = ? order by number desc limit 1 offset ?)",
                (SENT, SENT, _KEPT),
            )

    def failed(self, message: Message, problem: str, due: float, *, final: bool) -> None:
        """Note why a try failed, and when the next one is due; none is after a `final` one."""
        state = FAILED if final else WAITS
        with self._transaction():
            self._database.execute(
                "update message set tries = tries + 1, due = ?, problem = ?, state = ? where number = ?",
                (due, problem, state, message.number),
            )

    def retry(self, endpoint: str, now: float) -> set[int]:
        """Let all that did not arrive be tried at once, for a day more; return their numbers. "" means each webhook."""
        with self._transaction():
            condition, values = "where state != ? and (endpoint = ? or ? = '')", (SENT, endpoint, endpoint)
            rows = self._rows(f"select number from message {condition}", *values)  # noqa: S608 - text of ours
            self._database.execute(
                f"update message set state = ?, due = 0, tries = 0, made = ? {condition}",  # noqa: S608 - text of ours
                (WAITS, now, *values),
            )
        return {number for (number,) in rows}

    def drop(self, endpoint: str) -> int:
        """Remove the messages to a webhook; return how many of them had not arrived."""
        with self._transaction():
            ((left,),) = self._rows("select count(*) from message where endpoint = ? and state != ?", endpoint, SENT)
            self._database.execute("delete from message where endpoint = ?", (endpoint,))
        return int(left)

    def _messages(self, condition: str, *values: str) -> list[Message]:
        rows = self._rows(f"select {_COLUMNS} from message {condition} order by number", *values)  # noqa: S608 - texts of ours
        return [Message(*row) for row in rows]

    def _rows(self, query: str, *values: str) -> "list[tuple[Any, ...]]":
        with self._explained():
            return self._database.execute(query, values).fetchall()

    @contextlib.contextmanager
    def _transaction(self) -> "Iterator[None]":
        with self._explained():
            self._database.execute("begin immediate")
            try:
                yield
                self._database.execute("commit")
            finally:
                if self._database.in_transaction:
                    self._database.execute("rollback")

    @contextlib.contextmanager
    def _explained(self) -> "Iterator[None]":
        try:
            yield
        except (sqlite3.Error, OSError) as error:
            raise HoldfastError(
                f"{self._path}: {error}. Correct that; a broken file is set aside at the next event in this project."
            ) from error
