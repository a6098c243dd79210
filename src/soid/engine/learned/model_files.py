"""Which reader reads which model file."""

from __future__ import annotations

from collections.abc import Mapping
from importlib import import_module
from typing import Any, Final, Protocol, cast

from soid.engine.learned.model import LearnedModel
from soid.errors import ProgramError


class Reader(Protocol):
    """A module of `readers`."""

    def recognises(self, head: bytes) -> bool:
        """Whether it reads a file that begins so."""

    def read(self, content: bytes) -> LearnedModel:
        """The model; a ProgramError says why there is none."""


#: in the order in which they are tried
READERS: Final = ("xgboost_file", "lightgbm_text", "catboost_json", "skops", "onnx", "pickle_file")

_ONNX: Final = "onnx"
_ENDINGS: Final = (".json", ".ubj", ".txt", ".skops", ".onnx", ".pkl", ".pickle", ".joblib", ".model", ".lgb", ".cbm")


def _reader(name: str) -> Reader:
    return cast(Reader, import_module(f"soid.engine.learned.readers.{name}"))


def recognises(ending: str, head: bytes) -> bool:
    """Whether a file may be a model, by the ending of its name and how it begins."""
    return ending in _ENDINGS and any(_reader(name).recognises(head) for name in READERS)


def files_beside(content: bytes) -> tuple[str, ...]:
    """Further files that hold a part of the model, by their names from its folder; only to be called in a jail."""
    return _onnx().files_beside(content) if _reader_of(content) == _ONNX else ()


def read(content: bytes, files: Mapping[str, bytes] | None = None) -> LearnedModel:
    """The model in a file, and in those beside it; only to be called in a jail."""
    name = _reader_of(content)
    return _onnx().read(content, files) if name == _ONNX else _reader(name).read(content)


def _onnx() -> Any:
    return import_module("soid.engine.learned.readers.onnx")


def _reader_of(content: bytes) -> str:
    for name in READERS:
        if _reader(name).recognises(content[:4096]):
            return name
    raise ProgramError(
        "the file is no model that soid reads", "Save it as its library does: save_model, skops.io.dump."
    )
