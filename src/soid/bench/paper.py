"""The paper's tables measured again: the same questions, put to soid and to the paper's own recipe, in one run.

What is cold and what is warm: a program is compiled, read and linked for its replay with an empty cache, once in each
run, and that is `compile`. The questions are then put to the program as it is loaded, each with a solver that has
answered nothing before and nothing kept: no path, no model and no answer is at hand. `paper_starts.py` puts them from
other beginnings, if it is asked to. What the compiler keeps for itself (its C library) is left
alone, and the baseline's solver is started beforehand.

The baseline takes minutes where soid takes a fraction of a second. It is run as often as soid as long as that takes no
more than a few seconds, else once. Where its limit ends it, the limit counts as its time, and the ratio is at least
what is said.
"""

from __future__ import annotations

import math
import os
import statistics
import tempfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Final, final

from msgspec import Struct, field
from msgspec.structs import replace

from soid.bench.measurement import Measurement, figure, seconds
from soid.bench.paper_figures import TABLES, PaperQuestion, PaperRow, PaperTable
from soid.bench.paper_starts import Asker, Starts, compiler_alone, unseen
from soid.budget import Cancellation
from soid.case.project import Project
from soid.documents import Document
from soid.engine.summary_cache.summaries import Summaries
from soid.errors import InternalError
from soid.oracle.answer import Answer, Verdict
from soid.oracle.inquiry import Settings
from soid.recipe import PAPER, Recipe
from soid.solver.chain import NAMES, Chain, chain

#: seconds after which the baseline is not run again
ENOUGH: Final = 10.0

#: seconds that soid has for a question
PATIENCE: Final = 300.0

#: the share of a time limit from which on an unknown is the limit's doing
ALMOST: Final = 0.95

Tell = Callable[[str], None]


@final
class Parts(Struct, frozen=True):
    """Where the seconds of one answer went."""

    explore: float  # the log checked by the engine, the family looked at, its paths found
    solve: float  # the question solved over them, the witness settled
    replay: float  # fact and witness run on the compiled program
    total: float

    @classmethod
    def of(cls, answer: Answer) -> Parts:
        by_stage = dict(answer.seconds)
        total, replay = by_stage.pop("total"), by_stage.pop("replay", 0.0)
        solve = by_stage.get("solve", 0.0) + by_stage.get("witness", 0.0)
        return cls(total - solve - replay, solve, replay, total)


@final
class MeasuredDocument(Document, frozen=True):
    """What was measured of a question, as JSON."""

    verdict: str
    paths: int
    ended: bool
    median: Parts = field(name="seconds")
    runs: tuple[Parts, ...]


@final
class Measured(Struct, frozen=True):
    """What one recipe made of a question."""

    verdict: str
    paths: int  # of the program, each branch forking
    runs: tuple[Parts, ...]
    ended: bool = False  # its time limit ended it: its time is at least this

    @property
    def median(self) -> Parts:
        """Of each part by itself."""
        columns = {name: [getattr(run, name) for run in self.runs] for name in Parts.__struct_fields__}
        return Parts(**{name: statistics.median(column) for name, column in columns.items()})

    @property
    def document(self) -> MeasuredDocument:
        return MeasuredDocument.of(self)


@final
class PaperDocument(Struct, frozen=True):
    """One line of a table as JSON."""

    table: int
    heading: str
    model: str
    question: str
    paper: PaperRow
    compile: Measurement | None
    soid: MeasuredDocument
    baseline: MeasuredDocument | None
    ratio: float | None
    starts: Starts | None


