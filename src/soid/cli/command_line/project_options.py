"""The commands about a project, its scripts, the examples and this machine."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, ClassVar, final

from soid.cli import exits
from soid.cli.command_line.parameters import (
    AsJson,
    CommandOptions,
    LogFile,
    MostMemory,
    MostPaths,
    Option,
    Positional,
    ProjectPath,
    QuestionSeconds,
    ReadingSeconds,
    StepOrTime,
    SvgFile,
    Window,
)


@final
class RunOptions(CommandOptions, frozen=True):
    """Run a script: questions that depend on answers, to a conclusion."""

    file: Annotated[Path, Positional("FILE.soid", "The script; `soid docs scripts` has its language.")]
    case: Annotated[
        Path | None, Option("--case -c", "FILE", "Keep the answers there; what it has is not asked again.")
    ] = None
    project: Annotated[
        Path | None, Option("--project -p", "PATH", "The program, if not the one that the script names.")
    ] = None
    seconds: QuestionSeconds = None
    memory: MostMemory = None
    as_json: AsJson = False
    verbose: Annotated[bool, Option("--verbose -v", None, "Show answers with all that they rest on.")] = False
    quiet: Annotated[bool, Option("--quiet -q", None, "Only the conclusion.")] = False

    epilog: ClassVar = exits.RUN_HELP


@final
class FmtOptions(CommandOptions, frozen=True):
    """Write scripts in the one form that everybody reads: comments stay."""

    files: Annotated[tuple[Path, ...], Positional("FILE.soid", "Scripts; they are written in place.")]
    check: Annotated[bool, Option("--check", None, "Change nothing; 1 if a script would be.")] = False
    as_json: AsJson = False


@final
class CompileOptions(CommandOptions, frozen=True):
    """Find the program's paths ahead of the questions, over all inputs or some: questions then cost solving only."""

    project: Annotated[Path, Positional("PROJECT", "The folder with the soid.toml, or that file.")] = Path()
    free: Annotated[
        tuple[str, ...], Option("--free", "INPUT", "Only this input, the others as logged; may be given again.")
    ] = ()
    trace: LogFile = None
    step: StepOrTime = None
    as_json: AsJson = False
    seconds: Annotated[float, Option("--seconds", "S", "What it may take.", least=0.0)] = 600.0
    window: Window = None
    paths: MostPaths = None
    memory: MostMemory = None


@final
class DocsOptions(CommandOptions, frozen=True):
    """Open the documentation in a browser; it needs no network."""

    page: Annotated[str, Positional("PAGE", 'Which one: "limits", "language", "guide/maps".')] = "index"
    opens: Annotated[bool | None, Option("--open/--no-open", None, "Whether a browser is opened.")] = None
    as_json: AsJson = False

    epilog: ClassVar = "Exit status: 0. Without the documentation in this installation: 21, and what to do."


@final
class InitOptions(CommandOptions, frozen=True):
    """Write a soid.toml for a folder with a program and a log: a proposal, tried by running the program over the log.

    The program is in C or C++, or a learned model. It finds the function that decides, matches the log's columns with
    its variables (names, units, labels, types), and asks where it is not sure. It ends with the first questions worth
    asking.
    """

    folder: Annotated[
        Path,
        Positional("FOLDER", "Where the program and the log are, or the program's file; else this folder."),
    ] = Path()
    yes: Annotated[bool, Option("--yes -y", None, "Ask nothing: take the best guesses, and say which.")] = False
    force: Annotated[bool, Option("--force", None, "Write it although there is a soid.toml.")] = False
    entry: Annotated[str | None, Option("--entry -e", "NAME", "The function that decides.")] = None
    log: Annotated[Path | None, Option("--log -l", "FILE", "The log, if there are several or it lies elsewhere.")] = (
        None
    )
    topic: Annotated[str | None, Option("--topic", "NAME", "Of a file of messages: those that are steps.")] = None
    sources: Annotated[
        tuple[Path, ...],
        Option("--source", "FILE", "Only this source or model; may be given again. Else all."),
    ] = ()
    include: Annotated[tuple[Path, ...], Option("--include -I", "DIR", "A folder for #include.")] = ()
    define: Annotated[tuple[str, ...], Option("--define -D", "NAME=VALUE", "A macro of the sources.")] = ()
    unpickle: Annotated[
        bool, Option("--unpickle", None, "A model that is a pickle: open it, in the jail, and let soid.toml say so.")
    ] = False
    as_json: AsJson = False
    seconds: ReadingSeconds = None
    memory: MostMemory = None

    epilog: ClassVar = (
        "Exit status: 0 if it is written, 4 if the log fits the program at no step, 15 if it cannot yet be read "
        "(it is written all the same). Wrong input, wrong use: as with `soid ask`."
    )


