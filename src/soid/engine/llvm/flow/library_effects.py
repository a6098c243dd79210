"""The effects on pointers and memory of functions that a program calls and does not define."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import TYPE_CHECKING, Final, final

from msgspec import Struct

from soid.engine.llvm.flow.abstract_objects import AbstractObject
from soid.engine.llvm.flow.points_to_sets import NOTHING, PointsTo, joined, spread
from soid.engine.llvm.ir import instructions as ir
from soid.engine.llvm.ir.ir_module import Module
from soid.engine.llvm.ir.ir_types import I8
from soid.engine.llvm.ir.operands import ConstData, ConstInt, GlobalRef, Value

if TYPE_CHECKING:
    from soid.engine.llvm.flow.points_to import CallContext, PointsToAnalysis


TEXT: Final = -1


@final
class Use(Struct, frozen=True):
    """Memory that a call reads or writes through one of its arguments."""

    argument: int
    size: int | None  # bytes; None: the whole object; TEXT: to the end of the array
    writes: bool
    surely: bool = False  # every run accesses all of them


_COPIES: Final = ("memcpy", "memmove", "__memcpy_chk", "__memmove_chk")
_FILLS: Final = ("memset", "__memset_chk")
_ALLOCATE: Final = (
    *("malloc", "calloc", "realloc", "aligned_alloc", "__cxa_allocate_exception"),
    *("_Znwm", "_Znam", "_ZnwmSt11align_val_t", "_ZnamSt11align_val_t"),
)
_READ_ONE: Final = ("strlen", "strnlen", "strchr", "strrchr", "memchr")
_READ_TWO: Final = ("memcmp", "bcmp", "strcmp", "strncmp", "strstr", "soid_same")
_FIND: Final = ("strchr", "strrchr", "memchr", "strstr")
_COPY_TEXT: Final = ("strcpy", "strncpy", "stpcpy")
_APPEND_TEXT: Final = ("strcat", "strncat")
#: functions that write through their last argument
_WRITE: Final = {"frexp": 4, "frexpf": 4, "modf": 8, "modff": 4, "remquo": 4, "remquof": 4}  # bytes

#: functions that read a text into a float; all but atof store where it ends
_TO_FLOAT: Final = ("atof", "strtod", "strtof")
#: the argument that is the format
_FORMAT: Final = {
    "snprintf": 2,
    **dict.fromkeys(("sprintf", "sscanf", "__isoc99_sscanf", "__isoc23_sscanf"), 1),
}
#: functions of soid's own library of which the effect is known from here: their code is long, the effect is simple
TOLD: Final = frozenset({*_TO_FLOAT, *_FORMAT, "vfprintf", "vprintf"})
_STORES: Final = re.compile(rb"%[^a-zA-Z%]*(?:hh|h|ll|l|j|z|t)?n")

#: functions that do not access memory that a decision can depend on
_NOTHING: Final = frozenset(
    {"printf", "fprintf", "puts", "putchar", "fputs", "fputc", "putc", "fflush", "perror", "free", "abort", "exit"}
    | {"_exit", "_Exit", "quick_exit", "__assert_fail", "vprintf", "llvm.prefetch.p0", "__cxa_throw", "__cxa_rethrow"}
    | {"__cxa_begin_catch", "__cxa_end_catch", "__cxa_free_exception", "__cxa_get_exception_ptr", "__cxa_atexit"}
    | {"setjmp", "_setjmp", "sigsetjmp", "__sigsetjmp", "longjmp", "_longjmp", "siglongjmp", "__longjmp_chk"}
    | {"__cxa_pure_virtual", "_ZSt9terminatev", "_ZSt17current_exceptionv", "vfprintf"}
)
_NOTHING_BEGINNINGS: Final = (
    *("llvm.dbg.", "llvm.lifetime.", "llvm.stack", "llvm.va_end", "llvm.expect", "llvm.assume", "llvm.eh."),
    *("llvm.ptrmask.", "soid_fails", "soid_not_explored", "soid_need_", "soid_is_known", "soid_remember"),
    *("__cxa_guard_", "_Zdl", "_Zda"),
)
_SAME: Final = ("__cxa_begin_catch", "__cxa_get_exception_ptr")


def _plain(name: str) -> str:
    """The C function behind an intrinsic: llvm.memcpy.p0.p0.i64 is memcpy."""
    return name.split(".")[1] if name.startswith(("llvm.memcpy.", "llvm.memmove.", "llvm.memset.")) else name


def uses(module: Module, one: ir.Call, name: str) -> list[Use] | None:
    """The memory that a call accesses; None if the function is unknown: it may access all that it can reach."""
    name = _plain(name)
    if name in _FORMAT:
        return list(_formatted(module, one, name))
    if name in _TO_FLOAT:
        stored = [Use(1, module.layout.pointer_bytes, writes=True)] if len(one.arguments) > 1 else []
        return [Use(0, TEXT, writes=False), *stored]
    if name in _COPIES or name in _FILLS:
        size = _number(one.arguments[2].value)
        written = Use(0, size, writes=True, surely=size is not None)
        return [written] if name in _FILLS else [Use(1, size, writes=False), written]
    if name in _READ_ONE or name in _READ_TWO:
        return [Use(i, TEXT, writes=False) for i in range(1 + (name in _READ_TWO))]
    if name in _COPY_TEXT or name in _APPEND_TEXT:
        read = [Use(i, TEXT, writes=False) for i in (1, 0)[: 1 + (name in _APPEND_TEXT)]]
        return [*read, Use(0, TEXT, writes=True)]
    if name in _WRITE:
        return [Use(len(one.arguments) - 1, _WRITE[name], writes=True, surely=True)]
    if name in ("realloc", "soid_forget"):
        return [Use(0, None, writes=name == "soid_forget")]
    known = name in _NOTHING or name in _ALLOCATE or name.startswith(_NOTHING_BEGINNINGS)
    return [] if known or name.startswith(("llvm.va_start", "llvm.va_copy")) else None


def _formatted(module: Module, one: ir.Call, name: str) -> Iterator[Use]:
    """What a call with a format reads and writes: %n stores while it prints, and all else while it reads."""
    at, prints = _FORMAT[name], name in ("snprintf", "sprintf")
    yield Use(0, TEXT, writes=prints)
    yield Use(at, TEXT, writes=False)
    text = _constant_text(module, one.arguments[at].value)
    for argument in range(at + 1, len(one.arguments)):
        if prints:
            yield Use(argument, TEXT, writes=False)
        if not prints or text is None or _STORES.search(text):
            yield Use(argument, TEXT, writes=True)


def _constant_text(module: Module, value: Value) -> bytes | None:
    variable = module.globals.get(value.name) if isinstance(value, GlobalRef) else None
    data = variable.initializer if variable is not None and variable.constant else None
    return bytes(data.values) if isinstance(data, ConstData) and data.type.element == I8 else None


def follow(analysis: PointsToAnalysis, context: CallContext, one: ir.Call, name: str) -> PointsTo:
    """Apply the effect of a call on pointers in memory; gives the pointer that it returns."""
    objects, name = analysis.objects, _plain(name)
    arguments = [analysis.value(context, argument.value) for argument in one.arguments]
    if name in _COPIES:
        objects.copy(arguments[0], arguments[1], _number(one.arguments[2].value))
        return arguments[0]
    if name in _FILLS:
        return arguments[0]
    if name in _ALLOCATE:
        made = _allocated(analysis, context, one)
        if name == "realloc":
            objects.copy(made, arguments[0], None)
        return made
    if name.startswith("llvm.va_start"):
        if context.varargs is not None:
            objects.store(arguments[0], 1, objects.whole(context.varargs))
        return NOTHING
    if name.startswith("llvm.va_copy"):
        objects.copy(arguments[0], arguments[1], None)
        return NOTHING
    if name.startswith("llvm.ptrmask."):
        return spread(arguments[0])
    if name in _TO_FLOAT:
        if len(arguments) > 1:
            objects.store(arguments[1], analysis.layout.pointer_bytes, spread(arguments[0]))
        return NOTHING
    if name == "__cxa_throw":
        analysis.thrown = objects.grown(analysis.thrown, arguments[0])
    if name.startswith("llvm.expect") or name in _SAME:
        return arguments[0]
    if name in _FIND or name in _COPY_TEXT or name in _APPEND_TEXT:
        return spread(arguments[0])
    return _anything(analysis, arguments) if uses(analysis.module, one, name) is None else NOTHING


def _allocated(analysis: PointsToAnalysis, context: CallContext, one: ir.Call) -> PointsTo:
    assert one.result is not None
    slot = one.result.slot
    if slot not in context.allocated:
        context.allocated[slot] = analysis.objects.add(AbstractObject(0))
    return analysis.objects.whole(context.allocated[slot])


def _anything(analysis: PointsToAnalysis, arguments: list[PointsTo]) -> PointsTo:
    """The effect of an unknown function: it may store and return every pointer that it can reach."""
    objects = analysis.objects
    reached = objects.reachable(joined(arguments))
    everything = joined(spread(objects.whole(number)) for number in sorted(reached))
    for number in reached:
        if objects.things[number].function is None:
            objects.store(objects.whole(number), 1, everything)
    return everything


def _number(value: Value) -> int | None:
    return value.value if isinstance(value, ConstInt) else None
