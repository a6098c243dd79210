"""Scripts that take values from scenarios, loop over values, and study moments: on a program, and on its record."""

from __future__ import annotations

from pathlib import Path

import pytest

from soid.case.case import Case
from soid.case.script_run import ScriptFile, ScriptRun
from soid.case.script_runner import AnsweredQuestion, Ending, ScriptOutcome, Studied
from soid.errors import QueryError
from soid.examples import folder
from soid.query.language.script.script_printer import script_text

FREE = "error is anything and closed is anything and heat is anything"


def events(place: Path, text: str, case: Path | None = None) -> list[object]:
    file = place / "oven.soid"
    file.write_text(f'project "{folder("microwave")}"\n{text}')
    with ScriptRun(ScriptFile.read(file), case_file=case) as opened:
        return list(opened.events())


def asked(found: list[object]) -> list[str]:
    return [each.put.text for each in found if isinstance(each, AnsweredQuestion)]


def test_a_value_of_a_scenario_is_put_into_a_later_question(tmp_path: Path) -> None:
    text = f"let q = might action == CANCEL if {FREE}\nlet w = witness of q\nlet door = closed\n"
    found = events(
        tmp_path, f"{text}would action == w.action if error == w.error and door is w.door and heat is w.heat"
    )
    first = next(each for each in found if isinstance(each, AnsweredQuestion))
    assert first.reply.answer is not None and first.reply.answer.witness is not None
    inputs = {name: str(bool(bits)).lower() for name, bits in first.reply.answer.witness.inputs.items()}
    expected = f"error == {inputs['error']} and closed is {inputs['closed']} and heat is {inputs['heat']}"
    assert asked(found)[1] == f"would action == CANCEL if {expected}"
    assert isinstance(found[-1], ScriptOutcome) and found[-1].ending is Ending.ENDED


def test_a_scenario_is_found_by_the_question_s_number_and_by_each_time_around(tmp_path: Path) -> None:
    text = f"for each v in {{true, false}}:\n    might action == CANCEL if error == v and {FREE[22:]}\n"
    found = events(tmp_path, f"{text}    let w = witness of 1\n    did heat == w.heat\n")
    assert [question.partition(" if ")[2].partition(" and ")[0] for question in asked(found)[::2]] == [
        "error == true",
        "error == false",
    ]
    assert all(question.startswith("did heat == ") and "w" not in question for question in asked(found)[1::2])


def test_without_a_scenario_the_script_stops_and_says_so(tmp_path: Path) -> None:
    empty = "would action == CANCEL if (error and not error) and closed is anything"
    *_, outcome = events(tmp_path, f"let q = {empty}\nlet w = witness of q\ndid heat == w.heat\n")
    assert isinstance(outcome, ScriptOutcome) and outcome.ending is Ending.STOPPED
    assert outcome.text == "question 1 is vacuous, and shows no scenario"


@pytest.mark.parametrize(
    ("lines", "message"),
    [
        ("did heat\nlet w = witness of 1\ndid w", "w is a scenario, not a value"),
        ("did heat\nlet w = witness of 1\ndid w.het", "there is no variable het"),
        ("let w = witness of q\nlet q = did heat", "asked below this line only"),
        ("heat because error\nlet w = witness of 1", "1 is a cause, which is four questions"),
        ("did heat\nlet w = witness(1)", "Write: let w = witness of q"),
        ("did heat\nlet w = witness of 2", "no question has the number 2"),
        ("for each v in {true}:\n    let q = did heat\nlet w = witness of q", "asked in a loop"),
        ("causes of nothing over error is anything", "there is no variable nothing"),
        ("explain 1", "no question has the number 1"),
    ],
)
def test_errors_lead_on(tmp_path: Path, lines: str, message: str) -> None:
    with pytest.raises(QueryError) as raised:
        events(tmp_path, lines)
    assert message in str(raised.value)


STUDIES = f"""\
let q = might action == CANCEL if {FREE}
causes of action == CLOSE over {FREE}
map error is anything and closed is anything by action == CANCEL
explain q
"""


def test_studies_of_a_script_are_on_the_record_once(tmp_path: Path) -> None:
    case_file = tmp_path / "oven.case"
    found = [each for each in events(tmp_path, STUDIES, case_file) if isinstance(each, Studied)]
    assert [each.put.kind for each in found] == ["causes", "map", "explanation"]
    again = [each for each in events(tmp_path, STUDIES, case_file) if isinstance(each, Studied)]
    assert [each.found for each in again] == [each.found for each in found]
    with Case.open(case_file, read_only=True) as case:
        assert [each.number for each in case.studies] == [each.found.number for each in found]
        assert case.studies[0].payload["statement"].startswith("At step 3 it did close the door.")
    unrecorded = [each for each in events(tmp_path, STUDIES) if isinstance(each, Studied)]
    assert [each.found.statement for each in unrecorded] == [each.found.statement for each in found]


def test_nothing_is_explained_without_a_yes_or_a_no(tmp_path: Path) -> None:
    empty = "would action == CANCEL if (error and not error) and closed is anything"
    *_, outcome = events(tmp_path, f"{empty}\nexplain 1\n")
    assert isinstance(outcome, ScriptOutcome) and outcome.ending is Ending.STOPPED
    assert outcome.text == "question 1 is vacuous, and there is nothing to explain"


def test_its_lines_are_printed_as_they_are_read(tmp_path: Path) -> None:
    text = "let w = witness of q\nfor each v in {1, -2.5, true}:\n    explain 3\nlet x = `witness`\n"
    file = tmp_path / "a.soid"
    file.write_text(text)
    assert script_text(ScriptFile.read(file).script) == text
