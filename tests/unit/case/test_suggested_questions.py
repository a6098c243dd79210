"""Suggested questions of a case: the listed ones, the generated ones, and what the record makes of them."""

from __future__ import annotations

import shutil

from msgspec import to_builtins

from soid.case.case import Case
from soid.case.question_candidates import QuestionTopic
from soid.case.record.study_request import ExplanationRequest
from soid.case.suggested_questions import HEADINGS, suggested_questions
from soid.examples import folder


def listed(case: Case) -> list[str]:
    manifest = case.first.manifest
    assert manifest is not None
    return list(manifest.questions)


def of(found, topic):
    return [each.question for each in found if each.topic is topic]


def test_listed_questions_come_first_and_none_comes_twice(oven):
    with Case.open(oven) as case:
        found = suggested_questions(case)
        assert of(found, QuestionTopic.LISTED) == listed(case)
        assert found[0].topic is QuestionTopic.LISTED
        assert len({each.question for each in found}) == len(found)
        assert all(each.sentence.endswith("?") and "==" not in each.sentence for each in found)
        assert {each.topic for each in found} <= HEADINGS.keys() and HEADINGS.keys() == set(QuestionTopic)


def test_an_answer_that_counts_stands_beside_its_question(oven):
    with Case.open(oven) as case:
        asked = suggested_questions(case)[0]
        answered = case.ask(asked.question).entry
        again = suggested_questions(case)[0]
        assert (again.question, again.entry, again.verdict) == (asked.question, answered.number, answered.verdict)
        assert suggested_questions(case, step=2)[0].entry is None  # it is about another moment
        case.retract(answered.number, "not that")
        assert suggested_questions(case)[0].entry is None


def test_an_answer_that_fell_with_an_acceptance_stands_there_no_longer(tmp_path):
    shutil.copytree(folder("microwave"), tmp_path / "oven", ignore=shutil.ignore_patterns("*.py", "__pycache__", "c"))
    log = tmp_path / "oven" / "log.jsonl"
    log.write_text(log.read_text().replace("CLOSE", "OPEN"))  # at step 3 the program gives something else
    with Case.create(tmp_path / "oven.case", tmp_path / "oven") as case:
        accepted = case.accept_log_mismatch("the logger is known to be late")
        answered = case.ask(suggested_questions(case)[0].question).entry
        assert suggested_questions(case)[0].entry == answered.number
        case.retract(accepted.number, "it was not late")
        assert suggested_questions(case)[0].entry is None


def test_what_an_explanation_says_that_it_mattered_is_asked_first(tmp_path):
    with Case.create(tmp_path / "crash.case", folder("crash") / "standard") as case:
        assert of(suggested_questions(case), QuestionTopic.MATTERED) == []
        answered = case.ask("might not move if world.agents[1].signal is anything and 1.0 <= world.agents[1].x <= 1.5")
        assert answered.entry.question is not None
        study = case.study(ExplanationRequest(answered.entry.number, answered.entry.question, 0))
        found = suggested_questions(case)
        assert found[0].topic is QuestionTopic.MATTERED
        about = of(found, QuestionTopic.MATTERED)
        assert "would not move if world.agents[1].signal == STRAIGHT" in about
        assert all("agents[1]" in each for each in about)
        case.retract(study.entry.number, "too early")
        assert of(suggested_questions(case), QuestionTopic.MATTERED) == []
        explained = {answered.entry.number: to_builtins(study.entry.payload["result"])}
        assert of(suggested_questions(case, explained=explained), QuestionTopic.MATTERED) == about


def test_a_car_that_is_not_there_is_not_asked_about(tmp_path):
    with Case.create(tmp_path / "crash.case", folder("crash") / "standard") as case:
        found = [each for each in suggested_questions(case) if each.topic is not QuestionTopic.LISTED]
        assert found and not any("agents[2]" in each.question for each in found)
        signals = of(found, QuestionTopic.SIGNALS)
        assert "world.agents[1].signal" in signals[0]
        assert not any("agents[0].present" in each for each in signals)


def test_several_programs_and_pairs_are_listed_as_they_are(tmp_path):
    with Case.create(tmp_path / "bank.case", folder("overdraft")) as case:
        found = suggested_questions(case)
        assert len(of(found, QuestionTopic.LISTED)) == len(listed(case))
        assert any("v1.letter.limit" in each for each in of(found, QuestionTopic.RANGES))
