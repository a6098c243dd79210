"""Promise three: the program itself must confirm what the engine says about a state before it is shown."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final, assert_never, final

from msgspec import Struct

from soid.allowance import allowed
from soid.assumptions import Assumption, Ledger
from soid.engine.protocol import Exploration
from soid.engine.replay import Replayer
from soid.engine.summary import ConcreteRun, Failed, Unexplored
from soid.errors import REPORT_QUESTION, CalledOff, InternalError, LimitError
from soid.formula.build import TRUE
from soid.oracle.inquiry import Inquiry
from soid.program.domain import LoggedValue
from soid.program.interface import Interface
from soid.witness.replay_comparison import Confirmed, Mismatch, Unconfirmed, compare
from soid.witness.witness import Shows, Witness, changes

_BY_EVALUATION: Final = "by evaluating the paths on this state"
_BY_THE_ENGINE: Final = "by soid's own evaluation only"
_NOT_AT_ALL: Final = "by no run"

#: the share of the time that is left for running the program itself, so that time is left for the question,
#: and seconds for it even if the question's time is over
REPLAYING: Final = 0.5
LEAST_REPLAY: Final = 1.0


@final
class Confirmation(Struct, frozen=True):
    """The result of replaying a run that the program confirms."""

    replayed: str  # how it was confirmed, in words
    not_run: tuple[str, str] | None = None  # what did not run it, and why

    def relies_on(self, what: str) -> tuple[Assumption, ...]:
        return (Ledger.NOT_RUN.of(what, *self.not_run),) if self.not_run is not None else ()


def confirm(
    run: ConcreteRun,
    inputs: Mapping[str, int],
    interface: Interface,
    asking: Inquiry,
    *,
    steps: int = 1,
    environments: tuple[Mapping[str, int], ...] = (),
    concrete: bool = False,
) -> Confirmation:
    """Replay a run; a run that the program itself contradicts is an internal error.

    `inputs` and `environments`, what is perceived from the second step on if it changes, have what is done in the place
    of decisions too. `concrete`: the run comes from exploring this one state alone, so the engine does not explore it
    again.
    """
    replayer = asking.context.replayer
    if replayer is None or isinstance(run.path.ending, Unexplored):  # there is nothing to compare the paths with
        return Confirmation(_BY_EVALUATION)
    with asking.stage("replay"):
        comparison = _compared(run, inputs, interface, replayer, environments or ({},) * (steps - 1), asking)
    match comparison:
        case Confirmed(how):
            return Confirmation(how)
        case Unconfirmed(reason):
            by_engine = concrete or _confirm_concretely(run, inputs, interface, asking, steps, environments)
            only = _BY_THE_ENGINE if by_engine else _NOT_AT_ALL
            return Confirmation(f"{only}: {reason}", (replayer.called, reason))
        case Mismatch(difference):
            raise _contradiction(f"the engine and {replayer.called} disagree: {difference}", inputs)
        case _:
            assert_never(comparison)


def _compared(
    run: ConcreteRun,
    inputs: Mapping[str, int],
    interface: Interface,
    replayer: Replayer,
    environments: tuple[Mapping[str, int], ...],
    asking: Inquiry,
) -> Confirmed | Unconfirmed | Mismatch:
    """Run the program itself, which may have to be compiled first, in a part of the time that is left."""
    left = asking.deadline.seconds_left
    seconds = None if left is None else max(left * REPLAYING, LEAST_REPLAY)
    try:
        with allowed(seconds=seconds, cancel=asking.context.cancel, memory=asking.context.settings.memory):
            return compare(run, inputs, interface, replayer, environments)
    except (LimitError, CalledOff) as error:
        return Unconfirmed(error.cause)


def _confirm_concretely(
    run: ConcreteRun,
    inputs: Mapping[str, int],
    interface: Interface,
    asking: Inquiry,
    steps: int,
    environments: tuple[Mapping[str, int], ...],
) -> bool:
    """Explore this one state: a path found over many states must end the same way on it. False: there is no time."""
    observed = {name.removesuffix("'") for step in (*run.earlier, run.outputs) for name in step}
    if isinstance(run.path.ending, Failed):  # perhaps in the world, which leaves nothing then
        observed |= interface.produced
    exploration = Exploration(
        inputs,
        TRUE,
        asking.glance,
        asking.deadline,
        asking.context.cancel,
        observed=frozenset(observed),
        window=asking.context.settings.window,
        steps=steps,
        environments=environments,
        acts=inputs,
    )
    again = asking.context.engine.explore(exploration).run({})
    if isinstance(again.path.ending, Unexplored):
        return False
    pairs = zip((*run.earlier, run.outputs), (*again.earlier, again.outputs), strict=False)
    same = all(other.get(name, value) == value for one, other in pairs for name, value in one.items())
    if again.path.ending != run.path.ending or len(again.earlier) != len(run.earlier) or not same:
        raise _contradiction(f"the engine's concrete run {again.path.ending}, its path {run.path.ending}", inputs)
    return True


def _contradiction(cause: str, inputs: Mapping[str, int]) -> InternalError:
    shown = ", ".join(f"{path} = {bits:#x}" for path, bits in inputs.items())
    return InternalError(f"{cause}; on the state (in bits) {shown}", REPORT_QUESTION)


def witness_of(
    run: ConcreteRun,
    shows: Shows,
    interface: Interface,
    fact: Mapping[str, int],
    inputs: Mapping[str, int],
    replayed: str,
    *,
    settled: bool = True,
    recorded: Mapping[str, tuple[LoggedValue, ...]] | None = None,
    unlogged: frozenset[str] = frozenset(),
    assumed: tuple[str, ...] = (),
) -> Witness:
    """A run as a witness; `fact` are the inputs that it is compared with, `recorded` those of later steps."""
    *earlier, outputs = ({name: int(value) for name, value in step.items()} for step in (*run.earlier, run.outputs))
    return Witness(
        shows=shows,
        interface=interface,
        inputs=inputs,
        changed=changes(interface, fact, inputs, recorded, unlogged),
        outputs=outputs,
        ending=run.path.ending,
        path=run.path.name,
        earlier=tuple(earlier),
        replayed=replayed,
        settled=settled,
        unlogged=unlogged,
        assumed=assumed,
        between=tuple(run.between) if any(run.between) else (),
    )
