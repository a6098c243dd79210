"""A SuppositionDraft: one supposition while it is being composed, as how a variable differs and the typed values.

`made` turns it into nodes of the question language, never by joining texts; `phrase` says it in words.

>>> from soid.formula.sorts import FLOAT32
>>> from soid.program.interface import Interface, Role
>>> from soid.program.types import FloatType
>>> from soid.scenario.supposition import supposition_text
>>> x = Variable("x", Role.ENVIRONMENT, FloatType(FLOAT32), unit="m", label="the other car's x")
>>> between = SuppositionDraft(1, How.BETWEEN, "x", ("1", "1.5"))
>>> [supposition_text(each) for each in made(between, Interface((x,)))], phrase(between, Interface((x,)))
(['1.0 <= x <= 1.5'], 'is between 1.0 m and 1.5 m')
"""

from __future__ import annotations

import enum
from contextlib import suppress
from typing import Final, assert_never, final

from msgspec import Struct

from soid.errors import InternalError, QueryError
from soid.formula.softfloat import is_nan, is_zero, le
from soid.program.domain import contains
from soid.program.interface import Interface, Variable
from soid.program.types import MISSING, BoolType, EnumType, FloatType, IntType, missing_value, number, parse, show
from soid.query.language.query_parser import parse_suppositions
from soid.query.language.query_printer import suppositions_text
from soid.query.words import called, listed
from soid.query.words.amount_words import shown
from soid.scenario.expression import (
    Between,
    Compare,
    Comparison,
    Expression,
    FactOf,
    Identical,
    Label,
    Literal,
    Member,
    Name,
    Not,
)
from soid.scenario.expression_text import PLAIN_PATH, RESERVED
from soid.scenario.supposition import AnyBits, Anything, During, Keep, Satisfies, Supposition, Within
from soid.web.page.amounts import over, typed
from soid.web.page.draft_steps import StepSpan, UntilDraft


@final
class How(enum.Enum):
    """How a variable may differ from the fact."""

    EXACTLY = "exactly"
    ONE_OF = "one of"
    BETWEEN = "between"
    WITHIN = "near the fact"
    ANYTHING = "anything"
    ANY_BITS = "any bits"
    BELOW = "less than"  # another variable; that one keeps its factual value
    ABOVE = "more than"
    RISING = "not below the fact"
    FALLING = "not above the fact"
    MISSING = "missing"
    FORMULA = "a formula"  # over any variables


@final
class SuppositionDraft(Struct, frozen=True):
    """A supposition while it is being composed."""

    id: int  # for the page
    how: How
    path: str = ""  # the variable; empty for a formula
    values: tuple[str, ...] = ()  # as typed: values, both ends, a distance, the other path, or the formula
    span: StepSpan = StepSpan()  # the steps in which it holds; a formula has its own


CHOICES: Final = {
    How.EXACTLY: "exactly …",
    How.ONE_OF: "one of …",
    How.BETWEEN: "between … and …",
    How.WITHIN: "at most … from the fact",
    How.ANYTHING: "anything",
    How.ANY_BITS: "any bits at all",
    How.BELOW: "less than …",
    How.ABOVE: "more than …",
    How.RISING: "may only rise",
    How.FALLING: "may only fall",
    How.MISSING: "missing",
}

#: the ways for which nothing is typed
WORDLESS: Final = (How.ANYTHING, How.ANY_BITS, How.RISING, How.FALLING, How.MISSING)


def choices(variable: Variable) -> tuple[How, ...]:
    match variable.type:
        case BoolType():
            return How.EXACTLY, How.ANYTHING
        case EnumType():
            return How.ONE_OF, How.ANYTHING, How.ANY_BITS
        case IntType():
            return tuple(how for how in CHOICES if how not in (How.ANY_BITS, How.MISSING))
        case FloatType():
            return tuple(how for how in CHOICES if how is not How.MISSING or missing_value(variable.type) is not None)
        case _:
            assert_never(variable.type)


def exact_way(variable: Variable) -> How:
    """How one value of a variable is supposed."""
    return How.ONE_OF if isinstance(variable.type, EnumType) else How.EXACTLY


# --- in the question language ---------------------------------------------------------------------------------


def made(supposed: SuppositionDraft, interface: Interface) -> tuple[Supposition, ...]:
    """The suppositions that it means; QueryError says what is missing or wrong."""
    span = supposed.span
    return span.timed(_untimed(supposed, interface), _ending(span.until, interface) if span.kind.has_until else None)


