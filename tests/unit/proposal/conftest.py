"""What the tests of proposals share: a column of texts as a survey has it, and targets without a program."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

import pytest

from soid.program.interface import Interface, Role, Variable
from soid.program.types import VariableType
from soid.proposal.column_match import ColumnMatch, LogTarget, assigned, pairs, targets_of
from soid.proposal.column_survey import LogSurvey, survey_log
from soid.proposal.source_comments import SourceComment

Columns = Mapping[str, Sequence[str]]


def survey_of(tmp_path: Path, columns: Columns) -> LogSurvey:
    """A table with these columns, looked at."""
    lines = [";".join(columns), *(";".join(row) for row in zip(*columns.values(), strict=True))]
    file = tmp_path / "log.csv"
    file.write_text("\n".join(lines) + "\n")
    return survey_log(file)


def targets(
    inputs: Mapping[str, VariableType],
    decisions: Mapping[str, VariableType] | None = None,
    comments: Mapping[str, SourceComment] | None = None,
) -> list[LogTarget]:
    given = [Variable(path, Role.ENVIRONMENT, kind) for path, kind in inputs.items()]
    decided = [Variable(path, Role.DECISION, kind) for path, kind in (decisions or {}).items()]
    return targets_of(Interface((*given, *decided)), comments or {})


Match = Callable[[Columns, list[LogTarget]], dict[str, ColumnMatch]]


@pytest.fixture
def match(tmp_path: Path) -> Match:
    """The columns that were matched, by name."""

    def matched(columns: Columns, known: list[LogTarget]) -> dict[str, ColumnMatch]:
        return {each.column.name: each for each in assigned(pairs(survey_of(tmp_path, columns), known))}

    return matched
