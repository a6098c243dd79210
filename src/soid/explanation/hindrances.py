"""What stood in the way of a yes: the fewest further inputs that would have to be otherwise, and where it flips.

    would hold if battery >= 12.0        no, in no scenario: the one shown has the battery at 12.0
    what stood in the way                hdop was 3.68; at 2.5 it would hold, and so at everything below

It is looked for from the fact, if that is as was supposed; else the scenario that the answer shows is taken for the
fact. What is supposed stays supposed. If one of the scenarios that were asked about is a yes, it is looked for among
these; else every input that the question does not speak of may be otherwise, too. The search is that for what mattered.
All that it gives is run, and what it says of all values is proved.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping, Sequence
from typing import Final, final

from msgspec import Struct
from msgspec.structs import replace

from soid.budget import Budget
from soid.engine.summary import LeftOpen
from soid.explanation.counterfactuals import Counterfactual, CounterfactualDocument, mattered
from soid.explanation.flips import Flip
from soid.explanation.study import OCCURS, UNEXPLORED, Study
from soid.formula import build
from soid.formula import softfloat as sf
from soid.formula.checker import Impossible
from soid.formula.term import Term
from soid.oracle.answer import Answer, Verdict
from soid.oracle.inquiry import Inquiry
from soid.oracle.pipeline import answer
from soid.program import domain as domains
from soid.program.interface import Variable
from soid.program.types import BoolType, EnumType, FloatType
from soid.query.query import QueryKind
from soid.scenario.supposition import Anything, Supposition, mentioned
from soid.scenario.trace import Keyframe
from soid.witness.witness import Change, ChangeDocument, Witness

#: of the time that is left for an explanation, and seconds at most, for this part of it
_SHARE: Final = 0.5
_MOST: Final = 10.0
_ENOUGH: Final = 3.0  # seconds after which single inputs are tried no more, if one is found
_TOGETHER: Final = 16  # inputs that are free at once: of more, each is tried by itself first


@final
class HindranceDocument(Struct, frozen=True):
    """What stood in the way, as JSON."""

    question: str
    start: list[ChangeDocument]
    like_fact: bool
    no_difference: bool
    sets: list[CounterfactualDocument]
    onwards: list[bool]
    impossible: bool


@final
class Hindrance(Struct, frozen=True):
    """What stood in the way of a yes."""

    asked: Answer  # whether it might do it, asked where the search began
    start: tuple[Change, ...]  # what is otherwise there than in fact; nothing: it began at the fact
    is_like_fact: bool  # the fact has the outcome of the scenario shown: then no change mattered to it
    makes_no_difference: bool = False  # proved: whatever is supposed, it does it as little as in fact
    sets: tuple[Counterfactual, ...] = ()  # what has to be otherwise than there, the fewest changes first
    onwards: tuple[bool, ...] = ()  # of each set: proved that it does it from the flips on, all of them together
    why: LeftOpen | None = None  # why something is not settled

    @property
    def is_impossible(self) -> bool:
        """Proved: it does not do it whatever the other inputs are."""
        return self.asked.verdict is Verdict.NO

    @property
    def document(self) -> HindranceDocument:
        sets, onwards = [each.document for each in self.sets], list(self.onwards)
        start = [each.document for each in self.start]
        same = self.is_like_fact, self.makes_no_difference
        return HindranceDocument(self.asked.text, start, *same, sets, onwards, self.is_impossible)


def hindrance(study: Study, others: int) -> Hindrance | None:
    """What stood in the way of a yes; None if nothing did: the fact does it, or the answer is a yes.

    Nor is it looked for over several steps, where inputs are not known, and where the question compares with what is
    otherwise in fact than where the search begins.
    """
    given, query = study.answer, study.query
    refuted = given.verdict is Verdict.NO and given.witness is not None and query.kind is not QueryKind.DID
    if not refuted or query.period.count > 1 or study.unknown or study.out_of_time:
        return None
    assert given.witness is not None
    shown, fact = study.happens(given.witness.inputs), study.factual.happens
    if OCCURS in (shown, fact) or UNEXPLORED in (shown, fact):
        return None
    fits = study.family.contains(study.fact, punctured=False)
    if not fits and not _reads_the_same(study, given.witness):
        return None
    moment = study.keyframe if fits else _at(study.keyframe, given.witness.inputs)
    with study.asking.within(_SHARE, _MOST):
        search = _Search(study, moment, others)
        found = None if given.is_of_all else search.among((), query.suppositions, others)
        if found is None or found[0].verdict is Verdict.NO:
            if not (free := _not_named(study)):
                return None
            found = search.one_by_one(free) if len(free) > _TOGETHER else None
            found = found or search.among(free, query.suppositions, others)
        asked, sets, why = found
        onwards = tuple(_goes_on(each, search.there) for each in sets)
    is_like_fact = shown == fact
    start = () if fits else given.witness.changed
    return Hindrance(asked, start, is_like_fact, given.is_of_all and is_like_fact, sets, onwards, why)


def _reads_the_same(study: Study, witness: Witness) -> bool:
    """Whether the factual values that the question reads are the same in a scenario."""
    fact, there = {**study.answer.fact, **study.fact}, {**witness.outputs, **witness.inputs}
    read = study.query.facts(study.interface)
    return all(path in fact and fact[path] == there.get(path) for path in read)


def _not_named(study: Study) -> list[Variable]:
    """The inputs that the question does not speak of."""
    interface, supposed = study.interface, study.query.suppositions
    named = {variable.path for each in supposed for variable in mentioned(interface, each)}
    named |= {source.path for path in named for source in interface.variable(path).sources}
    return [variable for variable in interface.inputs if variable.path not in named]


_Found = tuple[Answer, tuple[Counterfactual, ...], LeftOpen | None]


@final
class _Search:
    """Looks for scenarios that are a yes, from a moment."""

    def __init__(self, study: Study, moment: Keyframe, others: int) -> None:
        self.study, self._moment, self._others = study, moment, others
        self.there = study

    def among(self, free: Sequence[Variable], supposed: tuple[Supposition, ...], others: int) -> _Found:
        """The fewest changes, where these may be otherwise, and what is supposed."""
        study = self.study
        supposed = (*supposed, *(Anything(variable.path) for variable in free))
        query = replace(study.query, kind=QueryKind.MIGHT, suppositions=supposed)
        asked = answer(query.checked(self._moment.interface), self._moment, study.asking.inner())
        if asked.verdict is not Verdict.YES:
            late = None if asked.verdict.is_definite else LeftOpen(asked.reason, asked.why.out_of_time)
            return asked, (), late
        self.there = Study.of(self._moment, asked, Inquiry(study.asking.inner()))
        ways = mattered(self.there, others)
        if ways is None or not ways.sets:
            return asked, (), LeftOpen("the time was over", out_of_time=True)
        return asked, ways.sets, None

    def one_by_one(self, free: Sequence[Variable]) -> _Found | None:
        """Single inputs that are enough, all else being as at the moment; None if none was found."""
        first: Answer | None = None
        sets: list[Counterfactual] = []
        enough = Budget(_ENOUGH).started()
        for variable in free:
            if self.study.out_of_time or len(sets) > self._others or (sets and enough.is_over):
                break
            if not self._may_help(variable):
                continue
            asked, found, _ = self.among([variable], (), others=0)
            if found:
                first = asked if first is None else first
                sets.append(found[0])
        return (first, tuple(sets), None) if first is not None else None

    def _may_help(self, variable: Variable) -> bool:
        """Whether it may do it for some value of one input: a look that is quick where it does not."""
        study, fixed = self.study, {path: bits for path, bits in self._moment.inputs.items() if path != variable.path}
        within = domains.formula(variable.type, variable.domain, variable.symbol)
        explored = study.explored(fixed, within)
        return not isinstance(explored.check([within, explored.where(OCCURS)]), Impossible)


def _at(keyframe: Keyframe, inputs: Mapping[str, int]) -> Keyframe:
    """A moment at which a scenario is the fact; what it would decide there was never logged."""
    there = {path: inputs[path] for path in keyframe.inputs}
    return dataclasses.replace(
        keyframe, inputs=there, decisions={}, rounded={}, unlogged=(), derived={}, unchecked="", follow=None
    )


def _goes_on(found: Counterfactual, study: Study) -> bool:
    """Whether it is proved that it does it at all values beyond the flips, all together, up to the domains' ends.

    Labels, which have no order, stay as they are in the scenario. Beyond what is no number, or the other zero,
    there is nothing that words could tell.
    """
    flips = [each for each in found.flips if isinstance(each, Flip) and each.neighbours and _is_compared(each)]
    labels = [each for each in found.flips if isinstance(each.variable.type, BoolType | EnumType)]
    if not flips or len(flips) + len(labels) < len(found.flips) or study.out_of_time:
        return False
    moved = {each.variable.path for each in flips}
    kept = {path: bits for path, bits in found.scenario.state.items() if path not in moved}
    beyond = build.all_of(_beyond(each) for each in flips)
    explored = study.explored(kept, beyond)
    doubt = build.not_(explored.where(OCCURS))
    return isinstance(explored.check([beyond, doubt]), Impossible)


def _is_compared(flip: Flip) -> bool:
    """Whether the one value is below the other as numbers are, which the two zeros are not."""
    kind = flip.variable.type
    return not isinstance(kind, FloatType) or sf.lt(kind.format, *flip.values) or sf.lt(kind.format, *flip.values[::-1])


def _beyond(flip: Flip) -> Term:
    """The values of its domain from the first at which it does it, away from the last at which it does not."""
    variable = flip.variable
    last, first = (variable.order.place_of(bits) for bits in flip.values)
    least, most = variable.order.places
    side = variable.between(first, most) if first > last else variable.between(least, first)
    return build.and_(side, domains.formula(variable.type, variable.domain, variable.symbol))
