"""The worker that runs a learned model in its own library: it sees the library, and the model's bytes in a message.

It is jailed, as a library may do anything for a file that is made for it: a pickle by design, the others by mistakes.
"""

from __future__ import annotations

import importlib
import os
import re
import struct
import warnings
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Final, final

from msgspec import Struct

from soid.engine.learned.model import ModelFeature
from soid.engine.learned.real_query import RealQuery
from soid.workers.worker_main import WorkerPort

if TYPE_CHECKING:
    from soid.engine.learned.libraries.model_file import Batch, LibraryModel, Row

#: by library: the module that runs it, its class (of Marabou, which runs none, its function), and the packages
LIBRARIES: Final[dict[str, tuple[str, str, tuple[str, ...]]]] = {
    "xgboost": ("xgboost_model", "XgboostModel", ("xgboost",)),
    "lightgbm": ("lightgbm_model", "LightgbmModel", ("lightgbm",)),
    "catboost": ("catboost_model", "CatboostModel", ("catboost",)),
    "sklearn": ("sklearn_model", "SklearnModel", ("sklearn", "skops", "joblib", "threadpoolctl")),
    "onnxruntime": ("onnx_model", "OnnxLibraryModel", ("onnxruntime",)),
    "marabou": ("marabou_verifier", "verified", ("maraboupy",)),
}
_THREADS: Final = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "BLIS_NUM_THREADS")
_ERROR: Final = 400  # characters of an error that are told
_PLACE: Final = re.compile(r"^\[\d\d:\d\d:\d\d\] \S+:\d+: ")  # XGBoost says when, and where in its own files


@final
class LoadRequest(Struct, frozen=True, tag="load"):
    """Load a model."""

    content: bytes
    features: tuple[ModelFeature, ...]
    classes: tuple[str, ...]
    outputs: tuple[str, ...]
    settings: tuple[tuple[str, str], ...]
    beside: tuple[tuple[str, bytes], ...] = ()


@final
class PredictRequest(Struct, frozen=True, tag="predict"):
    """Run the model on rows. A number is sent as the bits of its float64: JSON has no NaN."""

    rows: list[list[int | str | None]]


@final
class ConvertRequest(Struct, frozen=True, tag="convert"):
    """Make a skops file of a pickle or joblib file."""

    content: bytes


@final
class StartRequest(Struct, frozen=True, tag="start"):
    """Import the library, and nothing else."""


@final
class VerifyRequest(Struct, frozen=True, tag="verify"):
    """Answer a question about real numbers."""

    query: RealQuery


Request = LoadRequest | PredictRequest | ConvertRequest | StartRequest | VerifyRequest


@final
class LoadReply(Struct, frozen=True, tag="loaded"):
    """The model is loaded, or the library alone."""

    version: str  # of the library


@final
class RowReply(Struct, frozen=True):
    """What the library gives for a row, or the error with which it rejects it."""

    label: str | None = None
    numbers: dict[str, int] = {}  # the bits of float64 numbers; a float32 is one of them
    rejected: str = ""


@final
class PredictReply(Struct, frozen=True, tag="predicted"):
    """One for each row."""

    rows: list[RowReply]


@final
class ConvertReply(Struct, frozen=True, tag="converted"):
    """The skops file."""

    content: bytes


@final
class VerifyReply(Struct, frozen=True, tag="verified"):
    """What the verifier says."""

    word: str  # sat, unsat, or why it is neither
    point: tuple[float, ...]  # of the box; empty unless it is sat


@final
class FailedReply(Struct, frozen=True, tag="failed"):
    """The library cannot do it, and why."""

    reason: str


Reply = LoadReply | PredictReply | ConvertReply | VerifyReply | FailedReply


def serve(port: WorkerPort, library: str) -> None:
    """Do what is asked with one library."""
    os.environ.update(dict.fromkeys(_THREADS, "1"))  # before the library is loaded
    warnings.simplefilter("ignore")  # they would go to a standard error that is not shown
    model: LibraryModel | None = None
    port.ready()
    while (request := port.receive(Request)) is not None:  # type: ignore[arg-type]
        try:
            match request:
                case LoadRequest():
                    model, version = _loaded(library, request)
                    port.send(LoadReply(version))
                case PredictRequest(rows):
                    assert model is not None
                    port.send(PredictReply(_predicted(model, [[_cell(cell) for cell in row] for row in rows])))
                case StartRequest():
                    port.send(LoadReply(_module(LIBRARIES[library][0]).VERSION))
                case VerifyRequest(query):
                    port.send(VerifyReply(*_called(library)(query)))
                case ConvertRequest(content):
                    port.send(ConvertReply(_module("pickle_conversion").converted(content)))
        except Exception as error:  # noqa: BLE001 each library has its own exceptions
            port.send(FailedReply(_told(error)))


def _module(name: str) -> Any:
    return importlib.import_module(f"soid.engine.learned.libraries.{name}")


def _loaded(library: str, request: LoadRequest) -> tuple[LibraryModel, str]:
    from soid.engine.learned.libraries.model_file import ModelFile

    file = ModelFile(
        library,
        request.content,
        request.features,
        request.classes,
        request.outputs,
        dict(request.settings),
        dict(request.beside),
    )
    model: LibraryModel = _called(library)(file)
    return model, _module(LIBRARIES[library][0]).VERSION


def _called(library: str) -> Any:
    module, name, _ = LIBRARIES[library]
    return getattr(_module(module), name)


def _predicted(model: LibraryModel, rows: Sequence[Row]) -> list[RowReply]:
    """The rows at once; if the library rejects them, one by one."""
    try:
        return _replies(model.predict(rows), len(rows))
    except model.rejects as error:
        if len(rows) == 1:
            return [RowReply(rejected=_told(error))]
        return [reply for row in rows for reply in _predicted(model, [row])]


def _replies(batch: Batch, count: int) -> list[RowReply]:
    labels: Sequence[str | None] = batch.labels or [None] * count
    columns = {name: [bits_of(float(each)) for each in numbers] for name, numbers in batch.numbers.items()}
    return [
        RowReply(label, {name: column[row] for name, column in columns.items()}) for row, label in enumerate(labels)
    ]


def _told(error: Exception) -> str:
    """An error in one line: its first one says what is wrong, those below where the library's code is."""
    from soid.engine.learned.libraries.model_file import CannotRun

    line = _PLACE.sub("", (str(error).strip().splitlines() or [""])[0])
    return line if isinstance(error, CannotRun) else f"{type(error).__name__}: {line}"[:_ERROR]


def _cell(sent: int | str | None) -> float | str | None:
    return number_of(sent) if isinstance(sent, int) else sent


def bits_of(number: float) -> int:
    """A number as it is sent."""
    return int.from_bytes(struct.pack("<d", number), "little")


def number_of(bits: int) -> float:
    """A number as it was sent."""
    (number,) = struct.unpack("<d", bits.to_bytes(8, "little"))
    return float(number)
