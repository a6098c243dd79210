"""Exploring SMT-LIB paths: overlaps, what is left uncovered, checks that stay open; and files as KLEE writes them."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import pytest

from soid.assumptions import Ledger
from soid.budget import UNLIMITED, Cancellation
from soid.engine.protocol import Exploration, ExplorationProgress
from soid.engine.summary import Decided, Failed, Location, Unexplored
from soid.errors import OverlapError
from soid.formula import build
from soid.formula.build import TRUE
from soid.formula.checker import Impossible, Open, Possibility, Possible
from soid.formula.passes import evaluate
from soid.formula.sorts import FLOAT32
from soid.formula.term import Term
from soid.program.types import BoolType, EnumType, FloatType, IntType, parse
from tests.exhaustive import Exhaustive
from tests.unit.engine.smtlib.projects import DECLARED, SMALL, UINT2, engine, explored, interface

GEAR = EnumType("", 2, False, (("PARK", 0), ("DRIVE", 1), ("BACK", 2)))


def says(condition: str, go: str) -> str:
    return f"{DECLARED}(assert {condition}) (assert (= go {go}))"


# --- overlaps -------------------------------------------------------------------------------------------------


def test_paths_that_overlap_and_differ_are_an_error_that_shows_a_state_in_both(tmp_path: Path) -> None:
    of = interface(x=GEAR, open=BoolType(), go=BoolType())
    files = {"a.smt2": says("(= x #b10)", "true"), "b.smt2": says("(not open)", "false")}
    made = engine(tmp_path, files, of=of)
    with pytest.raises(OverlapError, match="a and b overlap and differ: both cover open = false, x = BACK"):
        explored(made)
    with pytest.raises(OverlapError, match="open = false, x = BACK"):
        explored(made, fixed={"x": 2})


def test_an_overlap_outside_the_family_is_no_business_of_the_question(tmp_path: Path) -> None:
    files = {"a.smt2": says("(= x #b10)", "true"), "b.smt2": says("(not open)", "false")}
    made = engine(tmp_path, files)
    assert explored(made, fixed={"open": 1}).counts()["decided"] == 1
    x = SMALL.variable("x").symbol
    not_two = build.not_(build.eq(x, build.const(x.sort, 2)))
    assert explored(made, precondition=not_two).counts()["decided"] == 1


def test_paths_may_overlap_where_they_agree(tmp_path: Path) -> None:
    files = {"a.smt2": says("(bvult x #b10)", "(= x #b00)"), "b.smt2": says("(= x #b01)", "false")}
    made = engine(tmp_path, files)
    summary = explored(made)
    assert summary.counts() == {"decided": 2, "failed": 0, "undecided": 0, "unexplored": 1}
    x, door = SMALL.variable("x").symbol, SMALL.variable("open").symbol
    assert summary.run({x: 1, door: True}).outputs == {"go": False}


@pytest.mark.parametrize("ending", ["fails: abort", "does not decide", "unexplored: a loop", "fails: abort at a.c:3"])
def test_a_path_that_decides_overlaps_with_none_that_ends_otherwise(tmp_path: Path, ending: str) -> None:
    files = {"a.smt2": says("open", "true"), "b.smt2": f"{DECLARED}(assert (= x #b00))"}
    with pytest.raises(OverlapError, match="open = true, x = 0"):
        explored(engine(tmp_path, files, endings={"b": ending}))


def test_failures_at_different_places_differ(tmp_path: Path) -> None:
    files = dict.fromkeys(("a.smt2", "b.smt2"), f"{DECLARED}(assert open)")
    with pytest.raises(OverlapError):
        explored(engine(tmp_path, files, endings={"a": "fails: abort at a.c:1", "b": "fails: abort at a.c:2"}))
    (tmp_path / "same").mkdir()
    same = engine(tmp_path / "same", files, endings={"a": "fails: abort at a.c:1", "b": "fails: abort at a.c:1"})
    assert explored(same).counts()["failed"] == 2


def test_minus_zero_and_plus_zero_are_different_decisions(tmp_path: Path) -> None:
    of = interface(x=UINT2, go=FloatType(FLOAT32))
    declared = "(declare-const go Float32) "
    files = {
        "a.smt2": f"{declared}(assert (= go (_ +zero 8 24)))",
        "b.smt2": f"{declared}(assert (= go (_ -zero 8 24)))",
    }
    with pytest.raises(OverlapError):
        explored(engine(tmp_path, files, of=of))


def test_an_overlap_that_nobody_could_check_counts_as_unexplored(tmp_path: Path) -> None:
    files = {"a.smt2": says("(= x #b10)", "true"), "b.smt2": says("open", "false")}
    summary = explored(engine(tmp_path, files), check=lambda _: Open("time"))
    assert summary.counts() == {"decided": 2, "failed": 0, "undecided": 0, "unexplored": 2}
    (unsettled, rest) = (path for path in summary.paths if isinstance(path.ending, Unexplored))
    assert "whether a and b overlap is not settled (time)" in str(unsettled.ending)
    assert rest.name == "the rest"


def test_a_path_that_nobody_could_rule_out_stays(tmp_path: Path) -> None:
    files = {"a.smt2": says("(= x #b10)", "true"), "b.smt2": says("(not (= x #b10))", "false")}

    def check(conjuncts: Sequence[Term], /) -> Possibility:
        return Open("memory") if len(conjuncts) == 2 else Exhaustive()(conjuncts)

    assert explored(engine(tmp_path, files), check=check).counts()["decided"] == 2


# --- what else a summary says ---------------------------------------------------------------------------------


def test_the_summary_says_what_it_rests_on(tmp_path: Path) -> None:
    made = engine(tmp_path, {"a.smt2": says("open", "true")})
    assert explored(made).relies_on == (Ledger.GIVEN_PATHS.of(),)
    assert made.name == "smtlib"


def test_progress_is_told(tmp_path: Path) -> None:
    files = {"a.smt2": says("open", "true"), "b.smt2": says("(not open)", "false")}
    told: list[ExplorationProgress] = []
    made = engine(tmp_path, files)
    made.explore(Exploration({}, TRUE, Exhaustive(), UNLIMITED.started(), Cancellation(), told.append))
    assert [(each.paths, each.frontier) for each in told[:2]] == [(0, 2), (1, 1)]


# --- as KLEE writes them --------------------------------------------------------------------------------------

KLEE = """(set-logic QF_AUFBV )
(declare-fun speed () (Array (_ BitVec 32) (_ BitVec 8) ) )
(declare-fun brake () (Array (_ BitVec 32) (_ BitVec 8) ) )
(assert {condition})
{outputs}
(check-sat)
(exit)
"""
WORD = (
    "(concat (select speed (_ bv3 32) ) (concat (select speed (_ bv2 32) ) "
    "(concat (select speed (_ bv1 32) ) (select speed (_ bv0 32) ) ) ) )"
)
TRUCK = interface(pace=IntType(32, signed=True), g=IntType(16, signed=False))
NAMES = {"pace": "speed", "g": "brake"}


def braking(value: int) -> str:
    low, high = value & 0xFF, value >> 8
    return (
        f"(assert (= (select brake (_ bv0 32) ) (_ bv{low} 8) ) )\n"
        f"(assert (= (select brake (_ bv1 32) ) (_ bv{high} 8) ) )"
    )


def klee_run(folder: Path, *, failing: str = "") -> dict[str, str]:
    files = {
        "test000001.smt2": KLEE.format(condition=f"(bvslt {WORD} (_ bv10 32) )", outputs=braking(0)),
        "test000002.smt2": KLEE.format(
            condition=f"(and (not (bvslt {WORD} (_ bv10 32) ) ) (not (= {WORD} (_ bv99 32) ) ) )",
            outputs=braking(0x1234),
        ),
        "test000003.smt2": KLEE.format(condition=f"(= {WORD} (_ bv99 32) )", outputs=failing),
    }
    (folder / "test000003.div.err").write_text("Error: divide by zero\nFile: truck.c\nLine: 8\n", encoding="utf-8")
    return files


def small(speed: Term) -> Term:
    """Few enough states to try them: 0 to 127."""
    return build.bvult(speed, build.const(speed.sort, 128))


def free_bytes(conjuncts: Sequence[Term], /) -> Possibility:
    """Tries the speeds from 0 to 127."""
    speed = TRUCK.variable("pace").symbol
    for bits in range(128):
        if all(evaluate(conjunct, {speed: bits}) for conjunct in conjuncts):
            return Possible({speed: bits})
    return Impossible()


def test_byte_arrays_and_reports_beside_them(tmp_path: Path) -> None:
    speed = TRUCK.variable("pace").symbol
    made = engine(tmp_path, klee_run(tmp_path), of=TRUCK, names=NAMES)
    summary = explored(made, precondition=small(speed), check=free_bytes)
    assert summary.counts() == {"decided": 2, "failed": 1, "undecided": 0, "unexplored": 0}
    assert summary.run({speed: 9}).outputs == {"g": 0}
    assert summary.run({speed: parse(TRUCK.variable("pace").type, "-1")}).outputs == {"g": 0}
    assert summary.run({speed: 10}).outputs == {"g": 0x1234}
    failed = summary.run({speed: 99})
    assert (failed.path.ending, dict(failed.outputs)) == (Failed("division by zero", Location("truck.c", 8)), {})


def test_the_manifest_overrides_what_stands_beside_a_path(tmp_path: Path) -> None:
    files = klee_run(tmp_path, failing=braking(7))
    made = engine(tmp_path, files, of=TRUCK, names=NAMES, endings={"test000003": "decides"})
    run = explored(made, fixed={"pace": 99}).run({})
    assert (run.path.ending, run.outputs) == (Decided(), {"g": 7})


def test_a_path_that_klee_ended_early_is_unexplored(tmp_path: Path) -> None:
    files = klee_run(tmp_path)
    (tmp_path / "test000002.early").touch()
    made = engine(tmp_path, files, of=TRUCK, names=NAMES)
    run = explored(made, fixed={"pace": 50}).run({})
    assert isinstance(run.path.ending, Unexplored)


def test_a_path_that_reads_only_some_bytes_covers_all_values_of_the_others(tmp_path: Path) -> None:
    text = KLEE.format(condition="(= (select speed (_ bv0 32) ) (_ bv1 8) )", outputs=braking(1))
    made = engine(tmp_path, {"a.smt2": text}, of=TRUCK, names=NAMES)
    assert explored(made, fixed={"pace": 0x0F00_0001}).run({}).outputs == {"g": 1}
    assert isinstance(explored(made, fixed={"pace": 0x0100}).run({}).path.ending, Unexplored)
