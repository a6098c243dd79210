"""Flips of the record: of explanations and of maps."""

from __future__ import annotations

import pytest

from soid.case.case import Case
from soid.case.known_flips import flips_of, mapped_flips, recorded_explanation
from soid.case.moment_picture import answer_svg, moment_svg
from soid.case.record.study_request import ExplanationRequest, MapRequest
from soid.examples import folder
from soid.program.types import show

QUESTION = "might assessment.risk == HIGH if patient.weight is anything"


@pytest.fixture
def case(tmp_path):
    with Case.create(tmp_path / "diabetes.case", folder("diabetes")) as made:
        yield made


def test_an_explanation_on_the_record_says_where_it_flips(case):
    answered = case.ask(QUESTION)
    number, witness = answered.entry.number, answered.answer.witness
    assert recorded_explanation(case.entries, number) is None and witness is not None
    case.study(ExplanationRequest(number, answered.entry.question, 0))
    found = recorded_explanation(case.entries, number)
    assert found is not None
    flips = flips_of(found, case.interface)
    assert flips.keys() == {change.variable.path for change in witness.changed}
    drawn = answer_svg(None, case.project_at().keyframe, answered.answer, witness, found)
    assert "here the outcome is another" in drawn


def test_a_map_along_one_input_says_where_it_flips(case):
    moment = case.moment()
    assert mapped_flips(case.entries, moment.log, moment.step, case.interface) == {}
    case.study(MapRequest("patient.weight is anything", "assessment.risk", 64))
    (path, flips), *others = mapped_flips(case.entries, moment.log, moment.step, case.interface).items()
    assert (path, others) == ("patient.weight", [])
    assert "122675.19921875001" in [show(case.interface.variable(path).type, bits) for bits in flips]
    assert mapped_flips(case.entries, moment.log, moment.step + 1, case.interface) == {}


def test_a_moment_without_a_scene_is_drawn_as_bars(case):
    drawn = moment_svg(None, case.project_at().keyframe)
    assert drawn.startswith("<svg") and "The glucose" in drawn
