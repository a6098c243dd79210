"""Compares the engine's run with a run of the compiled program: bit for bit, and failure for failure.

The compiled program confirms the engine's run, contradicts it, or neither: no trap catches a use after free, and no run
shows that a program does not decide within its window.
"""

from __future__ import annotations

import signal
from collections.abc import Mapping, Sequence
from typing import Final, assert_never, final

from msgspec import Struct

from soid.engine.replay import Crashed, NotAvailable, Replay, Replayer, Returned, TimedOut, Trapped
from soid.engine.summary import ConcreteRun, Decided, Failed, Undecided, Unexplored
from soid.formula.softfloat import is_infinite, is_nan
from soid.program.interface import Interface
from soid.program.types import FloatType, VariableType, show, value_order


@final
class Confirmed(Struct, frozen=True):
    """The program that was run does the same."""

    how: str  # in words


@final
class Unconfirmed(Struct, frozen=True):
    """The program that was run neither confirms nor contradicts it."""

    reason: str


@final
class Mismatch(Struct, frozen=True):
    """The program that was run does something else."""

    difference: str  # in words


Comparison = Confirmed | Unconfirmed | Mismatch

_SEGMENT: Final = frozenset({signal.SIGSEGV, signal.SIGBUS})
_ABORT: Final = frozenset({signal.SIGABRT})

#: how a failure may appear, besides a trap of its own name: other traps, and signals
_SHOWN_AS: Final[Mapping[str, tuple[frozenset[str], frozenset[signal.Signals]]]] = {
    "signed overflow": (frozenset({"division by zero"}), frozenset()),  # the least number divided by -1
    "out-of-bounds access": (frozenset({"null dereference", "pointer overflow"}), _SEGMENT),
    "null dereference": (frozenset({"null argument", "pointer overflow"}), _SEGMENT),
    "call through a null pointer": (frozenset({"null dereference"}), _SEGMENT),
    "write to constant memory": (frozenset(), _SEGMENT),
    "use after free": (frozenset(), _SEGMENT | _ABORT),
    "double free": (frozenset(), _SEGMENT | _ABORT),
    "free of what was not allocated": (frozenset(), _SEGMENT | _ABORT),
    "failed assertion": (frozenset(), _ABORT),
    "abort": (frozenset(), _ABORT),
    "throws": (frozenset(), _ABORT),  # it is not caught
    "std::terminate": (frozenset(), _ABORT),
    "the program went where its author promised it never goes": (frozenset({"unreachable code"}), frozenset()),
}
_NOTHING: Final[tuple[frozenset[str], frozenset[signal.Signals]]] = (frozenset(), frozenset())
#: signals that come from outside the program: from its confinement, or from a machine that runs out of memory
_FROM_OUTSIDE: Final = frozenset({signal.SIGSYS, signal.SIGKILL})


def compare(
    run: ConcreteRun,
    inputs: Mapping[str, int],
    interface: Interface,
    replayer: Replayer,
    environments: Sequence[Mapping[str, int]] = (),
) -> Comparison:
    """Run the program itself on a state, and compare the engine's run with it.

    `environments` has the perceived inputs of each step after the first; others have their value from `inputs`.
    """
    found = _compared(run, inputs, interface, replayer, environments)
    doubt = replayer.doubt
    return Unconfirmed(f"{doubt}: {found.difference}") if doubt and isinstance(found, Mismatch) else found


def _compared(
    run: ConcreteRun,
    inputs: Mapping[str, int],
    interface: Interface,
    replayer: Replayer,
    environments: Sequence[Mapping[str, int]],
) -> Comparison:
    ending = run.path.ending
    match ending:
        case Decided():
            return _decided(run, interface, replayer.replay(inputs, environments), replayer)
        case Failed():
            return _failed(ending, replayer.replay_failure(inputs, environments), replayer)
        case Undecided():
            return Unconfirmed("no run shows that a program does not decide within its window")
        case Unexplored():
            return Unconfirmed("what it does here is not explored")
        case _:
            assert_never(ending)


