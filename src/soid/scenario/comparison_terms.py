"""Comparison of values of any kind: numbers, bools, labels of enumerations, and texts."""

from __future__ import annotations

import difflib
from collections.abc import Sequence
from fractions import Fraction
from typing import Final, assert_never

from soid.errors import QueryError, SortMismatchError, UnknownVariableError
from soid.formula import build
from soid.formula import softfloat as sf
from soid.formula.build import FALSE, TRUE
from soid.formula.sorts import BitVec
from soid.formula.term import Term
from soid.program.types import EnumType, IntType
from soid.scenario.expression import Comparison, placed, span_of
from soid.scenario.float_terms import round_to
from soid.scenario.number_terms import compare_numbers
from soid.scenario.operand_values import (
    Chars,
    Choice,
    Exact,
    Ratio,
    Real,
    Truth,
    Value,
    Whole,
    Word,
    both,
    known,
    opposite,
    same,
)


def compare(op: Comparison, a: Value, b: Value) -> Truth:
    """a op b. A label is looked up in the enumeration of the other side, else among all of the program."""
    if isinstance(a, Word) and isinstance(b, Whole | Ratio):
        a = enumerator(a)
    if isinstance(b, Word) and isinstance(a, Whole | Ratio):
        b = enumerator(b)
    if isinstance(a, _NUMBERS) and isinstance(b, _NUMBERS):
        return compare_numbers(op, a, b)
    unordered = a if isinstance(a, Choice | Truth | Chars) else b
    if op not in (Comparison.EQ, Comparison.NE) and isinstance(unordered, Choice | Truth | Chars):
        raise SortMismatchError(f"{kind_of(unordered)} has no order, so {op.value} says nothing", _in_order(unordered))
    if isinstance(a, Choice):
        test = _same_choice(a, b)
    elif isinstance(b, Choice):
        test = _same_choice(b, a)
    elif isinstance(a, Chars):
        test = _same_text(a, b)
    elif isinstance(b, Chars):
        test = _same_text(b, a)
    elif isinstance(a, Word):
        raise a.error
    elif isinstance(b, Word):
        raise b.error
    else:
        test = same(_flag(a), _flag(b))
    return test if op is Comparison.EQ else opposite(test)


_NUMBERS: Final = (Exact, Whole, Ratio, Real)


def _in_order(value: Choice | Truth | Chars) -> str:
    """What to write where values without an order are compared by one."""
    if not isinstance(value, Choice):
        return "Compare with == or !=."
    some = ", ".join([label for label, _ in value.type.labels][:2])
    number = f"{'int' if value.type.signed else 'uint'}{max(8, value.type.width)}"
    return f"List the values: in {{{some}, ...}}; or compare its number: {number}(...) <= 3."


def enumerator(word: Word, beside: Value | None = None) -> Exact:
    """A word as a number: an enumerator of the enumeration beside it, else of any that the program has."""
    number = beside.type.number(word.text) if isinstance(beside, Choice) else None
    if number is None:
        numbers = dict.fromkeys(number for _, number in word.numbers)
        if not numbers and len(word.text) == 1 and isinstance(word.error, UnknownVariableError):
            error = UnknownVariableError(word.error.cause, f"The number of a character is written '{word.text}'.")
            raise placed(error, span_of(word.error))
        if not numbers or isinstance(beside, Real):
            raise word.error
        if len(numbers) > 1:
            each = " and ".join(
                f"{number} in {name or 'an enumeration without a name'}" for name, number in word.numbers
            )
            raise placed(SortMismatchError(f"{word.text} is {each}", "Write the number."), span_of(word.error))
        number = next(iter(numbers))
    return Exact(Fraction(number), word.text)


def _same_text(array: Chars, other: Value) -> Truth:
    """Whether an array holds a text, as C reads it: up to the first zero, or to the array's end."""
    if not isinstance(other, Word):
        raise no_text(array.path)
    wanted = [*other.text.encode(), 0]
    if 0 in wanted[:-1]:
        raise placed(QueryError("a text ends where it has a zero", "Write what is before it."), span_of(other.error))
    if len(wanted) > len(array.elements):
        if len(wanted) > len(array.elements) + 1 or not array.whole:
            raise placed(
                SortMismatchError(
                    f"{array.path} has room for {len(array.elements)} characters, and this text has {len(wanted) - 1}",
                    "Write a shorter one.",
                ),
                span_of(other.error),
            )
        wanted.pop()  # it fills the array, so no zero follows it
    pairs = zip(array.elements, wanted, strict=False)
    return both([known(_is_byte(element, byte), element.defined) for element, byte in pairs])


def _is_byte(element: Whole, byte: int) -> Term:
    return build.eq(element.term, build.const(element.term.sort, byte))


def no_text(path: str) -> QueryError:
    return SortMismatchError(
        f"{path} is an array of characters", f'Compare it with a text: {path} == "abc"; or name one of them: {path}[0].'
    )


def _flag(value: Value) -> Truth:
    """One side of a comparison of bools; 0 and 1 count as false and true."""
    if isinstance(value, Truth):
        return value
    if isinstance(value, Exact) and value.value in (0, 1):
        return known(TRUE if value.value else FALSE)
    number = "; of a number ask whether it is != 0" if isinstance(value, Whole) else ""
    raise SortMismatchError(f"a bool is compared with {kind_of(value)}", f"Compare it with true or false{number}.")


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
        case Word(text, error, numbers):
            number = a.type.number(text)
            if number is None and numbers:
                raise placed(_label_of_another(a.type, text, numbers[0][0]), span_of(error))
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


def _label_of_another(kind: EnumType, text: str, name: str) -> QueryError:
    whose = name or "an enumeration without a name"
    return UnknownVariableError(f"{text} is a label of {whose}, not of {kind}", f"Its labels are {_labels(kind)}.")


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
        case Ratio():
            return "a fraction"
        case Chars(path):
            return f"{path}, an array of characters,"
        case Exact(_, text):
            return f"the number {text}"
        case Choice(_, kind):
            return f"a value of {kind}"
        case Word(text):
            return f"the label {text}"
        case _:
            assert_never(value)
