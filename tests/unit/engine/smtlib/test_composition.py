"""Paths put one behind the other: what a step leaves is what the next one starts from."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import pytest
from msgspec.structs import replace

from soid.budget import UNLIMITED, Budget, Cancellation
from soid.engine.protocol import Exploration
from soid.engine.smtlib.engine import SmtLibEngine
from soid.engine.summary import PathSummary, Unexplored
from soid.errors import OverlapError
from soid.formula import softfloat as sf
from soid.formula.build import TRUE
from soid.formula.checker import Open
from soid.program.interface import Variable
from soid.program.perception import Lapsing, Perceived
from soid.program.types import BoolType
from soid.query.language.query_parser import parse_behavior
from soid.scenario.output_conditions import output_condition
from tests.exhaustive import Exhaustive
from tests.unit.engine.smtlib.projects import TINY, UINT2, engine, interface

COUNTER = interface(x=UINT2, s=UINT2, go=BoolType())
HEAD = "(declare-const x (_ BitVec 2)) (declare-const s (_ BitVec 2)) (declare-const |s'| (_ BitVec 2))\n"
FILES = {
    "up.smt2": HEAD + "(declare-const go Bool) (assert (bvult s #b10)) (assert go) (assert (= |s'| (bvadd s x)))",
    "over.smt2": HEAD + "(assert (= s #b10))",
    "hold.smt2": HEAD + "(declare-const go Bool) (assert (= s #b11)) (assert (not go)) (assert (= |s'| s))",
}


def counter(folder: Path) -> SmtLibEngine:
    return engine(folder, FILES, of=COUNTER, endings={"over": "fails: overflow"})


def explored(
    made: SmtLibEngine,
    steps: int,
    environments: tuple[Perceived, ...] = (),
    fixed: Mapping[str, int] | None = None,
) -> PathSummary:
    later = {each for step in environments for each in step.values() if isinstance(each, Variable)}
    free = [v.symbol for v in (*made.interface.inputs, *later) if v.path not in (fixed or {})]
    check, begun = Exhaustive(free), UNLIMITED.started()
    return made.explore(
        Exploration(fixed or {}, TRUE, check, begun, Cancellation(), steps=steps, environments=environments)
    )


def steps_by_hand(x: int, s: int, count: int) -> tuple[list[dict[str, int]], str]:
    given: list[dict[str, int]] = []
    while len(given) < count:
        if s == 2:
            return given, "fails: overflow"
        go, s = (True, (s + x) % 4) if s < 2 else (False, s)
        given.append({"go": go, "s'": s})
    return given, "decides"


@pytest.mark.parametrize("count", [1, 2, 3, 5])
def test_every_state_goes_as_it_does_by_hand(count: int, tmp_path: Path) -> None:
    made = counter(tmp_path)
    summary = explored(made, count)
    x, s = (variable.symbol for variable in made.interface.inputs)
    for first in range(4):
        for second in range(4):
            run = summary.run({x: first, s: second})
            given, ending = steps_by_hand(first, second, count)
            assert str(run.path.ending) == ending
            assert [*run.earlier, *([run.outputs] if run.outputs else [])] == given


def test_each_step_may_have_its_own_environment(tmp_path: Path) -> None:
    run = explored(counter(tmp_path), 3, ({"x": 1}, {"x": 2}), {"x": 0, "s": 0}).run({})
    assert [step["s'"] for step in (*run.earlier, run.outputs)] == [0, 1, 3]
    assert run.path.name == "up, up, up"


def test_a_later_step_may_have_an_input_of_its_own(tmp_path: Path) -> None:
    made = counter(tmp_path)
    x, _ = made.interface.inputs
    other = replace(x, path="x@1")
    free = explored(made, 3, ({"x": other}, {"x": 1}), {"s": 0})
    fixed = explored(made, 3, ({"x": other}, {"x": 1}), {"s": 0, "x@1": 2})
    for first in range(4):
        for second in range(4):
            by_hand = steps_of((first, second, 1), 0)
            run = free.run({x.symbol: first, other.symbol: second})
            assert ([step["s'"] for step in (*run.earlier, run.outputs) if step], str(run.path.ending)) == by_hand
        run = fixed.run({x.symbol: first})
        assert str(run.path.ending) == steps_of((first, 2, 1), 0)[1]


def steps_of(given: tuple[int, ...], s: int) -> tuple[list[int], str]:
    """The state after each step, whatever x is in each; and how it ends."""
    left: list[int] = []
    for x in given:
        done, ending = steps_by_hand(x, s, 1)
        if not done:
            return left, ending
        s = done[0]["s'"]
        left.append(s)
    return left, "decides"


def test_what_is_perceived_until_something_depends_on_the_steps_before(tmp_path: Path) -> None:
    """x is as supposed until s' is 1, and from then on 3 in the second step, 0 in the third."""
    made = counter(tmp_path)
    x, s = made.interface.inputs
    until = output_condition(parse_behavior("s' == 1").expression, made.interface)
    later = tuple({"x": Lapsing(x, otherwise, until, 0)} for otherwise in (3, 0))
    summary = explored(made, 3, later)
    for first in range(4):
        for second in range(4):
            run = summary.run({x.symbol: first, s.symbol: second})
            given, ending, state, over = [], "decides", second, False
            for perceived in ((first, first), (first, 3), (first, 0)):
                done, ending = steps_by_hand(perceived[over], state, 1)
                if not done:
                    break
                given += done
                state = done[0]["s'"]
                over = over or state == 1
            assert str(run.path.ending) == ending
            found = [*run.earlier, run.outputs] if ending == "decides" else [*run.earlier]
            assert [dict(step) for step in found] == given


