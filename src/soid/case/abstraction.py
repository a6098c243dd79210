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

from collections import defaultdict
from collections.abc import Callable, Iterable, Sequence
from functools import partial
from typing import TYPE_CHECKING, Final, final

from msgspec import Struct, field
from msgspec.structs import replace

from soid.budget import Cancellation
from soid.case.inside_visit import Emptiness, InsideDocument, InsideMeet, inside_meets
from soid.case.project import Project
from soid.case.record.entry import EntryKind
from soid.case.state_emptiness import StateEmptiness
from soid.case.validity import in_force
from soid.case.visited_states import Surroundings, SymbolicState, Visit, visit
from soid.documents import Document
from soid.engine.refinement import RefiningChecker
from soid.engine.summary import Unexplored
from soid.formula import build
from soid.formula.checker import Checker
from soid.formula.term import Term
from soid.oracle.answer import Answer, Verdict
from soid.oracle.inquiry import Inquiry, QuestionProgress
from soid.query.query import Query

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
    inside: list[InsideDocument]
    inside_meets: tuple[InsideMeet, ...]


@final
class Abstraction(Struct, frozen=True):
    """The abstraction of a program after some questions."""

    visits: tuple[Visit, ...] = ()
    meets: tuple[Meet, ...] = ()
    states: tuple[AbstractState, ...] = ()
    transitions: tuple[tuple[int, int], ...] = ((REST, REST),)  # between abstract states, by their numbers
    inside_meets: tuple[InsideMeet, ...] = ()  # of states inside the program

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
            [each.inside.document for each in self.visits if each.inside is not None],
            self.inside_meets,
        )


def _visited(state: SymbolicState) -> VisitedDocument:
    ending = None if state.ending is None else str(state.ending)
    return VisitedDocument(state.number, state.question, state.after, state.concrete, ending, state.occurs or None)


def _question(each: Visit) -> VisitQuestionDocument:
    answer = each.answer
    states = [state.number for state in each.states]
    return VisitQuestionDocument(each.number, answer.text, answer.step, answer.verdict, states, each.transitions)


def answered(case: Case) -> list[tuple[Project, Answer]]:
    """The answers of a case, each with the project at its moment; without those that are errors."""
    found = []
    for entry in in_force(case.entries, EntryKind.ANSWERED):
        if entry.question is not None and entry.verdict is not Verdict.ERROR:
            project = case.project_at(entry.step, entry.log)
            query = project.checked(entry.question).query
            found.append((project, replace(case.recall(entry.number), query=query)))
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
    return abstraction_of([(project, question)], before=before, cancel=cancel, progress=progress)


def abstraction_of(
    asked: Iterable[tuple[Project, Query | str | Answer]],
    *,
    before: Abstraction | None = None,
    cancel: Cancellation | None = None,
    progress: Callable[[QuestionProgress], None] = lambda _: None,
    inside: bool = False,
) -> Abstraction:
    """The abstraction after these questions; each has the full budget of the settings for its answer and its states.

    What has its answer, such as on the record of a case, is not asked again.
    With `inside` also the states inside the program, at calls, rounds of loops and returns.
    """
    found, cancel, empty = before or Abstraction(), cancel or Cancellation(), StateEmptiness()
    for visit_before in found.visits:
        empty.learn(visit_before.approximations)
    check: Checker | None = None
    for project, question in asked:
        if isinstance(question, Answer):
            answer = question
        else:
            answer = project.ask(question, cancel=cancel, progress=progress)
        # cached summaries may have other paths than exploration finds, and the abstraction depends on the paths
        asking = Inquiry(replace(project.context(cancel, progress), summaries=None))
        with asking.stage("abstraction"):
            number, first = len(found.visits) + 1, len(found.visited) + 1
            made = visit(project, answer, number, first, asking, empty, inside=inside)
            asking.refining = None
            approximations = [one for each in (*found.visits, made) for one in each.approximations]
            refining = RefiningChecker({one.symbol: one for one in approximations}, project.settings.refinements)
            check = refining.checker(asking.glance)
            found = refined(found, made, empty, check)
    return found if check is None else connected(found, empty, check)


def refined(before: Abstraction, made: Visit, empty: StateEmptiness, check: Checker) -> Abstraction:
    """The abstraction, split by the states that one more question has visited; `connected` gives it its transitions."""
    pairs = [pair for old in before.visits for pair in _near(old, made, empty)]
    meets = [Meet((old.number, new.number), empty([old.condition, new.condition], check)) for old, new in pairs]
    parts = _split(before, made, [meet for meet in meets if not meet.empty], partial(empty, check=check))
    states = tuple(replace(part, number=number) for number, part in enumerate(parts, start=1))
    met = [*before.inside_meets, *_inside_meets(before.visits, made, partial(empty, check=check))]
    return Abstraction((*before.visits, made), (*before.meets, *meets), states, inside_meets=tuple(met))


