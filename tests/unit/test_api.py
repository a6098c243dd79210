"""The public API: what is exported is what the documentation of the module says, and every name can be had."""

from __future__ import annotations

import ast
import importlib
import operator
import pickle
import re
import subprocess
import sys
from collections.abc import Callable
from decimal import Decimal
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

import soid
from soid.scene.scene import scene_of


def test_every_exported_name_is_there() -> None:
    for name in soid.__all__:
        assert getattr(soid, name) is not None


def test_types_are_told_to_checkers_from_the_same_places() -> None:
    tree = ast.parse(Path(soid.__file__).read_text(encoding="utf-8"))
    imported = {}
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom) and (node.module or "").startswith("soid."):
            for alias in node.names:
                imported[alias.asname or alias.name] = getattr(importlib.import_module(str(node.module)), alias.name)
    assert imported == {name: getattr(soid, name) for name in soid.__all__}


def test_importing_soid_loads_nothing_heavy() -> None:
    heavy = "{'z3', 'cvc5', 'bitwuzla', 'lark', 'rich'}"
    script = f"import soid, sys; print(sorted({heavy} & set(sys.modules)))"
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


def test_the_way_in_is_open() -> None:
    assert soid.open == soid.Project.open and "open" not in soid.__all__  # a star import leaves Python's own alone


def test_what_a_notebook_shows_is_one_line(tmp_path: Path) -> None:
    project = soid.open(soid.example("microwave"))
    v = project.variables
    asked = soid.might(v.action == "CANCEL").given(v.heat.anything())
    answer = project.ask(asked)
    with soid.Case.create(tmp_path / "oven.case", soid.example("microwave")) as case:
        shown: list[object] = [asked, answer, answer.witness, project, project.trace, project.keyframe, case]
        shown += [v, v.heat, project.map(v.heat.anything()), project.explain(asked)]
        lines = [repr(each) for each in shown]
    assert [line for line in lines if "\n" in line or len(line) > 240] == []
    assert lines[0] == "Query('might action == CANCEL if heat is anything')"
    assert lines[2] == "Witness(heat: true -> false)"


@pytest.fixture(scope="module")
def crash() -> soid.Project:
    return soid.open(soid.example("crash"))


@pytest.mark.parametrize(
    ("slip", "told"),
    [
        (lambda p, v: p.ask(5), "5 is no question"),
        (lambda p, v: p.ask(v.move), "move is no question"),
        (lambda p, v: p.ask("did move", seconds="5"), "seconds cannot be '5'"),
        (lambda p, v: p.ask("did move", seconds=-1), "seconds cannot be -1"),
        (lambda p, v: p.ask("did move", hours=1), "hours is no limit"),
        (lambda p, v: p.ask("did move", cancel=5), "5 cancels nothing"),
        (lambda p, v: p.ask("did move", progress=5), "5 cannot be told"),
        (lambda p, v: bool(p.ask("did move")), "neither true nor false: this one is yes"),
        (lambda p, v: p.at(float("nan")), "nan is no step"),
        (lambda p, v: p.at(None), "None is no step"),
        (lambda p, v: p.map(5), "5 is nothing that can be supposed"),
        (lambda p, v: p.map(None), "None is nothing that can be supposed"),
        (lambda p, v: p.causes("did move", 5), "5 is nothing that can be supposed"),
        (lambda p, v: soid.open(5), "5 is no project"),  # type: ignore[arg-type]
        (lambda p, v: soid.open(soid.example("crash"), settings=5), "5 are no settings"),  # type: ignore[arg-type]
        (lambda p, v: soid.would(v.move).given(5), "5 is nothing that can be supposed"),  # type: ignore[arg-type]
        (lambda p, v: soid.would("move"), "'move' is no formula"),  # type: ignore[arg-type]
        (lambda p, v: soid.fact(5), "5 is no variable"),  # type: ignore[arg-type]
        (lambda p, v: soid.after(1.5), "1.5 is no number of steps"),  # type: ignore[arg-type]
        (lambda p, v: soid.at_step(None, v.move), "None is no step"),  # type: ignore[arg-type]
        (lambda p, v: v.move == None, "None is no value"),  # noqa: E711 it is the slip
        (lambda p, v: v.world.agents[1].x < [1], "[1] is no value"),
        (lambda p, v: v.world.agents[1].signal.any_of(["LEFT", "RIGHT"]), "x.any_of(1, 2, 3)"),
        (lambda p, v: v.world.agents[1].signal.is_(v.move), "move is no single value"),
        (lambda p, v: setattr(v.world.agents[1], "speed", 5), "nothing is assigned to world.agents[1].speed"),
        (lambda p, v: operator.setitem(v, "move", 1), "nothing is assigned to move"),
        (lambda p, v: v[None], "None is no name of a variable"),
        (lambda p, v: v[0:2], "is no name of a variable"),
        (lambda p, v: v.wrold, "Did you mean world"),
    ],
)
def test_a_slip_is_told(crash: soid.Project, slip: Callable[[Any, Any], object], told: str) -> None:
    with pytest.raises(soid.SoidError, match=re.escape(told)) as raised:
        slip(crash, crash.variables)
    assert raised.value.remedy


