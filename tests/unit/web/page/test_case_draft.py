"""A case to be: what is typed, what it lacks, and where something is wrong."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from soid.web.page.case_draft import CaseDraft, VariableEntry
from soid.web.upload_areas import Area, Staging

SOURCE = "int decide(int speed)\n{\n    return spead > 3;\n}\n"


@pytest.fixture
def area(tmp_path: Path) -> Area:
    return Staging(tmp_path).begin("ada")


def test_what_it_lacks_is_said_step_by_step(area):
    new = CaseDraft(area)
    assert new.lacks.startswith("Upload the program")
    area.put("decide.c", SOURCE.encode())
    assert new.lacks == "Choose the function that decides."
    new.entry = "decide"
    assert new.lacks.startswith("Upload the log")
    area.put("log.csv", b"speed\n3\n")
    new.variables = ({"path": "speed"},)
    assert new.lacks == "Give the case a title."
    new.title = "The oven"
    assert new.lacks == ""
    new.keyframe = "the third"
    assert new.lacks == "The moment is the number of a step."
    new.keyframe = "0"  # a value
    assert new.lacks == "" and new.declared().keyframe == 0


def test_what_is_said_of_a_variable_is_what_the_manifest_says():
    said = VariableEntry("state", " 0", "0.5", "NONE = 0, LEFT=-1", "m", "how far")
    assert said.declared() == {
        "role": "state",
        "unit": "m",
        "label": "how far",
        "domain": [0, 0.5],
        "labels": {"NONE": 0, "LEFT": -1},
    }
    assert VariableEntry().declared() == {}
    assert VariableEntry(low="STAY", high="GO").declared() == {"domain": ["STAY", "GO"]}


@pytest.mark.parametrize(
    ("said", "problem"),
    [
        (VariableEntry(low="0"), "A range has two ends: give both, or none."),
        (VariableEntry(labels="NONE, LEFT = 1"), "'NONE' is no label: write NONE = 0, LEFT = 1."),
        (VariableEntry(labels="= 1"), "'= 1' is no label: write NONE = 0, LEFT = 1."),
        (VariableEntry(low="0", high="1", labels="A = 0,"), ""),
    ],
)
def test_what_cannot_be_meant_is_said(said, problem):
    assert said.problem() == problem


def test_what_is_wrong_with_one_variable_does_not_keep_the_others_from_being_looked_at(area):
    new = CaseDraft(area, entry="decide")
    new.of("speed").low = "0"
    new.of("brake").unit = "m/s"
    assert list(new.problems) == ["speed"]
    assert new.declared().variables == {"brake": {"unit": "m/s"}}


def test_errors_are_shown_where_they_belong(area):
    new = CaseDraft(area)
    area.put("decide.c", SOURCE.encode())
    place = {"file": "decide.c", "line": 3, "column": 12, "variable": None, "words": "error: no spead"}
    outside = {"file": "/etc/passwd", "line": 1, "column": None, "variable": None, "words": "what is that?"}
    new.failed("the compiler refused it:\ndecide.c:3:12: error", "Mend it.", [place, outside, {**place, "line": 99}])
    assert [each.source for each in new.places] == ["    return spead > 3;", "", ""]
    assert new.refused == "The compiler refused it: what is wrong stands beside the file."
    new.failed("refused", "Mend it.", [outside])
    assert new.refused == "Refused. Mend it."
    new.seen({"functions": ["decide"], "variables": None, "log": None, "log_problem": None})
    assert (new.functions, new.places, new.refused) == (("decide",), (), "")


def test_columns_are_left_out_by_name(area):
    assert CaseDraft(area, ignored=" weather, ,road ").declared().ignore == ("weather", "road")
    assert CaseDraft(area).declared().ignore == ()


def test_a_log_that_does_not_fit_names_the_variable(area):
    new = CaseDraft(area, entry="decide")
    area.put("log.csv", b"speed\nfast\n")
    words = "speed: 'fast' is no whole number"
    place = {"file": "log.csv", "line": 2, "column": None, "variable": "speed", "words": words}
    problem = {"cause": f"log.csv:2: {words}", "remedy": "Mend the log.", "places": [place]}
    new.seen({"functions": ["decide"], "variables": [{"path": "speed"}], "log": None, "log_problem": problem})
    assert [(each.variable, each.source) for each in new.places] == [("speed", "fast")]
    assert new.refused == "log.csv does not fit the program: what is wrong stands beside it."


def test_a_proposal_goes_with_its_files_and_what_was_typed_since_stays(area):
    area.put("model.txt", b"tree\nversion=v4\n")
    new = CaseDraft(area)
    said = {"domain": [0, 9], "labels": ["NO", "YES"]}
    proposal: dict[str, Any] = {
        "decisions": {"go": "probability >= 0.5"},
        "ignore": ["id"],
        "columns": {"probability": "p"},
        "empty_is_missing": True,
        "variables": {"age": said, "dose": said},
        "notes": ["all rows fit"],
    }
    new.propose(proposal)
    declared = new.declared()
    assert (declared.decisions, declared.columns, declared.ignore) == (
        proposal["decisions"],
        {"probability": "p"},
        ("id",),
    )
    assert declared.empty_is_missing and declared.variables["age"]["labels"] == {"NO": 0, "YES": 1}
    new.ignored, new.of("age").high = "name", "99"
    new.withdraw()
    declared = new.declared()
    assert not (declared.decisions or declared.columns or declared.empty_is_missing or new.notes)
    assert declared.ignore == ("name",) and [*declared.variables] == ["age"]
    new.decided = "approve"
    assert new.undecided == "approve" and new.declared().decisions == {}
