"""What mattered to a counterfactual: which variables must change for it, and where the outcome flips.

A refuted `would` and a satisfied `might` show a scenario with some outcome: the program decides otherwise, fails, or
does what was asked about. This module looks for the scenarios with the same outcome that change the fewest variables.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import islice
from typing import Any, final

from msgspec import Struct

from soid.engine.summary import LeftOpen
from soid.errors import REPORT_QUESTION, InternalError
from soid.explanation.change_sets import ChangeSet, ChangeSets
from soid.explanation.flips import ALIKE, Flip, FlipDocument, NoFlip, NoFlipDocument, flip
from soid.explanation.study import IN_WORDS, UNEXPLORED, StudiedScenario, Study
from soid.formula import build
from soid.formula.build import FALSE
from soid.formula.checker import Checker
from soid.formula.term import Term
from soid.query.words import listed, whatever
from soid.scenario.family import Family
from soid.witness.settlement import settle
from soid.witness.witness import ChangeDocument, WitnessDocument


@final
class CounterfactualDocument(Struct, frozen=True):
    """A change set as JSON."""

    variables: tuple[str, ...]
    smallest: bool
    changed: list[ChangeDocument]
    scenario: WitnessDocument
    flips: list[FlipDocument]
    no_flips: list[NoFlipDocument]


@final
class Counterfactual(Struct, frozen=True):
    """A change set that leads to the outcome, as small as possible."""

    scenario: StudiedScenario  # the nearest to the fact with these changes
    smallest: bool  # proved: no smaller set is enough, apart from those that contain an earlier set
    flips: tuple[Flip | NoFlip, ...] = ()  # of each variable that changes

    @property
    def variables(self) -> tuple[str, ...]:
        return tuple(change.variable.path for change in self.scenario.witness.changed)

    @property
    def is_like_fact(self) -> bool:
        """Whether its one change makes no difference: with the factual value the outcome is the same."""
        return len(self.flips) == 1 and isinstance(self.flips[0], NoFlip) and self.flips[0].reason in ALIKE

    @property
    def document(self) -> CounterfactualDocument:
        witness = self.scenario.witness
        changes = [change.document for change in witness.changed]
        flips = [each.document for each in self.flips if isinstance(each, Flip)]
        others = [each.document for each in self.flips if isinstance(each, NoFlip)]
        return CounterfactualDocument(self.variables, self.smallest, changes, witness.document, flips, others)


@final
class MatteredDocument(Struct, frozen=True):
    """The change sets of an outcome as JSON."""

    happens: str
    sets: list[CounterfactualDocument]
    complete: bool
    more: bool
    whatever: tuple[str, ...]


@final
class Mattered(Struct, frozen=True):
    """The change sets that lead to an outcome, the smallest first; no set contains another."""

    happens: str  # the outcome, the same for each set
    sets: tuple[Counterfactual, ...]
    complete: bool  # proved: there are no other sets; each set may have many scenarios
    more: bool  # there are other sets, and they were not asked for
    why: LeftOpen | None = None  # why something was not settled
    whatever: tuple[str, ...] = ()  # inputs that are not known: a set counts if it leads there whatever these were

    @property
    def document(self) -> MatteredDocument:
        sets = [each.document for each in self.sets]
        return MatteredDocument(IN_WORDS[self.happens], sets, self.complete, self.more, self.whatever)


def several(unknown: Sequence[str]) -> str:
    """That the answer holds by several scenarios only.

    >>> several(["ticks"])
    'No one scenario is enough whatever ticks were, which is proved: the answer takes several, each for some values.'
    """
    enough = f"No one scenario is enough {whatever(unknown)}, which is proved"
    return f"{enough}: the answer takes several, each for some values."


def unaffected(names: Sequence[str], happens: str) -> str:
    """That no change mattered, where the outcome is the same with the factual value.

    >>> unaffected(["the signal"], "it would stay")
    'Nothing: also with the signal as in fact it would stay. Only what is supposed asks for another value.'
    """
    return f"Nothing: also with {listed(names)} as in fact {happens}. Only what is supposed asks for another value."


def wherever(happens: str, sets: Sequence[Sequence[str]]) -> str:
    """What is proved if there are no further sets: a statement about variables, not about the values shown.

    >>> wherever("it would stay", [["signal"]])
    'In every scenario asked about in which it would stay, signal is not as in fact: proved.'
    >>> wherever("the program fails", [["x", "y"]])
    'In every scenario asked about in which the program fails, both x and y are not as in fact: proved.'
    >>> wherever("it would stay", [["x"], ["y"]]).partition("would stay, ")[2]
    'the variables of at least one of these sets are not as in fact: proved.'
    """
    if len(sets) > 1:
        differing = "the variables of at least one of these sets are"
    else:
        names = sets[0]
        each = {1: "", 2: "both "}.get(len(names), f"all {len(names)} of ")
        differing = f"{each}{listed(names)} {'is' if len(names) == 1 else 'are'}"
    return f"In every scenario asked about in which {happens}, {differing} not as in fact: proved."


def mattered(study: Study, others: int) -> Mattered | None:
    """The smallest change set and up to `others` further ones; None if the budget ended before the first."""
    witness = study.answer.witness
    assert witness is not None, "a definite answer has a witness"
    family = study.family
    with study.asking.stage("smallest"):
        shown = study.scenario(witness.inputs)
        if shown.happens == UNEXPLORED:
            return None
        precondition, puncture = family.scenarios
        explored = study.explored(family.given, precondition)
        within = (precondition, puncture)
        wanted, doubtful = explored.where(shown.happens), explored.encoding.unexplored
        if study.unknown and doubtful is not FALSE:  # for some values it may be known, for others not
            doubtful = build.or_(wanted, doubtful)
        check, varied = study.for_every_value(explored), [v for v in family.varying if v not in study.unknown]
        never_kept = frozenset(variable.path for variable in varied if not family.was_one_value(variable))
        known = list(within), wanted, doubtful, varied, study.fact
        sets = ChangeSets(*known, check, never_kept, explored.encoding.left_open)
        model: Mapping[Term, Any] | None = {variable.symbol: witness.inputs[variable.path] for variable in varied}
        unknown = tuple(variable.path for variable in study.unknown)
        if unknown and (model := sets.first()) is None:
            return Mattered(shown.happens, (), sets.complete, False, sets.why, unknown)
        assert model is not None
        found: list[Counterfactual] = []
        for change_set in islice(sets.starting(model), 1 + others):
            scenario = _settled(change_set, [*within, wanted], check, family, study)
            if scenario.happens == UNEXPLORED:
                break  # the budget is over
            _confirm(scenario, shown, family)
            found.append(Counterfactual(scenario, change_set.smallest))
    with study.asking.stage("flip"):
        found = [Counterfactual(each.scenario, each.smallest, _flips(each, study)) for each in found]
    return Mattered(shown.happens, tuple(found), sets.complete, sets.more, sets.why, unknown)


def _settled(chosen: ChangeSet, goal: Sequence[Term], check: Checker, family: Family, study: Study) -> StudiedScenario:
    """The scenario of a change set that is nearest to the fact."""
    kept = [v for v in family.varying if v not in (*chosen.variables, *study.unknown)]
    pins = [variable.equals(study.fact[variable.path]) for variable in kept]
    deadline = study.asking.witness_deadline()
    settled = settle([*goal, *pins], chosen.variables, study.fact, chosen.model, check, deadline)
    return study.scenario({**study.fact, **family.given, **settled.state}, settled=settled.complete)


def _flips(found: Counterfactual, study: Study) -> tuple[Flip | NoFlip, ...]:
    return tuple(
        NoFlip(change.variable, "not looked at: the time was over", settled=False, out_of_time=True)
        if study.out_of_time
        else flip(change.variable, found.scenario, study)
        for change in found.scenario.witness.changed
    )


def _confirm(found: StudiedScenario, shown: StudiedScenario, family: Family) -> None:
    """Raise an internal error if a scenario is outside of the family or does not have the outcome shown."""
    if found.happens != shown.happens or not family.contains(found.state):
        raise InternalError(
            f"the scenario found for a smaller change does not replay: {dict(found.state)}", REPORT_QUESTION
        )
