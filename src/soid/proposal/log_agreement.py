"""The compiled program, run over the log from its first step on: in how many steps does it decide as logged?

The program keeps its state from step to step; state that is logged must be the same. This says whether a proposal
fits; no answer rests on it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import islice
from typing import Final, final

from msgspec import Struct

from soid.allowance import look
from soid.engine.replay import NotAvailable, Replay, Replayer, Returned, TimedOut
from soid.program.domain import LoggedValue
from soid.program.interface import Interface, Role
from soid.program.types import show
from soid.scenario.trace import Step, Trace

MOST_STEPS: Final = 20_000
_AT_ONCE: Final = 1000  # steps of one run


@final
class LoggedDifference(Struct, frozen=True):
    """A logged decision, or logged state, that the program does not have."""

    step: int
    name: str
    logged: str
    given: str

    def __str__(self) -> str:
        return f"step {self.step}: the log says {self.name} = {self.logged}, the program gives {self.given}"


@final
class LogAgreement(Struct, frozen=True):
    """What running the program over the log showed."""

    compared: int  # steps that were run, and have a logged decision
    agreeing: int  # of those, the ones in which all logged decisions are the program's
    steps: int  # that were run
    first: LoggedDifference | None = None
    obstacle: str = ""  # why the run ended before the log
    is_unread: bool = False  # the log could not be read, and nothing was run
    states: tuple[Mapping[str, int], ...] = ()  # the state before each step that was run
    outputs: tuple[Mapping[str, int], ...] = ()  # what each step gave


def agreement(trace: Trace, replayer: Replayer | None, most: int = MOST_STEPS) -> LogAgreement:
    """Run the program over the log, or over its beginning."""
    if replayer is None:
        return LogAgreement(0, 0, 0, obstacle="there is no compiled program that could be run")
    steps = list(islice(trace, most))
    interface, given = trace.interface, list[Mapping[str, int]]()
    states: list[Mapping[str, int]] = []
    state = {v.path: steps[0].inputs[v.path] for v in interface.inputs if v.role is Role.STATE}
    obstacle = ""
    for start in range(0, len(steps), _AT_ONCE):
        look("running the program over the log")
        part = steps[start : start + _AT_ONCE]
        done, count = _run(replayer, part, state, interface)
        if isinstance(done, Returned):
            for outputs in (*done.earlier, done.outputs):
                states.append(state)
                state = {path: outputs.get(f"{path}'", bits) for path, bits in state.items()}
                given.append(outputs)
        if count < len(part):
            ended = _replayed(replayer, part[count : count + 1], state, interface) if count else done
            where = f"at step {part[count].time}" if count else f"in steps {part[0].time} to {part[-1].time}"
            obstacle = f"the program {ended}, {where}"
            break
    return _compared(interface, steps[: len(given)], given, states, obstacle)


def _run(
    replayer: Replayer, steps: Sequence[Step], state: Mapping[str, int], interface: Interface
) -> tuple[Replay, int]:
    """The run over as many of the steps as the program comes back from, and how many those are."""
    whole = _replayed(replayer, steps, state, interface)
    if isinstance(whole, Returned | TimedOut | NotAvailable):
        return whole, len(steps) if isinstance(whole, Returned) else 0
    good, bad = 0, len(steps)
    done: Replay = whole
    while bad - good > 1:
        middle = (good + bad) // 2
        tried = _replayed(replayer, steps[:middle], state, interface)
        if isinstance(tried, Returned):
            good, done = middle, tried
        else:
            bad = middle
    return done, good


def _replayed(replayer: Replayer, steps: Sequence[Step], state: Mapping[str, int], interface: Interface) -> Replay:
    return replayer.replay({**steps[0].inputs, **state}, [_perceived(step, interface) for step in steps[1:]])


def _perceived(step: Step, interface: Interface) -> dict[str, int]:
    return {v.path: step.inputs[v.path] for v in interface.inputs if v.role is Role.ENVIRONMENT}


def _compared(
    interface: Interface,
    steps: Sequence[Step],
    given: Sequence[Mapping[str, int]],
    states: Sequence[Mapping[str, int]],
    obstacle: str,
) -> LogAgreement:
    differences = [_difference(interface, *each) for each in zip(steps, states, given, strict=True)]
    logged = [found for step, found in zip(steps, differences, strict=True) if step.decisions]
    first = next((found for found in logged if found is not None), None)
    agreeing = sum(found is None for found in logged)
    ran = tuple(states), tuple(given)
    return LogAgreement(len(logged), agreeing, len(steps), first, obstacle, False, *ran)


def _difference(
    interface: Interface, step: Step, state: Mapping[str, int], given: Mapping[str, int]
) -> LoggedDifference | None:
    before = {path: step.inputs[path] for path in state if path not in step.unlogged}
    for logged, ours in ((before, state), (step.decisions, given)):
        for name, bits in logged.items():
            kind = interface.output_type(name)
            if name not in ours or not LoggedValue(bits, step.rounded.get(name)).may_be(kind, ours[name]):
                shown = show(kind, ours[name]) if name in ours else "nothing"
                return LoggedDifference(step.time, name, show(kind, bits), shown)
    return None
