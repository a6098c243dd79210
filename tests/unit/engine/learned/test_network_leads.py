"""Labels of networks: leads of one class over another, ties within the last bits, and what follows a softmax."""

from __future__ import annotations

import struct
from typing import Any

import numpy as np
import pytest
from msgspec.structs import replace

from soid.assumptions import Ledger
from soid.engine.learned.learned_source import Threshold
from soid.engine.learned.model import LearnedModel, NamedNumber
from soid.engine.learned.network import Activated, Network, NetworkSum, NetworkTerm
from soid.engine.learned.network_leads import leads_of
from soid.oracle.answer import Answer
from soid.oracle.inquiry import Context, Settings
from soid.oracle.pipeline import answer
from soid.query.language.query_parser import parse_checked
from soid.scenario.trace import Keyframe
from soid.solver.chain import chain
from tests.small_networks import affine, engine_of, model_of, network


def ask(model: LearnedModel, question: str, *fact: float, thresholds: tuple[Threshold, ...] = ()) -> Answer:
    engine = engine_of(model, *thresholds)
    inputs = {f"x{number}": struct.unpack("<Q", struct.pack("<d", each))[0] for number, each in enumerate(fact)}
    settings = Settings(seconds=20.0, witness_seconds=0.0, replay="off")
    checked = parse_checked(question, engine.interface)
    return answer(checked, Keyframe(0, inputs, {}, engine.interface), Context(engine, chain(), settings=settings))


def lines(*rows: Any) -> Network:
    """Each class has a weighted sum of two inputs; the last number of a row is its bias."""
    weights = np.array(rows)
    return network(2, affine(0, weights[:, :2], weights[:, 2]))


#: two classes of the same number, and one that is far below them where x0 is less than 5
TIED = lines([0.3, 0.7, 0.0], [0.3, 0.7, 0.0], [0.3, 0.8, -5.0])


@pytest.mark.parametrize(
    ("question", "verdict"),
    [
        ("might decision is c2", "no"),
        ("would decision in {c0, c1}", "yes"),
        ("would decision != c2", "yes"),
        ("might decision is c1", "unknown"),
        ("would decision is c0", "unknown"),
        ("would decision is c2", "unknown"),  # it is not, but no scenario shows what it is instead
        ("might decision in {c0, c1}", "unknown"),
    ],
)
def test_where_two_classes_tie_the_label_is_none_of_the_others(question: str, verdict: str) -> None:
    found = ask(model_of(TIED, 3), f"{question} if 0.1 <= x0 <= 1.0", 0.5, 0.25)
    assert found.verdict.value == verdict
    if verdict == "unknown":
        assert "last bits" in found.reason


def test_a_tie_of_exact_sums_is_unknown_too() -> None:
    """The first of equal ones wins, but a proof counts every tie within the roundings against itself."""
    one = model_of(lines([1.0, 0.0, 0.0], [1.0, 0.0, 0.0]), 2)
    assert ask(one, "did decision is c0", 0.5, 0.25).verdict.value == "unknown"


def test_leads_are_differences_of_classes_in_their_order() -> None:
    found = leads_of(model_of(TIED, 3))
    assert [each.name for each in found] == ["lead of y0 over y1", "lead of y0 over y2", "lead of y1 over y2"]
    assert found[1].terms == (NetworkTerm(1, 0), NetworkTerm(1, 2, -1.0))
    assert all(each.precision == 64 and not each.rounded for each in found)


def test_leads_see_what_all_classes_have_in_common() -> None:
    """Numbers that vary far more than they differ."""
    one = model_of(lines([1000.0, 3.0, 1.0], [1000.0, 3.0, 0.0]), 2)
    assert ask(one, "would decision is c0 if -1.0 <= x0 <= 1.0 and -1.0 <= x1 <= 1.0", 0.5, 0.25).verdict.value == "yes"


@pytest.mark.parametrize(("lead", "verdict"), [(3e-7, "unknown"), (1e-5, "yes")])
def test_after_a_softmax_a_small_lead_is_no_proof(lead: float, verdict: str) -> None:
    one = lines([0.0, 0.0, lead], [0.0, 0.0, 0.0])
    question = "would decision is c0 if -1.0 <= x0 <= 1.0"
    assert ask(model_of(one, 2), question, 0.5, 0.25).verdict.value == "yes"
    assert ask(model_of(one, 2, after_softmax=True), question, 0.5, 0.25).verdict.value == verdict


def test_a_difference_with_a_threshold_is_rounded_once_more() -> None:
    one = lines([1.0, 0.0, 0.25], [0.0, 1.0, 0.0])
    lead = NetworkSum("lead", 0, (NetworkTerm(1, 0), NetworkTerm(1, 1, -1.0)), rounded=True)
    model = model_of(one, 2)
    model = replace(model, sums=(*model.sums, lead), outputs=(*model.outputs, NamedNumber("lead", "lead")))
    wide = "if 0.0 <= x0 <= 1.0 and 0.0 <= x1 <= 1.0"
    assert ask(model, f"would lead >= -0.7501 {wide}", 0.5, 0.25).verdict.value == "yes"
    assert ask(model, f"would lead >= -0.7 {wide}", 0.5, 0.25).verdict.value == "no"
    assert ask(model, "did lead >= 0.4", 0.5, 0.25).verdict.value == "yes"


def test_what_a_proof_rests_on_is_said() -> None:
    found = ask(model_of(TIED, 3), "might decision is c2 if 0.1 <= x0 <= 1.0", 0.5, 0.25)
    said = {each.id: each.text for each in found.relies_on}
    assert "onnxruntime rounds" in said[Ledger.NETWORK_FLOATS.value] and "float32" in said[Ledger.NETWORK_FLOATS.value]
    assert "as they are computed; where two are compared or one is converted" in said[Ledger.NETWORK_FLOATS.value]
    assert Ledger.NETWORK_FUNCTIONS.value not in said
    curved = network(2, *TIED.layers, Activated(1, "tanh"))
    found = ask(model_of(curved, 3), "might decision is c2 if 0.1 <= x0 <= 1.0", 0.5, 0.25)
    (said_of,) = [each.text for each in found.relies_on if each.id == Ledger.NETWORK_FUNCTIONS.value]
    assert said_of.startswith("results of tanh are off") and said_of.endswith("tanh by 8.3e-07 in float32")


def test_where_floats_may_overflow_the_answer_is_unknown() -> None:
    """Inputs of any size: a proof for the small ones would say nothing of the others."""
    one = model_of(lines([-1.0, 0.0, 0.0], [0.0, 1.0, 0.0]), 2)
    question = "would y0 <= 5.0 if x0 >= -1.0 and x1 is anything"
    assert ask(one, question, 0.5, 0.25).verdict.value == "unknown"  # which reason is met first depends on the time
    found = ask(one, "did y0 <= 5.0", 3e38, 0.25)
    assert found.verdict.value == "unknown" and "too large" in found.reason
    assert ask(one, "would y0 <= 5.0 if -1.0 <= x0 <= 1e30", 0.5, 0.25).verdict.value == "yes"
