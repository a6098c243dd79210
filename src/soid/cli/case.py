"""`soid case`: the commands of a case that lasts, and their options. What each does is in `soid.cli.casework`."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Literal

import typer

from soid.cli import exits

commands = typer.Typer(
    help="A case that lasts: every question and every answer in one file, on the record.", no_args_is_help=True
)

File = Annotated[Path, typer.Argument(metavar="FILE", help="The case file.", show_default=False)]
Number = Annotated[int, typer.Argument(metavar="NUMBER", help="The entry's number.", show_default=False)]
Who = Annotated[str | None, typer.Option(metavar="NAME", help="Who does it; SOID_USER, or who is logged in.")]
Moment = Annotated[
    str | None, typer.Option("--step", "-s", metavar="N", help="The moment: a step's number, or a keyframe's name.")
]
Log = Annotated[str | None, typer.Option("--log", metavar="NAME", help="Of the case's logs, another than the first.")]
Json = Annotated[bool, typer.Option("--json", help="For scripts: JSON as docs/json.md describes it.")]


@commands.command("new")
def _new(
    file: File,
    project: Annotated[
        Path, typer.Option("--project", "-p", metavar="PATH", help="The folder with the soid.toml, or that file.")
    ] = Path(),
    trace: Annotated[
        list[Path] | None, typer.Option("--trace", "-t", metavar="FILE", help="A further log; may be given again.")
    ] = None,
    title: Annotated[str, typer.Option(metavar="TEXT", help="What the case is about.")] = "",
    who: Who = None,
    as_json: Json = False,
) -> int:
    """Open a new case on a project; the file then holds a copy of all of it."""
    from soid.cli.casework import new

    return new(file, project, tuple(trace or ()), title=title, who=who, as_json=as_json)


@commands.command("show")
def _show(
    file: File,
    number: Annotated[
        int | None, typer.Argument(metavar="NUMBER", help="One entry, in full.", show_default=False)
    ] = None,
    as_json: Json = False,
    verbose: Annotated[bool, typer.Option("--verbose", "-v", help="Show all inputs and all that it rests on.")] = False,
) -> int:
    """Show the facts and the entries of a case, or one entry in full. Nothing is added to it."""
    from soid.cli.casework import show, show_entry

    if number is None:
        return show(file, as_json=as_json)
    return show_entry(file, number, as_json=as_json, verbose=verbose)


@commands.command("ask", epilog=exits.HELP)
def _ask(
    file: File,
    questions: Annotated[
        list[str] | None,
        typer.Argument(metavar="QUESTION", help='Each in quotes: "would x == 1 if y is anything".', show_default=False),
    ] = None,
    step: Moment = None,
    log: Log = None,
    who: Who = None,
    as_json: Json = False,
    seconds: Annotated[
        float | None, typer.Option(metavar="S", min=0.0, help="What one question may take; 60 where not given.")
    ] = None,
    witness_seconds: Annotated[
        float | None,
        typer.Option(metavar="S", min=0.0, help="Of those, for bringing the witness near to the fact; 5."),
    ] = None,
    solver: Annotated[
        list[str] | None, typer.Option(metavar="NAME", help="Only this solver; may be given again.")
    ] = None,
    cross_check: Annotated[bool, typer.Option("--cross-check", help="Two solvers must agree on everything.")] = False,
    window: Annotated[
        int | None,
        typer.Option(metavar="N", min=1, help="Rounds of loops and calls that it has for each decision; soid.toml's."),
    ] = None,
    replay: Annotated[
        Literal["confined", "unconfined", "off"],
        typer.Option(help="Whether witnesses are run on the compiled program; unconfined: though it may do harm."),
    ] = "confined",
    verbose: Annotated[bool, typer.Option("--verbose", "-v", help="Show all inputs and all that it rests on.")] = False,
    quiet: Annotated[bool, typer.Option("--quiet", "-q", help="Only the verdict, one word a question.")] = False,
) -> int:
    """Put questions on the record; without one, those that the manifest lists."""
    from soid.cli.ask import Options
    from soid.cli.casework import ask

    options = Options(
        questions=tuple(questions or ()),
        project=Path(),
        as_json=as_json,
        seconds=seconds,
        witness_seconds=witness_seconds,
        solvers=tuple(solver or ()),
        cross_check=cross_check,
        window=window,
        replay=replay,
        verbose=verbose,
        quiet=quiet,
    )
    return ask(file, options, step=step, log=log, who=who)


@commands.command("keyframe")
def _keyframe(
    file: File,
    step: Annotated[int, typer.Argument(metavar="N", help="The step's number.", show_default=False)],
    name: Annotated[str, typer.Argument(metavar="NAME", help="What the moment is called.", show_default=False)],
    log: Log = None,
    who: Who = None,
    as_json: Json = False,
) -> int:
    """Give a moment a name, by which it can be asked about."""
    from soid.cli.casework import add

    return add(file, lambda case: case.keyframe(step, name, log=log), who=who, as_json=as_json)


@commands.command("note")
def _note(
    file: File,
    number: Number,
    text: Annotated[str, typer.Argument(metavar="TEXT", help="What there is to say about it.", show_default=False)],
    who: Who = None,
    as_json: Json = False,
) -> int:
    """Say something about an entry."""
    from soid.cli.casework import add

    return add(file, lambda case: case.note(number, text), who=who, as_json=as_json)


@commands.command("retract")
def _retract(
    file: File,
    number: Number,
    why: Annotated[str, typer.Argument(metavar="WHY", help="The reason.", show_default=False)],
    who: Who = None,
    as_json: Json = False,
) -> int:
    """Take an entry back: it stays on the record, and no longer counts."""
    from soid.cli.casework import add

    return add(file, lambda case: case.retract(number, why), who=who, as_json=as_json)


@commands.command("accept")
def _accept(
    file: File,
    why: Annotated[str, typer.Argument(metavar="WHY", help="The reason.", show_default=False)],
    step: Moment = None,
    log: Log = None,
    who: Who = None,
    as_json: Json = False,
) -> int:
    """Go on at a moment where log and program differ; every answer there says so."""
    from soid.cli.casework import add

    return add(file, lambda case: case.accept_log_mismatch(why, step=step, log=log), who=who, as_json=as_json)


@commands.command("verify")
def _verify(
    file: File,
    head: Annotated[
        str | None, typer.Option(metavar="HASH", help="An entry's hash that was noted elsewhere: it must be there.")
    ] = None,
    as_json: Json = False,
) -> int:
    """Check that the case is what was written: every entry, and every file that it holds."""
    from soid.cli.casework import verify

    return verify(file, head, as_json=as_json)
