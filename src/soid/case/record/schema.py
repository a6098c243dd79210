"""The tables of a case file, and its migration to them by alembic, from `migrations/`."""

from __future__ import annotations

from pathlib import Path
from typing import Any, Final

from sqlalchemy import Column, Connection, Integer, LargeBinary, MetaData, Table, Text, inspect, text

from soid.errors import CaseError

#: the newest revision; a test compares it with the migrations
NEWEST: Final = "0002"

#: older revisions that can be read as they are: their entries have no signatures
READABLE: Final = frozenset({"0001", NEWEST})

_FOLDER: Final = Path(__file__).parent / "migrations"

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
    Column("key", Text, nullable=True),
    Column("signature", Text, nullable=True),
)

#: the files that the case holds, by the hash of their content
CONTENTS: Final = Table(
    "contents",
    METADATA,
    Column("sha256", Text, primary_key=True),
    Column("data", LargeBinary, nullable=False),
)


def revision_of(connection: Connection) -> str | None:
    """The schema revision of a file; None if it has no tables yet."""
    inspected = inspect(connection)
    if not inspected.has_table("alembic_version"):
        return None
    if inspected.get_view_names():  # soid makes none; one in the place of a table may never end
        raise CaseError("there are views in the case file, which soid does not make", "Do not trust it.")
    found: str | None = connection.execute(text("SELECT version_num FROM alembic_version")).scalar()
    return found


def upgrade(connection: Connection) -> None:
    """Migrate the file to the newest revision; the caller commits."""
    from alembic.config import Config  # loaded on demand: few files need it
    from alembic.runtime.environment import EnvironmentContext
    from alembic.script import ScriptDirectory
    from alembic.util import CommandError

    config = Config()
    config.set_main_option("script_location", str(_FOLDER).replace("%", "%%"))
    config.set_main_option("version_locations", str(_FOLDER).replace("%", "%%"))
    config.set_main_option("path_separator", "newline")  # the separator for the two options above
    scripts = ScriptDirectory.from_config(config)

    def steps(revision: Any, _: Any) -> Any:
        return scripts._upgrade_revs(NEWEST, revision)  # what alembic's own documentation calls here

    try:
        with EnvironmentContext(config, scripts, fn=steps) as environment:
            environment.configure(connection=connection)
            environment.run_migrations()
    except CommandError as error:
        raise CaseError(
            f"this version of soid does not know the form of the case file: {error}",
            "Open it with the version that made it, or with a newer one.",
        ) from error
