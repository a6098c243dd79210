"""Files of paths: what each says about condition and outputs, and what is refused, by name."""

from __future__ import annotations

from pathlib import Path

import pytest

from soid.engine.smtlib.engine import SmtLibEngine
from soid.engine.smtlib.smtlib_source import SmtLibSource
from soid.engine.summary import Decided, Failed, Location, Undecided, Unexplored
from soid.errors import ManifestError, ProgramError, SmtLibError
from soid.formula.build import FALSE
from soid.program.types import BoolType, EnumType, IntType
from tests.unit.engine.smtlib.projects import DECLARED, SMALL, TINY, UINT2, engine, explored, interface

GO = "(assert (= go true))"


def test_one_file_is_one_path(tmp_path: Path) -> None:
    files = {
        "open.smt2": f"{DECLARED}(assert open) (assert go)",
        "closed.smt2": f"{DECLARED}(assert (not open)) (assert (not go))",
    }
    summary = explored(engine(tmp_path, files))
    assert [(path.name, str(path.condition), path.ending) for path in summary.paths] == [
        ("open", "open", Decided()),
        ("closed", "(not open)", Decided()),
    ]
    assert [path.outputs["go"].term.value for path in summary.paths] == [True, False]


def test_named_assertions_of_one_file_are_its_paths_and_the_others_hold_for_all_of_them(tmp_path: Path) -> None:
    text = f"""{DECLARED}
        (assert (bvult x #b11))
        (assert (! (and open (= go (= x #b00))) :named first))
        (assert (! (and (not open) (not go)) :named |the second|))"""
    made = engine(tmp_path, {"all.smt2": text}, endings={"the second": "does not decide: it waits"})
    first, second, rest = explored(made).paths
    assert (first.name, first.ending, second.name, second.ending) == (
        "first",
        Decided(),
        "the second",
        Undecided("it waits"),
    )
    x, closed = made.interface.variable("x").symbol, made.interface.variable("open").symbol
    assert isinstance(rest.ending, Unexplored)
    assert explored(made).run({x: 3, closed: True}).path.name == "the rest"
    assert explored(made).run({x: 0, closed: True}).outputs == {"go": True}


def test_what_no_path_covers_is_unexplored(tmp_path: Path) -> None:
    made = engine(tmp_path, {"a.smt2": f"{DECLARED}(assert (= x #b01)) {GO}"})
    assert explored(made).counts() == {"decided": 1, "failed": 0, "undecided": 0, "unexplored": 1}
    assert explored(made, fixed={"x": 1}).counts() == {"decided": 1, "failed": 0, "undecided": 0, "unexplored": 0}
    assert explored(made, fixed={"x": 2}).counts() == {"decided": 0, "failed": 0, "undecided": 0, "unexplored": 1}


def test_a_path_that_no_state_takes_says_nothing_and_harms_nobody(tmp_path: Path) -> None:
    """`false and go = true` is `false`: the equation is gone with the rest."""
    never = f"{DECLARED}(assert (and open (not open) (= go true)))"
    made = engine(tmp_path, {"never.smt2": never, "always.smt2": f"{DECLARED}{GO}"})
    assert [path.name for path in explored(made).paths] == ["always"]


@pytest.mark.parametrize(
    ("said", "values"),
    [
        ("(assert go)", "11111111"),
        ("(assert (not go))", "00000000"),
        ("(assert (= go open))", "01010101"),
        ("(assert (= open go))", "01010101"),
        ("(assert (= go (not open)))", "10101010"),
        ("(assert (not (= go open)))", "10101010"),
        ("(assert (xor go open))", "10101010"),
        ("(assert (and (= x x) (and true go)))", "11111111"),
        ("(assert (= go (and open (= x #b10))))", "00000100"),
    ],
)
def test_the_ways_to_say_a_bool(tmp_path: Path, said: str, values: str) -> None:
    """The value for each x from 0 to 3, with the door closed and then open."""
    made = engine(tmp_path, {"a.smt2": DECLARED + said})
    x, door = made.interface.variable("x").symbol, made.interface.variable("open").symbol
    summary = explored(made)
    assert summary.counts() == {"decided": 1, "failed": 0, "undecided": 0, "unexplored": 0}
    runs = [summary.run({x: bits, door: is_open}) for bits in range(4) for is_open in (False, True)]
    assert "".join(str(int(run.outputs["go"])) for run in runs) == values


def test_an_output_may_be_said_piece_by_piece(tmp_path: Path) -> None:
    of = interface(x=UINT2, go=IntType(4, signed=False))
    text = """(declare-const x (_ BitVec 2)) (declare-const go (_ BitVec 4))
        (assert (= ((_ extract 1 0) go) x))
        (assert (= #b1 ((_ extract 2 2) go)))
        (assert (= ((_ extract 3 3) go) ((_ extract 0 0) x)))"""
    summary = explored(engine(tmp_path, {"a.smt2": text}, of=of))
    x = of.variable("x").symbol
    assert [summary.run({x: bits}).outputs["go"] for bits in range(4)] == [0b0100, 0b1101, 0b0110, 0b1111]


