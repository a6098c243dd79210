"""The state of one question while it is answered: a context that many questions share, and the question's own clock."""

from __future__ import annotations

import dataclasses
import time
from collections import Counter
from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Final, Literal, TypedDict, assert_never, final

from msgspec import Struct, field
from msgspec.structs import replace

from soid.allowance import Allowance, allowed
from soid.budget import Budget, Cancellation, Deadline, rounded, usual_memory
from soid.engine.protocol import Engine, Exploration
from soid.engine.protocol import ExplorationProgress as EngineProgress
from soid.engine.refinement import RefiningChecker
from soid.engine.replay import Replayer, ReplayMode
from soid.engine.summary import Approximation, PathSummary
from soid.engine.summary_cache.summaries import Summaries
from soid.errors import InputError
from soid.formula.checker import Checker, Impossible, Open, Possibility, Possible
from soid.formula.term import Term
from soid.program.perception import NO_ACTS, Perceived
from soid.recipe import MECHANISMS, SOID, Mechanisms, Recipe
from soid.solver.box_conditions import BoxFunction
from soid.solver.box_splitter import decided_by_boxes
from soid.solver.protocol import Reason, Sat, Solver, Unknown, Unsat

if TYPE_CHECKING:
    from soid.oracle.fact import KeptFact
    from soid.oracle.shared_proofs import SharedProofs
    from soid.oracle.unfinished import UnfinishedQuestions

#: the share of the time for the family as a whole that checks during exploration may use in vain
IN_VAIN: Final = 0.5

#: one of these checks may use 1/GLANCES of what is left of that share, or LEAST_GLANCE seconds if that is more
GLANCES: Final = 4
LEAST_GLANCE: Final = 0.1

#: seconds for the first attempt at the family as a whole, and for each further step: what is tried after it, runs of
#: single scenarios, takes longer with each step too. It may have a share of the question's time, if that is less
BRIEFLY: Final = 1.0
A_STEP_BRIEFLY: Final = 0.05
BRIEF: Final = 0.25

#: the share of a question's time for the family as a whole; the rest is for settling it box by box
DIRECT: Final = 0.75

#: seconds for reading a program or a log, even if a question has less: without them there is no question
LEAST_OPENING: Final = 2.0

#: seconds that a question has when it is resumed, unless others are given
MORE_SECONDS: Final = 600.0

#: the stages of the oracle, of an explanation and of a map; `case/stages.py` has the words
Stage = Literal[
    "program", "log", "state", "check", "fact", "rounding", "family", "explore", "solve", "run", "steps", "pave",
    "witness", "replay", "smallest", "flip", "part", "hindrance", "needed", "irrelevant", "lines", "map", "abstraction",
]  # fmt: skip

#: why a question about a learned model is open, in words
OPEN_RANGES: Final = "in some ranges of the model's features it is not settled"
NO_TIME_FOR_RANGES: Final = "the time was over before every range of the model's features was settled"

#: the name in `settled_by` for checks that stayed open
OPEN_CHECKS: Final = "nobody"


@final
class Settings(Struct, frozen=True):
    """The limits of a question, and how its answer is found."""

    seconds: float | None = 60.0  # for the whole question; None: no limit
    witness_seconds: float = 5.0  # of those, for settling a witness
    refinements: int = 64  # how often a formula is checked again after an approximated function misled the solver
    paths: int = 100_000  # at most; further paths of the program stay unexplored
    memory: int = field(default_factory=usual_memory)  # bytes that the process may hold, and each that it starts
    window: int | None = None  # loop iterations and calls that the program has for a decision; None: as in its manifest
    accept_log_mismatch: bool = False  # the record says that the investigator accepts a difference of log and program
    cores: int | None = None  # how many processes may run in parallel; None: one for each usable core
    replay: ReplayMode = "confined"  # whether witnesses are run on the compiled program
    recipe: Recipe = SOID  # the mechanisms and solvers to use; a baseline switches some of them off

    def __post_init__(self) -> None:
        for name, none in (("seconds", True), ("witness_seconds", False), ("paths", False), ("memory", False)):
            value = getattr(self, name)
            if value is None and none:
                continue
            if not isinstance(value, int | float) or not value >= 0:
                remedy = "Give a number that is not negative" + (", or None for no limit." if none else ".")
                raise InputError(f"{name} cannot be {value!r}", remedy)

    @property
    def opening_seconds(self) -> float | None:
        """What reading a program or a log may take."""
        return None if self.seconds is None else max(self.seconds, LEAST_OPENING)

    @contextmanager
    def opening(self, cancel: Cancellation | None = None) -> Iterator[Allowance]:
        """Limit what is read inside the block, a program or a log, to what a question may take."""
        with allowed(seconds=self.opening_seconds, cancel=cancel, memory=self.memory) as may:
            yield may


