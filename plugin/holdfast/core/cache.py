"""The file `index.db` in the store: an SQLite database that holds only what can be computed again.

Nothing here raises because of the file. One that is broken, or of another version, is replaced by an empty one. One
that is locked, on a full disk, or on a file system without working locks is done without: a query then returns no
rows and a change is dropped, so that the caller computes what it needs. This is the only module that imports SQLite.

`Cache` keeps there what was read of files, from one process to the next. A shortcut only: the files decide.
"""

import os

from holdfast.core import fast_json, files

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from typing import Any, TypeVar

    T = TypeVar("T")  # what a query returns; or a reader: an object that JSON knows

    Value = str | bytes | int | float | None
    Row = tuple[Any, ...]  # the types of its columns are those of the query
    Change = tuple[str, Sequence[Sequence[Value]]]  # a statement, and the parameters of each of its runs

NAME = "index.db"
_VERSION = 8  # increase it when a table changes, or when the same source gets another row than before
# Paths are blobs: a name need not be UTF-8.
_SCHEMA = """
create table kept (path blob, kind text, signature text, value text, primary key (path, kind)) without rowid;
create table sessions (tree text, id text, journal text, state blob, line blob, changed real, active real, kind text,
  children text, given_up text, done integer, latest real, primary key (tree, id)) without rowid;
create index sessions_by_time on sessions (tree, kind, active);
create index sessions_by_change on sessions (tree, kind, changed);
create index sessions_by_state on sessions (tree, state);
create index sessions_by_event on sessions (tree, latest);
create index sessions_by_end on sessions (tree, done, active);
create index sessions_related on sessions (tree) where children != '[]' or given_up != '[]';
create table files (tree text, line blob, changed real, written real, kind text,
  primary key (tree, line)) without rowid;
create index files_by_time on files (tree, kind, written);
create index files_by_change on files (tree, kind, changed);
create table marks (name text primary key, value text) without rowid;
create table texts (number integer primary key, session text, at real, kind text, text text);
create index texts_by_session on texts (session);
create virtual table words using fts5 (tokens, tokenize = 'unicode61 remove_diacritics 2');
"""
_MARK, _PUT_MARK = "select value from marks where name = ?", "insert or replace into marks values (?, ?)"
_MANY = 500  # values in one query
_WAIT = 0.2  # seconds for a lock that another process holds
# Codes of SQLite for a file that is broken: an error in the statement (a table is missing), corrupt, not a database.
_BROKEN = {1, 11, 26}


class Database:
    """The database in a store, opened on first use; "" for a store means that there is none."""

    def __init__(self, store: str) -> None:
        self.store = store
        self._path = f"{store}/{NAME}" if store else ""
        self._connection: Any = None

    def rows(self, query: str, *parameters: "Value") -> "list[Row]":
        """Return the rows of a query, [] if the database cannot be read now."""
        if self._connection is None and not os.path.lexists(self._path):
            return []
        return self._run(lambda: self._connection.execute(query, parameters).fetchall()) or []

    def change(self, changes: "Sequence[Change]") -> bool:
        """Make all changes in one transaction, or none; return whether they were made. It ends what `hold` began."""
        self.release()
        return bool(changes) and self._run(lambda: self._transaction(changes)) is not None

    def hold(self) -> None:
        """Let the queries until `release` read one state of the file: each of them then looks less at the disk."""
        if self._connection is None or not self._connection.in_transaction:
            self.rows("begin")

    def release(self) -> None:
        """End what `hold` began; until then no other process can write."""
        if self._connection is not None and self._connection.in_transaction:
            self.rows("commit")

    def close(self) -> None:
        """Close the file; the next use opens it again."""
        if self._connection is not None:
            self._connection.close()
            self._connection = None

    def _transaction(self, changes: "Sequence[Change]") -> bool:
        self._connection.execute("begin immediate")
        try:
            for statement, parameters in changes:
                self._connection.executemany(statement, parameters)
            self._connection.execute("commit")
        finally:
            if self._connection.in_transaction:
                self._connection.execute("rollback")
        return True

    def _run(self, question: "Callable[[], T]") -> "T | None":
        """Return what a question to the open database returns, None where that fails; a broken file is replaced."""
        try:
            import _sqlite3  # `sqlite3` itself imports `datetime` and more; some builds of Python have neither

            return self._answer(question, (UnicodeDecodeError, _sqlite3.Error)) if self._path else None
        except (ImportError, OSError):
            self._give_up()
        return None

    def _answer(self, question: "Callable[[], T]", errors: "tuple[type[Exception], ...]") -> "T | None":
        for _ in range(2):
            try:
                if self._connection is None:
                    self._connection = _opened(self._path)
                return question()
            except errors as error:  # text that is not UTF-8 has no code
                if getattr(error, "sqlite_errorcode", 1) & 0xFF not in _BROKEN:
                    break
                self._remove()
        self._give_up()
        return None

    def _give_up(self) -> None:
        """Do without the database from now on: another wait for the same lock would only take time."""
        self._path = ""
        self.close()

    def _remove(self) -> None:
        """Remove a broken file, and what a transaction on it left."""
        self.close()
        files.unlink_quietly(f"{self._path}-journal")
        files.unlink_quietly(self._path)