@final
class PaperMeasurement(Struct, frozen=True):
    """One line of a table, measured."""

    table: PaperTable
    question: PaperQuestion
    paper: PaperRow
    text: str  # the question as query text
    soid: Measured
    compile: Measurement | None = None  # once for each program, at its first question
    baseline: Measured | None = None
    starts: Starts | None = None  # from other beginnings

    @property
    def ratio(self) -> float | None:
        """How many times longer the baseline took."""
        return None if self.baseline is None else self.baseline.median.total / self.soid.median.total

    @property
    def as_published(self) -> bool:
        """Whether every verdict is the paper's; that a limit ended the baseline says nothing against it."""
        given = [self.soid.verdict]
        if self.baseline is not None and not self.baseline.ended:
            given.append(self.baseline.verdict)
        return all(verdict == self.paper.verdict for verdict in given)

    @property
    def document(self) -> PaperDocument:
        return PaperDocument(
            table=self.table.number,
            heading=self.question.heading,
            model=self.paper.model,
            question=self.text,
            paper=self.paper,
            compile=self.compile,
            soid=self.soid.document,
            baseline=None if self.baseline is None else self.baseline.document,
            ratio=self.ratio,
            starts=self.starts,
        )


@final
class PaperPlan(Struct, frozen=True):
    """What is measured."""

    runs: int
    limit: float | None  # seconds of the baseline for one question; None: without it
    tables: Sequence[PaperTable] = TABLES
    starts: bool = False  # measured from other beginnings as well

    @property
    def rows(self) -> int:
        return sum(1 for table in self.tables for _ in table)


def measure(
    plan: PaperPlan,
    folders: Mapping[str, Path],
    found: list[PaperMeasurement],
    cancel: Cancellation,
    tell: Tell = lambda _: None,
) -> None:
    """Measure row by row; each is added to `found` when it is done, so that what was done is there if it is stopped.

    `folders` are the examples, by name.
    """
    with tempfile.TemporaryDirectory(prefix="soid-bench-") as scratch:
        for table in plan.tables:
            programs: dict[str, _Opened] = {}
            for question, paper in table:
                words = f"row {len(found) + 1} of {plan.rows} ({question.label} {paper.model})"
                compiled: Measurement | None = None
                if paper.model not in programs:
                    tell(f"{words}: compiling")
                    project = _project(folders[table.example], paper)
                    programs[paper.model] = _opened(project, plan.runs, Path(scratch))
                    compiled = programs[paper.model].compiled
                asked = _Asked(plan, programs[paper.model].project, question, cancel, tell, words)
                soid, baseline = asked.soid(), asked.baseline()
                starts = asked.starts(programs[paper.model], soid, first=compiled is not None) if plan.starts else None
                if cancel.cancelled:
                    return
                found.append(PaperMeasurement(table, question, paper, asked.text, soid, compiled, baseline, starts))


def _project(folder: Path, paper: PaperRow) -> Path:
    """The folder with a row's manifest: each driver has one of its own."""
    return folder / paper.model if (folder / paper.model).is_dir() else folder


@final
class _Opened(Struct, frozen=True):
    """A program, loaded."""

    folder: Path
    project: Project
    compiled: Measurement  # what it takes to compile it with an empty cache, for exploring and for replay
    scratch: Path
    cache: Path  # in which it is compiled


def _opened(project: Path, runs: int, scratch: Path) -> _Opened:
    cases: list[Project] = []

    def make() -> None:
        cases.append(Project.open(project, settings=Settings(seconds=PATIENCE)))
        replayer = cases[-1].replayer
        assert replayer is not None and replayer.how  # which links it

    taken = []
    for _ in range(runs):
        with unseen(scratch), _empty_cache(scratch) as cache:
            taken.append(seconds(make))
    compiled = figure(f"compile {cases[-1].program.name}", "s", taken, "compiled, read and linked, cache empty")
    return _Opened(project, cases[-1], compiled, scratch, cache)


@contextmanager
def _empty_cache(scratch: Path) -> Iterator[Path]:
    """Compile as on a machine that has not seen the program."""
    before = os.environ.get("SOID_CACHE")
    os.environ["SOID_CACHE"] = tempfile.mkdtemp(dir=scratch)
    try:
        yield Path(os.environ["SOID_CACHE"])
    finally:
        if before is None:
            del os.environ["SOID_CACHE"]
        else:
            os.environ["SOID_CACHE"] = before


