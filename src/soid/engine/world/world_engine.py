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
from fractions import Fraction
from functools import lru_cache
from pathlib import Path as FilePath
from types import MappingProxyType
from typing import Final, final

from msgspec import Struct
from msgspec.structs import replace

from soid.assumptions import Assumption, Ledger
from soid.engine.inside import Inside
from soid.engine.product.member_names import renamed
from soid.engine.protocol import PERCEPTION_OPEN, BuildRecord, Engine, Exploration, MissingPart
from soid.engine.replay import Replayer
from soid.engine.summary import (
    Approximation,
    Decided,
    Ending,
    Failed,
    OutputValue,
    Path,
    PathSummary,
    Undecided,
    Unexplored,
)
from soid.engine.trail import Trail
from soid.engine.world.world_check import WorldCheck, check_world
from soid.engine.world.world_events import StepScope, depends_on_world, happens
from soid.engine.world.world_interface import WorldEvent, WorldNames
from soid.engine.world.world_replayer import WorldReplayer
from soid.formula import build
from soid.formula import softfloat as sf
from soid.formula.build import FALSE, TRUE
from soid.formula.passes import free_variables
from soid.formula.reach import Reach
from soid.formula.sorts import BitVec, Float
from soid.formula.term import Term
from soid.program.interface import Interface, Role, Variable
from soid.program.perception import from_world
from soid.program.types import FloatType, reading
from soid.scenario.trace import Trace

Outputs = Mapping[str, OutputValue]

_SHARED: Final = (
    "{} is state of several programs, and they leave it differently: `names` of [programs] can give each its own"
)
NO_TOLERANCES: Final[Mapping[str, Fraction]] = MappingProxyType({})

_KEPT: Final = 1000  # steps in which all is constant: each takes some 10 kB
_REACHES: Final = 256  # conditions whose intervals are kept; a path has one or two of them at a time

_MANY: Final = "there are more paths than the {} that are followed"