class Table:
    """The rows of one working tree in a table; they count only if they were made for the same `variant`."""

    def __init__(self, database: "Database", name: str, tree: str, variant: str) -> None:
        self._database, self._name, self._tree, self._variant = database, name, tree, variant
        self._mark = f"{name} {tree}"
        self._valid = database.rows(_MARK, self._mark) == [(variant,)]
        self._whole = f"whole {self._mark}"

    def rows(self, query: str, *parameters: "Value") -> "list[Row]":
        """Return the rows of a query with the tree as first parameter, [] if they were made for another variant."""
        return self._database.rows(query, self._tree, *parameters) if self._valid else []

    def among(self, column: str, values: "Sequence[Value]", condition: str = "") -> "set[Value]":
        """Return those of the values that a column has; each query costs looks at the disk, so one asks for many."""
        present: set[Value] = set()
        for begin in range(0, len(values), _MANY):
            some = values[begin : begin + _MANY]
            marks = ", ".join("?" * len(some))
            query = f"select {column} from {self._name} where tree = ? and {column} in ({marks}) {condition}"  # noqa: S608 - names of ours
            present.update(value for (value,) in self.rows(query, *some))
        return present

    @property
    def is_whole(self) -> bool:
        """Whether nothing is missing: `set_whole` was called, and nothing has emptied the table since."""
        return self._valid and bool(self._database.rows(_MARK, self._whole))

    def set_whole(self) -> None:
        """Note that nothing is missing now."""
        if not self.is_whole:
            self._database.change([(_PUT_MARK, [(self._whole, "")])])

    def set_others_incomplete(self) -> bool:
        """Note that something may be missing in the same table of each other working tree; whether that was done."""
        others = f"whole {self._name} *", self._whole
        if not self._database.rows("select 1 from marks where name glob ? and name != ?", *others):
            return True
        return self._database.change([("delete from marks where name glob ? and name != ?", [others])])

    def save(self, changes: "list[Change]") -> bool:
        """Make the changes that are some, and set the variant; return whether the table is as it should be."""
        given = [change for change in changes if change[1]]
        if not self._valid:
            given.insert(0, (f"delete from {self._name} where tree = ?", [(self._tree,)]))  # noqa: S608 - a name of ours
            given.append(("delete from marks where name = ?", [(self._whole,)]))
        if given or not self._valid:
            given.append((_PUT_MARK, [(self._mark, self._variant)]))
        done = self._database.change(given) if given else True
        self._valid = self._valid or done
        return done


