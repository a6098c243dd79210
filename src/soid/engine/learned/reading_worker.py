"""The worker of `kept_models.py`: reads one model file after the other, in a jail."""

from __future__ import annotations

from typing import final

from msgspec import Struct

from soid.allowance import MORE_MEMORY
from soid.engine.learned import model_files
from soid.engine.learned.model import LearnedModel
from soid.errors import ProgramError
from soid.workers.worker_main import WorkerPort


@final
class FileRequest(Struct, frozen=True):
    """A message to the worker."""

    content: bytes
    files: dict[str, bytes] | None = None  # beside it, by the names that it has for them; None: not known yet


@final
class Read(Struct, frozen=True, tag="read"):
    """The file has a model."""

    model: LearnedModel


@final
class NotRead(Struct, frozen=True, tag="not read"):
    """The file has none that is modelled."""

    cause: str
    remedy: str


@final
class Wanted(Struct, frozen=True, tag="wanted"):
    """Parts of the model lie in files beside it."""

    names: tuple[str, ...]


Reply = Read | NotRead | Wanted


def serve(port: WorkerPort) -> None:
    port.ready()
    while (message := port.receive(FileRequest)) is not None:
        port.send(_reply(message))


def _reply(message: FileRequest) -> Reply:
    try:
        wanted = model_files.files_beside(message.content) if message.files is None else ()
        return Wanted(wanted) if wanted else Read(model_files.read(message.content, message.files))
    except ProgramError as error:
        return NotRead(error.cause, error.remedy)
    except MemoryError:
        return NotRead("the file needs more memory than a question may take", str(MORE_MEMORY))