def test_two_equations_for_one_output_are_a_condition(tmp_path: Path) -> None:
    made = engine(tmp_path, {"a.smt2": f"{DECLARED}(assert (= go open)) (assert (= go (= x #b00)))"})
    x, door = made.interface.variable("x").symbol, made.interface.variable("open").symbol
    summary = explored(made)
    assert summary.run({x: 0, door: True}).outputs == {"go": True}
    assert summary.run({x: 1, door: False}).outputs == {"go": False}
    assert isinstance(summary.run({x: 0, door: False}).path.ending, Unexplored)


def test_names_may_be_mapped(tmp_path: Path) -> None:
    text = "(declare-const level (_ BitVec 2)) (declare-const |the door| Bool) (declare-const out Bool) (assert out)"
    made = engine(tmp_path, {"a.smt2": text}, names={"x": "level", "open": "the door", "go": "out"})
    assert explored(made).counts()["decided"] == 1


def test_a_file_need_not_speak_of_every_input(tmp_path: Path) -> None:
    made = engine(tmp_path, {"a.smt2": "(declare-const go Bool) (assert go)"})
    assert explored(made).counts() == {"decided": 1, "failed": 0, "undecided": 0, "unexplored": 0}


# --- sorts ----------------------------------------------------------------------------------------------------


def test_bits_and_the_values_they_mean_are_both_understood(tmp_path: Path) -> None:
    of = interface(x=TINY, y=TINY, b=BoolType(), go=TINY, going=BoolType())
    text = """(declare-const x (_ BitVec 7)) (declare-const y (_ FloatingPoint 3 4)) (declare-const b (_ BitVec 8))
        (declare-const go (_ BitVec 7)) (declare-const going (_ BitVec 32))
        (assert (= go x)) (assert (= going ((_ zero_extend 24) b))) (assert (fp.eq y ((_ to_fp 3 4) #b0011000)))"""
    made = engine(tmp_path, {"a.smt2": text}, of=of)
    x, b = of.variable("x").symbol, of.variable("b").symbol
    summary = explored(made, fixed={"y": 0b0011000})
    assert summary.run({x: 0b1000000, b: True}).outputs == {"go": 0b1000000, "going": True}
    assert summary.run({x: 0b1111001, b: False}).outputs == {"go": TINY.format.nan, "going": False}


@pytest.mark.parametrize(
    ("declared", "words"),
    [
        ("(declare-const x (_ BitVec 3)) (declare-const go Bool) (assert go)", "x is a bit-vector of 3 bits"),
        ("(declare-const x Bool) (declare-const go Bool) (assert go)", "x is a Bool, but the variable x is uint2"),
        ("(declare-const open Float16) (declare-const go Bool) (assert go)", "open is a float of 16 bits"),
        ("(declare-const go Float16) (assert (= go (_ +zero 5 11)))", "go is a float of 16 bits"),
    ],
)
def test_a_wrong_sort_is_refused(tmp_path: Path, declared: str, words: str) -> None:
    with pytest.raises(ProgramError, match=words):
        explored(engine(tmp_path, {"a.smt2": declared}))


def test_an_enumeration_of_the_wrong_width_is_refused(tmp_path: Path) -> None:
    of = interface(x=UINT2, go=EnumType("", 8, False, (("STAY", 0), ("GO", 1))))
    text = "(declare-const go (_ BitVec 32)) (assert (= go #x00000001))"
    with pytest.raises(ProgramError, match="go is a bit-vector of 32 bits, but the variable go is enum"):
        engine(tmp_path, {"a.smt2": text}, of=of)


# --- what is refused ------------------------------------------------------------------------------------------


def test_a_deciding_path_must_say_every_output(tmp_path: Path) -> None:
    with pytest.raises(ProgramError, match=r"a\.smt2: the path a does not say what go is") as caught:
        engine(tmp_path, {"a.smt2": f"{DECLARED}(assert open)"})
    assert "(= go ...)" in caught.value.remedy


def test_a_path_that_does_not_decide_need_not(tmp_path: Path) -> None:
    made = engine(tmp_path, {"a.smt2": f"{DECLARED}(assert open)"}, endings={"a": "fails: abort at a.c:1"})
    path = explored(made).paths[0]
    assert (path.ending, dict(path.outputs)) == (Failed("abort", Location("a.c", 1)), {})


def test_an_output_that_is_only_constrained_is_no_decision(tmp_path: Path) -> None:
    of = interface(x=UINT2, go=UINT2)
    text = "(declare-const x (_ BitVec 2)) (declare-const go (_ BitVec 2)) (assert (bvult go x))"
    with pytest.raises(ProgramError, match="the path a constrains go but does not say what it is"):
        engine(tmp_path, {"a.smt2": text}, of=of)


