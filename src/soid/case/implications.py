"""Which facts follow from others, and which cannot be true beside each other.

    would stay, over a wide family: yes    then over a narrower one too, and there `might not stay`: no
    might stay, in a narrow family: yes    then in a wider one too, and there `would not stay`: no
    did mode == LAND: yes                  then `did mode == HOLD`: no

Only what is sure is said. A family lies within another one if each condition of the wider one is a condition of the
narrower one, or holds by the intervals that those leave. One behavior entails another by its form. No solver is asked:
what is said of a record depends on the record alone. The fact that implies another may rely on nothing besides what
the other relies on.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import cached_property
from itertools import permutations
from typing import Final, TypeAlias, final

from msgspec import Struct
from msgspec.structs import replace

from soid.assumptions import Assumption, Ledger
from soid.case.numbered_facts import NumberedFact, read_question, relied_on, window_of
from soid.formula import build
from soid.formula import operators as ops
from soid.formula.intervals import ALWAYS
from soid.formula.passes import flatten_and, substitute
from soid.formula.reach import Reach
from soid.formula.term import Term
from soid.oracle.answer import Answer, Verdict
from soid.oracle.encoding import OTHERWISE
from soid.program.interface import Interface
from soid.query.behavior import Behavior
from soid.query.entailment import entails, falsifies
from soid.query.query import QueryKind
from soid.query.steps import Over
from soid.scenario.course import Course
from soid.scenario.family import Family

#: of each question and verdict: whether all scenarios of its family are so or some are, and whether the behavior occurs
_CLAIMS: Final = {
    (QueryKind.WOULD, Verdict.YES): (True, True),
    (QueryKind.WOULD, Verdict.NO): (False, False),
    (QueryKind.MIGHT, Verdict.YES): (False, True),
    (QueryKind.MIGHT, Verdict.NO): (True, False),
    (QueryKind.DID, Verdict.YES): (True, True),
    (QueryKind.DID, Verdict.NO): (True, False),
}


@final
class _Scenarios(Struct, frozen=True):
    """The scenarios of a family, as they are compared with those of others."""

    known: Mapping[Term, Term]  # the values of the symbols that do not vary
    conditions: Sequence[Term]
    reach: Reach  # of terms, where the conditions hold


@final
class StatedFact(Struct, frozen=True, dict=True):
    """A fact, and what its statement is about."""

    fact: NumberedFact
    answer: Answer
    course: Course
    family: Family | None  # None: of a `did`
    relied_on: frozenset[Assumption]  # but for the domains of what varies: these are conditions of the family

    @cached_property
    def scenarios(self) -> _Scenarios:
        assert self.family is not None
        known = self.family.constants(self.family.given)
        conditions = flatten_and(substitute([self.family.precondition, self.family.puncture], known))
        return _Scenarios(known, conditions, Reach(build.all_of(conditions)))


def stated(fact: NumberedFact, answer: Answer, course: Course) -> StatedFact:
    family = None if answer.kind is QueryKind.DID else course.family()
    relies_on = frozenset(each for each in relied_on(fact.entry) if each.id != Ledger.DOMAIN.value)
    return StatedFact(fact, answer, course, family, relies_on)


@final
class Implications:
    """What the facts of one record say of each other. A fact never changes, so each pair is compared once."""

    def __init__(self, state: Callable[[NumberedFact], StatedFact]) -> None:
        self._state = state  # tells what a fact is about
        self._stated: dict[_Key, StatedFact] = {}
        self._verdicts: dict[tuple[_Key, _Key], tuple[Verdict | None, bool]] = {}

    def related(self, facts: Sequence[NumberedFact]) -> tuple[NumberedFact, ...]:
        """The facts, each with what the others say of it."""
        above: dict[int, set[int]] = {fact.number: set() for fact in facts}  # the facts that each follows from
        against: dict[int, set[int]] = {fact.number: set() for fact in facts}
        for one, other in permutations(map(self._of, facts), 2):
            (verdict, whole), here, there = self._implied(one, other), one.fact.number, other.fact.number
            if whole and verdict is other.answer.verdict and one.relied_on <= other.relied_on:
                above[there].add(here)
            elif verdict is not None and verdict is not other.answer.verdict:
                against[there].add(here)
                against[here].add(there)
        return tuple(_placed(fact, above, against) for fact in facts)

    def _of(self, fact: NumberedFact) -> StatedFact:
        key = _key(fact)
        if key not in self._stated:
            self._stated[key] = self._state(fact)
        return self._stated[key]

    def _implied(self, one: StatedFact, other: StatedFact) -> tuple[Verdict | None, bool]:
        """The verdict that the second fact's question has, and whether all that the fact states follows."""
        pair = _key(one.fact), _key(other.fact)
        if pair not in self._verdicts:
            verdict = implied_verdict(one, other)
            self._verdicts[pair] = verdict, verdict is not None and follows_throughout(one, other)
        return self._verdicts[pair]


#: the entry that states a fact first, and what was noticed of the compiler: a fact's number, and what it relies on,
#: are the same as long as these are
_Key: TypeAlias = tuple[int, tuple[str, ...]]


def _key(fact: NumberedFact) -> _Key:
    return fact.answer, fact.compiled


def _placed(fact: NumberedFact, above: Mapping[int, set[int]], against: Mapping[int, set[int]]) -> NumberedFact:
    number = fact.number
    same = {one for one in above[number] if number in above[one]}
    wider = above[number] - same
    strongest = [one for one in wider if not any(other in above[one] and one not in above[other] for other in wider)]
    earlier = [one for one in same if one < number]
    return replace(
        fact,
        same_as=min(earlier, default=None),
        follows_from=None if earlier else min(strongest, default=None),
        contradicts=tuple(sorted(against[number])),
    )