@final
class _Asked(Struct, frozen=True):
    """One question to one program, put several times."""

    plan: PaperPlan
    project: Project
    question: PaperQuestion
    cancel: Cancellation
    tell: Tell
    words: str  # which row it is

    @property
    def text(self) -> str:
        assert self.project.manifest is not None
        return self.project.manifest.questions[self.question.number]

    def soid(self) -> Measured:
        return self._measured(self.project)

    def baseline(self) -> Measured | None:
        if self.plan.limit is None:
            return None
        settings = replace(self.project.settings, recipe=PAPER, seconds=self.plan.limit)
        return self._measured(replace(self.project, settings=settings), ENOUGH)

    def starts(self, opened: _Opened, soid: Measured, *, first: bool) -> Starts:
        """The question from other beginnings."""
        runs = self.plan.runs
        self.tell(f"{self.words}: asked again")
        again = self._again()
        self.tell(f"{self.words}: in processes of their own")
        asker = Asker(opened.folder, self.text, soid.verdict, self.cancel)
        fresh = asker.fresh(opened.cache, runs)
        if not first:
            return Starts(again, fresh)
        alone = compiler_alone(opened.project, opened.scratch, runs)
        return Starts(again, fresh, asker.first(opened.scratch, runs), alone)

    def _again(self) -> Measurement:
        """What a question takes whose family an earlier one has explored."""
        known = replace(self.project, summaries=_nothing_kept(self.project))
        taken = []
        for _ in range(self.plan.runs + 1):
            with _unused(known.settings.recipe) as solver:
                answer = replace(known, solver=solver).ask(self.text, cancel=self.cancel)
            taken.append(answer.seconds["total"])
        return figure("again", "s", taken[1:], "its family explored by an earlier question")

    def _measured(self, project: Project, enough: float = math.inf) -> Measured:
        recipe = project.settings.recipe
        answers: list[Answer] = []
        while len(answers) < self.plan.runs and sum(answer.seconds["total"] for answer in answers) <= enough:
            self.tell(f"{self.words}: recipe {recipe.name}, run {len(answers) + 1} of {self.plan.runs}")
            with _unused(recipe) as solver:
                fresh = replace(project, solver=solver, summaries=_nothing_kept(project))
                answers.append(fresh.ask(self.text, cancel=self.cancel))
            if self.cancel.cancelled:
                break
        return _together(answers, project.settings.seconds)


def _nothing_kept(project: Project) -> Summaries | None:
    """A place for summaries, with none in it."""
    identity = project.engine.identity
    return None if identity is None else Summaries(identity, project.program.interface)


@contextmanager
def _unused(recipe: Recipe) -> Iterator[Chain]:
    """A recipe's solver that has answered nothing yet; the baseline's has been started, which takes a while."""
    made = chain(recipe.solvers or NAMES, mechanisms=recipe.mechanisms)
    try:
        if recipe is PAPER:
            made.check(())
        yield made
    finally:
        made.close()


def _together(answers: Sequence[Answer], limit: float | None) -> Measured:
    """The runs of one question; they must not contradict each other."""
    verdicts = {answer.verdict for answer in answers}
    if {Verdict.YES, Verdict.NO} <= verdicts:
        raise InternalError(f"one run says yes and another one no: {answers[0].text}", "Please report this.")
    verdict = answers[0].verdict if len(verdicts) == 1 else Verdict.UNKNOWN
    runs = tuple(Parts.of(answer) for answer in answers)
    over = limit is not None and min(run.total for run in runs) >= limit * ALMOST
    paths = max(sum(answer.paths.values()) for answer in answers)
    return Measured(verdict.value, paths, runs, ended=over and verdict is Verdict.UNKNOWN)