def test_outputs_that_define_each_other_define_nothing(tmp_path: Path) -> None:
    of = interface(x=UINT2, go=UINT2, going=UINT2)
    text = "(declare-const go (_ BitVec 2)) (declare-const going (_ BitVec 2)) (assert (= go going))"
    with pytest.raises(ProgramError, match="constrains go"):
        engine(tmp_path, {"a.smt2": text}, of=of)


def test_a_stranger_is_refused(tmp_path: Path) -> None:
    text = f"{DECLARED}(declare-const secret Bool) (assert secret) {GO}"
    with pytest.raises(ProgramError, match="speaks of secret, which is no variable of the interface"):
        engine(tmp_path, {"a.smt2": text})


def test_a_stranger_in_an_output_is_refused(tmp_path: Path) -> None:
    text = f"{DECLARED}(declare-const secret Bool) (assert (= go secret))"
    with pytest.raises(ProgramError, match="speaks of secret"):
        engine(tmp_path, {"a.smt2": text})


def test_two_paths_of_one_name_are_refused(tmp_path: Path) -> None:
    text = f"{DECLARED}(assert (! (and open go) :named a)) (assert (! (and (not open) go) :named b))"
    with pytest.raises(ProgramError, match="two paths are called a"):
        engine(tmp_path, {"a.smt2": f"{DECLARED}{GO}", "b.smt2": text})


def test_an_ending_of_a_path_that_is_not_there_is_refused(tmp_path: Path) -> None:
    with pytest.raises(ManifestError, match="speaks of a path b, and there is none") as caught:
        engine(tmp_path, {"a.smt2": DECLARED + GO}, endings={"b": "does not decide"})
    assert "a" in caught.value.remedy


def test_an_ending_in_unheard_of_words_names_its_path(tmp_path: Path) -> None:
    with pytest.raises(ManifestError, match=r"\[endings\] a: 'explodes' is no way for a path to end"):
        engine(tmp_path, {"a.smt2": DECLARED + GO}, endings={"a": "explodes"})


def test_an_unreadable_file_is_named(tmp_path: Path) -> None:
    file = tmp_path / "a.smt2"
    with pytest.raises(ProgramError, match=r"a\.smt2 cannot be read"):
        SmtLibEngine(SMALL, SmtLibSource((file,)))
    file.write_bytes(b"; \xff\xfe(assert")
    with pytest.raises(SmtLibError, match=r"a\.smt2: byte 2 is not UTF-8"):
        SmtLibEngine(SMALL, SmtLibSource((file,)))


@pytest.mark.parametrize("text", ["(assert", "(assert open)", "(declare-const x Int) (assert (> x 3))", "nonsense"])
def test_text_that_is_not_smtlib_is_refused_with_its_place(tmp_path: Path, text: str) -> None:
    with pytest.raises(SmtLibError, match=r"a\.smt2:1"):
        engine(tmp_path, {"a.smt2": text})


# --- obligations: where SMT-LIB leaves a value open -----------------------------------------------------------


def test_an_unguarded_conversion_covers_only_where_it_means_something(tmp_path: Path) -> None:
    of = interface(x=TINY, go=UINT2)
    text = """(declare-const x (_ FloatingPoint 3 4)) (declare-const go (_ BitVec 2))
        (assert (= go ((_ fp.to_ubv 2) RTZ x)))"""
    made = engine(tmp_path, {"a.smt2": text}, of=of)
    x = of.variable("x").symbol
    summary = explored(made)
    assert summary.run({x: 0b0_100_100}).outputs == {"go": 3}  # 3.0
    assert summary.run({x: 0b1_010_000}).outputs == {"go": 0}  # -0.5
    for bits in (0b0_101_000, 0b1_011_000, 0b0_111_000, 0b0_111_100):  # 4.0, -1.0, infinity, NaN
        assert isinstance(summary.run({x: bits}).path.ending, Unexplored)


def test_an_obligation_of_one_named_path_does_not_bind_the_others(tmp_path: Path) -> None:
    of = interface(x=TINY, b=BoolType(), go=UINT2)
    text = """(declare-const x (_ FloatingPoint 3 4)) (declare-const b Bool) (declare-const go (_ BitVec 2))
        (assert (! (and b (= go ((_ fp.to_ubv 2) RTZ x))) :named converting))
        (assert (! (and (not b) (= go #b00)) :named plain))"""
    made = engine(tmp_path, {"a.smt2": text}, of=of)
    x, b = of.variable("x").symbol, of.variable("b").symbol
    summary = explored(made)
    assert summary.run({x: 0b0_111_100, b: False}).outputs == {"go": 0}
    assert isinstance(summary.run({x: 0b0_111_100, b: True}).path.ending, Unexplored)


def test_paths_are_over_the_freed_inputs_only(tmp_path: Path) -> None:
    made = engine(tmp_path, {"a.smt2": f"{DECLARED}(assert (= x #b10)) (assert (= go open))"})
    summary = explored(made, fixed={"x": 2, "open": 1})
    assert summary.run({}).outputs == {"go": True}
    assert explored(made, fixed={"x": 1}, precondition=FALSE).paths == ()
