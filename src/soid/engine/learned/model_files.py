"""Which reader reads which model file."""

from __future__ import annotations

from importlib import import_module
from typing import Final, Protocol, cast

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

_ENDINGS: Final = (".json", ".ubj", ".txt", ".skops", ".onnx", ".pkl", ".pickle", ".joblib", ".model", ".lgb", ".cbm")


def _reader(name: str) -> Reader:
    return cast(Reader, import_module(f"soid.engine.learned.readers.{name}"))


def recognises(ending: str, head: bytes) -> bool:
    """Whether a file may be a model, by the ending of its name and how it begins."""
    return ending in _ENDINGS and any(_reader(name).recognises(head) for name in READERS)


def read(content: bytes) -> LearnedModel:
    """The model in a file; only to be called in a jail."""
    for name in READERS:
        reader = _reader(name)
        if reader.recognises(content[:4096]):
            return reader.read(content)
    raise ProgramError(
        "the file is no model that soid reads", "Save it as its library does: save_model, skops.io.dump."
    )