@final
class InspectOptions(CommandOptions, frozen=True):
    """Show the program's variables; with a log or a step, what they were in fact."""

    sources: Annotated[tuple[Path, ...], Positional("FILE", "C files, where there is no soid.toml.")] = ()
    entry: Annotated[str | None, Option("--entry -e", "NAME", "Of those files, the function that decides.")] = None
    include: Annotated[tuple[Path, ...], Option("--include -I", "DIR", "Of those files, a folder for #include.")] = ()
    define: Annotated[tuple[str, ...], Option("--define -D", "NAME=VALUE", "Of those files, a macro.")] = ()
    project: ProjectPath = Path()
    trace: LogFile = None
    step: StepOrTime = None
    as_json: AsJson = False
    seconds: ReadingSeconds = None
    memory: MostMemory = None


@final
class ShowLogOptions(CommandOptions, frozen=True):
    """Draw the log: numbers as curves, decisions and labels as bands, and where decisions changed."""

    names: Annotated[
        tuple[str, ...], Positional("VARIABLE", "Only these; `s.gps` is all that is in it. Without one, all.")
    ] = ()
    first: Annotated[
        str | None,
        Option(
            "--from",
            "STEP|TIME",
            "Begin with this step, or with the one in force at this time: the last logged then or before (of several "
            "at once, the first). Times: 12.5s, 500ms, 1:30 since the first row; @TEXT as the log writes it.",
        ),
    ] = None
    last: Annotated[
        str | None,
        Option(
            "--to", "STEP|TIME", "End with this step, or with the one in force at this time (of several, the last)."
        ),
    ] = None
    width: Annotated[
        int | None, Option("--width", "N", "Columns of the drawing, as the terminal's; cells in JSON, 200.", least=40)
    ] = None
    svg: SvgFile = None
    project: ProjectPath = Path()
    trace: LogFile = None
    as_json: AsJson = False
    seconds: ReadingSeconds = None
    memory: MostMemory = None


@final
class CheckLogOptions(CommandOptions, frozen=True):
    """Run the program over the whole log: where they differ and why, and what was not logged."""

    project: ProjectPath = Path()
    trace: LogFile = None
    case: Annotated[
        Path | None, Option("--case -c", "FILE", "Check a log of this case, and keep the result on its record.")
    ] = None
    log: Annotated[str | None, Option("--log", "NAME", "Of the case's logs, another than the first.")] = None
    who: Annotated[str | None, Option("--who", "NAME", "Who does it, for the case.")] = None
    csv: Annotated[Path | None, Option("--csv", "FILE", "Write decisions and state of every step there.")] = None
    seconds: Annotated[
        float,
        Option("--seconds", "S", "What exploring may take, and testing each cause.", least=0.0),
    ] = 10.0
    memory: MostMemory = None
    as_json: AsJson = False

    epilog: ClassVar = exits.LOG_CHECK_HELP


@final
class CheckWorldOptions(CommandOptions, frozen=True):
    """Compare the world with the log: how far it is off one step on from each step, and over the whole course."""

    project: ProjectPath = Path()
    trace: LogFile = None
    svg: Annotated[
        Path | None, Option("--svg", "FILE", "Write a picture: as logged, and as the world computes it.")
    ] = None
    memory: MostMemory = None
    as_json: AsJson = False


@final
class DoctorOptions(CommandOptions, frozen=True):
    """Show which solvers and compilers there are, and whether the solvers answer."""

    as_json: AsJson = False


@final
class DemoOptions(CommandOptions, frozen=True):
    """Play an example: the scene, the questions, the answers, and what they support."""

    name: Annotated[str, Positional("NAME", "Which of the examples.")] = "crash"
    list_all: Annotated[bool, Option("--list", None, "Play none: list them.")] = False
    svg: Annotated[
        Path | None, Option("--svg", "FILE.svg", "Draw how it went on there, in fact and in a scenario, step by step.")
    ] = None
    as_json: AsJson = False


@final
class CopyExampleOptions(CommandOptions, frozen=True):
    """Copy an example's files, to start a project of your own with them."""

    name: Annotated[str, Positional("NAME", "Which of them; `soid demo --list` has all.")]
    folder: Annotated[Path, Positional("DIR", "Where to; it must be empty, or not there yet.")]
    as_json: AsJson = False
