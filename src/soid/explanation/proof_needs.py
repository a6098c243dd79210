"""What a proof needed: which freed variables are irrelevant to it, and which suppositions it needs.

A proved `would` and a refuted `might` say that the behavior is the same in every scenario of the family.

A freed variable is *irrelevant* if the proof needs no condition on it: in any scenario of the family this variable can
have any value of its domain, and its factual value, and the behavior stays the same. That is proved for each variable
alone, and then for all irrelevant ones together.

A supposition is *needed* if without it the behavior is not the same in every scenario: the variables that it mentions
then range over their domains, as far as no other supposition limits them. If only this supposition excludes the fact,
then the fact counts as a scenario too. Suppositions are dropped one after the other, in the order of the question, and
one that is not needed stays dropped. So the remaining ones are sufficient, and each of them is needed.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import assert_never, final

from msgspec import Struct
from msgspec.structs import replace

from soid.errors import REPORT_QUESTION, InternalError
from soid.explanation.study import OCCURS, UNEXPLORED, Explored, StudiedScenario, Study
from soid.formula import build
from soid.formula.checker import Impossible, Open, Possible
from soid.formula.passes import evaluate, free_variables, substitute
from soid.formula.term import Term
from soid.oracle.pipeline import answer
from soid.program import domain as domains
from soid.program.interface import Interface, Variable
from soid.query.language.query_printer import to_text
from soid.query.query import QueryKind
from soid.query.words import listed
from soid.scenario.family import Family
from soid.scenario.future import Future
from soid.scenario.pinned_variables import pinned
from soid.scenario.supposition import AnyBits, Anything, During, Supposition, mentioned, supposition_text
from soid.witness.settlement import settle
from soid.witness.witness import ChangeDocument, Witness, WitnessDocument


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

    @property
    def document(self) -> RelevanceDocument:
        witness = self.scenario.witness if self.scenario else None
        return RelevanceDocument(self.variable.path, self.irrelevant, *_shown(witness), self.why)


@final
class NeedDocument(Struct, frozen=True):
    """Whether the proof needs a supposition, as JSON."""

    supposition: str
    needed: bool | None
    question: str
    changed: list[ChangeDocument]
    scenario: WitnessDocument | None
    why: str


@final
class Need(Struct, frozen=True):
    """Whether the proof needs a supposition."""

    supposition: str
    needed: bool | None  # None: not settled
    question: str  # without it, and without the earlier ones that are not needed
    witness: Witness | None = None  # if it is needed: a state that is possible without it, perhaps the fact
    why: str = ""  # why it was not settled

    @property
    def document(self) -> NeedDocument:
        return NeedDocument(self.supposition, self.needed, self.question, *_shown(self.witness), self.why)


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
        needs = [each.document for each in self.suppositions]
        return ProofDocument([each.document for each in self.variables], self.together, needs)


def _shown(witness: Witness | None) -> tuple[list[ChangeDocument], WitnessDocument | None]:
    return ([change.document for change in witness.changed], witness.document) if witness else ([], None)


def proof(study: Study) -> Proof:
    family = study.family
    with study.asking.stage("needed"):
        needs = _needs(study)
    with study.asking.stage("irrelevant"):
        varied = [v for v in map(study.interface.variable, family.freed) if v not in study.unknown]
        variables = tuple(_relevance([variable], family, study) for variable in varied)
        loose = [each.variable for each in variables if each.irrelevant]
        together = _relevance(loose, family, study).irrelevant if len(loose) > 1 else None
    return Proof(variables, together, needs)


def _relevance(loose: Sequence[Variable], family: Family, study: Study) -> Relevance:
    """Whether variables may have any value in every scenario of the family; the first one names the result."""
    first = loose[0]
    if study.out_of_time:
        return Relevance(first, None, why="not looked at: the time was over")
    explored = _explored(loose, family, study)
    within = _anywhere(loose, family)
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
        case Open(reason):
            return Relevance(first, None, why=reason)
        case Impossible():
            unexplored = explored.check([*within, explored.encoding.unexplored])
            if isinstance(unexplored, Impossible):
                return Relevance(first, True)
            why = unexplored.reason if isinstance(unexplored, Open) else "some scenarios were left unexplored"
            return Relevance(first, None, why=why)
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
        case Open(reason):
            return Relevance(variable, None, why=f"it matters for some values of {names}: {reason}")
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
        return Relevance(variable, None, why=str(scenario.witness.ending))
    if not _breaks(scenario, study):
        raise InternalError(
            f"the scenario in which {variable.path} matters does not replay: {dict(scenario.state)}", REPORT_QUESTION
        )
    return Relevance(variable, False, scenario)


def _breaks(scenario: StudiedScenario, study: Study) -> bool:
    """Whether a scenario has the outcome that the proof excludes."""
    occurs = scenario.happens == OCCURS
    return scenario.happens != UNEXPLORED and occurs is (study.query.kind is QueryKind.MIGHT)


def _allows_fact(family: Family) -> bool:
    """Whether the fact satisfies the suppositions; what has one value in several steps must have had one."""
    freed = [family.interface.variable(path) for path in family.freed]
    symbols = {variable.symbol: family.fact[variable.path] for variable in freed}
    return all(map(family.was_one_value, freed)) and bool(evaluate(family.precondition, symbols))


def _anywhere(loose: Sequence[Variable], family: Family) -> list[Term]:
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


def _explored(loose: Sequence[Variable], family: Family, study: Study) -> Explored:
    """A superset of the states of `_anywhere`: without the conditions that mention the loose variables."""
    symbols = {v.symbol for v in loose}
    others = [conjunct.term for conjunct in family.conjuncts if not symbols & free_variables([conjunct.term])]
    precondition = build.all_of([*others, *_in_domain(loose, family)])
    bits = pinned(precondition)
    one_value = {v.symbol: v.path for v in map(study.interface.variable, family.freed) if v.symbol in bits}
    given = {path: bits[symbol] for symbol, path in one_value.items()}
    constants = {symbol: build.const(symbol.sort, bits[symbol]) for symbol in one_value}
    return study.explored({**family.fixed, **given}, *substitute([precondition], constants))


def _without(study: Study, dropped: Sequence[Supposition]) -> tuple[Supposition, ...]:
    """The suppositions without the dropped ones; what only those speak of is free in its domain, in the same steps."""
    query, interface = study.query, study.interface
    pairs = list(zip(query.suppositions, study.family.suppositions, strict=False))  # the rest are free later values
    left = [each for each in query.suppositions if not any(each is other for other in dropped)]
    still = {v.path for each, renamed in pairs if each in left for v in _sources(interface, renamed)}
    if query.future is not Future.ANYTHING:  # what is supposed without steps would last into those of others
        still |= {v.path for each in left if isinstance(each, During) for v in _sources(interface, each)}
    free: dict[str, Supposition] = {}
    for each, renamed in pairs:
        if each not in left:
            free |= {v.path: _freeing(v.path, each, study) for v in _sources(interface, renamed) if v.path not in still}
    return (*left, *(free[v.path] for v in interface.inputs if v.path in free))


def _sources(interface: Interface, supposition: Supposition) -> Iterator[Variable]:
    """The inputs that a supposition mentions."""
    return (source for variable in mentioned(interface, supposition) for source in variable.sources)


def _freeing(path: str, instead_of: Supposition, study: Study) -> Supposition:
    """The supposition that an input may have any value, in the steps of another."""
    wide, base = isinstance(study.family.freed.get(path), domains.AnyBitsDomain), path.partition("@")[0]
    free = AnyBits(base) if wide else Anything(base)
    if isinstance(instead_of, During):
        return During(free, instead_of.first, instead_of.last, instead_of.until)
    return free


def _excludes_nothing(supposition: Supposition) -> bool:
    supposed = supposition.supposed if isinstance(supposition, During) else supposition
    return isinstance(supposed, Anything | AnyBits)


def _needs(study: Study) -> tuple[Need, ...]:
    suppositions = study.query.suppositions
    if all(map(_excludes_nothing, suppositions)):
        return ()
    fact = study.settled_fact
    counts = _breaks(fact, study) or fact.happens == UNEXPLORED
    kept_out = fact if counts and not _allows_fact(study.family) else None
    dropped: list[Supposition] = []
    found: list[Need] = []
    for supposition in suppositions:
        if _excludes_nothing(supposition):
            continue
        need = _need(supposition, dropped, kept_out, study)
        if need.needed is False:
            dropped.append(supposition)
        found.append(need)
    return tuple(found)


def _need(
    supposition: Supposition, dropped: Sequence[Supposition], kept_out: StudiedScenario | None, study: Study
) -> Need:
    query = replace(study.query, suppositions=_without(study, [*dropped, supposition]))
    text, question = supposition_text(supposition), to_text(query)
    let_in = kept_out if _allows_fact(study.family_of(query)) else None
    if let_in is not None and let_in.happens != UNEXPLORED:
        return Need(text, True, question, let_in.witness)
    if study.out_of_time:
        return Need(text, None, question, why="not looked at: the time was over")
    given = answer(query.checked(study.keyframe.interface), study.keyframe, study.asking.inner())
    if not given.verdict.is_definite:
        return Need(text, None, question, why=given.reason)
    if given.verdict is not study.answer.verdict:
        return Need(text, True, question, given.witness)
    if let_in is not None:
        left = let_in.left_open if study.unknown else f"was left {let_in.witness.ending}"
        return Need(text, None, question, why=f"the fact would be among the scenarios, and {left}")
    return Need(text, False, question)