def _ending(until: UntilDraft, interface: Interface) -> Expression:
    """The condition that ends a supposition."""
    if not until.name:
        raise QueryError("nothing is chosen that would end it", "Choose what the program decides in the last step.")
    variable = interface.variable(until.name.removesuffix("'"))
    name, bits = Name(variable.path, until.name.endswith("'")), typed(variable, until.value)
    if isinstance(variable.type, BoolType):
        return name if bool(bits) is (until.sign is Comparison.EQ) else Not(name)
    return Compare(name, ((until.sign, _constant(interface, variable, bits)),))


def _untimed(supposed: SuppositionDraft, interface: Interface) -> tuple[Supposition, ...]:
    if supposed.how is How.FORMULA:
        return parse_suppositions(_one(supposed), interface)
    variable = interface.variable(supposed.path)
    name = Name(variable.path)
    match supposed.how:
        case How.EXACTLY:
            return (Satisfies(_equal(interface, variable, typed(variable, _one(supposed)))),)
        case How.ONE_OF:
            items = tuple(_item(interface, variable, text) for text in _several(supposed))
            return (Satisfies(_nameless(variable, items) or Member(name, items)),)
        case How.BETWEEN:
            low, high = ends(supposed, variable)
            links = ((Comparison.LE, name), (Comparison.LE, _constant(interface, variable, high)))
            return (Satisfies(Compare(_constant(interface, variable, low), links)),)
        case How.WITHIN:
            share = _share(supposed, variable)
            distance = show(variable.type, typed(variable, _one(supposed))) if share is None else f"{share} %"
            return (Within(variable.path, distance),)
        case How.ANYTHING:
            return (Anything(variable.path),)
        case How.ANY_BITS:
            return (AnyBits(variable.path),)
        case How.RISING | How.FALLING:
            sign = Comparison.GE if supposed.how is How.RISING else Comparison.LE
            return (Satisfies(Compare(name, ((sign, FactOf(variable.path)),))),)
        case How.MISSING:
            return (Satisfies(Identical(name, Name(MISSING))),)
        case How.BELOW | How.ABOVE:
            other = interface.variable(_one(supposed))
            if other.path == variable.path:
                raise QueryError("a variable is never less or more than itself", "Choose another one.")
            op = Comparison.LT if supposed.how is How.BELOW else Comparison.GT
            return Satisfies(Compare(name, ((op, Name(other.path)),))), Keep(other.path)
        case _:
            assert_never(supposed.how)


def _share(supposed: SuppositionDraft, variable: Variable) -> str | None:
    """The number of percent of the fact, if a distance is typed so; of a percentage it is an amount like any other."""
    text = _one(supposed)
    return text[:-1].rstrip() if text.endswith("%") and variable.unit != "%" else None


def _one(supposed: SuppositionDraft) -> str:
    text = supposed.values[0].strip() if supposed.values else ""
    if not text:
        raise QueryError("there is no value", _REMEDIES.get(supposed.how, "Type one."))
    return text


_REMEDIES: Final = {
    How.FORMULA: "Write what may differ.",
    How.BELOW: "Choose the variable that it is compared with.",
    How.ABOVE: "Choose the variable that it is compared with.",
}


def _several(supposed: SuppositionDraft) -> tuple[str, ...]:
    texts = tuple(text.strip() for text in supposed.values if text.strip())
    if not texts:
        raise QueryError("no value is chosen", "Choose one or more.")
    return texts


def ends(supposed: SuppositionDraft, variable: Variable) -> tuple[int, int]:
    """The bits of both ends of a range."""
    texts = [text.strip() for text in supposed.values]
    if len(texts) != 2 or not all(texts):
        raise QueryError("a range has two ends", "Type both the least and the greatest value.")
    low, high = (typed(variable, text) for text in texts)
    if not at_most(variable, low, high):
        cause = f"nothing lies between {shown(variable, low)} and {shown(variable, high)}"
        raise QueryError(cause, "Put the lesser value first.")
    return low, high


def _item(interface: Interface, variable: Variable, text: str) -> Expression | Between:
    """One value of a set, or a range such as 1..3."""
    first, dots, last = text.partition("..")
    low = _constant(interface, variable, typed(variable, first))
    return Between(low, _constant(interface, variable, typed(variable, last))) if dots else low


def _nameless(variable: Variable, items: tuple[Expression | Between, ...]) -> Identical | None:
    """A single value of an enumeration that has no label: the language names its bits."""
    if not isinstance(variable.type, EnumType) or len(items) != 1 or not isinstance(items[0], Literal):
        return None
    return Identical(Name(variable.path), Literal(f"bits({parse(variable.type, items[0].text):#x})"))


