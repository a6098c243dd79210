"""What an application makes of a variable before it gives it to a network, as a manifest writes it.

    (altitude - 19791.091) / 60261.0                  in float64, one rounded operation after the other, as Python does
    in float32: (altitude - 19791.091) / 60261.0      every number and every result in float32, as numpy's float32 does
    clip(speed, 0, 1200)                              not below, nor above
    one hot of weather: DRY, RAIN, SNOW               an element for each label: 1 for the one that it is, else 0
    code of weather: DRY = 0, RAIN = 1, SNOW = 0.5    a number for each label

>>> written("1 - (speed - 5.0) / 2").columns
((ColumnArithmetic(operation='subtract', value=5.0), ColumnArithmetic(operation='divide', value=2.0), \
ColumnArithmetic(operation='multiply', value=-1.0), ColumnArithmetic(operation='add', value=1.0)),)
>>> written("one hot of weather: DRY, RAIN").columns
((Table(entries=((0, 1.0), (1, 0.0)), unseen=None, missing=None),), \
(Table(entries=((0, 0.0), (1, 1.0)), unseen=None, missing=None),))
"""

from __future__ import annotations

import math
import re
import struct
from collections.abc import Callable
from typing import Final, Literal, NoReturn, final

from msgspec import Struct

from soid.engine.learned.column_steps import Clip, ColumnArithmetic, ColumnStep, Table, ToFloat32

_DECIMAL: Final = r"(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]+)?"
_TOKEN: Final = re.compile(rf"\s*({_DECIMAL}|[^\W\d]\w*|[-+*/(),])")
_LABELLED: Final = re.compile(r"\s*(?P<kind>one hot|code) of (?P<name>[^\W\d]\w*)\s*:(?P<labels>.*)", re.DOTALL)
_SINGLE: Final = re.compile(r"\s*in float32\s*:")
_PAIR: Final = re.compile(rf"\s*(?P<label>[^=]+?)\s*=\s*(?P<number>[-+]?{_DECIMAL})\s*")
_DEEPEST: Final = 50  # brackets


class FormulaError(Exception):
    """A text says nothing that an application could do; the message says why."""


@final
class InputFormula(Struct, frozen=True):
    """A variable, and the steps to each of the elements that are made of it."""

    variable: str
    columns: tuple[tuple[ColumnStep, ...], ...]
    labels: tuple[str, ...] = ()  # of a category; else it is a number


def written(text: str) -> InputFormula:
    """What a text says; raises FormulaError."""
    labelled = _LABELLED.fullmatch(text)
    if labelled is None:
        single = _SINGLE.match(text)
        parser = _Parser(text if single is None else text[single.end() :], single is not None)
        return InputFormula(*parser.whole())
    if labelled["kind"] == "one hot":
        labels = tuple(each.strip() for each in labelled["labels"].split(","))
        tables = [_table([float(place == chosen) for place in range(len(labels))]) for chosen in range(len(labels))]
    else:
        pairs = [_PAIR.fullmatch(each) for each in labelled["labels"].split(",")]
        known = [pair for pair in pairs if pair is not None]
        if len(known) < len(pairs):
            raise FormulaError("each label needs a number: code of weather: DRY = 0, RAIN = 1")
        labels = tuple(pair["label"] for pair in known)
        tables = [_table([_finite(pair["number"]) for pair in known])]
    if not all(labels) or len(set(labels)) != len(labels):
        raise FormulaError("a label is empty, or is there twice")
    return InputFormula(labelled["name"], tuple((table,) for table in tables), labels)


def _table(values: list[float]) -> Table:
    """What is missing, or has no label, is not known: NaN."""
    return Table(tuple(enumerate(values)), None)


def _finite(text: str) -> float:
    found = float(text)
    if not math.isfinite(found):
        raise FormulaError(f"{text} is too large for a float64")
    return found


#: a constant, or what is made of the variable by steps
_Value = float | tuple[ColumnStep, ...]


