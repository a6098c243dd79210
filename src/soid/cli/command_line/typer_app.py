"""All commands as typer reads them, made from the records that declare them."""

from __future__ import annotations

import inspect
import os
from collections.abc import Callable
from functools import cache
from importlib import import_module
from typing import Annotated, Any, Final

import typer
from msgspec import NODEFAULT
from typer.main import get_command

from soid.cli import exits
from soid.cli.command_line import (
    bench_options,
    case_options,
    helper_options,
    project_options,
    question_options,
    study_options,
    sweep_options,
    token_options,
)
from soid.cli.command_line.command_memory import run_limited
from soid.cli.command_line.parameters import CommandOptions, Option, Parameter, Positional, parameters
from soid.cli.helper.client import WITHOUT

#: what is typed for each command, in the order in which `soid --help` lists them; its options, and the function in
#: `soid.cli` that gets them, whose module is imported only if it is called
COMMANDS: Final[dict[str, tuple[type[CommandOptions], str]]] = {
    "init": (project_options.InitOptions, "commands.init_command:init"),
    "ask": (question_options.AskOptions, "commands.ask_command:ask"),
    "explain": (question_options.ExplainOptions, "commands.explain_command:explain"),
    "causes": (question_options.CausesOptions, "commands.causes_command:find_causes"),
    "map": (question_options.MapOptions, "commands.map_command:draw_map"),
    "compare": (question_options.CompareOptions, "commands.compare_command:compare"),
    "differ": (question_options.DifferOptions, "commands.compare_command:differ"),
    "abstraction": (question_options.AbstractionOptions, "commands.abstraction_command:abstraction"),
    "sweep": (sweep_options.SweepOptions, "commands.sweep_command:sweep"),
    "run": (project_options.RunOptions, "commands.run_command:run"),
    "investigate": (case_options.InvestigateOptions, "commands.investigate_command:investigate"),
    "report": (case_options.ReportOptions, "commands.report_command:report_case"),
    "serve": (case_options.ServeOptions, "commands.serve_command:serve"),
    "fmt": (project_options.FmtOptions, "commands.fmt_command:fmt"),
    "compile": (project_options.CompileOptions, "commands.compile_command:compile_project"),
    "inspect": (project_options.InspectOptions, "commands.inspect_command:inspect"),
    "docs": (project_options.DocsOptions, "commands.docs_command:docs"),
    "doctor": (project_options.DoctorOptions, "commands.doctor_command:doctor"),
    "scene": (question_options.SceneOptions, "commands.scene_command:scene"),
    "demo": (project_options.DemoOptions, "commands.example_command:demo"),
    "bundle": (case_options.BundleOptions, "commands.bundle_command:bundle_case"),
    "verify": (case_options.VerifyBundleOptions, "commands.bundle_command:verify_bundle"),
    "case new": (case_options.NewCaseOptions, "commands.case_command:new"),
    "case show": (case_options.ShowCaseOptions, "commands.case_command:show"),
    "case questions": (case_options.SuggestOptions, "commands.case_questions_command:questions"),
    "case ask": (case_options.AskCaseOptions, "commands.case_command:ask"),
    "case resume": (case_options.ResumeOptions, "commands.case_command:resume"),
    "case causes": (study_options.CausesCaseOptions, "commands.case_study_command:find_causes"),
    "case map": (study_options.MapCaseOptions, "commands.case_study_command:draw_map"),
    "case explain": (study_options.ExplainCaseOptions, "commands.case_study_command:explain"),
    "case keyframe": (case_options.NameKeyframeOptions, "commands.case_command:keyframe"),
    "case note": (case_options.NoteOptions, "commands.case_command:note"),
    "case retract": (case_options.RetractOptions, "commands.case_command:retract"),
    "case rename": (case_options.RenameOptions, "commands.case_keeping_command:rename"),
    "case archive": (case_options.ArchiveOptions, "commands.case_keeping_command:archive"),
    "case unarchive": (case_options.UnarchiveOptions, "commands.case_keeping_command:unarchive"),
    "case delete": (case_options.DeleteOptions, "commands.case_keeping_command:delete_case"),
    "case restore": (case_options.RestoreOptions, "commands.case_keeping_command:restore_case"),
    "case accept": (case_options.AcceptOptions, "commands.case_command:accept"),
    "case attest": (case_options.AttestOptions, "commands.custody_command:attest"),
    "case anchor": (case_options.AnchorOptions, "commands.custody_command:anchor"),
    "case key": (case_options.KeyOptions, "commands.custody_command:show_key"),
    "case verify": (case_options.VerifyCaseOptions, "commands.case_command:verify"),
    "token new": (token_options.NewTokenOptions, "commands.token_command:new"),
    "token list": (token_options.ListTokensOptions, "commands.token_command:list_tokens"),
    "token revoke": (token_options.RevokeTokenOptions, "commands.token_command:revoke"),
    "log show": (project_options.ShowLogOptions, "commands.log_command:show_overview"),
    "log check": (project_options.CheckLogOptions, "commands.log_check_command:check"),
    "world check": (project_options.CheckWorldOptions, "commands.world_command:check"),
    "example copy": (project_options.CopyExampleOptions, "commands.example_command:copy_example"),
    "helper status": (helper_options.HelperStatusOptions, "commands.helper_command:status"),
    "helper stop": (helper_options.StopHelperOptions, "commands.helper_command:stop"),
    "helper off": (helper_options.SwitchHelperOffOptions, "commands.helper_command:switch_off"),
    "helper on": (helper_options.SwitchHelperOnOptions, "commands.helper_command:switch_on"),
    "bench engine": (bench_options.BenchEngineOptions, "bench.bench_engine:bench_engine"),
    "bench growth": (bench_options.BenchGrowthOptions, "bench.bench_growth:bench_growth"),
    "bench sweep": (bench_options.BenchSweepOptions, "bench.bench_sweep:bench_sweep"),
    "bench check": (bench_options.BenchCheckOptions, "bench.bench_check:bench_check"),
    "bench peers": (bench_options.BenchPeersOptions, "bench.bench_peers:bench_peers"),
    "bench paper": (bench_options.BenchPaperOptions, "bench.bench_paper:bench_paper"),
}

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
    if status == exits.INTERRUPTED:
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
    for words, (record, function) in COMMANDS.items():
        first, _, second = words.rpartition(" ")
        groups.get(first, app).command(second, help=record.__doc__, epilog=record.epilog)(_filled(record, function))
    return get_command(app)


def function_of(name: str) -> Callable[[Any], int]:
    """The function of a command, by its name in `COMMANDS`."""
    module, _, function = name.partition(":")
    found: Callable[[Any], int] = getattr(import_module(f"soid.cli.{module}"), function)
    return found


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


def _filled(record: type[CommandOptions], function: str) -> Callable[..., int]:
    """A function whose parameters typer understands, and which fills the record for the command's own function."""

    def fill_and_run(**given: Any) -> int:
        said = {name: tuple(value) if isinstance(value, list) else value for name, value in given.items()}
        options = record(**{name: value for name, value in said.items() if value is not None})
        return run_limited(function_of(function), options)

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
