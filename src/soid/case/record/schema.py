"""The tables of a case file, as its newest migration leaves them."""

from __future__ import annotations

from typing import Final

from sqlalchemy import Column, Integer, LargeBinary, MetaData, Table, Text

METADATA: Final = MetaData()

#: the entries in order; rows are never changed
ENTRIES: Final = Table(
    "entries",
    METADATA,
    Column("number", Integer, primary_key=True, autoincrement=False),
    Column("kind", Text, nullable=False),
    Column("who", Text, nullable=False),
    Column("when", Text, nullable=False),
    Column("payload", Text, nullable=False),
    Column("previous", Text, nullable=False),
    Column("hash", Text, nullable=False, unique=True),
)

#: the files that the case holds, by the hash of their content
CONTENTS: Final = Table(
    "contents",
    METADATA,
    Column("sha256", Text, primary_key=True),
    Column("data", LargeBinary, nullable=False),
)
