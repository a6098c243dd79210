"""The Explanation: an answer, and why it is what it is."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, final

from msgspec import Struct, field

from soid.explanation.counterfactuals import Mattered
from soid.explanation.divergence import Parting
from soid.explanation.proof_needs import Proof
from soid.oracle.answer import Answer


@final
class Explanation(Struct, frozen=True):
    """What can be said about an answer; either what mattered to its scenario, or what its proof needed, or neither."""

    answer: Answer
    mattered: Mattered | None = None  # where it shows a scenario
    parting: Parting | None = None  # of the fact and that scenario with the fewest changes
    proof: Proof | None = None  # where it was proved over the whole family
    unsettled: tuple[str, ...] = ()  # what the budget did not suffice for, in words
    seconds: Mapping[str, float] = field(default_factory=dict)  # by stage

    def to_json(self) -> dict[str, Any]:
        """The documented schema: see docs/json.md."""
        return {
            "answer": self.answer.to_json(),
            "mattered": self.mattered.to_json() if self.mattered else None,
            "parting": self.parting.to_json() if self.parting else None,
            "proof": self.proof.to_json() if self.proof else None,
            "unsettled": list(self.unsettled),
            "seconds": {stage: round(seconds, 6) for stage, seconds in self.seconds.items()},
        }
