import dataclasses
import io

import pytest
from msgspec.structs import replace
from rich.console import Console

from soid.assumptions import Assumption
from soid.case.project import Project
from soid.cli.terminal.answers import SIGNS, show_answer
from soid.cli.terminal.terminal import Terminal
from soid.engine.summary import Failed, Location
from soid.examples import folder
from soid.oracle.answer import Answer, Verdict
from soid.oracle.reason import ReasonCode, VerdictReason
from tests.gap_world import gap_project
from tests.unit.engine.world.two_cars import two_cars


@pytest.fixture(scope="module")
def case():
    opened = Project.open(folder("microwave"))
    yield opened
    opened.solver.close()


@pytest.fixture(scope="module")
def answer(case) -> Answer:
    found: Answer = case.ask("might action == CANCEL if heat is anything and closed is anything")
    return found


def shown(answer: Answer, project: Project, *, verbose: bool = False, width: int = 80) -> str:
    stream = io.StringIO()
    terminal = Terminal(Console(file=stream, width=width, highlight=False, markup=False, emoji=False))
    show_answer(terminal, answer, project.keyframe, verbose=verbose)
    return stream.getvalue()


def test_verdicts_are_told_apart_without_colour():
    assert set(SIGNS) == set(Verdict)
    for column in (0, 1):
        assert len({signs[column] for signs in SIGNS.values()}) == len(Verdict)
    assert all(plain.isascii() for _, plain, _ in SIGNS.values())


def test_what_changed_comes_first_then_what_the_program_did(answer, case):
    lines = [line.split() for line in shown(answer, case).splitlines()]
    rows = "the heater true false", "the operator's action CLOSE CANCEL"
    places = [lines.index(row.split()) for row in rows]
    assert places == sorted(places)
    assert "closed is anything" in shown(answer, case)


def test_the_rest_is_folded(answer, case):
    many = replace(answer, relies_on=tuple(Assumption(f"id-{n}", f"assumption {n}") for n in range(9)))
    assert "assumption 3" in shown(many, case) and "assumption 4" not in shown(many, case)
    assert "and 5 more: --verbose" in shown(many, case)
    assert "assumption 8" in shown(many, case, verbose=True)
    assert "in questions" not in shown(answer, case)
    assert "in questions" in shown(answer, case, verbose=True)


@pytest.mark.parametrize("late", [True, False])
@pytest.mark.parametrize("code", [ReasonCode.SOLVERS_OPEN, ReasonCode.LOG_UNCHECKED])
def test_an_unknown_says_that_it_is_neither_and_what_may_help(answer, case, code, late):
    why = VerdictReason(code, ("a time of 3 s is not supported",), out_of_time=late)
    text = shown(replace(answer, verdict=Verdict.UNKNOWN, why=why, witness=None), case)
    assert "? UNKNOWN" in text and "neither a yes nor a no" in text
    assert ("--seconds" in text) == late
    assert ("--accept-log-mismatch" in text) == (code is ReasonCode.LOG_UNCHECKED)


def test_a_program_that_fails_is_shown_as_failing(answer, case):
    failed = replace(answer.witness, ending=Failed("division by zero", Location("oven.c", 12)), outputs={})
    text = shown(replace(answer, witness=failed), case)
    assert "the program fails: division by zero at oven.c:12" in text
    assert "outcome" not in text


def test_a_witness_that_may_not_be_the_nearest_says_so(answer, case):
    assert "nearer to the fact" not in shown(answer, case)
    assert "nearer to the fact" in shown(replace(answer, witness=replace(answer.witness, settled=False)), case)


def test_where_the_log_is_silent_the_fact_is_what_the_program_does(answer, case):
    silent = replace(case, logged=dataclasses.replace(case.logged, decisions={}), log_run=None)
    assert "not logged" in shown(replace(answer, fact={}), silent)
    assert "not logged" not in shown(answer, silent)


@pytest.mark.parametrize(("decimals", "mark"), [("", "0 (derived)"), ("level = { decimals = 1 }", "not known")])
def test_an_outcome_that_rounded_inputs_leave_open_is_not_known_in_fact(tmp_path, decimals, mark):
    (tmp_path / "p.c").write_text(
        "int warm, twice; void decide(float level, int x) { warm = level > 20.4f; twice = 2 * x; }"
    )
    (tmp_path / "log.csv").write_text("level,x,twice\n20.4,1,2\n")
    program = '[program]\nengine = "llvm"\nsources = ["p.c"]\nentry = "decide"\n[trace]\nfile = "log.csv"\n'
    domain = "[variables]\nx = { domain = [0, 9] }\n"
    (tmp_path / "soid.toml").write_text(f"{program}[trace.columns]\n{decimals}\n{domain}")
    project = Project.open(tmp_path)
    out = shown(project.ask("might twice == 6 if x is anything"), project, width=120)
    (line,) = [line for line in out.splitlines() if line.split()[:1] == ["warm"]]
    assert mark in line and ("(derived)" in line) == (not decimals)


def test_an_outcome_is_derived_if_it_is_the_same_for_all_that_rounded_inputs_may_have_been(tmp_path):
    (tmp_path / "p.c").write_text("int warm; void decide(float level, int x) { warm = level > 20.0f && x < 5; }")
    (tmp_path / "log.csv").write_text("level,x\n20.4,1\n")
    program = '[program]\nengine = "llvm"\nsources = ["p.c"]\nentry = "decide"\n[trace]\nfile = "log.csv"\n'
    (tmp_path / "soid.toml").write_text(f"{program}[trace.columns]\nlevel = {{ decimals = 1 }}\n")
    project = Project.open(tmp_path)
    out = shown(project.ask("might warm == 0 if x is anything"), project, width=120)
    assert ["warm", "1", "(derived)", "0"] in [line.split() for line in out.splitlines()]


def test_inputs_of_several_steps_are_told_with_their_steps(case):
    steps = "within 2 steps as logged if heat == false at step 3 and heat == true from step 4"
    text = shown(case.ask(f"would action == CANCEL {steps}"), case, width=120)
    assert "the heater at step 3" in text and "the heater from step 4 on" in text
    assert "@" not in text


def test_one_step_too_leaves_out_what_the_world_leaves_unless_it_is_asked_about(tmp_path):
    """The table of the crossing had eighty rows, one for each thing in its world."""
    project = gap_project(tmp_path)
    found = project.ask("did collision or *impact > 0.0")
    told = shown(found, project)
    assert "gap after the call" not in told and "the world leaves 2 further values (--verbose shows them)" in told
    assert "on the logged inputs it is not so" in told
    assert "gap after the call" in shown(found, project, verbose=True)
    asked = shown(project.ask("might v.gap' < 0.0 within 20 steps if v.speed == 3.0"), project)
    assert "gap after the call" in asked and "speed after the call" not in asked


def test_what_the_world_gives_is_no_program_s(tmp_path):
    project = two_cars(tmp_path)
    told = shown(project.ask("did meeting"), project, width=200)
    rows = [line.split() for line in told.splitlines()]
    assert ["the", "world", "the", "two", "meet", "(not", "logged)", "false"] in rows
    assert any(row[:4] == ["behind", "what", "it", "returns"] for row in rows)
