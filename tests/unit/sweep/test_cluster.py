"""A sweep on a Dask cluster gives the table of one process, whatever becomes of its workers."""

from __future__ import annotations

import hashlib
import os
import re
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path

import pandas as pd
import pytest
from distributed import Client, LocalCluster
from msgspec.json import decode, encode
from msgspec.structs import replace

from soid.budget import Cancellation
from soid.case.project import Project
from soid.case.project_sweep import SweepSetup
from soid.case.travelling_project import ProjectLuggage, TravellingProject, answer_chunk
from soid.errors import EnvironmentalError, InputError
from soid.examples import folder
from soid.sweep.answered_chunk import Chunk
from soid.sweep.cluster import ChunkRefused, TravellingChunk, connected, on_cluster
from soid.sweep.local_workers import RowReply, in_workers
from soid.sweep.sweep import Sweep
from soid.sweep.sweep_row import SweepRow
from soid.workers.worker_process import WorkerProcess
from tests.unit.sweep import cluster_tasks
from tests.unit.sweep.cluster_tasks import NoLuggage

QUESTIONS = ("did action == CLOSE", "would action == CANCEL if closed is anything")
CHUNKS = [Chunk(((log, step),), ("p", "q")) for log in "ab" for step in range(4)]
EVERY = sorted((log, step, question) for chunk in CHUNKS for log, step in chunk.moments for question in chunk.questions)


def oven() -> Project:
    return Project.open(folder("microwave"))


def content(made: Sweep) -> list[tuple[object, ...]]:
    return [(*row.key, row.verdict, row.reason, row.changed, row.witness) for row in made.rows]


@pytest.fixture(scope="module")
def cluster() -> Iterator[LocalCluster]:
    """Workers are processes, which take a second each to start: tests ask for more of them, never for fewer."""
    with LocalCluster(n_workers=1, threads_per_worker=1, dashboard_address=":0", scheduler_port=0) as made:
        yield made


@pytest.fixture
def client(cluster: LocalCluster) -> Iterator[Client]:
    with Client(cluster, set_as_default=False) as made:
        yield made


@contextmanager
def started(command: str, *arguments: str, until: str) -> Iterator[tuple[subprocess.Popen[str], str]]:
    """A command of Dask in a process of its own, and the word that follows that text in what it says."""
    line = [sys.executable, "-m", f"distributed.cli.dask_{command}", *arguments, "--dashboard-address", ":0"]
    with subprocess.Popen(line, stderr=subprocess.PIPE, text=True) as process:
        assert process.stderr is not None
        try:
            yield process, next(found[1] for said in process.stderr if (found := re.search(rf"{until}\s*(\S*)", said)))
        finally:
            process.kill()


def wait_for(place: Path) -> None:
    while not place.exists():
        time.sleep(0.01)


def test_a_scheduler_and_a_worker_as_commands_give_the_table_of_one_process(tmp_path: Path) -> None:
    """Logs have the names that they have here. When the scheduler ends, that is what is said."""
    log = tmp_path / "here" / "log.jsonl"
    log.parent.mkdir()
    log.write_bytes((folder("microwave") / "log.jsonl").read_bytes())
    alone = oven().sweep(QUESTIONS, logs=[log], workers=1)
    with started("scheduler", "--port", "0", until="Scheduler at:") as (scheduler, address):
        own = "--nthreads", "1", "--no-nanny", "--local-directory", str(tmp_path / "there")
        with started("worker", address, *own, until="Registered to:"), connected(address) as client:
            made = oven().sweep(QUESTIONS, logs=[log], client=client)
            rows = on_cluster(client, partial(cluster_tasks.waiting, str(tmp_path)), NoLuggage())(
                CHUNKS, Cancellation()
            )
            assert next(rows).row.reason == "answered"
            scheduler.kill()
            with pytest.raises(EnvironmentalError, match="the cluster"):
                list(rows)
    assert content(made) == content(alone) and len(made.rows) == 10


@pytest.mark.parametrize("workers", [1, 2, 4])
def test_a_killed_worker_costs_its_chunk_and_no_row(
    workers: int, cluster: LocalCluster, client: Client, tmp_path: Path
) -> None:
    """The first to come to a row is killed; each row is there once, for any number of workers."""
    cluster.scale(workers)
    client.wait_for_workers(workers)
    answering = on_cluster(client, partial(cluster_tasks.ended_once, str(tmp_path / "ended")), NoLuggage())
    made = list(answering(CHUNKS, Cancellation()))
    assert (tmp_path / "ended").exists()
    assert sorted(each.row.key for each in made) == EVERY
    assert {each.row.reason for each in made} == {"answered"}


