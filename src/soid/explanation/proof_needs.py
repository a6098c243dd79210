"""What a proof needed: which freed variables are irrelevant to it, and which suppositions it needs.

A proved `would` and a refuted `might` say that the behavior is the same in every scenario of the family.

A freed variable is *irrelevant* if the proof needs no condition on it: in any scenario of the family this variable can
have any value of its domain, and its factual value, and the behavior stays the same. That is proved for each variable
alone, and then for all irrelevant ones together. One that has one value in several steps has it in all of them; what
was logged there is a value of it only if that is one.

Which suppositions it needs is found apart (`supposition_needs.py`).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import assert_never, final

from msgspec import Struct

from soid.errors import REPORT_QUESTION, InternalError
from soid.explanation.study import UNEXPLORED, Explored, StudiedScenario, Study, why_open
from soid.explanation.supposition_needs import Need, NeedDocument, needs, shown
from soid.formula import build
from soid.formula.checker import Impossible, Open, Possible
from soid.formula.passes import free_variables, substitute
from soid.formula.term import Term
from soid.program import domain as domains
from soid.program.interface import Variable
from soid.query.query import QueryKind
from soid.query.words import listed
from soid.scenario.family import Family
from soid.scenario.pinned_variables import pinned
from soid.witness.settlement import settle
from soid.witness.witness import ChangeDocument, WitnessDocument


@final
class RelevanceDocument(Struct, frozen=True):
    """Whether a variable is irrelevant, as JSON."""

    variable: str
    irrelevant: bool | None
    changed: list[ChangeDocument]
    scenario: WitnessDocument | None
    why: str


@final
class Relevance(Struct, frozen=True):
    """Whether a freed variable is irrelevant."""

    variable: Variable
    irrelevant: bool | None  # None: not settled
    scenario: StudiedScenario | None = None  # if it is relevant: a scenario with this variable changed breaks the proof
    why: str = ""  # why it was not settled
    out_of_time: bool = False  # more time may settle it

    @property
    def document(self) -> RelevanceDocument:
        witness = self.scenario.witness if self.scenario else None
        return RelevanceDocument(self.variable.path, self.irrelevant, *shown(witness), self.why)


@final
class ProofDocument(Struct, frozen=True):
    """What a proof rests on, as JSON."""

    variables: list[RelevanceDocument]
    irrelevant_together: bool | None
    suppositions: list[NeedDocument]


@final
class Proof(Struct, frozen=True):
    """What a proof rests on, and what it does not."""

    variables: tuple[Relevance, ...]  # of every freed variable
    together: bool | None  # the irrelevant ones are so together; None: not settled, or fewer than two
    suppositions: tuple[Need, ...]  # of every supposition that excludes something

    @property
    def document(self) -> ProofDocument:
        suppositions = [each.document for each in self.suppositions]
        return ProofDocument([each.document for each in self.variables], self.together, suppositions)


def proof(study: Study) -> Proof:
    family = study.family
    with study.asking.stage("needed"):
        found = needs(study)
    with study.asking.stage("irrelevant"):
        varied = [v for v in map(study.interface.variable, family.freed) if v not in study.unknown]
        variables = tuple(_relevance([variable], family, study) for variable in varied)
        loose = [each.variable for each in variables if each.irrelevant]
        together = _relevance(loose, family, study).irrelevant if len(loose) > 1 else None
    return Proof(variables, together, found)


def _relevance(loose: Sequence[Variable], family: Family, study: Study) -> Relevance:
    """Whether variables may have any value in every scenario of the family; the first one names the result."""
    first = loose[0]
    if study.out_of_time:
        return Relevance(first, None, why="not looked at: the time was over", out_of_time=True)
    explored = study.explored(*around(loose, family))
    within = anywhere(loose, family)
    broken = explored.not_occurring if study.query.kind is QueryKind.WOULD else explored.encoding.shows
    found = explored.check([*within, broken])
    match found:
        case Possible(model):
            if study.unknown:
                return _relevant_for_every_value(first, [*within, broken], explored, family, study)
            freed = [study.interface.variable(path) for path in family.freed]
            deadline = study.asking.witness_deadline()
            settled = settle([*within, broken], freed, study.fact, model, explored.check, deadline)
            state = {**family.fixed, **settled.state}
            return _relevant(first, study.scenario(state, settled=settled.complete), study)
        case Open(reason, late):
            return Relevance(first, None, why=reason, out_of_time=late)
        case Impossible():
            unexplored = explored.check([*within, explored.encoding.unexplored])
            if isinstance(unexplored, Impossible):
                return Relevance(first, True)
            left = why_open(unexplored, explored.encoding.left_open)
            return Relevance(first, None, why=left.reason, out_of_time=left.out_of_time)
        case _:
            assert_never(found)


def _relevant_for_every_value(
    variable: Variable, goal: Sequence[Term], explored: Explored, family: Family, study: Study
) -> Relevance:
    """Whether a variable that matters for some values of what is not known matters whatever these were.

    The scenario shown breaks the proof for all of them, if there is such a one.
    """
    every, names = study.every_value(explored), listed(map(study.called, study.unknown))
    found, check, one_by_one = every(goal), study.for_every_value(explored), False
    if not isinstance(found, Possible):
        found, check, one_by_one = every.for_each(goal), explored.check, True
    match found:
        case Impossible():
            return Relevance(variable, None, why=f"it matters for some values of {names}, and not for others")
        case Open(reason, late):
            return Relevance(variable, None, why=f"it matters for some values of {names}: {reason}", out_of_time=late)
        case Possible(model):
            values = {v.path: int(model.get(v.symbol, study.fact[v.path])) for v in study.unknown}
            pins = [v.equals(values[v.path]) for v in study.unknown] if one_by_one else []
            freed = [v for v in map(study.interface.variable, family.freed) if v not in study.unknown]
            settled = settle([*goal, *pins], freed, study.fact, model, check, study.asking.witness_deadline())
            state = {**family.fixed, **values, **settled.state}
            return _relevant(variable, study.scenario(state, settled=settled.complete), study)
        case _:
            assert_never(found)


def _relevant(variable: Variable, scenario: StudiedScenario, study: Study) -> Relevance:
    if scenario.happens == UNEXPLORED:
        late = scenario.left_open is not None and scenario.left_open.out_of_time
        return Relevance(variable, None, why=str(scenario.witness.ending), out_of_time=late)
    if not study.breaks(scenario):
        raise InternalError(
            f"the scenario in which {variable.path} matters does not replay: {dict(scenario.state)}", REPORT_QUESTION
        )
    return Relevance(variable, False, scenario)


def anywhere(loose: Sequence[Variable], family: Family) -> list[Term]:
    """The scenarios of the family with some variables moved anywhere in their domains.

    The family's formulas constrain the values before the move, under symbols of their own.
    """
    before = {v.symbol: build.var(f"{v.path} before", v.symbol.sort) for v in loose}
    terms = substitute([*(conjunct.term for conjunct in family.conjuncts), family.puncture], before)
    return [*terms, *_in_domain(loose, family)]


def _in_domain(loose: Sequence[Variable], family: Family) -> list[Term]:
    """The formula: each variable lies in its domain or is as in fact. A logged value may lie outside, such as a NaN."""
    found = []
    for variable in loose:
        path, kind = variable.path, variable.type
        inside = domains.formula(kind, family.freed[path], variable.symbol)
        as_in_fact = variable.equals(family.fact[path]) if family.was_one_value(variable) else build.FALSE
        outside = not domains.contains(kind, family.freed[path], family.fact[path])
        found.append(build.or_(inside, as_in_fact) if outside else inside)
    return found


def around(loose: Sequence[Variable], family: Family) -> tuple[dict[str, int], Term]:
    """A superset of the states of `anywhere`, without the conditions that mention the loose variables.

    What has one value in all of them, and the condition for the rest.
    """
    symbols = {v.symbol for v in loose}
    others = [conjunct.term for conjunct in family.conjuncts if not symbols & free_variables([conjunct.term])]
    precondition = build.all_of([*others, *_in_domain(loose, family)])
    bits = pinned(precondition)
    one_value = {v.symbol: v.path for v in map(family.interface.variable, family.freed) if v.symbol in bits}
    given = {path: bits[symbol] for symbol, path in one_value.items()}
    constants = {symbol: build.const(symbol.sort, bits[symbol]) for symbol in one_value}
    (condition,) = substitute([precondition], constants)
    return {**family.fixed, **given}, condition
