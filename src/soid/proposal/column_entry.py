"""What a manifest says of one column and of its variable: unit, digits, labels, domain, and why it is not sure."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, Final

from soid.formula.sorts import FLOAT64
from soid.program.types import FloatType, IntType
from soid.program.units import unit
from soid.proposal.column_match import SURE, ColumnMatch
from soid.proposal.column_survey import FEW, LogSurvey
from soid.proposal.domain_proposal import proposed_domain

_MOST_DECIMALS: Final = 6  # with more than these a log has whole floats
_MANY: Final = 20  # rows, to take numbers for whole ones
_DIGITS32, _DIGITS64 = 8, 16  # significant ones that whole floats have in some row


def reasons(match: ColumnMatch) -> Iterator[str]:
    """Why a match is not sure, in words."""
    if match.rivals:
        yield f"it may also be {', '.join(match.rivals)}"
    elif match.score < SURE:
        yield "the names have little in common"
    if match.labels is not None and match.labels.guessed:
        yield f"what it means by {', '.join(match.labels.guessed)} is not certain"
    if match.lacks_unit:
        yield f"the log has it in {match.unit}, and nothing says which unit the program has"
    if match.lacks_time:
        yield "nothing says whether the log has it from before the call or from after it"
    if match.unit_guessed:
        yield f"nothing says that the program has it in {match.ours}"


def is_mapped(match: ColumnMatch, survey: LogSurvey | None) -> bool:
    return not match.is_spelt or len(_mapping(match, survey)) > 1


def column_entry(match: ColumnMatch, survey: LogSurvey | None) -> str | dict[str, Any]:
    said = _mapping(match, survey)
    return said if len(said) > 1 else match.column.name


def _mapping(match: ColumnMatch, survey: LogSurvey | None) -> dict[str, Any]:
    """An entry of [trace.columns]."""
    said: dict[str, Any] = {"column": match.column.name}
    if is_converted(match):
        said["unit"] = match.unit
    decimals = decimals_of(match, survey)
    if decimals is not None:
        said["decimals"] = decimals
    if match.labels is not None and match.labels.labels and not match.own_labels:
        said["labels"] = _plain(match.labels.labels)
    return said


def _plain(labels: Mapping[str, str]) -> dict[str, Any]:
    """Labels with bools as TOML has them."""
    bools = {"true": True, "false": False}
    return {text: bools.get(value, value) for text, value in labels.items()}


def is_converted(match: ColumnMatch) -> bool:
    """Whether the log has its numbers in another unit than the program."""
    return match.unit is not None and match.ours is not None and unit(match.unit) != unit(match.ours)


def decimals_of(match: ColumnMatch, survey: LogSurvey | None) -> int | None:
    """To how many digits the log rounds a float, or a number that is converted; None: it has all digits.

    If that is not certain it counts as rounded: then a proof is about every value that was logged so.
    """
    column, target = match.column, match.target
    if column.decimals is None or not (isinstance(target.variable.type, FloatType) or is_converted(match)):
        return None
    if target.is_exact and target.variable.is_input and not is_converted(match):
        return None
    is_short = survey is not None and survey.writes_all_digits and len(column.texts) <= FEW
    return None if is_short or _has_all_digits(match) else column.decimals


def _has_all_digits(match: ColumnMatch) -> bool:
    """Whether numbers of a column are written whole, as floats."""
    column, kind = match.column, match.target.variable.type
    if isinstance(kind, FloatType) and kind.format == FLOAT64:
        return column.significant >= _DIGITS64
    longer = match.target.is_exact and column.significant >= _DIGITS32  # what the program gives, it may log as it is
    return longer or (column.decimals or 0) > _MOST_DECIMALS


def variable_entry(match: ColumnMatch, survey: LogSurvey | None) -> dict[str, Any]:
    """An entry of [variables]."""
    variable, column, said = match.target.variable, match.column, dict[str, Any]()
    if match.own_labels:
        said["labels"] = list(match.own_labels)
    stated = _stated_type(match, survey)
    kind = stated or variable.type
    if not isinstance(kind, FloatType | IntType):
        return said
    if stated is not None:
        said["type"] = str(stated)
    ours = match.ours or match.unit
    if ours is not None:
        said["unit"] = ours
    if variable.is_input and column.low is not None and column.high is not None and not match.target.name.endswith("'"):
        said["domain"] = list(proposed_domain(kind, column.low, column.high, match.unit, ours))
    return said


def _stated_type(match: ColumnMatch, survey: LogSurvey | None) -> FloatType | IntType | None:
    """What an application gives to a model, if the log shows that it is something else than the model's file says.

    Numbers that are all whole are whole ones: else a scenario would have half a euro. A whole number that is missing in
    some rows is a number that may be missing.
    """
    variable, column = match.target.variable, match.column
    if survey is None or not match.target.is_exact or not variable.is_input:
        return None
    has_gaps = column.rows < survey.rows
    if isinstance(variable.type, FloatType) and column.is_whole and not has_gaps and column.rows >= _MANY:
        return IntType(64, signed=True)
    return FloatType(FLOAT64) if isinstance(variable.type, IntType) and has_gaps else None


def seen_values(match: ColumnMatch, survey: LogSurvey | None) -> str:
    column, comment = match.column, match.target.comment
    seen = (
        "" if column.low is None else f"logged: {column.low} to {column.high}{f' {match.unit}' if match.unit else ''}"
    )
    if seen and survey is not None and not survey.is_whole:
        seen += ", in the rows that were looked at"
    return "; ".join(each for each in (seen, comment.text if comment else "") if each)
