"""The abstraction of a program that the questions of a case produce: the paper's section 4.2.

Before any question one abstract state stands for everything, and from it the program may go anywhere. Each question
visits symbolic states (`visited_states`). An abstract state is the set of the concrete states that lie in the same
visited states: so each meet of visited states is an abstract state, the rest of each visited state is another, and each
concrete state belongs to exactly one. A further question splits abstract states and never joins any.

    q1 visits s1, s2          s1 lies in s3:           abstract states  s1 ⊓ s3,  s3 without s1,  s2 ⊓ s4,  ...
    q2 visits s3, s4, s5      s2 meets s4, not s5      transitions      s1 ⊓ s3 to s2 ⊓ s4, ...

The solvers decide whether a meet is empty. A meet that they do not settle is kept and marked, so that the transitions
remain an over-approximation.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import TYPE_CHECKING, Final, final

from msgspec import Struct, field
from msgspec.structs import replace

from soid.budget import Cancellation
from soid.case.project import Project
from soid.case.record.entry import EntryKind
from soid.case.validity import in_force
from soid.case.visited_states import Surroundings, SymbolicState, Visit, visit
from soid.documents import Document
from soid.engine.refinement import RefiningChecker
from soid.engine.summary import Unexplored
from soid.formula import build
from soid.formula.checker import Checker, Impossible, Possible
from soid.formula.passes import substitute
from soid.formula.term import Term
from soid.oracle.answer import Verdict
from soid.oracle.inquiry import Inquiry, QuestionProgress
from soid.query.query import Query
from soid.scenario.pinned_variables import pinned

if TYPE_CHECKING:
    from soid.case.case import Case

#: the number of the abstract state of everything that no question has visited: from it the program may go anywhere
REST: Final = 0


@final
class Meet(Struct, frozen=True):
    """Two visited states of different questions, after the same number of calls: is their intersection empty?"""

    states: tuple[int, int]  # their numbers
    empty: bool | None  # True: proved; False: a state shows it; None: not settled


@final
class AbstractState(Struct, frozen=True):
    """The concrete states that lie in the same visited states."""

    number: int  # from 1; 0 is the rest
    after: int  # calls of the program so far
    members: tuple[SymbolicState, ...]  # the visited states that it lies in: at most one of each question
    condition: Term  # in all of these, and in no other visited state
    settled: bool = True  # it is known to have a state; False: it may be empty
    surroundings: Surroundings = ()

    @property
    def member_numbers(self) -> list[int]:
        return [member.number for member in self.members]

    @property
    def questions(self) -> tuple[int, ...]:
        return tuple(member.question for member in self.members)

    @property
    def shared(self) -> bool:
        """Whether several questions have visited it."""
        return len(self.members) > 1

    @property
    def name(self) -> str:
        """The visited states whose meet it is; "only s1" if it lies in one."""
        only = "" if self.shared else "only "
        return only + " ⊓ ".join(member.name for member in self.members)


@final
class VisitQuestionDocument(Struct, frozen=True):
    """A question and the states that it visited, as JSON."""

    number: int
    question: str
    step: int
    verdict: Verdict
    visited: list[int]
    transitions: tuple[tuple[int, int], ...]


@final
class VisitedDocument(Struct, frozen=True):
    """A visited state as JSON."""

    number: int
    question: int
    after: int
    concrete: bool
    ending: str | None
    occurs: str | None


@final
class AbstractStateDocument(Document, frozen=True):
    """An abstract state as JSON."""

    number: int
    after: int
    member_numbers: list[int] = field(name="members")
    questions: tuple[int, ...]
    settled: bool


@final
class AbstractionDocument(Struct, frozen=True):
    """An abstraction as JSON."""

    questions: list[VisitQuestionDocument]
    visited: list[VisitedDocument]
    meets: tuple[Meet, ...]
    states: list[AbstractStateDocument]
    transitions: tuple[tuple[int, int], ...]


@final
class Abstraction(Struct, frozen=True):
    """The abstraction of a program after some questions."""

    visits: tuple[Visit, ...] = ()
    meets: tuple[Meet, ...] = ()
    states: tuple[AbstractState, ...] = ()
    transitions: tuple[tuple[int, int], ...] = ((REST, REST),)  # between abstract states, by their numbers

    @property
    def visited(self) -> tuple[SymbolicState, ...]:
        return tuple(state for each in self.visits for state in each.states)

    def inside(self, one: SymbolicState, other: SymbolicState) -> bool:
        """Whether everything in a visited state is proved to lie in another."""
        parts = [state for state in self.states if one in state.members]
        return bool(parts) and all(other in state.members for state in parts)

    @property
    def document(self) -> AbstractionDocument:
        return AbstractionDocument(
            [_question(each) for each in self.visits],
            [_visited(state) for state in self.visited],
            self.meets,
            [AbstractStateDocument.of(state) for state in self.states],
            self.transitions,
        )


def _visited(state: SymbolicState) -> VisitedDocument:
    ending = None if state.ending is None else str(state.ending)
    return VisitedDocument(state.number, state.question, state.after, state.concrete, ending, state.occurs or None)


def _question(each: Visit) -> VisitQuestionDocument:
    answer = each.answer
    states = [state.number for state in each.states]
    return VisitQuestionDocument(each.number, answer.text, answer.step, answer.verdict, states, each.transitions)


def answered(case: Case) -> list[tuple[Project, Query]]:
    """The answered questions of a case, each with the project at its moment; without those that ended in an error."""
    found = []
    for entry in in_force(case.entries, EntryKind.ANSWERED):
        if entry.question is not None and entry.verdict is not Verdict.ERROR:
            project = case.project_at(entry.step, entry.log)
            found.append((project, project.checked(entry.question).query))
    return found


def grown(
    before: Abstraction,
    project: Project,
    question: Query | str,
    *,
    cancel: Cancellation | None = None,
    progress: Callable[[QuestionProgress], None] = lambda _: None,
) -> Abstraction:
    """The abstraction after one more question; asking it and refining each have the full budget of the settings."""
    cancel = cancel or Cancellation()
    answer = project.ask(question, cancel=cancel, progress=progress)
    # cached summaries may have other paths than exploration finds, and the abstraction depends on the paths
    asking = Inquiry(replace(project.context(cancel, progress), summaries=None))
    with asking.stage("abstraction"):
        made = visit(project, answer, len(before.visits) + 1, len(before.visited) + 1, asking)
        asking.refining = None
        approximations = [one for each in (*before.visits, made) for one in each.approximations]
        refining = RefiningChecker({one.symbol: one for one in approximations}, project.settings.refinements)
        return refined(before, made, refining.checker(asking.glance))


def refined(before: Abstraction, made: Visit, check: Checker) -> Abstraction:
    """The abstraction, split by the states that one more question has visited."""
    pairs = [(old, new) for new in made.states for old in before.visited if _same_time(old, new)]
    meets = [Meet((old.number, new.number), _empty([old.condition, new.condition], check)) for old, new in pairs]
    parts = _split(before, made, meets, check)
    states = tuple(replace(part, number=number) for number, part in enumerate(parts, start=1))
    visits = (*before.visits, made)
    return Abstraction(visits, (*before.meets, *meets), states, tuple(_transitions(states, visits, check)))


def _same_time(one: SymbolicState | AbstractState, other: SymbolicState | AbstractState) -> bool:
    return (one.after, one.surroundings) == (other.after, other.surroundings)


def _empty(conjuncts: Sequence[Term], check: Checker) -> bool | None:
    """Whether the conjunction of the conditions is unsatisfiable; None: not settled.

    Most inputs have one value in most states. These values are substituted, which makes conditions of different
    questions about the same path equal. Equations still state them: library results are computed from them.
    """
    condition = build.all_of(conjuncts)
    known = {symbol: build.const(symbol.sort, bits) for symbol, bits in pinned(condition).items()}
    answer = check([*substitute([condition], known), *(build.eq(symbol, value) for symbol, value in known.items())])
    return True if isinstance(answer, Impossible) else False if isinstance(answer, Possible) else None


def _split(before: Abstraction, made: Visit, meets: Sequence[Meet], check: Checker) -> list[AbstractState]:
    """Split each abstract state into its parts inside and outside of the new states; add the rest of the new states."""
    apart = {meet.states for meet in meets if meet.empty}
    found: list[AbstractState] = []
    for state in before.states:
        inside = [
            new
            for new in made.states
            if _same_time(state, new) and not any((member.number, new.number) in apart for member in state.members)
        ]
        for new in inside:
            part = replace(state, members=(*state.members, new), condition=build.and_(state.condition, new.condition))
            found += _unless_empty(part, check)
        if inside:
            others = build.not_(build.any_of(new.condition for new in inside))
            found += _unless_empty(replace(state, condition=build.and_(state.condition, others)), check)
        else:
            found.append(state)
    for new in made.states:
        met = [old for old in before.visited if _same_time(old, new) and (old.number, new.number) not in apart]
        alone = build.and_(new.condition, *(build.not_(old.condition) for old in met))
        part = AbstractState(0, new.after, (new,), alone, surroundings=new.surroundings)
        found += _unless_empty(part, check)
    return sorted(found, key=lambda part: (part.after, part.member_numbers))


def _unless_empty(part: AbstractState, check: Checker) -> list[AbstractState]:
    empty = _empty([part.condition], check)
    return [] if empty else [replace(part, settled=empty is False)]


def _transitions(states: Sequence[AbstractState], visits: Sequence[Visit], check: Checker) -> Iterable[tuple[int, int]]:
    """A transition for each pair of abstract states for which some state of the one may go to a state of the other."""
    known = {pair for each in visits for pair in each.transitions}
    yield REST, REST
    for one, other in ((one, other) for one in states for other in states if other.after == one.after + 1):
        before = {member.question: member.number for member in one.members}
        follows = all((before.get(member.question), member.number) in known for member in other.members)
        if follows and not _empty([one.condition, other.condition], check):
            yield one.number, other.number
    for state in states:
        if any(isinstance(member.ending, Unexplored) for member in state.members):
            yield state.number, REST  # its successors are unknown
