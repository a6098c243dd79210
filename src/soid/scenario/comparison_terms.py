"""Comparison of values of any kind: numbers, bools, and labels of enumerations."""

from __future__ import annotations

import difflib
from collections.abc import Sequence
from typing import assert_never

from soid.errors import QueryError, SortMismatchError, UnknownVariableError
from soid.formula import build
from soid.formula import softfloat as sf
from soid.formula.build import FALSE, TRUE
from soid.formula.sorts import BitVec
from soid.program.types import EnumType, IntType
from soid.scenario.expression import Comparison, placed, span_of
from soid.scenario.number_terms import compare_numbers, round_to
from soid.scenario.operand_values import Choice, Exact, Real, Truth, Value, Whole, Word, known, opposite, same


def compare(op: Comparison, a: Value, b: Value) -> Truth:
    """a op b. A label is looked up in the enumeration of the other side."""
    if isinstance(a, Exact | Whole | Real) and isinstance(b, Exact | Whole | Real):
        return compare_numbers(op, a, b)
    if isinstance(a, Choice):
        test = _same_choice(a, b)
    elif isinstance(b, Choice):
        test = _same_choice(b, a)
    elif isinstance(a, Word):
        raise a.error
    elif isinstance(b, Word):
        raise b.error
    else:
        test = same(_flag(a), _flag(b))
    if op not in (Comparison.EQ, Comparison.NE):
        raise SortMismatchError(
            f"{kind_of(a if isinstance(a, Choice | Truth) else b)} has no order, so {op.value} says nothing",
            "Compare with == or !=, or list the values: in {...}.",
        )
    return test if op is Comparison.EQ else opposite(test)


def _flag(value: Value) -> Truth:
    """One side of a comparison of bools; 0 and 1 count as false and true."""
    if isinstance(value, Truth):
        return value
    if isinstance(value, Exact) and value.value in (0, 1):
        return known(TRUE if value.value else FALSE)
    raise SortMismatchError(f"a bool is compared with {kind_of(value)}", "Compare it with true or false.")


def _same_choice(a: Choice, b: Value) -> Truth:
    match b:
        case Choice(term, kind, defined):
            if kind != a.type:
                raise SortMismatchError(
                    f"a value of {a.type} is compared with one of {kind}", "Compare each with a label of its own."
                )
            return known(build.eq(a.term, term), build.and_(a.defined, defined))
        case _:
            number = _labelled(a, b)
    found = dict(a.cases).get(number)
    return known(build.eq(a.term, build.const(a.term.sort, number)), a.defined) if found is None else found


def _labelled(a: Choice, b: Value) -> int:
    """The value that a label stands for, or a number that has none."""
    match b:
        case Word(text, error):
            number = a.type.number(text)
            if number is None:
                raise placed(_unknown_label(a.type, text, error), span_of(error))
            return number
        case Exact():
            return _unlabelled(a.type, b)
        case _:
            raise SortMismatchError(
                f"a value of {a.type} is compared with {kind_of(b)}", f"Write one of {_labels(a.type)}."
            )


def among(value: Value, items: Sequence[Value], found: Truth) -> Truth:
    """Whether a value is one of some labels, which is true also where it is none of the others."""
    if not isinstance(value, Choice) or not value.cases or not all(isinstance(each, Word | Exact) for each in items):
        return found
    named = {_labelled(value, each) for each in items}
    others = [truth for number, truth in value.cases if number not in named]
    if not value.is_wide:  # it is one of these if it is none of those, and the other way round: the shorter term
        return Truth(found.true, build.any_of(truth.true for truth in others))
    return Truth(build.or_(found.true, build.all_of(truth.false for truth in others)), found.false)


def _unknown_label(kind: EnumType, text: str, error: QueryError) -> QueryError:
    """The error for a word that is neither a label nor a variable; it suggests a similar label, else a variable."""
    close = difflib.get_close_matches(text, [label for label, _ in kind.labels], n=1)
    folded = [label for label, _ in kind.labels if label.lower() == text.lower()]
    if close or folded:
        return UnknownVariableError(f"{kind} has no label {text}", f"Did you mean {(folded or close)[0]}?")
    if error.remedy.startswith("Did you mean"):
        return error
    return UnknownVariableError(f"{kind} has no label {text}", f"Its labels are {_labels(kind)}.")


def _unlabelled(kind: EnumType, number: Exact) -> int:
    """A number as a value of an enumeration. A number that has a label must be written as that label.

    Where a program spells values, a number is one of these spellings: a category that is called 30.
    """
    spelled = dict(kind.spellings).get(number.text)
    if spelled is not None:
        return spelled
    value = None if kind.spellings else number.value
    plain = IntType(kind.width, kind.signed)
    if value is None or value.denominator != 1 or not plain.least <= value <= plain.greatest:
        raise SortMismatchError(f"{kind} is never {number.text}", f"Its labels are {_labels(kind)}.")
    label = next((label for label, known_number in kind.labels if known_number == value), None)
    if label is not None:
        raise SortMismatchError(f"{number.text} has a label in {kind}", f"Write {label}.")
    return int(value)


def _labels(kind: EnumType) -> str:
    return ", ".join(label for label, _ in kind.labels)


def same_float(value: Real, number: Exact) -> Truth:
    if number.is_nan:
        return known(build.fp_is_nan(value.term), value.defined)
    rounded = build.const(value.format, round_to(number, value.format))
    return known(build.eq(value.term, rounded), value.defined)


def same_bits(value: Value, text: str) -> Truth:
    """Equality of bit patterns: `is nan(0x7fc00001)`, `is bits(0x1f)`."""
    bits = int(text[text.index("(") + 1 : -1], 16)
    match value:
        case Real(term, format, defined, pattern):
            width = format.width
            if pattern is None and sf.is_nan(format, bits & format.mask):
                raise SortMismatchError("the bits of a NaN that was computed are not known", "Ask `is nan`.")
            term, constant = (
                (term, build.const(format, bits)) if pattern is None else (pattern, build.const(pattern.sort, bits))
            )
        case Choice(term=term, defined=defined) | Whole(term=term, defined=defined):
            assert isinstance(term.sort, BitVec)
            width, constant = term.sort.width, build.const(term.sort, bits)
        case _:
            raise SortMismatchError(f"{kind_of(value)} has no bits to compare", "Compare it with ==.")
    if bits >> width:
        raise SortMismatchError(f"{text} has more than {width} bits", "Write a shorter pattern.")
    return known(build.eq(term, constant), defined)


def kind_of(value: Value) -> str:
    match value:
        case Truth():
            return "a bool"
        case Whole():
            return "a whole number"
        case Real():
            return "a float"
        case Exact(_, text):
            return f"the number {text}"
        case Choice(_, kind):
            return f"a value of {kind}"
        case Word(text):
            return f"the label {text}"
        case _:
            assert_never(value)
