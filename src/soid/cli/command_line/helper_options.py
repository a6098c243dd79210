"""The commands about the process that keeps soid loaded: `soid helper`."""

from __future__ import annotations

from typing import ClassVar, final

from soid.cli.command_line.parameters import AsJson, CommandOptions


@final
class HelperStatusOptions(CommandOptions, frozen=True):
    """Show the helpers that run, and whether commands use them."""

    as_json: AsJson = False

    epilog: ClassVar = (
        "A helper keeps soid loaded between two commands. It starts by itself after a question, ends after ten idle "
        "minutes, and changes no answer. `SOID_HELPER=off`, `soid --no-helper ask ...` and `soid helper off` do "
        "without; `SOID_HELPER=60` keeps it for an hour."
    )


@final
class StopHelperOptions(CommandOptions, frozen=True):
    """End the helpers that run; what they are doing is finished, and the next question starts another."""

    as_json: AsJson = False


@final
class SwitchHelperOffOptions(CommandOptions, frozen=True):
    """Use no helper from now on, and end those that run."""

    as_json: AsJson = False


@final
class SwitchHelperOnOptions(CommandOptions, frozen=True):
    """Use helpers again."""

    as_json: AsJson = False
