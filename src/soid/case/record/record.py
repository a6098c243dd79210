"""The Record: one file to which entries are added and from which none are removed.

It is an SQLite file. A commit is on the disk before `append` returns (a rollback journal, synchronised with its
folder), so a returned entry survives a crash. Between two commits there is no second file beside it: a case can then
be copied. Two processes that append take turns: each reads the last hash inside the transaction that adds its entry,
so the chain never forks. The file's header counts the entries, so that a removal of the last ones is found.
"""

from __future__ import annotations

import hashlib
import json
import os
import sqlite3
import threading
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import closing, contextmanager
from functools import partial
from pathlib import Path
from typing import Any, Final, Literal, Self, final

from sqlalchemy import Connection, Engine, NullPool, Pool, StaticPool, create_engine, event, insert, select
from sqlalchemy.exc import DBAPIError, SQLAlchemyError

from soid.cache import write_new
from soid.case.custody.ed25519 import SigningKey
from soid.case.custody.signatures import wrong_signature
from soid.case.record import schema
from soid.case.record.entry import GENESIS, Entry, EntryKind, canonical, seal
from soid.case.record.payload_shapes import misfit
from soid.case.record.schema import CONTENTS, ENTRIES
from soid.errors import CaseError, ChainError
from soid.surface import Advice

#: "soid" in SQLite's header marks a case file
APPLICATION: Final = int.from_bytes(b"soid", "big")

PATIENCE: Final = 60.0  # seconds to wait for another process's transaction

#: seconds; a file system may give two writes within this time the same time of change
_SAME_TIME: Final = 0.1

Mode = Literal["ro", "rw"]


_NEW: Final = Advice(
    command="Name one, or make one: `soid case new`.",
    python="Name one, or make one: soid.Case.create(file, project).",
    page="Name one, or make one.",
)


