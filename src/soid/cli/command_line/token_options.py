"""The commands about who may come in to `soid serve`: `soid token`."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, ClassVar, Literal, final

from soid.cli.command_line.parameters import AsJson, CommandOptions, Option, Positional

CasesFolder = Annotated[Path, Option("--cases", "FOLDER", "The folder of cases; this one.")]


@final
class NewTokenOptions(CommandOptions, frozen=True):
    """Make a token for a person, by which `soid serve` lets them in; it is shown this once."""

    name: Annotated[str, Positional("NAME", "The person's name, which their entries carry.")]
    role: Annotated[
        Literal["read", "comment", "ask"],
        Option("--role", None, "What they may do: read, also comment, or ask and everything else."),
    ] = "read"
    cases: CasesFolder = Path()
    as_json: AsJson = False

    epilog: ClassVar = (
        "As soon as a folder has tokens, `soid serve FOLDER` lets nobody in without one, not even on this machine. The "
        "tokens are in soid-tokens.json there, as hashes; only you may read the file."
    )


@final
class ListTokensOptions(CommandOptions, frozen=True):
    """List the tokens of a folder: names, roles and ids; the tokens themselves are not kept."""

    cases: CasesFolder = Path()
    as_json: AsJson = False


@final
class RevokeTokenOptions(CommandOptions, frozen=True):
    """Revoke a token: a server that is running lets its owner out at once. What they recorded stays."""

    which: Annotated[str, Positional("NAME | ID", "All tokens of that name, or the one with that id.")]
    cases: CasesFolder = Path()
    as_json: AsJson = False