def _opened(path: str) -> "Any":
    """Return a connection to the database at `path`, which is made, for this user only, if it does not exist yet.

    OSError where its folder does not exist: reading makes no store.
    """
    import _sqlite3

    if not _is_plain(path):
        handle = os.open(path, os.O_RDWR | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW, 0o600)
        os.close(handle)
    connection = _sqlite3.connect(os.fsencode(path), timeout=_WAIT, isolation_level=None, check_same_thread=False)
    try:
        _prepare(connection)
    except BaseException:
        connection.close()
        raise
    return connection


def _is_plain(path: str) -> bool:
    """Whether the file exists; OSError if it is anything but a plain file."""
    try:
        mode = os.lstat(path).st_mode
    except FileNotFoundError:
        return False
    if mode & 0o170000 != 0o100000:  # stat.S_ISREG, without the import
        raise OSError(22, "not a plain file", path)
    return True


def _prepare(connection: "Any") -> None:
    """Set how a connection works, and create the tables in an empty database."""
    connection.execute("pragma trusted_schema = off")
    connection.execute("pragma cell_size_check = on")
    ((version,),) = connection.execute("pragma user_version").fetchall()
    if version == _VERSION:
        return
    connection.execute("begin immediate")
    ((version,),) = connection.execute("pragma user_version").fetchall()
    tables = connection.execute("select name from sqlite_master").fetchall()
    if version != _VERSION and tables:  # of another version: the caller removes the file
        connection.execute("rollback")
        connection.execute("select 1 from a_table_of_this_version")
    for statement in () if tables else _SCHEMA.split(";"):
        connection.execute(statement)
    connection.execute(f"pragma user_version = {_VERSION}")
    connection.execute("commit")


_FIND = "select signature, value from kept where path = ? and kind = ?"
_FIND_ALL = "select path, kind, signature, value from kept where path in ({})"
_PUT = "insert or replace into kept values (?, ?, ?, ?)"
_MOST = 500  # entries that wait for `save`
_PRIME = (1 << 61) - 1


def short_hash(data: bytes) -> str:
    """Return a short text that differs for other bytes, almost always. zlib is slower because it must be loaded."""
    return f"{int.from_bytes(data, 'big') % _PRIME:x}"


