"""A learned model in its real library, in a jailed process that stays for the next row: starting one takes seconds.

A library may crash, hang or fill memory for a file that is made for it. Then there is no replay, but a reason.
"""

from __future__ import annotations

import importlib.util
import threading
import time
from collections.abc import Sequence
from typing import Final, final

from msgspec import Struct

from soid.allowance import allowance, look
from soid.engine.learned.library_worker import (
    LIBRARIES,
    ConvertReply,
    ConvertRequest,
    FailedReply,
    LoadReply,
    LoadRequest,
    PredictReply,
    PredictRequest,
    Reply,
    Request,
    RowReply,
    StartRequest,
    bits_of,
    number_of,
)
from soid.engine.learned.model import LearnedModel
from soid.engine.replay import NotAvailable
from soid.errors import EnvironmentalError, ProgramError
from soid.jail.launcher import layers
from soid.jail.python_cell import library_cell
from soid.workers.worker_process import WorkerProcess, heard

_MODULE: Final = "soid.engine.learned.library_worker"
#: by library: the extra of soid that brings it, where it has another name
_EXTRAS: Final = {"onnxruntime": "onnx"}
_NO_JAIL: Final = "this machine cannot confine it, and it may not run unconfined"
#: a process that was taken over may say anything
_SOMETHING_ELSE: Final = NotAvailable("its process answered something else than was asked")
_TOLD: Final = 400  # characters of what it says
_SAVE_AS_SKOPS: Final = "Save the model where it was trained: skops.io.dump(model, 'model.skops')."
_UNVERSIONED: Final = frozenset({"onnxruntime"})  # other programs write its files


@final
class LibraryLimits(Struct, frozen=True):
    """What a library may cost."""

    start: float = 60.0  # seconds until it is imported and has loaded the model
    seconds: float = 10.0  # for rows
    memory: int = 4 << 30  # bytes of address space


@final
class Prediction(Struct, frozen=True):
    """What a library says of a row."""

    label: str | None
    numbers: dict[str, float]
    rejected: str = ""  # the error with which the library rejects the row; then there is nothing else


@final
class LibraryProcess:
    """The process of one library."""

    def __init__(self, library: str, limits: LibraryLimits, *, unconfined: bool = False) -> None:
        self.library = library
        self._limits = limits
        self._unconfined = unconfined
        self._worker: WorkerProcess[Reply] | None = None

    @property
    def is_alive(self) -> bool:
        return self._worker is not None and self._worker.is_alive

    @property
    def obstacle(self) -> str:
        """Why there can be no such process here; empty where there can."""
        missing = [name for name in LIBRARIES[self.library][2] if importlib.util.find_spec(name) is None]
        if missing:
            extra = _EXTRAS.get(self.library, self.library)
            return f"{missing[0]} is not installed: pip install 'soid[{extra}]'"
        return "" if layers().locks_files or self._unconfined else _NO_JAIL

    def begin(self, request: Request) -> Reply | NotAvailable:
        """Start a process, and ask it."""
        self.close()
        most = min(each for each in (self._limits.memory, allowance().memory) if each is not None)
        packages = LIBRARIES[self.library][2] if layers().locks_files else None
        try:
            self._worker = WorkerProcess(
                _MODULE, [self.library], Reply, memory=most, packages=packages, cell=library_cell
            )
        except (OSError, EnvironmentalError) as error:
            return NotAvailable(f"{self.library} cannot be started: {error}")
        return self.ask(request, self._limits.start)

    def ask(self, request: Request, seconds: float) -> Reply | NotAvailable:
        """Ask the process that was started; one that fails is ended."""
        worker = self._worker
        assert worker is not None
        left = allowance().deadline.seconds_left
        seconds = seconds if left is None else min(left, seconds)
        with allowance().stopping(worker.kill):
            worker.send(request)
            heard([worker], time.monotonic() + seconds)
        for reply in worker.take():
            return reply
        ending = worker.ending() if worker.has_ended else ""
        self.close()
        look(f"running the model in {self.library}")
        if ending:
            return NotAvailable(f"the process of {self.library} ended: {ending}")
        return NotAvailable(f"{self.library} was still running after {seconds:.3g} seconds")

    def close(self) -> None:
        """End the process."""
        if self._worker is not None:
            self._worker.end()
            self._worker = None


