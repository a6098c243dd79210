"""Calls of approximated functions: with concrete arguments the library runs, else the result is a symbol."""

from __future__ import annotations

from typing import Final

from soid.engine.llvm.ir import instructions as ir
from soid.engine.llvm.ir.ir_types import Type
from soid.engine.llvm.symbolic.explorer import Explorer, External
from soid.engine.llvm.symbolic.library.exact.signalling_nan import signalling
from soid.engine.llvm.symbolic.path_state import PathState
from soid.engine.llvm.symbolic.paths.path_end import NotModelled
from soid.engine.llvm.symbolic.values.held_values import UNSET_USE, Held, lift, location, lower, plain
from soid.engine.llvm.symbolic.values.number_arithmetic import format_of
from soid.engine.summary import Location
from soid.formula import build
from soid.formula.sorts import FLOAT32, FLOAT64
from soid.formula.term import Term

_NAMES: Final = (
    *("acos", "acosh", "asin", "asinh", "atan", "atanh", "cbrt", "cos", "cosh", "erf", "erfc", "exp", "exp10", "exp2"),
    *("expm1", "lgamma", "log", "log10", "log1p", "log2", "sin", "sinh", "tan", "tanh", "tgamma"),
    *("atan2", "hypot", "pow"),
)
#: those with LLVM intrinsics, which its back ends turn into calls of the library
_INTRINSICS: Final = (
    *("acos", "asin", "atan", "atan2", "cos", "cosh", "exp", "exp10", "exp2"),
    *("log", "log10", "log2", "pow", "sin", "sinh", "tan", "tanh"),
)
_OTHER_NAMES: Final = {"pow10": "exp10"}


def result(explorer: Explorer, function: str, arguments: list[Held], kind: Type, where: Location | None) -> Held:
    """The result of a function."""
    format = format_of(kind)
    if format not in (FLOAT32, FLOAT64):
        raise NotModelled(f"{function} of {kind}", where)
    numbers = [explorer.settled(argument, UNSET_USE, where) for argument in arguments]
    # Terms have a single NaN, but a signalling NaN makes even pow(x, 0) a NaN.
    loud = build.any_of(signalling(number, format) for number in numbers)
    if loud is build.TRUE:
        return build.const(format, format.nan)
    bits = [number if isinstance(number, int) else number.value for number in numbers if not _varies(number)]
    if len(bits) == len(numbers):
        return plain(format, explorer.approximations.concrete(function, format, bits, where))
    terms = tuple(lift(number, kind) for number in numbers)
    symbol = explorer.approximations.symbolic(function, format, terms, where)
    return lower(build.ite(loud, build.const(format, format.nan), symbol))


def _varies(number: int | Term) -> bool:
    return isinstance(number, Term) and not number.is_const


def _call(function: str) -> External:
    def external(explorer: Explorer, state: PathState, call: ir.Call, arguments: list[Held]) -> Held:
        return result(explorer, function, arguments, call.type.returns, location(call.loc))

    return external


def _sincos(explorer: Explorer, state: PathState, call: ir.Call, arguments: list[Held]) -> Held | None:
    where = location(call.loc)
    kind = call.arguments[0].value.type
    for function, target in zip(("sin", "cos"), arguments[1:], strict=True):
        held = result(explorer, function, arguments[:1], kind, where)
        explorer.addresses.store(state, target, held, kind, where)
    return None


def approximated() -> dict[str, External]:
    """Every spelling of every function: pow, powf, llvm.pow.f64 ..."""
    found: dict[str, External] = {}
    for name in _NAMES:
        found[name] = found[f"{name}f"] = _call(name)
    for name, meant in _OTHER_NAMES.items():
        found[name] = found[f"{name}f"] = _call(meant)
    for name in _INTRINSICS:
        found[f"llvm.{name}.f32"] = found[f"llvm.{name}.f64"] = _call(name)
    found["sincos"] = found["sincosf"] = _sincos
    return found
