"""The Explanation: an answer, and why it is what it is."""

from __future__ import annotations

from collections.abc import Mapping
from typing import final

from msgspec import Struct, field

from soid.documents import Document
from soid.explanation.counterfactuals import Mattered, MatteredDocument
from soid.explanation.divergence import Parting, PartingDocument
from soid.explanation.proof_needs import Proof, ProofDocument
from soid.oracle.answer import Answer, AnswerDocument


@final
class ExplanationDocument(Document, frozen=True):
    """An explanation as JSON."""

    answer: AnswerDocument
    mattered: MatteredDocument | None
    parting: PartingDocument | None
    proof: ProofDocument | None
    unsettled: tuple[str, ...]
    seconds: dict[str, float]


@final
class Explanation(Struct, frozen=True):
    """What can be said about an answer; either what mattered to its scenario, or what its proof needed, or neither."""

    answer: Answer
    mattered: Mattered | None = None  # where it shows a scenario
    parting: Parting | None = None  # of the fact and that scenario with the fewest changes
    proof: Proof | None = None  # where it was proved over the whole family
    unsettled: tuple[str, ...] = ()  # what the budget did not suffice for, in words
    seconds: Mapping[str, float] = field(default_factory=dict)  # by stage

    @property
    def document(self) -> ExplanationDocument:
        return ExplanationDocument.of(self)
