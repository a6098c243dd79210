"""A second opinion about a property of a network: another verifier is asked the same, about real numbers.

It is given the layers as soid has read them, not the file. Its floats have a tolerance, and it takes `<` for `<=`; so
it may say `sat` where no float does, and its word changes no answer. The point that it finds is rounded to floats of
the box and run. If these satisfy what soid has proved to be impossible, soid contradicts itself.
"""

from __future__ import annotations

import itertools
import math
import time
from collections.abc import Callable, Iterable, Sequence
from fractions import Fraction
from typing import Final, assert_never, final

from msgspec.structs import replace

from soid.allowance import allowed
from soid.budget import Budget, Cancellation
from soid.case.network_property import Box, PropertyExaminer
from soid.case.property_answer import OpinionResult, PropertyAnswer, PropertyResult, SecondOpinion
from soid.engine.learned.float_places import SORTS, float_at, nearest_place
from soid.engine.learned.marabou import Verifier
from soid.engine.learned.model import LearnedModel
from soid.engine.learned.network import NetworkSum
from soid.engine.learned.networks.real_network import NoRealQueryError, RealNetwork, summed
from soid.engine.learned.real_query import RealQuery, RealRow
from soid.engine.replay import NotAvailable
from soid.errors import InternalError
from soid.formula import softfloat as sf
from soid.oracle.inquiry import QuestionProgress
from soid.query.vnnlib import Condition, Joined, LinearRelation, PropertyCase

_MOST: Final = 1000  # alternatives
_LONGEST: Final = 86400.0  # seconds, where a question has no limit


def with_second_opinion(
    answer: PropertyAnswer,
    examiner: PropertyExaminer,
    verifier: Verifier,
    seconds: float | None,
    cancel: Cancellation | None = None,
    progress: Callable[[QuestionProgress], None] = lambda _: None,
) -> PropertyAnswer:
    """The answer with the verifier's opinion, which may take so many seconds."""
    progress(QuestionProgress("solve"))
    with allowed(cancel=cancel):
        opinion = _Opinion(answer.result, examiner, verifier).found(_LONGEST if seconds is None else seconds)
    return replace(answer, second_opinion=opinion)


@final
class _Opinion:
    def __init__(self, ours: PropertyResult, examiner: PropertyExaminer, verifier: Verifier) -> None:
        self._ours = ours
        self._examiner = examiner
        self._verifier = verifier
        self._begin = time.monotonic()

    def found(self, seconds: float) -> SecondOpinion:
        deadline = Budget(seconds).started()
        try:
            questions = [(query, case.sought, box) for case, box, query in self._questions()]
        except OverflowError:
            return self._said("not asked", "the property has a number that is too large for a float64")
        except NoRealQueryError as error:
            return self._said("not asked", str(error))
        if not questions:
            return self._said("not asked", "no float lies in the property's boxes, or nothing satisfies its relations")
        obstacle = self._verifier.obstacle()
        if obstacle:
            return self._said("not asked", obstacle)
        open_ = ""
        for query, sought, box in questions:
            reply = self._verifier.ask(query, deadline.seconds_left or 0.0)
            if isinstance(reply, NotAvailable):
                return self._said("unknown", reply.reason)
            if reply.word == "sat" and len(reply.point) == len(box):
                return self._possible(sought, box, reply.point)
            open_ = open_ or ("" if reply.word == "unsat" else f"its word is {reply.word[:40]}")
        return self._said("unknown", open_) if open_ else self._said("unsat", self._fit("unsat"))

    def _questions(self) -> Iterable[tuple[PropertyCase, Box, RealQuery]]:
        """Each case of the property as a question, unless there is nothing to ask."""
        model = self._examiner.network.model
        (network,) = model.networks
        real = RealNetwork(network, len(model.features))
        rows, relus = tuple(real.rows), tuple(real.relus)
        sorts = [SORTS[each.precision] for each in model.features]
        for case, box in self._examiner.cases():
            ranges = tuple(
                (float_at(sort, low), float_at(sort, high)) for sort, (low, high) in zip(sorts, box, strict=True)
            )
            choices = tuple(tuple(_row(each, model, real) for each in one) for one in _alternatives(case.sought))
            if choices:
                yield case, box, RealQuery(real.variables, ranges, rows, relus, choices)

    def _possible(self, sought: Condition, box: Box, point: Sequence[float]) -> SecondOpinion:
        """`sat`: the floats next to the point are run."""
        sorts = [SORTS[each.precision] for each in self._examiner.network.model.features]
        places = [
            min(max(nearest_place(sort, number), low), high)
            for sort, number, (low, high) in zip(sorts, point, box, strict=True)
        ]
        inputs = [sf.from_ordinal(sort, place) for sort, place in zip(sorts, places, strict=True)]
        outputs = self._examiner.outputs_at(inputs)
        shown = self._examiner.shown(inputs, outputs)
        satisfied = None if outputs is None else holds(sought, self._examiner.values(outputs))
        if satisfied and self._ours is PropertyResult.UNSAT:
            raise InternalError(
                f"soid says unsat, and the runtime satisfies the property for {', '.join(shown[0])}",
                "soid is wrong here. Please report this, with the network and the property.",
            )
        run = "satisfy it when run" if satisfied else "do not satisfy it when run"
        told = "its point was not run" if satisfied is None else f"the floats next to its point {run}"
        return self._said("sat", f"{self._fit('sat')}; {told}", *shown, satisfied)

    def _fit(self, word: str) -> str:
        ours = self._ours.value
        return "as soid does" if ours == word else f"soid says {ours}" + ("" if ours == "unknown" else ", about floats")

    def _said(
        self,
        result: OpinionResult,
        reason: str,
        inputs: tuple[str, ...] = (),
        outputs: tuple[str, ...] = (),
        satisfied: bool | None = None,
    ) -> SecondOpinion:
        both = {result, self._ours.value} <= {"sat", "unsat"}
        agrees = result == self._ours.value if both else None
        seconds = time.monotonic() - self._begin
        return SecondOpinion(
            self._verifier.name, "real numbers", result, reason, agrees, inputs, outputs, satisfied, seconds
        )


