"""Which suppositions a proof needs.

A supposition is *needed* if without it the behavior is not the same in every scenario: the variables that it mentions
then range over their domains, as far as no other supposition limits them. If only this supposition excludes the fact,
then the fact counts as a scenario too. Suppositions are dropped one after the other, in the order of the question, and
one that is not needed stays dropped. So the remaining ones are sufficient, and each of them is needed.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import final

from msgspec import Struct
from msgspec.structs import replace

from soid.explanation.study import UNEXPLORED, StudiedScenario, Study
from soid.formula.passes import evaluate
from soid.oracle.pipeline import answer
from soid.program import domain as domains
from soid.program.interface import Interface, Variable
from soid.query.language.query_printer import to_text
from soid.query.query import Query
from soid.scenario.family import Family
from soid.scenario.future import Future
from soid.scenario.supposition import AnyBits, Anything, During, Supposition, mentioned, supposition_text
from soid.witness.witness import ChangeDocument, Witness, WitnessDocument


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
    out_of_time: bool = False  # more time may settle it

    @property
    def document(self) -> NeedDocument:
        return NeedDocument(self.supposition, self.needed, self.question, *shown(self.witness), self.why)


def shown(witness: Witness | None) -> tuple[list[ChangeDocument], WitnessDocument | None]:
    """How a scenario differs from the fact, and it, as JSON."""
    return ([change.document for change in witness.changed], witness.document) if witness else ([], None)


def _allows_fact(family: Family) -> bool:
    """Whether the fact satisfies the suppositions; what has one value in several steps must have had one."""
    freed = [family.interface.variable(path) for path in family.freed]
    symbols = {variable.symbol: family.fact[variable.path] for variable in freed}
    return all(map(family.was_one_value, freed)) and bool(evaluate(family.precondition, symbols))


def without(
    query: Query, interface: Interface, family: Family, dropped: Sequence[Supposition]
) -> tuple[Supposition, ...]:
    """The suppositions without the dropped ones; what only those speak of is free in its domain, in the same steps."""
    pairs = list(zip(query.suppositions, family.suppositions, strict=False))  # the rest are free later values
    left = [each for each in query.suppositions if not any(each is other for other in dropped)]
    still = {v.path for each, renamed in pairs if each in left for v in _sources(interface, renamed)}
    if query.future is not Future.ANYTHING:  # what is supposed without steps would last into those of others
        still |= {v.path for each in left if isinstance(each, During) for v in _sources(interface, each)}
    free: dict[str, Supposition] = {}
    for each, renamed in pairs:
        if each not in left:
            loose = (v.path for v in _sources(interface, renamed) if v.path not in still)
            free |= {path: _freeing(path, each, family) for path in loose}
    return (*left, *(free[v.path] for v in interface.inputs if v.path in free))


def _sources(interface: Interface, supposition: Supposition) -> Iterator[Variable]:
    """The inputs that a supposition mentions."""
    return (source for variable in mentioned(interface, supposition) for source in variable.sources)


def _freeing(path: str, instead_of: Supposition, family: Family) -> Supposition:
    """The supposition that an input may have any value, in the steps of another."""
    wide, base = isinstance(family.freed.get(path), domains.AnyBitsDomain), path.partition("@")[0]
    free = AnyBits(base) if wide else Anything(base)
    if isinstance(instead_of, During):
        return During(free, instead_of.first, instead_of.last, instead_of.until)
    return free


def _excludes_nothing(supposition: Supposition) -> bool:
    supposed = supposition.supposed if isinstance(supposition, During) else supposition
    return isinstance(supposed, Anything | AnyBits)


def needs(study: Study) -> tuple[Need, ...]:
    """Whether a proof needs each of the suppositions that exclude something, in the order of the question."""
    suppositions = study.query.suppositions
    if all(map(_excludes_nothing, suppositions)):
        return ()
    fact = study.settled_fact
    counts = study.breaks(fact) or fact.happens == UNEXPLORED
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
    others = without(study.query, study.interface, study.family, [*dropped, supposition])
    query = replace(study.query, suppositions=others)
    text, question = supposition_text(supposition), to_text(query)
    let_in = kept_out if _allows_fact(study.family_of(query)) else None
    if let_in is not None and let_in.happens != UNEXPLORED:
        return Need(text, True, question, let_in.witness)
    if study.out_of_time:
        return Need(text, None, question, why="not looked at: the time was over", out_of_time=True)
    given = answer(query.checked(study.keyframe.interface), study.keyframe, study.asking.inner())
    if not given.verdict.is_definite:
        return Need(text, None, question, why=given.reason, out_of_time=given.why.out_of_time)
    if given.verdict is not study.answer.verdict:
        return Need(text, True, question, given.witness)
    if let_in is not None:
        left = let_in.left_open if study.unknown else f"was left {let_in.witness.ending}"
        late = let_in.left_open is not None and let_in.left_open.out_of_time
        return Need(text, None, question, why=f"the fact would be among the scenarios, and {left}", out_of_time=late)
    return Need(text, False, question)