#: of a step in which all is constant: whether it is the world's, its inputs, and what else decides what is found
_ConstantStep = tuple[bool, tuple[tuple[str, int], ...], frozenset[str], int | None]


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
        tolerances: Mapping[str, Fraction] = NO_TOLERANCES,
    ) -> None:
        self.interface = interface
        self.programs, self.program_engine = programs
        self.world, self.world_engine = world
        self.events = tuple(events)
        self.tolerances = tolerances  # by variable: how far the world may be off the log one step on
        self._checked: tuple[Trace, WorldCheck] | None = None
        self._constant_steps: dict[_ConstantStep, PathSummary] = {}
        computed = frozenset(path for path in interface.left if not path.endswith(_PRIME))
        left = interface.produced | interface.as_logged
        seen = {each.name for each in events if not depends_on_world(each, interface, left, computed)}
        self.seen_events = tuple(each for each in events if each.name in seen)  # before the world goes on
        self.given = left | computed | interface.events - seen  # what may be observed of the world
        self.outcomes = left | computed | interface.events  # what goes on though a program fails
        self.last_digits = self.program_engine.last_digits
        self.disjoint = self.program_engine.disjoint and self.world_engine.disjoint
        produced = (path for path in left if path in self.programs)
        known = {v.path for v in self.programs.nameable}
        self._of_world = frozenset({*produced, *(v.path for v in interface.nameable if v.path not in known)})

    def explore(self, exploration: Exploration) -> PathSummary:
        alone = self._alone(exploration)
        return _Loop(self, exploration).run() if alone is None else self.program_engine.explore(alone)

    def _alone(self, exploration: Exploration) -> Exploration | None:
        """The same of the programs alone; None: what the world makes of what they decide is asked about."""
        if exploration.steps > 1 or exploration.observed & self._of_world:
            return None
        own = {
            name: {path: value for path, value in given.items() if path in self.programs}
            for name, given in (("fixed", exploration.fixed), ("computed", exploration.computed))
        }
        return replace(exploration, fixed=own["fixed"], computed=own["computed"])

    def constant_step(self, of_world: bool, own: Exploration) -> PathSummary:
        """How programs or world go on where all inputs are constants.

        Questions about one moment share such steps, and so do attempts at one question. What is not known to the last
        bit is not kept: its symbols belong to one exploration.
        """
        key = of_world, tuple(own.fixed.items()), own.observed, own.window
        known = self._constant_steps.get(key) if own.mechanisms.summaries else None
        if known is not None:
            return known
        found = (self.world_engine if of_world else self.program_engine).explore(own)
        if own.mechanisms.summaries and _is_concrete(found):
            if len(self._constant_steps) >= _KEPT:
                self._constant_steps.clear()
            self._constant_steps[key] = found
        return found

    def trail(self, exploration: Exploration) -> Trail | None:
        alone = self._alone(exploration)
        return None if alone is None else self.program_engine.trail(alone)

    def inside(self, exploration: Exploration) -> Inside | None:
        alone = self._alone(exploration)
        return None if alone is None else self.program_engine.inside(alone)

    def keeps(self, exploration: Exploration) -> bool:
        return self._alone(exploration) is not None

    @property
    def identity(self) -> str | None:
        return self.program_engine.identity  # what the world makes of decisions is not kept

    @property
    def states_tolerance(self) -> bool:
        return bool(self.tolerances)

    def world_check(self, trace: Trace) -> WorldCheck:
        if self._checked is None or self._checked[0] is not trace:
            self._checked = trace, check_world(self, trace)
        return self._checked[1]

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
        steps = exploration.steps
        self._assumed = Ledger.WORLD.of(f"{steps} steps" if steps > 1 else "one step")
        self._relies_on: dict[Assumption, None] = {}
        self._approximations: list[Approximation] = []
        self._settled_by: Counter[str] = Counter()
        self._instructions = 0
        self._explored = 0  # explorations of programs or world
        self._reach = lru_cache(_REACHES)(Reach)  # most steps of a path add nothing to its condition
        self._acting = frozenset(engine.world.acts.values())  # decisions that the world goes on from
        self._is_observed = bool(exploration.observed & engine.given)
        self._is_outcome = bool(exploration.observed & engine.outcomes)  # what is asked about
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
                happening = self._happening(engine.seen_events, inputs, self._done(run.steps, path.outputs))
                outputs = {**path.outputs, **happening} if self._is_outcome else path.outputs
                yield Path("", path.condition, self._in_world(path.ending), outputs, run.steps)
            elif not self._matters_after(len(run.steps)):
                happening = self._happening(engine.seen_events, inputs, self._done(run.steps, path.outputs))
                yield Path("", path.condition, path.ending, {**path.outputs, **happening}, run.steps)
            else:
                yield from self._moved(_OpenPath(path.condition, run.steps), path.outputs, inputs)

    def _in_world(self, ending: Ending) -> Ending:
        """How a program ends: if the world is asked about, it goes on around the program, it is not known how."""
        is_left = self._is_outcome and isinstance(ending, Failed | Undecided)
        return replace(ending, in_world=True) if is_left else ending

    def _matters_after(self, step: int) -> bool:
        """Whether a question looks at what the world makes of a step, or the next step perceives it."""
        later = self._exploration.environments[step : step + 1]
        return self._is_observed or any(from_world(value) for each in later for value in each.values())

    def _moved(self, run: _OpenPath, outputs: Outputs, inputs: Mapping[str, Term]) -> Iterator[Path]:
        """What the world makes of decisions."""
        engine, named = self._engine, self._engine.world.named
        given = {v.path: (v, inputs[named.called(v.path)]) for v in (*engine.world.state, *engine.world.given)}
        done = self._done(run.steps, outputs)
        for own, decision in engine.world.acts.items():
            acted = done.get(decision)
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
                every = {**outputs, **self._happening(engine.seen_events, inputs, done)}
                yield self._broken(_OpenPath(path.condition, run.steps), path.ending, every)
                continue
            left = {engine.world.left(own): value for own, value in path.outputs.items()}
            unknown = [n for n, value in left.items() if n.endswith(_PRIME) and value.defined is not TRUE]
            if unknown:
                why = f"what the world leaves of {unknown[0].removesuffix(_PRIME)} is not known"
                yield _ended(_OpenPath(path.condition, run.steps), Unexplored(why))
                continue
            left = {n: value for n, value in left.items() if n.endswith(_PRIME) or n not in engine.programs}
            strange = self._unlabelled(left)
            if strange is not FALSE:
                why = "what the world leaves is a number without a label, and means nothing to a program"
                yield _ended(_OpenPath(build.and_(path.condition, strange), run.steps), Unexplored(why))
            condition = build.and_(path.condition, build.not_(strange))
            if condition is not FALSE:
                happening = self._happening(engine.events, inputs, {**done, **left})
                yield Path("", condition, Decided(), {**outputs, **left, **happening}, run.steps)

    def _broken(self, run: _OpenPath, ending: Ending, outputs: Outputs) -> Path:
        """A path on which the world does not come back: it ends after this step, in which all was decided."""
        if isinstance(ending, Failed):
            ending = replace(ending, kind=f"the world {ending.kind}", of_world=True)
        elif isinstance(ending, Undecided):
            ending = Unexplored(f"open, because the world {ending}")
        return Path("", run.condition, ending, {}, (*run.steps, outputs))

    def _happening(self, events: Sequence[WorldEvent], inputs: Mapping[str, Term], done: Outputs) -> Outputs:
        """Which events happen in a step, given what is perceived, done and left in it."""
        scope = StepScope(self._engine.interface, inputs, done)
        return {event.name: happens(event, scope) for event in events}

    def _done(self, earlier: tuple[Outputs, ...], decided: Outputs) -> Outputs:
        """What is done in the step after some: what is supposed, else what was decided.

        A program that has failed decides nothing, and nothing is done in its place.
        """
        variables = (self._engine.interface.variable(path) for path in self._acting & decided.keys())
        acts = {each.path: (each, self._exploration.acted(each, earlier)) for each in variables}
        supposed = {path: OutputValue(_as_read(each, act)) for path, (each, act) in acts.items() if act is not None}
        return {**decided, **supposed}

    def _unlabelled(self, left: Outputs) -> Term:
        """Where the world leaves a number for a label that programs have no such label of."""
        found = FALSE
        for name, kind in self._engine.world.labelled(self._engine.programs):
            bits = left[name].term
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
                if any(each != left for each in self._left_by_others(variable, earlier[-1])):
                    return Unexplored(_SHARED.format(variable.path))
                found[variable.path] = left.term
            else:
                found[variable.path] = _as_read(variable, self._exploration.perceived(variable, earlier))
        return found

    def _left_by_others(self, state: Variable, left: Outputs) -> Iterator[OutputValue]:
        """What other programs than the first leave in state that they share with it."""
        interface = self._engine.interface
        for view in interface.views:
            if interface.programs and interface.program_of(view.path) != interface.programs[0]:
                other = left.get(f"{view.path}'") if view.parts[0].variable.path == state.path else None
                if other is not None:
                    yield other

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
                reach=self._reach,
            )
            known = free_variables([both, *computed.values()])
            mark = f" in {'the world' if world else 'a program'} {self._explored}"
            explored = engine.explore(own) if computed else self._engine.constant_step(world, own)
            found = renamed(explored, known, lambda name: name + mark)
            self._relies_on |= dict.fromkeys((*((self._assumed,) if world else ()), *found.relies_on))
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


def _is_concrete(found: PathSummary) -> bool:
    """Whether a summary is one path, explored to its end, and all on it are constants."""
    if not found.is_explored or found.approximations or len(found.paths) != 1:
        return False
    path = found.paths[0]
    return not free_variables([path.condition, *(term for value in path.outputs.values() for term in value.terms)])


def _is_computed_nan(term: Term) -> bool:
    """Whether a value is a NaN that some step computed: the machine chooses its bits."""
    return term.is_const and isinstance(term.sort, Float) and sf.is_nan(term.sort, term.value)


def _ended(run: _OpenPath, ending: Unexplored) -> Path:
    return Path("", run.condition, ending, {}, run.steps)
