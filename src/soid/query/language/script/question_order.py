"""The questions of a script in the order of the text: their numbers, their names, and the loops they are in."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Self, final

from msgspec import Struct

from soid.errors import did_you_mean
from soid.query.language.script import nodes
from soid.query.language.script.nodes import Script, Statement
from soid.scenario.expression import TextSpan, error_at


@final
class QuestionPlace(Struct, frozen=True):
    """Where a question stands."""

    order: int  # from 1
    start: int  # of its line in the text
    loops: tuple[int, ...]  # where the loops around it start, the outermost first
    is_cause: bool = False  # it is four questions


@final
class QuestionOrder(Struct, frozen=True):
    """All questions of a script; a cause is one."""

    places: tuple[QuestionPlace, ...]
    names: dict[str, QuestionPlace]

    @classmethod
    def of(cls, script: Script) -> Self:
        """Raises if two questions have the same name."""
        places: list[QuestionPlace] = []
        names: dict[str, QuestionPlace] = {}
        for line, loops in _walk(script.lines, ()):
            if not isinstance(line, nodes.Ask | nodes.NamedQuestion | nodes.When):
                continue
            assert line.span is not None
            is_cause = isinstance(line.condition, nodes.Cause)
            places.append(QuestionPlace(len(places) + 1, line.span.start, loops, is_cause))
            if isinstance(line, nodes.NamedQuestion):
                if line.name in names:
                    problem = f"a question is called {line.name} already"
                    raise error_at(line.span, problem, "Give each question a name of its own.")
                names[line.name] = places[-1]
        return cls(tuple(places), names)

    def at(self, span: TextSpan) -> int:
        """The number of the question of a line."""
        return next(place.order for place in self.places if place.start == span.start)

    def find(self, called: str, span: TextSpan | None, line: TextSpan, loops: tuple[int, ...]) -> int:
        """The question that is called so in a line inside of these loops. It must be asked above that line."""
        place = self._called(called, span)
        if place.start >= line.start:
            problem = f"the question {called} is asked below this line only"
            raise error_at(span, problem, "A verdict can be used after its question: move the question up.")
        if place.loops != loops[: len(place.loops)]:
            problem = f"the question {called} is asked in a loop, once for each time around: it has not one verdict"
            raise error_at(span, problem, "Use its verdict inside of that loop.")
        return place.order

    def scenario(self, called: str, span: TextSpan | None, line: TextSpan, loops: tuple[int, ...]) -> int:
        """The question whose answer shows the scenario that is meant."""
        order = self.find(called, span, line, loops)
        if self.places[order - 1].is_cause:
            raise error_at(span, f"{called} is a cause, which is four questions", "Ask one by itself, and name that.")
        return order

    def _called(self, called: str, span: TextSpan | None) -> QuestionPlace:
        if called in self.names:
            return self.names[called]
        if called.isdecimal() and len(called) < 10 and 1 <= int(called) <= len(self.places):
            return self.places[int(called) - 1]
        count = len(self.places)
        numbered = f"Questions have the numbers 1 to {count}, in the order of the text." if count else ""
        if called[:1].isdigit() or called[:1] == "-":
            raise error_at(span, f"no question has the number {called}", numbered)
        remedy = did_you_mean(called, sorted(self.names), f"Name it where it is asked: let {called} = would ...")
        raise error_at(span, f"no question is called {called}", remedy)


def _walk(lines: tuple[Statement, ...], loops: tuple[int, ...]) -> Iterator[tuple[Statement, tuple[int, ...]]]:
    """All lines in the order of the text, with the loops around each."""
    for line in lines:
        yield line, loops
        if isinstance(line, nodes.When):
            for branch in line.branches:
                yield from _walk(branch.block.lines, loops)
        elif isinstance(line, nodes.WhenVerdicts):
            for arm in line.arms:
                yield from _walk(arm.block.lines, loops)
        elif isinstance(line, nodes.Loop):
            assert line.span is not None
            yield from _walk(line.block.lines, (*loops, line.span.start))