def _row(relation: LinearRelation, model: LearnedModel, real: RealNetwork) -> RealRow:
    """A relation of outputs as one of variables."""
    sums = {each.name: each for each in model.sums}
    terms = []
    for _, place, factor in relation.terms:
        number = sums.get(model.outputs[place].number)
        if not isinstance(number, NetworkSum):
            raise NoRealQueryError(f"it knows no number like {model.outputs[place].name}")
        terms += [(real.vectors[each.vector][each.element], float(factor) * each.factor) for each in number.terms]
    return RealRow(tuple(summed(terms)), float(relation.bound))


def _alternatives(sought: Condition) -> list[tuple[LinearRelation, ...]]:
    """All ways in which a condition may hold: in each of them several relations do."""
    if _count(sought) > _MOST:
        raise NoRealQueryError(f"the property has more than {_MOST} alternatives")
    return list(_ways(sought))


def _count(sought: Condition) -> int:
    if isinstance(sought, LinearRelation):
        return 1
    counts = [_count(each) for each in sought.parts]
    return math.prod(counts) if sought.every else sum(counts)


def _ways(sought: Condition) -> Iterable[tuple[LinearRelation, ...]]:
    if isinstance(sought, LinearRelation):
        return [(sought,)]
    if not _count(sought):  # of the other parts there may be very many
        return []
    parts = [list(_ways(each)) for each in sought.parts]
    if not sought.every:
        return itertools.chain.from_iterable(parts)
    return (tuple(itertools.chain.from_iterable(each)) for each in itertools.product(*parts))


def holds(sought: Condition, outputs: Sequence[Fraction | None]) -> bool:
    """Whether outputs satisfy a condition, exactly; one that is no finite number satisfies none."""
    match sought:
        case Joined(every, parts):
            return (all if every else any)(holds(each, outputs) for each in parts)
        case LinearRelation(terms, comparison, bound):
            numbers = [(outputs[place], factor) for _, place, factor in terms]
            known = [number * factor for number, factor in numbers if number is not None]
            total = sum(known, Fraction(0))
            return len(known) == len(terms) and (total <= bound if comparison == "<=" else total < bound)
        case _:
            assert_never(sought)
