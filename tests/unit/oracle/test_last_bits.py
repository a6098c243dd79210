"""A verdict that hangs on the last bits is unknown, and shows what runs gave on both sides."""

from __future__ import annotations

import struct
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import pytest

from soid.engine.replay import Replay, Returned
from soid.oracle.answer import Answer, Verdict
from soid.oracle.inquiry import Context, Settings
from soid.oracle.pipeline import answer
from soid.query.language.query_parser import parse_checked
from soid.scenario.trace import Keyframe
from soid.solver.chain import chain
from soid.witness.witness import Shows
from tests.small_networks import engine_of, model_of, native, random_network

NETWORK = random_network(np.random.default_rng(2), [2, 12, 12, 2])
CENTER = (0.25, -0.5)


class NumpyRun:
    """A replayer that runs the network in numpy's float32, with its numbers moved by some amount."""

    how = "by running the model in numpy"
    called = "the model in numpy"
    doubt = ""

    def __init__(self, moved: float = 0.0) -> None:
        self._moved = np.float32(moved)

    def replay(self, inputs: Mapping[str, int], environments: Sequence[Mapping[str, int]] = ()) -> Replay:
        *earlier, last = (self._outputs({**inputs, **later}) for later in ({}, *environments))
        return Returned(last, tuple(earlier))

    replay_failure = replay

    def _outputs(self, inputs: Mapping[str, int]) -> dict[str, int]:
        row = [struct.unpack("<d", struct.pack("<Q", inputs[f"x{place}"]))[0] for place in range(2)]
        values = native(NETWORK, [row])[0] + self._moved
        bits = {f"y{place}": int(value.view(np.uint32)) for place, value in enumerate(values)}
        return {**bits, "decision": int(values.argmax())}


def asked(question: str, replayer: Any) -> Answer:
    engine = engine_of(model_of(NETWORK, 2))
    inputs = {f"x{place}": struct.unpack("<Q", struct.pack("<d", x))[0] for place, x in enumerate(CENTER)}
    context = Context(engine, chain(), replayer, settings=Settings(seconds=20.0))
    return answer(parse_checked(question, engine.interface), Keyframe(0, inputs, {}, engine.interface), context)


@pytest.fixture(scope="module")
def bound() -> str:
    return repr(float(native(NETWORK, [CENTER])[0][0]))


@pytest.mark.parametrize("kind", ["would", "might"])
def test_both_sides_are_shown_as_they_were_run(kind: str, bound: str) -> None:
    near = "0.2499999 <= x0 <= 0.2500001 and -0.5000001 <= x1 <= -0.4999999"
    found = asked(f"{kind} y0 >= {bound} if {near}", NumpyRun())
    assert found.verdict is Verdict.UNKNOWN
    assert found.witness is not None and found.contrast is not None
    for witness, shows in ((found.witness, Shows.EXAMPLE), (found.contrast, Shows.COUNTEREXAMPLE)):
        assert witness.shows is shows and "another order of summation" in witness.replayed
        value = struct.unpack("<f", witness.outputs["y0"].to_bytes(4, "little"))[0]
        assert (value >= float(bound)) is (shows is Shows.EXAMPLE)
        assert found.heading(witness).startswith("As it was run here: a scenario in which it does")


def test_where_runs_come_out_on_one_side_that_side_is_shown(bound: str) -> None:
    near = "0.2499999 <= x0 <= 0.2500001"
    found = asked(f"would y0 >= {bound} if {near}", NumpyRun(moved=1e-6))
    assert found.verdict is Verdict.UNKNOWN
    assert found.witness is not None and found.witness.shows is Shows.EXAMPLE and found.contrast is None


def test_without_a_runtime_nothing_is_shown(bound: str) -> None:
    found = asked(f"would y0 >= {bound} if 0.2499999 <= x0 <= 0.2500001", None)
    assert (found.verdict, found.witness, found.contrast) == (Verdict.UNKNOWN, None, None)
