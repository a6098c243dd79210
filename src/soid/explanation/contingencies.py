"""Contingencies: on which facts there is an intervention while others change, of those that follow from others.

A world gives what is perceived later, and a program decides. Such a fact follows from what changed, unless there is an
intervention: then it is what it was (it is held), or something else (it is part of a cause).

    over  suzy is anything and hit is anything at step 1       in the world hit follows from suzy

    no intervention    suzy is a cause: without it nothing hits, and nothing breaks
    one on hit         hit is a cause; where only suzy changes, hit is held, and it breaks
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from itertools import combinations
from typing import Final, final

from msgspec import Struct
from msgspec.structs import replace

from soid.errors import QueryError
from soid.explanation.held_facts import HeldFact, holding, supposed, value_at
from soid.program.interface import Interface
from soid.program.perception import Perceived, inputs_of
from soid.query.query import Query
from soid.scenario.course import Course
from soid.scenario.future import Future
from soid.scenario.input_names import called
from soid.scenario.supposition import mentioned
from soid.scenario.trace import Keyframe
from soid.witness.witness import Witness

#: facts that may be held or set: each choice of them is looked at
_MOST: Final = 6


@final
class Contingency(Struct, frozen=True):
    """Facts that do not follow from others: some that are held, and some of those that may change."""

    held: tuple[HeldFact, ...] = ()
    intervened: tuple[HeldFact, ...] = ()  # each is what it was, or something else

    def as_it_was(self, changed: Collection[str]) -> tuple[HeldFact, ...]:
        """All that is as it was where these inputs are others."""
        return (*self.held, *(each for each in self.intervened if each.path not in changed))


@final
class Following(Struct, frozen=True):
    """A question about causes, whose facts may follow from others."""

    query: Query
    course: Course
    facts: tuple[HeldFact, ...]  # those that may change, and follow from others unless they are set

    @classmethod
    def of(cls, query: Query, keyframe: Keyframe) -> Following:
        course = query.course(keyframe)
        found = _following(course, in_loop=query.future is Future.CLOSED_LOOP)
        facts = tuple(_fact(path, course, keyframe.step) for path in found)
        for each, there in zip(query.suppositions, course.suppositions, strict=False):
            names = {source.path for variable in mentioned(course.interface, there) for source in variable.sources}
            if len(names) > 1 and (follows := sorted(names & {*found})):
                raise QueryError(
                    f"{called(follows[0])} follows from others, and is compared with them: {each}",
                    "Say of each by itself what it may be: `x is anything at step 3`.",
                )
        return cls(query, course, facts)

    @property
    def plain(self) -> Query:
        """The question with all that follows left to follow."""
        return self.under(Contingency(), self.course.interface)

    def under(self, contingency: Contingency, interface: Interface) -> Query:
        """The question in a contingency."""
        left = {each.path for each in self.facts} - {each.path for each in contingency.intervened}
        kept = [
            own
            for own, there in zip(self.query.suppositions, self.course.suppositions, strict=False)
            if not any(source.path in left for v in mentioned(self.course.interface, there) for source in v.sources)
        ]
        return replace(self.query, suppositions=(*kept, *(supposed(each, interface) for each in contingency.held)))

    def contingencies(self, held: Sequence[HeldFact], interface: Interface) -> Iterator[Contingency]:
        """Every choice of what is held and set, the smallest first, in which something may change."""
        pool = [*held, *self.facts]
        if len(pool) > _MOST:
            raise QueryError(
                f"{len(pool)} facts are to be held, or follow from others",
                f"Name at most {_MOST}: each choice is tried.",
            )
        for count in range(len(pool) + 1):
            for chosen in combinations(pool, count):
                own = tuple(each for each in chosen if each in held)
                made = Contingency(own, tuple(each for each in chosen if each not in held))
                if len(self.under(made, interface).suppositions) > len(own):
                    yield made

    def held(
        self, wanted: Sequence[tuple[str, int]], keyframe: Keyframe, fact: Witness, later: Sequence[Perceived]
    ) -> tuple[HeldFact, ...]:
        """What may be held besides, as it was in the factual run; refuse facts that this run does not have."""
        facts = {each.path: each.bits for each in self.facts}
        for path, number, name in _standing(self.course):
            variable = keyframe.interface.variable(path)
            if name in facts and value_at(variable, number, keyframe.interface, fact, later) != facts[name]:
                raise _other_in_log(path, keyframe.step + number)
        found = (holding(path, step, keyframe, self.query, fact, later) for path, step in wanted)
        return tuple(each for each in found if each.path not in facts)


def check_held(held: Sequence[HeldFact], course: Course) -> None:
    """Refuse facts that the log has otherwise than the run: they would be others where nothing changes."""
    for each in held:
        if course.fact.get(each.path, each.bits) != each.bits:
            path, _, step = each.path.partition("@")
            raise _other_in_log(path, int(step))


def _other_in_log(path: str, step: int) -> QueryError:
    cause = f"{path} at step {step} is another one in the log than in the run"
    return QueryError(cause, "The world does not reproduce the log there: name something else.")


def _following(course: Course, *, in_loop: bool) -> list[str]:
    """The inputs that stand for what a world gives, or for what is decided."""
    found = []
    for path, _, name in _standing(course):
        variable = course.interface.variable(path)
        if not variable.is_input or (in_loop and path in course.interface.produced):
            found.append(name)
    return list(dict.fromkeys(found))


def _standing(course: Course) -> Iterator[tuple[str, int, str]]:
    """In which steps inputs stand for variables: the variable, the step, the input."""
    for number, step in enumerate((course.acts, *course.environments)):
        for path, value in step.items():
            for made in inputs_of(value):
                yield path, number, made.path


def _fact(path: str, course: Course, first: int) -> HeldFact:
    variable = course.interface.variable(path)
    return HeldFact(path, variable.type, course.fact[path], course.told(path, first))
