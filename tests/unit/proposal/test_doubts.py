"""Doubts are tried by running the program: what one settles counts for the others, before it and after it."""

from __future__ import annotations

from soid.budget import UNLIMITED
from soid.program.interface import Role, Variable
from soid.program.types import BoolType
from soid.proposal.column_doubt import ColumnChoice, Doubt, ProposedReading
from soid.proposal.column_match import ColumnMatch, LogTarget
from soid.proposal.column_survey import SurveyedColumn
from soid.proposal.doubts import tried
from soid.proposal.log_agreement import LogAgreement
from soid.proposal.name_words import named_words

_FLAGS = ("is_number", "is_whole", "is_integral", "is_date", "is_rising", "is_strict", "has_commas")
_NOTHING = dict.fromkeys(_FLAGS, False)


def match(variable: str, column: str) -> ColumnMatch:
    target = LogTarget(variable, Variable(variable, Role.ENVIRONMENT, BoolType()), named_words(variable), (), None)
    found = SurveyedColumn(
        column, 4, ("a", "b"), decimals=None, significant=0, low=None, high=None, blanks=(), **_NOTHING
    )
    return ColumnMatch(target, found, 0.5, None, None, None)


def test_a_doubt_is_tried_again_once_a_later_one_is_settled() -> None:
    """Cells without a value mean that the model was told so; with any other reading nothing fits."""
    column = Doubt("left", "", (ColumnChoice("a", match("a", "left")), ColumnChoice("none", None)))
    empty = Doubt(None, "", (ColumnChoice("unknown", None, False), ColumnChoice("missing", None, True)))

    def fit(reading: ProposedReading) -> LogAgreement:
        fits = 25 if reading.empty_is_missing and "left" in {each.column.name for each in reading.matches} else 0
        fits = fits or 3 * reading.empty_is_missing
        return LogAgreement(25, fits, 25, fitting=fits)

    found = tried([column, empty], ProposedReading(()), fit, UNLIMITED.started())
    assert [doubt.is_settled for doubt in found] == [True, True]
    assert found[0].tested == "with it the program decides as logged in 25 of 25 steps, else in 3"
