"""What mattered to a counterfactual: which variables have to change for it, and where it flips.

A refuted `would` and a satisfied `might` show a scenario in which something happens: it decides otherwise, it fails, it
does what was asked about. Of all scenarios of the family in which the same happens, those are looked for that change
fewest variables of the fact.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import islice
from typing import final

from msgspec import Struct

from soid.errors import InternalError
from soid.explanation.change_sets import ChangeSet, ChangeSets
from soid.explanation.flips import Flip, FlipDocument, NoFlip, NoFlipDocument, flip
from soid.explanation.study import IN_WORDS, UNEXPLORED, Explored, StudiedScenario, Study
from soid.formula.term import Term
from soid.query.words import listed
from soid.scenario.family import Family
from soid.witness.settlement import settle
from soid.witness.witness import ChangeDocument, WitnessDocument


@final
class CounterfactualDocument(Struct, frozen=True):
    """A set of changes as JSON."""

    variables: tuple[str, ...]
    smallest: bool
    changed: list[ChangeDocument]
    scenario: WitnessDocument
    flips: list[FlipDocument]
    no_flips: list[NoFlipDocument]


@final
class Counterfactual(Struct, frozen=True):
    """A set of changes that is enough, and as small as it can be."""

    scenario: StudiedScenario  # as near to the fact as these changes can be
    smallest: bool  # proved: fewer changes, other than those of the sets before, are not enough
    flips: tuple[Flip | NoFlip, ...] = ()  # of each variable that changes

    @property
    def variables(self) -> tuple[str, ...]:
        return tuple(change.variable.path for change in self.scenario.witness.changed)

    @property
    def document(self) -> CounterfactualDocument:
        changes, scenario = (
            [change.document for change in self.scenario.witness.changed],
            self.scenario.witness.document,
        )
        flips = [each.document for each in self.flips if isinstance(each, Flip)]
        others = [each.document for each in self.flips if isinstance(each, NoFlip)]
        return CounterfactualDocument(self.variables, self.smallest, changes, scenario, flips, others)


@final
class MatteredDocument(Struct, frozen=True):
    """The sets of changes as JSON."""

    happens: str
    sets: list[CounterfactualDocument]
    complete: bool
    more: bool


@final
class Mattered(Struct, frozen=True):
    """The sets of changes that give a counterfactual, the smallest first; none contains another."""

    happens: str  # in each of them
    sets: tuple[Counterfactual, ...]
    complete: bool  # proved: there are no others; each may hold for many values of its variables
    more: bool  # there are, and they were not asked for
    why: str = ""  # something was not settled

    @property
    def document(self) -> MatteredDocument:
        sets = [each.document for each in self.sets]
        return MatteredDocument(IN_WORDS[self.happens], sets, self.complete, self.more)


def wherever(happens: str, sets: Sequence[Sequence[str]]) -> str:
    """What is proved once there are no further sets: it is about variables, not about the values shown of them.

    >>> wherever("the program does it", [["signal"]])
    'In every scenario asked about in which the program does it, signal is not as in fact: proved.'
    >>> wherever("the program fails", [["x", "y"]])
    'In every scenario asked about in which the program fails, both x and y are not as in fact: proved.'
    >>> wherever("the program does it", [["x"], ["y"]]).partition("does it, ")[2]
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
    """The smallest set of changes, and so many others; None where the budget ended before there was one."""
    witness = study.answer.witness
    assert witness is not None, "a definite answer has a witness"
    family = study.family(study.query.suppositions)
    with study.asking.stage("smallest"):
        shown = study.scenario(witness.inputs)
        if shown.happens == UNEXPLORED:
            return None
        precondition, puncture = family.scenarios
        explored = study.explored(family.given, precondition)
        within = (precondition, puncture)
        sets = ChangeSets(
            within,
            explored.where(shown.happens),
            explored.encoding.unexplored,
            family.varying,
            study.fact,
            explored.check,
        )
        model = {variable.symbol: witness.inputs[variable.path] for variable in family.varying}
        found: list[Counterfactual] = []
        for one in islice(sets.starting(model), 1 + others):
            scenario = _settled(one, [*within, explored.where(shown.happens)], explored, family, study)
            if scenario.happens == UNEXPLORED:
                break  # the budget is over
            _confirm(scenario, shown, family)
            found.append(Counterfactual(scenario, one.smallest))
    with study.asking.stage("flip"):
        found = [Counterfactual(each.scenario, each.smallest, _flips(each, study)) for each in found]
    return Mattered(shown.happens, tuple(found), sets.complete, sets.more, sets.why)


def _settled(one: ChangeSet, goal: Sequence[Term], explored: Explored, family: Family, study: Study) -> StudiedScenario:
    """The scenario of a set that lies nearest to the fact."""
    kept = [variable for variable in family.varying if variable not in one.variables]
    pins = [variable.equals(study.fact[variable.path]) for variable in kept]
    deadline = study.asking.witness_deadline()
    settled = settle([*goal, *pins], one.variables, study.fact, one.model, explored.check, deadline)
    return study.scenario({**study.fact, **family.given, **settled.state}, settled=settled.complete)


def _flips(one: Counterfactual, study: Study) -> tuple[Flip | NoFlip, ...]:
    changed = [change.variable for change in one.scenario.witness.changed]
    return tuple(
        NoFlip(variable, "not looked at: the time was over", settled=False)
        if study.out_of_time
        else flip(variable, one.scenario, study)
        for variable in changed
    )


def _confirm(found: StudiedScenario, shown: StudiedScenario, family: Family) -> None:
    """A set of changes that does not give what it is shown for is an internal error, never an explanation."""
    if found.happens != shown.happens or not family.contains(found.state):
        raise InternalError(
            f"the scenario found for a smaller change does not replay: {dict(found.state)}",
            "Please report this with the program, the log and the question.",
        )
