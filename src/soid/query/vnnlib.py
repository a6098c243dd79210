"""Properties of neural networks as VNN-LIB files have them: is there an input for which all assertions hold?

    (declare-const X_0 Real)  (declare-const Y_0 Real)  (declare-const Y_1 Real)
    (assert (>= X_0 -0.5))  (assert (<= X_0 0.5))           what is given
    (assert (or (<= Y_0 Y_1) (>= Y_0 3.0)))                 what is sought

Numbers are read as they are written, as fractions. A property becomes cases: in each the inputs lie in a box, and the
outputs satisfy relations. There is one where `or` stands over outputs alone. What is not a linear relation, or relates
two inputs, or an input and an output, is refused with its line.
"""

from __future__ import annotations

import itertools
import re
import sys
from collections.abc import Iterator, Mapping, Sequence
from fractions import Fraction
from typing import Final, Literal, final

from msgspec import Struct
from msgspec.structs import replace

from soid.errors import SmtLibError
from soid.formula.smtlib.sexpr import Atom, Parenthesis, Sexpr, SmtLibText

_VARIABLE: Final = re.compile(r"([XY])_(0|[1-9][0-9]{0,6})")
_NUMBER: Final = re.compile(r"[+-]?[0-9]{1,400}(\.[0-9]{0,400})?([eE][+-]?[0-9]{1,3})?")
_NEGATED: Final = {"<=": ">", "<": ">=", ">=": "<", ">": "<=", "=": ""}
_MOST_CASES: Final = 4096
_LARGEST: Final = Fraction(sys.float_info.max)
_FORMS: Final = "Write linear relations with <=, <, >=, >, =, joined by and, or, not."

Comparison = Literal["<=", "<"]


@final
class LinearRelation(Struct, frozen=True):
    """A sum of variables times factors, compared with a bound."""

    terms: tuple[tuple[str, int, Fraction], ...]  # X or Y, its number, its factor: in this order, none is 0
    comparison: Comparison
    bound: Fraction
    at: int  # offset in the text

    @property
    def letters(self) -> frozenset[str]:
        return frozenset(letter for letter, _, _ in self.terms)


@final
class Joined(Struct, frozen=True):
    """Several conditions: all of them hold, or any of them."""

    every: bool
    parts: tuple[Condition, ...]

    @property
    def letters(self) -> frozenset[str]:
        return frozenset().union(*(each.letters for each in self.parts))


Condition = LinearRelation | Joined

TRUE: Final = Joined(True, ())
_FALSE: Final = Joined(False, ())


@final
class PropertyCase(Struct, frozen=True):
    """Inputs in a box, and what their outputs satisfy."""

    box: tuple[LinearRelation, ...]  # of one input each
    sought: Condition  # over outputs


@final
class NetworkProperty(Struct, frozen=True):
    """A property: it is satisfied where one of its cases is."""

    inputs: int
    outputs: int
    cases: tuple[PropertyCase, ...]


def read_vnnlib(text: str, source: str) -> NetworkProperty:
    """Read a property; `source` is its name in messages.

    >>> found = read_vnnlib("(declare-const X_0 Real)(declare-const Y_0 Real)(assert (<= X_0 1))(assert (> Y_0 2))", "")
    >>> found.inputs, found.outputs, len(found.cases)
    (1, 1, 1)
    """
    try:
        return _VnnLibReader(SmtLibText(source, text)).read()
    except RecursionError:
        raise SmtLibError(f"{source}: its conditions are nested too deeply", "Write and, or with more parts.") from None