class Cache:
    """JSON objects by path and kind; each is valid while the file's size, times and inode stay the same.

    `database` is the index that they are in, for other tables. Without a store nothing is kept for other processes.
    """

    def __init__(self, store: str) -> None:
        self.store = store
        self.database = Database(store)
        self._read: dict[tuple[str, str], tuple[str, object]] = {}  # path and kind: signature and value
        self._ahead: dict[bytes, dict[str, tuple[object, object]]] = {}  # by path and kind: what `fetch` returned
        self._changed: set[tuple[str, str]] = set()
        self._versions: dict[tuple[str, str], list[int]] = {}  # path and kind: the signature at the last read

    def read(
        self,
        path: str,
        parse: "Callable[[str], T]",
        variant: str = "",
        kind: str = "",
        status: "os.stat_result | None" = None,
    ) -> "T":
        """Return `parse(path)`, from the cache when the file is unchanged; OSError when the file is gone.

        `variant` stands for everything besides the file that the result depends on; another variant replaces the
        entry. `kind` separates several results for one file. What is read of a file that changes meanwhile is not kept.
        `status` is the file's, if it was looked at before.
        """
        version = files.signature(status or os.stat(path))
        self._versions[path, kind] = version
        known = self.find(path, kind, [*version, variant])
        if known is not None:
            return known  # type: ignore[return-value] # what the same reader returned before
        value = parse(path)
        if files.signature_of(path) == version:
            self.set(path, kind, [*version, variant], value)
        else:
            self._versions[path, kind] = []
        return value

    def version(self, path: str, kind: str = "") -> list[int]:
        """Return the signature of a file at the last read of that kind, [] for none, and if it changed meanwhile."""
        return self._versions.get((path, kind), [])

    def get(self, path: str, variant: str, kind: str) -> "dict[str, object]":
        """Return the entry of a file, {} when there is none; OSError when the file is gone."""
        return self.find(path, kind, [*files.signature(os.stat(path)), variant]) or {}

    def put(self, path: str, value: "dict[str, object]", variant: str, kind: str) -> None:
        """Set the entry of a file as it is now; OSError when the file is gone."""
        self.set(path, kind, [*files.signature(os.stat(path)), variant], value)

    def find(self, path: str, kind: str, signature: "Sequence[object]") -> "dict[str, object] | None":
        """Return the entry of a path and a kind, None when there is none with this signature."""
        key, text = (path, kind), fast_json.dumps(signature)
        if key not in self._read:
            self._read[key] = self._stored(key)
        known, value = self._read[key]
        return value if known == text and isinstance(value, dict) else None

    def latest(self, path: str, kind: str) -> "tuple[object, object]":
        """Return the signature and the value of an entry whatever its file is now; None, None for none."""
        signature, value = self._stored((path, kind))
        try:
            return fast_json.loads(signature.encode()), value
        except ValueError:
            return None, None

    def set(self, path: str, kind: str, signature: "Sequence[object]", value: object) -> None:
        """Set the entry of a path and a kind, for this process and with `save` for others."""
        self._read[path, kind] = fast_json.dumps(signature), value
        self._changed.add((path, kind))
        if len(self._changed) >= _MOST:
            self.save()

    def fetch(self, paths: "Sequence[str]") -> None:
        """Fetch the entries of these paths in one query, instead of those that were fetched before."""
        names = [os.fsencode(path) for path in paths]
        self._ahead = {name: {} for name in names}
        query = _FIND_ALL.format(", ".join("?" * len(names)))
        for path, kind, signature, value in self.database.rows(query, *names) if names else ():
            self._ahead[path][kind] = signature, value

    def _stored(self, key: tuple[str, str]) -> "tuple[str, object]":
        """Return the signature and the value of an entry in the index; ("", None) for none and for a damaged one."""
        path, kind = os.fsencode(key[0]), key[1]
        fetched = self._ahead.get(path)
        rows = self.database.rows(_FIND, path, kind) if fetched is None else filter(None, [fetched.get(kind)])
        for signature, value in rows:
            if isinstance(signature, str) and isinstance(value, str):
                return signature, unsealed(value)
        return "", None

    def save(self) -> None:
        """Write the entries for the next process; a full or read-only disk is not an error."""
        rows = [
            (os.fsencode(path), kind, self._read[path, kind][0], sealed(self._read[path, kind][1]))
            for path, kind in sorted(self._changed)
        ]
        self._changed.clear()
        self.database.change([(_PUT, [row for row in rows if row[3]])] if rows else [])

    def tidy(self) -> None:
        """Remove the entries of files that are gone."""
        paths = [path for (path,) in self.database.rows("select distinct path from kept")]
        gone = [(path,) for path in paths if isinstance(path, bytes) and not os.path.exists(path)]
        self.database.change([("delete from kept where path = ?", gone)] if gone else [])


def sealed(value: object) -> str:
    """Return a value as JSON behind its hash, "" for one that JSON cannot express: settings may hold dates."""
    try:
        text = fast_json.dumps(value)
    except (TypeError, ValueError):
        return ""
    return f"{_checksum(text.encode())} {text}"


def unsealed(text: str) -> object:
    """Return what was sealed, None for a text that was damaged since."""
    mark, _, value = text.partition(" ")
    data = value.encode("utf-8", "surrogateescape")
    try:
        return fast_json.loads(data) if _checksum(data) == mark else None
    except ValueError:
        return None


def _checksum(data: bytes) -> str:
    """Return the checksum of a value: many are read at once, for which `short_hash` is too slow."""
    import zlib  # what reads no cache needs none

    return f"{zlib.crc32(data):x}"