@final
class _Parser:
    """Reads sums, products, brackets, and `clip`, with one variable in them."""

    def __init__(self, text: str, single: bool) -> None:
        self._single = single
        self._tokens: list[str] = []
        self._variable = ""
        at = 0
        while text[at:].strip():
            found = _TOKEN.match(text, at)
            if found is None:
                raise FormulaError(f"it has {text[at:].strip()[:20]!r}, which is no number, name or sign")
            self._tokens.append(found.group().strip())
            at = found.end()
        self._at = 0
        self._depth = 0

    def whole(self) -> tuple[str, tuple[tuple[ColumnStep, ...], ...]]:
        found = self._sum()
        if self._at < len(self._tokens):
            raise FormulaError(f"{self._tokens[self._at]!r} is one too many")
        if isinstance(found, float):
            raise FormulaError("it has no variable")
        return self._variable, (found,)

    def _peek(self) -> str:
        return self._tokens[self._at] if self._at < len(self._tokens) else ""

    def _take(self, expected: str = "") -> str:
        found = self._peek()
        if not found or (expected and found != expected):
            raise FormulaError(f"{expected or 'a number or a name'!r} is missing")
        self._at += 1
        return found

    def _sum(self) -> _Value:
        found = self._product()
        while self._peek() in ("+", "-"):
            operation: Literal["add", "subtract"] = "add" if self._take() == "+" else "subtract"
            found = self._computed(operation, found, self._product())
        return found

    def _product(self) -> _Value:
        found = self._atom()
        while self._peek() in ("*", "/"):
            operation: Literal["multiply", "divide"] = "multiply" if self._take() == "*" else "divide"
            found = self._computed(operation, found, self._atom())
        return found

    def _atom(self) -> _Value:
        token = self._take()
        if token in ("-", "+"):
            inner = self._nested(self._atom)
            return inner if token == "+" else self._negated(inner)
        if token == "(":
            inner = self._nested(self._sum)
            self._take(")")
            return inner
        if token == "clip" and self._peek() == "(":
            return self._clip()
        if token[0].isdigit() or token[0] == ".":
            return self._rounded(_finite(token))
        if token in ("*", "/", ")", ","):
            raise FormulaError(f"{token!r} is where a number or a name should be")
        if self._variable:
            raise FormulaError("it has a second name, and an element is made of one variable that is named once")
        self._variable = token
        return (ToFloat32(),) if self._single else ()

    def _nested(self, part: Callable[[], _Value]) -> _Value:
        self._depth += 1
        if self._depth > _DEEPEST:
            raise FormulaError(f"it has more than {_DEEPEST} brackets in one another")
        found = part()
        self._depth -= 1
        return found

    def _clip(self) -> _Value:
        self._take("(")
        given = self._nested(self._sum)
        self._take(",")
        low = self._sum()
        self._take(",")
        high = self._sum()
        self._take(")")
        if isinstance(given, float) or not isinstance(low, float) or not isinstance(high, float) or low > high:
            raise FormulaError("clip takes what is made of a variable, and two numbers: clip(speed, 0, 1200)")
        return (*given, Clip(low, high))

    def _computed(
        self, operation: Literal["add", "subtract", "multiply", "divide"], one: _Value, other: _Value
    ) -> _Value:
        if isinstance(one, float) and isinstance(other, float):
            return self._constant(operation, one, other)
        if isinstance(one, float):
            if operation == "divide":
                raise FormulaError("it divides by the variable")
            if operation == "subtract":  # the same float as the sum of the negated one and the number
                return self._computed("add", self._negated(other), one)
            return self._computed(operation, other, one)
        if not isinstance(other, float):
            self._fail()
        if other == 0.0 and operation in ("multiply", "divide"):
            raise FormulaError(f"it would {operation} by 0")
        return self._stepped(one, ColumnArithmetic(operation, other))

    def _constant(self, operation: str, one: float, other: float) -> float:
        if operation == "divide" and other == 0.0:
            raise FormulaError("it divides by 0")
        found = {"add": one + other, "subtract": one - other, "multiply": one * other}.get(operation)
        return self._rounded(_finite(repr(one / other if found is None else found)))

    def _negated(self, given: _Value) -> _Value:
        return -given if isinstance(given, float) else (*given, ColumnArithmetic("multiply", -1.0))

    def _stepped(self, given: tuple[ColumnStep, ...], step: ColumnStep) -> _Value:
        return (*given, step, ToFloat32()) if self._single else (*given, step)

    def _rounded(self, number: float) -> float:
        if not self._single:
            return number
        try:
            (found,) = struct.unpack("<f", struct.pack("<f", number))
        except OverflowError:
            raise FormulaError(f"{number} is too large for a float32") from None
        return float(found)

    def _fail(self) -> NoReturn:
        raise FormulaError("it computes with two variables")
