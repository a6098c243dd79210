"""The command that asks at many moments."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, ClassVar, final

from soid.cli import exits
from soid.cli.command_line.parameters import (
    AcceptMismatch,
    AsJson,
    CommandOptions,
    MostMemory,
    Option,
    Positional,
    QuestionSeconds,
    ReplayChoice,
    SvgFile,
    Window,
)


@final
class SweepOptions(CommandOptions, frozen=True):
    """Put the same questions at many moments of many logs: one row for each, and what came of them all."""

    questions: Annotated[
        tuple[str, ...], Positional("QUESTION", "Each in quotes; or FILE.soid, a script whose questions are asked.")
    ] = ()
    project: Annotated[
        Path | None, Option("--project -p", "PATH", "The folder with the soid.toml, or that file; the script's.")
    ] = None
    logs: Annotated[
        tuple[str, ...],
        Option(
            "--log",
            "FILES",
            "A log, or a pattern in quotes: 'fleet/*.parquet'; again. The manifest's.",
        ),
    ] = ()
    steps: Annotated[
        str,
        Option(
            "--steps",
            "WHICH",
            "all; numbers: 3, 10..20; 'where CONDITION', as in questions; changed: where a decision changed.",
        ),
    ] = "all"
    to: Annotated[
        Path | None, Option("--to", "FILE", "Write the rows there as they come: .csv, .jsonl or .parquet.")
    ] = None
    svg: SvgFile = None
    resume: Annotated[bool, Option("--resume", None, "Go on with the rows that FILE has.")] = False
    workers: Annotated[
        int | None,
        Option("--workers", "N", "Processes side by side; all cores, if there is enough to do.", least=1),
    ] = None
    scheduler: Annotated[
        str | None,
        Option("--scheduler", "ADDRESS", "A Dask cluster's, tcp://host:8786 or tls://...: its workers answer."),
    ] = None
    as_json: AsJson = False
    quiet: Annotated[bool, Option("--quiet -q", None, "Only the sentences of the summary.")] = False
    seconds: QuestionSeconds = None
    window: Window = None
    accept_log_mismatch: AcceptMismatch = False
    replay: ReplayChoice = "confined"
    memory: MostMemory = None

    epilog: ClassVar = exits.SWEEP_HELP