def test_what_no_path_covers_is_unexplored_in_its_step(tmp_path: Path) -> None:
    files = {name: text for name, text in FILES.items() if name != "over.smt2"}
    summary = explored(engine(tmp_path, files, of=COUNTER), 3, fixed={"x": 1, "s": 0})
    (path,) = summary.paths
    assert isinstance(path.ending, Unexplored) and path.name == "the rest" and len(path.earlier) == 2


def test_paths_that_contradict_each_other_are_told_in_a_later_step_too(tmp_path: Path) -> None:
    liar = HEAD + "(declare-const go Bool) (assert (= s #b11)) (assert go) (assert (= |s'| s))"
    made = engine(tmp_path, {**FILES, "liar.smt2": liar}, of=COUNTER, endings={"over": "fails: overflow"})
    assert explored(made, 2, fixed={"x": 1, "s": 0}).counts()["decided"] == 1
    with pytest.raises(OverlapError, match="up, hold and up, liar"):
        explored(made, 2, fixed={"x": 3, "s": 0})


# --- floats ---------------------------------------------------------------------------------------------------

FLOATS = interface(x=TINY, s=TINY, go=BoolType())
DECLARED = (
    "(declare-const x (_ FloatingPoint 3 4)) (declare-const |s'| (_ FloatingPoint 3 4)) (declare-const go Bool)\n"
)
ADDS = "(assert (= |s'| (fp.add RNE {s} x))) (assert (= go (fp.lt {s} x)))"


def test_a_computed_float_is_fed_back_as_a_value(tmp_path: Path) -> None:
    text = DECLARED + "(declare-const s (_ FloatingPoint 3 4))" + ADDS.format(s="s")
    made = engine(tmp_path, {"add.smt2": text}, of=FLOATS)
    summary = explored(made, 3, fixed={"s": 0})
    for x in range(1 << TINY.width):
        run = summary.run({made.interface.variable("x").symbol: x})
        total = 0
        for step in (*run.earlier, run.outputs):
            assert step["go"] == sf.lt(TINY.format, total, x)
            total = sf.add(TINY.format, total, x)
            assert step["s'"] == total


def test_the_bits_of_a_computed_float_are_not_known(tmp_path: Path) -> None:
    read = "((_ to_fp 3 4) s)"
    odd = "(assert (= ((_ extract 0 0) s) #b0))"
    text = DECLARED + "(declare-const s (_ BitVec 7))" + ADDS.format(s=read) + odd
    made = engine(tmp_path, {"add.smt2": text}, of=FLOATS)
    summary = explored(made, 2, fixed={"s": 0})
    (path,) = summary.paths
    assert str(path.ending) == "unexplored: not supported: the bits of s, which is a computed float"
    assert len(path.earlier) == 1
    # of one state they are: nothing is computed by a solver there
    assert explored(made, 2, fixed={"s": 0, "x": 0}).counts()["decided"] == 1


# --- budgets --------------------------------------------------------------------------------------------------


def test_a_budget_that_ends_leaves_later_steps_unexplored(tmp_path: Path) -> None:
    made = counter(tmp_path)
    begun = Budget(0.0).started()
    exploration = Exploration({}, TRUE, lambda _: Open("time"), begun, Cancellation(), steps=1_000_000)
    summary = made.explore(exploration)
    assert {type(path.ending) for path in summary.paths if path.earlier} == {Unexplored}
    assert all("time budget" in str(path.ending) for path in summary.paths if path.earlier)
