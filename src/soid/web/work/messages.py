"""What goes between the desk and its workers: orders one way, progress and what came of a task the other."""

from __future__ import annotations

from typing import final

from msgspec import Struct

from soid.web.work.job import JobProgress, Trouble
from soid.web.work.tasks import DeskTask, Json


@final
class WorkOrder(Struct, frozen=True):
    """From the desk."""

    job: str  # its id
    task: DeskTask | None = None  # what to do for it; None: it is called off


@final
class TaskDone(Struct, frozen=True, tag="done"):
    """From a worker: what came of a task."""

    result: Json


@final
class TaskCancelled(Struct, frozen=True, tag="cancelled"):
    """From a worker: it has stopped."""

    why: Trouble


@final
class TaskFailed(Struct, frozen=True, tag="failed"):
    """From a worker: the task came to nothing."""

    why: Trouble


TaskOutcome = TaskDone | TaskCancelled | TaskFailed
TaskReply = JobProgress | TaskOutcome
