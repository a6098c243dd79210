"""Questions about learned models, put to soid and to other tools in the same run: Veritas and treecf.

Each tool has read the model before the clock starts, and soid has examined the logged moment. It is measured by the CPU
time of its process, which has one thread: a busy machine does not count. What takes little time is asked several times.
A row that a tool gives is run on the real library, in float32.
"""

from __future__ import annotations

import gc
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import closing
from enum import Enum
from pathlib import Path
from typing import Final, final

from msgspec import Struct
from msgspec.structs import replace

from soid.bench.measurement import Tell, asked_anew
from soid.bench.model_comparison import compared_rows
from soid.bench.trained_model import FEATURES, HIGH, LOW, TrainedModel
from soid.budget import Cancellation
from soid.case.project import Project
from soid.formula import softfloat as sf
from soid.oracle.inquiry import Settings
from soid.solver.chain import chain

TREES: Final = (100, 300, 500, 1000)

#: rows of the log: of so many the border between the classes is nearer
MOMENTS: Final = (0.1, 0.9)

_PART: Final = 0.1  # of a feature's own size, by which it varies


class ModelQuestion(Enum):
    """What is asked: how many features are free, and whether the nearest row is looked for."""

    ONE = "1 free"
    THREE = "3 free"
    FIVE = "5 free"
    TEN = "10 free"
    AROUND = "15 within 10 %"
    NEAREST_THREE = "nearest, 3 free"
    NEAREST_FIVE = "nearest, 5 free"

    @property
    def is_nearest(self) -> bool:
        return self in (ModelQuestion.NEAREST_THREE, ModelQuestion.NEAREST_FIVE)


#: stages of an answer that look for a row
_SEARCH: Final = ("explore", "solve", "witness")

_FREE: Final = {
    ModelQuestion.ONE: 1,
    ModelQuestion.THREE: 3,
    ModelQuestion.FIVE: 5,
    ModelQuestion.TEN: 10,
    ModelQuestion.NEAREST_THREE: 3,
    ModelQuestion.NEAREST_FIVE: 5,
}


@final
class ModelTask(Struct, frozen=True):
    """A question for another tool: does the score stay on its side of 0 while features lie between bounds?"""

    model: str  # the file
    fact: tuple[float, ...]
    low: tuple[float, ...]
    high: tuple[float, ...]
    positive: bool  # the side of the fact
    nearest: bool  # also: which row of the other side is the nearest to the fact?
    limit: float  # seconds
    runs: int = 5  # of which the median counts
    repeated: float = 0.5  # seconds, after which there is no further run


@final
class ModelTimed(Struct, frozen=True):
    """The result of one tool for a question."""

    verdict: str  # yes: it stays on its side; unknown: it was stopped, or gave no answer
    seconds: float
    cpu: float
    ended: bool = False  # by its time limit
    note: str = ""
    row: tuple[float, ...] | None = None  # on the other side
    margin: float | None = None  # of that row, by the library itself
    is_nearest: bool = False  # it says that no row is nearer, in its own sense
    none_below: float | None = None  # it says that no row differs by less than this in every feature
    search: float | None = None  # of soid's seconds those of the search, which are all that the others have

    @property
    def is_answer(self) -> bool:
        return self.verdict != "unknown"


AskModel = Callable[[ModelTask, Path, Cancellation], ModelTimed]


@final
class ModelPeer(Struct, frozen=True):
    """Another tool, and how it is asked."""

    name: str
    ask: AskModel | None  # None: it is not available
    remedy: str = ""
    why: str = ""


@final
class ModelRow(Struct, frozen=True):
    """One question about one model at one moment."""

    trees: int
    margin: float  # of the fact, by the library
    question: ModelQuestion
    text: str  # as soid is asked
    soid: ModelTimed
    peers: Mapping[str, ModelTimed]
    explained: tuple[str, ...] = ()  # why answers differ
    contradicts: tuple[str, ...] = ()  # answers that differ without such a reason


