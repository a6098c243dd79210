"""Entries get the public key of their signer and a signature; those of earlier versions stay unsigned."""

from __future__ import annotations

from alembic import op
from sqlalchemy import Column, Text

revision = "0002"
down_revision = "0001"


def upgrade() -> None:
    op.add_column("entries", Column("key", Text, nullable=True))
    op.add_column("entries", Column("signature", Text, nullable=True))
