"""Reads a model file in a jail, once: what came out is kept under a hash of its files and of soid's own code."""

from __future__ import annotations

import time
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from typing import Final, final

import msgspec
from msgspec import Struct

from soid.allowance import MORE_MEMORY, allowance, look
from soid.cache import cache_folder, digest, keep, kept
from soid.engine.code_version import this_soid
from soid.engine.learned.model import LearnedModel
from soid.engine.learned.reading_worker import FileRequest, NotRead, Read, Reply, Wanted
from soid.errors import LimitError, MemoryLimitError, ProgramError
from soid.visible_text import visible
from soid.workers.worker_process import WorkerProcess, heard

_MOST: Final = 1 << 30  # bytes of a file
_MOST_FILES: Final = 100  # beside a model
_PACKAGES: Final = ("numpy",)  # that readers import
_PAUSE: Final = 0.2  # seconds between two looks at the clock


@final
class ReadModel(Struct, frozen=True):
    """A model, and the files that it was read from."""

    model: LearnedModel
    content: bytes
    digest: str  # of all files
    beside: tuple[tuple[str, bytes], ...] = ()  # further files, by the names that the model has for them


def read_model(file: Path, *, folder: Path | None = None, unpickle: bool = False) -> ReadModel:
    """The model in a file; a ProgramError says why there is none. A pickle is opened only where that is allowed.

    Files beside it, if it has parts in them, are read as far as they lie in the folder; without one, in its own.
    """
    content = _content(file)
    if unpickle:
        content = _unpickled(content)
    found = _kept_reply(FileRequest(content), file.name)
    if isinstance(found, Read):
        return ReadModel(found.model, content, digest(content))
    if len(found.names) > _MOST_FILES:
        raise LimitError(f"{file.name} has parts in more than {_MOST_FILES} files", "Export the model as one file.")
    beside = {name: _content(_beside(file, folder or file.parent, name)) for name in found.names}
    found = _kept_reply(FileRequest(content, beside), file.name)
    assert isinstance(found, Read)
    return ReadModel(found.model, content, digest(content, *_parts(beside)), tuple(beside.items()))


def _content(file: Path) -> bytes:
    try:
        if file.stat().st_size > _MOST:
            raise LimitError(f"{file.name} is larger than {_MOST >> 30} GB", "Give a smaller model.")
        return file.read_bytes()
    except OSError as error:
        raise ProgramError(f"{file} cannot be read: {error.strerror or error}", "Name the model's file.") from error


def _beside(file: Path, folder: Path, name: str) -> Path:
    """A file that a model names, if it lies in the project: the model may come from a stranger."""
    try:
        place = (file.parent / name).resolve()
        inside = place.is_relative_to(folder.resolve()) and not Path(name).is_absolute() and "\\" not in name
        is_file = place.is_file()
    except (OSError, RuntimeError, ValueError):  # a name that is too long, a circle of links, a character that is none
        inside = is_file = False
    if not inside:
        raise ProgramError(
            f"{file.name} has a part in {visible(name)[:80]!r}, which is not in the project's folder",
            "Put it into the folder, and export the model with its name.",
        )
    if not is_file:
        raise ProgramError(
            f"{file.name} has a part in {visible(name)[:80]!r}, and there is no such file", "Put it beside the model."
        )
    return place


def _parts(beside: Mapping[str, bytes]) -> list[str | bytes]:
    return [part for pair in beside.items() for part in pair]


def _kept_reply(request: FileRequest, name: str) -> Read | Wanted:
    """What the worker says, which is kept."""
    place = cache_folder() / "models" / digest(request.content, *_parts(request.files or {}), this_soid())
    if (known := kept(place)) is not None:
        with suppress(msgspec.DecodeError):  # a file that was damaged is read anew
            return msgspec.json.decode(known, type=Read | Wanted)
    found = _read_jailed(request, name)
    keep(place, msgspec.json.encode(found))
    return found


def _unpickled(content: bytes) -> bytes:
    """The skops file that a pickle becomes in the jail; kept, for its library takes seconds to start."""
    from soid.engine.learned.library_process import converted_pickle

    place = cache_folder() / "models" / f"{digest(content, this_soid())}.skops"
    made = kept(place)
    if made is None:
        made = converted_pickle(content)
        keep(place, made)
    return made


def _read_jailed(request: FileRequest, name: str) -> Read | Wanted:
    doing = f"reading {name}"
    worker = WorkerProcess[Reply](
        "soid.engine.learned.reading_worker", [], Reply, memory=allowance().memory or 0, packages=_PACKAGES
    )
    try:
        worker.send(request)
        while True:
            look(doing)
            if not heard([worker], time.monotonic() + _PAUSE):
                continue
            for reply in worker.take():
                match reply:
                    case Read() | Wanted():
                        return reply
                    case NotRead(cause, remedy):
                        raise ProgramError(f"{name}: {cause}", remedy)
            if worker.has_ended:
                raise MemoryLimitError(f"{doing} needed more than it may take ({worker.ending()})", MORE_MEMORY)
    finally:
        worker.end()