def measure(
    peers: Sequence[ModelPeer],
    limit: float,
    found: list[ModelRow],
    cancel: Cancellation,
    tell: Tell = lambda _: None,
    sizes: Sequence[int] = TREES,
    questions: Sequence[ModelQuestion] = tuple(ModelQuestion),
) -> None:
    """Measure row by row; each finished row is added to `found`."""
    with tempfile.TemporaryDirectory(prefix="soid-bench-") as scratch:
        for trees in sizes:
            tell(f"training {trees} trees")
            folder = Path(tempfile.mkdtemp(dir=scratch))
            model = TrainedModel(folder, trees)
            opened = Project.open(folder, settings=Settings(replay="off"))  # the limit is that of a question
            project = replace(opened, summaries=None, settings=replace(opened.settings, seconds=limit))
            for share in MOMENTS:
                step = model.by_margin(share)
                at = project.at(step)
                asked_anew(at, f"did {FEATURES[0]} >= {LOW}", cancel)  # reads the model
                for question in questions:
                    if cancel.cancelled:
                        return
                    tell(f"{trees} trees, {question.value}")
                    row = _measured(model, at, step, question, peers, limit, cancel)
                    if not cancel.cancelled:
                        found.append(row)


def _measured(
    model: TrainedModel,
    project: Project,
    step: int,
    question: ModelQuestion,
    peers: Sequence[ModelPeer],
    limit: float,
    cancel: Cancellation,
) -> ModelRow:
    task = put_to_others(model, step, question, limit)
    text = asked_text(task)
    soid = _with_margin(model, _asked(project, text, task, cancel))
    others = {}
    for peer in peers:
        if peer.ask is not None and not cancel.cancelled:
            others[peer.name] = _with_margin(model, peer.ask(task, model.folder, cancel))
    row = ModelRow(model.trees, model.margins[step], question, text, soid, others)
    explained, contradicts = compared_rows(task, {"soid": soid, **others})
    return replace(row, explained=explained, contradicts=contradicts)


def put_to_others(model: TrainedModel, step: int, question: ModelQuestion, limit: float) -> ModelTask:
    fact = tuple(model.rows[step])
    low, high = zip(*_bounds(fact, question), strict=True)
    return ModelTask(str(model.file), fact, low, high, model.margins[step] > 0, question.is_nearest, limit)


def _bounds(fact: Sequence[float], question: ModelQuestion) -> Iterator[tuple[float, float]]:
    for number, value in enumerate(fact):
        if question is ModelQuestion.AROUND:
            yield value - abs(value) * _PART, value + abs(value) * _PART
        elif number < _FREE[question]:
            yield LOW, HIGH
        else:
            yield value, value


def asked_text(task: ModelTask) -> str:
    """The question in soid's language."""
    label = "class_1" if task.positive else "class_0"
    varying = []
    for name, low, high in zip(FEATURES, task.low, task.high, strict=True):
        if (low, high) == (LOW, HIGH):
            varying.append(f"{name} is anything")
        elif low < high:
            varying.append(f"{low!r} <= {name} <= {high!r}")
    return f"would decision == {label} if {' and '.join(varying)}"


def _asked(project: Project, text: str, task: ModelTask, cancel: Cancellation) -> ModelTimed:
    """soid's answer, the median of some runs; they do not pay for garbage of what was measured before."""
    runs: list[ModelTimed] = []
    gc.collect()
    gc.freeze()
    while len(runs) < task.runs and sum(each.seconds for each in runs) < task.repeated and not cancel.cancelled:
        runs.append(_asked_once(project, text, task, cancel))
    gc.unfreeze()
    return sorted(runs, key=lambda each: each.cpu)[(len(runs) - 1) // 2]


def _asked_once(project: Project, text: str, task: ModelTask, cancel: Cancellation) -> ModelTimed:
    """soid's answer. As the others it gives any row for a `would`, and the nearest one only if that is asked for."""
    settings = replace(project.settings, witness_seconds=task.limit if task.nearest else 0.0)
    project.program.interface.meanings.clear()  # it has read nothing of the question
    with closing(chain()) as solver:  # and answered nothing before
        asked = replace(project, settings=settings, solver=solver)
        began, worked = time.perf_counter(), time.process_time()
        answer = asked.ask(text, cancel=cancel)
        seconds, cpu = time.perf_counter() - began, time.process_time() - worked
    verdict, witness = answer.verdict.value, answer.witness
    note = str(answer.settled) if answer.settled is not None else ""
    search = min(sum(answer.seconds.get(stage, 0.0) for stage in _SEARCH), cpu)
    if witness is None or verdict != "no":
        return ModelTimed(verdict, seconds, cpu, seconds >= task.limit, note, search=search)
    row = tuple(sf.bits64_to_float(witness.inputs[name]) for name in FEATURES)
    nearest = task.nearest and witness.settled
    return ModelTimed(verdict, seconds, cpu, False, note, row, is_nearest=nearest, search=search)


def _with_margin(model: TrainedModel, timed: ModelTimed) -> ModelTimed:
    return timed if timed.row is None else replace(timed, margin=model.margin_of([list(timed.row)])[0])
