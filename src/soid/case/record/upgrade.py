"""Migration of a case file to the schema of this version of soid, by alembic's migrations in `migrations/`."""

from __future__ import annotations

from pathlib import Path
from typing import Any, Final

from sqlalchemy import Connection, inspect, text

from soid.errors import CaseError

#: the newest revision; a test compares it with the migrations
NEWEST: Final = "0001"

_FOLDER: Final = Path(__file__).parent / "migrations"


def revision_of(connection: Connection) -> str | None:
    """The schema revision of a file; None if it has no tables yet."""
    if not inspect(connection).has_table("alembic_version"):
        return None
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
