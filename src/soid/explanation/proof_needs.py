"""What a proof needed: which of the freed variables are irrelevant to it, and which suppositions it cannot do without.

A proved `would` and a refuted `might` say that the behavior is the same all over the family.

A freed variable is *irrelevant* if nothing about it is needed for that: take any scenario of the family and give this
one variable any value of its domain instead, its factual one too; the behavior is still the same. That is proved for
each variable by itself, and then for all of them together.

A supposition is *needed* if without it the behavior is no longer the same everywhere: the variables that it speaks of
then range over their domains, as far as no other supposition limits them. Where it is what keeps the fact out, the fact
counts as well. Suppositions are dropped one after the other, in the order in which they were put, and each that is not
needed stays dropped. So those that are left are enough, and none of them can go.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import assert_never, final

from msgspec import Struct
from msgspec.structs import replace

from soid.errors import InternalError
from soid.explanation.study import OCCURS, UNEXPLORED, Explored, StudiedScenario, Study
from soid.formula import build
from soid.formula.checker import Impossible, Open, Possible
from soid.formula.passes import evaluate, free_variables, substitute
from soid.formula.term import Term
from soid.oracle.pipeline import answer
from soid.program import domain as domains
from soid.program.interface import Variable
from soid.query.language.query_printer import to_text
from soid.query.query import QueryKind
from soid.scenario.family import Family
from soid.scenario.pinned_variables import pinned
from soid.scenario.supposition import AnyBits, Anything, Supposition, mentioned, supposition_text
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
    """Whether a freed variable can be anything."""

    variable: Variable
    irrelevant: bool | None  # None: not settled
    scenario: StudiedScenario | None = None  # where it is relevant: a change of it in a scenario of the family led here
    why: str = ""  # it was not settled

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
    question: str  # without it, and without those before it that were not needed
    witness: Witness | None = None  # where it is needed: what is possible without it, be it the fact
    why: str = ""  # it was not settled

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

    variables: tuple[Relevance, ...]  # all that were freed
    together: bool | None  # all irrelevant ones may be anything at once; None: not settled, or fewer than two
    suppositions: tuple[Need, ...]  # all that exclude something

    @property
    def document(self) -> ProofDocument:
        needs = [each.document for each in self.suppositions]
        return ProofDocument([each.document for each in self.variables], self.together, needs)


def _shown(witness: Witness | None) -> tuple[list[ChangeDocument], WitnessDocument | None]:
    return ([change.document for change in witness.changed], witness.document) if witness else ([], None)


def proof(study: Study) -> Proof:
    """What the proof needed."""
    family = study.family(study.query.suppositions)
    with study.asking.stage("needed"):
        needs = _needs(family, study)
    with study.asking.stage("irrelevant"):
        variables = tuple(_relevance([study.interface.variable(path)], family, study) for path in family.freed)
        loose = [each.variable for each in variables if each.irrelevant]
        together = _relevance(loose, family, study).irrelevant if len(loose) > 1 else None
    return Proof(variables, together, needs)


# --- irrelevant variables -------------------------------------------------------------------------------------


def _relevance(loose: Sequence[Variable], family: Family, study: Study) -> Relevance:
    """Whether variables may be anything, in whatever scenario of the family; the first one stands for them all."""
    first = loose[0]
    if study.out_of_time:
        return Relevance(first, None, why="not looked at: the time was over")
    explored = _explored(loose, family, study)
    within = _anywhere(loose, family)
    broken = explored.not_occurring if study.query.kind is QueryKind.WOULD else explored.encoding.shows
    found = explored.check([*within, broken])
    match found:
        case Possible(model):
            freed = [study.interface.variable(path) for path in family.freed]
            deadline = study.asking.witness_deadline()
            settled = settle([*within, broken], freed, study.fact, model, explored.check, deadline)
            return _relevant(first, study.scenario({**family.fixed, **settled.state}, settled=settled.complete), study)
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


def _relevant(variable: Variable, scenario: StudiedScenario, study: Study) -> Relevance:
    if scenario.happens == UNEXPLORED:
        return Relevance(variable, None, why=str(scenario.witness.ending))
    if not _breaks(scenario, study):
        raise InternalError(
            f"the scenario in which {variable.path} matters does not replay: {dict(scenario.state)}",
            "Please report this with the program, the log and the question.",
        )
    return Relevance(variable, False, scenario)


def _breaks(scenario: StudiedScenario, study: Study) -> bool:
    """Whether what happens in a scenario is what the proof excludes."""
    occurs = scenario.happens == OCCURS
    return scenario.happens != UNEXPLORED and occurs is (study.query.kind is QueryKind.MIGHT)


def _allows_fact(family: Family) -> bool:
    """Whether the fact satisfies the suppositions."""
    symbols = {family.interface.variable(path).symbol: family.fact[path] for path in family.freed}
    return bool(evaluate(family.precondition, symbols))


def _anywhere(loose: Sequence[Variable], family: Family) -> list[Term]:
    """The scenarios of the family with some variables moved anywhere in their domains: they were elsewhere before."""
    before = {v.symbol: build.var(f"{v.path} before", v.symbol.sort) for v in loose}
    terms = substitute([*(conjunct.term for conjunct in family.conjuncts), family.puncture], before)
    return [*terms, *_in_domain(loose, family)]


def _in_domain(loose: Sequence[Variable], family: Family) -> list[Term]:
    """That variables lie in their domains or are as in fact; a log may have what no domain has, such as a NaN."""
    inside = (domains.formula(v.type, family.freed[v.path], v.symbol) for v in loose)
    return [build.or_(term, v.equals(family.fact[v.path])) for v, term in zip(loose, inside, strict=True)]


def _explored(loose: Sequence[Variable], family: Family, study: Study) -> Explored:
    """All states that `_anywhere` may mean, and more: what is said of the loose variables is left out."""
    symbols = {v.symbol for v in loose}
    others = [conjunct.term for conjunct in family.conjuncts if not symbols & free_variables([conjunct.term])]
    precondition = build.all_of([*others, *_in_domain(loose, family)])
    bits = pinned(precondition)
    one_value = {v.symbol: v.path for v in map(study.interface.variable, family.freed) if v.symbol in bits}
    given = {path: bits[symbol] for symbol, path in one_value.items()}
    constants = {symbol: build.const(symbol.sort, bits[symbol]) for symbol in one_value}
    return study.explored({**family.fixed, **given}, *substitute([precondition], constants))


# --- needed suppositions --------------------------------------------------------------------------------------


def _without(family: Family, dropped: Sequence[Supposition]) -> tuple[Supposition, ...]:
    """The suppositions but for some; what these speak of is free in its domain, as far as no other one says more."""
    left = [each for each in family.suppositions if not any(each is other for other in dropped)]
    spoken_of, still = (
        {v.path for each in some for v in mentioned(family.interface, each)} for some in (dropped, left)
    )
    wide = {path for path, domain in family.freed.items() if isinstance(domain, domains.AnyBitsDomain)}
    orphans = [v.path for v in family.interface.inputs if v.path in spoken_of - still]
    return (*left, *(AnyBits(path) if path in wide else Anything(path) for path in orphans))


def _needs(family: Family, study: Study) -> tuple[Need, ...]:
    if all(isinstance(each, Anything | AnyBits) for each in family.suppositions):
        return ()
    fact = study.scenario(study.fact)
    counts = _breaks(fact, study) or fact.happens == UNEXPLORED
    kept_out = fact if counts and not _allows_fact(family) else None
    dropped: list[Supposition] = []
    found: list[Need] = []
    for supposition in family.suppositions:
        if isinstance(supposition, Anything | AnyBits):
            continue  # it excludes nothing
        need = _need(supposition, dropped, family, kept_out, study)
        if need.needed is False:
            dropped.append(supposition)
        found.append(need)
    return tuple(found)


def _need(
    supposition: Supposition,
    dropped: Sequence[Supposition],
    family: Family,
    kept_out: StudiedScenario | None,
    study: Study,
) -> Need:
    query = replace(study.query, suppositions=_without(family, [*dropped, supposition]))
    text, question = supposition_text(supposition), to_text(query)
    let_in = kept_out if _allows_fact(study.family(query.suppositions)) else None
    if let_in is not None and let_in.happens != UNEXPLORED:
        return Need(text, True, question, let_in.witness)
    if study.out_of_time:
        return Need(text, None, question, why="not looked at: the time was over")
    given = answer(query.checked(study.interface), study.keyframe, study.asking.inner())
    if not given.verdict.is_definite:
        return Need(text, None, question, why=given.reason)
    if given.verdict is not study.answer.verdict:
        return Need(text, True, question, given.witness)
    if let_in is not None:
        return Need(
            text, None, question, why=f"the fact would be among the scenarios, and was left {let_in.witness.ending}"
        )
    return Need(text, False, question)