@final
class _VnnLibReader:
    def __init__(self, source: SmtLibText) -> None:
        self._source = source
        self._declared: dict[str, set[int]] = {"X": set(), "Y": set()}

    def read(self) -> NetworkProperty:
        asserted: list[Condition] = []
        for command in self._source.expressions():
            name = _head(command)
            if name in ("declare-const", "declare-fun"):
                self._declare(command)
            elif name == "assert" and len(command.items) == 2:
                asserted.append(self._condition(command.items[1]))
            else:
                told = name or "this"
                raise self._error(command, f"{told} is no command of VNN-LIB 1", "It has declare-const and assert.")
        for letter, numbers in self._declared.items():
            if numbers != set(range(len(numbers))) or not numbers:
                raise SmtLibError(
                    f"{self._source.name}: the variables {letter}_0, {letter}_1, ... are not all declared",
                    "Declare one for each input (X) and each output (Y) of the network, counted from 0.",
                )
        cases = tuple(self._cases(Joined(True, tuple(asserted))))
        return NetworkProperty(len(self._declared["X"]), len(self._declared["Y"]), cases)

    def _declare(self, command: Parenthesis) -> None:
        name, sort = (command.items[each] if len(command.items) > 2 else None for each in (1, -1))
        known = _VARIABLE.fullmatch(name.text) if isinstance(name, Atom) else None
        if known is None or not isinstance(sort, Atom) or sort.text != "Real":
            raise self._error(command, "this declares no input X_i and no output Y_j of sort Real")
        self._declared[known[1]].add(int(known[2]))

    def _error(self, where: Sexpr | LinearRelation, cause: str, remedy: str = _FORMS) -> SmtLibError:
        return self._source.error(where.at, cause, remedy)

    # --- conditions ---------------------------------------------------------------------------------------------

    def _condition(self, item: Sexpr, *, holds: bool = True) -> Condition:
        """A condition, or its negation."""
        if isinstance(item, Atom):
            if item.text in ("true", "false"):
                return TRUE if (item.text == "true") == holds else _FALSE
            raise self._error(item, f"{item.text[:40]} is no condition")
        head, given = _head(item), item.items[1:]
        if head in ("and", "or"):
            parts = tuple(self._condition(each, holds=holds) for each in given)
            return parts[0] if len(parts) == 1 else Joined((head == "and") == holds, parts)
        if head == "not" and len(given) == 1:
            return self._condition(given[0], holds=not holds)
        if head in _NEGATED and len(given) >= 2:
            pairs = itertools.pairwise(given)
            return _joined(holds, [self._compared(head, one, other, holds) for one, other in pairs])
        raise self._error(item, f"{head or 'this'} is no condition that is read here")

    def _compared(self, head: str, one: Sexpr, other: Sexpr, holds: bool) -> Condition:
        left, right = self._sum(one), self._sum(other)
        for name, factor in right.items():
            left[name] = left.get(name, Fraction(0)) - factor
        if head == "=":
            sides = [_relation(left, each if holds else each.strip("="), one.at) for each in ("<=", ">=")]
            found = _joined(holds, sides)
        else:
            found = _relation(left, head if holds else _NEGATED[head], one.at)
        gone = [name for name, factor in left.items() if name is not None and name[0] == "Y" and not factor]
        if not gone or _is_false(found):
            return found
        return _joined(True, [*([found] if found.letters else []), *(_is_number(*name, one.at) for name in gone)])

    def _sum(self, item: Sexpr) -> dict[tuple[str, int] | None, Fraction]:
        """Factors of variables; that of None is a number."""
        if isinstance(item, Atom):
            if (known := _VARIABLE.fullmatch(item.text)) is not None:
                if int(known[2]) not in self._declared[known[1]]:
                    raise self._error(item, f"{item.text} is not declared", "Declare it before.")
                return {(known[1], int(known[2])): Fraction(1)}
            if _NUMBER.fullmatch(item.text):
                return {None: Fraction(item.text)}
            raise self._error(item, f"{item.text[:40]} is no number, no X_i and no Y_j")
        head, given = _head(item), [self._sum(each) for each in item.items[1:]]
        if head == "+" or (head == "-" and given):
            first, *others = given if head == "+" or len(given) > 1 else [{}, *given]
            for each in others:
                for name, factor in each.items():
                    first[name] = first.get(name, Fraction(0)) + (factor if head == "+" else -factor)
            return first
        if head in ("*", "/") and len(given) == 2:
            one, other = given if head == "/" or None in given[1] else given[::-1]
            by = other.get(None, Fraction(0))
            if set(other) <= {None} and (by or head == "*"):
                return {name: factor * by if head == "*" else factor / by for name, factor in one.items()}
        raise self._error(item, f"{head or 'this'} is no linear expression")

    # --- cases --------------------------------------------------------------------------------------------------

    def _cases(self, condition: Condition) -> Iterator[PropertyCase]:
        found = list(itertools.islice(self._parted(condition), _MOST_CASES + 1))
        if len(found) > _MOST_CASES:
            raise SmtLibError(
                f"{self._source.name}: its inputs lie in more than {_MOST_CASES} boxes", "Write a file for each part."
            )
        return iter(found)

    def _parted(self, condition: Condition) -> Iterator[PropertyCase]:
        """The cases of a condition, one after the other."""
        if "X" not in condition.letters:
            yield PropertyCase((), condition)
        elif isinstance(condition, LinearRelation):
            if len(condition.terms) > 1:
                raise self._error(
                    condition, "this relates an input to another one, or to an output", "Bound each input."
                )
            yield PropertyCase((condition,), TRUE)
        elif not condition.every:
            for each in condition.parts:
                yield from self._parted(each)
        else:
            outputs = tuple(each for each in condition.parts if "X" not in each.letters)
            inputs = [
                list(itertools.islice(self._parted(e), _MOST_CASES + 1)) for e in condition.parts if "X" in e.letters
            ]
            for chosen in itertools.product(*inputs):
                sought = (*outputs, *(each.sought for each in chosen if each.sought is not TRUE))
                box = tuple(relation for each in chosen for relation in each.box)
                yield PropertyCase(box, _joined(True, list(sought)))


def _head(item: Parenthesis) -> str:
    return item.items[0].text if item.items and isinstance(item.items[0], Atom) else ""


def _joined(every: bool, parts: Sequence[Condition]) -> Condition:
    return parts[0] if len(parts) == 1 else Joined(every, tuple(parts))


def _is_false(condition: Condition) -> bool:
    """Whether it is, whatever variables are."""
    if isinstance(condition, LinearRelation):
        return False
    return (any if condition.every else all)(map(_is_false, condition.parts))


def _is_number(letter: str, number: int, at: int) -> Condition:
    """What a relation says of an output that cancels out in it: NaN and infinities are in relation to nothing."""
    sides = [LinearRelation(((letter, number, Fraction(sign)),), "<=", _LARGEST, at) for sign in (1, -1)]
    return _joined(True, sides)


def _relation(factors: Mapping[tuple[str, int] | None, Fraction], comparison: str, at: int) -> Condition:
    """A sum compared with 0; with no variable in it, it is true or false."""
    terms = sorted((*name, factor) for name, factor in factors.items() if name is not None and factor)
    made = LinearRelation(tuple(terms), "<=" if "=" in comparison else "<", -factors.get(None, Fraction(0)), at)
    if comparison.startswith(">"):
        turned = tuple((letter, number, -factor) for letter, number, factor in terms)
        made = replace(made, terms=turned, bound=-made.bound)
    if terms:
        return made
    return TRUE if (made.bound >= 0 if made.comparison == "<=" else made.bound > 0) else _FALSE