def _inside_meets(before: Iterable[Visit], made: Visit, empty: Emptiness) -> Iterable[InsideMeet]:
    """What a question visits inside the program that earlier ones visit too.

    A result that no formula gives has a symbol of its own in each exploration: of these, nothing is said.
    """
    if made.inside is not None and not made.approximations:
        for old in before:
            if old.inside is not None and not old.approximations:
                yield from inside_meets(old.inside, made.inside, empty)


def _near(old: Visit, new: Visit, empty: StateEmptiness) -> Iterable[tuple[SymbolicState, SymbolicState]]:
    """The states of two questions that values alone do not tell apart; those of a question lie in its first one."""
    if not old.states or not new.states:
        return
    reached = [one for one in old.states if not empty.apart([one.condition, new.states[0].condition])]
    for other in new.states:
        if not empty.apart([other.condition, old.states[0].condition]):
            near = (one for one in reached if _same_time(one, other))
            yield from ((one, other) for one in near if not empty.apart([one.condition, other.condition]))


def _same_time(one: SymbolicState | AbstractState, other: SymbolicState | AbstractState) -> bool:
    return (one.after, one.surroundings) == (other.after, other.surroundings)


def _split(before: Abstraction, made: Visit, meets: Sequence[Meet], empty: Emptiness) -> list[AbstractState]:
    """Split each abstract state into its parts inside and outside of the new states; add the rest of the new states.

    The meets are those that may have a state.
    """
    met: dict[int, set[int]] = defaultdict(set)
    for meet in meets:
        one, other = meet.states
        met[one].add(other)
        met[other].add(one)
    found: list[AbstractState] = []
    for state in before.states:
        common = set.intersection(*(met[number] for number in state.member_numbers))
        inside = [new for new in made.states if new.number in common]
        if inside:
            found += _parts(state, inside, empty)
        else:
            found.append(state)
    for new in made.states:
        olds = (old for old in before.visited if old.number in met[new.number])
        alone = build.and_(new.condition, *(build.not_(old.condition) for old in olds))
        part = AbstractState(0, new.after, (new,), alone, surroundings=new.surroundings)
        found += _unless_empty(part, empty)
    return sorted(found, key=lambda part: (part.after, part.member_numbers))


def _parts(state: AbstractState, inside: Sequence[SymbolicState], empty: Emptiness) -> Iterable[AbstractState]:
    """The parts of a state outside and inside of new ones; if all but the last are empty, the last one is not."""
    others = build.not_(build.any_of(new.condition for new in inside))
    parts = [replace(state, condition=build.and_(state.condition, others))]
    for new in inside:
        members, condition = (*state.members, new), build.and_(state.condition, new.condition)
        parts.append(replace(state, members=members, condition=condition))
    found = [each for part in parts[:-1] for each in _unless_empty(part, empty)]
    return [*found, *_unless_empty(parts[-1], empty)] if found or not state.settled else [parts[-1]]


def _unless_empty(part: AbstractState, empty: Emptiness) -> list[AbstractState]:
    is_empty = empty([part.condition])
    return [] if is_empty else [replace(part, settled=is_empty is False)]


def connected(abstraction: Abstraction, empty: StateEmptiness, check: Checker) -> Abstraction:
    """The abstraction with its transitions."""
    return replace(abstraction, transitions=tuple(_transitions(abstraction, partial(empty, check=check))))


def _transitions(abstraction: Abstraction, empty: Emptiness) -> Iterable[tuple[int, int]]:
    """A transition for each pair of abstract states for which some state of the one may go to a state of the other."""
    came = {after: before for each in abstraction.visits for before, after in each.transitions}
    containing: dict[int, list[AbstractState]] = defaultdict(list)
    for state in abstraction.states:
        for number in state.member_numbers:
            containing[number].append(state)
    found = []
    for other in abstraction.states:
        before = {came[number] for number in other.member_numbers if number in came}
        if len(before) == len(other.members):  # else it is a beginning
            near = [one for one in containing[min(before)] if before.issubset(one.member_numbers)]
            found += [(one.number, other.number) for one in _leading(near, other, empty)]
    yield REST, REST
    yield from sorted(found)
    for state in abstraction.states:
        if any(isinstance(member.ending, Unexplored) for member in state.members):
            yield state.number, REST  # its successors are unknown


def _leading(near: Sequence[AbstractState], other: AbstractState, empty: Emptiness) -> list[AbstractState]:
    """The states from which one may go to another, of all that it may come from.

    Each way into it begins in one of these: if there are none from all but the last, there are some from the last one.
    """
    ordered = sorted(near, key=lambda one: -len(one.members))  # what lies in many states has the fewest values
    found = [one for one in ordered[:-1] if not empty([one.condition, other.condition])]
    last = ordered[-1:]
    if other.settled and not found:
        return last
    return [*found, *(one for one in last if not empty([one.condition, other.condition]))]
