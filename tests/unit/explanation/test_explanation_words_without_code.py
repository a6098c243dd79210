"""What a lay reader is told of answers and explanations of the examples has no operator, no index and no path."""

from __future__ import annotations

import io
import re
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from soid import Project
from soid.case.case import Case
from soid.case.record.study_request import MapRequest, Request
from soid.case.shown_pair import shown_pair
from soid.case.studies import causes_wanted, explanation_wanted
from soid.cli.commands.causes_command import show_causes
from soid.cli.commands.compare_command import show_comparison
from soid.cli.terminal.answers import show_answer
from soid.cli.terminal.terminal import Terminal
from soid.documents import json_of
from soid.examples import folder
from soid.explanation.explanation_words import explanation
from soid.mapping import map_words
from soid.oracle.answer import Answer
from soid.oracle.inquiry import Settings
from soid.query.words import RoundedText
from soid.scenario.trace import Keyframe
from soid.web.page import scenario_tables
from soid.web.page.open_answer import told_besides
from tests.half_settled import HALF_SETTLED, half_settled_project
from tests.unit.query.words.test_sentences_without_code import CODE

#: lines of a program are quoted where its ways part
QUOTED = "Where the ways part"

QUESTIONS = [
    ("drone", 220, "would return.mode == MODE_HOLD if s.gps.hdop <= 5.0"),
    ("drone", 237, "would not return.mode == MODE_LAND if s.battery >= 12.0"),
    ("drone", 236, "would not return.mode == MODE_LAND throughout 5 steps if s.gps.hdop == 1.0"),
    ("lending", None, "would approve if amount <= 20000"),
    ("lending", None, "might approve if income is anything"),
    ("triage", None, "would urgent if lactate == 1.6"),
    ("diabetes", None, "might assessment.risk == HIGH if patient.weight is anything"),
    ("microwave", None, "might action == CANCEL if heat is anything"),
    ("crash/standard", None, "might not move if world.agents[1].signal is anything"),
    ("crash/together", None, "would impatient.move if world.agents[1].signal is anything"),
    ("crash/together", None, "would not collision throughout 12 steps if world.agents[1].signal == STRAIGHT"),
    ("proper_response", None, "might limits.brake if 0.1 <= car.rho <= 0.5"),
    ("proper_response", None, "would limits.brake if 0.5 <= guard.elapsed <= 60"),
]


def texts(lines: tuple[str | RoundedText, ...] | list[str | RoundedText]) -> Iterator[str]:
    yield from (each if isinstance(each, str) else each.read for each in lines)


def of_answer(answer: Answer, keyframe: Keyframe) -> Iterator[str]:
    """What is told of an answer, and of its scenario."""
    yield from (answer.because, answer.harm, answer.wanting, *told_besides(answer))
    witness = answer.witness
    if witness is None:
        return
    yield answer.heading(witness)
    if (near := answer.nearness(witness)) is not None:
        yield near.read
    pair = shown_pair(answer, witness)
    if pair is not None:
        tables = [*scenario_tables.pair(pair, answer.query, witness.interface)]
        yield from pair.ends
    else:
        tables = [scenario_tables.changed(answer, witness, answer.steps(keyframe))]
    if pair is None and not witness.earlier:
        tables.append(scenario_tables.outcome(answer, witness, keyframe))
    elif pair is None:
        yield from texts(list(scenario_tables.steps_told(answer, witness, keyframe.step)))
    for table in tables:
        yield from (table.caption, *table.heads, *(cell for row in table.rows for cell in texts(row)))


@pytest.mark.parametrize(("example", "step", "question"), QUESTIONS, ids=[each[2][:40] for each in QUESTIONS])
def test_answers_and_explanations_of_examples_have_no_code(example: str, step: int | None, question: str) -> None:
    name, _, part = example.partition("/")
    project = Project.open(folder(name) / part, step=step, settings=Settings(replay="off"))
    explained = project.explain(question)
    told = list(of_answer(explained.answer, project.keyframe))
    parts = explanation(json_of(explained.document), project.program.interface)
    for heading, lines in parts:
        told += [heading, *(texts(list(lines)) if heading != QUOTED else ())]
    assert parts and len(told) > 4
    assert [text for text in told if CODE.search(text)] == []


