"""All commands: what is typed for each, the record of its options, and the function that gets it.

The records and the functions are named here, and loaded only for the command that is typed.
"""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module
from typing import Any, Final

from soid.cli.command_line.parameters import CommandOptions

#: in the order in which `soid --help` lists them: the record, and the function in `soid.cli`
COMMANDS: Final[dict[str, tuple[str, str]]] = {
    "init": ("project_options.InitOptions", "commands.init_command:init"),
    "ask": ("question_options.AskOptions", "commands.ask_command:ask"),
    "explain": ("question_options.ExplainOptions", "commands.explain_command:explain"),
    "causes": ("question_options.CausesOptions", "commands.causes_command:find_causes"),
    "map": ("question_options.MapOptions", "commands.map_command:draw_map"),
    "compare": ("question_options.CompareOptions", "commands.compare_command:compare"),
    "differ": ("question_options.DifferOptions", "commands.compare_command:differ"),
    "abstraction": ("question_options.AbstractionOptions", "commands.abstraction_command:abstraction"),
    "sweep": ("sweep_options.SweepOptions", "commands.sweep_command:sweep"),
    "run": ("project_options.RunOptions", "commands.run_command:run"),
    "investigate": ("case_options.InvestigateOptions", "commands.investigate_command:investigate"),
    "report": ("case_options.ReportOptions", "commands.report_command:report_case"),
    "serve": ("case_options.ServeOptions", "commands.serve_command:serve"),
    "fmt": ("project_options.FmtOptions", "commands.fmt_command:fmt"),
    "compile": ("project_options.CompileOptions", "commands.compile_command:compile_project"),
    "inspect": ("project_options.InspectOptions", "commands.inspect_command:inspect"),
    "docs": ("project_options.DocsOptions", "commands.docs_command:docs"),
    "doctor": ("project_options.DoctorOptions", "commands.doctor_command:doctor"),
    "scene": ("question_options.SceneOptions", "commands.scene_command:scene"),
    "demo": ("project_options.DemoOptions", "commands.example_command:demo"),
    "bundle": ("case_options.BundleOptions", "commands.bundle_command:bundle_case"),
    "verify": ("case_options.VerifyBundleOptions", "commands.bundle_command:verify_bundle"),
    "case new": ("case_options.NewCaseOptions", "commands.case_command:new"),
    "case show": ("case_options.ShowCaseOptions", "commands.case_command:show"),
    "case questions": ("case_options.SuggestOptions", "commands.case_questions_command:questions"),
    "case ask": ("case_options.AskCaseOptions", "commands.case_command:ask"),
    "case resume": ("case_options.ResumeOptions", "commands.case_command:resume"),
    "case causes": ("study_options.CausesCaseOptions", "commands.case_study_command:find_causes"),
    "case map": ("study_options.MapCaseOptions", "commands.case_study_command:draw_map"),
    "case explain": ("study_options.ExplainCaseOptions", "commands.case_study_command:explain"),
    "case keyframe": ("case_options.NameKeyframeOptions", "commands.case_command:keyframe"),
    "case note": ("case_options.NoteOptions", "commands.case_command:note"),
    "case retract": ("case_options.RetractOptions", "commands.case_command:retract"),
    "case rename": ("case_options.RenameOptions", "commands.case_keeping_command:rename"),
    "case archive": ("case_options.ArchiveOptions", "commands.case_keeping_command:archive"),
    "case unarchive": ("case_options.UnarchiveOptions", "commands.case_keeping_command:unarchive"),
    "case delete": ("case_options.DeleteOptions", "commands.case_keeping_command:delete_case"),
    "case restore": ("case_options.RestoreOptions", "commands.case_keeping_command:restore_case"),
    "case accept": ("case_options.AcceptOptions", "commands.case_command:accept"),
    "case attest": ("case_options.AttestOptions", "commands.custody_command:attest"),
    "case anchor": ("case_options.AnchorOptions", "commands.custody_command:anchor"),
    "case key": ("case_options.KeyOptions", "commands.custody_command:show_key"),
    "case verify": ("case_options.VerifyCaseOptions", "commands.case_command:verify"),
    "token new": ("token_options.NewTokenOptions", "commands.token_command:new"),
    "token list": ("token_options.ListTokensOptions", "commands.token_command:list_tokens"),
    "token revoke": ("token_options.RevokeTokenOptions", "commands.token_command:revoke"),
    "log show": ("project_options.ShowLogOptions", "commands.log_command:show_overview"),
    "log check": ("project_options.CheckLogOptions", "commands.log_check_command:check"),
    "world check": ("project_options.CheckWorldOptions", "commands.world_command:check"),
    "example copy": ("project_options.CopyExampleOptions", "commands.example_command:copy_example"),
    "helper status": ("helper_options.HelperStatusOptions", "commands.helper_command:status"),
    "helper stop": ("helper_options.StopHelperOptions", "commands.helper_command:stop"),
    "helper off": ("helper_options.SwitchHelperOffOptions", "commands.helper_command:switch_off"),
    "helper on": ("helper_options.SwitchHelperOnOptions", "commands.helper_command:switch_on"),
    "bench engine": ("bench_options.BenchEngineOptions", "bench.bench_engine:bench_engine"),
    "bench growth": ("bench_options.BenchGrowthOptions", "bench.bench_growth:bench_growth"),
    "bench sweep": ("bench_options.BenchSweepOptions", "bench.bench_sweep:bench_sweep"),
    "bench check": ("bench_options.BenchCheckOptions", "bench.bench_check:bench_check"),
    "bench peers": ("bench_options.BenchPeersOptions", "bench.bench_peers:bench_peers"),
    "bench paper": ("bench_options.BenchPaperOptions", "bench.bench_paper:bench_paper"),
}


def record_of(words: str) -> type[CommandOptions]:
    """The options of a command."""
    module, _, record = COMMANDS[words][0].partition(".")
    found: type[CommandOptions] = getattr(import_module(f"soid.cli.command_line.{module}"), record)
    return found


def function_of(words: str) -> Callable[[Any], int]:
    """The function of a command."""
    module, _, function = COMMANDS[words][1].partition(":")
    found: Callable[[Any], int] = getattr(import_module(f"soid.cli.{module}"), function)
    return found
