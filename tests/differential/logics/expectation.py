"""What the answer must be, by trying every state: the verdict, the witness, and the paths by how they end."""

from __future__ import annotations

import itertools
import math
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction

from tests.differential.logics.formulas import Moment, Three
from tests.differential.logics.kinds import Kind, decode
from tests.differential.logics.logic import DECIDES, FAILS, UNDECIDED, UNEXPLORED, Logic, Variable
from tests.differential.logics.questions import Question

FEW, MANY = 3_000, 70_000  # states that are tried for a question, as a rule and where there is time
ENDINGS = (DECIDES, FAILS, UNDECIDED, UNEXPLORED)

State = dict[str, int]


@dataclass(frozen=True)
class Expected:
    verdict: str
    shows: str = ""  # what the witness is shown for; empty: there is none
    witness: State | None = None
    paths: Mapping[str, int] = field(default_factory=dict)
    states: int = 0  # in the family
    throughout: bool = False  # what the witness shows is so in the whole family
    nearest: bool = True  # whatever the unexplored states do, the witness is the nearest of its kind


class TooMany(Exception):
    """More states than anyone wants to try."""


def expect(logic: Logic, question: Question, *, accepted: bool = False, most: int = FEW) -> Expected:
    """The answer. With `accepted`, a log that differs from the program was accepted on the record.

    A question about more than `most` states is TooMany.
    """
    here = [dict(logic.fact)]
    paths = counts(logic, here)
    if logic.mismatch and not accepted:
        return Expected("error", paths=paths)
    unknown = needs_unknown_fact(logic, question)
    if unknown and logic.outcome(logic.fact).ending == UNEXPLORED:
        return Expected("unknown", paths=paths)
    assert not unknown, "such a question is refused"
    if question.kind == "did":
        ending = logic.outcome(logic.fact).ending
        if ending == UNEXPLORED:
            return Expected("unknown", paths=paths)
        verdict = "yes" if occurs(logic, question, logic.fact) is True else "no"
        return Expected(verdict, "fact", dict(logic.fact), paths)
    allowed = scenarios(logic, question, most)
    family = [state for state in allowed if state != logic.fact]
    if not family:
        return Expected("vacuous", paths=counts(logic, []))
    verdict, shows, goal = _settles(logic, question, family)
    freed = freed_variables(logic, question)
    witness = settled(logic, freed, goal) if goal else None
    unexplored = [state for state in family if logic.outcome(state).ending == UNEXPLORED and shows != "member"]
    nearest = witness is not None and settled(logic, freed, [*goal, *unexplored]) == witness
    alike = shows in ("example", "counterexample") and _alike(logic, question, family)
    return Expected(verdict, shows, witness, counts(logic, allowed), len(family), alike, nearest)


def _alike(logic: Logic, question: Question, family: Sequence[State]) -> bool:
    """Whether the behavior occurs in every state, or is known to occur in none."""
    known = all(logic.outcome(state).ending != UNEXPLORED for state in family)
    return known and len({occurs(logic, question, state) is True for state in family}) == 1


def _settles(logic: Logic, question: Question, family: Sequence[State]) -> tuple[str, str, Sequence[State]]:
    """The verdict, and the states of which one is shown."""
    groups: dict[str, list[State]] = {"true": [], **{ending: [] for ending in ENDINGS}}
    for state in family:
        ending = logic.outcome(state).ending
        true = ending != UNEXPLORED and occurs(logic, question, state) is True
        groups["true" if true else ending].append(state)
    if question.kind == "might":
        if groups["true"]:
            return "yes", "example", groups["true"]
        return ("unknown", "", ()) if groups[UNEXPLORED] else ("no", "member", family)
    for ending in (DECIDES, FAILS, UNDECIDED):
        if groups[ending]:
            return "no", "counterexample", groups[ending]
    return ("unknown", "", ()) if groups[UNEXPLORED] else ("yes", "member", family)


def needs_unknown_fact(logic: Logic, question: Question) -> bool:
    """Whether the behavior speaks of what an output was in fact, and nothing says it."""
    known = logic.known()
    return any(f"fact({name})" in question.behavior.text for name in logic.outputs if name not in known)


def occurs(logic: Logic, question: Question, state: Mapping[str, int]) -> Three:
    """Whether the behavior occurs. A run without a decision is neither, unless the behavior speaks of endings."""
    outcome = logic.outcome(state)
    if outcome.ending != DECIDES and not question.behavior.endings:
        return None
    return question.behavior.holds(Moment(state, outcome, {**logic.fact, **logic.known()}))


