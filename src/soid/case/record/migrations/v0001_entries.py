"""The first schema of a case file: entries and contents; rows are added and never changed.

The triggers guard against mistakes. Deliberate tampering can drop them; the chain of hashes detects it.
"""

from __future__ import annotations

from alembic import op
from sqlalchemy import Column, Integer, LargeBinary, Text

revision = "0001"
down_revision = None

_GUARDS = (
    """
    CREATE TRIGGER entries_follow_each_other BEFORE INSERT ON entries
    WHEN NEW.number <> (SELECT coalesce(max(number), 0) + 1 FROM entries)
      OR NEW.previous <> coalesce((SELECT hash FROM entries ORDER BY number DESC LIMIT 1), printf('%064d', 0))
    BEGIN SELECT raise(ABORT, 'an entry follows the last one and no other'); END
    """,
    *(
        f"""
        CREATE TRIGGER {table}_refuse_{change.lower()} BEFORE {change} ON {table}
        BEGIN SELECT raise(ABORT, 'a case is added to and never changed'); END
        """
        for table in ("entries", "contents")
        for change in ("UPDATE", "DELETE")
    ),
)


def upgrade() -> None:
    op.create_table(
        "entries",
        Column("number", Integer, primary_key=True, autoincrement=False),
        Column("kind", Text, nullable=False),
        Column("who", Text, nullable=False),
        Column("when", Text, nullable=False),
        Column("payload", Text, nullable=False),
        Column("previous", Text, nullable=False),
        Column("hash", Text, nullable=False, unique=True),
    )
    op.create_table(
        "contents",
        Column("sha256", Text, primary_key=True),
        Column("data", LargeBinary, nullable=False),
    )
    if op.get_bind().dialect.name == "sqlite":
        for guard in _GUARDS:
            op.execute(guard)