def test_numbers_of_other_libraries_are_numbers(crash: soid.Project) -> None:
    x = crash.variables.world.agents[1].x
    for value in (np.float64(1.5), np.float32(1.5), Decimal("1.5"), np.array(1.5)):
        assert repr(x < value) == "world.agents[1].x < 1.5"
    assert repr(np.float64(1.5) < x) == "world.agents[1].x > 1.5"
    assert repr(x < np.int64(2)) == "world.agents[1].x < 2"
    assert repr(crash.variables.move == np.bool_(True)) == "move == true"
    assert crash.at(np.int64(3)).logged.step == 3


def test_a_verdict_is_its_word(crash: soid.Project) -> None:
    answer = crash.ask("did move")
    assert answer.verdict == "yes" and answer.kind == "did" and f"{answer.verdict}" == "yes"


def test_what_may_differ_can_be_said_in_each_way(crash: soid.Project) -> None:
    x = crash.variables.world.agents[1].x
    ways = ("world.agents[1].x is anything", x.anything(), [x.anything()], ("world.agents[1].x is anything",))
    assert len({crash.supposed(each) for each in ways}) == 1


def test_completion_knows_the_public_names() -> None:
    assert {*soid.__all__, "open"} <= set(dir(soid)) and "annotations" not in dir(soid)


@pytest.fixture(scope="module")
def results(crash: soid.Project) -> list[object]:
    """One of everything that the library gives, but what is opened."""
    v = crash.variables
    question = soid.would(v.move).given(v.world.agents[1].signal.anything())
    answer = crash.ask(question)
    found: list[object] = [question, answer, answer.witness, answer.changed, answer.verdict, answer.query.kind]
    found += [crash.map(v.world.agents[1].x.within(0.25)), crash.explain(question)]
    found += [crash.causes("did move", "world.agents[1].signal is anything"), crash.sweep([question], steps="9..11")]
    found += [
        crash.program.interface,
        crash.trace,
        crash.keyframe,
        crash.logged,
        crash.settings,
        scene_of(crash.manifest),
    ]
    found += [v, v.world.agents[1], soid.after(3), soid.Budget(5.0), v.move.anything(), soid.Limits(seconds=1.0)]
    return found


def test_what_the_library_gives_can_be_pickled(results: list[object]) -> None:
    for each in results:
        again = pickle.loads(pickle.dumps(each))
        assert again == each and type(again) is type(each)
        assert isinstance(each, soid.Interface) or repr(again) == repr(each)
        assert pickle.loads(pickle.dumps(again)) == each


def test_formulas_can_be_pickled(crash: soid.Project) -> None:
    v = crash.variables
    for each in (v.move, v.move == 1, v.world.agents[1].x + 1 < 2, soid.fails, v.world.agents[1].signal):
        again = pickle.loads(pickle.dumps(each))
        assert repr(again) == repr(each) and type(again) is type(each)


def test_a_pickled_answer_has_what_it_is_about_and_no_more() -> None:
    oven = soid.open(soid.example("microwave"))
    first = oven.at(2).ask("would action == CLOSE after 2 steps if error is anything")
    again = pickle.loads(pickle.dumps(first))
    assert first.keyframe is not None and first.keyframe.trace is not None and len(first.keyframe.trace) == 5
    assert [step.time for step in again.keyframe.trace] == [2, 3, 4]


def test_errors_can_be_pickled_with_their_remedies() -> None:
    kinds: list[type[soid.SoidError]] = [soid.SoidError]
    for kind in kinds:
        kinds += kind.__subclasses__()
    for kind in kinds:
        error = pickle.loads(pickle.dumps(kind("a cause", "a remedy")))
        assert type(error) is kind and (error.cause, error.remedy) == ("a cause", "a remedy")


def test_a_pickled_project_is_opened_anew(crash: soid.Project) -> None:
    here = crash.at(9)
    again = pickle.loads(pickle.dumps(here))
    question = "might move if world.agents[1].signal is anything"
    assert repr(again) == repr(here) and again.trace == here.trace and again.program.interface == here.program.interface
    assert again.ask(question).verdict is here.ask(question).verdict