@final
class Record:
    """An open case file."""

    def __init__(self, file: Path, *, read_only: bool = False) -> None:
        """Open an existing file; `create` makes one. If `read_only`, `append` raises.

        SQLite opens the file for writing even then, if it can: it must roll back the transaction of a killed process.
        """
        self.file = file
        self.read_only = read_only
        self._known: list[Entry] = []
        self._state: tuple[int, int] | None = None  # time and size of the file at the last read; None: read it again
        self._lock = threading.Lock()
        if not file.is_file():
            raise CaseError(f"{file}: there is no such case file", _NEW)
        with _naming(self.file):
            mode: Mode = "rw" if os.access(file, os.W_OK) else "ro"
            self._engine = _engine(partial(_connected, f"{file.absolute().as_uri()}?mode={mode}"), NullPool)
            self._prepare()

    @classmethod
    def create(
        cls,
        file: Path,
        *,
        who: str,
        when: str,
        payload: Mapping[str, Any],
        contents: Mapping[str, bytes],
        signer: SigningKey | None = None,
    ) -> Self:
        """Make a case file with its first entry; an existing file is never replaced."""
        return cls.restore(
            file, [Entry.make(1, EntryKind.OPENED, who, when, payload, GENESIS, signer=signer)], contents
        )

    @classmethod
    def restore(cls, file: Path, entries: Sequence[Entry], contents: Mapping[str, bytes]) -> Self:
        """Make a case file of its entries and of the files that the first one lists, by hash.

        It is made in memory, and the file gets its name only when it is complete: a kill leaves no part of it.
        """
        _refuse_existing(file)
        with _naming(file), closing(_connected("file::memory:")) as draft:
            engine = _engine(lambda: draft, StaticPool)
            with engine.begin() as connection:
                connection.exec_driver_sql(f"PRAGMA application_id = {APPLICATION}")
                schema.upgrade(connection)
                for sha256, data in contents.items():
                    connection.execute(insert(CONTENTS).values(sha256=sha256, data=data))
                for entry in entries:
                    add_entry(connection, entry)
            try:
                write_new(file, draft.serialize())
            except FileExistsError:
                _refuse_existing(file)
        return cls(file)

    @property
    def entries(self) -> tuple[Entry, ...]:
        """All entries in order, also those of other processes; a broken chain is a ChainError."""
        with self._lock:
            status = self.file.stat() if self.file.is_file() else None
            state = None if status is None else (status.st_mtime_ns, status.st_size)
            if state is None or state != self._state:
                read_at = time.time()
                with _naming(self.file), self._engine.begin() as connection:
                    self._read(connection)
                certain = status is not None and read_at - status.st_mtime > _SAME_TIME
                self._state = state if certain else None
            return tuple(self._known)

    @property
    def is_current(self) -> bool:
        """Whether the file is still the one that was opened: it may be gone, or replaced by another case."""
        if not self.file.is_file():
            return False
        with self._lock, _naming(self.file), self._engine.begin() as connection:
            return not self._known or self._hash_of(connection, 1) == self._known[0].hash

    def append(
        self,
        kind: EntryKind,
        payload: Mapping[str, Any],
        *,
        who: str,
        when: str,
        check: Callable[[Sequence[Entry]], object] = lambda _: None,
        signer: SigningKey | None = None,
    ) -> Entry:
        """Add an entry; it is on the disk before it is returned.

        `check` sees all entries before it, inside the same transaction, and may refuse by raising.
        """
        if self.read_only:
            raise CaseError(f"{self.file} was opened to be read only", "Open it where it can be written.")
        with self._lock, _naming(self.file):
            with self._engine.execution_options(begin="BEGIN IMMEDIATE").begin() as connection:
                before = self._read(connection)
                check(before)
                number, case = len(before) + 1, before[0].hash
                entry = Entry.make(number, kind, who, when, payload, before[-1].hash, signer=signer, case=case)
                add_entry(connection, entry)
            self._known.append(entry)
        return entry

    def content(self, sha256: str) -> bytes:
        """A file that the case holds, by its hash."""
        with _naming(self.file), self._engine.begin() as connection:
            data = connection.execute(select(CONTENTS.c.data).where(CONTENTS.c.sha256 == sha256)).scalar()
        return _whole(self.file, sha256, data)

    def verify(self) -> Entry:
        """Read and check the whole file again; returns the last entry. A ChainError names the first wrong entry."""
        fresh = Record(self.file, read_only=True)
        with _naming(self.file), fresh._engine.begin() as connection:
            entries = fresh._read(connection)
            rows = connection.execute(select(CONTENTS.c.sha256, CONTENTS.c.data)).all()
        kept = {row.sha256: row.data for row in rows}
        held = [file["sha256"] for file in entries[0].payload["files"]]
        for sha256 in held:
            _whole(self.file, sha256, kept.get(sha256))
        if foreign := sorted(map(str, kept.keys() - set(held))):
            problem = f"entry 1 does not know the file with the hash {foreign[0]}"
            raise ChainError(f"{self.file}: {problem}", _TAMPERED, entry=1)
        if wrong := wrong_signature(entries):
            raise ChainError(f"{self.file}: {wrong.words}", _TAMPERED, entry=wrong.number)
        return entries[-1]

    # --- inside a transaction

    @staticmethod
    def _hash_of(connection: Connection, number: int) -> str | None:
        """The hash of an entry, as the file has it; None if there is no such entry."""
        return connection.execute(select(ENTRIES.c.hash).where(ENTRIES.c.number == number)).scalar()

    def _read(self, connection: Connection) -> tuple[Entry, ...]:
        """All entries; reads only the new ones, because entries never change."""
        known = len(self._known)
        if known and self._hash_of(connection, known) != self._known[-1].hash:
            if self._hash_of(connection, 1) != self._known[0].hash:
                raise CaseError(f"{self.file.name} is another case now", "Open it anew: the one before was replaced.")
            raise ChainError(f"{self.file}: entry {known} is not what was read before", _TAMPERED, entry=known)
        there = {row.name for row in connection.exec_driver_sql("PRAGMA table_info(entries)")}
        older = {"key", "signature"} - there  # an older form does not have them
        columns = [column for column in ENTRIES.columns if column.name not in older]
        for row in connection.execute(select(*columns).where(ENTRIES.c.number > known).order_by(ENTRIES.c.number)):
            before = self._known[-1] if self._known else None
            self._known.append(_checked(self.file, row._asdict(), before))
        if not self._known:
            raise ChainError(f"{self.file}: entry 1 is missing", _TAMPERED, entry=1)
        counted = connection.exec_driver_sql("PRAGMA user_version").scalar()
        if counted != len(self._known):
            problem = f"there are {len(self._known)} entries, and {counted} were written"
            raise ChainError(f"{self.file}: {problem}", _TAMPERED, entry=min(len(self._known), counted or 0) + 1)
        return tuple(self._known)

    def _prepare(self) -> None:
        """Raise if the file is no case file; migrate an older one to the newest schema, unless it is only read."""
        with self._engine.begin() as connection:
            if connection.exec_driver_sql("PRAGMA application_id").scalar() != APPLICATION:
                raise CaseError(f"{self.file} is no case file of soid", _NEW)
            found = schema.revision_of(connection)
        if found != schema.NEWEST and not (self.read_only and found in schema.READABLE):
            if self.read_only:
                problem = f"{self.file} is in a form that this version of soid does not know"
                raise CaseError(problem, "Open it with the version that made it, or with a newer one.")
            with self._engine.execution_options(begin="BEGIN IMMEDIATE").begin() as connection:
                schema.upgrade(connection)


_TAMPERED: Final = "The case was changed from outside, or damaged: go back to a copy whose chain holds."


