"""Conversions between types of numbers, with their obligations: on plain numbers if concrete, else on terms."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from soid.engine.llvm.ir.ir_types import IntegerType, Type
from soid.engine.llvm.symbolic.paths.path_end import NotModelled
from soid.engine.llvm.symbolic.values.held_values import as_bits, format_of, lower, plain, sort_of
from soid.engine.llvm.symbolic.values.number_arithmetic import (
    CONVERSION,
    LOST_BITS,
    NEGATIVE,
    NOT_FINITE,
    Number,
    Obligation,
    finite,
    integer,
    is_zero,
    same,
    truth,
)
from soid.formula import build
from soid.formula import softfloat as sf
from soid.formula.operators import integer_fits, signed
from soid.formula.softfloat import Rounding
from soid.formula.sorts import BitVec, Bool


def convert(op: str, a: Number, source: Type, target: Type) -> Number:
    """A conversion, other than a bitcast; its obligations must hold."""
    if op in _INTEGERS:
        assert isinstance(source, IntegerType)
        assert isinstance(target, IntegerType)
        return _INTEGERS[op](a, source.width, target.width)
    if op in ("fpext", "fptrunc"):
        to = format_of(target)
        if isinstance(a, int):
            return plain(to, sf.convert(format_of(source), to, a))
        return lower(build.fp_to_fp(to, a))
    if op in ("sitofp", "uitofp"):
        return _to_float(op, a, source, target)
    if op in ("fptosi", "fptoui"):
        return _to_integer(op, a, source, target)
    raise NotModelled(op)


def met(op: str, source: Type, target: Type) -> Callable[[int], Number | None]:
    """A conversion of plain numbers without flags that gives None where its obligation does not hold."""
    if op in _INTEGERS:
        assert isinstance(source, IntegerType)
        assert isinstance(target, IntegerType)
        to, width, to_width = _INTEGERS[op], source.width, target.width
        return lambda a: to(a, width, to_width)
    if op == "bitcast":
        return lambda a: a
    if op not in ("fptosi", "fptoui"):
        return lambda a: convert(op, a, source, target)
    format, width, is_signed = format_of(source), _width(target), op == "fptosi"
    mask = (1 << width) - 1

    def to_integer(a: int) -> int | None:
        number = sf.to_integer(format, Rounding.RTZ, a)
        return number & mask if number is not None and integer_fits(number, width, is_signed) else None

    return to_integer


def _trunc(a: Number, source: int, target: int) -> Number:
    if isinstance(a, int):
        return a & (1 << target) - 1
    if target == 1:
        return lower(build.eq(build.extract(a, 0, 0), build.const(BitVec(1), 1)))
    return lower(build.extract(a, target - 1, 0))


def _zext(a: Number, source: int, target: int) -> Number:
    if isinstance(a, int):
        return a
    if isinstance(a.sort, Bool):
        return lower(as_bits(a, target))
    return lower(build.zero_extend(a, target - source))


def _sext(a: Number, source: int, target: int) -> Number:
    if isinstance(a, int):
        return signed(a, source) & (1 << target) - 1
    if isinstance(a.sort, Bool):
        return lower(build.ite(a, build.const(BitVec(target), -1), build.const(BitVec(target), 0)))
    return lower(build.sign_extend(a, target - source))


_INTEGERS: Final = {"trunc": _trunc, "zext": _zext, "sext": _sext}


def _to_float(op: str, a: Number, source: Type, target: Type) -> Number:
    assert isinstance(source, IntegerType)
    to = format_of(target)
    if isinstance(a, int):
        return sf.from_integer(to, signed(a, source.width) if op == "sitofp" else a)
    bits = as_bits(a) if isinstance(a.sort, Bool) else a
    return lower((build.fp_from_signed if op == "sitofp" else build.fp_from_unsigned)(to, bits))


def _to_integer(op: str, a: Number, source: Type, target: Type) -> Number:
    width = _width(target)
    if isinstance(a, int):
        number = sf.to_integer(format_of(source), Rounding.RTZ, a)
        assert number is not None
        return number & (1 << width) - 1
    make = build.fp_to_signed if op == "fptosi" else build.fp_to_unsigned
    term = make(Rounding.RTZ, max(width, 1), a)
    return lower(build.eq(term, build.const(BitVec(1), 1)) if width == 1 else term)


def obligations(op: str, a: Number, source: Type, target: Type, flags: frozenset[str]) -> list[Obligation]:
    if flags:
        return _promised(op, a, source, target, flags)
    if op not in ("fptosi", "fptoui"):
        return []
    is_signed, width = op == "fptosi", _width(target)
    if isinstance(a, int):
        number = sf.to_integer(format_of(source), Rounding.RTZ, a)
        return [(integer_fits(number, width, is_signed), CONVERSION)]
    return [(truth(build.fits_integer(Rounding.RTZ, width, a, signed=is_signed)), CONVERSION)]


def _promised(op: str, a: Number, source: Type, target: Type, flags: frozenset[str]) -> list[Obligation]:
    """The obligations that the flags of a conversion add."""
    if op in ("fpext", "fptrunc") and flags <= {"nnan", "ninf"}:
        ends = ((a, source), (convert(op, a, source, target), target))
        return [(finite(value, kind, flags), NOT_FINITE) for value, kind in ends]
    if not isinstance(source, IntegerType):
        raise NotModelled(f"{op} with {' '.join(sorted(flags))}")
    if op in ("zext", "uitofp") and flags == {"nneg"}:
        return [(is_zero(integer("lshr", a, source.width - 1, source)), NEGATIVE)]
    if op == "trunc" and flags <= {"nuw", "nsw"} and isinstance(target, IntegerType):
        narrow = _trunc(a, source.width, target.width)
        backs = {"nuw": _zext, "nsw": _sext}
        return [(same(backs[f](narrow, target.width, source.width), a, source), LOST_BITS) for f in sorted(flags)]
    raise NotModelled(f"{op} with {' '.join(sorted(flags))}")


def _width(kind: Type) -> int:
    sort = sort_of(kind)
    return 1 if isinstance(sort, Bool) else sort.width
