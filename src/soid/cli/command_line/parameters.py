"""How the commands declare their options.

A command is a frozen record. Each field is an option, or a word given by its position; the metadata of the field says
how it is typed and what `--help` says about it:

    class AskOptions(CommandOptions, frozen=True):
        '''Put questions to the program; without one, those that the manifest lists.'''

        questions: Annotated[tuple[str, ...], Positional("QUESTION", "Each in quotes.")] = ()
        step: Annotated[str | None, Option("--step -s", "N", "The moment asked about.")] = None

Two readers fill such a record: `typer_app`, and `plain_words` where typer would take too long to start. So this module
and the records import neither typer nor what the commands need to run.
"""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any, ClassVar, Literal, final, get_args, get_origin

from msgspec import Struct
from msgspec.structs import fields


@final
class Option(Struct, frozen=True):
    """An option: how it is typed, and its line in `--help`."""

    names: str  # "--step -s"; a flag that can be switched off too is "--open/--no-open"
    metavar: str | None  # what stands for its value; None: a flag, or one of several words
    help: str
    least: float | None = None  # the smallest number allowed
    most: float | None = None  # the largest
    variable: str | None = None  # of the environment, that gives the value where the option does not


@final
class Positional(Struct, frozen=True):
    """A word without a name: its place says what it is."""

    metavar: str
    help: str


class CommandOptions(Struct, frozen=True):
    """The base of the records: one command as it was typed. The docstring of a record is the command's help."""

    epilog: ClassVar[str | None] = None  # what `--help` says at its end


@final
class Parameter(Struct, frozen=True):
    """A field of a record, in the terms that the two readers need."""

    name: str
    kind: Any  # the type of one value
    repeated: bool  # it takes several values, which become a tuple
    declared: Option | Positional
    default: Any  # msgspec.NODEFAULT if it must be given


def parameters(record: type[CommandOptions]) -> list[Parameter]:
    """The fields of a record, in the order in which they are declared."""
    return [_parameter(field.name, field.type, field.default) for field in fields(record)]


def _parameter(name: str, annotated: Any, default: Any) -> Parameter:
    kind, declared = get_args(annotated)
    repeated = get_origin(kind) is tuple
    if repeated or type(None) in get_args(kind):  # `tuple[X, ...]` or `X | None`
        kind = get_args(kind)[0]
    return Parameter(name, kind, repeated, declared, default)


# --- what several commands take -------------------------------------------------------------------------------

ProjectPath = Annotated[Path, Option("--project -p", "PATH", "The folder with the soid.toml, or that file.")]
LogFile = Annotated[Path | None, Option("--trace -t", "FILE", "The log, if not the manifest's.")]
StepOrTime = Annotated[
    str | None, Option("--step -s", "N", "The moment asked about: a step, or a time such as 45s; the manifest's.")
]
AsJson = Annotated[bool, Option("--json", None, "For scripts: JSON as `soid docs json` describes it.")]
Questions = Annotated[tuple[str, ...], Positional("QUESTION", 'Each in quotes: "would x == 1 if y is anything".')]
QuestionSeconds = Annotated[
    float | None, Option("--seconds", "S", "What one question may take; 60 where not given.", least=0.0)
]
ReadingSeconds = Annotated[
    float | None, Option("--seconds", "S", "What reading program and log may take; 60.", least=0.0)
]
WitnessSeconds = Annotated[
    float | None, Option("--witness-seconds", "S", "Of those, for bringing the witness near to the fact; 5.", least=0.0)
]
SolverNames = Annotated[tuple[str, ...], Option("--solver", "NAME", "Only this solver; may be given again.")]
CrossCheck = Annotated[bool, Option("--cross-check", None, "Two solvers must agree on everything.")]
Window = Annotated[
    int | None,
    Option("--window", "N", "Rounds of loops and calls that it has for each decision; soid.toml's.", least=1),
]
MostPaths = Annotated[int | None, Option("--paths", "N", "Explore no more paths than so many; 100000.", least=1)]
MostMemory = Annotated[
    int | None, Option("--memory", "MIB", "Use no more memory than so much; 4096, or half of the machine's.", least=1)
]
AcceptMismatch = Annotated[
    bool, Option("--accept-log-mismatch", None, "Go on where log and program differ; the answer says so.")
]
ReplayChoice = Annotated[
    Literal["confined", "unconfined", "off"],
    Option("--replay", None, "Whether witnesses are run on the program itself; unconfined: though it may do harm."),
]
Verbose = Annotated[bool, Option("--verbose -v", None, "Show all inputs and all that it rests on.")]
Exact = Annotated[bool, Option("--exact", None, "Show all digits of numbers, which are rounded for reading.")]
Quiet = Annotated[bool, Option("--quiet -q", None, "Only the verdict, one word a question.")]
SvgFile = Annotated[Path | None, Option("--svg", "FILE.svg", "Draw it there as well.")]