def _equal(interface: Interface, variable: Variable, bits: int) -> Expression:
    """This value exactly: == does not tell the two zeros apart, and holds for no NaN."""
    kind, name, value = variable.type, Name(variable.path), _constant(interface, variable, bits)
    if isinstance(kind, FloatType) and (is_zero(kind.format, bits) or is_nan(kind.format, bits)):
        return Identical(name, value)
    return Compare(name, ((Comparison.EQ, value),))


def _constant(interface: Interface, variable: Variable, bits: int) -> Literal | Label | Name:
    """A value in the question language, rounded to the variable's type."""
    text = show(variable.type, bits)
    if isinstance(variable.type, EnumType) and variable.type.number(text) is not None:
        return label_node(text, interface)
    return Literal(text)


def label_node(label: str, interface: Interface) -> Label | Name:
    """A label; it is in quotes only if it would be read as something else."""
    plain = PLAIN_PATH.fullmatch(label) and label not in RESERVED and label not in interface
    return Name(label) if plain else Label(label)


def at_most(variable: Variable, low: int, high: int) -> bool:
    """Whether low <= high, as the program compares them."""
    kind = variable.type
    if isinstance(kind, FloatType):
        return le(kind.format, low, high)
    return low <= high if isinstance(kind, BoolType) else number(kind, low) <= number(kind, high)


# --- in words -------------------------------------------------------------------------------------------------


def phrase(supposed: SuppositionDraft, interface: Interface) -> str:
    """The words after the variable's name on its chip; an incomplete supposition ends with an ellipsis."""
    try:
        suppositions = made(supposed, interface)
    except QueryError:
        if supposed.how is How.FORMULA:
            return supposed.values[0].strip() if supposed.values else ""
        return f"is {supposed.how.value} …"
    if supposed.how is How.FORMULA:
        return suppositions_text(suppositions)
    when = f" {suppositions[0].when}" if isinstance(suppositions[0], During) else ""
    return f"{_untimed_phrase(supposed, interface)}{when}"


def _untimed_phrase(supposed: SuppositionDraft, interface: Interface) -> str:
    variable = interface.variable(supposed.path)
    match supposed.how:
        case How.EXACTLY:
            return f"is {shown(variable, typed(variable, supposed.values[0]))}"
        case How.ONE_OF:
            return f"is {listed((_said(variable, text) for text in _several(supposed)), 'or')}"
        case How.BETWEEN:
            low, high = (shown(variable, bits) for bits in ends(supposed, variable))
            return f"is between {low} and {high}"
        case How.WITHIN if (share := _share(supposed, variable)) is not None:
            return f"is at most {share} percent more or less than it was"
        case How.WITHIN:
            return f"is at most {shown(variable, typed(variable, supposed.values[0]))} from what it was"
        case How.ANYTHING:
            return f"is anything: {over(variable)}"
        case How.ANY_BITS:
            return "holds any bits at all"
        case How.RISING:
            return "is what it was, or more"
        case How.FALLING:
            return "is what it was, or less"
        case How.MISSING:
            return "is missing"
        case How.BELOW | How.ABOVE:
            return f"is {supposed.how.value} {called(supposed.values[0], interface)}, which is kept as it was"
        case How.FORMULA:
            raise InternalError("a formula is its own phrase")
        case _:
            assert_never(supposed.how)


def _said(variable: Variable, text: str) -> str:
    low, dots, high = text.partition("..")
    if dots:
        return f"{shown(variable, typed(variable, low))} to {shown(variable, typed(variable, high))}"
    return shown(variable, typed(variable, text))


def caution(supposed: SuppositionDraft, interface: Interface) -> str:
    """A warning about values that no scenario can have."""
    if supposed.how not in (How.EXACTLY, How.BETWEEN, How.ONE_OF):
        return ""
    variable = interface.variable(supposed.path)
    outside = [bits for bits in _named(supposed, variable) if not contains(variable.type, variable.domain, bits)]
    if not outside:
        return ""
    values = listed((shown(variable, bits) for bits in outside), "and")
    return f"{values}: outside of what it ranges over here ({over(variable)})."


def _named(supposed: SuppositionDraft, variable: Variable) -> tuple[int, ...]:
    """The typed values that can be read."""
    found = []
    for text in (piece for value in supposed.values for piece in value.split("..")):
        with suppress(QueryError):  # what cannot be read is an error of its own, not a value outside
            found.append(typed(variable, text))
    return tuple(found)