class Limits(TypedDict, total=False):
    """What one question may take, where that is not what the project's settings say."""

    seconds: float | None  # for the whole question; None: no limit
    witness_seconds: float  # of those, for settling a witness
    paths: int  # at most
    memory: int  # bytes that the process may hold, and each that it starts
    cores: int | None  # how many processes may run in parallel; None: one for each usable core


@final
class QuestionProgress(Struct, frozen=True):
    """The current stage of the oracle, for a progress report."""

    stage: str
    engine: EngineProgress | None = None
    share: float | None = None  # of the family that is settled, by measure; of one check, unless during `pave`
    left: float | None = None  # seconds of the question's time; None: it has no limit, or that is not known


def with_time_left(
    progress: Callable[[QuestionProgress], None], settings: Settings
) -> Callable[[QuestionProgress], None]:
    """The same reports, with the time that is left of what a question has from now on."""
    deadline = Budget(settings.seconds).started()
    return lambda done: progress(replace(done, left=deadline.seconds_left))


@final
class Context(Struct, frozen=True):
    """What asking, explaining and mapping work with."""

    engine: Engine
    solver: Solver
    replayer: Replayer | None = None  # runs the compiled program, if there is one
    summaries: Summaries | None = None  # paths that earlier questions have explored
    settings: Settings = field(default_factory=Settings)
    cancel: Cancellation = field(default_factory=Cancellation)
    progress: Callable[[QuestionProgress], None] = lambda _: None
    facts: dict[Hashable, KeptFact] = field(default_factory=dict)  # of moments that earlier questions were about
    unfinished: UnfinishedQuestions | None = None  # keeps how far open questions have come
    resume: bool = False  # go on from there, if the question was left open before
    shared: SharedProofs | None = None  # proofs about this moment and others; a proof of theirs has no scenario


