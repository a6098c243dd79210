"""`soid compile`: find the program's paths before questions are asked, which then only have to be solved."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import closing
from functools import partial

from msgspec.structs import replace

from soid.case.project import Project
from soid.cli import exits
from soid.cli.command_line.project_options import CompileOptions
from soid.cli.commands.ask_command import settings_of
from soid.cli.output import print_json
from soid.cli.terminal.progress import watched
from soid.cli.terminal.terminal import Terminal
from soid.engine.manifest_reader import load
from soid.engine.registry import kept_summaries, open_program
from soid.errors import InputError
from soid.oracle.inquiry import Context, Settings
from soid.oracle.precomputation import Compiled, compile_ahead
from soid.program.interface import Interface
from soid.program.manifest import Manifest
from soid.program.program import Program
from soid.query.words import listed
from soid.solver.chain import chain

_LABEL = 14  # columns of the labels at the left


def compile_project(options: CompileOptions) -> int:
    """Find and keep the paths; the exit status says whether all were found."""
    settings = settings_of(options)
    with settings.opening():
        declared = load(options.project)
        program, engine = open_program(declared.program)
    kept = kept_summaries(program, engine)
    if kept is None:
        raise InputError("there is nothing to find ahead: this program has no paths to explore", "Ask at once.")
    interface, steps = program.interface, program.source.steps
    free = _named(options.free, interface)
    with settings.opening():
        fact = _fact(options, replace(declared, program=program), free, settings)
    with closing(chain()) as solver:
        context = partial(Context, engine, solver, None, kept, settings)
        found = watched(
            lambda cancel, report: compile_ahead(interface, fact, free, context(cancel, report), steps=steps),
            about=f"{program.name}: ",
        )
    if options.as_json:
        print_json(found.document, program=program.name)
    else:
        _show(Terminal.stdout(), program, found, everything=not options.free)
    return 0 if found.complete else exits.VERDICTS["unknown"]


def _named(free: Sequence[str], interface: Interface) -> tuple[str, ...]:
    """The inputs that are free, in the interface's order; all of them where none is named."""
    inputs = [variable.path for variable in interface.inputs]
    if not free:
        return tuple(inputs)
    wanted = {interface.variable(path.strip()).path for each in free for path in each.split(",")}
    for path in sorted(wanted.difference(inputs)):
        raise InputError(f"{path} is no input of the program", "Name what it perceives or remembers: `soid inspect`.")
    return tuple(path for path in inputs if path in wanted)


def _fact(options: CompileOptions, manifest: Manifest, free: Sequence[str], settings: Settings) -> Mapping[str, int]:
    """The values of the inputs that are not free; where all are free the values are of no use, and are all 0."""
    inputs = [variable.path for variable in manifest.program.interface.inputs]
    if len(free) == len(inputs):
        return dict.fromkeys(inputs, 0)
    with closing(chain()) as solver:
        moment = Project.open(manifest, trace=options.trace, step=options.step, settings=settings, solver=solver)
        keyframe = moment.keyframe
    if unknown := [path for path in keyframe.assumed if path not in free]:
        raise InputError(
            f"what {listed(unknown)} was at step {keyframe.step} is not known: it is not logged, and does not follow",
            f"Free it too: --free {','.join([*free, *unknown])}.",
        )
    return keyframe.inputs


def _show(terminal: Terminal, program: Program, found: Compiled, *, everything: bool) -> None:
    def line(label: str, text: str) -> None:
        if text:
            terminal.prose(text, indent=2 + _LABEL, first=(f"  {label}", "dim"))

    terminal.rule("Compiled ahead", program.name)
    names = ", ".join(freed.variable.path for freed in found.freed)
    line("freed", f"all {len(found.freed)} inputs, each over its domain" if everything else f"{names}, over the domain")
    line("paths", ", ".join(f"{count} {ending}" for ending, count in found.paths.items() if count))
    for reason in found.left:
        line("left open", f"{reason}; questions that reach it explore for themselves")
    states = "states that were explored" if found.left else "these states"
    line("kept", f"no: {found.not_kept}" if found.not_kept else f"yes: questions about {states} cost solving only")
    line("seconds", f"{found.seconds:.2f}")
