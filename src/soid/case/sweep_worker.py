"""A process of a sweep: it opens the project once, and answers one chunk of moments after the other."""

from __future__ import annotations

import gc
import os

from msgspec.json import decode

from soid.case.project import Project
from soid.case.project_sweep import LastLog, SweepSetup
from soid.sweep.local_workers import serve_chunks
from soid.workers.worker_main import WorkerPort


def serve(port: WorkerPort, setup: str, folder: str) -> None:
    """Answer what arrives; logs are named as in the folder that the sweep was started in."""
    gc.set_threshold(100_000, 50, 50)  # as in the command line: terms and modules are long-lived
    os.chdir(folder)
    given = decode(setup, type=SweepSetup)
    project = Project.open(given.project, trace=given.log, settings=given.settings)
    serve_chunks(port, LastLog(project, own=False))
