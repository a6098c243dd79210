"""A process of a sweep: it opens the project once, and answers one chunk of moments after the other."""

from __future__ import annotations

import gc
import os
from pathlib import Path

from msgspec.json import decode
from msgspec.structs import replace

from soid.case.project import Project
from soid.case.project_sweep import OpenedLogs, SweepSetup
from soid.engine.manifest_reader import load
from soid.engine.protocol import fingerprint
from soid.engine.registry import frontend_of
from soid.errors import EnvironmentalError, SoidError
from soid.sweep.local_workers import NotOpened, serve_chunks
from soid.workers.worker_main import WorkerPort


def serve(port: WorkerPort, setup: str, folder: str) -> None:
    """Answer what arrives; logs are named as in the folder that the sweep was started in."""
    gc.set_threshold(100_000, 50, 50)  # as in the command line: terms and modules are long-lived
    os.chdir(folder)
    try:
        project = _opened(decode(setup, type=SweepSetup))
    except SoidError as error:
        port.ready()
        port.send(NotOpened(error.cause, error.remedy))
    else:
        serve_chunks(port, OpenedLogs(project, own=False))


def _opened(given: SweepSetup) -> Project:
    manifest = load(given.project)
    if given.confined_to:
        program = frontend_of(manifest.program).confined(manifest.program, Path(given.confined_to))
        manifest = replace(manifest, program=program)
    project = Project.open(manifest, trace=given.log, step=given.step, settings=given.settings)
    if fingerprint(project.engine) != given.compiled:
        problem = f"the compiler here makes another program of {project.program.name} than where the sweep was started"
        raise EnvironmentalError(problem, "Use the same compiler: soid's own is the extra `compiler`.")
    return project
