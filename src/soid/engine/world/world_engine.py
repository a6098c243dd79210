"""The engine for programs in a world: step by step, the programs decide and the world goes on from there.

    step 1   gap = 10: move         the world: gap' = gap - 1
    step 2   gap = 9:  move         ...

What is perceived in a step is what an exploration says: what the world has left (a closed loop), what was logged, or
what is supposed. Each step of each path is one exploration of the programs and one of the world, in which most values
are constants.
"""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path as FilePath
from typing import Final, final

from msgspec import Struct
from msgspec.structs import replace

from soid.assumptions import Assumption
from soid.engine.product.member_names import renamed
from soid.engine.protocol import PERCEPTION_OPEN, BuildRecord, Engine, Exploration, MissingPart
from soid.engine.replay import Replayer
from soid.engine.summary import Approximation, Decided, Failed, OutputValue, Path, PathSummary, Unexplored
from soid.engine.world.world_events import StepScope, happening
from soid.engine.world.world_interface import WorldEvent, WorldNames
from soid.engine.world.world_replayer import WorldReplayer
from soid.formula import build
from soid.formula import softfloat as sf
from soid.formula.build import FALSE, TRUE
from soid.formula.passes import free_variables
from soid.formula.sorts import BitVec, Float
from soid.formula.term import Term
from soid.program.interface import Interface, Role, Variable
from soid.program.types import FloatType, reading

Outputs = Mapping[str, OutputValue]

_MANY: Final = "there are more paths than the {} that are followed"


@final
class WorldEngine(Engine):
    """Explores programs in a world."""

    name = "world"

    def __init__(
        self,
        interface: Interface,
        programs: tuple[Interface, Engine],
        world: tuple[WorldNames, Engine],
        events: Sequence[WorldEvent],
    ) -> None:
        self.interface = interface
        self.programs, self.program_engine = programs
        self.world, self.world_engine = world
        self.events = tuple(events)
        self.last_digits = self.program_engine.last_digits
        self.disjoint = self.program_engine.disjoint and self.world_engine.disjoint

    def explore(self, exploration: Exploration) -> PathSummary:
        return _Loop(self, exploration).run()

    @property
    def files(self) -> tuple[FilePath, ...]:
        return tuple(dict.fromkeys((*self.program_engine.files, *self.world_engine.files)))

    @property
    def missing(self) -> tuple[MissingPart, ...]:
        return tuple(dict.fromkeys((*self.program_engine.missing, *self.world_engine.missing)))

    @property
    def notes(self) -> tuple[str, ...]:
        return (*self.program_engine.notes, *(f"the world: {note}" for note in self.world_engine.notes))

    @property
    def built(self) -> BuildRecord | None:
        known = [each for each in (self.program_engine.built, self.world_engine.built) if each is not None]
        if not known:
            return None
        modules = b"".join(hashlib.sha256(one.module).digest() for one in known)
        compilers, readers = (
            ", ".join(dict.fromkeys(getattr(one, each) for one in known)) for each in ("compiler", "reader")
        )
        return BuildRecord(modules, compilers, readers, {str(at): dict(one.settings) for at, one in enumerate(known)})

    def replayer(self, *, unconfined: bool) -> Replayer | None:
        programs, world = (
            engine.replayer(unconfined=unconfined) for engine in (self.program_engine, self.world_engine)
        )
        return None if programs is None or world is None else WorldReplayer(self.programs, programs, self.world, world)


@final
class _OpenPath(Struct, frozen=True):
    """A path as far as it has come."""

    condition: Term
    steps: tuple[Outputs, ...] = ()


