"""Columns that have a number of a model at every row, however they are called: `out` may be its value."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from fractions import Fraction
from itertools import islice
from typing import Final

from soid.formula import softfloat as sf
from soid.program.types import FloatType
from soid.proposal.column_entry import decimals_of
from soid.proposal.column_match import ColumnMatch, LogTarget, matched
from soid.proposal.column_survey import SurveyedColumn
from soid.proposal.entry_candidates import EntryCandidate
from soid.proposal.name_words import named_words
from soid.proposal.threshold_proposal import is_known
from soid.scenario.trace import Step, Trace

_COLUMNS: Final = 6  # that are read
_ROWS: Final = 200  # that are looked at
_LEAST: Final = 3  # rows, and different values
_NEAR: Final = Fraction(1, 10**6)  # relative: a library may add in another order than it did then


def possible_numbers(candidate: EntryCandidate) -> Iterator[ColumnMatch]:
    """Each number that no column has, with each column that may have it."""
    known = {match.target.name for match in candidate.matches}
    columns = [column for column in candidate.free_columns if _is_measured(column)][:_COLUMNS]
    for target in candidate.targets:
        if target.is_exact and target.name not in known and _is_number(target):
            found = (matched(column, named_words(column.name), target) for column in columns)
            yield from (match for match in found if match is not None)


def _is_number(target: LogTarget) -> bool:
    return isinstance(target.variable.type, FloatType) and not target.variable.is_input


def _is_measured(column: SurveyedColumn) -> bool:
    """Whether it has different numbers that are not whole: few others would be equal by chance."""
    return column.is_number and not column.is_whole and len(column.texts) >= _LEAST


def is_near(match: ColumnMatch, candidate: EntryCandidate, trace: Trace, outputs: Sequence[Mapping[str, int]]) -> bool:
    """Whether a column has about what the model gives, at each of the first rows; `trace` is read with it."""
    pairs = islice(zip(trace, outputs, strict=False), _ROWS)
    rows = [(step, given) for step, given in pairs if is_known(step) and match.target.name in step.decisions]
    decimals = decimals_of(match, candidate.survey)
    slack = Fraction(1, 10**decimals) if decimals is not None else Fraction(0)
    return len(rows) >= _LEAST and all(_agrees(match.target, step, given, slack) for step, given in rows)


def _agrees(target: LogTarget, step: Step, given: Mapping[str, int], slack: Fraction) -> bool:
    kind, bits = target.variable.type, given.get(target.name)
    assert isinstance(kind, FloatType)
    logged = step.decisions[target.name]
    if bits is None or not (sf.is_finite(kind.format, bits) and sf.is_finite(kind.format, logged)):
        return False
    ours, theirs = sf.to_fraction(kind.format, bits), sf.to_fraction(kind.format, logged)
    return abs(ours - theirs) <= max(slack, abs(ours) * _NEAR)
