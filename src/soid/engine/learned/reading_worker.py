"""The worker of `kept_models.py`: reads one model file after the other, in a jail."""

from __future__ import annotations

from typing import final

from msgspec import Struct

from soid.engine.learned import model_files
from soid.engine.learned.model import LearnedModel
from soid.errors import ProgramError
from soid.workers.worker_main import WorkerPort


@final
class FileRequest(Struct, frozen=True):
    """A message to the worker."""

    content: bytes


@final
class Read(Struct, frozen=True, tag="read"):
    """The file has a model."""

    model: LearnedModel


@final
class NotRead(Struct, frozen=True, tag="not read"):
    """The file has none that is modelled."""

    cause: str
    remedy: str


Reply = Read | NotRead


def serve(port: WorkerPort) -> None:
    port.ready()
    while (message := port.receive(FileRequest)) is not None:
        port.send(_reply(message.content))


def _reply(content: bytes) -> Reply:
    try:
        return Read(model_files.read(content))
    except ProgramError as error:
        return NotRead(error.cause, error.remedy)
    except MemoryError:
        return NotRead("the file needs more memory than a question may take", "Allow more: --memory.")