# --- the family -----------------------------------------------------------------------------------------------


def freed_variables(logic: Logic, question: Question) -> list[Variable]:
    mentioned = frozenset().union(*(each.mentions for each in question.suppositions))
    kept = {each.keeps for each in question.suppositions}
    return [variable for variable in logic.inputs if variable.name in mentioned - kept]


def scenarios(logic: Logic, question: Question, most: int) -> list[State]:
    """Every state that the suppositions allow, the fact among them if it is one."""
    freed = freed_variables(logic, question)
    if not freed:
        return []
    ranges = [_range(logic, question, variable, most) for variable in freed]
    if math.prod(map(len, ranges)) > most:
        raise TooMany
    found: list[State] = []
    for values in itertools.product(*ranges):
        state = {**logic.fact, **{variable.name: bits for variable, bits in zip(freed, values, strict=True)}}
        moment = Moment(state, None, logic.fact)
        if all(each.holds(moment) is True for each in question.suppositions):
            found.append(state)
    return found


def _range(logic: Logic, question: Question, variable: Variable, most: int) -> list[int]:
    """The bits that a variable can have, as far as the suppositions about it alone say."""
    name = variable.name
    wide = any(each.wide == name for each in question.suppositions)
    values: Sequence[int] = range(1 << variable.kind.width) if wide else variable.values
    for each in question.suppositions:
        if name in each.only:
            allowed = each.only[name]
            values = allowed if wide else [bits for bits in variable.values if bits in allowed]
    alone = [each for each in question.suppositions if each.mentions == {name}]
    if len(values) > most:
        raise TooMany
    moments = ((bits, Moment({**logic.fact, name: bits}, None, logic.fact)) for bits in values)
    return [bits for bits, moment in moments if all(each.holds(moment) is True for each in alone)]


def counts(logic: Logic, states: Sequence[State]) -> dict[str, int]:
    """The paths that some state takes, by how they end; what no path covers counts as one more, unexplored."""
    left = [leaf for leaf in logic.leaves if leaf.written]
    found: Counter[str] = Counter()
    uncovered = False
    for state in states:
        for leaf in [leaf for leaf in left if leaf.covers(state)]:
            found[leaf.ending] += 1
            left.remove(leaf)
        uncovered = uncovered or logic.outcome(state).leaf is None
    found[UNEXPLORED] += uncovered
    return {ending: found[ending] for ending in ENDINGS}


# --- the witness ----------------------------------------------------------------------------------------------


def settled(logic: Logic, freed: Sequence[Variable], goal: Sequence[State]) -> State:
    """The state that is shown: first all that can go back to the fact goes back, then the rest comes near."""
    left = list(goal)
    moved: list[Variable] = []
    for variable in freed:
        name = variable.name
        back = [state for state in left if state[name] == logic.fact[name]]
        left = back or left
        if not back:
            moved.append(variable)
    for variable in moved:
        name, kind = variable.name, variable.kind
        nearest = min((state[name] for state in left), key=lambda bits: distance(kind, logic.fact[name], bits))
        left = [state for state in left if state[name] == nearest]
    (state,) = left
    return state


def distance(kind: Kind, fact: int, bits: int) -> tuple[Fraction | int, ...]:
    """Smaller is nearer; of equally near ones the lower is."""
    if kind.sort == "bool":
        return (0,)
    here, there = decode(kind, bits), decode(kind, fact)
    if kind.sort == "enum":
        order = [number for _, number in kind.labels]
        if here in order:
            return (0, order.index(int(here)))
    place = place_of(kind, bits) - place_of(kind, fact)
    side = (place > 0, abs(place))
    if kind.sort == "float":
        if math.isfinite(here) and math.isfinite(there):
            return (0, abs(Fraction(here) - Fraction(there)), *side)
        return (1 if math.isfinite(there) else 0, abs(place), *side)
    return (1, abs(place), *side)


def place_of(kind: Kind, bits: int) -> int:
    """The place of a value among all values in their order; a float's NaNs lie beyond its infinities."""
    if kind.sort == "float":
        sign = 1 << (kind.width - 1)
        return ~(bits ^ sign) if bits & sign else bits
    return int(decode(kind, bits))
