"""The paper's tables measured again: the same questions, asked with soid's recipe and with the paper's, in one run.

What is cold and what is warm: `compile` is the time to compile, read and link a program with an empty cache, once in
each run. The questions are then asked of the loaded program, each with a new solver and without any kept path, model or
answer. `paper_starts.py` measures other starts, if the plan says so. The compiler keeps its own cached C library, and
the baseline's solver is started before the measurement.

The baseline takes minutes where soid takes a fraction of a second. It runs as often as soid as long as that takes no
more than a few seconds, else once. If its time limit ends it, the limit counts as its time, and the ratio is a lower
bound.
"""

from __future__ import annotations

import math
import statistics
import tempfile
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Final, final

from msgspec import Struct, field
from msgspec.structs import astuple, replace

from soid.bench.measurement import Measurement, Tell, asked_anew, environment_variable, figure, opened, seconds
from soid.bench.paper_figures import TABLES, PaperQuestion, PaperRow, PaperTable
from soid.bench.paper_starts import Asker, Starts, compiler_alone, unseen
from soid.budget import Cancellation
from soid.case.project import Project
from soid.engine.summary_cache.summaries import Summaries
from soid.errors import InternalError
from soid.oracle.answer import Answer, Verdict
from soid.recipe import PAPER

#: seconds after which the baseline is not run again
ENOUGH: Final = 10.0

#: seconds for a question to soid
PATIENCE: Final = 300.0

#: an unknown after this share of the time limit counts as ended by the limit
ALMOST: Final = 0.95


@final
class Parts(Struct, frozen=True):
    """The seconds of one answer by part."""

    explore: float  # checking the log, checking the family, finding its paths
    solve: float  # solving the question over them, settling the witness
    replay: float  # fact and witness run on the compiled program
    total: float

    @classmethod
    def of(cls, answer: Answer) -> Parts:
        by_stage = dict(answer.seconds)
        total, replay = by_stage.pop("total"), by_stage.pop("replay", 0.0)
        solve = by_stage.get("solve", 0.0) + by_stage.get("witness", 0.0)
        return cls(total - solve - replay, solve, replay, total)

    @classmethod
    def median(cls, runs: Iterable[Parts]) -> Parts:
        return cls(*map(statistics.median, zip(*map(astuple, runs), strict=True)))


@final
class Measured(Struct, frozen=True):
    """The measurement of a question with one recipe."""

    verdict: str
    paths: int  # of the program
    ended: bool  # by its time limit: its time is a lower bound
    median: Parts = field(name="seconds")  # of each part
    runs: tuple[Parts, ...]


@final
class PaperDocument(Struct, frozen=True):
    """One line of a table as JSON."""

    table: int
    heading: str
    model: str
    question: str
    paper: PaperRow
    compile: Measurement | None
    soid: Measured
    baseline: Measured | None
    ratio: float | None
    starts: Starts | None


@final
class PaperMeasurement(Struct, frozen=True):
    """One measured line of a table."""

    table: PaperTable
    question: PaperQuestion
    paper: PaperRow
    text: str  # the question as query text
    soid: Measured
    compile: Measurement | None = None  # at the first question of each program only
    baseline: Measured | None = None
    starts: Starts | None = None  # from other starts

    @property
    def ratio(self) -> float | None:
        """How many times longer the baseline took."""
        return None if self.baseline is None else self.baseline.median.total / self.soid.median.total

    @property
    def as_published(self) -> bool:
        """Whether every verdict is the paper's; a baseline that its limit ended does not count."""
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
            soid=self.soid,
            baseline=self.baseline,
            ratio=self.ratio,
            starts=self.starts,
        )


