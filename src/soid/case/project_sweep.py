"""A sweep of a project: its logs are opened with its manifest, and its program is opened once."""

from __future__ import annotations

import hashlib
import time
from collections import OrderedDict
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from glob import glob
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, final

from msgspec import Struct
from msgspec.json import encode
from msgspec.structs import replace

from soid.budget import Cancellation, usable_cores
from soid.engine.protocol import fingerprint
from soid.errors import InputError, QueryError
from soid.oracle.inquiry import QuestionProgress, Settings
from soid.query.query import CheckedQuery, Query
from soid.release import version
from soid.scenario.trace_reader import read_for
from soid.sweep.chosen_steps import ChosenSteps
from soid.sweep.cluster import on_cluster, threads_of
from soid.sweep.local_workers import RowReply, StartWorker, in_workers
from soid.sweep.row_file import RowFile
from soid.sweep.sweep import Sweep
from soid.sweep.sweep_row import SweepRow
from soid.sweep.sweep_run import Answering, SweepCost, SweepPlan, in_order, in_process, planned, swept
from soid.workers.worker_process import WorkerProcess

if TYPE_CHECKING:
    from distributed import Client

    from soid.case.project import Project

#: answers that one process gives sooner than others have started
_FEW: Final = 400
#: workers that a sweep is planned for on a cluster that has none yet
_GROWING: Final = 8
#: logs that are kept open
_OPENED: Final = 64
_HASHED: Final = 1 << 20  # bytes at once


def sweep(
    project: Project,
    questions: Sequence[Query | CheckedQuery | str],
    logs: Sequence[Path | str],
    steps: str,
    *,
    to: Path | None,
    resume: bool,
    workers: int | None,
    client: Client | None,
    cancel: Cancellation,
    progress: Callable[[QuestionProgress], None],
    note: Callable[[SweepRow], None],
) -> Sweep:
    """Put the questions at the chosen moments of the logs; without logs, of the project's own."""
    if not questions:
        raise QueryError("there is no question", 'Ask one or more: project.sweep(["did move"]).')
    checked = tuple(map(project.checked, questions))
    texts = tuple(project.normal_text(each) for each in checked)
    if len(set(texts)) < len(texts):
        raise QueryError("a question is asked twice", "Ask each one once.")
    named = tuple(found_logs(logs)) or (str(project.trace.source),)
    plan, started = SweepPlan(texts, named, ChosenSteps.of(steps)), time.monotonic()
    opened, hashes = (
        OpenedLogs(project, own=not logs),
        {log: _hash(Path(log)) for log in named} if to is not None or client is not None else {},
    )
    rows = RowFile(to, _about(project, plan, hashes) if to is not None else {}, resume=resume)
    cost = SweepCost()
    try:
        side_by_side = workers or (usable_cores() if client is None else _on(client, progress))
        found = planned(plan, opened, rows.known, side_by_side)
        if client is not None:
            answering = _on_cluster(project, client, hashes)
        elif workers == 1 or (workers is None and found.size < _FEW):
            answering = in_process(opened)
        else:
            answering = in_workers(_starting(project), side_by_side)
        cost = swept(found, answering, rows, cancel, note, progress)
    finally:
        whole = in_order(plan, rows.close())
    seconds = time.monotonic() - started
    return Sweep(
        whole, checked, texts, project.program.interface, not cancel.cancelled, seconds, cost.calls, cost.shared
    )


def _starting(project: Project) -> StartWorker:
    """Starts processes that open the same project."""
    manifest, settings = project.manifest, replace(project.settings, cores=1)
    if manifest is None or not manifest.file.name or not Path(project.trace.source).is_file():
        problem = "only a project of files can be swept by several processes"
        raise InputError(problem, "Give workers=1, or write the project's manifest and log as files.")
    log, step = str(Path(project.trace.source).resolve()), project.logged.step
    setup = encode(SweepSetup(str(manifest.file.resolve()), log, step, settings, fingerprint(project.engine))).decode()

    def start() -> WorkerProcess[RowReply]:
        return WorkerProcess("soid.case.sweep_worker", [setup, str(Path.cwd())], RowReply, leads_session=True)

    return start


def asked_in(script: Path, project: Project) -> tuple[str, ...]:
    """The questions of a script."""
    from soid.case.script_run import ScriptFile  # it opens projects itself

    return ScriptFile.read(script).swept_questions(project)


def _on(client: Client, progress: Callable[[QuestionProgress], None]) -> int:
    """For how many workers a sweep is planned. A cluster without any is one that will grow."""
    if not (threads := threads_of(client)):
        progress(QuestionProgress("waiting for the cluster's first worker"))
    return threads or _GROWING


def _on_cluster(project: Project, client: Client, hashes: Mapping[str, str]) -> Answering:
    from soid.case.travelling_project import ProjectLuggage, answer_chunk  # few sweeps go to other machines

    return on_cluster(client, answer_chunk, ProjectLuggage(project, hashes))


def found_logs(named: Sequence[Path | str]) -> list[str]:
    """The files that paths and patterns mean, each once."""
    found: dict[str, None] = {}
    for each in map(str, named):
        matching = [each] if Path(each).exists() else sorted(glob(each, recursive=True))  # noqa: PTH207 it may be absolute
        if not matching:
            raise InputError(f"there is no log {each}", "Give a file, or a pattern in quotes: 'fleet/*.parquet'.")
        found |= dict.fromkeys(matching)
    return list(found)


@final
class SweepSetup(Struct, frozen=True):
    """What a worker opens."""

    project: str
    log: str
    step: int
    settings: Settings
    compiled: str  # what the compiler must make of it
    confined_to: str = ""  # the folder that alone is seen while it is compiled and run; empty: not confined to one


class OpenedLogs:
    """Opens logs of a project, and keeps the latest: the moments of a chunk are looked at before the first is asked."""

    def __init__(self, project: Project, *, own: bool) -> None:
        self._project, self._own = project, own
        self._opened: OrderedDict[str, Project] = OrderedDict()

    def __call__(self, log: str) -> Project:
        if self._own:
            return self._project
        if log not in self._opened:
            manifest = self._project.manifest
            assert manifest is not None, "a project is opened with its manifest"
            with self._project.settings.opening():
                trace = read_for(manifest, log)
            self._opened[log] = self._project.over(trace, trace.steps[0].time)
            if len(self._opened) > _OPENED:
                self._opened.popitem(last=False)
        self._opened.move_to_end(log)
        return self._opened[log]


def _about(project: Project, plan: SweepPlan, hashes: Mapping[str, str]) -> Mapping[str, Any]:
    """What rows are about: rows of another program, or of other logs, are not gone on with."""
    identity = project.unfinished.identity if project.unfinished is not None else None
    logs = hashes if Path(project.trace.source).is_file() else None  # of a table in memory it is not known
    return {"version": version(), "program": identity, "questions": list(plan.questions), "logs": logs}


def _hash(file: Path) -> str:
    made = hashlib.sha256()
    with suppress(OSError), file.open("rb") as stream:  # of one that cannot be read there is a row that says so
        while block := stream.read(_HASHED):
            made.update(block)
    return made.hexdigest()
