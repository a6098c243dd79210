"""Explaining an answer: this module alone defines the order of the stages.

answer      the oracle's answer, as `ask` gives it
smallest    which variables must change for the scenario shown, and which other sets are enough        (a scenario)
flip        for each of them: where the outcome flips
hindrance   what else stood in the way of a yes, if neither the fact nor any scenario that was asked about is one
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
from soid.engine.summary import LeftOpen
from soid.explanation.counterfactuals import Mattered, MatteredDocument, mattered
from soid.explanation.divergence import Parting, PartingDocument, parting
from soid.explanation.flips import NoFlip
from soid.explanation.hindrances import Hindrance, HindranceDocument, hindrance
from soid.explanation.proof_needs import Proof, ProofDocument, proof
from soid.explanation.refusal import refusal
from soid.explanation.study import Study
from soid.oracle.answer import Answer, AnswerDocument, Verdict
from soid.oracle.inquiry import Context, Inquiry
from soid.oracle.pipeline import answer
from soid.oracle.reason import ReasonCode
from soid.query.query import CheckedQuery, Query, QueryKind
from soid.scenario.future import Future
from soid.scenario.input_names import called
from soid.scenario.trace import Keyframe
from soid.shown import Shown

#: how many further change sets are looked for by default
OTHERS: Final = 3

#: what a scenario is compared with, by the future: the fact went on otherwise than where all is held, or in a model
UNCHANGED: Final = {
    None: "in fact",
    Future.AS_LOGGED.value: "in fact",
    Future.HELD.value: "nothing changed",
    Future.ANYTHING.value: "in fact",
    Future.CLOSED_LOOP.value: "nothing changed",
}


@final
class ExplanationDocument(Document, frozen=True):
    """An explanation as JSON."""

    answer: AnswerDocument
    mattered: MatteredDocument | None
    parting: PartingDocument | None
    proof: ProofDocument | None
    unsettled: tuple[str, ...]
    out_of_time: bool
    fact_depends: str
    steps: dict[str, str]
    lasting: tuple[str, ...]
    seconds: dict[str, float]
    hindrance: HindranceDocument | None = None  # on a record there is none


@final
class Explanation(Shown, Struct, frozen=True):
    """An answer, with what mattered to its scenario, or with what its proof needed, or with neither."""

    answer: Answer
    mattered: Mattered | None = None  # if the answer shows a scenario
    parting: Parting | None = None  # where the fact and the scenario with the fewest changes diverge
    proof: Proof | None = None  # if the answer is proved over the whole family
    hindrance: Hindrance | None = None  # what stood in the way of a yes, if the fact is none either
    unsettled: tuple[str, ...] = ()  # what was not settled, in words
    out_of_time: bool = False  # more time may settle some of that
    fact_depends: str = ""  # that what happened in fact depends on what is not known, in words, with where it changes
    steps: Mapping[str, str] = field(default_factory=dict)  # by input that varies, if there are several: in words
    lasting: tuple[str, ...] = ()  # inputs that vary and have one value in several steps
    seconds: Mapping[str, float] = field(default_factory=dict)  # by stage

    def __repr__(self) -> str:
        return f"Explanation({self.answer!r})"

    def called(self, path: str) -> str:
        """An input in words: its variable, and its steps."""
        return called(path, self.steps)

    @property
    def is_like_fact(self) -> bool:
        """Whether what is supposed makes no difference: then no change of it mattered."""
        return self.hindrance is not None and self.hindrance.is_like_fact

    @property
    def unchanged(self) -> str:
        """What a scenario is compared with, in words."""
        return UNCHANGED[self.answer.future]

    @property
    def document(self) -> ExplanationDocument:
        return ExplanationDocument.of(self)


def explain(checked: CheckedQuery, keyframe: Keyframe, context: Context, *, others: int = OTHERS) -> Explanation:
    """Answer a question and explain the answer; each of the two has the whole time of the settings."""
    if (why := refusal(checked.query, keyframe)) is not None:
        raise why
    given = answer(checked, keyframe, context)
    if given.query.kind is QueryKind.DID:
        return Explanation(given)
    study = Study.of(keyframe, given, Inquiry(context))
    explained = _explained(study, others) if given.verdict.is_definite else Explanation(given)
    return replace(explained, fact_depends=_fact_depends(study), steps=_steps(study), lasting=_lasting(study))


def _steps(study: Study) -> dict[str, str]:
    """The steps of each input that varies, in words."""
    told = {path: study.course.told(path, study.keyframe.step) for path in study.family.freed}
    return {path: steps for path, steps in told.items() if steps}


def _lasting(study: Study) -> tuple[str, ...]:
    """The inputs that vary and have one value in several steps."""
    return tuple(path for path in study.family.freed if path in study.course.lasting)


def _fact_depends(study: Study) -> str:
    """That what happened in fact depends on what is not known; empty if it does not, or if several steps are held."""
    query = study.query
    several = query.period.count > 1 and query.future is not Future.AS_LOGGED
    if not study.unknown or several or study.out_of_time:
        return ""
    did = Query(QueryKind.DID, query.behavior, steps=replace(query.period, future=None))
    given = answer(did.checked(study.keyframe.interface), study.keyframe, study.asking.inner())
    return given.reason if given.why.code is ReasonCode.DEPENDS else ""


def _explained(study: Study, others: int) -> Explanation:
    given = study.answer
    if is_proof(given):
        found = proof(study)
        explained, left = Explanation(given, proof=found), tuple(_of_proof(found, study))
    else:
        matter = mattered(study, others)
        explained, left = Explanation(given, matter, _parted(matter, study)), tuple(_of_mattered(matter, study))
    with study.asking.stage("hindrance"):
        in_the_way = hindrance(study, others)
    why = in_the_way.why if isinstance(in_the_way, Hindrance) else in_the_way
    if why is not None:
        left += (replace(why, reason=f"what stood in the way of it: {why.reason}"),)
    if isinstance(in_the_way, Hindrance):
        explained = replace(explained, hindrance=in_the_way)
    late = any(each.out_of_time for each in left)
    seconds = rounded(study.asking.seconds)
    return replace(explained, unsettled=tuple(map(str, left)), out_of_time=late, seconds=seconds)


def is_proof(given: Answer) -> bool:
    """Whether a definite answer is a proof over the whole family, and not shown by one scenario."""
    return (given.query.kind is QueryKind.WOULD) is (given.verdict is Verdict.YES)


def _parted(matter: Mattered | None, study: Study) -> Parting | None:
    if matter is None or not matter.sets or study.out_of_time or not study.asking.context.engine.has_ways:
        return None
    with study.asking.stage("part"):
        steps = study.query.period.count
        return parting(study.factual, matter.sets[0].scenario, study.trail, steps=steps)


def _of_mattered(matter: Mattered | None, study: Study) -> Iterator[LeftOpen]:
    why, late = "", study.out_of_time
    if matter is not None and matter.why is not None:
        why, late = f": {matter.why}", matter.why.out_of_time or late
    if matter is None or not matter.sets:
        if matter is None or not matter.complete:
            yield LeftOpen(f"which changes are enough{why}", late)
        return
    if not matter.sets[0].smallest:
        yield LeftOpen(f"whether fewer changes are enough{why}", late)
    for flip in (flip for found in matter.sets for flip in found.flips):
        if isinstance(flip, NoFlip) and not flip.settled:
            yield LeftOpen(f"where it flips along {study.called(flip.variable)}: {flip.reason}", flip.out_of_time)
    if not matter.complete and not matter.more:
        yield LeftOpen(f"whether other changes are enough{why}", late)


def _of_proof(found: Proof, study: Study) -> Iterator[LeftOpen]:
    for need in found.suppositions:
        if need.needed is None:
            yield LeftOpen(f"whether `{need.supposition}` is needed: {need.why}", need.out_of_time)
    for each in found.variables:
        if each.irrelevant is None:
            yield LeftOpen(f"whether {study.called(each.variable)} is irrelevant: {each.why}", each.out_of_time)
