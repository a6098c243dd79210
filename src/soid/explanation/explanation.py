"""The Explanation: an answer, and what led to it."""

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
    """An answer, with what mattered to its scenario, or with what its proof needed, or with neither."""

    answer: Answer
    mattered: Mattered | None = None  # if the answer shows a scenario
    parting: Parting | None = None  # where the fact and the scenario with the fewest changes diverge
    proof: Proof | None = None  # if the answer is proved over the whole family
    unsettled: tuple[str, ...] = ()  # what was not settled within the budget, in words
    seconds: Mapping[str, float] = field(default_factory=dict)  # by stage

    @property
    def document(self) -> ExplanationDocument:
        return ExplanationDocument.of(self)
