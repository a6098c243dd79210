"""Questions that suggest themselves: which ones, in which order, and that each can be asked."""

from __future__ import annotations

import pytest

from soid.case.project import Project
from soid.case.question_candidates import QuestionCandidates, QuestionTopic
from soid.examples import folder
from soid.query.language.query_printer import to_text
from soid.query.query import QueryKind

EXAMPLES = ("crash/standard", "crash/together", "drone", "lending", "microwave", "overdraft", "pedestrian", "triage")


def opened(name: str) -> Project:
    example, _, part = name.partition("/")
    return Project.open(folder(example) / part)


def texts(found: QuestionCandidates, topic: QuestionTopic) -> list[str]:
    return [to_text(query) for about, query in found.questions() if about is topic]


@pytest.mark.parametrize("name", EXAMPLES)
def test_each_candidate_can_be_asked(name):
    project = opened(name)
    found = [to_text(query) for _, query in QuestionCandidates(project.logged).questions()]
    assert len(found) > 4 and len(set(found)) == len(found)
    for text in found:
        assert project.written(text).query == project.written(project.normal_text(text)).query or "steps" in text


def test_a_number_is_a_decision_to_ask_about_only_if_it_is_named_or_alone():
    bank = opened("overdraft").logged
    assert all(".limit" not in text for text in texts(QuestionCandidates(bank), QuestionTopic.RANGES))
    named = QuestionCandidates(bank, named=["v1.letter.limit"])
    assert any("v1.letter.limit" in text for text in texts(named, QuestionTopic.RANGES))
    braking = texts(QuestionCandidates(opened("pedestrian").logged), QuestionTopic.DECISIONS)
    assert braking == ["did control.brake > 0"]


def test_one_other_value_is_asked_with_would_and_several_with_might():
    kinds = {
        to_text(query): query.kind
        for topic, query in QuestionCandidates(opened("drone").logged).questions()
        if topic is QuestionTopic.SIGNALS
    }
    assert kinds["would return.mode == MODE_HOLD if s.pilot == PILOT_MANUAL"] is QueryKind.WOULD
    assert kinds["might return.mode != MODE_HOLD if s.pilot is anything"] is QueryKind.MIGHT
    assert not any("PILOT_AUTO" in text for text in kinds)  # which it was in fact


def test_who_came_first_is_asked_the_other_way_round():
    crash = opened("crash/standard").logged
    first, *_ = texts(QuestionCandidates(crash), QuestionTopic.ORDER)
    own, other = "world.agents[0].arrived", "world.agents[1].arrived"
    assert crash.inputs[own] > crash.inputs[other]  # bits of positive floats are in order
    assert first == f"might not move if {own} < {other} and keep {other}"


def test_what_is_absent_is_not_asked_about_and_what_is_named_comes_first():
    crash = opened("crash/standard").logged
    gone = [v.path for v in crash.interface.inputs if "agents[1]" not in v.path]
    ranges = texts(QuestionCandidates(crash, named=["world.agents[1].speed"], absent=gone), QuestionTopic.RANGES)
    assert all("agents[1]" in text for text in ranges)
    assert ranges[0] == "might not move if world.agents[1].speed is anything"


def test_what_is_not_known_to_have_been_decided_is_asked_and_nothing_is_built_on_it():
    crash = opened("crash/standard").logged
    found = QuestionCandidates(crash, {})
    assert texts(found, QuestionTopic.DECISIONS) == ["did move"]
    assert texts(found, QuestionTopic.SIGNALS) == texts(found, QuestionTopic.RANGES) == []


def test_harm_is_asked_about_over_the_steps_that_were_logged():
    project = opened("crash/standard")
    found = texts(QuestionCandidates(project.logged, named=["world.agents[1].signal"]), QuestionTopic.EVENTS)
    assert found == [
        "did collision within 16 steps",
        "did arrival within 16 steps",
        "would not collision throughout 16 steps if world.agents[1].signal is anything",
    ]
    assert project.ask(found[0]).verdict.value == "yes"
    last = project.at(project.trace.steps[-1].time).logged
    assert texts(QuestionCandidates(last), QuestionTopic.EVENTS)[0] == "did collision within 1 step"
