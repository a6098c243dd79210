"""The types of a program's variables. All values are kept as bits.

A value of any type is an `int` with its bit pattern (a bool 0 or 1, an integer in two's complement, a float in
IEEE-754), so two states are equal exactly if all their bits are. The type says how to read the bits:

>>> from soid.formula.sorts import FLOAT32
>>> speed = FloatType(FLOAT32)
>>> hex(parse(speed, "1.376")), show(speed, 0x3FB020C5)
('0x3fb020c5', '1.376')
>>> signal = EnumType("signal", 8, False, (("OFF", 0), ("LEFT", 1), ("RIGHT", 2)))
>>> parse(signal, "RIGHT"), show(signal, 1)
(2, 'LEFT')
"""

from __future__ import annotations

import re
from typing import Any, Final, Literal, assert_never, final

from msgspec import Struct

from soid.documents import JsonValue
from soid.formula import build, decimals
from soid.formula import softfloat as sf
from soid.formula.operators import signed as as_signed
from soid.formula.sorts import BOOL, FLOAT16, FLOAT32, FLOAT64, BitVec, Bool, Float
from soid.formula.term import Term
from soid.formula.value_order import ValueOrder


@final
class BoolType(Struct, frozen=True):
    """true or false."""

    @property
    def width(self) -> int:
        return 1

    def __str__(self) -> str:
        return "bool"


@final
class IntType(Struct, frozen=True):
    """An integer of a fixed width, in two's complement if it is signed."""

    width: int
    signed: bool

    def __str__(self) -> str:
        return f"{'int' if self.signed else 'uint'}{self.width}"

    @property
    def least(self) -> int:
        return -(1 << (self.width - 1)) if self.signed else 0

    @property
    def greatest(self) -> int:
        return (1 << (self.width - 1 if self.signed else self.width)) - 1


@final
class FloatType(Struct, frozen=True):
    """An IEEE-754 float."""

    format: Float
    missing: bool = False  # NaN stands for a value that is missing, and is called so
    flags: bool = False  # what a log has as true and false are its 1 and 0

    @property
    def width(self) -> int:
        return self.format.width

    def __str__(self) -> str:
        return f"float{self.format.width}"


@final
class EnumType(Struct, frozen=True):
    """An integer with names for its values."""

    name: str  # of the enumeration, for messages
    width: int
    signed: bool
    labels: tuple[tuple[str, int], ...]  # label and number, in the order of declaration
    spellings: tuple[tuple[str, int], ...] = ()  # how else values are written, by the program itself: "self-employed"
    missing: int | None = None  # the number that stands for a value that is missing
    other: int | None = None  # the number that stands for every value that has none of its own
    written: Literal["text", "number", ""] = ""  # what such values are outside of the program; "": that is not known

    def __str__(self) -> str:
        return f"enum {self.name}" if self.name else "enum"

    def number(self, label: str) -> int | None:
        known = next((number for name, number in (*self.labels, *self.spellings) if name == label), None)
        return self.missing if known is None and label == MISSING else known

    @property
    def flags(self) -> int:
        """The bits of an enumeration whose labels are flags, which a program combines; 0 where they are not.

        >>> EnumType("error", 32, False, (("TILT", 1), ("HEAT", 2), ("DOOR", 4))).flags
        7
        >>> EnumType("gear", 32, False, (("PARK", 0), ("DRIVE", 1), ("REVERSE", 2))).flags
        0
        """
        numbers = {number for _, number in self.labels}
        single = [number for number in numbers if number > 0 and number.bit_count() == 1]
        every = 0
        for number in single:
            every |= number
        in_turn = numbers <= set(range(len(numbers) + 1))
        return every if len(single) > 2 and not in_turn and all(n >= 0 and not n & ~every for n in numbers) else 0


VariableType = BoolType | IntType | FloatType | EnumType

#: how a value is written that is missing, where a type has one
MISSING: Final = "missing"

_NAMED: Final[dict[str, VariableType]] = {
    "bool": BoolType(),
    "float16": FloatType(FLOAT16),
    "float32": FloatType(FLOAT32),
    "float64": FloatType(FLOAT64),
}


def named(text: str) -> VariableType | None:
    """The type with a name as in manifests: bool, int32, uint8, float64 ..."""
    known = _NAMED.get(text)
    if known is not None:
        return known
    match = re.fullmatch(r"(u?)int([1-9]\d{0,3})", text)
    return IntType(int(match[2]), signed=not match[1]) if match else None


def symbol_sort(kind: VariableType) -> Bool | BitVec:
    """The sort of the symbol that stands for a variable's bits."""
    return BOOL if isinstance(kind, BoolType) else BitVec(kind.width)


def reading(kind: VariableType, symbol: Term) -> Term:
    """The term that the program computes with: the symbol of a float is its bits, its reading is the float."""
    return build.fp_from_bits(kind.format, symbol) if isinstance(kind, FloatType) else symbol


def constant(kind: VariableType, bits: int) -> Term:
    """The reading of a value."""
    return reading(kind, build.const(symbol_sort(kind), bits))


