"""What stood in the way of a yes: the fewest further inputs that would have to be otherwise, and where it flips.

    would hold if battery >= 12.0        no, in no scenario: the one shown has the battery at 12.0
    what stood in the way                hdop was 3.68; at 2.5 it would hold, and so at everything below

It is looked for from the fact, if that is as was supposed; else the scenario that the answer shows is taken for the
fact. What is supposed stays supposed. If one of the scenarios that were asked about is a yes, it is looked for among
these; else every input that the question does not speak of may be otherwise, too. The search is that for what mattered.
All that it gives is run, and what it says of all values is proved.

Over several steps it is always looked for from what happened, or from nothing changed, with what is supposed. Of the
other inputs one alone is otherwise first, with one value in all of its steps; as logged, only that is looked for.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping, Sequence
from typing import Final, final

from msgspec import Struct, field
from msgspec.structs import replace

from soid.budget import Budget
from soid.engine.summary import LeftOpen
from soid.explanation.counterfactuals import Counterfactual, CounterfactualDocument, mattered
from soid.explanation.flips import ALIKE, Flip, NoFlip
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
from soid.query.words import listed
from soid.scenario.future import Future
from soid.scenario.supposition import Anything, Supposition, mentioned
from soid.scenario.trace import Keyframe
from soid.witness.witness import Change, ChangeDocument, Witness

#: of the time that is left for an explanation, and seconds at most, for this part of it
_SHARE: Final = 0.5
_MOST: Final = 10.0
_SHARE_OF_STEPS: Final = 0.25  # over several steps, each of which takes its time
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
    steps: dict[str, str] = {}
    varied: list[str] = []
    alone: list[str] = []


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
    steps: Mapping[str, str] = field(default_factory=dict)  # of inputs of these sets, over several steps: in words
    varied: tuple[str, ...] = ()  # those of them that had several values in these steps in fact
    alone: tuple[str, ...] = ()  # proved: no one of these inputs, with one value in all steps, is enough by itself

    @property
    def is_impossible(self) -> bool:
        """Proved: it does not do it whatever the other inputs are."""
        return self.asked.verdict is Verdict.NO and not self.alone

    @property
    def document(self) -> HindranceDocument:
        sets, onwards = [each.document for each in self.sets], list(self.onwards)
        start = [each.document for each in self.start]
        same = self.is_like_fact, self.makes_no_difference
        found = self.asked.text, start, *same, sets, onwards, self.is_impossible
        return HindranceDocument(*found, dict(self.steps), list(self.varied), list(self.alone))


def hindrance(study: Study, others: int) -> Hindrance | LeftOpen | None:
    """What stood in the way of a yes, or why it is not looked for; None if nothing did.

    Nothing did if the fact does it, or the answer is a yes.
    """
    given, query = study.answer, study.query
    if given.verdict is not Verdict.NO or given.witness is None or query.kind is QueryKind.DID:
        return None
    if study.out_of_time:
        return LeftOpen("the time was over", out_of_time=True)
    shown, fact = study.happens(given.witness.inputs), study.factual.happens
    if OCCURS in (shown, fact):
        return None
    several, fits = query.period.count > 1, study.family.contains(study.fact, punctured=False)
    rebased = not fits and not several
    if (why_not := _refused(study, (shown, fact), given.witness if rebased else None)) is not None:
        return why_not
    moment = _at(study.keyframe, given.witness.inputs) if rebased else study.keyframe
    limits = (_SHARE_OF_STEPS, None) if several else (_SHARE, _MOST)
    with study.asking.within(*limits):
        search = _Search(study, moment, others, () if rebased else query.suppositions)
        found = None if given.is_of_all else search.among((), query.suppositions, others)
        if found is None or found[0].verdict is Verdict.NO:
            if not (free := _not_named(study)):
                return LeftOpen("the question speaks of every input, so no other one could be otherwise")
            found = search.one_by_one(free) if len(free) > _TOGETHER or several else None
            if found is None and query.future is not Future.AS_LOGGED:
                found = search.among(free, query.suppositions, others)
        if found is None:  # as logged: of many inputs together each would have to keep what the log changes
            return LeftOpen("of the other inputs some were not looked at", out_of_time=True)
        asked, studied, why = found
        onwards = tuple(_goes_on(*each) for each in studied)
    is_like_fact = shown == fact
    start = given.witness.changed if rebased else ()
    sets = tuple(each for each, _ in studied)
    made = Hindrance(asked, start, is_like_fact, given.is_of_all and is_like_fact, sets, onwards, why)
    return _over_steps(made, studied, search.alone) if several else made


def _refused(study: Study, outcomes: tuple[str, str], began: Witness | None) -> LeftOpen | None:
    """Why it is not looked for; `began` is the scenario that is taken for the fact, if one is."""
    if study.unknown:
        names = listed(map(study.called, study.unknown))
        was, it = ("was", "it") if len(study.unknown) == 1 else ("were", "them")
        return LeftOpen(f"what {names} {was} in fact is not known: log {it}, or suppose {it}")
    if UNEXPLORED in outcomes:
        return LeftOpen("what happens in fact, or in the scenario shown, was left unexplored")
    if began is not None and not _reads_the_same(study, began):
        return LeftOpen("the question compares with what was in fact, which is otherwise in the scenario shown")
    return None


def _over_steps(found: Hindrance, studied: Sequence[_Studied], alone: Sequence[str]) -> Hindrance:
    """The same with the steps of what is changed, and which of that had several values in fact."""
    steps: dict[str, str] = {}
    varied: list[str] = []
    for each, there in studied:
        steps |= {path: there.course.told(path, there.keyframe.step) for path in each.variables}
        varied += [path for path in each.variables if not there.family.was_one_value(there.interface.variable(path))]
    return replace(found, steps=steps, varied=tuple(dict.fromkeys(varied)), alone=() if found.sets else tuple(alone))


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


#: what has to be otherwise, and the question in which it was found
_Studied = tuple[Counterfactual, Study]
_Found = tuple[Answer, tuple[_Studied, ...], LeftOpen | None]


@final
class _Search:
    """Looks for scenarios that are a yes, from a moment."""

    def __init__(self, study: Study, moment: Keyframe, others: int, supposed: tuple[Supposition, ...]) -> None:
        self.study, self._moment, self._others = study, moment, others
        self._supposed = supposed  # of single inputs too; nothing where the moment is as was supposed
        self.alone: list[str] = []  # inputs of which it is proved that none by itself is enough

    def among(self, free: Sequence[Variable], supposed: tuple[Supposition, ...], others: int) -> _Found:
        """The fewest changes, where these may be otherwise, and what is supposed."""
        study = self.study
        supposed = (*supposed, *(Anything(variable.path) for variable in free))
        query = replace(study.query, kind=QueryKind.MIGHT, suppositions=supposed)
        asked = answer(query.checked(self._moment.interface), self._moment, study.asking.inner())
        if asked.verdict is not Verdict.YES:
            late = (
                None if asked.verdict.is_definite else LeftOpen(asked.obstacle or asked.reason, asked.why.out_of_time)
            )
            return asked, (), late
        there = Study.of(self._moment, asked, Inquiry(study.asking.inner()))
        ways = mattered(there, others)
        if ways is None or not ways.sets:
            return asked, (), LeftOpen("the time was over", out_of_time=True)
        return asked, tuple((each, there) for each in ways.sets), None

    def one_by_one(self, free: Sequence[Variable]) -> _Found | None:
        """Single inputs that are enough, all else being as at the moment; None if none was found."""
        first: Answer | None = None
        sets: list[_Studied] = []
        enough = Budget(_ENOUGH).started()
        for variable in free:
            if self.study.out_of_time or len(sets) > self._others or (sets and enough.is_over):
                break
            if not self._may_help(variable):
                continue
            asked, found, _ = self.among([variable], self._supposed, others=0)
            if found:
                first = asked if first is None else first
                sets.append(found[0])
            elif asked.verdict is Verdict.NO:
                self.alone.append(variable.path)
                last = asked
        if first is None and len(self.alone) == len(free) and self.study.query.future is Future.AS_LOGGED:
            return last, (), None
        return (first, tuple(sets), None) if first is not None else None

    def _may_help(self, variable: Variable) -> bool:
        """Whether it may do it for some value of one input: a look that is quick where it does not."""
        if self.study.query.period.count > 1:
            return True  # the question itself has to say what is perceived in each step
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
    if study.query.period.count > 1:  # what only does what is supposed, which is told as it is
        labels += [each for each in found.flips if isinstance(each, NoFlip) and each.reason in ALIKE]
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
