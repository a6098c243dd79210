"""The abstraction that questions lead to: on the guard as the paper has it, and where solvers do not answer."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Sequence
from xml.etree import ElementTree

import pytest

from soid.budget import Cancellation
from soid.case.abstraction import REST, Abstraction, abstraction_of, answered, connected, grown, refined
from soid.case.abstraction_picture import svg
from soid.case.case import Case
from soid.case.project import Project
from soid.case.state_emptiness import StateEmptiness
from soid.cli import main
from soid.documents import json_of
from soid.examples import folder
from soid.formula.checker import Open, Possibility
from soid.formula.term import Term
from soid.oracle.answer import Answer
from soid.oracle.inquiry import QuestionProgress
from soid.solver.chain import chain
from soid.solver.protocol import Solver
from tests.json_page import misfits

QUESTIONS = (
    "did limits.brake",
    "might limits.brake if guard.elapsed is anything",
    "would limits.brake if 0 <= road.distance <= 60 and 0.2 <= guard.elapsed <= 10",
)


@pytest.fixture(scope="module")
def solver() -> Iterator[Solver]:
    made = chain()
    yield made
    made.close()


@pytest.fixture(scope="module")
def guard(solver: Solver) -> Project:
    return Project.open(folder("proper_response"), solver=solver)


def abstraction(project: Project, questions: Sequence[str]) -> Abstraction:
    found = Abstraction()
    for question in questions:
        found = grown(found, project, question)
    return found


@pytest.fixture(scope="module")
def found(guard: Project) -> Abstraction:
    return abstraction(guard, QUESTIONS)


def names(given: Abstraction, *, after: int) -> list[str]:
    return [state.name for state in given.states if state.after == after]


def test_a_factual_and_two_counterfactual_questions_share_states(found):
    """As in the paper's example: nine symbolic states, all but two of them many concrete ones."""
    assert len(found.visited) == 9
    assert [state.name for state in found.visited if state.concrete] == ["s1", "s2"]
    assert names(found, after=0) == ["s1 ⊓ s3 ⊓ s6", "only s3", "s3 ⊓ s6", "only s6"]
    assert names(found, after=1) == [
        "s2 ⊓ s4 ⊓ s8", "only s4", "s4 ⊓ s8", "only s5", "s5 ⊓ s9", "only s7", "only s8", "only s9",
    ]  # fmt: skip
    assert [state.occurs for state in found.visited if state.after] == ["no", "no", "yes", "no", "no", "yes"]


def test_what_lies_in_a_state_goes_where_that_goes(found):
    number = {state.name: state.number for state in found.states}
    leads = {name: [other for one, other in found.transitions if one == number[name]] for name in number}
    assert leads["s1 ⊓ s3 ⊓ s6"] == [number["s2 ⊓ s4 ⊓ s8"]]
    assert leads["s3 ⊓ s6"] == [number["s4 ⊓ s8"], number["s5 ⊓ s9"]]
    assert leads["only s6"] == [number["only s7"], number["only s8"], number["only s9"]]
    assert (REST, REST) in found.transitions


def test_every_meet_was_settled_by_a_solver(found):
    before = {(1, 3), (1, 6), (3, 6)}
    after = {(old, new) for old in (2, 4, 5) for new in (7, 8, 9)}
    assert before <= {meet.states for meet in found.meets} <= before | after | {(2, 4), (2, 5)}
    assert all(meet.empty is not None for meet in found.meets)
    states = {state.number: state for state in found.visited}
    assert found.inside(states[1], states[3]) and found.inside(states[2], states[8])
    assert not found.inside(states[3], states[6])


def test_it_grows_with_each_question(guard, found):
    before = Abstraction()
    counts = [len(before.states)]
    for question in QUESTIONS:
        before = grown(before, guard, question)
        counts.append(len(before.states))
    assert counts == [0, 2, 5, 12]
    assert json_of(abstraction_of((guard, question) for question in QUESTIONS).document) == json_of(found.document)
    assert json_of(before.document) == json_of(found.document)


def test_what_is_answered_on_the_record_is_not_asked_again(tmp_path, monkeypatch):
    with Case.create(tmp_path / "guard.case", folder("proper_response")) as case:
        for question in QUESTIONS:
            case.ask(question)
        asked_again = abstraction_of((case.project_at(), question) for question in QUESTIONS)

        def refused(*_: object, **__: object) -> Answer:
            raise AssertionError("a question is put")

        monkeypatch.setattr(Project, "ask", refused)
        found = abstraction_of(answered(case))
        assert len(found.states) == 12 and json_of(found.document) == json_of(asked_again.document)