def value_order(kind: VariableType) -> ValueOrder:
    """The order of a type's values, from the least to the greatest."""
    if isinstance(kind, FloatType):
        return ValueOrder(kind.format)
    return ValueOrder(symbol_sort(kind), isinstance(kind, IntType | EnumType) and kind.signed)


def missing_value(kind: VariableType) -> int | None:
    """The bits that stand for a value that is missing; None: the type has none."""
    if isinstance(kind, FloatType):
        return kind.format.nan if kind.missing else None
    if isinstance(kind, EnumType) and kind.missing is not None:
        return kind.missing & (1 << kind.width) - 1
    return None


def number(kind: IntType | EnumType, bits: int) -> int:
    """The number that an integer's bits stand for."""
    return as_signed(bits, kind.width) if kind.signed else bits


_BITS: Final = re.compile(r"(nan|bits)\(0x([0-9a-fA-F]+)\)")
_INTEGER: Final = re.compile(r"[+-]?(0x[0-9a-fA-F]+|\d+)")


def parse(kind: VariableType, text: str) -> int:
    """The bits of a literal of this type; floats are rounded to it. The ValueError says what was expected."""
    text = text.strip()
    raw = _BITS.fullmatch(text)
    if raw:
        bits = int(raw[2], 16)
        if bits >> kind.width:
            raise ValueError(f"{text} has more than the {kind.width} bits of {kind}")
        if raw[1] == "nan" and not (isinstance(kind, FloatType) and sf.is_nan(kind.format, bits)):
            raise ValueError(f"{text} is no NaN of {kind}; plain bits are written bits(0x...)")
        return bits
    match kind:
        case BoolType():
            return _parse_bool(text)
        case IntType():
            return _parse_int(kind, text)
        case FloatType():
            if kind.missing and text == MISSING:
                return kind.format.nan
            try:
                return decimals.parse(kind.format, text)
            except ValueError:
                raise ValueError(f"expected a number, found {text!r}") from None
        case EnumType():
            return _parse_label(kind, text)
        case _:
            assert_never(kind)


def _parse_bool(text: str) -> int:
    known = {"true": 1, "1": 1, "false": 0, "0": 0}.get(text.lower())
    if known is None:
        raise ValueError(f"expected true or false, found {text!r}")
    return known


def _parse_int(kind: IntType, text: str) -> int:
    if not _INTEGER.fullmatch(text):
        raise ValueError(f"expected a whole number, found {text!r}")
    value = int(text, 0) if "x" in text.lower() else int(text)
    if not kind.least <= value <= kind.greatest:
        raise ValueError(f"{text} is outside {kind}, which holds {kind.least} to {kind.greatest}")
    return value & (1 << kind.width) - 1


def _parse_label(kind: EnumType, text: str) -> int:
    value = kind.number(text)
    if value is None and not kind.spellings and _INTEGER.fullmatch(text):  # else a program writes its own numbers
        value = _parse_int(IntType(kind.width, kind.signed), text)
    if value is None:
        others = [f"; {label} stands for every other one" for label, known in kind.labels if known == kind.other]
        raise ValueError(f"expected one of {', '.join(dict(kind.labels))}, found {text!r}{''.join(others)}")
    return value & (1 << kind.width) - 1


def show(kind: VariableType, bits: int) -> str:
    """The text for display; `parse` reads it back to the same bits."""
    match kind:
        case BoolType():
            return "true" if bits else "false"
        case IntType():
            return str(number(kind, bits))
        case FloatType(format):
            if sf.is_nan(format, bits) and bits != format.nan:
                return f"nan(0x{bits:x})"
            return MISSING if bits == missing_value(kind) else decimals.shortest(format, bits)
        case EnumType():
            value = number(kind, bits)
            unlabelled = f"bits({bits:#x})" if kind.spellings else str(value)
            return next((label for label, known in kind.labels if known == value), unlabelled)
        case _:
            assert_never(kind)


def from_python(kind: VariableType, value: Any) -> int:
    """The bits of a Python value from JSON: bool, int, float or text. The ValueError says what was expected.

    A Python float is rounded from its exact value, so every float that `json_value` writes gives its bits back. A
    reader that must round any other decimal only once gives its text instead.
    """
    if isinstance(value, bool):
        if isinstance(kind, BoolType | IntType):
            return int(value)
        raise ValueError(f"expected {kind}, found {str(value).lower()}")
    if isinstance(value, int | str):
        return parse(kind, str(value))
    if isinstance(value, float) and isinstance(kind, FloatType):
        return sf.convert(FLOAT64, kind.format, sf.float_to_bits64(value))
    raise ValueError(f"expected {kind}, found {value!r}")


def json_value(kind: VariableType, bits: int) -> JsonValue:
    """The value for JSON; `from_python` gives the same bits back."""
    match kind:
        case BoolType():
            return bool(bits)
        case IntType():
            return number(kind, bits)
        case FloatType(format):
            if not sf.is_finite(format, bits):
                return show(kind, bits)  # JSON has no such numbers
            return float(decimals.shortest(format, bits))
        case EnumType():
            return show(kind, bits)
        case _:
            assert_never(kind)
