"""A scenario is evaluated once more: what was recorded is confirmed, contradicted, or hangs on last bits."""

from __future__ import annotations

from typing import Any

import pytest
from msgspec.structs import replace

from soid.engine.learned.learned_source import Threshold
from soid.engine.learned.model import LearnedModel
from soid.engine.summary import Decided, Failed
from soid.errors import BundleError
from soid.evidence.learned.model_run import compare_run
from soid.formula import softfloat as sf
from soid.witness.witness import Shows, Witness
from tests.unit.engine.learned.test_learned_engine import binary, engine_of, ran, unordered

APPROVE = Threshold("approve", "probability", ">=", "0.37")


def witness(model: LearnedModel, gain: float, *thresholds: Threshold, **changes: Any) -> tuple[Witness, str]:
    """What the engine gives for a row, with some outputs changed; and why it is not confirmed."""
    engine = engine_of(model, *thresholds)
    run = ran(engine, capital_gain=gain)
    shown = Witness(
        Shows.EXAMPLE,
        engine.interface,
        {"capital_gain": sf.float_to_bits64(gain)},
        (),
        {**{name: int(value) for name, value in run.outputs.items()}, **changes.pop("outputs", {})},
        run.path.ending,
        "",
        "",
    )
    shown = replace(shown, **changes)
    return shown, compare_run(engine.learned, shown, ())


@pytest.mark.parametrize("gain", [0.0, 0.5, 0.75, -1e300, float("nan"), 200.0])
def test_what_the_engine_gives_is_confirmed(gain: float) -> None:
    shown, why = witness(binary(), gain, APPROVE)
    assert why == ""
    assert isinstance(shown.ending, Failed if gain == 200.0 else Decided)


@pytest.mark.parametrize(
    ("outputs", "why"),
    [
        ({"decision": 0}, "decision is not what the model gives"),
        ({"approve": 0}, "approve is not what the model gives"),
        ({"score": 0x40000001}, "score is not 2.0000002.*: the model gives 2.0"),
        ({"probability": 0x3F617000}, "probability is not"),
    ],
)
def test_what_was_changed_is_contradicted(outputs: dict[str, int], why: str) -> None:
    with pytest.raises(BundleError, match=why):
        witness(binary(), 0.75, APPROVE, outputs=outputs)


def test_an_ending_that_was_changed_is_contradicted() -> None:
    with pytest.raises(BundleError, match="rejects capital-gain"):
        witness(binary(), 200.0, ending=Decided())
    with pytest.raises(BundleError, match="rejects nothing"):
        witness(binary(), 0.75, ending=Failed("it fails"))


def test_what_hangs_on_last_bits_is_not_confirmed() -> None:
    shown, why = witness(unordered(0.1, 1.0), 0.0)
    assert "decision" not in shown.outputs and why == ""
    assert witness(unordered(0.1, 1.0), 0.0, outputs={"decision": 1})[1] == "decision hangs on the last bits"