def test_a_pickled_project_has_a_log_that_was_given(tmp_path: Path) -> None:
    table = pd.DataFrame({"error": [True], "closed": [True], "heat": [True], "started": [False], "running": [True]})
    oven = soid.open(soid.example("microwave"), trace=table, step=0)
    again = pickle.loads(pickle.dumps(oven))
    question = "did action == CLOSE"
    assert again.trace == oven.trace and again.ask(question).verdict is oven.ask(question).verdict


def test_a_log_of_another_program_is_refused(crash: soid.Project) -> None:
    with pytest.raises(soid.SoidError, match="a program with other variables"):
        soid.open(soid.example("microwave"), trace=crash.trace)


def test_a_pickled_case_is_opened_by_its_path(tmp_path: Path) -> None:
    with soid.Case.create(tmp_path / "oven.case", soid.example("microwave"), who="ada") as case:
        case.ask("did action == CLOSE")
        with pickle.loads(pickle.dumps(case)) as again:
            assert again.entries == case.entries and again.who == "ada"
            again.note(3, "seen elsewhere")
        assert case.entries[-1].who == "ada"


def test_what_cannot_be_pickled_says_why() -> None:
    with pytest.raises(TypeError, match="stays in its process"):
        pickle.dumps(soid.Cancellation())


#: a script as somebody writes it who has soid installed
CONSUMER = """
import asyncio
from typing import assert_type

import pyarrow as pa  # type: ignore[import-untyped]
import soid

project = soid.open(soid.example("microwave"), settings=soid.Settings(seconds=30.0))
assert_type(project, soid.Project)
v = project.variables
question = soid.would(v.action == "CANCEL").given(v.heat.anything(), v.error == True)
assert_type(question, soid.Query)
answer = project.at(3).ask(question, seconds=5, memory=1 << 30)
assert_type(answer, soid.Answer)
assert_type(answer.verdict, soid.Verdict)
assert_type(answer.changed, tuple[soid.Change, ...])
assert_type(answer.witness, soid.Witness | None)
assert_type(str(answer), str)
assert_type(project.explain(question), soid.Explanation)
assert_type(project.map(v.heat.anything()), soid.DecisionMap)
assert_type(project.map(["heat is anything", v.error.keep()]), soid.DecisionMap)

def told(progress: soid.QuestionProgress) -> None:
    print(progress.stage, progress.left)

async def later() -> soid.Answer:
    opened = await soid.open_async(soid.example("microwave"), step=3)
    assert_type(await opened.explain_async(question, others=2, seconds=5), soid.Explanation)
    assert_type(await opened.map_async(v.heat.anything(), progress=told), soid.DecisionMap)
    with soid.Case.open("oven.case") as case:
        assert_type((await case.ask_async("did heat", seconds=5)).answer, soid.Answer)
    return await project.ask_async("did action == CLOSE", progress=told, seconds=None)

assert_type(asyncio.run(later()), soid.Answer)
answers = soid.Answers([answer])
assert_type(answers[0], soid.Answer)
for each in answers:
    assert_type(each.step, int)
frame = pa.table({"heat": [True]})
with soid.Case.create("oven.case", soid.example("microwave")) as case:
    assert_type(case, soid.Case)
    assert_type(case.ask("did action == CLOSE").answer, soid.Answer)
try:
    soid.open("nowhere", trace=frame, step="45s", cancel=soid.Cancellation())
except soid.SoidError as error:
    assert_type(error.remedy, str)
"""
#: its mistakes, each with what mypy says of it
MISTAKEN = {
    "soid.open(5)": 'incompatible type "int"',
    "project.ask(5)": 'incompatible type "int"',
    "project.ask('did heat', hours=5)": 'Unexpected keyword argument "hours"',
    "project.ask('did heat', seconds='5')": 'expected "float | None"',
    "project.at(None)": 'expected "SupportsIndex | str | float | timedelta | datetime"',
    "soid.would('move')": 'expected "Formula"',
    "soid.Answers(['yes'])": 'expected "Answer"',
    "soid.nothing": 'has no attribute "nothing"',
}


@pytest.mark.slow
def test_a_script_of_a_user_is_type_checked(tmp_path: Path) -> None:
    opened = "import soid\n\nproject = soid.open('.')\n"
    (tmp_path / "script.py").write_text(CONSUMER)
    (tmp_path / "mistaken.py").write_text(opened + "\n".join(MISTAKEN) + "\n")
    mypy = [sys.executable, "-m", "mypy", "--strict", "--config-file=", "--cache-dir", str(tmp_path / "cache")]
    told = subprocess.run([*mypy, "script.py", "mistaken.py"], cwd=tmp_path, capture_output=True, text=True).stdout
    errors = [line for line in told.splitlines() if ": error: " in line]
    assert [line.split(":")[:2] for line in errors] == [["mistaken.py", str(at)] for at in range(4, 4 + len(MISTAKEN))]
    assert all(said in line for said, line in zip(MISTAKEN.values(), errors, strict=True))
