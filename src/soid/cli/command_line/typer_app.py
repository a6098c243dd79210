"""All commands as typer reads them, made from the records that declare them."""

from __future__ import annotations

import inspect
import os
from collections.abc import Callable
from functools import cache
from typing import Annotated, Any, Final

import typer
from msgspec import NODEFAULT
from typer.main import get_command

from soid.cli import exits
from soid.cli.command_line.command_memory import run_limited
from soid.cli.command_line.command_table import COMMANDS, function_of, record_of
from soid.cli.command_line.parameters import CommandOptions, Option, Parameter, Positional, parameters
from soid.cli.helper.client import WITHOUT

#: the first words of commands with two
_GROUPS: Final = {
    "case": "A case that lasts: every question and every answer in one file, on the record.",
    "token": "Who may come in to `soid serve`, and what they may do.",
    "log": "The log as evidence: what it shows, and whether the program gives it.",
    "world": "The world around the programs: how well it reproduces the log.",
    "example": "The examples, as something to start from.",
    "helper": "A process that keeps soid loaded, so that commands answer sooner.",
    "bench": "Measure how fast soid is on this machine.",
}

#: set by the shell's script for completion, when it asks what may be typed next
_COMPLETION: Final = "_SOID_COMPLETE"


def run(arguments: list[str]) -> int:
    """Run one command; wrong use is raised, for `soid.cli.failure` to describe."""
    try:
        status = command()(arguments, prog_name="soid", standalone_mode=False)
    except typer.Abort:  # what some versions of typer make of Ctrl-C; others return its status
        status = exits.INTERRUPTED
    except SystemExit as end:
        if _COMPLETION not in os.environ and not {"--install-completion", "--show-completion"} & {*arguments}:
            raise
        return exits.USAGE if end.code else 0  # typer has said what is wrong: it does not know this shell
    if status == exits.INTERRUPTED and not isinstance(status, exits.ToldStatus):
        raise KeyboardInterrupt
    return status if isinstance(status, int) else 0


@cache
def command() -> Any:
    """The command line as typer runs it: made once, because that takes longer than many commands."""
    app = typer.Typer(
        name="soid",
        help="Puts decision programs on the stand: did it, would it, might it? Answered with proof.",
        epilog="First steps: `soid demo`; then `soid init` in a folder with a program and its log, and `soid ask`.",
        rich_markup_mode="rich",
        pretty_exceptions_enable=False,
        context_settings={"help_option_names": ["-h", "--help"]},
    )
    app.callback(invoke_without_command=True)(_root)
    groups = {name: typer.Typer(help=text, no_args_is_help=True) for name, text in _GROUPS.items()}
    for name, group in groups.items():
        app.add_typer(group, name=name)
    for words in COMMANDS:
        first, _, second = words.rpartition(" ")
        record = record_of(words)
        groups.get(first, app).command(second, help=record.__doc__, epilog=record.epilog)(_filled(record, words))
    return get_command(app)


def _root(
    context: typer.Context,
    version: Annotated[bool, typer.Option("--version", help="Say which soid this is.")] = False,
    no_helper: Annotated[bool, typer.Option(WITHOUT, help="Use no helper, this once: see `soid helper`.")] = False,
) -> int:
    if version:
        from soid.release import version as installed

        print(f"soid {installed()}")
        raise typer.Exit(0)
    if context.invoked_subcommand is None:
        print(context.get_help())
    return 0


# --- records as functions, which is what typer makes commands of ------------------------------------------------


def _filled(record: type[CommandOptions], words: str) -> Callable[..., int]:
    """A function whose parameters typer understands, and which fills the record for the command's own function."""

    def fill_and_run(**given: Any) -> int:
        said = {name: tuple(value) if isinstance(value, list) else value for name, value in given.items()}
        options = record(**{name: value for name, value in said.items() if value is not None})
        return run_limited(function_of(words), options)

    signature = inspect.Signature([_signature_parameter(each) for each in parameters(record)])
    fill_and_run.__signature__ = signature  # type: ignore[attr-defined] # what inspect.signature looks for
    return fill_and_run


def _signature_parameter(parameter: Parameter) -> inspect.Parameter:
    kind, default = parameter.kind, parameter.default
    if parameter.repeated:
        kind = list[kind]  # type: ignore[valid-type] # a type that is known when this runs
    if default is NODEFAULT:
        default = inspect.Parameter.empty
    elif default in (None, ()):
        kind, default = kind | None, None
    annotation: Any = Annotated[kind, _typer_parameter(parameter.declared)]
    return inspect.Parameter(parameter.name, inspect.Parameter.KEYWORD_ONLY, default=default, annotation=annotation)


def _typer_parameter(declared: Option | Positional) -> Any:
    if isinstance(declared, Positional):
        return typer.Argument(metavar=declared.metavar, help=declared.help)
    return typer.Option(
        *declared.names.split(),
        metavar=declared.metavar,
        help=declared.help,
        min=declared.least,
        max=declared.most,
        envvar=declared.variable,
    )
