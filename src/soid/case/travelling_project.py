"""A project on its way to the machines of a cluster, and what a worker there makes of it.

What travels is what a case would hold: manifest, sources, headers, and each log, all by the hashes of their contents. A
worker lays it out in its cache and answers a chunk in a process of its own, so that one that takes too much memory ends
that process and not the worker. There the program is compiled and run where nothing but these files can be seen.
"""

from __future__ import annotations

import hashlib
import socket
from collections.abc import Callable, Mapping
from functools import partial
from pathlib import Path
from typing import Final, final

from msgspec import Struct
from msgspec.json import decode, encode
from msgspec.structs import replace

from soid.cache import cache_folder, digest, write_atomically
from soid.case.project import Project
from soid.case.project_sweep import SweepSetup
from soid.case.snapshot import Snapshot, take
from soid.engine.protocol import fingerprint
from soid.errors import EnvironmentalError, InputError, SoidError
from soid.oracle.inquiry import Settings
from soid.release import version
from soid.surface import Advice
from soid.sweep.answered_chunk import AnsweredRow, Chunk
from soid.sweep.cluster import ChunkAnswered, ChunkRefused, ChunkResult, TravellingChunk, awaited
from soid.sweep.local_workers import RowReply, in_workers
from soid.workers.worker_process import WorkerProcess

_PUT_BACK: Final = Advice(
    command="Put it back, and go on with --resume.", python="Put it back, and go on with resume=True."
)


@final
class TravellingProject(Struct, frozen=True):
    """What a worker opens; its document travels like a file."""

    soid: str  # the version
    snapshot: Snapshot
    log: str  # the one that it is opened with, below the snapshot
    step: int
    compiled: str  # what the compiler makes of it
    settings: Settings


@final
class ProjectLuggage:
    """What the chunks of a sweep are about. Logs are read when they are sent."""

    def __init__(self, project: Project, hashes: Mapping[str, str]) -> None:
        """`hashes` are those of the logs, by their names, when the sweep began."""
        manifest, log = project.manifest, Path(project.trace.source)
        if manifest is None or not manifest.file.name or not log.is_file():
            problem = "only a project of files can be swept by other machines"
            raise InputError(problem, "Write the project's manifest and log as files.")
        taken = take(manifest.file, [log])
        settings = replace(project.settings, cores=1)
        opened = taken.snapshot.logs[-1], project.logged.step, fingerprint(project.engine), settings
        about = encode(TravellingProject(version(), replace(taken.snapshot, origin=""), *opened))
        self._hashes = hashes
        self.project = _sha256(about)
        self._contents = {**taken.contents, self.project: about}

    def log(self, name: str) -> str:
        return self._hashes[name]

    def files(self, told: TravellingChunk) -> Mapping[str, Callable[[], bytes]]:
        """How each content is read that a chunk needs, by its hash."""
        own = {sha256: partial(self._contents.__getitem__, sha256) for sha256 in self._contents}
        return {sha256: partial(_unchanged, name, sha256) for name, sha256 in told.logs.items()} | own


def _unchanged(log: str, sha256: str) -> bytes:
    try:
        content = Path(log).read_bytes()
    except OSError as error:
        raise EnvironmentalError(f"{log} cannot be read any more: {error.strerror or error}", _PUT_BACK) from error
    if _sha256(content) != sha256:
        raise EnvironmentalError(f"{log} has changed since the sweep began", "Start the sweep anew.")
    return content


def answer_chunk(told: bytes, files: Mapping[str, bytes], task: str) -> bytes:
    """What a worker of the cluster runs (`soid.sweep.cluster.ChunkTask`)."""
    try:
        result: ChunkResult = ChunkAnswered(_answered(decode(told, type=TravellingChunk), files, task))
    except SoidError as error:
        result = ChunkRefused(socket.gethostname(), error.cause, error.remedy)
    return encode(result)


def _answered(told: TravellingChunk, files: Mapping[str, bytes], task: str) -> list[AnsweredRow]:
    about = decode(files[told.project])
    if about["soid"] != version():
        problem = f"soid {version()} is installed here, and soid {about['soid']} where the sweep was started"
        raise EnvironmentalError(problem, "Install the same version on each machine.")
    project = decode(files[told.project], type=TravellingProject)
    place = project.snapshot.lay_out(partial(_checked, files))
    names = {str(_laid_out(name, sha256, files)): name for name, sha256 in told.logs.items()}
    places = {name: place for place, name in names.items()}
    chunk = Chunk(tuple((places[log], step) for log, step in told.chunk.moments), told.chunk.questions)
    manifest, log = place / project.snapshot.manifest, place / project.log
    setup = SweepSetup(str(manifest), str(log), project.step, project.settings, project.compiled, str(place))

    def start() -> WorkerProcess[RowReply]:
        return WorkerProcess(
            "soid.case.sweep_worker", [encode(setup).decode(), str(place)], RowReply, leads_session=True
        )

    with awaited(task) as cancel:
        return [_named(made, names) for made in in_workers(start, 1)([chunk], cancel)]


def _laid_out(name: str, sha256: str, files: Mapping[str, bytes]) -> Path:
    """A log in the cache. The ending of its name says what format it has."""
    place = cache_folder() / "sweeps" / digest(name, sha256) / Path(name).name
    try:
        if not place.exists() or _sha256(place.read_bytes()) != sha256:
            write_atomically(place, _checked(files, sha256))
    except OSError as error:
        problem = f"a log cannot be laid out in {place}: {error.strerror or error}"
        raise EnvironmentalError(problem, "Name a folder for soid's cache that can be written: SOID_CACHE.") from error
    return place


def _checked(files: Mapping[str, bytes], sha256: str) -> bytes:
    content = files[sha256]
    if _sha256(content) != sha256:
        raise EnvironmentalError("what came is not what was sent: its hash is another one", "Look at the network.")
    return content


def _named(made: AnsweredRow, names: Mapping[str, str]) -> AnsweredRow:
    """The row with the log's name where the sweep was started."""
    name = names[made.row.log]
    return replace(made, row=replace(made.row, log=name, reason=made.row.reason.replace(made.row.log, name)))


def _sha256(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()
