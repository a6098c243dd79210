"""Calls of approximated functions: concrete ones go to the library, symbolic ones become symbols."""

from __future__ import annotations

from typing import Final

from soid.engine.llvm import instructions as ir
from soid.engine.llvm.exploring.arithmetic import format_of
from soid.engine.llvm.exploring.exact.signalling import signalling
from soid.engine.llvm.exploring.explorer import UNSET_USE, Explorer, External, location
from soid.engine.llvm.exploring.runtime import Held, Unsupported, lift, lower, plain
from soid.engine.llvm.exploring.state import State
from soid.engine.llvm.types import Type
from soid.engine.summary import Location
from soid.formula import build
from soid.formula.sorts import FLOAT32, FLOAT64
from soid.formula.term import Term

_NAMES: Final = (
    *("acos", "acosh", "asin", "asinh", "atan", "atanh", "cbrt", "cos", "cosh", "erf", "erfc", "exp", "exp10", "exp2"),
    *("expm1", "lgamma", "log", "log10", "log1p", "log2", "sin", "sinh", "tan", "tanh", "tgamma"),
    *("atan2", "hypot", "pow"),
)
#: those that LLVM has intrinsics for; its back ends make calls to the library of them
_INTRINSICS: Final = (
    *("acos", "asin", "atan", "atan2", "cos", "cosh", "exp", "exp10", "exp2"),
    *("log", "log10", "log2", "pow", "sin", "sinh", "tan", "tanh"),
)
_OTHER_NAMES: Final = {"pow10": "exp10"}


def result(explorer: Explorer, function: str, arguments: list[Held], kind: Type, where: Location | None) -> Held:
    """What a function returns."""
    format = format_of(kind)
    if format not in (FLOAT32, FLOAT64):
        raise Unsupported(f"{function} of {kind}", where)
    numbers = [explorer.settled(argument, UNSET_USE, where) for argument in arguments]
    # One NaN stands for all of them from here on, but a signalling one makes even pow(x, 0) a NaN.
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
    def external(explorer: Explorer, state: State, call: ir.Call, arguments: list[Held]) -> Held:
        return result(explorer, function, arguments, call.type.returns, location(call.loc))

    return external


def _sincos(explorer: Explorer, state: State, call: ir.Call, arguments: list[Held]) -> Held | None:
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
