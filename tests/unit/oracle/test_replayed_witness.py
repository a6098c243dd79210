"""Whenever a scenario is said to be the nearest one, no other comes before it, whatever the unexplored states do."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import product
from random import Random

import pytest

from soid.engine.summary import Ending, Path, Unexplored
from soid.formula import build
from soid.oracle.answer import Answer, Verdict
from soid.oracle.inquiry import Settings
from soid.oracle.reason import ReasonCode
from soid.recipe import SOID
from tests.exhaustive import ExhaustiveSolver
from tests.unit.oracle.worlds import ARMED, BROKEN, DARK, WAITING, X, Y, ask, decides, ends, is_

State = tuple[int, int, int]  # x, y, armed
FACT: State = (0, 1, 0)
FAMILY = [state for state in product(range(4), range(4), range(2)) if state != FACT]
MOVES = ("STAY", "GO", "TURN")
EVERYTHING = "x is anything and y is anything and armed is anything"
DIRECTLY = Settings(recipe=SOID.without("paving", "runs"))


def order(state: State) -> tuple[object, ...]:
    """The documented order: variables return to the fact, then come near; of two equally near values the lower wins."""
    x, y, armed = state
    signed = y - 4 if y > 1 else y
    changed = tuple(one != other for one, other in zip(state, FACT, strict=True))
    return (*changed, abs(x - 0), x, abs(signed - 1), signed, armed)


def world(random: Random) -> dict[State, str]:
    """What happens in each state: a move, a failure, no decision, or nothing that is known."""
    likely = ("STAY", "STAY", "STAY", "GO", "TURN", "fails", "waits", *random.choice(((), ("dark",), ("dark",) * 5)))
    return {state: random.choice(likely) for state in FAMILY} | {FACT: "STAY"}


def program(happens: Mapping[State, str]) -> Iterator[Path]:
    for number, (state, what) in enumerate(happens.items()):
        where = build.all_of(is_(symbol, bits) for symbol, bits in zip((X, Y), state, strict=False))
        where = build.and_(where, ARMED if state[2] else build.not_(ARMED))
        endings: dict[str, Ending] = {"fails": BROKEN, "waits": WAITING, "dark": DARK}
        ending = endings.get(what)
        yield decides(str(number), where, what) if ending is None else ends(str(number), where, ending)


def shown(answer: Answer) -> State:
    assert answer.witness is not None
    return answer.witness.inputs["x"], answer.witness.inputs["y"], answer.witness.inputs["armed"]


_KIND = {
    ReasonCode.DECIDES_OTHERWISE: ("STAY", "TURN"),
    ReasonCode.FAILS: ("fails",),
    ReasonCode.DOES_NOT_DECIDE: ("waits",),
    ReasonCode.DOES: ("GO",),
}


@pytest.mark.parametrize("kind", ["would", "might"])
def test_what_is_called_nearest_is_nearest(kind: str) -> None:
    claims = 0
    for seed in range(60):
        happens = world(Random(seed))
        answer = ask(f"{kind} move == GO if {EVERYTHING}", tuple(program(happens)), settings=DIRECTLY)
        if not answer.verdict.is_definite or answer.witness is None or not answer.witness.settled:
            continue
        same = _KIND.get(answer.reason_code)
        if same is None:
            continue  # a proof: any scenario of the family
        claims += 1
        rivals = [state for state in FAMILY if happens[state] in (*same, "dark")]
        assert shown(answer) == min(rivals, key=order), f"seed {seed}"
    assert claims > 10


def test_an_unexplored_state_between_fact_and_scenario_forbids_the_claim() -> None:
    given = (
        decides("zero", is_(X, 0), "STAY"),
        Path("one", is_(X, 1), Unexplored("not supported: time")),
        decides("two", is_(X, 2), "GO"),
        decides("three", is_(X, 3), "STAY"),
    )
    answer = ask("might move == GO if x is anything", given, solver=ExhaustiveSolver(), settings=DIRECTLY)
    assert (answer.verdict, shown(answer)[0]) == (Verdict.YES, 2)
    assert answer.witness is not None and not answer.witness.settled
    beyond = (*given[:1], decides("one", is_(X, 1), "GO"), Path("two", is_(X, 2), given[1].ending), given[3])
    answer = ask("might move == GO if x is anything", beyond, solver=ExhaustiveSolver(), settings=DIRECTLY)
    assert shown(answer)[0] == 1 and answer.witness is not None and answer.witness.settled
