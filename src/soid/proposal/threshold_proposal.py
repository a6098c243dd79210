"""A column with two values that a threshold on a number of the program gives at every row: `[decisions]`.

Many thresholds do. The proposal is the one that is shortest to write, and it says which others the log allows.

>>> found = between([Fraction("0.31"), Fraction("0.42")], [Fraction("0.56"), Fraction("0.9")])
>>> found.bound, str(found.over), str(found.upto)
('0.5', '21/50', '14/25')
>>> between([Fraction("0.3714")], [Fraction("0.3725")]).bound, between([Fraction(2)], [Fraction(1)])
('0.372', None)
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Mapping, Sequence
from fractions import Fraction
from typing import Final, final

from msgspec import Struct
from msgspec.structs import replace

from soid.formula import softfloat as sf
from soid.program.interface import Interface, Role, Variable
from soid.program.types import BoolType, FloatType
from soid.proposal.column_match import ColumnMatch, LogTarget, matched
from soid.proposal.column_survey import SurveyedColumn
from soid.proposal.name_words import named_words
from soid.scenario.trace import Trace

TABLE: Final = "decisions"  # of a manifest whose engine takes thresholds
_USUAL: Final = (Fraction(1, 2), Fraction(0))  # bounds that are taken where they fit
_MOST_DIGITS: Final = 40
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
    """A decision of the application, its column, and why it is proposed."""

    match: ColumnMatch
    text: str  # probability >= 0.5
    why: str

    @property
    def name(self) -> str:
        return self.match.target.name


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


def proposed_threshold(
    match: ColumnMatch, trace: Trace, outputs: Sequence[Mapping[str, int]]
) -> ProposedThreshold | None:
    """The threshold that gives a column at every step whose inputs are all known.

    `trace` has the column as a decision, `outputs` has the numbers.
    """
    name = match.target.name
    known = [
        (step.decisions.get(name), given) for step, given in zip(trace, outputs, strict=False) if not step.unlogged
    ]
    sides = [[given for bits, given in known if bits == side] for side in (0, 1)]
    says_nothing = match.labels is not None and not match.labels.share
    if min(map(len, sides)) < (_LEAST_ROWS if says_nothing else 1):
        return None
    for variable in _numbers(trace.interface):
        no, yes = (_values(variable, given) for given in sides)
        if no is None or yes is None:
            continue
        for comparison, gap in ((">=", between(no, yes)), ("<", between(yes, no))):
            if gap is not None:
                rows = f"all {len(no) + len(yes)} rows that have it"
                why = f"GUESSED: {rows} fit any bound between about {_shown(gap.over)} and {_shown(gap.upto)}"
                return ProposedThreshold(match, f"{variable.path} {comparison} {gap.bound}", why)
    return None


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


def _shown(value: Fraction) -> str:
    return f"{float(value):.6g}"