def _decided(run: ConcreteRun, interface: Interface, replay: Replay, replayer: Replayer) -> Comparison:
    called = replayer.called
    match replay:
        case Returned(outputs, earlier):
            steps = list(zip((*run.earlier, run.outputs), (*earlier, outputs), strict=True))
            different = [_differences(computed, native, interface, called) for computed, native in steps]
            between = zip(run.between, (*earlier, outputs), strict=False)
            different += [_outside(ranges, native, interface, called) for ranges, native in between]
            told = (f"in step {step + 1} {words}" if step else words for step, words in enumerate(different) if words)
            return next((Mismatch(words) for words in told), Confirmed(replayer.how))
        case Crashed(number) if number in _FROM_OUTSIDE:
            return Unconfirmed(f"{called} {replay}")
        case Trapped() | Crashed():
            return Mismatch(f"the engine says that it decides, {called} {replay}")
        case TimedOut():
            return Unconfirmed(f"{called} {replay}")
        case NotAvailable(reason):
            return Unconfirmed(reason)
        case _:
            assert_never(replay)


def _differences(computed: Mapping[str, int], native: Mapping[str, int], interface: Interface, called: str) -> str:
    """The outputs that differ, in words. An output that the path leaves unset is not compared."""
    found = []
    for name, value in computed.items():
        if name not in native and name in interface.left:
            found.append(f"the engine says what the world leaves of {name}, and {called} leaves nothing")
        if name not in native:  # an internal value, which is not in memory after the call
            if name.removesuffix("'") in interface.produced:
                found.append(f"the world does not come to {name}")
            continue
        kind = interface.output_type(name)
        if not _same(kind, int(value), native[name]):
            engine, program = show(kind, int(value)), show(kind, native[name])
            found.append(f"the engine says {name} = {engine}, {called} gives {program}")
    return "; ".join(found)


def _outside(
    ranges: Mapping[str, tuple[int, int]], native: Mapping[str, int], interface: Interface, called: str
) -> str:
    """The numbers that lie outside of where the engine says that they lie, in words.

    From -inf to inf says that nothing is known of a number, which may be NaN as well.
    """
    found = []
    for name, (low, high) in ranges.items():
        kind = interface.output_type(name)
        place = value_order(kind).place_of
        is_open = isinstance(kind, FloatType) and is_infinite(kind.format, low) and is_infinite(kind.format, high)
        if is_open and low != high:
            continue
        if name in native and not place(low) <= place(native[name]) <= place(high):
            given = f"from {show(kind, low)} to {show(kind, high)}"
            found.append(f"the engine says {name} is {given}, {called} gives {show(kind, native[name])}")
    return "; ".join(found)


def _same(kind: VariableType, one: int, other: int) -> bool:
    """Bit for bit, except that all NaNs are the same: the machine chooses their bits."""
    if isinstance(kind, FloatType) and is_nan(kind.format, one):
        return is_nan(kind.format, other)
    return one == other


def _failed(ending: Failed, replay: Replay, replayer: Replayer) -> Comparison:
    shown = _SHOWN_AS.get(ending.kind.partition(" ")[0] if ending.kind.startswith("throws ") else ending.kind, _NOTHING)
    match replay:
        case Trapped(kind) if kind == ending.kind or kind in shown[0]:
            return Confirmed(replayer.how_failing)
        case Crashed(number) if number in shown[1]:
            return Confirmed(f"{replayer.how}: it {replay}")
        case Returned() if replayer.always_shows(ending.kind):
            return Mismatch(f"the engine says that it {ending}, {replayer.called_failing} returns")
        case Returned():
            return Unconfirmed(f"no trap of the compiler has caught it ({ending.kind})")
        case Trapped() | Crashed() | TimedOut():
            return Unconfirmed(f"{replayer.called_failing} {replay}")
        case NotAvailable(reason):
            return Unconfirmed(reason)
        case _:
            assert_never(replay)