@final
class _Loop:
    """One exploration."""

    def __init__(self, engine: WorldEngine, exploration: Exploration) -> None:
        self._engine = engine
        self._exploration = exploration
        self._relies_on: dict[Assumption, None] = {}
        self._approximations: list[Approximation] = []
        self._settled_by: Counter[str] = Counter()
        self._instructions = 0
        self._explored = 0  # explorations of programs or world
        self._acting = frozenset(engine.world.acts.values())  # decisions that the world goes on from
        #: what was found where all inputs are constants: of world or programs, by these inputs
        self._constant: dict[tuple[bool, tuple[tuple[str, int], ...]], PathSummary] = {}

    def run(self) -> PathSummary:
        open_, finished = [_OpenPath(TRUE)], list[Path]()
        for step in range(self._exploration.steps):
            following: list[_OpenPath] = []
            for run in open_:
                spent = self._spent(len(finished) + len(following))
                if spent is not None:
                    finished.append(_ended(run, spent))
                    continue
                for path in self._after(run):
                    if isinstance(path.ending, Decided) and step + 1 < self._exploration.steps:
                        following.append(_OpenPath(path.condition, (*path.earlier, path.outputs)))
                    else:
                        finished.append(path)
            open_ = following
        return PathSummary(
            tuple(replace(path, name=str(number)) for number, path in enumerate(finished, start=1)),
            tuple(self._relies_on),
            tuple(self._approximations),
            self._instructions,
            self._settled_by,
        )

    def _spent(self, paths: int) -> Unexplored | None:
        exploration = self._exploration
        if exploration.deadline.is_over or exploration.cancel.cancelled:
            return Unexplored("the time budget ended", out_of_time=True)
        return Unexplored(_MANY.format(exploration.paths)) if paths > exploration.paths else None

    def _after(self, run: _OpenPath) -> Iterator[Path]:
        """The paths on which a run goes on by one step; together they cover it."""
        unclear = self._exploration.open_after(run.steps) if run.steps else FALSE
        if unclear is not FALSE:
            yield _ended(run, Unexplored(PERCEPTION_OPEN))
            return
        inputs = self._inputs(run.steps)
        if isinstance(inputs, Unexplored):
            yield _ended(run, inputs)
            return
        engine = self._engine
        given = {v.path: (v, inputs[v.path]) for v in engine.programs.inputs}
        for path in self._part(engine.program_engine, given, run.condition, world=False):
            if not isinstance(path.ending, Decided):
                yield Path("", path.condition, path.ending, path.outputs, run.steps)
            else:
                yield from self._moved(_OpenPath(path.condition, run.steps), path.outputs, inputs)

    def _moved(self, run: _OpenPath, outputs: Outputs, inputs: Mapping[str, Term]) -> Iterator[Path]:
        """What the world makes of decisions."""
        engine, named = self._engine, self._engine.world.named
        given = {v.path: (v, inputs[named.called(v.path)]) for v in (*engine.world.state, *engine.world.given)}
        for own, decision in engine.world.acts.items():
            acted = outputs.get(decision)
            known = FALSE if acted is None else build.and_(run.condition, acted.defined)
            if acted is None or acted.defined is not TRUE:
                why = f"what {decision} is, is not known, and the world goes on from it"
                unclear = TRUE if acted is None else build.not_(acted.defined)
                yield _ended(replace(run, condition=build.and_(run.condition, unclear)), Unexplored(why))
            if acted is None or known is FALSE:
                return
            run = replace(run, condition=known)
            given[own] = named.interface.variable(own), acted.term
        for path in self._part(engine.world_engine, given, run.condition, world=True):
            if not isinstance(path.ending, Decided):
                ending = path.ending
                if isinstance(ending, Failed):
                    ending = replace(ending, kind=f"the world {ending.kind}")
                yield Path("", path.condition, ending, {}, run.steps)
                continue
            if any(value.defined is not TRUE for each, value in path.outputs.items() if each.endswith(_PRIME)):
                yield _ended(_OpenPath(path.condition, run.steps), Unexplored("what the world leaves is not known"))
                continue
            strange = self._unlabelled(path.outputs)
            if strange is not FALSE:
                nothing = Unexplored(
                    "what the world leaves is a number without a label, and means nothing to a program"
                )
                yield _ended(replace(run, condition=build.and_(path.condition, strange)), nothing)
            condition = build.and_(path.condition, build.not_(strange))
            if condition is FALSE:
                continue
            left = {
                f"{named.called(each.removesuffix(_PRIME))}'" if each.endswith(_PRIME) else each: value
                for each, value in path.outputs.items()
            }
            every = {**outputs, **left}
            scope = StepScope(engine.interface, inputs, every)
            every |= {event.name: happening(event, scope) for event in engine.events}
            yield Path("", condition, Decided(), every, run.steps)

    def _unlabelled(self, left: Outputs) -> Term:
        """Where the world leaves a number for a label that programs have no such label of."""
        found = FALSE
        for own, kind in self._engine.world.labelled(self._engine.programs):
            bits = left[f"{own.path}'"].term
            known = (build.eq(bits, build.const(bits.sort, number)) for _, number in kind.labels)
            found = build.or_(found, build.not_(build.any_of(known)))
        return found

    def _inputs(self, earlier: tuple[Outputs, ...]) -> dict[str, Term] | Unexplored:
        """What is perceived and remembered in the step after some, as programs compute with it."""
        found = {}
        for variable in self._engine.interface.inputs:
            if earlier and variable.role is Role.STATE:
                left = earlier[-1].get(f"{variable.path}'")
                if left is None or left.defined is not TRUE:
                    return Unexplored(f"what {variable.path} is after a step is not known")
                found[variable.path] = left.term
            else:
                found[variable.path] = _as_read(variable, self._exploration.perceived(variable, earlier))
        return found

    def _part(
        self, engine: Engine, given: Mapping[str, tuple[Variable, Term]], condition: Term, *, world: bool
    ) -> Iterator[Path]:
        """The paths of the programs, or of the world, for given inputs; their conditions include that of the run."""
        if any(_is_computed_nan(term) for _, term in given.values()):
            yield Path("", condition, Unexplored("not supported: the bits of a computed NaN, which go on in the world"))
            return
        fixed = {path: int(term.value) for path, (_, term) in given.items() if term.is_const}
        computed = {path: term for path, (_, term) in given.items() if not term.is_const}
        key = world, tuple(fixed.items())
        if not computed and key in self._constant:
            found = self._constant[key]
        else:
            self._explored += 1
            both = build.and_(self._exploration.precondition, condition) if computed else TRUE
            own = replace(
                self._exploration,
                fixed=fixed,
                computed=computed,
                precondition=both,
                observed=self._exploration.observed | self._acting,
                steps=1,
                environments=(),
            )
            known = free_variables([both, *computed.values()])
            mark = f" in {'the world' if world else 'a program'} {self._explored}"
            found = renamed(engine.explore(own), known, lambda name: name + mark)
            self._relies_on |= dict.fromkeys(found.relies_on)
            self._approximations += found.approximations
            self._settled_by.update(found.settled_by)
            self._instructions += found.instructions
            if not computed:
                self._constant[key] = found
        for path in found.paths:
            whole = build.and_(condition, path.condition)
            if whole is not FALSE:
                yield replace(path, condition=whole)


_PRIME: Final = "'"


def _as_read(variable: Variable, term: Term) -> Term:
    """A value as programs compute with it; a constant is its bits."""
    is_bits = isinstance(variable.type, FloatType) and isinstance(term.sort, BitVec)
    return reading(variable.type, term) if is_bits and not term.is_const else term


def _is_computed_nan(term: Term) -> bool:
    """Whether a value is a NaN that some step computed: the machine chooses its bits."""
    return term.is_const and isinstance(term.sort, Float) and sf.is_nan(term.sort, term.value)


def _ended(run: _OpenPath, ending: Unexplored) -> Path:
    return Path("", run.condition, ending, {}, run.steps)
