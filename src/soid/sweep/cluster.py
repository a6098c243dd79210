"""A sweep on many machines, by Dask: its scheduler gives chunks of moments to whichever worker is free.

What a chunk is about travels by the hash of its content: the project, and the logs that the chunk has moments of. Dask
brings each to a worker once, however many chunks it answers. If a worker is lost, another one gets its chunk. A chunk
that several have been lost over is tried alone in the end, and cut in two until the row that does it is found, which
is a row that says so.
"""

from __future__ import annotations

import asyncio
import threading
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager, suppress
from queue import SimpleQueue
from typing import TYPE_CHECKING, Final, Protocol, final
from uuid import uuid4

from msgspec import Struct
from msgspec.json import decode, encode

from soid.budget import Cancellation
from soid.errors import EnvironmentalError, InputError
from soid.release import version
from soid.sweep.answered_chunk import AnsweredRow, Chunk
from soid.sweep.sweep_row import SweepRow
from soid.sweep.sweep_run import Answering

if TYPE_CHECKING:
    from distributed import Client, Future

_CONNECTING: Final = 10.0  # seconds
#: chunks that are given out at once: for each thread of a worker, and at least, so that clusters that grow do so
_AHEAD: Final = 3
_LEAST: Final = 32
_LOOKING: Final = 0.5  # seconds until a task knows that its result is not wanted any more
_INSTALL: Final = "Install it with: pip install 'soid[cluster]'"
_GO_ON: Final = "With --to FILE the rows are kept: --resume goes on there."


@final
class TravellingChunk(Struct, frozen=True):
    """A chunk, as a worker is told of it."""

    chunk: Chunk
    project: str  # the hash of its document
    logs: dict[str, str]  # by their names in the chunk, the hashes of their contents


@final
class ChunkAnswered(Struct, frozen=True, tag="answered"):
    """What a worker returns."""

    rows: list[AnsweredRow]


@final
class ChunkRefused(Struct, frozen=True, tag="refused"):
    """A worker cannot answer any chunk of this sweep."""

    machine: str
    cause: str
    remedy: str


ChunkResult = ChunkAnswered | ChunkRefused

#: what a worker runs: the document of a TravellingChunk, contents by their hashes, and the task's name become the
#: document of a ChunkResult
ChunkTask = Callable[[bytes, Mapping[str, bytes], str], bytes]


class Luggage(Protocol):
    """What travels to the workers, by the hashes of the contents."""

    @property
    def project(self) -> str: ...
    def log(self, name: str, /) -> str: ...
    def files(self, told: TravellingChunk, /) -> Mapping[str, Callable[[], bytes]]: ...


@contextmanager
def connected(scheduler: str) -> Iterator[Client]:
    """A client of the scheduler at an address. For `tls://` Dask's own configuration names the certificates."""
    try:
        from distributed import Client, Security, connect
    except ImportError as missing:
        raise EnvironmentalError(f"Dask is not installed ({missing.name})", _INSTALL) from missing

    async def reach() -> None:
        comm = await connect(scheduler, timeout=_CONNECTING, **Security().get_connection_args("client"))
        comm.abort()

    try:
        asyncio.run(reach())  # a Client that cannot connect reports it twice
        client = Client(scheduler, timeout=_CONNECTING, set_as_default=False)
    except (ValueError, TypeError) as error:
        remedy = "Give what `dask scheduler` prints, tcp://host:8786; tls:// needs certificates in Dask's settings."
        raise InputError(f"{scheduler} is no scheduler to connect to: {error}", remedy) from error
    except OSError as error:
        remedy = (
            "Start it with: dask scheduler. Then, on each machine: dask worker ADDRESS --nthreads 1 --nworkers auto."
        )
        raise EnvironmentalError(f"no scheduler answers at {scheduler}: {error}", remedy) from error
    with client:
        yield client


def threads_of(client: Client) -> int:
    """How many chunks the workers that are there answer at once; 0: none is there yet."""
    if getattr(client, "asynchronous", None) is not False:
        raise InputError(f"{client!r} cannot be used here", "Give a distributed.Client that is not asynchronous.")
    try:
        return sum(client.nthreads().values())
    except (OSError, ValueError) as error:
        raise EnvironmentalError(f"the cluster's scheduler is gone: {error}", _GO_ON) from error


def on_cluster(client: Client, task: ChunkTask, luggage: Luggage) -> Answering:
    """Answers chunks on the workers of a cluster."""

    def answering(chunks: Iterable[Chunk], cancel: Cancellation) -> Iterator[AnsweredRow]:
        work = _ClusterWork(client, task, luggage, deque(chunks))
        try:
            with cancel.calling(lambda: work.finished.put(None)):
                while work.give_out() and (future := work.finished.get()) is not None:
                    yield from work.taken(future)
        finally:
            work.call_off()

    return answering


