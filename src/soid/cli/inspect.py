"""`soid inspect`: what the program is given, what it remembers and what it decides."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any, final

from soid.cli.terminal import Terminal
from soid.engine.smtlib.load import load as load_paths
from soid.program.interface import Variable
from soid.program.manifest import Manifest, load
from soid.program.types import EnumType, show, to_json
from soid.scenario.trace import Keyframe, Trace, read_for


@final
@dataclass(frozen=True, slots=True)
class _View:
    """What there is to show."""

    manifest: Manifest
    paths: int
    trace: Trace | None = None
    keyframe: Keyframe | None = None


def inspect(project: Path, trace: Path | None, step: int | None, *, as_json: bool) -> int:
    """Read the project and show it; a log or a step adds the factual values."""
    manifest = load(project)
    program = manifest.program
    paths = len(load_paths(program.interface, program.source))
    log = read_for(manifest, trace) if trace is not None or step is not None else None
    keyframe = None
    if log is not None:
        wanted = step if step is not None else manifest.keyframe
        keyframe = log.keyframe(log.steps[-1].time if wanted is None else wanted)
    view = _View(manifest, paths, log, keyframe)
    if as_json:
        print(json.dumps(_to_json(view), ensure_ascii=False))
    else:
        _show(Terminal.stdout(), view)
    return 0


# --- for a person ---------------------------------------------------------------------------------------------


def _show(terminal: Terminal, view: _View) -> None:
    program = view.manifest.program
    terminal.rule(program.name, f"step {view.keyframe.step}" if view.keyframe else "")
    files = len(program.source.files)
    terminal.prose(f"{_count(view.paths, 'path')} in {_count(files, 'file')} ({view.manifest.file})")
    if view.trace is not None:
        first, last = view.trace.steps[0].time, view.trace.steps[-1].time
        terminal.prose(f"{_count(len(view.trace), 'step')} in the log ({view.trace.source}), {first} to {last}")
    elif view.manifest.trace is not None:
        moment = "" if view.manifest.keyframe is None else f", asked about at step {view.manifest.keyframe}"
        terminal.prose(f"log {view.manifest.trace}{moment}; --step shows its values")
    terminal.blank()
    arrow = terminal.either("→", "->")
    headers = ("variable", "role", "type", "in fact", "unit", "domain", "meaning")
    rows = [
        (v.path, v.role.value, str(v.type), _fact(v, view.keyframe, arrow), v.unit, v.domain_text, v.label)
        for v in program.interface
    ]
    terminal.table(headers, rows, wraps=("domain", "meaning"))
    if view.manifest.questions:
        terminal.blank()
        asks = _count(len(view.manifest.questions), "question")
        terminal.prose(f"{asks} in the manifest; `soid ask` puts them.")


def _count(number: int, noun: str) -> str:
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"


def _fact(variable: Variable, keyframe: Keyframe | None, arrow: str) -> str:
    """What the variable was at the step: a decision as logged, state as it was before the call and after."""
    if keyframe is None:
        return ""
    before = keyframe.inputs.get(variable.path)
    after = keyframe.decisions.get(variable.path if before is None else f"{variable.path}'")
    known = [show(variable.type, bits) for bits in (before, after) if bits is not None]
    return f" {arrow} ".join(known) or "(not logged)"


# --- for a script ---------------------------------------------------------------------------------------------


def _to_json(view: _View) -> dict[str, Any]:
    program, trace = view.manifest.program, view.trace
    log = view.manifest.trace if trace is None else Path(trace.source)
    return {
        "program": program.name,
        "manifest": str(view.manifest.file),
        "engine": "smtlib",
        "files": [str(file) for file in program.source.files],
        "paths": view.paths,
        "trace": None if log is None else str(log),
        "steps": None if trace is None else [step.time for step in trace],
        "step": view.manifest.keyframe if view.keyframe is None else view.keyframe.step,
        "variables": [_variable_json(variable, view.keyframe) for variable in program.interface],
        "questions": list(view.manifest.questions),
    }


def _variable_json(variable: Variable, keyframe: Keyframe | None) -> dict[str, Any]:
    kind = variable.type
    before = keyframe.inputs.get(variable.path) if keyframe else None
    after = keyframe.decisions.get(f"{variable.path}'" if variable.is_input else variable.path) if keyframe else None
    return {
        "path": variable.path,
        "role": variable.role.value,
        "type": str(kind),
        "width": kind.width,
        "labels": dict(kind.labels) if isinstance(kind, EnumType) else None,
        "domain": variable.domain_text,
        "unit": variable.unit,
        "label": variable.label,
        "fact": None if before is None else to_json(kind, before),
        "fact_after": None if after is None else to_json(kind, after),
    }
