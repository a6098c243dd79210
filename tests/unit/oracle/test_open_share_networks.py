"""For which share of a family a question about a network is settled, where the rest hangs on last bits."""

from __future__ import annotations

from fractions import Fraction

import pytest

from soid.engine.learned.network import Activated
from soid.oracle import inquiry, open_share
from soid.oracle.answer import Answer, Verdict
from soid.oracle.inquiry import Context, Settings
from soid.oracle.pipeline import answer
from soid.query.language.query_parser import parse_checked
from soid.scenario.trace import Keyframe
from soid.solver.chain import chain
from tests.small_networks import affine, engine_of, model_of, network

#: both classes have 0.25 up to 0.25, where no order of summation is known to break the tie; beyond, the second one wins
TIED = network(2, affine(0, [[0, 0], [1, 0]], [0.25, -0.25]), Activated(1, "relu"), affine(2, [[1, 0], [1, 1]], [0, 0]))


def asked(question: str) -> Answer:
    engine = engine_of(model_of(TIED, 2))
    checked = parse_checked(question, engine.interface)
    fact = Keyframe(0, {"x0": 0x3FE8000000000000, "x1": 0}, {}, engine.interface)
    context = Context(engine, chain(), settings=Settings(seconds=10.0, replay="off"))
    return answer(checked, fact, context)


@pytest.mark.parametrize("in_time", [True, False])
def test_what_hangs_on_last_bits_leaves_the_rest_settled(in_time: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    """Whether the search ended in a tie, or the time for the family as a whole was over: no path is explored again."""
    monkeypatch.setattr(open_share, "_explore", None)
    monkeypatch.setattr(inquiry, "DIRECT", inquiry.DIRECT if in_time else 0.0)
    found = asked("would decision is c1 if -0.75 <= x0 <= 1.25")
    assert found.verdict is Verdict.UNKNOWN and found.settled is not None
    assert Fraction(49, 100) < found.settled.share <= Fraction(1, 2)
