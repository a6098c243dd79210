"""The engine for several programs: each is explored by its own engine, and their paths are taken together.

    standard    x < 1: move         x >= 1: not move
    impatient   x < 2: move         x >= 2: not move

    together    x < 1: move, impatient.move      1 <= x < 2: not move, impatient.move      x >= 2: neither

Only programs that a question speaks of are explored. Where the first one fails, the path fails. Where another one fails
or does not decide, its outputs have no value.
"""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Callable, Sequence
from functools import partial, reduce
from pathlib import Path as FilePath
from typing import Final, final

from msgspec.structs import replace

from soid.cache import digest
from soid.engine.product.member_names import Renaming
from soid.engine.product.product_replayer import ProductReplayer
from soid.engine.protocol import BuildRecord, Engine, Exploration, MissingPart
from soid.engine.replay import Replayer
from soid.engine.summary import Decided, Failed, OutputValue, Path, PathSummary, Unexplored
from soid.engine.trail import Trail
from soid.formula import build
from soid.formula.build import FALSE, TRUE
from soid.formula.term import Term
from soid.program.interface import ENDINGS
from soid.program.perception import Lapsing
from soid.program.product_interface import FAILS, NamedInterface, OutputNames
from soid.program.types import BoolType, constant

_UNTIL: Final = "what is supposed until a decision, in a question about several programs"


@final
class ProductEngine(Engine):
    """Explores several programs together."""

    name = "product"

    def __init__(self, members: Sequence[tuple[NamedInterface, Engine]]) -> None:
        self.members = tuple(members)
        self._names = OutputNames([member for member, _ in members])
        engines = [engine for _, engine in members]
        self.disjoint = all(engine.disjoint for engine in engines)
        self.last_digits = engines[0].last_digits
        self.has_ways = any(engine.has_ways for engine in engines)

    def explore(self, exploration: Exploration) -> PathSummary:
        asked = self._asked(exploration)
        lapses = any(isinstance(value, Lapsing) for step in exploration.environments for value in step.values())
        if lapses and len(asked) + (self.members[0] not in asked) > 1:
            return PathSummary((Path("1", TRUE, Unexplored(f"not supported: {_UNTIL}")),))
        one = replace(exploration, programs=exploration.programs * len(asked))
        found = [self._explored(*each, one) for each in asked]
        return reduce(lambda one, other: _together(one, other, exploration), found)

    def _asked(self, exploration: Exploration) -> list[tuple[NamedInterface, Engine]]:
        """The programs that an exploration observes something of; else the first."""
        asked = [each for each in self.members if each[0].is_asked(self._observed(each[0], exploration))]
        return asked or [self.members[0]]

    def _observed(self, member: NamedInterface, exploration: Exploration) -> frozenset[str]:
        """What is observed of a program, by its own names."""
        named = frozenset(member.named(exploration.observed))
        if member is not self.members[0][0]:
            return named
        named |= exploration.observed & ENDINGS  # how the first one ends is how the product ends
        known = member.interface
        return named | {each for each in exploration.observed if each in known and known.variable(each).is_input}

    def _explored(self, member: NamedInterface, engine: Engine, exploration: Exploration) -> PathSummary:
        """The paths of one program in the product's names."""
        renaming = Renaming(member, exploration)
        own = replace(renaming.exploration, observed=self._observed(member, exploration))
        found = renaming.found(engine.explore(own))
        called = partial(self._names.called, member)
        if member is self.members[0][0]:
            return replace(found, paths=tuple(_of_first(called, path) for path in found.paths))
        return replace(found, paths=tuple(_of_other(called, path, exploration.steps) for path in found.paths))

    def trail(self, exploration: Exploration) -> Trail | None:
        """The ways of all programs that are asked about, one after the other."""
        found = []
        for member, engine in self._asked(exploration):
            one = engine.trail(Renaming(member, exploration).exploration)
            if one is None:
                return None
            branches = tuple(replace(each, function=f"{member.name}: {each.function}") for each in one.branches)
            found.append(Trail(branches, {self._names.called(member, name): at for name, at in one.set_at.items()}))
        return Trail(
            tuple(branch for one in found for branch in one.branches),
            {name: at for one in found for name, at in one.set_at.items()},
        )

    @property
    def identity(self) -> str | None:
        known = [(member, engine.identity) for member, engine in self.members]
        parts = [
            digest(member.name, repr(sorted(member.names.items())), one) for member, one in known if one is not None
        ]
        return digest(*parts) if len(parts) == len(known) else None

    @property
    def files(self) -> tuple[FilePath, ...]:
        return tuple(dict.fromkeys(file for _, engine in self.members for file in engine.files))

    @property
    def missing(self) -> tuple[MissingPart, ...]:
        return tuple(dict.fromkeys(part for _, engine in self.members for part in engine.missing))

    @property
    def notes(self) -> tuple[str, ...]:
        return tuple(f"{member.name}: {note}" for member, engine in self.members for note in engine.notes)

    @property
    def built(self) -> BuildRecord | None:
        made = {member.name: engine.built for member, engine in self.members}
        known = {name: one for name, one in made.items() if one is not None}
        if not known:
            return None
        modules = b"".join(hashlib.sha256(one.module).digest() for one in known.values())
        compilers, readers = ({getattr(one, each): None for one in known.values()} for each in ("compiler", "reader"))
        settings = {name: dict(one.settings) for name, one in known.items()}
        return BuildRecord(modules, ", ".join(compilers), ", ".join(readers), settings)

    def replayer(self, *, unconfined: bool) -> Replayer | None:
        made = [(member, engine.replayer(unconfined=unconfined)) for member, engine in self.members]
        known = [(member, one) for member, one in made if one is not None]
        return ProductReplayer(known) if len(known) == len(made) else None


