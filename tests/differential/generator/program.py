"""From a seed to a program: the order in which its parts are written."""

from __future__ import annotations

import random

from .draft import Body, Draft
from .functions import write_functions
from .interface import Interface, Shape, build_interface, inner_struct, open_entry, write_outputs
from .memory import MEMORY
from .model import GeneratedProgram, Mode
from .scalars import CType, enum_type
from .statements import declare_local, some_statements
from .tables import write_tables
from .vectors import choose_domains, choose_vectors

__all__ = ["generate"]

_INCLUDES = ("assert.h", "math.h", "stdbool.h", "stddef.h", "stdint.h", "stdlib.h", "string.h")
_TRAP_UNLESS = ["#ifndef TRAP_UNLESS", "#define TRAP_UNLESS(c) ((void)0)", "#endif"]
_SHAPES = {Shape.STRUCTS: 4, Shape.WORLD: 1, Shape.SCALARS: 2, Shape.OUT_PARAMS: 2, Shape.GLOBALS: 1}
_LABELS = ("IDLE", "CRUISE", "HOLD", "STOP", "LEFT", "RIGHT", "AUTO", "OFF")


def generate(seed: int, mode: Mode, *, half: bool = False) -> GeneratedProgram:
    """The program of this seed: the same text and vectors each time. `half` lets _Float16 occur."""
    draft = Draft(random.Random(f"{mode.value}:{seed}"), mode, half)
    for name in ("in", "st", "out", "w", "decide"):
        draft.name(name)
    _write_types(draft)
    shape = draft.rng.choices(list(_SHAPES), list(_SHAPES.values()))[0]
    interface = build_interface(draft, shape)
    write_tables(draft)
    write_functions(draft)
    prototype = _write_entry(draft, interface)
    _note_types(draft, interface)
    return _finished(draft, interface, seed, prototype)


def _write_types(draft: Draft) -> None:
    for _ in range(draft.pick((0, 1, 1, 2))):
        draft.enums.append(_enumeration(draft))
    for _ in range(draft.pick((0, 1, 1, 2))):
        struct = inner_struct(draft)
        draft.structs.append(struct)
        draft.file_scope += [*struct.declaration(), ""]


def _enumeration(draft: Draft) -> CType:
    """Zero is always an enumerator, so that zeroed memory holds a valid one."""
    tag = draft.symbol(draft.pick(("gear", "phase", "signal", "side")))
    labels = tuple(draft.symbol(label) for label in draft.rng.sample(_LABELS, draft.between(2, 5)))
    values = tuple(range(len(labels)))
    if draft.chance(0.3):
        values = (0, *sorted(draft.rng.sample(range(1, 100), len(labels) - 1)))
        rows = ", ".join(f"{label} = {value}" for label, value in zip(labels, values, strict=True))
    else:
        rows = ", ".join(labels)
    draft.file_scope += [f"enum {tag} {{ {rows} }};", ""]
    return enum_type(tag, labels, values)


def _write_entry(draft: Draft, interface: Interface) -> str:
    body = Body(draft, interface.returns)
    open_entry(body, interface)
    for _ in range(draft.between(1, 3)):
        declare_local(body)
    if draft.chance(0.5):  # gives the later statements something to point to and to index
        draft.rng.choices([m for m, _ in MEMORY], [w for _, w in MEMORY])[0](body)
    some_statements(body, draft.between(2, 5))
    write_outputs(body, interface)
    returns = interface.returns.name if interface.returns else "void"
    draft.symbols.append("decide")
    prototype = f"{returns} decide({', '.join(interface.parameters) or 'void'})"
    draft.file_scope += [prototype, "{", *body.lines, "}"]
    return prototype


def _note_types(draft: Draft, interface: Interface) -> None:
    for port in (*interface.inputs, *interface.outputs):
        draft.note(f"type_{port.ctype.name.split()[0]}")
        draft.note(f"port_{port.kind.value}")
    draft.features.update(f"port_{port.kind.value}" for port, _ in draft.local_statics)


def _finished(draft: Draft, interface: Interface, seed: int, prototype: str) -> GeneratedProgram:
    call = f"decide({', '.join(interface.arguments)});"
    if interface.returns is not None:
        call = f"{interface.returns.name} result_value = {call}"
    header = [f"#include <{name}>" for name in _INCLUDES]
    if any("TRAP_UNLESS" in line for line in draft.file_scope):
        header += ["", *_TRAP_UNLESS]
    fixed = dict(draft.local_statics)
    inputs = (*interface.inputs, *fixed)
    vectors = choose_vectors(draft.rng, interface.inputs, {port.path: bits for port, bits in fixed.items()})
    return GeneratedProgram(
        seed=seed,
        mode=draft.mode,
        source="\n".join([*header, "", *draft.file_scope, ""]),
        entry="decide",
        prototype=prototype,
        symbols=tuple(draft.symbols),
        arguments=" ".join(interface.objects),
        call=call,
        inputs=inputs,
        outputs=tuple(interface.outputs),
        vectors=vectors,
        domains=choose_domains(draft.rng, interface.inputs, vectors[0]),
        features=frozenset(draft.features),
        fault_sites=tuple(draft.fault_sites),
    )
