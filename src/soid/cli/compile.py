"""`soid compile`: find the program's paths ahead of the questions, which then cost solving only."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import final

from msgspec import Struct
from msgspec.structs import replace

from soid.budget import Cancellation
from soid.cli import exits
from soid.cli.terminal import Terminal
from soid.cli.watching import Report, watched
from soid.documents import json_of
from soid.engine.registry import kept_summaries, open_program
from soid.errors import InputError
from soid.oracle.inquiry import Context, Settings
from soid.oracle.precomputation import Compiled, compile_ahead
from soid.program.interface import Interface
from soid.program.manifest import Manifest, load
from soid.program.program import CSource, Program
from soid.scenario.trace import read_for
from soid.solver.chain import chain

_LABEL = 14  # columns


@final
class Options(Struct, frozen=True):
    """What the command line says."""

    project: Path
    free: tuple[str, ...] = ()  # none: all inputs
    trace: Path | None = None
    step: int | None = None
    as_json: bool = False
    seconds: float = 600.0
    window: int | None = None
    paths: int | None = None
    memory: int | None = None  # MiB

    def settings(self) -> Settings:
        settings = Settings(seconds=self.seconds, window=self.window)
        if self.paths is not None:
            settings = replace(settings, paths=self.paths)
        return settings if self.memory is None else replace(settings, memory=self.memory << 20)


def compile_project(options: Options) -> int:
    """Find and keep the paths; the exit status says whether all were found."""
    declared = load(options.project)
    program, engine = open_program(declared.program)
    kept = kept_summaries(program, engine)
    if kept is None or not isinstance(program.source, CSource):
        raise InputError("there is nothing to compile: this program is given as its paths", "Ask at once.")
    interface, steps = program.interface, program.source.steps
    free = _named(options.free, interface)
    fact = _fact(options, replace(declared, program=program), free)
    solver = chain()

    def do(cancel: Cancellation, report: Report) -> Compiled:
        context = Context(engine, solver, None, kept, options.settings(), cancel, report)
        return compile_ahead(interface, fact, free, context, steps=steps)

    try:
        found = watched(do, about=f"{program.name}: ")
    finally:
        solver.close()
    if options.as_json:
        print(json.dumps({"program": program.name, **json_of(found.document)}, ensure_ascii=False))
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


def _fact(options: Options, manifest: Manifest, free: Sequence[str]) -> Mapping[str, int]:
    """What the other inputs are; where there are none, nobody looks at it."""
    inputs = [variable.path for variable in manifest.program.interface.inputs]
    if len(free) == len(inputs):
        return dict.fromkeys(inputs, 0)
    log = read_for(manifest, options.trace)
    wanted = options.step if options.step is not None else manifest.keyframe
    return log.keyframe(log.steps[-1].time if wanted is None else wanted).inputs


def _use(found: Compiled) -> str:
    return "questions about states that were explored" if found.left else "questions about these states"


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
    line("kept", f"no: {found.not_kept}" if found.not_kept else f"yes: {_use(found)} cost solving only")
    line("settled by", ", ".join(f"{name.replace('_', ' ')} {count}" for name, count in found.settled_by.items()))
    line("seconds", f"{found.seconds:.2f}")
