"""The text of a draft: TOML whatever names and comments contain, and read back as it was meant."""

from __future__ import annotations

import tomllib
from decimal import Decimal
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from msgspec.structs import replace

from soid.engine.llvm.c_frontend import CFrontend
from soid.formula.sorts import FLOAT32
from soid.program.interface import Role, Variable
from soid.program.types import BoolType, EnumType, FloatType, IntType, VariableType
from soid.proposal.column_entry import decimals_of
from soid.proposal.column_match import ColumnMatch, LogTarget
from soid.proposal.column_survey import LogSurvey, SurveyedColumn, survey_log
from soid.proposal.domain_proposal import proposed_domain
from soid.proposal.label_match import LabelMatch
from soid.proposal.manifest_draft import ManifestDraft
from soid.proposal.name_words import named_words
from soid.proposal.project_files import ProjectFiles
from soid.proposal.source_comments import SourceComment

REAL = FloatType(FLOAT32)
TEXT = st.text(st.characters(codec="utf-8"), min_size=1, max_size=12)


def column(name: str, *texts: str, folder: Path) -> SurveyedColumn:
    (folder / "one.csv").write_text("x,pad\n" + "".join(f"{text},1\n" for text in texts))
    return replace(survey_log(folder / "one.csv").columns[0], name=name)


def matching(
    found: SurveyedColumn,
    path: str,
    kind: VariableType,
    comment: str = "",
    unit: str | None = None,
    ours: str | None = None,
) -> ColumnMatch:
    said = SourceComment(comment, ours)
    target = LogTarget(path, Variable(path, Role.ENVIRONMENT, kind), named_words(path), (), said)
    return ColumnMatch(target, found, 0.4, unit, ours, LabelMatch({}, 1.0))


def draft(*matches: ColumnMatch, folder: Path) -> ManifestDraft:
    files = ProjectFiles(folder, CFrontend(), (Path("a.c"),), (), (Path("l.csv"),))
    survey = LogSurvey(folder / "l.csv", 2, True, tuple(match.column for match in matches), None)
    return ManifestDraft(files, "decide", log=Path("l.csv"), survey=survey, matches=matches)


@settings(max_examples=60)
@given(TEXT, TEXT, TEXT, st.dictionaries(TEXT, TEXT, min_size=1, max_size=3))
def test_no_name_and_no_comment_ends_a_line(
    tmp_path_factory: pytest.TempPathFactory, name: str, path: str, comment: str, labels: dict[str, str]
) -> None:
    folder = tmp_path_factory.mktemp("draft")
    found = column(name, "1.5", "2.5", folder=folder)
    match = replace(matching(found, path, REAL, comment), labels=LabelMatch(labels, 1.0), rivals=(name,))
    made = replace(draft(match, folder=folder), questions=(comment,), ignored=(name,), missing=(match.target.variable,))
    read = tomllib.loads(made.text)
    bools = {"true": True, "false": False}
    assert read["trace"]["columns"] == {
        path: {
            "column": name,
            "decimals": 1,
            "labels": {text: bools.get(value, value) for text, value in labels.items()},
        }
    }
    assert read["questions"]["ask"] == [comment] and read["variables"][path]["domain"] == [0.0, 3.0]


def test_a_column_with_the_program_s_name_is_said_only_where_there_is_more_to_say(tmp_path: Path) -> None:
    whole = matching(column("n", "1", "2", folder=tmp_path), "n", IntType(32, signed=True))
    rounded = matching(column("x", "1.25", "2.5", folder=tmp_path), "x", REAL)
    read = tomllib.loads(draft(whole, rounded, folder=tmp_path).text)
    assert read["trace"]["columns"] == {"x": {"column": "x", "decimals": 2}}


def test_digits(tmp_path: Path) -> None:
    def digits(kind: VariableType, *texts: str, unit: str | None = None, ours: str | None = None) -> int | None:
        match = matching(column("x", *texts, folder=tmp_path), "x", kind, unit=unit, ours=ours)
        return decimals_of(match, draft(match, folder=tmp_path).survey)

    assert digits(REAL, "1.50", "2") == 2
    assert digits(REAL, "100", "200") == 0
    assert digits(REAL, "1.2345678", "2") is None  # as many as a float has
    assert digits(REAL, "1e3") is None
    assert digits(IntType(32, signed=True), "3") is None
    assert digits(IntType(32, signed=True), "3", unit="ft", ours="m") == 0
    assert digits(IntType(32, signed=True), "3", unit="m", ours="m") is None


def test_an_example_of_a_value_is_of_its_type(tmp_path: Path) -> None:
    kinds: dict[str, VariableType] = {
        "b": BoolType(),
        "f": REAL,
        "n": IntType(8, signed=False),
        "e": EnumType("e", 8, False, (("OFF", 0),)),
    }
    missing = tuple(Variable(path, Role.ENVIRONMENT, kind) for path, kind in kinds.items())
    text = replace(draft(folder=tmp_path), missing=missing).text
    lines = [line.removeprefix("# ") for line in text.splitlines() if "{ initial" in line]
    assert [tomllib.loads(line).popitem()[1]["initial"] for line in lines] == [False, 0.0, 0, "OFF"]


def test_domains_are_in_the_program_s_unit() -> None:
    assert proposed_domain(REAL, Decimal("-0.14"), Decimal("82.84"), "ft", "m") == (-10.0, 30.0)
    assert proposed_domain(REAL, Decimal(4), Decimal(97), "percent", "%") == (0.0, 100.0)
    assert proposed_domain(IntType(8, signed=True), Decimal(-120), Decimal(5), None, None) == (-128, 100)
    assert proposed_domain(REAL, Decimal(0), Decimal(0), None, None) == (0.0, 1.0)
    assert proposed_domain(REAL, Decimal("1e30"), Decimal("1e30"), None, None)[0] <= 1e30