@final
class _GivenChunk(Struct):
    """A chunk that is with the scheduler."""

    chunk: Chunk
    future: Future
    files: dict[str, Future]
    alone: bool  # nothing else is there meanwhile: if a worker is lost, this chunk did it


@final
class _ClusterWork:
    """The chunks that wait, and those that are with the scheduler."""

    def __init__(self, client: Client, task: ChunkTask, luggage: Luggage, waiting: deque[Chunk]) -> None:
        self._client, self._task, self._luggage, self._waiting = client, task, luggage, waiting
        self._suspects: deque[Chunk] = deque()  # workers were lost over them: each is tried alone, in the end
        self._given: dict[str, _GivenChunk] = {}  # by the task's name
        self.finished: SimpleQueue[Future | None] = SimpleQueue()  # None: the sweep is called off

    def give_out(self) -> bool:
        """Give chunks to the scheduler, as many as it has use for; whether there is anything to wait for."""
        most = max(_LEAST, _AHEAD * threads_of(self._client)) if self._waiting else 0
        while self._waiting and len(self._given) < most:
            self._give(self._waiting.popleft())
        if self._suspects and not self._given:
            self._give(self._suspects.popleft(), alone=True)
        return bool(self._given)

    def _give(self, chunk: Chunk, *, alone: bool = False) -> None:
        logs = {log: self._luggage.log(log) for log in dict.fromkeys(log for log, _ in chunk.moments)}
        told = TravellingChunk(chunk, self._luggage.project, logs)
        files = {sha256: self._held(sha256, read) for sha256, read in self._luggage.files(told).items()}
        name = f"soid-chunk-{uuid4().hex}"
        future = self._client.submit(self._task, encode(told), files, name, key=name, pure=False)
        self._given[name] = _GivenChunk(chunk, future, files, alone)
        future.add_done_callback(self.finished.put)

    def _held(self, sha256: str, read: Callable[[], bytes]) -> Future:
        """A content that workers get once, each from the scheduler or from another worker."""
        for each in self._given.values():
            if sha256 in each.files:
                return each.files[sha256]
        import dask

        # no `scatter`: what was scattered is gone with the worker that it was on, but a task is run again
        with dask.config.set({"distributed.admin.large-graph-warning-threshold": "1TiB"}):
            return self._client.submit(bytes, read(), key=f"soid-content-{sha256}")

    def taken(self, future: Future) -> Iterator[AnsweredRow]:
        """The rows of a chunk."""
        from distributed import KilledWorker

        given = self._given.pop(future.key)
        if future.status == "cancelled":
            raise EnvironmentalError("the cluster has dropped the work: its scheduler has ended, or forgot it", _GO_ON)
        failure = future.exception() if future.status == "error" else None
        if isinstance(failure, KilledWorker):
            yield from self._lost(given)
        elif failure is not None:
            problem = f"a worker of the cluster could not begin: {type(failure).__name__}: {failure}"
            raise EnvironmentalError(problem, f"Install soid {version()} on each of its machines.") from failure
        else:
            result: ChunkResult = decode(future.result(), type=ChunkResult)
            if isinstance(result, ChunkRefused):
                raise EnvironmentalError(f"{result.machine}: {result.cause}", result.remedy)
            yield from result.rows

    def _lost(self, given: _GivenChunk) -> Iterator[AnsweredRow]:
        """Several workers were lost while they had this chunk, perhaps over another one that they had too."""
        chunk = given.chunk
        if given.alone and chunk.size == 1:
            ((log, step),), (question,) = chunk.moments, chunk.questions
            why = EnvironmentalError("each worker of the cluster that was to answer it was lost")
            yield AnsweredRow(SweepRow.failed(log, step, question, why, 0.0))
        else:
            self._suspects.extendleft(chunk.halves if given.alone else [chunk])

    def call_off(self) -> None:
        """Dask forgets what has not begun; a task that runs sees that its result is not wanted any more."""
        with suppress(OSError, ValueError):  # the scheduler is gone, and the work with it
            self._client.cancel([each.future for each in self._given.values()])


@contextmanager
def awaited(task: str) -> Iterator[Cancellation]:
    """Inside a task: set when its result is not wanted any more. Dask stops nothing that runs."""
    from distributed import get_worker

    worker, cancel, done = get_worker(), Cancellation(), threading.Event()

    def look() -> None:
        while not done.wait(_LOOKING):
            known = worker.state.tasks.get(task)
            if known is None or known.state == "cancelled":
                cancel.cancel()

    watching = threading.Thread(target=look, name="awaited", daemon=True)
    watching.start()
    try:
        yield cancel
    finally:
        done.set()
        watching.join()
