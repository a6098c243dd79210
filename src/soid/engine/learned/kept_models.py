"""Reads a model file in a jail, once: what came out is kept under a hash of the file and of soid's own code."""

from __future__ import annotations

import time
from contextlib import suppress
from pathlib import Path
from typing import Final, final

import msgspec
from msgspec import Struct

from soid.allowance import MORE_MEMORY, allowance, look
from soid.cache import cache_folder, digest, keep, kept
from soid.engine.code_version import this_soid
from soid.engine.learned.model import LearnedModel
from soid.engine.learned.reading_worker import FileRequest, NotRead, Read, Reply
from soid.errors import LimitError, MemoryLimitError, ProgramError
from soid.workers.worker_process import WorkerProcess, heard

_MOST: Final = 1 << 30  # bytes of a file
_PACKAGES: Final = ("numpy",)  # that readers import
_PAUSE: Final = 0.2  # seconds between two looks at the clock


@final
class ReadModel(Struct, frozen=True):
    """A model, and the file that it was read from."""

    model: LearnedModel
    content: bytes
    digest: str  # of the content


def read_model(file: Path, *, unpickle: bool = False) -> ReadModel:
    """The model in a file; a ProgramError says why there is none. A pickle is opened only where that is allowed."""
    try:
        if file.stat().st_size > _MOST:
            raise LimitError(f"{file.name} is larger than {_MOST >> 30} GB", "Give a smaller model.")
        content = file.read_bytes()
    except OSError as error:
        raise ProgramError(f"{file} cannot be read: {error.strerror or error}", "Name the model's file.") from error
    if unpickle:
        content = _unpickled(content)
    name = digest(content, this_soid())
    place = cache_folder() / "models" / name
    if (known := kept(place)) is not None:
        with suppress(msgspec.DecodeError):  # a file that was damaged is read anew
            return ReadModel(msgspec.json.decode(known, type=LearnedModel), content, digest(content))
    model = _read_jailed(content, file.name)
    keep(place, msgspec.json.encode(model))
    return ReadModel(model, content, digest(content))


def _unpickled(content: bytes) -> bytes:
    """The skops file that a pickle becomes in the jail; kept, for its library takes seconds to start."""
    from soid.engine.learned.library_process import converted_pickle

    place = cache_folder() / "models" / f"{digest(content, this_soid())}.skops"
    made = kept(place)
    if made is None:
        made = converted_pickle(content)
        keep(place, made)
    return made


def _read_jailed(content: bytes, name: str) -> LearnedModel:
    doing = f"reading {name}"
    worker = WorkerProcess[Reply](
        "soid.engine.learned.reading_worker", [], Reply, memory=allowance().memory or 0, packages=_PACKAGES
    )
    try:
        worker.send(FileRequest(content))
        while True:
            look(doing)
            if not heard([worker], time.monotonic() + _PAUSE):
                continue
            for reply in worker.take():
                match reply:
                    case Read(model):
                        return model
                    case NotRead(cause, remedy):
                        raise ProgramError(f"{name}: {cause}", remedy)
            if worker.has_ended:
                raise MemoryLimitError(f"{doing} needed more than it may take ({worker.ending()})", MORE_MEMORY)
    finally:
        worker.end()
