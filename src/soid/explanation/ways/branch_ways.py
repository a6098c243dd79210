"""Where two runs of a program go different ways: the branches of its source, or the conditions of its paths.

guard.c:56  if (road->distance >= safe) {     in fact: false    in the scenario: true
guard.c:62  if (guard->active) {              in fact: true     in the scenario: it does not come here
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from difflib import SequenceMatcher
from typing import Final

from soid.engine.trail import TakenBranch, Trail
from soid.explanation.ways.told_ways import BranchWays, WayRow
from soid.formula.passes import evaluate, flatten_and, free_variables
from soid.formula.term import Term
from soid.formula.term_text import reading

_TOLD: Final = 12  # rows
_COMPARED: Final = 2000  # branches of a run: aligning takes the square of it

_HOLDS: Final = {True: "holds", False: "does not hold"}


def branch_ways(fact: Trail, scenario: Trail) -> BranchWays:
    """The branches at which two runs part, or to which only one of them comes."""
    ones, others = fact.branches[:_COMPARED], scenario.branches[:_COMPARED]
    rows: list[WayRow] = []
    alike = 0
    for one, other in _aligned(ones, others):
        if one is not None and other is not None and one.side == other.side:
            alike += 1
            continue
        some = one or other
        assert some is not None
        rows.append(WayRow(_where(some), some.text, _told(one), _told(other), alike))
        alike = 0
    is_cut = max(len(fact.branches), len(scenario.branches)) > _COMPARED
    return BranchWays(tuple(rows[:_TOLD]), alike, len(rows[_TOLD:]), is_cut)


def _aligned(
    ones: Sequence[TakenBranch], others: Sequence[TakenBranch]
) -> Iterator[tuple[TakenBranch | None, TakenBranch | None]]:
    """The two in step: those at the same place beside each other."""
    mine, theirs = ([(each.where, each.function, each.step) for each in some] for some in (ones, others))
    for tag, a, b, c, d in SequenceMatcher(None, mine, theirs, autojunk=False).get_opcodes():
        if tag == "equal":
            yield from zip(ones[a:b], others[c:d], strict=True)
        else:
            yield from ((each, None) for each in ones[a:b])
            yield from ((None, each) for each in others[c:d])


def _where(branch: TakenBranch) -> str:
    place = str(branch.where) if branch.where is not None else branch.function
    return f"{place}, call {branch.step + 1}" if branch.step else place


def _told(branch: TakenBranch | None) -> str:
    if branch is None:
        return ""
    return f"{branch.side}: {branch.condition}" if branch.condition else branch.told


def path_ways(paths: Sequence[tuple[str, Term]], states: Sequence[Mapping[Term, int]]) -> BranchWays:
    """The conditions of the paths of two states, by name, that hold in one of them alone."""
    rows: list[WayRow] = []
    alike = 0
    for name, condition in dict(paths).items():
        for each in flatten_and([condition]):
            if not all(free_variables([each]) <= state.keys() for state in states):
                continue
            fact, scenario = (bool(evaluate(each, state)) for state in states)
            if fact == scenario:
                alike += 1
                continue
            rows.append(WayRow(name, reading(each), _HOLDS[fact], _HOLDS[scenario], alike))
            alike = 0
    return BranchWays(tuple(rows[:_TOLD]), alike, len(rows[_TOLD:]))
