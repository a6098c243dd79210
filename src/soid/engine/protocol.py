"""What an engine is: a Program under a precondition in, a PathSummary out.

An engine explores every path that some state of the precondition takes, or says which states it left out. It is
handed a checker for the branches it cannot settle itself and never sees a solver. `soid.engine.frontend` finds and
opens its programs.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path, PurePosixPath
from typing import TYPE_CHECKING, Final, Protocol, final

from msgspec import Struct, field
from msgspec.structs import force_setattr

from soid.budget import Cancellation, Deadline
from soid.engine.inside import Inside
from soid.engine.replay import NoReplay, Replayer, ReplayMode
from soid.engine.summary import Location, PathSummary
from soid.engine.trail import Trail
from soid.formula import build
from soid.formula.checker import Checker
from soid.formula.reach import Reach
from soid.formula.term import Term
from soid.program.interface import Interface, Variable
from soid.program.perception import NO_ACTS, Given, Lapsing, Perceived, term_of
from soid.recipe import SOID, Mechanisms

if TYPE_CHECKING:
    from soid.engine.learned.model_interface import LearnedProgram
    from soid.engine.world.world_check import WorldCheck
    from soid.scenario.trace import Trace

#: why a path is not explored further
PERCEPTION_OPEN: Final = "whether what `until` says has come true is not known: an output has no known value"


@final
class ExplorationProgress(Struct, frozen=True):
    """How far an exploration has come."""

    paths: int  # finished
    frontier: int  # known and not yet finished
    checks: int  # questions put to the checker
    solving: float = 0.0  # share of the time so far that the checker took


@final
class Exploration(Struct, frozen=True):
    """One exploration: which states, what to look at, and what it may cost."""

    fixed: Mapping[str, int]  # inputs that keep one value, by path: their bits
    precondition: Term  # over the symbols of the other inputs
    check: Checker
    deadline: Deadline
    cancel: Cancellation
    progress: Callable[[ExplorationProgress], None] = lambda _: None
    observed: frozenset[str] = frozenset()  # what the question speaks of, by path: internal values and views are
    # given only if they are observed, and of several programs only those are explored of which something is
    window: int | None = None  # rounds of loops and calls that the program has for each decision; None: its own
    paths: int = 100_000  # what is found beyond so many is left unexplored
    memory: int = 4 << 30  # bytes that the process may hold; what is open then is left unexplored
    steps: int = 1  # how often the program is called, its state fed back
    environments: tuple[Perceived, ...] = ()  # of the second step and on, by path; else as in the first
    mechanisms: Mechanisms = SOID.mechanisms  # what may settle a branch before the checker is asked
    computed: Mapping[str, Term] = field(default_factory=dict)  # inputs of the first step that follow from symbols:
    # their values as the program computes with them, by path
    programs: int = 1  # so many are explored, each by itself; then every path of one meets every path of the others
    acts: Perceived = NO_ACTS  # what a world is given in the first step in the place of decisions
    reach: Callable[[Term], Reach] = Reach  # the intervals under a condition: explorations may share what they know

    def __post_init__(self) -> None:
        asked = {name.removesuffix("'") for each in self._lapsing for name, _ in each.until.outputs}
        if not asked <= self.observed:
            force_setattr(self, "observed", self.observed | asked)

    @property
    def _lapsing(self) -> Iterator[Lapsing]:
        return (value for step in self.environments for value in step.values() if isinstance(value, Lapsing))

    def perceived(self, variable: Variable, earlier: Sequence[Given]) -> Term:
        """The bits of a variable in the step after some: a constant, or a term over symbols of inputs.

        Of one that follows from others it may be the value, as the program computes with it.
        """
        if not earlier and variable.path in self.computed:
            return self.computed[variable.path]
        values = self.environments[len(earlier) - 1] if earlier and self.environments else {}
        return term_of(values.get(variable.path, variable), variable, self.fixed, earlier)

    def acted(self, decision: Variable, earlier: Sequence[Given]) -> Term | None:
        """What a world is given in the place of a decision in the step after some; None: the decision itself."""
        later = self.environments[len(earlier) - 1] if earlier and self.environments else {}
        value = (later if earlier else self.acts).get(decision.path)
        return None if value is None else term_of(value, decision, self.fixed, earlier)

    def open_after(self, earlier: Sequence[Given]) -> Term:
        """Where it is not known what is perceived in the step after some."""
        values = self.environments[len(earlier) - 1].values() if earlier and self.environments else ()
        return build.any_of(value.is_open(earlier) for value in values if isinstance(value, Lapsing))


@final
class BuildRecord(Struct, frozen=True):
    """How a program was compiled, and what came out."""

    module: bytes  # what is analysed, without anything that differs from machine to machine
    compiler: str  # with its version
    reader: str  # of the module, with its version
    settings: Mapping[str, object]  # target, flags: the same wherever the project is compiled, as JSON has them

    @property
    def digest(self) -> str:
        return hashlib.sha256(self.module).hexdigest()


@final
class RecordedRun(Struct, frozen=True):
    """A recorded run, to be written as a program of its own."""

    number: int  # of the entry in the record
    about: tuple[str, ...]  # what it was run for, in words
    interface: Interface
    inputs: Mapping[str, int]  # bits of every input
    outputs: tuple[Mapping[str, int], ...]  # bits of every output that is known, of each step
    between: tuple[Mapping[str, tuple[int, int]], ...]  # of each step the ends of those that are known between two
    environments: tuple[Mapping[str, int], ...]  # what is perceived from the second step on, where it changes
    project: PurePosixPath  # the manifest's folder, seen from where the program will lie


@final
class MissingPart(Struct, frozen=True):
    """Something that a program uses and does not define."""

    name: str
    declared: str  # as the source declares it
    used: tuple[Location, ...]  # where
    remedies: tuple[str, ...]  # lines for the manifest, one of which says what it is


class Engine(Protocol):
    """Turns one program into paths; work that is needed once for a program is done when the engine is made.

    An engine inherits from this class. It must define `name` and `explore`, and it may override the rest. The defaults
    fit a program that consists of its paths alone.
    """

    name: str  # in soid.toml
    given_paths: int | None = None  # how many paths the program consists of, where they are given
    disjoint: bool = False  # whether no state takes two paths of a summary
    last_digits: str = ""  # why a log's numbers may differ from the program's in their last digits; "": they may not
    has_ways: bool = True  # whether two states that decide may take different ways; a model is one sum for all

    def explore(self, exploration: Exploration) -> PathSummary:
        """Every path that some state of the precondition takes, and what was left unexplored."""
        ...

    def trail(self, exploration: Exploration) -> Trail | None:
        """The way through the source that one state takes, every input being fixed; None where there is no source."""
        return None

    def inside(self, exploration: Exploration) -> Inside | None:
        """The symbolic states inside the program on the ways of all its paths; None where there is no inside to see."""
        return None

    @property
    def identity(self) -> str | None:
        """A hash of everything that paths depend on, besides the exploration and soid's own code.

        It is part of the key under which summaries are kept for later questions. None: they are not kept.
        """
        return None

    def keeps(self, exploration: Exploration) -> bool:
        """Whether the paths of an exploration follow from `identity` and may be kept."""
        return True

    @property
    def files(self) -> tuple[Path, ...]:
        """The project's files that were read, besides those that its manifest names; relative to its folder."""
        return ()

    @property
    def missing(self) -> tuple[MissingPart, ...]:
        """What the program uses, does not define, and the manifest does not explain."""
        return ()

    @property
    def states_tolerance(self) -> bool:
        """Whether the manifest bounds how far the world around its programs may be off the log."""
        return False

    def world_check(self, trace: Trace) -> WorldCheck | None:
        """How well the world around its programs reproduces a log; None where there is no world."""
        return None

    @property
    def notes(self) -> tuple[str, ...]:
        """What a user should know of the program, in sentences, now that it is read."""
        return ()

    @property
    def built(self) -> BuildRecord | None:
        """How the program was compiled; None where nothing is compiled."""
        return None

    @property
    def learned(self) -> LearnedProgram | None:
        """The learned model that the program is; None where it is none."""
        return None

    def replayer(self, *, unconfined: bool) -> Replayer | None:
        """What runs the program itself; None where there is nothing that could be run."""
        return None

    def retold(self, run: RecordedRun) -> Mapping[str, bytes]:
        """A run as a program and its test (`test_witness.py`), by file name; empty if it cannot be written so."""
        return {}

    def accepts(self, retold: Path, project: PurePosixPath) -> bool:
        """Whether the program that `retold` gives can be built in the folder where it lies."""
        return False


def fingerprint(engine: Engine) -> str:
    """What this machine's compiler makes of the program, as a hash; empty where nothing is compiled."""
    built = engine.built
    return built.digest if built is not None else ""


def replayer_for(engine: Engine, mode: ReplayMode) -> Replayer | None:
    """What runs an engine's program in a mode; None where there is nothing but its paths."""
    found = engine.replayer(unconfined=mode == "unconfined")
    return NoReplay("replaying is switched off", found.called) if found is not None and mode == "off" else found