def test_steps_are_states_one_after_the_other(guard):
    given = abstraction(guard, ["might limits.brake within 2 steps held if guard.elapsed is anything"])
    assert [state.after for state in given.visited] == [0, 1, 2, 2, 1, 2]
    assert given.visits[0].transitions == ((1, 2), (2, 3), (2, 4), (1, 5), (5, 6))
    assert len(given.states) == 6


def test_a_question_without_scenarios_visits_nothing(guard):
    given = abstraction(guard, ["would limits.brake if 3 <= road.distance <= 2"])
    assert not given.visited and not given.states
    assert "nothing was visited" in svg(given, guard.program.interface, "guard")


def test_what_is_not_settled_is_taken_for_possible_and_marked(found):
    def shrug(conjuncts: Sequence[Term], /) -> Possibility:
        return Open("time")

    given, empty = Abstraction(), StateEmptiness()
    for visit in found.visits:
        given = refined(given, visit, empty, shrug)
    given = connected(given, empty, shrug)
    told_by_values = {meet.states for meet in given.meets if meet.empty is not None}
    assert told_by_values == {(1, 3), (1, 6), (2, 4), (2, 8)}  # with the fact, which is one state
    assert {tuple(state.member_numbers) for state in given.states if state.settled} == {(1, 3, 6), (2, 4, 8)}
    assert {state.name for state in found.states} <= {state.name for state in given.states}
    sure = {state.number: state.name for state in found.states}
    open_names = {state.number: state.name for state in given.states}
    ways = {(open_names[one], open_names[other]) for one, other in given.transitions if one}
    assert {(sure[one], sure[other]) for one, other in found.transitions if one} <= ways


def test_called_off_it_says_that_nobody_knows_where_the_rest_goes(guard):
    cancel = Cancellation()

    def progress(at: QuestionProgress) -> None:
        if at.stage == "abstraction":
            cancel.cancel()

    given = grown(Abstraction(), guard, QUESTIONS[1], cancel=cancel, progress=progress)
    _, *after = given.visited
    assert [(str(state.ending), state.occurs) for state in after] == [("unexplored: cancelled", "unknown")]
    assert {(given.states[-1].number, REST)} <= set(given.transitions)


POWERS = """\
#include <math.h>
int decide(double x, int gear)
{
    if (pow(x, 1.5) > 3.5)
        return gear > 2;
    return 0;
}
"""
MANIFEST = """\
[program]
name = "powers"
engine = "c"
sources = ["powers.c"]
entry = "decide"

[trace]
file = "log.jsonl"

[variables]
x = { domain = [0.0, 4.0] }
gear = { domain = [0, 5] }
"""


def test_results_of_the_library_stay_those_of_their_arguments(solver, tmp_path):
    """Each question has symbols of its own for them; where an input has one value, so has what is computed from it."""
    (tmp_path / "powers.c").write_text(POWERS)
    (tmp_path / "soid.toml").write_text(MANIFEST)
    (tmp_path / "log.jsonl").write_text('{"x": 3.0, "gear": 3}\n')
    project = Project.open(tmp_path, solver=solver)
    given = abstraction(
        project,
        [
            "would return == 1 if 2.5 <= x <= 3.5",
            "would return == 1 if 0 <= x <= 1.5 or x == 3",
            "did return == 1",
        ],
    )
    assert [each.answer.verdict.value for each in given.visits] == ["yes", "no", "yes"]
    ends = {state.number: state.occurs for state in given.visited if state.after}
    assert sorted(ends.values()) == ["no", "yes", "yes", "yes"]
    assert all(state.settled for state in given.states)
    for state in given.states:
        assert len({ends[member.number] for member in state.members if state.after}) <= 1
    (fact,) = [state for state in given.states if state.after and state.questions == (1, 2, 3)]
    assert [ends[member.number] for member in fact.members] == ["yes"] * 3


