"""Calls of approximated functions: with concrete arguments the library runs, else the result is a symbol."""

from __future__ import annotations

from functools import partial
from typing import Final

from soid.engine.llvm.ir import instructions as ir
from soid.engine.llvm.ir.ir_types import Type
from soid.engine.llvm.symbolic.explorer import Explorer, External
from soid.engine.llvm.symbolic.library.float_functions import signalling
from soid.engine.llvm.symbolic.path_state import PathState
from soid.engine.llvm.symbolic.paths.path_end import NotModelled
from soid.engine.llvm.symbolic.values.held_values import Held, format_of, lift, lower, plain
from soid.formula import build
from soid.formula.sorts import FLOAT32, FLOAT64

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


def _result(function: str, explorer: Explorer, state: PathState, kind: Type, arguments: list[Held]) -> Held:
    format = format_of(kind)
    if format not in (FLOAT32, FLOAT64):
        raise NotModelled(f"{function} of {kind}")
    numbers = explorer.numbers(state, arguments)
    # Terms have a single NaN, but a signalling NaN makes even pow(x, 0) a NaN.
    loud = build.any_of(signalling(number, format) for number in numbers)
    if loud is build.TRUE:
        return build.const(format, format.nan)
    terms = tuple(explorer.before.without(lift(number, kind), state.where) for number in numbers)
    if all(term.is_const for term in terms):
        bits = [number if isinstance(number, int) else int(number.value) for number in numbers]
        return plain(format, explorer.approximations.concrete(function, format, bits))
    symbol = explorer.approximations.symbolic(function, format, terms, state.where)
    return lower(build.ite(loud, build.const(format, format.nan), symbol))


def _call(function: str, explorer: Explorer, state: PathState, call: ir.Call, arguments: list[Held]) -> Held:
    return _result(function, explorer, state, call.type.returns, arguments)


def _sincos(explorer: Explorer, state: PathState, call: ir.Call, arguments: list[Held]) -> Held | None:
    kind = call.arguments[0].value.type
    for function, target in zip(("sin", "cos"), arguments[1:], strict=True):
        held = _result(function, explorer, state, kind, arguments[:1])
        explorer.addresses.store(state, target, held, kind)
    return None


def approximated() -> dict[str, External]:
    """Every spelling of every function: pow, powf, llvm.pow.f64 ..."""
    found: dict[str, External] = {}
    for name in _NAMES:
        found[name] = found[f"{name}f"] = partial(_call, name)
    for name, meant in _OTHER_NAMES.items():
        found[name] = found[f"{name}f"] = partial(_call, meant)
    for name in _INTRINSICS:
        found[f"llvm.{name}.f32"] = found[f"llvm.{name}.f64"] = partial(_call, name)
    found["sincos"] = found["sincosf"] = _sincos
    return found