@final
class LibraryRun:
    """Runs one model in its library."""

    def __init__(
        self,
        model: LearnedModel,
        content: bytes,
        *,
        unconfined: bool = False,
        limits: LibraryLimits | None = None,
        beside: tuple[tuple[str, bytes], ...] = (),
    ) -> None:
        """`content` is the model's file, `beside` are further ones that belong to it.

        `unconfined`: it may run even where this machine cannot confine it.
        """
        self._model = model
        self._content = content
        self._beside = beside
        self._limits = limits or LibraryLimits()
        self._process = LibraryProcess(model.library, self._limits, unconfined=unconfined)
        self._refusal: NotAvailable | None = None
        self._lock = threading.Lock()
        self.version = ""  # of the library, once it has run

    @property
    def how(self) -> str:
        """How it runs, in words."""
        return f"by running the model in {self._model.library} {self.version}".rstrip()

    @property
    def version_difference(self) -> str:
        """In words, if the file was written by another version than the one that runs it."""
        written, runs = self._model.version.removeprefix("v").split("."), self.version.split(".")
        same = all(one == other for one, other in zip(written, runs, strict=False))
        if same or not self.version or not self._model.version or self._model.library in _UNVERSIONED:
            return ""
        return f"the file was written by {self._model.library} {self._model.version}, and {self.version} runs it"

    def predict(self, rows: Sequence[Sequence[float | str | None]]) -> list[Prediction] | NotAvailable:
        """What the library says of rows, given at once: numbers or codes, labels of categories, None where missing."""
        assert all(len(row) == len(self._model.features) for row in rows)
        if not rows:
            return []
        sent = [[bits_of(cell) if isinstance(cell, float | int) else cell for cell in row] for row in rows]
        with self._lock:
            not_loaded = self._load()
            if not_loaded is not None:
                return not_loaded
            reply = self._process.ask(PredictRequest(sent), self._limits.seconds)
        match reply:
            case PredictReply(found) if len(found) == len(rows):
                return _predictions(found)
            case FailedReply(reason):
                return NotAvailable(reason[:_TOLD])
            case NotAvailable():
                return reply
            case _:
                return _SOMETHING_ELSE

    def _load(self) -> NotAvailable | None:
        """Start the process, unless it runs; why there is none, if so."""
        if self._process.is_alive or self._refusal is not None:
            return self._refusal
        if self._process.obstacle:
            self._refusal = NotAvailable(self._process.obstacle)
            return self._refusal
        model = self._model
        request = LoadRequest(
            self._content,
            model.features,
            model.label.classes if model.label is not None else (),
            tuple(each.name for each in model.outputs),
            model.settings,
            self._beside,
        )
        reply = self._process.begin(request)
        match reply:
            case LoadReply(version):
                self.version = version
                return None
            case FailedReply(reason):
                self._process.close()
                self._refusal = NotAvailable(f"{model.library} does not load it: {reason[:_TOLD]}")
                return self._refusal
            case NotAvailable():
                return reply
            case _:
                self._process.close()
                return _SOMETHING_ELSE

    def close(self) -> None:
        """End the process; the next row starts another one."""
        with self._lock:
            self._process.close()


def _predictions(rows: Sequence[RowReply]) -> list[Prediction] | NotAvailable:
    try:
        numbers = [{name: number_of(bits) for name, bits in row.numbers.items()} for row in rows]
    except OverflowError:  # these are no bits of a float
        return _SOMETHING_ELSE
    return [Prediction(row.label, own, row.rejected) for row, own in zip(rows, numbers, strict=True)]


def started_version(library: str, limits: LibraryLimits | None = None) -> str | NotAvailable:
    """The version of a library that starts in the jail; or why it does not."""
    process = LibraryProcess(library, limits or LibraryLimits())
    if process.obstacle:
        return NotAvailable(process.obstacle)
    try:
        reply = process.begin(StartRequest())
    finally:
        process.close()
    match reply:
        case LoadReply(version):
            return version
        case FailedReply(reason):
            return NotAvailable(f"it does not start: {reason[:_TOLD]}")
        case NotAvailable():
            return reply
        case _:
            return _SOMETHING_ELSE


def converted_pickle(content: bytes, limits: LibraryLimits | None = None) -> bytes:
    """A pickle or joblib file as a skops file. It is opened in the jail only: a pickle is a program."""
    limits = limits or LibraryLimits()
    process = LibraryProcess("sklearn", limits)
    if process.obstacle:
        raise EnvironmentalError(f"a pickle is opened only in the jail: {process.obstacle}", _SAVE_AS_SKOPS)
    try:
        reply = process.begin(ConvertRequest(content))
    finally:
        process.close()
    match reply:
        case ConvertReply(made):
            return made
        case FailedReply(reason) | NotAvailable(reason):
            raise ProgramError(f"the pickle cannot be opened: {reason[:_TOLD]}", _SAVE_AS_SKOPS)
        case _:
            raise ProgramError(f"the pickle cannot be opened: {_SOMETHING_ELSE.reason}", _SAVE_AS_SKOPS)