def test_a_rounded_fact_is_many_states(solver, tmp_path):
    (tmp_path / "powers.c").write_text(POWERS)
    (tmp_path / "soid.toml").write_text(MANIFEST.replace("domain = [0.0, 4.0]", "logged = { decimals = 1 }"))
    (tmp_path / "log.jsonl").write_text('{"x": 3.0, "gear": 3}\n')
    given = abstraction(
        Project.open(tmp_path, solver=solver), ["did return == 1", "would return == 1 if 3 <= x <= 3.5"]
    )
    start, end, *others = given.visited
    assert not start.concrete and (end.after, end.occurs) == (1, "yes")
    assert [state.name for state in given.states if not state.after] == ["only s1", "s1 ⊓ s3", "only s3"]
    assert len(others) == 2


# --- shown ----------------------------------------------------------------------------------------------------


def test_the_picture_is_well_formed_and_shows_every_state(guard, found):
    drawn = svg(found, guard.program.interface, "a < b & c")
    root = ElementTree.fromstring(drawn)
    texts = {element.text for element in root.iter("{http://www.w3.org/2000/svg}text")}
    assert {"What 3 questions have shown of a < b & c", "q1", "q2", "q3", "everything else"} <= texts
    assert {state.name for state in found.states} | {state.name for state in found.visited} <= texts
    assert "it decides to demand to brake" in texts and "whatever the time since the alarm had been" in texts
    titles = " ".join(element.text or "" for element in root.iter("{http://www.w3.org/2000/svg}title"))
    assert "limits.acceleration = -4.0 m/s²" in titles and "guard.elapsed' = guard.elapsed + 0.1" in titles
    boxes = [
        element for element in root.iter("{http://www.w3.org/2000/svg}rect") if "sa-shared" in element.get("class", "")
    ]
    assert len(boxes) == sum(state.shared for state in found.states)


def test_states_do_not_overlap_and_lie_on_the_sheet(guard, found):
    root = ElementTree.fromstring(svg(found, guard.program.interface, "guard"))
    sheet = [float(root.get(side, "0")) for side in ("width", "height")]
    boxes = [
        tuple(float(element.get(side, "0")) for side in ("x", "y", "width", "height"))
        for element in root.iter("{http://www.w3.org/2000/svg}rect")
        if re.search(r"sa-(box|shared|rest)", element.get("class", ""))
    ]
    assert len(boxes) == 9 + 12 + 1
    for place, (x, y, width, height) in enumerate(boxes):
        assert x >= 0 and y >= 0 and x + width <= sheet[0] and y + height <= sheet[1]
        for other_x, other_y, other_width, other_height in boxes[:place]:
            apart = x + width <= other_x or other_x + other_width <= x
            assert apart or y + height <= other_y or other_y + other_height <= y


def test_the_command_writes_a_picture_and_json(tmp_path, capsys):
    picture = tmp_path / "guard.svg"
    arguments = ["abstraction", *QUESTIONS[:2], "--project", str(folder("proper_response"))]
    assert main([*arguments, "--svg", str(picture), "--json"]) == 0
    assert misfits(json.loads(capsys.readouterr().out), "abstraction") == {}
    assert picture.read_text(encoding="utf-8").startswith("<svg")


def test_the_command_shows_what_is_shared(capsys, monkeypatch):
    monkeypatch.setenv("COLUMNS", "80")
    project = str(folder("microwave"))
    assert main(["abstraction", "did action == CLOSE", "would action == CLOSE if heat is anything", "-p", project]) == 0
    said = capsys.readouterr().out
    assert "s1 ⊓ s3" in said and "q1, q2" in said
    assert all(len(line) <= 80 for line in said.splitlines())


def test_a_case_is_shown_by_the_questions_on_its_record(tmp_path, capsys):
    file = tmp_path / "oven.case"
    with Case.create(file, folder("microwave"), who="ada") as case:
        assert main(["abstraction", "--case", str(file)]) == 10
        assert "has no answer yet" in capsys.readouterr().err
        case.ask("did action == CLOSE", step=3)
        case.ask("would action == CLOSE if heat is anything", step=3)
    assert main(["abstraction", "--case", str(file), "--json"]) == 0
    said = json.loads(capsys.readouterr().out)
    assert [each["question"] for each in said["questions"]] == [
        "did action == CLOSE",
        "would action == CLOSE if heat is anything",
    ]
    assert any(len(state["questions"]) == 2 for state in said["states"])


def test_a_picture_that_cannot_be_written_is_an_error(capsys):
    arguments = ["abstraction", "did action == CLOSE", "-p", str(folder("microwave"))]
    assert main([*arguments, "--svg", "/nowhere/at/all.svg"]) == 10
    assert "cannot be written" in capsys.readouterr().err