def _checked(file: Path, row: Mapping[str, Any], before: Entry | None) -> Entry:
    """The entry of a row; raises unless its hash fits and it follows the entry before."""
    number = before.number + 1 if before else 1

    def wrong(what: str) -> ChainError:
        return ChainError(f"{file}: entry {number} {what}", _TAMPERED, entry=number)

    if row["number"] != number:
        raise wrong("is missing")
    key, signature = row.get("key"), row.get("signature")
    texts = [row[name] for name in ("kind", "who", "when", "payload", "previous", "hash")]
    if not all(isinstance(each, str) for each in (*texts, *(each for each in (key, signature) if each is not None))):
        raise wrong("holds something that is no text")
    if row["previous"] != (before.hash if before else GENESIS):
        raise wrong("does not follow the one before it")
    if seal(number, row["kind"], row["who"], row["when"], row["payload"], row["previous"], key) != row["hash"]:
        raise wrong("is not what was written: its hash does not fit")
    try:
        payload = json.loads(row["payload"])
        if not isinstance(payload, dict) or canonical(payload) != row["payload"]:
            raise ValueError
    except (ValueError, RecursionError):
        raise wrong("does not hold canonical JSON") from None
    try:
        kind = EntryKind(row["kind"])
    except ValueError:
        problem = f"{file}: entry {number} is of a kind that this version of soid does not know: {row['kind']}"
        raise CaseError(problem, "Open it with a newer version.") from None
    if problem := misfit(number, kind, payload):
        raise wrong(problem)
    fields = (row["who"], row["when"], row["payload"], payload, row["previous"], row["hash"], key, signature)
    return Entry(number, kind, *fields)


def _whole(file: Path, sha256: str, data: object) -> bytes:
    """The content of a held file; raises unless its hash fits."""
    if not isinstance(data, bytes) or hashlib.sha256(data).hexdigest() != sha256:
        what = "is missing" if data is None else "has been changed"
        raise ChainError(f"{file}: entry 1: the file with the hash {sha256} {what}", _TAMPERED, entry=1)
    return data


def add_entry(connection: Connection, entry: Entry) -> None:
    connection.execute(insert(ENTRIES).values(entry.row))
    connection.exec_driver_sql(f"PRAGMA user_version = {entry.number}")


# --- SQLite ---------------------------------------------------------------------------------------------------


def _connected(uri: str) -> sqlite3.Connection:
    # isolation_level=None: Python's driver must not begin transactions by itself
    return sqlite3.connect(uri, uri=True, timeout=PATIENCE, isolation_level=None, check_same_thread=False)


def _engine(connect: Callable[[], sqlite3.Connection], pool: type[Pool]) -> Engine:
    """An engine; without a pool each transaction opens a connection, in its own thread."""
    engine = create_engine("sqlite://", creator=connect, poolclass=pool)

    @event.listens_for(engine, "connect")
    def _settings(connection: sqlite3.Connection, _: object) -> None:
        connection.execute("PRAGMA trusted_schema = OFF")  # the file may be hostile
        connection.execute("PRAGMA synchronous = EXTRA")

    @event.listens_for(engine, "begin")
    def _begin(connection: Connection) -> None:
        connection.exec_driver_sql(connection.get_execution_options().get("begin", "BEGIN"))

    return engine


@contextmanager
def _naming(file: Path) -> Iterator[None]:
    """Turn errors of the database into CaseErrors."""
    try:
        yield
    except (SQLAlchemyError, sqlite3.Error) as error:
        if not file.exists():
            raise CaseError(f"{file.name} is no longer there", "It was deleted, or moved to another place.") from error
        cause = str(error.orig if isinstance(error, DBAPIError) else error)
        problem, remedy = _explained(cause)
        raise CaseError(f"{file}{problem}", remedy) from error
    except UnicodeDecodeError as error:  # SQLite quotes a bad byte of the schema in its message, and Python reads that
        problem, remedy = _explained("malformed database schema: it has bytes that are no text")
        raise CaseError(f"{file}{problem}", remedy) from error
    except OSError as error:
        problem = f"{file}: {error.strerror or error}"
        raise CaseError(problem, "Name a file in a folder that you may write to.") from error


def _explained(cause: str) -> tuple[str, str]:
    """Problem and remedy for an error message of SQLite."""
    if "locked" in cause:
        return ": another process keeps the case to itself", "Try again when it is done."
    if "not a database" in cause or "malformed" in cause:
        return f" is no case file of soid, or is damaged: {cause}", "Name another file, or a copy that is whole."
    return f": {cause}", "Check that the file can be read and written, and that the disk is not full."


def _refuse_existing(file: Path) -> None:
    if file.exists():
        raise CaseError(f"{file} is there already", "A case is never replaced: name a new file.")
