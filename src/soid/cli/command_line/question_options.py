"""The commands that ask a program at one moment of its log: ask, explain, map, abstraction, scene."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, ClassVar, Literal, final

from soid.cli import exits
from soid.cli.command_line.parameters import (
    AcceptMismatch,
    AsJson,
    CommandOptions,
    Exact,
    LogFile,
    MostMemory,
    MostPaths,
    Option,
    Positional,
    ProjectPath,
    Questions,
    QuestionSeconds,
    Quiet,
    ReplayChoice,
    SolverNames,
    StepOrTime,
    SvgFile,
    Verbose,
    Window,
    WitnessSeconds,
)

HeldFacts = Annotated[
    tuple[str, ...],
    Option("--hold", "X at step N", "What is perceived at a later step may be held as it was; again."),
]
Agents = Annotated[
    tuple[str, ...],
    Option("--agent", "NAME = X, Y", "Whose variables these are, for a degree of responsibility together; again."),
]
CauseSize = Annotated[int, Option("--size", "N", "The most variables that a cause has.", least=1, most=4096)]
MapResolution = Annotated[
    int, Option("--resolution", "N", "Follow curved boundaries to the n-th part of the picture.", least=1, most=4096)
]


@final
class AskOptions(CommandOptions, frozen=True):
    """Put questions to the program; without one, those that the manifest lists."""

    questions: Questions = ()
    project: ProjectPath = Path()
    trace: LogFile = None
    step: StepOrTime = None
    vnnlib: Annotated[
        Path | None,
        Option("--vnnlib", "FILE", "Ask this property of the project's network instead: sat, unsat or unknown."),
    ] = None
    model: Annotated[Path | None, Option("--model", "FILE.onnx", "The network of --vnnlib, without a project.")] = None
    as_json: AsJson = False
    seconds: QuestionSeconds = None
    witness_seconds: WitnessSeconds = None
    solvers: SolverNames = ()
    cross_check: Annotated[
        bool, Option("--cross-check", None, "Two solvers must agree on everything; of --vnnlib, Marabou is asked too.")
    ] = False
    log_queries: Annotated[
        Path | None, Option("--log-queries", "DIR", "Write every query to the solvers there, as .smt2 files.")
    ] = None
    window: Window = None
    paths: MostPaths = None
    memory: MostMemory = None
    accept_log_mismatch: AcceptMismatch = False
    replay: ReplayChoice = "confined"
    recipe: Annotated[
        Literal["soid", "paper"],
        Option(
            "--recipe",
            None,
            "How answers are found; paper: as published, each branch and the end by Z3, for comparison.",
        ),
    ] = "soid"
    without: Annotated[
        tuple[str, ...], Option("--without", "NAME", "Switch a mechanism of the recipe off, by name; again.")
    ] = ()
    cores: Annotated[int | None, Option("--cores", "N", "Processes side by side; all cores.", least=1)] = None
    resume: Annotated[
        bool,
        Option("--resume", None, "Go on from what an open question had come to; 600 seconds if none are given."),
    ] = False
    verbose: Verbose = False
    exact: Exact = False
    quiet: Quiet = False

    epilog: ClassVar = exits.HELP


@final
class ExplainOptions(CommandOptions, frozen=True):
    """Explain an answer: what mattered and where it flips, or what its proof needed."""

    words: Annotated[
        tuple[str, ...],
        Positional("QUESTION | CASE N", "A question in quotes; or a case file and the number of an entry in it."),
    ] = ()
    project: ProjectPath = Path()
    trace: LogFile = None
    step: StepOrTime = None
    as_json: AsJson = False
    exact: Exact = False
    others: Annotated[int, Option("--others", "N", "How many other sets of changes are looked for.", least=0)] = 3
    seconds: Annotated[
        float | None, Option("--seconds", "S", "What answering may take, and explaining again; 60.", least=0.0)
    ] = None
    window: Window = None
    accept_log_mismatch: AcceptMismatch = False
    replay: Annotated[
        Literal["confined", "unconfined", "off"],
        Option(
            "--replay",
            None,
            "Whether scenarios are run on the program itself; unconfined: though it may do harm.",
        ),
    ] = "confined"
    memory: MostMemory = None

    epilog: ClassVar = exits.HELP


@final
class CausesOptions(CommandOptions, frozen=True):
    """Find the actual causes of what happened: the smallest sets of facts without which it does not happen."""

    question: Annotated[str, Positional("QUESTION", 'What happened: "did move", "did collision within 40 steps".')]
    over: Annotated[
        str,
        Option("--over", "SUPPOSITIONS", 'The facts that may be causes: "signal is anything and 0 <= x <= 2".'),
    ]
    hold: HeldFacts = ()
    agents: Agents = ()
    size: CauseSize = 6
    project: ProjectPath = Path()
    trace: LogFile = None
    step: StepOrTime = None
    as_json: AsJson = False
    seconds: QuestionSeconds = None
    window: Window = None
    accept_log_mismatch: AcceptMismatch = False
    replay: ReplayChoice = "confined"
    memory: MostMemory = None


@final
class MapOptions(CommandOptions, frozen=True):
    """Draw a map of what happens where, along one variable or two: exact regions, each proved."""

    over: Annotated[
        str,
        Option(
            "--over",
            "SUPPOSITIONS",
            'What may differ, one variable or two: "1.0 <= x <= 1.5 and signal is anything".',
        ),
    ]
    by: Annotated[
        str | None,
        Option(
            "--by",
            "OUTPUT | BEHAVIOR",
            'What regions are told apart by: "move", "brake > 0.5", or a program; the decisions, if not said.',
        ),
    ] = None
    svg: SvgFile = None
    project: ProjectPath = Path()
    trace: LogFile = None
    step: StepOrTime = None
    as_json: AsJson = False
    seconds: Annotated[float | None, Option("--seconds", "S", "What the map may take; 60.", least=0.0)] = None
    resolution: MapResolution = 256
    window: Window = None
    accept_log_mismatch: Annotated[
        bool, Option("--accept-log-mismatch", None, "Go on where log and program differ.")
    ] = False
    memory: MostMemory = None


@final
class CompareOptions(CommandOptions, frozen=True):
    """Put the same questions to several programs: one table of verdicts, and the scenarios behind them."""

    questions: Annotated[
        tuple[str, ...],
        Positional("QUESTION", 'Each in quotes, about any of the programs: "did move"; without one, the manifest\'s.'),
    ] = ()
    programs: Annotated[
        tuple[str, ...], Option("--program -P", "NAME", "One of the programs that are asked; again. All of them.")
    ] = ()
    project: ProjectPath = Path()
    trace: LogFile = None
    step: StepOrTime = None
    as_json: AsJson = False
    seconds: QuestionSeconds = None
    window: Window = None
    accept_log_mismatch: AcceptMismatch = False
    replay: ReplayChoice = "confined"
    memory: MostMemory = None

    epilog: ClassVar = exits.COMPARE_HELP


@final
class DifferOptions(CommandOptions, frozen=True):
    """Prove that two programs decide alike, in fact and over a family; or show where they do not."""

    one: Annotated[str, Positional("PROGRAM", "A program of the project, such as the version that ran.")]
    other: Annotated[str, Positional("PROGRAM", "Another one, such as the repaired version.")]
    over: Annotated[
        str,
        Option("--over", "SUPPOSITIONS", 'What may differ: "1.0 <= x <= 1.5 and signal is anything".'),
    ]
    by: Annotated[
        str | None, Option("--by", "DECISIONS", "What is compared: a network's advisory, and not its scores; all.")
    ] = None
    svg: Annotated[Path | None, Option("--svg", "FILE.svg", "Draw where they part, if one variable or two vary.")] = (
        None
    )
    project: ProjectPath = Path()
    trace: LogFile = None
    step: StepOrTime = None
    as_json: AsJson = False
    seconds: QuestionSeconds = None
    window: Window = None
    accept_log_mismatch: AcceptMismatch = False
    replay: ReplayChoice = "confined"
    memory: MostMemory = None
    verbose: Verbose = False

    epilog: ClassVar = exits.DIFFER_HELP


@final
class AbstractionOptions(CommandOptions, frozen=True):
    """Show what questions have shown of the program: the states that they visited, and what these have in common."""

    questions: Annotated[tuple[str, ...], Positional("QUESTION", "Each in quotes; without one, the manifest's.")] = ()
    case: Annotated[Path | None, Option("--case -c", "FILE", "Instead, the questions answered in a case file.")] = None
    svg: Annotated[Path | None, Option("--svg", "FILE", "Draw it there.")] = None
    inside: Annotated[
        bool, Option("--inside", None, "Also the states inside the program: at calls, rounds of loops and returns.")
    ] = False
    project: ProjectPath = Path()
    trace: LogFile = None
    step: StepOrTime = None
    as_json: AsJson = False
    seconds: Annotated[
        float | None, Option("--seconds", "S", "What a question may take, and its meets again; 60.", least=0.0)
    ] = None
    memory: MostMemory = None


@final
class SceneOptions(CommandOptions, frozen=True):
    """Draw a moment of the log; with a question, a counterfactual beside it."""

    question: Annotated[
        str | None, Option("--question", "QUESTION", "Draw the scenario that answers it beside the fact.")
    ] = None
    svg: SvgFile = None
    ways: Annotated[
        Path | None, Option("--ways", "FILE", "Write both ways through the program, in fact and there, as SVG.")
    ] = None
    project: ProjectPath = Path()
    trace: LogFile = None
    step: StepOrTime = None
    as_json: AsJson = False
    seconds: QuestionSeconds = None
    memory: MostMemory = None