@pytest.mark.soak
@pytest.mark.parametrize("workers", [1, 2, 4])
def test_the_table_of_a_drive_is_the_same_for_any_number_of_workers(
    workers: int, cluster: LocalCluster, client: Client, tmp_path: Path
) -> None:
    """One of them is killed as soon as the first rows are there."""
    drive = Project.open(folder("crash") / "pathological")
    questions = "did move == 1", "might move == 0 if world.agents[1].signal is anything"
    cluster.scale(workers)
    client.wait_for_workers(workers)
    pids = list(client.run(os.getpid).values())

    def note(_: SweepRow) -> None:
        while pids:
            os.kill(pids.pop(), signal.SIGKILL)
            pids.clear()

    made = drive.sweep(questions, client=client, note=note)
    assert content(made) == content(drive.sweep(questions, workers=1)) and not pids


def test_a_row_over_which_each_worker_is_lost_says_so(cluster: LocalCluster, client: Client) -> None:
    usual, cluster.scheduler.allowed_failures = cluster.scheduler.allowed_failures, 0
    try:
        chunk = Chunk((("a", 2), ("a", 3)), ("q",))
        made = list(on_cluster(client, cluster_tasks.ended_always, NoLuggage())([chunk], Cancellation()))
    finally:
        cluster.scheduler.allowed_failures = usual
    assert {each.row.key: each.row.reason for each in made} == {
        ("a", 2, "q"): "each worker of the cluster that was to answer it was lost",
        ("a", 3, "q"): "answered",
    }


def test_what_runs_ends_when_the_sweep_is_called_off(client: Client, tmp_path: Path) -> None:
    cancel = Cancellation()
    answering = on_cluster(client, partial(cluster_tasks.waiting, str(tmp_path)), NoLuggage())
    for _ in answering(CHUNKS[:2], cancel):
        cancel.cancel()
    wait_for(tmp_path / "called off")


def test_a_worker_without_soid_is_told_of(client: Client) -> None:
    with pytest.raises(EnvironmentalError, match="could not begin: ModuleNotFoundError: No module named 'soid'"):
        list(on_cluster(client, cluster_tasks.missing, NoLuggage())(CHUNKS, Cancellation()))


# --- what a worker makes of a project -------------------------------------------------------------------------


def told(**other: object) -> tuple[bytes, dict[str, bytes]]:
    """A chunk of the oven's, and what travels with it; other things are said of the project."""
    log = str(folder("microwave") / "log.jsonl")
    luggage = ProjectLuggage(oven(), {log: hashlib.sha256(Path(log).read_bytes()).hexdigest()})
    chunk = TravellingChunk(Chunk(((log, 1),), QUESTIONS), luggage.project, {log: luggage.log(log)})
    files = {sha256: read() for sha256, read in luggage.files(chunk).items()}
    about = decode(files[luggage.project], type=TravellingProject)
    return encode(chunk), files | {luggage.project: encode(replace(about, **other))}


def test_another_version_of_soid_refuses() -> None:
    refused = decode(answer_chunk(*told(soid="0.0.1"), "task"), type=ChunkRefused)
    assert "soid 0.0.1 where the sweep was started" in refused.cause
    assert refused.remedy == "Install the same version on each machine."


def test_content_that_is_not_what_was_sent_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SOID_CACHE", str(tmp_path))  # nothing is laid out there yet
    chunk, files = told()
    about = decode(chunk, type=TravellingChunk).project
    changed = {sha256: content if sha256 == about else content + b" " for sha256, content in files.items()}
    refused = decode(answer_chunk(chunk, changed, "task"), type=ChunkRefused)
    assert refused.cause == "what came is not what was sent: its hash is another one"


def test_another_program_of_the_same_sources_is_refused() -> None:
    """As if another compiler had made it: the process that opens it says so."""
    project = oven()
    manifest = project.manifest
    assert manifest is not None
    setup = SweepSetup(str(manifest.file), project.trace.source, 1, project.settings, "of another compiler")
    arguments = [encode(setup).decode(), str(folder("microwave"))]

    def start() -> WorkerProcess[RowReply]:
        return WorkerProcess("soid.case.sweep_worker", arguments, RowReply, leads_session=True)

    with pytest.raises(EnvironmentalError, match="the compiler here makes another program of"):
        list(in_workers(start, 1)([Chunk(((project.trace.source, 1),), QUESTIONS)], Cancellation()))


def test_a_log_that_changes_during_a_sweep_is_not_sent(tmp_path: Path) -> None:
    log = tmp_path / "log.jsonl"
    log.write_text("{}")
    luggage = ProjectLuggage(oven(), {str(log): "of what it was before"})
    chunk = TravellingChunk(Chunk(((str(log), 1),), QUESTIONS), luggage.project, {str(log): luggage.log(str(log))})
    with pytest.raises(EnvironmentalError, match="has changed since the sweep began"):
        [read() for read in luggage.files(chunk).values()]


def test_only_a_project_of_files_can_travel() -> None:
    log = pd.DataFrame([{"error": False, "closed": True, "heat": False, "running": False}])
    with pytest.raises(InputError, match="only a project of files"):
        ProjectLuggage(Project.open(folder("microwave"), trace=log, step=0), {})


def test_an_address_without_a_scheduler_is_told_of_with_what_to_start() -> None:
    with pytest.raises(InputError, match="localhost is no scheduler to connect to"), connected("localhost"):
        pass
