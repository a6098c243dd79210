"""The abstraction of a program that a case's questions have led to: the paper's section 4.2.

Before any question there is one abstract state that stands for everything, and from it the program may go anywhere.
Each question visits symbolic states (`visiting`). An abstract state is what lies in the same visited states and in no
others: so the meets of visited states are abstract states of their own, what only one of them has is another, and each
concrete state belongs to exactly one. A further question splits abstract states and never joins any.

    q1 visits s1, s2          s1 lies in s3:           abstract states  s1 ⊓ s3,  s3 without s1,  s2 ⊓ s4,  ...
    q2 visits s3, s4, s5      s2 meets s4, not s5      transitions      s1 ⊓ s3 to s2 ⊓ s4, ...

Whether a meet is empty is asked of the solvers. What they do not settle is taken for possible, so that the transitions
remain an over-approximation, and is marked.
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

#: the number of the abstract state of everything that no question has visited: from there it may go anywhere
REST: Final = 0


@final
class Meet(Struct, frozen=True):
    """Two visited states of different questions at the same time of the run: have they anything in common?"""

    one: int  # their numbers
    other: int
    empty: bool | None  # proved, or shown by a state; None: not settled


@final
class AbstractState(Struct, frozen=True):
    """All states that lie in the same visited ones."""

    number: int  # from 1; 0 is the rest
    after: int  # calls of the program so far
    members: tuple[SymbolicState, ...]  # the visited states that it lies in: at most one of each question
    condition: Term  # in all of these, and in no other visited state
    settled: bool = True  # some state is known to lie in it; False: for all that is known it may be empty
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
        """The visited states that it is the meet of; or the one that has it for itself."""
        only = "" if self.shared else "only "
        return only + " ⊓ ".join(member.name for member in self.members)


@final
class VisitQuestionDocument(Struct, frozen=True):
    """A question, and what it visited, as JSON."""

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
class MeetDocument(Struct, frozen=True):
    """A meet as JSON."""

    states: tuple[int, int]
    empty: bool | None


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
    meets: list[MeetDocument]
    states: list[AbstractStateDocument]
    transitions: tuple[tuple[int, int], ...]


@final
class Abstraction(Struct, frozen=True):
    """What is known of a program after some questions."""

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
            [MeetDocument((meet.one, meet.other), meet.empty) for meet in self.meets],
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


# --- growing --------------------------------------------------------------------------------------------------


def abstraction(
    project: Project,
    questions: Iterable[Query | str],
    *,
    cancel: Cancellation | None = None,
    progress: Callable[[QuestionProgress], None] = lambda _: None,
) -> Abstraction:
    """The abstraction that questions about one moment lead to, one after the other."""
    found = Abstraction()
    for question in questions:
        found = grown(found, project, question, cancel=cancel, progress=progress)
    return found


def answered(case: Case) -> list[tuple[Project, Query]]:
    """The questions that a case has answers to, each with its moment; one that could not be put has shown nothing."""
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
    """The abstraction after one more question; asking it, and refining, may each take what the settings allow."""
    cancel = cancel or Cancellation()
    answer = project.ask(question, cancel=cancel, progress=progress)
    # kept summaries may have other paths than exploring finds, and the abstraction is drawn from paths
    asking = Inquiry(replace(project.context(cancel, progress), summaries=None))
    with asking.stage("abstraction"):
        made = visit(project, answer, len(before.visits) + 1, len(before.visited) + 1, asking)
        asking.refining = None
        approximations = [one for each in (*before.visits, made) for one in each.approximations]
        refining = RefiningChecker({one.symbol: one for one in approximations}, project.settings.refinements)
        return refined(before, made, refining.checker(asking.glance))


def refined(before: Abstraction, made: Visit, check: Checker) -> Abstraction:
    """The abstraction split by what one more question has visited."""
    meets = _meets(before, made, check)
    parts = _split(before, made, meets, check)
    states = tuple(replace(part, number=number) for number, part in enumerate(parts, start=1))
    visits = (*before.visits, made)
    return Abstraction(visits, (*before.meets, *meets), states, tuple(_transitions(states, visits, check)))


def _meets(before: Abstraction, made: Visit, check: Checker) -> list[Meet]:
    pairs = [(old, new) for new in made.states for old in before.visited if _same_time(old, new)]
    return [Meet(old.number, new.number, _empty([old.condition, new.condition], check)) for old, new in pairs]


def _same_time(one: SymbolicState | AbstractState, other: SymbolicState | AbstractState) -> bool:
    return (one.after, one.surroundings) == (other.after, other.surroundings)


def _empty(conjuncts: Sequence[Term], check: Checker) -> bool | None:
    """Whether conditions have nothing in common; None: not settled.

    Most inputs have one value in most states. With these put in their places, conditions of different questions about
    the same path become the same. The values are still said: results of the library are computed from them.
    """
    condition = build.all_of(conjuncts)
    known = {symbol: build.const(symbol.sort, bits) for symbol, bits in pinned(condition).items()}
    answer = check([*substitute([condition], known), *(build.eq(symbol, value) for symbol, value in known.items())])
    return True if isinstance(answer, Impossible) else False if isinstance(answer, Possible) else None


def _split(before: Abstraction, made: Visit, meets: Sequence[Meet], check: Checker) -> list[AbstractState]:
    """Each abstract state as it lies in the new states and outside of them; and what only the new ones have."""
    apart = {(meet.one, meet.other) for meet in meets if meet.empty}
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
        others = build.not_(build.any_of(new.condition for new in inside))
        found += (
            _unless_empty(replace(state, condition=build.and_(state.condition, others)), check) if inside else [state]
        )
    for new in made.states:
        met = [old for old in before.visited if _same_time(old, new) and (old.number, new.number) not in apart]
        alone = build.and_(new.condition, *(build.not_(old.condition) for old in met))
        part = AbstractState(0, new.after, (new,), alone, surroundings=new.surroundings)
        found += _unless_empty(part, check)
    return sorted(found, key=lambda part: (part.after, [member.number for member in part.members]))


def _unless_empty(part: AbstractState, check: Checker) -> list[AbstractState]:
    empty = _empty([part.condition], check)
    return [] if empty else [replace(part, settled=empty is False)]


def _transitions(states: Sequence[AbstractState], visits: Sequence[Visit], check: Checker) -> Iterable[tuple[int, int]]:
    """From one abstract state to another, if some state of the one goes to some state of the other."""
    known = {pair for each in visits for pair in each.transitions}
    yield REST, REST
    for one, other in ((one, other) for one in states for other in states if other.after == one.after + 1):
        before = {member.question: member.number for member in one.members}
        follows = all((before.get(member.question), member.number) in known for member in other.members)
        if follows and not _empty([one.condition, other.condition], check):
            yield one.number, other.number
    for state in states:
        if any(isinstance(member.ending, Unexplored) for member in state.members):
            yield state.number, REST  # nobody knows where it goes
