"""Sorts, names and numbers of SMT-LIB.

>>> source = SmtLibText("demo", "((_ BitVec 8) Float32)")
>>> reader = SortReader(source)
>>> [reader.read(item).smtlib for item in source.expressions()[0].items]
['(_ BitVec 8)', '(_ FloatingPoint 8 24)']
"""

from __future__ import annotations

from decimal import Decimal
from fractions import Fraction
from typing import Final, final

from msgspec import Struct

from soid.formula.smtlib.sexpr import Atom, Parenthesis, Sexpr, SmtLibText
from soid.formula.sorts import BOOL, FLOAT16, FLOAT32, FLOAT64, FLOAT128, BitVec, Float, Sort

MAX_WIDTH: Final = 1 << 23  # bits of a bit-vector; a wider one is a mistake or an attack


@final
class ArraySort(Struct, frozen=True):
    """Arrays of bytes."""

    index: BitVec

    @property
    def smtlib(self) -> str:
        return f"(Array {self.index.smtlib} (_ BitVec 8))"


@final
class ModeSort(Struct, frozen=True):
    """Rounding modes; only constants have this sort."""

    smtlib = "RoundingMode"


AnySort = Sort | ArraySort | ModeSort

_NAMED: Final[dict[str, AnySort]] = {
    "Bool": BOOL,
    "Float16": FLOAT16,
    "Float32": FLOAT32,
    "Float64": FLOAT64,
    "Float128": FLOAT128,
    "RoundingMode": ModeSort(),
}
_RESERVED: Final = frozenset({"!", "_", "as", "let", "exists", "forall", "match", "par"})


def exact(text: str) -> Fraction:
    """A numeral or decimal of any length; Python's int() refuses more than a few thousand digits.

    >>> exact("0.1")
    Fraction(1, 10)
    """
    return Fraction(Decimal(text))


@final
class SortReader:
    """Reads the sorts of one script, including those of its define-sorts."""

    def __init__(self, source: SmtLibText) -> None:
        self._source = source
        self._defined: dict[str, AnySort] = {}

    def define(self, name: str, sort: AnySort, at: int) -> None:
        if name in _NAMED or name in self._defined:
            raise self._source.error(at, f"the sort {name} is defined twice", "Rename one of the two.")
        self._defined[name] = sort

    def read(self, item: Sexpr) -> AnySort:
        if isinstance(item, Atom):
            return self._name(item)
        head = item.items[0] if item.items else item
        if isinstance(head, Atom) and head.text == "Array":
            return self._array(item)
        if not (isinstance(head, Atom) and head.text == "_"):
            raise self._source.error(item.at, "expected a sort", _REMEDY)
        name, numbers = self.indexed(item)
        if name == "BitVec" and len(numbers) == 1 and numbers[0] > 0:
            return BitVec(self.bounded(numbers[0], item.at))
        if name == "FloatingPoint" and len(numbers) == 2:
            return self.float(numbers, item.at)
        raise self._source.error(item.at, f"{name} is no sort of the fragment read here", _REMEDY)

    def value_sort(self, item: Sexpr) -> Sort:
        """A sort that variables can have."""
        sort = self.read(item)
        if isinstance(sort, ArraySort | ModeSort):
            raise self._source.error(item.at, f"{sort.smtlib} is not read here", _REMEDY)
        return sort

    def float(self, numbers: tuple[int, ...], at: int) -> Float:
        if len(numbers) != 2 or min(numbers) < 2:
            raise self._source.error(at, "a float format has two numbers of bits, each at least 2")
        if numbers[0] > FLOAT128.exponent or numbers[1] > FLOAT128.significand:
            raise self._source.error(at, "a float format wider than Float128 is not read here")
        return Float(*numbers)

    def bounded(self, width: int, at: int) -> int:
        """A bit-vector's width, checked against the limit."""
        if width > MAX_WIDTH:
            raise self._source.error(at, f"a bit-vector of {width} bits: more than {MAX_WIDTH} are not read")
        return width

    def symbol(self, item: Sexpr) -> str:
        """A name that is declared, defined or bound."""
        if not isinstance(item, Atom) or item.kind != "symbol":
            raise self._source.error(item.at, "expected a name")
        if item.text in _RESERVED:
            raise self._source.error(item.at, f"{item.text} is a reserved word", "Choose another name.")
        return item.text

    def indexed(self, group: Parenthesis) -> tuple[str, tuple[int, ...]]:
        """The name and the numbers of (_ name number ...)."""
        items = group.items
        words = [item for item in items if isinstance(item, Atom)]
        if len(words) < 3 or len(words) < len(items) or words[0].text != "_" or words[1].kind != "symbol":
            raise self._source.error(group.at, "expected (_ name number ...)")
        return words[1].text, tuple(self._number(word) for word in words[2:])

    def _number(self, item: Atom) -> int:
        if item.kind != "numeral" or len(item.text) > 15:
            raise self._source.error(item.at, f"expected a number, found {item.text[:40]}")
        return int(item.text)

    def _name(self, item: Atom) -> AnySort:
        name = item.text
        sort = self._defined.get(name) or _NAMED.get(name)
        if sort is None or item.kind != "symbol":
            raise self._source.error(item.at, f"{name[:60]} is no sort of the fragment read here", _REMEDY)
        return sort

    def _array(self, item: Parenthesis) -> ArraySort:
        if len(item.items) != 3:
            raise self._source.error(item.at, "expected (Array index element)")
        index, element = self.value_sort(item.items[1]), self.value_sort(item.items[2])
        if not isinstance(index, BitVec) or element != BitVec(8):
            raise self._source.error(
                item.at, "arrays are read only if they hold bytes: (Array (_ BitVec n) (_ BitVec 8))"
            )
        return ArraySort(index)


_REMEDY: Final = "Variables are Bool, (_ BitVec n), (_ FloatingPoint e s), Float16 to Float128, or arrays of bytes."
