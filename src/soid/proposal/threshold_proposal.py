"""A column with two values that a threshold on a number of the program gives at every row: `[decisions]`.

Many thresholds do. The proposal is the one that is shortest to write, and it says which others the log allows: what
hangs on which of them it is stays unknown, until somebody who knows the bound writes it.

>>> found = between([Fraction("0.31"), Fraction("0.42")], [Fraction("0.56"), Fraction("0.9")])
>>> found.bound, str(found.over), str(found.upto)
('0.5', '21/50', '14/25')
>>> between([Fraction("0.3714")], [Fraction("0.3725")]).bound, between([Fraction(2)], [Fraction(1)])
('0.372', None)
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from decimal import ROUND_CEILING, ROUND_FLOOR, Context, Decimal
from fractions import Fraction
from typing import Final, final

from msgspec import Struct
from msgspec.structs import replace

from soid.formula import softfloat as sf
from soid.program.interface import Interface, Role, Variable
from soid.program.types import BoolType, FloatType, value_order
from soid.proposal.column_match import ColumnMatch, LogTarget, matched
from soid.proposal.column_survey import SurveyedColumn
from soid.proposal.name_words import named_words
from soid.scenario.trace import Step, Trace

TABLE: Final = "decisions"  # of a manifest whose engine takes thresholds
_USUAL: Final = (Fraction(1, 2), Fraction(0))  # bounds that are taken where they fit
_MOST_DIGITS: Final = 40
_PLAIN: Final = 9  # places before or after the point that are written without a power of ten
_NO_WORD: Final = re.compile(r"\W+", re.ASCII)
_LEAST_ROWS: Final = 5  # of each value, where texts that say nothing of yes and no could fit by chance


@final
class ThresholdGap(Struct, frozen=True):
    """Every bound above one number and up to another parts the rows; one of them, as a decimal."""

    bound: str
    over: Fraction
    upto: Fraction


@final
class ProposedThreshold(Struct, frozen=True):
    """A decision of the application, its column, and how many rows it is proposed from."""

    match: ColumnMatch
    compared: str  # probability >= 0.5
    guessed: str = ""  # between which numbers the log leaves the bound open: 0.31 and 0.56
    rows: int = 0

    @property
    def name(self) -> str:
        return self.match.target.name

    @property
    def text(self) -> str:
        """As a manifest has it."""
        return f"{self.compared} guessed between {self.guessed}" if self.guessed else self.compared

    @property
    def why(self) -> str:
        return f"all {self.rows} rows that have it fit every bound in this range"


def between(below: Sequence[Fraction], above: Sequence[Fraction]) -> ThresholdGap | None:
    """The bounds b with every number of the first below b and every one of the second at b or above; None: no bound."""
    over, upto = max(below), min(above)
    if over >= upto:
        return None
    found = next((each for each in _USUAL if over < each <= upto), None)
    digits = 0
    while found is None:
        shortest = Fraction(math.floor(upto * 10**digits), 10**digits)
        found = shortest if over < shortest else None
        digits += 1
        if digits > _MOST_DIGITS:
            return None
    return ThresholdGap(_decimal(found), over, upto)


def _decimal(value: Fraction) -> str:
    """
    >>> _decimal(Fraction(-3, 8)), _decimal(Fraction(12))
    ('-0.375', '12')
    """
    digits = 0
    while (value * 10**digits).denominator != 1:
        digits += 1
    whole = str(abs(int(value * 10**digits))).rjust(digits + 1, "0")
    sign = "-" if value < 0 else ""
    return sign + (f"{whole[:-digits]}.{whole[-digits:]}" if digits else whole)


def two_valued(columns: Sequence[SurveyedColumn], interface: Interface) -> Iterator[ColumnMatch]:
    """The columns that a decision of the application may have: two values, and a name that is free."""
    taken = {each.path for each in interface} | interface.untouched
    for column in columns:
        name = _NO_WORD.sub("_", column.name).strip("_")
        if len(column.texts) == 2 and name.isidentifier() and name not in taken:
            variable = Variable(name, Role.DECISION, BoolType())
            target = LogTarget(name, variable, named_words(name), (), None)
            match = matched(column, named_words(column.name), target)
            if match is not None:
                labels = match.labels and replace(match.labels, guessed=())  # the decision means what they mean
                yield replace(match, labels=labels)


#: the ends between which a number lies at a step, as bits; the same where it is known, None if there is no number
Ends = Callable[[Step, str], tuple[int, int] | None]


def proposed_threshold(
    match: ColumnMatch, trace: Trace, outputs: Sequence[Mapping[str, int]], ends: Ends
) -> ProposedThreshold | None:
    """The threshold that gives a column at every step whose inputs are all known.

    `trace` has the column as a decision, `outputs` has the numbers.
    """
    name = match.target.name
    steps = [(step, given) for step, given in zip(trace, outputs, strict=False) if is_known(step)]
    sides = [[each for each in steps if each[0].decisions.get(name) == side] for side in (0, 1)]
    says_nothing = match.labels is not None and not match.labels.share
    if min(map(len, sides)) < (_LEAST_ROWS if says_nothing else 1):
        return None
    for variable in _numbers(trace.interface):
        no, yes = (_values(variable, [given for _, given in side]) for side in sides)
        if no is None or yes is None:
            continue
        for comparison, below, above in ((">=", 0, 1), ("<", 1, 0)):
            values = (no, yes)[below], (no, yes)[above]
            gap = between(*values)
            if gap is not None:
                over = ends(sides[below][values[0].index(gap.over)][0], variable.path)
                upto = ends(sides[above][values[1].index(gap.upto)][0], variable.path)
                if over is None or upto is None:
                    return None
                guessed = _left_open(variable, over[0], upto[1])
                return ProposedThreshold(
                    match, f"{variable.path} {comparison} {gap.bound}", guessed, len(no) + len(yes)
                )
    return None


def is_known(step: Step) -> bool:
    """Whether all that the program was given is logged, digit for digit."""
    return not step.unlogged and step.rounded.keys().isdisjoint(step.inputs)


def _left_open(variable: Variable, over: int, upto: int) -> str:
    """Two decimals with which floats are compared as with these two: not below the one, not above the other."""
    kind = variable.type
    assert isinstance(kind, FloatType)
    low, high = (sf.to_fraction(kind.format, bits) for bits in (over, upto))
    return f"{shortest(low, _next(kind, over, 1), down=False)} and {shortest(_next(kind, upto, -1), high)}"


def _next(kind: FloatType, bits: int, step: int) -> Fraction:
    """The next greater float, or the next less one."""
    order, here = value_order(kind), sf.to_fraction(kind.format, bits)
    place = order.place_of(bits)
    for at in (place + step, place + 2 * step):  # there are two zeros
        found = int(order.value_at(at))
        if not sf.is_finite(kind.format, found):
            break
        if sf.to_fraction(kind.format, found) != here:
            return sf.to_fraction(kind.format, found)
    return here + step


def shortest(low: Fraction, high: Fraction, *, down: bool = True) -> str:
    """The shortest decimal that is above one number and not above another; or else not below one and below another.

    >>> shortest(Fraction("0.41434"), Fraction("0.414351")), shortest(Fraction("1.9e-12"), Fraction("2.2e-12"))
    ('0.41435', '2e-12')
    >>> shortest(Fraction("0.188629"), Fraction("0.18864"), down=False)
    '0.18863'
    """
    end, rounding = (high, ROUND_FLOOR) if down else (low, ROUND_CEILING)
    for digits in range(1, _MOST_DIGITS):
        found = Context(prec=digits, rounding=rounding).divide(Decimal(end.numerator), Decimal(end.denominator))
        if (low < Fraction(found)) if down else (Fraction(found) < high):
            return f"{found:f}" if -_PLAIN < found.adjusted() < _PLAIN else f"{found:e}"
    raise AssertionError("a float has fewer digits")


def _numbers(interface: Interface) -> list[Variable]:
    """The numbers that may be compared, probabilities first: that is what applications look at."""
    found = [each for each in interface.decisions if isinstance(each.type, FloatType)]
    return sorted(found, key=lambda each: not each.path.startswith("probability"))


def _values(variable: Variable, given: Sequence[Mapping[str, int]]) -> list[Fraction] | None:
    """A number at some steps; None if it has none somewhere."""
    kind = variable.type
    assert isinstance(kind, FloatType)
    bits = [each.get(variable.path) for each in given]
    if any(each is None or not sf.is_finite(kind.format, each) for each in bits):
        return None
    return [sf.to_fraction(kind.format, each) for each in bits if each is not None]
