"""Explanations of answers about real programs: what mattered, where it flips and parts, what a proof needed."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from msgspec.structs import replace

from soid.budget import Cancellation
from soid.case.project import Project
from soid.examples import folder
from soid.explanation.divergence import At
from soid.explanation.explainer import Explanation
from soid.explanation.flips import Flip, NoFlip
from soid.oracle.inquiry import QuestionProgress
from soid.program.types import show
from soid.solver.chain import chain
from soid.solver.protocol import Solver


@pytest.fixture(scope="module")
def solver() -> Iterator[Solver]:
    made = chain()
    yield made
    made.close()


@pytest.fixture(scope="module")
def crash(solver: Solver) -> Project:
    return Project.open(folder("crash") / "standard", solver=solver)


@pytest.fixture(scope="module")
def oven(solver: Solver) -> Project:
    return Project.open(folder("microwave"), solver=solver)


SOURCE = """\
static const int table[4] = {7, 7, 9, 7};

int decide(int row, int divisor, int mode)
{
    int found = table[row & 3];
    if (mode == 5)
        return found / divisor;
    return found;
}
"""

MANIFEST = """\
[program]
name = "table"
engine = "c"
sources = ["table.c"]
entry = "decide"

[trace]
file = "log.jsonl"

[variables]
row = { domain = [0, 20] }
divisor = { domain = [-3, 3] }
mode = { domain = [0, 9] }
"""


@pytest.fixture(scope="module")
def table(solver: Solver, tmp_path_factory: pytest.TempPathFactory) -> Project:
    project = tmp_path_factory.mktemp("table")
    (project / "table.c").write_text(SOURCE)
    (project / "soid.toml").write_text(MANIFEST)
    (project / "log.jsonl").write_text('{"row": 5, "divisor": 2, "mode": 5}\n')
    return Project.open(project, solver=solver)


def flip_of(explanation: Explanation, variable: str, place: int = 0) -> Flip:
    assert explanation.mattered is not None
    (found,) = [each for each in explanation.mattered.sets[place].flips if each.variable.path == variable]
    assert isinstance(found, Flip), found.reason
    return found


def texts(flip: Flip) -> tuple[str, str]:
    last, first = (show(flip.variable.type, bits) for bits in flip.values)
    return last, first


# --- the crash ------------------------------------------------------------------------------------------------


def test_the_signal_mattered_and_not_the_position(crash):
    given = crash.explain("might not move if world.agents[1].signal is anything and 1.0 <= world.agents[1].x <= 1.5")
    assert [one.variables for one in given.mattered.sets] == [("world.agents[1].signal",)]
    assert given.mattered.sets[0].smallest and given.mattered.complete
    assert texts(flip_of(given, "world.agents[1].signal")) == ("RIGHT", "STRAIGHT")
    branch = given.parting.branch
    assert (given.parting.at, branch.function, branch.text) == (At.BRANCH, "ways_cross", "if (theirs == RIGHT)")
    assert (given.parting.one.side, given.parting.other.side) == ("true", "false")


def test_the_flip_of_the_other_car_s_x_is_between_two_neighbouring_floats(crash):
    given = crash.explain("might move if world.agents[1].signal == STRAIGHT and world.agents[1].x is anything")
    (one,) = given.mattered.sets
    assert one.variables == ("world.agents[1].x", "world.agents[1].signal")
    flip = flip_of(given, "world.agents[1].x")
    assert texts(flip) == ("1.17", "1.1699998")
    keys = [flip.variable.order.place_of(bits) for bits in flip.values]
    assert keys[0] == keys[1] + 1 and flip.nearest
    for scenario in (flip.last, flip.first):
        assert scenario.witness.replayed.startswith("by running the compiled program")
    assert flip.last.witness.outputs["move"] != flip.first.witness.outputs["move"]
    assert (flip.parting.at, flip.parting.branch and flip.parting.branch.text) == (
        At.BRANCH,
        "if (is_before(other, 1) && goes_before(other, self))",
    )


def test_a_proof_names_what_it_needed_and_what_it_did_not(crash):
    given = crash.explain("might not move if world.agents[1].x is anything and world.agents[1].signal == RIGHT")
    (need,) = given.proof.suppositions
    assert (need.needed, need.witness.changed[0].variable.path) == (True, "world.agents[1].signal")
    assert {each.variable.path: each.irrelevant for each in given.proof.variables} == {
        "world.agents[1].x": True,
        "world.agents[1].signal": False,
    }
    assert given.unsettled == ()


def test_a_supposition_that_keeps_the_fact_out_is_needed_where_the_fact_is_otherwise(crash):
    given = crash.explain("would not move if world.agents[1].signal in {STRAIGHT, LEFT}")
    (need,) = given.proof.suppositions
    assert need.needed is True
    assert need.witness.changed == ()  # the fact itself
    assert need.question == "would not move if world.agents[1].signal is anything"
    assert given.proof.variables[0].irrelevant is False


# --- where the ways part --------------------------------------------------------------------------------------


def test_states_that_differ_in_data_only_part_nowhere(table):
    given = table.explain("might return == 4 if row is anything")
    assert given.mattered.sets[0].variables == ("row",)
    assert texts(flip_of(given, "row")) == ("5", "6")
    assert (given.parting.at, {name: str(at) for name, at in given.parting.set_at.items()}) == (
        At.DATA,
        {"return": "table.c:7"},
    )


def test_one_that_fails_parts_where_it_ends(table):
    given = table.explain("would decides if divisor is anything and mode is anything")
    assert given.mattered.sets[0].variables == ("divisor",)
    assert texts(flip_of(given, "divisor")) == ("1", "0")
    assert (given.parting.at, given.parting.branch) == (At.END, None)
    assert given.parting.endings == ("decides", "fails: division by zero at table.c:7")


def test_without_a_source_the_paths_are_named(oven):
    given = oven.explain("might action == CANCEL if heat is anything and closed is anything")
    assert [one.variables for one in given.mattered.sets] == [("closed",), ("heat",)]
    assert given.parting.at is At.PATHS
    assert given.parting.paths[0] != given.parting.paths[1]


def test_a_variable_that_only_the_suppositions_move_flips_nowhere(table):
    given = table.explain("might return == 3 if mode is anything and row == 9 and divisor is anything")
    (one, *_) = given.mattered.sets
    assert one.variables == ("row",)
    (found,) = one.flips
    assert isinstance(found, NoFlip) and found.settled
    assert "only the suppositions ask for another" in found.reason


def test_what_rounds_to_the_log_is_no_change_that_would_do(solver, tmp_path):
    """The log has 0.25 for anything from 0.245 to 0.255: a scenario in there may be the fact itself."""
    (tmp_path / "near.c").write_text("int decide(float x, int y) { return x > 0.2525f || y > 5; }\n")
    (tmp_path / "soid.toml").write_text(
        MANIFEST.split("[variables]")[0].replace("table", "near") + "[variables]\nx = { logged = { decimals = 2 } }\n"
    )
    (tmp_path / "log.jsonl").write_text('{"x": 0.25, "y": 0}\n')
    given = Project.open(tmp_path, solver=solver).explain("might return == 1 if x is anything and y is anything")
    assert given.mattered is not None
    assert [one.variables for one in given.mattered.sets] == [("x",), ("y",)]
    (change,) = given.mattered.sets[0].scenario.witness.changed
    assert show(change.variable.type, change.after) == "0.25500003"
    # the flip itself is where the program has it, whatever the log can tell apart
    assert texts(flip_of(given, "x")) == ("0.2525", "0.25250003")


# --- what is known already ------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "question",
    ["might return == 1 if row is anything and divisor is anything", "would return < 10 if row is anything"],
)
def test_explaining_after_asking_finds_the_paths_that_were_kept(table, question):
    table.ask(question)
    found = table.explain(question).answer
    assert found.settled_by["summaries"] in (1, 2)  # the family's; the fact's too, unless that fact was kept whole


# --- what is not explained ------------------------------------------------------------------------------------


@pytest.mark.parametrize("question", ["did return == 3", "would return == 3 if 4 <= row <= 3"])
def test_facts_and_answers_that_conclude_nothing_have_nothing_to_explain(table, question):
    given = table.explain(question)
    assert given.mattered is given.proof is given.parting is None
    assert given.unsettled == ()


@pytest.mark.parametrize("stage", ["smallest", "flip", "part"])
def test_a_counterfactual_that_is_called_off_claims_nothing(table, stage):
    given = called_off(table, "might return == 4 if row is anything and divisor is anything", stage)
    matter = given.mattered
    assert given.out_of_time is bool(given.unsettled)
    if stage == "smallest":
        assert matter is None and given.unsettled == ("which changes are enough",)
    elif stage == "flip":
        assert matter is not None
        assert all(isinstance(each, NoFlip) and not each.settled for one in matter.sets for each in one.flips)
        assert any("where it flips along row" in text for text in given.unsettled)
        assert given.parting is None


@pytest.mark.parametrize("stage", ["needed", "irrelevant"])
def test_a_proof_that_is_called_off_claims_nothing(table, stage):
    given = called_off(table, "would return != 100 if row is anything and 0 < divisor", stage)
    assert given.proof is not None
    assert [each.irrelevant for each in given.proof.variables] == [None, None]
    assert [need.needed for need in given.proof.suppositions] == [None if stage == "needed" else True]
    assert len(given.unsettled) == (3 if stage == "needed" else 2) and given.out_of_time


def called_off(project: Project, question: str, stage: str) -> Explanation:
    """Explained with nothing known before, and called off when it comes to a stage."""
    cancel = Cancellation()

    def progress(at: QuestionProgress) -> None:
        if at.stage == stage:
            cancel.cancel()

    return replace(project, summaries=None).explain(question, cancel=cancel, progress=progress)
