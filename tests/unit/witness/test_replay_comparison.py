"""What a run of the compiled program says about what the engine says."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import pytest

from soid.engine.llvm.native.native_replayer import NativeReplayer
from soid.engine.replay import Crashed, NotAvailable, Replay, Replayer, Returned, TimedOut, Trapped
from soid.engine.summary import ConcreteRun, Decided, Ending, Failed, Path, Undecided, Unexplored
from soid.formula.build import TRUE
from soid.formula.sorts import FLOAT32
from soid.program.interface import Interface, Role, Variable
from soid.program.types import BoolType, FloatType, IntType
from soid.witness.replay_comparison import Comparison, Confirmed, Mismatch, Unconfirmed, compare

INTERFACE = Interface(
    (
        Variable("brake", Role.DECISION, FloatType(FLOAT32)),
        Variable("move", Role.DECISION, BoolType()),
        Variable("count", Role.STATE, IntType(8, True)),
    )
)
OUTPUTS = {"brake": 0x3F800000, "move": True, "count'": 255}
NATIVE = {"brake": 0x3F800000, "move": 1, "count'": 255}


@dataclass
class Fake(Replayer):
    """Gives one replay of a compiled program."""

    answer: Replay
    how: str = "by running it"
    how_failing: str = "by running it, with the compiler's traps"
    called: str = "the compiled program"
    called_failing: str = "the program compiled with traps"
    doubt: str = ""
    always_shows = NativeReplayer.always_shows

    def replay(self, inputs: Mapping[str, int], environments: Sequence[Mapping[str, int]] = ()) -> Replay:
        return self.answer

    replay_failure = replay


def compared(ending: Ending, replay: Replay, outputs: Mapping[str, int] | None = None) -> Comparison:
    run = ConcreteRun(Path("1", TRUE, ending), OUTPUTS if outputs is None else outputs)
    return compare(run, {"count": 0}, INTERFACE, Fake(replay))


def test_the_same_outputs_confirm() -> None:
    assert compared(Decided(), Returned(NATIVE)) == Confirmed("by running it")


@pytest.mark.parametrize(
    ("native", "words"),
    [
        ({"brake": 0x3F800001}, "the engine says brake = 1.0, the compiled program gives 1.0000001"),
        ({"move": 0}, "the engine says move = true, the compiled program gives false"),
        ({"count'": 254}, "the engine says count' = -1, the compiled program gives -2"),
        ({"brake": 0x7FC00000}, "the engine says brake = 1.0, the compiled program gives nan"),
    ],
)
def test_any_other_bit_contradicts(native: dict[str, int], words: str) -> None:
    assert compared(Decided(), Returned({**NATIVE, **native})) == Mismatch(words)


def test_every_step_is_compared() -> None:
    run = ConcreteRun(Path("1", TRUE, Decided()), OUTPUTS, (OUTPUTS, OUTPUTS))
    wrong = {**NATIVE, "move": 0}
    same = compare(run, {"count": 0}, INTERFACE, Fake(Returned(NATIVE, (NATIVE, NATIVE))), [{}, {}])
    other = compare(run, {"count": 0}, INTERFACE, Fake(Returned(NATIVE, (NATIVE, wrong))), [{}, {}])
    assert same == Confirmed("by running it")
    assert other == Mismatch("in step 2 the engine says move = true, the compiled program gives false")


def test_zeros_of_two_signs_are_two_values() -> None:
    found = compared(Decided(), Returned({**NATIVE, "brake": 0x80000000}), {**OUTPUTS, "brake": 0})
    assert isinstance(found, Mismatch)


@pytest.mark.parametrize("bits", [0x7FC00000, 0xFFC00000, 0x7F800001])
def test_a_nan_is_as_good_as_another(bits: int) -> None:
    nan = {**OUTPUTS, "brake": 0x7FC00000}
    assert isinstance(compared(Decided(), Returned({**NATIVE, "brake": bits}), nan), Confirmed)


def test_what_a_path_leaves_unset_is_not_compared() -> None:
    left = {name: value for name, value in OUTPUTS.items() if name != "brake"}
    assert isinstance(compared(Decided(), Returned({**NATIVE, "brake": 0xA5A5A5A5}), left), Confirmed)


def test_what_is_internal_is_not_compared() -> None:
    assert isinstance(compared(Decided(), Returned(NATIVE), {**OUTPUTS, "decide:closest": 3}), Confirmed)


@pytest.mark.parametrize("replay", [Trapped("trap"), Trapped("exit"), Crashed(11), Crashed(6)])
def test_a_failure_where_the_engine_decides_contradicts(replay: Replay) -> None:
    assert isinstance(compared(Decided(), replay), Mismatch)


@pytest.mark.parametrize("replay", [TimedOut(1.0), NotAvailable("no"), Crashed(31), Crashed(9)])
@pytest.mark.parametrize("ending", [Decided(), Failed("division by zero")])
def test_what_comes_from_outside_says_nothing(ending: Ending, replay: Replay) -> None:
    assert isinstance(compared(ending, replay), Unconfirmed)


@pytest.mark.parametrize(
    ("kind", "replay"),
    [
        ("division by zero", Trapped("division by zero")),
        ("signed overflow", Trapped("division by zero")),
        ("out-of-bounds access", Crashed(11)),
        ("null dereference", Crashed(11)),
        ("double free", Crashed(6)),
        ("abort", Crashed(6)),
        ("exit", Trapped("exit")),
    ],
)
def test_a_failure_of_the_same_kind_confirms(kind: str, replay: Replay) -> None:
    assert isinstance(compared(Failed(kind), replay), Confirmed)


def test_a_failure_of_another_kind_says_nothing() -> None:
    found = compared(Failed("division by zero"), Trapped("signed overflow"))
    assert found == Unconfirmed("the program compiled with traps fails: signed overflow")


def test_coming_back_contradicts_only_what_is_always_caught() -> None:
    assert isinstance(compared(Failed("signed overflow"), Returned({})), Mismatch)
    assert isinstance(compared(Failed("use after free"), Returned({})), Unconfirmed)
    assert isinstance(compared(Failed("an uninitialised value decides a branch"), Returned({})), Unconfirmed)


@pytest.mark.parametrize("ending", [Undecided("window"), Unexplored("budget")])
def test_without_an_end_there_is_nothing_to_compare(ending: Ending) -> None:
    assert isinstance(compared(ending, Returned(NATIVE)), Unconfirmed)


def test_replays_in_words() -> None:
    assert str(Crashed(31)) == "is ended for trying what a replay is not allowed to do"
    assert str(Crashed(11)) == "is ended by SIGSEGV"
    assert str(TimedOut(2.0)) == "is still running after 2 seconds"