def _of_first(called: Callable[[str], str], path: Path) -> Path:
    """A path of the first program, whose outputs are called as questions call them."""
    *earlier, last = ({called(name): value for name, value in each.items()} for each in (*path.earlier, path.outputs))
    return replace(path, outputs=last, earlier=tuple(earlier))


def _of_other(called: Callable[[str], str], path: Path, steps: int) -> Path:
    """A path of another program, which has all steps: in one that it does not finish its outputs have no value."""
    done = (*path.earlier, *((path.outputs if isinstance(path.ending, Decided) else {},)))
    made = [{called(name): value for name, value in step.items()} for step in done]
    if isinstance(path.ending, Unexplored):
        return replace(path, outputs={}, earlier=tuple(made[:-1]))
    for number, step in enumerate(made, start=1):
        fails = isinstance(path.ending, Failed) and number == len(made)
        step[called(FAILS)] = OutputValue(constant(BoolType(), int(fails)))
    made += [{}] * (steps - len(made))
    return replace(path, ending=Decided(), outputs=made[-1], earlier=tuple(made[:-1]))


def _together(one: PathSummary, other: PathSummary, exploration: Exploration) -> PathSummary:
    """The paths of two programs on which both may go."""
    reach = exploration.reach(exploration.precondition) if exploration.mechanisms.intervals else None
    paths: list[Path] = []
    for first in one.paths:
        for second in other.paths:
            condition = build.and_(first.condition, second.condition)
            if condition is not FALSE and (reach is None or not reach.excludes(condition)):
                paths.append(_joined(first, second, condition))
    return PathSummary(
        tuple(paths),
        tuple(dict.fromkeys((*one.relies_on, *other.relies_on))),
        (*one.approximations, *other.approximations),
        one.instructions + other.instructions,
        Counter(one.settled_by) + Counter(other.settled_by),
    )


def _joined(first: Path, second: Path, condition: Term) -> Path:
    """Two paths as one, which ends where the first of them ends."""
    steps = [
        {**mine, **others}
        for mine, others in zip((*first.earlier, first.outputs), (*second.earlier, second.outputs), strict=False)
    ]
    ends = [path.ending for path in (first, second) if len(path.earlier) + 1 == len(steps)]
    ending = next((each for each in ends if isinstance(each, Unexplored)), ends[0])
    return Path(f"{first.name}; {second.name}", condition, ending, steps[-1], tuple(steps[:-1]))
