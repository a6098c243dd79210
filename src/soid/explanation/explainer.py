"""Explaining an answer: this module alone defines the order of the stages.

answer      the oracle's answer, as `ask` gives it
smallest    which variables must change for the scenario shown, and which other sets are enough        (a scenario)
flip        for each of them: where the outcome flips
part        where the fact and that scenario diverge in the source
needed      which suppositions the proof needs                                                         (a proof)
irrelevant  which freed variables can have any value

The explanation lists what was not settled in time; everything else that it shows is proved or run.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Final, final

from msgspec import Struct, field
from msgspec.structs import replace

from soid.budget import rounded
from soid.documents import Document
from soid.errors import QueryError
from soid.explanation.counterfactuals import Mattered, MatteredDocument, mattered
from soid.explanation.divergence import Parting, PartingDocument, parting
from soid.explanation.flips import NoFlip
from soid.explanation.proof_needs import Proof, ProofDocument, proof
from soid.explanation.study import Study
from soid.oracle.answer import Answer, AnswerDocument, Verdict
from soid.oracle.inquiry import Context, Inquiry
from soid.oracle.pipeline import answer
from soid.oracle.reason import ReasonCode
from soid.query.query import CheckedQuery, Query, QueryKind
from soid.query.words import listed
from soid.scenario.future import Future
from soid.scenario.supposition import Keep, mentioned
from soid.scenario.trace import Keyframe

#: how many further change sets are looked for by default
OTHERS: Final = 3


@final
class ExplanationDocument(Document, frozen=True):
    """An explanation as JSON."""

    answer: AnswerDocument
    mattered: MatteredDocument | None
    parting: PartingDocument | None
    proof: ProofDocument | None
    unsettled: tuple[str, ...]
    fact_depends: str
    seconds: dict[str, float]


@final
class Explanation(Struct, frozen=True):
    """An answer, with what mattered to its scenario, or with what its proof needed, or with neither."""

    answer: Answer
    mattered: Mattered | None = None  # if the answer shows a scenario
    parting: Parting | None = None  # where the fact and the scenario with the fewest changes diverge
    proof: Proof | None = None  # if the answer is proved over the whole family
    unsettled: tuple[str, ...] = ()  # what was not settled within the budget, in words
    fact_depends: str = ""  # that what happened in fact depends on what is not known, in words, with where it changes
    seconds: Mapping[str, float] = field(default_factory=dict)  # by stage

    @property
    def document(self) -> ExplanationDocument:
        return ExplanationDocument.of(self)


def explain(checked: CheckedQuery, keyframe: Keyframe, context: Context, *, others: int = OTHERS) -> Explanation:
    """Answer a question and explain the answer; each of the two has the whole time of the settings."""
    query = checked.query.going(Future.AS_LOGGED)
    several = query.kind is not QueryKind.DID and query.period.count > 1
    if several and (query.future is not Future.HELD or query.course(keyframe).environments):
        raise QueryError(
            "what mattered is found only if every step perceives the same",
            f"Ask about `{query.period.count} steps held`, or put the question without explaining it.",
        )
    if unknown := _unknown_supposed(query, keyframe):
        raise QueryError(
            f"what mattered is told against what was in fact, and {listed(unknown)} is not known at this moment",
            f"Put the question without explaining it, or suppose nothing of it. {keyframe.underived}".rstrip(),
        )
    given = answer(checked, keyframe, context)
    study = Study(checked.interface, keyframe, given, Inquiry(context))
    explained = _explained(study, others)
    return replace(explained, fact_depends=_fact_depends(study))


def _unknown_supposed(query: Query, keyframe: Keyframe) -> list[str]:
    """The inputs of which something is supposed though they are not known."""
    supposed = (each for each in query.suppositions if not isinstance(each, Keep))
    paths = {v.path for each in supposed for named in mentioned(keyframe.interface, each) for v in named.sources}
    return [path for path in keyframe.assumed if path in paths]


def _fact_depends(study: Study) -> str:
    """That what happened in fact depends on what is not known; empty if it does not, or if several steps are held."""
    query = study.query
    if not study.unknown or query.kind is QueryKind.DID or query.period.count > 1 or study.out_of_time:
        return ""
    did = Query(QueryKind.DID, query.behavior, steps=query.steps)
    given = answer(did.checked(study.interface), study.keyframe, study.asking.inner())
    return given.reason if given.why.code is ReasonCode.DEPENDS else ""


def _explained(study: Study, others: int) -> Explanation:
    given = study.answer
    if given.query.kind is QueryKind.DID or not given.verdict.is_definite:
        return Explanation(given)
    if is_proof(given):
        found = proof(study)
        return Explanation(given, proof=found, unsettled=tuple(_of_proof(found)), seconds=rounded(study.asking.seconds))
    matter = mattered(study, others)
    parted = _parted(matter, study)
    unsettled = tuple(_of_mattered(matter))
    return Explanation(given, matter, parted, unsettled=unsettled, seconds=rounded(study.asking.seconds))


def is_proof(given: Answer) -> bool:
    """Whether a definite answer is a proof over the whole family, and not shown by one scenario."""
    return (given.query.kind is QueryKind.WOULD) is (given.verdict is Verdict.YES)


def _parted(matter: Mattered | None, study: Study) -> Parting | None:
    if matter is None or not matter.sets or study.out_of_time:
        return None
    with study.asking.stage("part"):
        return parting(study.scenario(study.fact), matter.sets[0].scenario, study)


def _of_mattered(matter: Mattered | None) -> Iterator[str]:
    why = f": {matter.why}" if matter is not None and matter.why else ""
    if matter is None or not matter.sets:
        if matter is None or not matter.complete:
            yield f"which changes are enough{why}"
        return
    if not matter.sets[0].smallest:
        yield f"whether fewer changes are enough{why}"
    for flip in (flip for found in matter.sets for flip in found.flips):
        if isinstance(flip, NoFlip) and not flip.settled:
            yield f"where it flips along {flip.variable.path}: {flip.reason}"
    if not matter.complete and not matter.more:
        yield f"whether other changes are enough{why}"


def _of_proof(found: Proof) -> Iterator[str]:
    for need in found.suppositions:
        if need.needed is None:
            yield f"whether `{need.supposition}` is needed: {need.why}"
    for each in found.variables:
        if each.irrelevant is None:
            yield f"whether {each.variable.path} is irrelevant: {each.why}"
