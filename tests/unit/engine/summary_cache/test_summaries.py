"""What is kept of explorations: it counts only where everything is the same, and only for states inside."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path as File

import pytest
from msgspec.structs import replace

from soid import cache
from soid.assumptions import Ledger
from soid.budget import UNLIMITED, Cancellation
from soid.engine.protocol import Exploration
from soid.engine.summary import Approximation, PathSummary
from soid.engine.summary_cache import summaries as module
from soid.engine.summary_cache.subsumption import KeptSummary
from soid.engine.summary_cache.summaries import Summaries
from soid.engine.summary_cache.summary_file import from_bytes, to_bytes
from soid.formula import build
from soid.formula.build import TRUE
from soid.formula.checker import Open, Possibility
from soid.formula.term import Term
from soid.program.perception import Lapsing
from soid.query.language.query_parser import parse_behavior
from soid.scenario.output_conditions import output_condition
from tests.exhaustive import Exhaustive
from tests.unit.oracle.worlds import ARMED, BROKEN, DARK, INTERFACE, X, Y, decides, ends, is_, paths

SYMBOLS = {"x": X, "y": Y, "armed": ARMED}
SUMMARY = PathSummary(
    (
        decides("1", is_(X, 0), "STAY", armed=is_(Y, 1)),
        decides("2", build.and_(build.not_(is_(X, 0)), is_(Y, 0)), "GO", armed=TRUE, inner=is_(X, 2)),
        ends("3", build.and_(build.not_(is_(X, 0)), build.not_(is_(Y, 0))), BROKEN),
    ),
    (Ledger.HEAP.of(),),
)


def exploration(fixed: dict[str, int], precondition: Term = TRUE) -> Exploration:
    return Exploration(fixed, precondition, Exhaustive(), UNLIMITED.started(), Cancellation())


def at_most(symbol: Term, bits: int) -> Term:
    return build.bvule(symbol, build.const(symbol.sort, bits))


WIDE = exploration({"armed": 1})


@pytest.fixture
def kept(tmp_path: File) -> Summaries:
    made = Summaries("program", INTERFACE, tmp_path)
    assert made.keep(WIDE, SUMMARY) == ""
    return made


def names(found: PathSummary | None) -> list[str] | None:
    return None if found is None else [path.name for path in found.paths]


# --- which states ----------------------------------------------------------------------------------------------


def test_the_same_states_again_need_no_check(kept: Summaries) -> None:
    check = Exhaustive()
    found = kept.find(replace(WIDE, check=check))
    assert found is not None and not check.calls
    assert (found.paths, found.relies_on, found.settled_by) == (SUMMARY.paths, SUMMARY.relies_on, {"summaries": 1})


def test_fewer_states_have_the_paths_that_they_take(kept: Summaries) -> None:
    inside = kept.find(exploration({"armed": 1}, build.and_(at_most(X, 1), build.not_(is_(X, 0)))))
    assert inside is not None
    assert [(path.name, str(path.ending)) for path in inside.paths] == [("1", "decides"), ("2", str(BROKEN))]
    assert inside.counts() == {"decided": 1, "failed": 1, "undecided": 0, "unexplored": 0}


def test_what_is_fixed_now_is_put_in(kept: Summaries) -> None:
    found = kept.find(exploration({"armed": 1, "y": 0}, at_most(X, 2)))
    assert found is not None and names(found) == ["1", "2"]
    assert found.paths[1].condition is build.not_(is_(X, 0))  # y is in no formula any more
    assert found.paths[1].outputs["inner"].defined is is_(X, 2)


@pytest.mark.parametrize(
    "wanted",
    [
        exploration({}),  # armed is free now
        exploration({"armed": 0}),  # and has another value here
        exploration({"armed": 0, "y": 0}, at_most(X, 1)),
    ],
)
def test_other_states_are_explored(kept: Summaries, wanted: Exploration) -> None:
    assert kept.find(wanted) is None


def test_a_precondition_must_imply_the_one_before(tmp_path: File) -> None:
    kept = Summaries("program", INTERFACE, tmp_path)
    kept.keep(exploration({"armed": 1}, build.and_(at_most(X, 2), at_most(Y, 1))), SUMMARY)
    assert kept.find(exploration({"armed": 1}, build.and_(at_most(X, 1), at_most(Y, 0)))) is not None
    assert kept.find(exploration({"armed": 1, "y": 1}, at_most(X, 2))) is not None
    assert kept.find(exploration({"armed": 1, "y": 2}, at_most(X, 2))) is None  # y was at most 1
    assert kept.find(exploration({"armed": 1}, at_most(X, 1))) is None
    assert kept.find(WIDE) is None


def test_what_nobody_proves_is_explored(tmp_path: File) -> None:
    def nobody(conjuncts: Sequence[Term], /) -> Possibility:
        return Open("time")

    kept = Summaries("program", INTERFACE, tmp_path)
    kept.keep(exploration({"armed": 1}, at_most(X, 2)), SUMMARY)
    wanted = exploration({"armed": 1}, at_most(X, 1))
    assert kept.find(replace(wanted, check=nobody)) is None
    # where a conjunct is the same no proof is needed; whether a path is still taken may stay open
    seen = kept.find(replace(exploration({"armed": 1}, build.and_(at_most(X, 2), is_(Y, 0))), check=nobody))
    assert names(seen) == ["1", "2", "3"]


def test_one_state_is_run_and_not_derived(kept: Summaries) -> None:
    state = exploration({"armed": 1, "x": 0, "y": 0})
    assert kept.find(state) is None
    kept.keep(state, PathSummary(SUMMARY.paths[:1]))
    assert names(kept.find(state)) == ["1"]


def test_unexplored_paths_count_only_where_no_state_takes_them(tmp_path: File) -> None:
    kept = Summaries("program", INTERFACE, tmp_path)
    partly = PathSummary(paths(DARK))
    assert kept.keep(WIDE, partly) == "some paths were left unexplored"
    assert kept.find(WIDE) is None
    assert kept.keep(WIDE, partly, incomplete=True) == ""
    assert kept.find(WIDE) is None
    assert names(kept.find(exploration({"armed": 1}, at_most(X, 2)))) == ["zero", "one", "two"]
    assert kept.find(exploration({"armed": 1}, at_most(X, 3))) is None
    assert kept.find(exploration({"armed": 1}, build.not_(is_(X, 0)))) is None


def test_approximated_functions_are_not_kept(tmp_path: File) -> None:
    kept = Summaries("program", INTERFACE, tmp_path)
    sine = Approximation(build.var("sin 1", X.sort), "sin", (X,), None, enclosure=None)  # type: ignore[arg-type]
    assert "sin" in kept.keep(WIDE, replace(SUMMARY, approximations=(sine,)))
    assert kept.find(WIDE) is None


# --- under which circumstances ---------------------------------------------------------------------------------


def test_every_part_of_the_key_counts(kept: Summaries, tmp_path: File, monkeypatch: pytest.MonkeyPatch) -> None:
    for fresh in (kept, Summaries("program", INTERFACE, tmp_path)):
        assert fresh.find(WIDE) is not None
        assert fresh.find(replace(WIDE, window=7)) is None
        assert fresh.find(replace(WIDE, steps=2)) is None
        assert fresh.find(replace(WIDE, steps=2, environments=({"x": 1},))) is None
        assert fresh.find(replace(WIDE, observed=frozenset({"inner"}))) is None
        # a decision is always there: only what happens inside must be watched for
        assert fresh.find(replace(WIDE, observed=frozenset({"move"}))) is not None
    assert Summaries("another program", INTERFACE, tmp_path).find(WIDE) is None
    monkeypatch.setattr(module, "this_soid", lambda: "a newer one")
    assert Summaries("program", INTERFACE, tmp_path).find(WIDE) is None


def test_steps_with_other_environments_are_others(tmp_path: File) -> None:
    kept = Summaries("program", INTERFACE, tmp_path)
    twice = replace(WIDE, steps=2, environments=({"x": 1},))
    kept.keep(twice, SUMMARY)
    assert kept.find(twice) is not None
    assert kept.find(replace(twice, environments=({"x": 2},))) is None
    assert kept.find(replace(twice, environments=())) is None


def test_steps_with_another_end_of_what_is_supposed_are_others(tmp_path: File) -> None:
    kept, x = Summaries("program", INTERFACE, tmp_path), INTERFACE.variable("x")

    def twice(until: str, otherwise: int = 1, first: int = 0) -> Exploration:
        condition = output_condition(parse_behavior(until).expression, INTERFACE)
        return replace(WIDE, steps=2, environments=({"x": Lapsing(x, otherwise, condition, first)},))

    kept.keep(twice("armed'"), SUMMARY)
    assert kept.find(twice("armed'")) is not None and Summaries("program", INTERFACE, tmp_path).find(twice("armed'"))
    for other in (twice("not armed'"), twice("armed'", 2), twice("armed'", 1, 1), replace(WIDE, steps=2)):
        assert kept.find(other) is None and Summaries("program", INTERFACE, tmp_path).find(other) is None


# --- the folder ------------------------------------------------------------------------------------------------


def test_another_process_finds_the_same(kept: Summaries, tmp_path: File) -> None:
    found = Summaries("program", INTERFACE, tmp_path).find(WIDE)
    assert found is not None and (found.paths, found.relies_on) == (SUMMARY.paths, SUMMARY.relies_on)
    assert Summaries("program", INTERFACE, None).find(WIDE) is None


def test_no_bit_of_a_file_can_be_changed() -> None:
    whole = to_bytes("key", KeptSummary({"armed": 1}, at_most(X, 2), SUMMARY))
    assert from_bytes(whole, "key", SYMBOLS) == KeptSummary({"armed": 1}, at_most(X, 2), SUMMARY)
    for place in range(len(whole)):
        broken = bytearray(whole)
        broken[place] ^= 1 << place % 8
        assert from_bytes(bytes(broken), "key", SYMBOLS) is None, place
    for length in range(0, len(whole), 7):
        assert from_bytes(whole[:length], "key", SYMBOLS) is None
    assert from_bytes(whole + b"\n", "key", SYMBOLS) is None
    assert from_bytes(whole, "another key", SYMBOLS) is None
    assert from_bytes(whole, "key", {"x": X, "armed": ARMED}) is None  # a symbol that is no input


def test_broken_and_foreign_files_are_passed_over(kept: Summaries, tmp_path: File) -> None:
    (file,) = tmp_path.iterdir()
    whole = file.read_bytes()
    for content in (b"", b"\n\n\n", b"[" * 100_000, whole[:-9], whole.replace(b"0x1", b"0x0"), os.urandom(500)):
        file.write_bytes(content)
        assert Summaries("program", INTERFACE, tmp_path).find(WIDE) is None
        assert Summaries("program", INTERFACE, tmp_path).find(exploration({"armed": 0})) is None
    # another program's summary under this one's name
    file.write_bytes(to_bytes("another key", KeptSummary({"armed": 1}, TRUE, PathSummary(SUMMARY.paths[1:]))))
    assert Summaries("program", INTERFACE, tmp_path).find(WIDE) is None


def test_a_folder_that_is_none_is_done_without(tmp_path: File) -> None:
    (tmp_path / "file").write_text("")
    kept = Summaries("program", INTERFACE, tmp_path / "file")
    assert kept.keep(WIDE, SUMMARY) == ""
    assert kept.find(WIDE) is not None


def test_the_folder_has_a_bound(tmp_path: File, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "FILES", 3)
    monkeypatch.setattr(cache, "_SELDOM", 1)
    kept = Summaries("program", INTERFACE, tmp_path)
    for number in range(3):
        kept.keep(exploration({"armed": 1}, is_(X, number)), SUMMARY)
        for age, file in enumerate(sorted(tmp_path.iterdir(), key=lambda each: -each.stat().st_mtime_ns), 1):
            os.utime(file, (1e9 - age, 1e9 - age))
    kept.keep(WIDE, SUMMARY)
    assert len(list(tmp_path.iterdir())) == 3
    assert Summaries("program", INTERFACE, tmp_path).find(WIDE) is not None
    monkeypatch.setattr(module, "ON_DISK", 1)
    kept.keep(exploration({"armed": 1}, is_(X, 3)), SUMMARY)
    assert not list(tmp_path.iterdir())


def test_memory_has_a_bound(monkeypatch: pytest.MonkeyPatch) -> None:
    kept = Summaries("program", INTERFACE)
    kept.keep(WIDE, SUMMARY)
    monkeypatch.setattr(module, "IN_MEMORY", 60)
    for number in range(4):
        kept.keep(exploration({"armed": 0}, is_(X, number)), SUMMARY)
    assert kept.find(WIDE) is None
    assert kept.find(exploration({"armed": 0}, is_(X, 3))) is not None
    monkeypatch.setattr(module, "LARGEST", 5)
    assert "5 terms" in kept.keep(WIDE, SUMMARY)


def test_paths_that_have_names_keep_them() -> None:
    kept = Summaries("program", INTERFACE)
    kept.keep(WIDE, PathSummary(paths(BROKEN)))
    found = kept.find(exploration({"armed": 1}, build.not_(is_(X, 0))))
    assert names(found) == ["one", "two", "three"]
