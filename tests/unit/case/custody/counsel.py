"""What somebody does who wants a case to say something else: every hash fits again, as far as hashes go."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Sequence
from contextlib import closing
from dataclasses import replace
from pathlib import Path

from soid.case.custody.ed25519 import SigningKey, new_key
from soid.case.record.entry import GENESIS, Entry, EntryKind, seal

MOMENT = "2030-01-02T03:04:05.000Z"


def chain(count: int, signer: SigningKey | None, *, who: str = "ada", title: str = "") -> tuple[Entry, ...]:
    """A case of so many entries."""
    made: list[Entry] = []
    for number in range(1, count + 1):
        kind = EntryKind.NOTE if made else EntryKind.OPENED
        payload = {"on": 1, "text": f"{title} {number}"} if made else {"title": title, "files": []}
        before, case = (made[-1].hash, made[0].hash) if made else (GENESIS, None)
        made.append(Entry.make(number, kind, who, MOMENT, payload, before, signer=signer, case=case))
    return tuple(made)


def written_anew(
    entries: Sequence[Entry],
    change: Callable[[Entry], Entry] = lambda entry: entry,
    signer: Callable[[Entry], SigningKey | None] = lambda _: None,
) -> tuple[Entry, ...]:
    """The entries, each changed and sealed again after the one before; signed where the forger has a key."""
    made: list[Entry] = []
    for number, old in enumerate(map(change, entries), start=1):
        before, case = (made[-1].hash, made[0].hash) if made else (GENESIS, None)
        fields = (number, old.kind, old.who, old.when, old.payload, before)
        made.append(Entry.make(*fields, signer=signer(old), case=case))
    return tuple(made)


def resealed(entries: Sequence[Entry]) -> tuple[Entry, ...]:
    """The entries as they are, with their old keys and signatures, numbered and sealed again."""
    made: list[Entry] = []
    for number, old in enumerate(entries, start=1):
        before = made[-1].hash if made else GENESIS
        sealed = seal(number, old.kind.value, old.who, old.when, old.text, before, old.key)
        made.append(replace(old, number=number, previous=before, hash=sealed))
    return tuple(made)


def put_into(file: Path, entries: Sequence[Entry]) -> Path:
    """The case file with other entries; its counter fits, and its guards are as they were."""
    with closing(sqlite3.connect(file)) as connection:
        connection.execute("PRAGMA synchronous = OFF")
        guards = connection.execute("SELECT name, sql FROM sqlite_master WHERE type = 'trigger'").fetchall()
        for name, _ in guards:
            connection.execute(f"DROP TRIGGER {name}")
        connection.execute("DELETE FROM entries")
        for entry in entries:
            row = {"key": None, "signature": None, **entry.row}
            names = ", ".join(f'"{name}"' for name in row)
            connection.execute(f"INSERT INTO entries ({names}) VALUES ({', '.join('?' * len(row))})", [*row.values()])
        for _, text in guards:
            connection.execute(text)
        connection.execute(f"PRAGMA user_version = {len(entries)}")
        connection.commit()
    return file


def as_earlier_versions_made_it(file: Path) -> Path:
    """The case file in the form that had no signatures."""
    with closing(sqlite3.connect(file)) as connection:
        for column in ("key", "signature"):
            connection.execute(f"ALTER TABLE entries DROP COLUMN {column}")
        connection.execute("UPDATE alembic_version SET version_num = '0001'")
        connection.commit()
    return file


EVE = new_key()
