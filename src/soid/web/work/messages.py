"""The messages between the desk and its workers: orders one way, progress and outcomes the other."""

from __future__ import annotations

from typing import final

from msgspec import Struct

from soid.web.work.job import JobProgress, Trouble
from soid.web.work.tasks import DeskTask, Json


@final
class WorkOrder(Struct, frozen=True):
    """From the desk."""

    job: str  # its id
    task: DeskTask | None = None  # None: the job is cancelled


@final
class TaskDone(Struct, frozen=True, tag="done"):
    """From a worker: the result of a task."""

    result: Json


@final
class TaskCancelled(Struct, frozen=True, tag="cancelled"):
    """From a worker: the task was cancelled."""

    why: Trouble


@final
class TaskFailed(Struct, frozen=True, tag="failed"):
    """From a worker: the task failed."""

    why: Trouble


TaskOutcome = TaskDone | TaskCancelled | TaskFailed
TaskReply = JobProgress | TaskOutcome
