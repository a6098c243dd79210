"""The commands that put causes, a map or an explanation on the record of a case."""

from __future__ import annotations

from typing import Annotated, ClassVar, final

from soid.cli import exits
from soid.cli.command_line.case_options import CaseFile, EntryNumber, LogName, MomentName, Who
from soid.cli.command_line.parameters import (
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
from soid.cli.command_line.question_options import Agents, CauseSize, HeldFacts, MapResolution


@final
class CausesCaseOptions(CommandOptions, frozen=True):
    """Put the actual causes of what happened on the record: the smallest sets of facts without which it does not."""

    file: CaseFile
    question: Annotated[str, Positional("QUESTION", 'What happened: "did move".')]
    over: Annotated[str, Option("--over", "SUPPOSITIONS", 'The facts that may be causes: "signal is anything".')]
    hold: HeldFacts = ()
    agents: Agents = ()
    size: CauseSize = 6
    step: MomentName = None
    log: LogName = None
    who: Who = None
    as_json: AsJson = False
    seconds: QuestionSeconds = None
    memory: MostMemory = None
    window: Window = None
    replay: ReplayChoice = "confined"

    epilog: ClassVar = exits.HELP


@final
class MapCaseOptions(CommandOptions, frozen=True):
    """Put a map on the record: what happens where along one variable or two, each region proved."""

    file: CaseFile
    over: Annotated[str, Option("--over", "SUPPOSITIONS", 'What may differ: "1.0 <= x <= 1.5 and signal is anything".')]
    by: Annotated[
        str | None,
        Option(
            "--by", "OUTPUT | BEHAVIOR", 'What tells regions apart: "move", "brake > 0.5", or a program; the decisions.'
        ),
    ] = None
    resolution: MapResolution = 256
    svg: SvgFile = None
    step: MomentName = None
    log: LogName = None
    who: Who = None
    as_json: AsJson = False
    seconds: QuestionSeconds = None
    memory: MostMemory = None
    window: Window = None


@final
class ExplainCaseOptions(CommandOptions, frozen=True):
    """Put the explanation of an answer on the record: what mattered to it, or what its proof needed."""

    file: CaseFile
    number: EntryNumber
    others: Annotated[int, Option("--others", "N", "How many other sets of changes are looked for.", least=0)] = 3
    who: Who = None
    as_json: AsJson = False
    seconds: QuestionSeconds = None
    memory: MostMemory = None
    window: Window = None
    replay: ReplayChoice = "confined"