def test_what_studies_state_has_no_code(tmp_path: Path) -> None:
    over = "oven.error is anything and oven.closed is anything"
    with Case.create(tmp_path / "of.case", folder("microwave") / "c", who="ada") as case:
        asked = [
            case.ask(f"{question} if {over}").entry
            for question in ("might *action == CANCEL", "would not (*action == OPEN)", "might not (*action == CLOSE)")
        ]
        at = case.project_at()
        wanted: tuple[Request, ...] = (
            causes_wanted(at, "did not (*action == CANCEL)", over),
            MapRequest(over, None, 64),
            *map(explanation_wanted, asked),
        )
        told = [str(case.study(each).entry.payload["statement"]) for each in wanted]
        told += [str(each.fact["statement"]) for each in asked if each.fact is not None]
        told += [case.recall(each.number).because for each in asked]
    assert len(told) > 8
    assert [text for text in told if CODE.search(text)] == []


def test_what_is_told_of_an_open_answer_has_no_code(tmp_path) -> None:
    answer = half_settled_project(tmp_path).ask(HALF_SETTLED)
    told = [answer.obstacle, *told_besides(answer), *(step.words for step in answer.next_steps)]
    assert answer.settled is not None and len(told) > 3
    assert [text for text in told if CODE.search(text)] == []


EXCLUDE, X = "these exclude each other: that", "the other car's x"
CONFLICTS = {
    "x > 5.0": f"{EXCLUDE} {X} ranges over: 0.0 to 4.095 m, and that {X} is more than 5.0 m",
    "x < 1 and here.x > 2": f"{EXCLUDE} {X} is less than 1.0 m, and that {X} is more than 2.0 m",
    "signal == RIGHT": "only in the fact itself is it so that the other car's signal is RIGHT",
    "signal == LEFT and keep here.signal": "nothing may differ, and in fact it is not so that the "
    "other car's signal is LEFT",
}


def test_suppositions_that_leave_no_scenario_are_told_in_words() -> None:
    project = Project.open(folder("crash") / "standard", settings=Settings(replay="off"))
    asked = {each: f"would move if here.{each}".replace("here", "world.agents[1]") for each in CONFLICTS}
    answers = {supposed: project.ask(question) for supposed, question in asked.items()}
    assert {text: each.because for text, each in answers.items()} == CONFLICTS


#: what is written for questions, files and the program itself: quoted, not told
TYPED = re.compile(r"^ +(?:(?:would|might|did|if|relies on|replayed|paths|seconds)\b.*| {10,}.*)$", re.M)


def printed(show: Callable[[Terminal], None]) -> str:
    with io.StringIO() as stream:
        show(Terminal.into(stream))
        return TYPED.sub("", stream.getvalue())


@pytest.mark.parametrize(("example", "step", "question"), [QUESTIONS[0], QUESTIONS[2], QUESTIONS[4]])
def test_the_terminal_calls_variables_as_people_do(example: str, step: int | None, question: str) -> None:
    project = Project.open(folder(example), step=step, settings=Settings(replay="off"))
    answer = project.ask(question)
    told = printed(lambda terminal: show_answer(terminal, answer, project.keyframe))
    assert answer.witness is not None and "in the scenario" in told
    paths = [v.path for v in answer.witness.interface if not v.path.isidentifier()]
    assert [path for path in paths if path in told] == []
    verbose = printed(lambda terminal: show_answer(terminal, answer, project.keyframe, verbose=True))
    assert "in questions" in verbose  # the names to type are there, where they are asked for


def test_causes_maps_and_comparisons_have_no_code() -> None:
    project = Project.open(folder("crash") / "together", settings=Settings(replay="off"))
    over = "world.agents[1].signal is anything and 1.0 <= world.agents[1].x <= 1.5"
    made = project.map(over, by="standard.move")
    told = [made.supposed, map_words.fact_text(made), map_words.measure_text(made), map_words.heading(made)]
    told += [line for region in made.regions for line in map_words.boxes_told(made.axes, region.boxes)]
    found, interface = project.causes("did standard.move", over), project.program.interface
    told.append(printed(lambda terminal: show_causes(terminal, found, "here", interface)))
    compared = project.compare(["would move if world.agents[1].signal is anything"])
    told.append(
        printed(
            lambda terminal: show_comparison(terminal, compared, project.program.interface, project.keyframe.called)
        )
    )
    assert len(told) > 6
    assert [text for text in told if CODE.search(text)] == []
