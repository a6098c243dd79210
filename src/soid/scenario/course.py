"""The Course: what the program perceives in each step of a question, as the future and the suppositions say.

Of 220 and the two steps after it, with `pilot == RTH from step 221` as logged:

    step 220    gps as logged, pilot as logged
    step 221    gps as logged, pilot@221..
    step 222    gps as logged, pilot@221..

With `pilot == RTH from step 221 until move` it is `pilot@221..` until the step in which it moves, and then as logged.
What is supposed of later steps becomes an input of its own, `pilot@221..`, which has one value in all of its steps. In
the future `anything` so does every other value of every later step. Everything that knows a scenario as a mapping from
inputs to bits then works as for one step. The program's state is never supposed later: it is what the program left.
"""

from __future__ import annotations

import dataclasses
from collections import Counter
from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from typing import final

from msgspec import Struct
from msgspec.structs import replace

from soid.formula.build import TRUE
from soid.formula.term import Term
from soid.program.domain import LoggedValue, Range
from soid.program.interface import Interface, Role, Variable
from soid.program.perception import OutputCondition, Perceived, inputs_of
from soid.scenario.family import Family
from soid.scenario.input_names import mark_told
from soid.scenario.supposition import (
    During,
    Supposition,
    freed,
)
from soid.scenario.trace import Step


@final
class Until(Struct, frozen=True):
    """An input that is supposed until something, and what is known of the fact in its steps."""

    path: str
    supposed: During
    condition: OutputCondition
    first: int  # its first step, that of the question being 0
    logged: tuple[LoggedValue, ...]  # what the fact has in each of its steps
    after: tuple[str, ...]  # the inputs that have its variable's value in each of these, once it has lapsed; or empty

    @property
    def matters(self) -> bool:
        """Whether it depends on when it lapses in the fact which scenario is the fact."""
        return len(set(self.logged)) > 1 or any(self.after)


@final
@dataclass(frozen=True, slots=True)
class Course:
    """The steps of a question: their inputs as one mapping, and what is perceived in each."""

    interface: Interface  # of the program, and what is supposed of later steps
    fact: Mapping[str, int]  # bits of every input, those of later steps included
    suppositions: tuple[Supposition, ...]  # about these inputs
    texts: tuple[str, ...]  # of the suppositions, as written
    environments: tuple[Perceived, ...]  # from the second step on; empty: as in the first
    rounded: Mapping[str, Range]  # values that a rounded factual one may stand for
    recorded: Mapping[str, tuple[LoggedValue, ...]]  # what an input of several steps was in those after its first
    assumed: frozenset[str]  # inputs whose factual value is not known
    following: tuple[Step, ...]  # the steps of the log that it uses
    count: int  # of the steps
    fitting: Term = TRUE  # which values of what is not known fit the log
    untils: tuple[Until, ...] = ()  # what is supposed until something
    factual: tuple[Perceived, ...] = ()  # what the fact perceives from the second step on; empty: as in the first
    unperceived: frozenset[str] = frozenset()  # inputs whose value nothing perceives in the fact
    acts: Perceived = field(
        default_factory=dict
    )  # what is done in the first step whatever was decided; later ones are in `environments`

    def lasting_as(self, lasted: Mapping[str, int]) -> Course:
        """The same, knowing in how many steps of the fact each condition of an `until` was not yet met before.

        Only in these a scenario must be as it was in fact, to be the fact.
        """
        recorded, unperceived = dict(self.recorded), set(self.unperceived)
        for each in self.untils:
            if each.path in lasted:
                steps = lasted[each.path]
                recorded[each.path] = tuple(dict.fromkeys(each.logged[1:steps]))
                unperceived.update(path for path in each.after[:steps] if path)
        return dataclasses.replace(self, recorded=recorded, unperceived=frozenset(unperceived))

    def returning(self, paths: Collection[str]) -> Course:
        """The same with some inputs as they were in fact, in each of their steps; a state has their factual bits."""
        environments = tuple(
            {**step, **{path: fact[path] for path in fact if _stands_for(step, path) & {*paths}}}
            for step, fact in zip(self.environments or ({},) * len(self.factual), self.factual, strict=True)
        )
        recorded = {path: later for path, later in self.recorded.items() if path not in paths}
        return dataclasses.replace(self, environments=environments, recorded=recorded)

    @property
    def beside_the_world(self) -> list[str]:
        """What is perceived and not given by a world."""
        perceived = (v.path for v in self.interface.inputs if v.role is Role.ENVIRONMENT and "@" not in v.path)
        return [path for path in perceived if path not in self.interface.produced]

    @property
    def perceived(self) -> frozenset[str]:
        """The inputs that some step has: those of the first, and those that a later one perceives."""
        here = (variable.path for variable in self.interface.inputs if "@" not in variable.path)
        steps = (self.acts, *self.environments)
        return frozenset((*here, *(made.path for step in steps for each in step.values() for made in inputs_of(each))))

    def told(self, path: str, first: int) -> str:
        """The steps of an input in words, `first` being the number of the first of all.

        Empty if there is one step, and where all that is perceived is held: then it is so in all of them.
        """
        until = next((each.supposed.when for each in self.untils if each.path == path), "")
        if until or self.count == 1 or not (self.environments or self.following):
            return until
        if mark := path.partition("@")[2]:
            return mark_told(mark)
        steps = self._steps_of(path)
        last = "" if steps[-1] == self.count - 1 else str(first + steps[-1])
        return mark_told(f"{first}..{last}" if len(steps) > 1 else f"{first}")

    def _steps_of(self, path: str) -> list[int]:
        """The steps in which an input of the first step may be perceived, that being 0."""
        if self.interface.variable(path).role is Role.STATE:
            return [0]
        later = enumerate(self.environments or ({},) * (self.count - 1), start=1)
        return [0, *(step for step, values in later if path in _stands_for(values, path))]

    @property
    def lasting(self) -> frozenset[str]:
        """The inputs that have one value in several steps."""
        perceived = [variable.path for variable in self.interface.inputs if variable.role is Role.ENVIRONMENT]
        steps = (self.acts, *self.environments)
        times = Counter(made.path for step in steps for value in step.values() for made in inputs_of(value))
        own = [path for path in perceived if path not in times]
        if not self.environments:
            return frozenset(own if self.count > 1 else ())
        times.update(own)  # once, in the first step
        for step in self.environments:
            times.update(path for path in own if path not in step)
        return frozenset(path for path, count in times.items() if count > 1)

    def family(self, *, pinning: bool = True) -> Family:
        given = self.interface, self.fact, self.suppositions, pinning, self.rounded
        # what is supposed of an unknown input need not fit the log
        varied = self.assumed and self.assumed.intersection(freed(self.interface, self.suppositions))
        fitting = TRUE if varied else self.fitting
        return Family(*given, self.texts, self.recorded, self.assumed, fitting, self.unperceived)


def _stands_for(step: Perceived, path: str) -> set[str]:
    """The inputs that a variable may have its value from in a later step; where nothing is said, its own."""
    return {made.path for made in inputs_of(step[path])} if path in step else {path}


def marked(variable: Variable, mark: str) -> Variable:
    """A variable as an input of its own in some steps: `pilot@221..`."""
    return replace(variable, path=f"{variable.path}{mark}", role=Role.ENVIRONMENT, initial=None)
