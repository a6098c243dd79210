"""What a question has at hand while it is answered: a context that many questions share, and a clock of its own."""

from __future__ import annotations

import dataclasses
import time
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Final, Literal, assert_never, final

from msgspec import Struct, field
from msgspec.structs import replace

from soid.budget import Budget, Cancellation, Deadline, rounded
from soid.engine.protocol import Engine
from soid.engine.protocol import ExplorationProgress as EngineProgress
from soid.engine.refinement import RefiningChecker
from soid.engine.replay import Replayer, ReplayMode
from soid.engine.summary import PathSummary
from soid.engine.summary_cache.summaries import Summaries
from soid.formula.checker import Impossible, Open, Possibility, Possible
from soid.formula.term import Term
from soid.recipe import MECHANISMS, SOID, Mechanisms, Recipe
from soid.solver.protocol import Reason, Sat, Solver, Unknown, Unsat

#: one check of exploring may use one part in so many of the time that is left, but no less than this many seconds
GLANCES: Final = 8
LEAST_GLANCE: Final = 0.5

#: the share of a question's time after which what is open is settled box by box
DIRECT: Final = 0.75

#: what the oracle, an explanation or a map does at a time; `case/stages.py` has the words
Stage = Literal[
    "check", "fact", "rounding", "family", "explore", "solve", "pave", "witness", "replay",
    "smallest", "flip", "part", "needed", "irrelevant", "lines", "map", "abstraction",
]  # fmt: skip

#: under which checks are counted that nobody settled
NOBODY: Final = "nobody"


@final
class Settings(Struct, frozen=True):
    """What a question may cost, and how strict its answer must be."""

    seconds: float | None = 60.0  # for the whole question; None: no limit
    witness_seconds: float = 5.0  # of those, for settling a witness
    refinements: int = 64  # how often one formula is asked about anew where an approximated function misled the solver
    paths: int = 100_000  # of the program; what is found beyond so many is left unexplored
    memory: int = 4 << 30  # bytes that the process may hold while it explores
    window: int | None = None  # rounds of loops and calls that the program has for each decision; None: its manifest's
    accept_log_mismatch: bool = False  # the investigator has put it on the record that log and program differ
    cores: int | None = None  # processes for what can be done side by side; None: as many as there are to use
    replay: ReplayMode = "confined"  # whether witnesses are run on the compiled program
    recipe: Recipe = SOID  # how the answer is found: a baseline does without what makes soid fast


@final
class QuestionProgress(Struct, frozen=True):
    """What the oracle is doing."""

    stage: str
    engine: EngineProgress | None = None
    share: float | None = None  # of the family's states that are settled, while that is what is being done


@final
class Context(Struct, frozen=True):
    """What asking, explaining and mapping work with."""

    engine: Engine
    solver: Solver
    replayer: Replayer | None = None  # runs the compiled program, where there is one
    summaries: Summaries | None = None  # what earlier questions have found out about its paths
    settings: Settings = field(default_factory=Settings)
    cancel: Cancellation = field(default_factory=Cancellation)
    progress: Callable[[QuestionProgress], None] = lambda _: None


@final
@dataclasses.dataclass(slots=True)
class Inquiry:
    """One question under way."""

    context: Context
    deadline: Deadline = dataclasses.field(init=False)
    direct: Deadline = dataclasses.field(init=False)  # until then a question is tried as a whole; the rest is for boxes
    seconds: dict[str, float] = dataclasses.field(default_factory=dict)  # by stage
    calls: int = 0  # questions put to the solver chain
    settled_by: Counter[str] = dataclasses.field(default_factory=Counter)  # see `settled`
    refining: RefiningChecker | None = (
        None  # what is known of approximated functions, once there are paths that call some
    )

    def __post_init__(self) -> None:
        seconds = self.context.settings.seconds
        self.deadline = Budget(seconds).started()
        self.direct = self.deadline
        if seconds is not None and self.mechanisms.paving:
            self.direct = Budget(seconds * DIRECT).started()

    @property
    def mechanisms(self) -> Mechanisms:
        return self.context.settings.recipe.mechanisms

    def inner(self) -> Context:
        """The context of a question that this one asks: it has the time that is left, and reports nothing."""
        settings = replace(self.context.settings, seconds=self.deadline.seconds_left)
        return replace(self.context, settings=settings, progress=lambda _: None)

    @property
    def taken(self) -> dict[str, float]:
        """Seconds by stage and in total."""
        return rounded({**self.seconds, "total": sum(self.seconds.values())})

    @contextmanager
    def stage(self, name: Stage) -> Iterator[None]:
        """Work that is timed and reported under a name; what a stage inside it takes counts for that one alone."""
        self.context.progress(QuestionProgress(name))
        self.seconds.setdefault(name, 0.0)
        counted, started = sum(self.seconds.values()), time.perf_counter()
        try:
            yield
        finally:
            inside = sum(self.seconds.values()) - counted
            self.seconds[name] += time.perf_counter() - started - inside

    def check(self, conjuncts: Sequence[Term], /) -> Possibility:
        """Whether the conjuncts can hold together, as far as the question's budget goes."""
        return self.check_until(self.direct)(conjuncts)

    def glance(self, conjuncts: Sequence[Term], /) -> Possibility:
        """A check for exploring, which goes on without an answer if it must: it gets a share of what is left.

        Otherwise the first branch that no solver settles would use up the whole question.
        """
        if not self.mechanisms.glances:
            return self.check(conjuncts)
        left = self.direct.seconds_left
        share = None if left is None else max(left / GLANCES, min(left, LEAST_GLANCE))
        return self.check_until(Budget(share).started())(conjuncts)

    def check_until(self, deadline: Deadline) -> Callable[[Sequence[Term]], Possibility]:
        def check(conjuncts: Sequence[Term], /) -> Possibility:
            self.calls += 1
            solver = self.context.solver
            result = solver.check(conjuncts, (), deadline.left(), self.context.cancel)
            match result:
                case Sat(model, by):
                    self.settled_by[by or solver.name] += 1
                    return Possible(model)
                case Unsat(_, by):
                    self.settled_by[by or solver.name] += 1
                    return Impossible()
                case Unknown(reason, detail):
                    self.settled_by[NOBODY] += 1
                    words = f"{reason.value}: {detail}" if detail else reason.value
                    return Open(words, out_of_time=reason is Reason.TIME)
                case _:
                    assert_never(result)

        return self.refining.checker(check) if self.refining is not None else check

    def settled(self) -> dict[str, int]:
        """How much was settled by whom so far: mechanisms in their order, then solvers, then what nobody settled.

        Variables by `pinning`, sides of branches by `path_models` and `bounds`, explorations by `summaries`, and
        questions put to the solver chain by the rest.
        """
        mechanisms = [name for name in MECHANISMS if name in self.settled_by]
        solvers = sorted(self.settled_by.keys() - {*MECHANISMS, NOBODY})
        return {name: self.settled_by[name] for name in (*mechanisms, *solvers, NOBODY) if self.settled_by[name]}

    def refine(self, summary: PathSummary) -> None:
        """From now on believe a model of these paths' formulas only if the program's library bears it out."""
        self.refining = RefiningChecker(
            {one.symbol: one for one in summary.approximations}, self.context.settings.refinements
        )

    def witness_deadline(self) -> Deadline:
        """The witness budget, or what is left of the question's if that is less."""
        own = Budget(self.context.settings.witness_seconds if self.mechanisms.settling else 0.0).started()
        ends = [deadline.at for deadline in (own, self.deadline) if deadline.at is not None]
        return Deadline(min(ends))