@final
class PaperPlan(Struct, frozen=True):
    """What is measured."""

    runs: int
    limit: float | None  # seconds for a question to the baseline; None: without the baseline
    tables: Sequence[PaperTable] = TABLES
    starts: bool = False  # measure other starts as well

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
    """Measure row by row; each finished row is added to `found`, where it stays if the measurement is stopped.

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
                    example = folders[table.example]
                    own = example / paper.model  # a model has its own manifest, or the example has one for all
                    programs[paper.model] = _opened(own if own.is_dir() else example, plan.runs, Path(scratch))
                    compiled = programs[paper.model].compiled
                asked = _Asked(plan, programs[paper.model].project, question, cancel, tell, words)
                soid, baseline = asked.measured(asked.project), asked.baseline()
                starts = asked.starts(programs[paper.model], soid, first=compiled is not None) if plan.starts else None
                if cancel.cancelled:
                    return
                found.append(PaperMeasurement(table, question, paper, asked.text, soid, compiled, baseline, starts))


@final
class _Opened(Struct, frozen=True):
    """A loaded program."""

    folder: Path
    project: Project
    compiled: Measurement  # the time to compile it with an empty cache, for exploring and for replay
    scratch: Path
    cache: Path  # that has the compiled program


def _opened(project: Path, runs: int, scratch: Path) -> _Opened:
    cases: list[Project] = []
    taken = []
    for _ in range(runs):
        cache = Path(tempfile.mkdtemp(dir=scratch))
        with unseen(scratch), environment_variable("SOID_CACHE", cache):
            taken.append(seconds(lambda: cases.append(opened(project, PATIENCE))))
    compiled = figure(f"compile {cases[-1].program.name}", "s", taken, "compiled, read and linked, cache empty")
    return _Opened(project, cases[-1], compiled, scratch, cache)


@final
class _Asked(Struct, frozen=True):
    """One question to one program, asked several times."""

    plan: PaperPlan
    project: Project
    question: PaperQuestion
    cancel: Cancellation
    tell: Tell
    words: str  # the row, for progress reports

    @property
    def text(self) -> str:
        assert self.project.manifest is not None
        return self.project.manifest.questions[self.question.number]

    def baseline(self) -> Measured | None:
        if self.plan.limit is None:
            return None
        settings = replace(self.project.settings, recipe=PAPER, seconds=self.plan.limit)
        return self.measured(replace(self.project, settings=settings), ENOUGH)

    def starts(self, opened: _Opened, soid: Measured, *, first: bool) -> Starts:
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
        """The time of a question whose family an earlier question has explored."""
        known = replace(self.project, summaries=_nothing_kept(self.project))
        taken = []
        for _ in range(self.plan.runs + 1):
            taken.append(asked_anew(known, self.text, self.cancel).seconds["total"])
        return figure("again", "s", taken[1:], "its family explored by an earlier question")

    def measured(self, project: Project, enough: float = math.inf) -> Measured:
        recipe = project.settings.recipe
        answers: list[Answer] = []
        while len(answers) < self.plan.runs and sum(answer.seconds["total"] for answer in answers) <= enough:
            self.tell(f"{self.words}: recipe {recipe.name}, run {len(answers) + 1} of {self.plan.runs}")
            fresh = replace(project, summaries=_nothing_kept(project))
            answers.append(asked_anew(fresh, self.text, self.cancel))
            if self.cancel.cancelled:
                break
        return _together(answers, project.settings.seconds)


def _nothing_kept(project: Project) -> Summaries | None:
    """An empty cache of summaries; None if the engine has no identity to keep them under."""
    identity = project.engine.identity
    return None if identity is None else Summaries(identity, project.program.interface)


def _together(answers: Sequence[Answer], limit: float | None) -> Measured:
    """The runs of one question in one record; runs that contradict each other are an internal error."""
    verdicts = {answer.verdict for answer in answers}
    if {Verdict.YES, Verdict.NO} <= verdicts:
        raise InternalError(f"one run says yes and another one no: {answers[0].text}", "Please report this.")
    verdict = answers[0].verdict if len(verdicts) == 1 else Verdict.UNKNOWN
    runs = tuple(Parts.of(answer) for answer in answers)
    over = limit is not None and min(run.total for run in runs) >= limit * ALMOST
    paths = max(sum(answer.paths.values()) for answer in answers)
    return Measured(verdict.value, paths, over and verdict is Verdict.UNKNOWN, Parts.median(runs), runs)