@final
@dataclasses.dataclass(slots=True)
class Inquiry:
    """One question in progress."""

    context: Context
    deadline: Deadline = dataclasses.field(init=False)
    direct: Deadline = dataclasses.field(init=False)  # for the family as a whole; see DIRECT
    in_vain: float = dataclasses.field(init=False)  # seconds that are left for checks without an answer; see IN_VAIN
    is_brief: bool = False  # inside `briefly`
    now: str = ""  # the stage
    seconds: dict[str, float] = dataclasses.field(default_factory=dict)  # by stage
    calls: int = 0  # of the solver chain
    tried: set[tuple[int, ...]] = dataclasses.field(
        default_factory=set
    )  # scenarios run one by one: bits of what varies
    settled_by: Counter[str] = dataclasses.field(default_factory=Counter)  # see `settled`
    left: Mapping[Term, int] = dataclasses.field(
        default_factory=dict
    )  # factual values of unknown inputs that it leaves
    refining: RefiningChecker | None = None  # set by `refine`: checks models against the approximated functions
    functions: tuple[BoxFunction, ...] = ()  # set by `refine`: the same functions, for boxes

    def __post_init__(self) -> None:
        seconds = self.context.settings.seconds
        self.deadline = Budget(seconds).started()
        self.direct = self.deadline
        if seconds is not None and self.mechanisms.paving:
            self.direct = Budget(seconds * DIRECT).started()
        self.in_vain = (self.direct.seconds_left or 0.0) * IN_VAIN

    @property
    def mechanisms(self) -> Mechanisms:
        return self.context.settings.recipe.mechanisms

    def inner(self) -> Context:
        """The context of a sub-question: it has the time that is left, and reports no progress."""
        settings = replace(self.context.settings, seconds=self.deadline.seconds_left)
        return replace(self.context, settings=settings, progress=lambda _: None, unfinished=None)

    @property
    def taken(self) -> dict[str, float]:
        return rounded({**self.seconds, "total": sum(self.seconds.values())})

    @contextmanager
    def stage(self, name: Stage) -> Iterator[None]:
        """Time and report the block under a name; the time of an inner stage counts for the inner stage alone."""
        self.context.progress(QuestionProgress(name))
        outer, self.now = self.now, name
        self.seconds.setdefault(name, 0.0)
        counted, started = sum(self.seconds.values()), time.perf_counter()
        try:
            yield
        finally:
            self.now = outer
            inside = sum(self.seconds.values()) - counted
            self.seconds[name] += time.perf_counter() - started - inside

    @contextmanager
    def briefly(self, steps: int = 1) -> Iterator[None]:
        """Limit the work on the family as a whole inside the block: most questions need no more.

        One check during exploration that ends without an answer ends the attempt, so that a summary that comes out of
        it is the same as with more time.
        """
        whole, left = (self.direct, self.in_vain), self.direct.seconds_left
        if self.mechanisms.runs:
            brief = BRIEFLY + A_STEP_BRIEFLY * (steps - 1)
            brief = brief if left is None else min(brief, left * BRIEF)
            self.direct, self.in_vain, self.is_brief = Budget(brief).started(), brief * GLANCES, True
        try:
            yield
        finally:
            (self.direct, self.in_vain), self.is_brief = whole, False

    @contextmanager
    def within(self, share: float, most: float | None = None) -> Iterator[None]:
        """Limit the work inside the block to a share of the time that is left, and to so many seconds at most."""
        whole, left = (self.deadline, self.direct), self.deadline.seconds_left
        limits = [each for each in (None if left is None else left * share, most) if each is not None]
        if limits:
            self.deadline = self.direct = Budget(min(limits)).started()
        try:
            yield
        finally:
            self.deadline, self.direct = whole

    def exploration(
        self,
        fixed: Mapping[str, int],
        precondition: Term,
        deadline: Deadline,
        observed: frozenset[str] = frozenset(),
        steps: int = 1,
        environments: tuple[Perceived, ...] = (),
        acts: Perceived = NO_ACTS,
    ) -> Exploration:
        """An exploration within the limits of the settings; it reports its progress."""
        context, settings = self.context, self.context.settings

        def report(progress: EngineProgress) -> None:
            context.progress(QuestionProgress("explore", progress))

        limits = settings.window, settings.paths, settings.memory
        states = fixed, precondition, self.glance, deadline, context.cancel
        return Exploration(*states, report, observed, *limits, steps, environments, self.mechanisms, acts=acts)

    def check(self, conjuncts: Sequence[Term], /) -> Possibility:
        """Whether the conjuncts are satisfiable together, within the question's budget."""
        return self.check_until(self.direct)(conjuncts)

    def glance(self, conjuncts: Sequence[Term], /) -> Possibility:
        """A check during exploration, which can go on without an answer: it gets a fraction of the time.

        Otherwise branches that no solver settles would use up the question's whole time, and none would be left for
        solving the paths: checks that end without an answer may take half of it all together.
        """
        left = self.direct.seconds_left
        if not self.mechanisms.glances or left is None:
            return self.check(conjuncts)
        limit = min(left, max(self.in_vain / GLANCES, LEAST_GLANCE))
        deadline = Budget(limit).started()
        answer = self.check_until(deadline)(conjuncts)
        if isinstance(answer, Open):
            self.in_vain -= limit - (deadline.seconds_left or 0.0)
            if self.is_brief:  # with more time there may be other paths
                self.direct = Budget(0.0).started()
        return answer

    def check_until(self, deadline: Deadline) -> Callable[[Sequence[Term]], Possibility]:
        def check(conjuncts: Sequence[Term], /) -> Possibility:
            solver, shared = self.context.solver, self.context.shared
            if shared is not None and (known := shared.scenarios.satisfying(conjuncts, self.left)) is not None:
                self.settled_by["model_reuse"] += 1
                return known
            self.calls += 1
            result = solver.check(conjuncts, deadline.left(), self.context.cancel)
            match result:
                case Sat(model, by):
                    if shared is not None and by not in MECHANISMS:
                        shared.scenarios.keep(model, self.left)
                    self.settled_by[by or solver.name] += 1
                    return Possible(model)
                case Unsat(by):
                    self.settled_by[by or solver.name] += 1
                    return Impossible()
                case Unknown(reason, detail):
                    self.settled_by[OPEN_CHECKS] += 1
                    words = f"{reason.value}: {detail}" if detail else reason.value
                    return Open(words, out_of_time=reason is Reason.TIME)
                case _:
                    assert_never(result)

        if self.refining is None:
            return check
        return self._boxed(self.refining, self.functions, self.refining.checker(check), deadline, self._report)

    def _report(self, share: float) -> None:
        self.context.progress(QuestionProgress(self.now, share=share))

    def checker_for(self, summary: PathSummary) -> Checker:
        """A checker of these paths' formulas alone; each check gets a fraction of the time."""
        refining = self._refining_checker(summary)
        return self._boxed(refining, box_functions(summary.approximations), refining.checker(self.glance), self.direct)

    def _boxed(
        self,
        refining: RefiningChecker,
        functions: Sequence[BoxFunction],
        check: Checker,
        deadline: Deadline,
        report: Callable[[float], None] = lambda _: None,
    ) -> Checker:
        """A checker for results of approximated functions: boxes first, since a solver knows only a few bounds.

        Where a function bounds many boxes at once, boxes are the only way: a solver knows nothing of it. What is asked
        of such a function's arguments alone are mostly ranges, which boxes settle at once, however many there are.
        """
        has_cells = any(each.bulk is not None for each in functions)

        def boxed(conjuncts: Sequence[Term], /) -> Possibility:
            relevant = refining.relevant(conjuncts)
            in_bulk = any(one.enclosure.bulk is not None for one in relevant)
            if not in_bulk and not (self.mechanisms.boxes and (relevant or has_cells)):
                return check(conjuncts)
            match decided_by_boxes(conjuncts, functions, deadline, self.context.cancel, report):
                case Sat(model, by):
                    self.settled_by[by] += 1
                    return Possible(model)
                case Unsat(by):
                    self.settled_by[by] += 1
                    return Impossible()
                case None if not in_bulk:
                    return check(conjuncts)
                case None:
                    self.settled_by[OPEN_CHECKS] += 1
                    late = deadline.is_over
                    return Open(NO_TIME_FOR_RANGES if late else OPEN_RANGES, out_of_time=late, approximated=True)

        return boxed

    def settled(self) -> dict[str, int]:
        """How much each mechanism and each solver has settled so far: mechanisms first, then solvers, then open checks.

        `pinning` counts variables, `path_models` and `bounds` count sides of branches, `summaries` counts
        explorations, and everything else counts calls of the solver chain.
        """
        mechanisms = [name for name in MECHANISMS if name in self.settled_by]
        solvers = sorted(self.settled_by.keys() - {*MECHANISMS, OPEN_CHECKS})
        return {name: self.settled_by[name] for name in (*mechanisms, *solvers, OPEN_CHECKS) if self.settled_by[name]}

    def refine(self, summary: PathSummary) -> None:
        """From now on accept a model of these paths' formulas only if the program's library confirms it."""
        self.refining = self._refining_checker(summary)
        self.functions = box_functions(summary.approximations)

    def _refining_checker(self, summary: PathSummary) -> RefiningChecker:
        approximations = {one.symbol: one for one in summary.approximations}
        return RefiningChecker(approximations, self.context.settings.refinements)

    def witness_deadline(self) -> Deadline:
        """The end of the witness budget, or of the question's budget if that is sooner."""
        seconds = self.context.settings.witness_seconds if self.mechanisms.settling else 0.0
        return Budget(seconds).started().sooner(self.deadline)


def box_functions(approximations: Iterable[Approximation]) -> tuple[BoxFunction, ...]:
    """Approximated functions, for boxes."""
    return tuple(
        BoxFunction(
            one.symbol, one.arguments, one.enclosure.over, one.enclosure.value, one.enclosure.bulk, one.enclosure.rise
        )
        for one in approximations
    )