def implied_verdict(one: StatedFact, other: StatedFact) -> Verdict | None:
    """The verdict that the second fact's question has, if the first fact is true; None if that does not follow."""
    if not _same_moment(one, other):
        return None
    every, occurs = _claim(one)
    for verdict in (Verdict.YES, Verdict.NO):
        of_all, so = _CLAIMS[other.answer.kind, verdict]
        if _behavior_follows(one, occurs, other, so) and _reaches(one, every, other, of_all):
            return verdict
    return None


def follows_throughout(one: StatedFact, other: StatedFact) -> bool:
    """Whether the first fact implies what the second says of all its scenarios, besides the verdict of its question.

    One that says how the program fails in a scenario says more than that the behavior occurs in none.
    """
    if other.answer.throughout is None:
        return True
    (every, occurs), (_, so) = _claim(one), _claim(other)
    fails = (other.fact.entry.fact or {}).get("instead", "") not in ("", OTHERWISE)
    return not fails and _behavior_follows(one, occurs, other, so) and _reaches(one, every, other, of_all=True)


def _claim(fact: StatedFact) -> tuple[bool, bool]:
    """Whether it says something of all scenarios or of some, and whether the behavior occurs there."""
    every, occurs = _CLAIMS[fact.answer.kind, fact.answer.verdict]
    return every or fact.answer.throughout is not None, occurs


def _reaches(one: StatedFact, every: bool, other: StatedFact, of_all: bool) -> bool:
    """Whether what is so in every scenario of one family, or in some, is so in all of the other's, or in some.

    No family is empty: a definite answer about it has shown a scenario.
    """
    if one.family is None or other.family is None:
        return True  # one moment, in fact
    return (every and _lies_within(other, one)) or (not of_all and _lies_within(one, other))


def _same_moment(one: StatedFact, other: StatedFact) -> bool:
    """Whether both are about what one program does at one moment, in the same number of steps and the same window."""
    here, there = one.answer.query, other.answer.query
    return (
        (one.fact.entry.log, one.fact.entry.step, one.fact.compiled)
        == (other.fact.entry.log, other.fact.entry.step, other.fact.compiled)
        and window_of(one.fact.entry) == window_of(other.fact.entry)
        and (here.lives is None and there.lives is None)
        and (here.kind is QueryKind.DID) == (there.kind is QueryKind.DID)
        and (here.period, here.future) == (there.period, there.future)
    )


# --- behaviors ------------------------------------------------------------------------------------------------


def _behavior_follows(one: StatedFact, occurs: bool, other: StatedFact, so: bool) -> bool:
    """Whether the second behavior occurs (`so`), or does not, wherever the first one does, or does not."""
    here, there = one.answer.query.behavior, other.answer.query.behavior
    if occurs and so:
        return _entails(here, there, one.course.interface)
    if not occurs and not so:
        return _entails(there, here, one.course.interface)
    if occurs:
        # within some steps two behaviors that exclude each other may occur one after the other
        apart = one.answer.query.period.over is not Over.WITHIN
        return apart and _comparable(here, there) and _falsifies(here, there, one.course.interface)
    return False  # where a behavior does not occur, its opposite need not: the program may fail there


def _entails(one: Behavior, other: Behavior, interface: Interface) -> bool:
    return one == other or (_comparable(one, other) and entails(one.expression, other.expression, interface))


def _falsifies(one: Behavior, other: Behavior, interface: Interface) -> bool:
    return falsifies(one.expression, other.expression, interface)


def _comparable(one: Behavior, other: Behavior) -> bool:
    """Whether both have values wherever the first one is true: one that is silent of endings has none at a failure."""
    return other.speaks_of_endings or not one.speaks_of_endings


# --- families -------------------------------------------------------------------------------------------------


def _lies_within(narrow: StatedFact, wide: StatedFact) -> bool:
    """Whether every scenario of one family is one of the other, and the program perceives the same in it."""
    inner, outer = narrow.family, wide.family
    assert inner is not None and outer is not None
    if _question(narrow) == _question(wide):
        return True
    if narrow.course.untils or wide.course.untils or inner.assumed or outer.assumed:
        return False  # which scenario is the fact, or what is known of it, depends on the suppositions there
    if not _same_steps(narrow.course, wide.course):
        return False
    if any(inner.given.get(path) != bits for path, bits in outer.fixed.items()):
        return False
    inside = narrow.scenarios
    wanted = flatten_and(substitute([outer.precondition, outer.puncture], inside.known))
    return all(_holds(each, inside.conditions, inside.reach) for each in wanted)


def _question(fact: StatedFact) -> object:
    """What is supposed, whatever is asked about it."""
    read = read_question(fact.answer.text)
    return read if isinstance(read, str) else (read.timed, read.untimed)


def _same_steps(one: Course, other: Course) -> bool:
    """Whether a scenario is perceived alike in all steps of both."""
    return (one.interface, one.fact, one.count, one.environments, one.factual, one.acts) == (
        other.interface,
        other.fact,
        other.count,
        other.environments,
        other.factual,
        other.acts,
    )


def _holds(condition: Term, conditions: Sequence[Term], reach: Reach) -> bool:
    """Whether a condition holds wherever the given ones do."""
    if condition is build.TRUE or condition in conditions:
        return True
    if condition.op is ops.OR:  # some input differs from the fact: so it is if one of fewer does
        sides = frozenset(condition.args)
        if any(sides.issuperset(each.args if each.op is ops.OR else (each,)) for each in conditions):
            return True
    return reach.of(condition) == ALWAYS
