"""A model in onnxruntime: a table of features and a result for each row; or a network, which is given row by row."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any, Final, final

import numpy as np
import onnxruntime
from onnxruntime.capi.onnxruntime_pybind11_state import Fail, InvalidArgument

from soid.engine.learned.libraries.model_file import Batch, CannotRun, ModelFile, Row, by_class, coded, labelled
from soid.engine.learned.readers.onnx.inlined_constants import inlined

VERSION: Final[str] = onnxruntime.__version__
_FATAL: Final = 4  # how severe it must be to be printed
_NUMBERS: Final[dict[str, Any]] = {
    "tensor(float)": np.float32, "tensor(double)": np.float64, "tensor(int64)": np.int64, "tensor(int32)": np.int32,
    "tensor(bool)": np.bool_,
}  # fmt: skip
_FLOATS: Final = ("tensor(float)", "tensor(double)", "seq(map")  # how their types begin
_LABELS: Final = ("tensor(int64)", "tensor(string)")


@final
class OnnxLibraryModel:
    """One graph."""

    rejects = (InvalidArgument, Fail)

    def __init__(self, file: ModelFile) -> None:
        self._file = file
        options = onnxruntime.SessionOptions()
        options.intra_op_num_threads = options.inter_op_num_threads = 1
        options.log_severity_level = _FATAL
        # a confined process opens no files, and onnxruntime infers no shapes from constants that it is given apart
        content = inlined(file.content, file.beside) if file.beside else file.content
        self._session = onnxruntime.InferenceSession(content, options, providers=["CPUExecutionProvider"])
        self._is_network = file.settings.get("graph") == "network"
        self._widths = [] if self._is_network else _widths(self._session.get_inputs(), len(file.features))

    def predict(self, rows: Sequence[Row]) -> Batch:
        return self._network_results(rows) if self._is_network else self._results(rows)

    def _network_results(self, rows: Sequence[Row]) -> Batch:
        """All numbers of all outputs, and the classes that the graph chooses."""
        numbers: list[list[float]] = []
        chosen: list[list[int]] = []
        for row in coded(rows, self._file.features):
            found = [np.ravel(each) for each in self._session.run(None, self._tensors(row))]
            numbers.append([float(each) for one in found if one.dtype.kind == "f" for each in one])
            chosen.append([self._index(each) for one in found if one.dtype.kind in "iOU" for each in one])
        names, choices = self._file.outputs, self._file.settings.get("choices", "").split()
        if any(len(each) != len(names) for each in numbers):
            raise CannotRun(f"its graph gives {len(numbers[0])} numbers, and the file has {len(names)}")
        classes, count = self._file.classes, 1 if self._file.classes else len(choices)
        if any(len(each) != count for each in chosen) or (classes and any(e[0] >= len(classes) for e in chosen)):
            raise CannotRun("its graph chooses other classes than the file")
        columns = {name: np.array(column) for name, *column in zip(names, *numbers, strict=True)}
        if classes:
            return Batch([classes[each[0]] for each in chosen], columns)
        return Batch(None, columns | {name: np.array(column) for name, *column in zip(choices, *chosen, strict=True)})

    def _index(self, given: Any) -> int:
        """The place of a class, of which the graph gives the place or the label."""
        if "labels" not in self._file.settings:
            return int(given)
        if str(given) not in self._file.classes:
            raise CannotRun("its graph chooses other classes than the file")
        return self._file.classes.index(str(given))

    def _tensors(self, row: Any) -> dict[str, Any]:
        """One row as the inputs of a network; a size that is open is that of a batch."""
        given, begin = {}, 0
        for each in self._session.get_inputs():
            shape = [size if isinstance(size, int) and size > 0 else 1 for size in each.shape]
            count = math.prod(shape)
            if each.type not in _NUMBERS or begin + count > len(row):
                raise CannotRun(f"its input {each.name} is a {each.type} of {count} elements")
            given[each.name] = _as(row[begin : begin + count], _NUMBERS[each.type]).reshape(shape)
            begin += count
        return given

    def _results(self, rows: Sequence[Row]) -> Batch:
        # a graph may be made for one row at a time
        single = any(isinstance(size, int) for each in self._session.get_inputs() for size in each.shape[:1])
        groups = [[row] for row in rows] if single else [rows]
        runs = [self._session.run(None, self._inputs(group)) for group in groups]
        labels: list[str] | None = None
        found = None
        for number, output in enumerate(self._session.get_outputs()):
            if output.type in _LABELS and labels is None and self._file.classes:
                labels = [str(each) for run in runs for each in np.ravel(run[number])]
            elif output.type.startswith(_FLOATS) and found is None:
                found = np.concatenate([_columns(run[number], self._file.classes) for run in runs])
        if found is None:
            raise CannotRun("its graph gives no number")
        if not self._file.classes:
            return Batch(None, {"value": np.ravel(found)})
        is_share = any(name.startswith("probability") for name in self._file.outputs)
        return Batch(labels, by_class("probability" if is_share else "score", self._file.classes, found))

    def _inputs(self, rows: Sequence[Row]) -> dict[str, Any]:
        given, begin = {}, 0
        for each, width in zip(self._session.get_inputs(), self._widths, strict=True):
            columns = slice(begin, begin + width)
            features = self._file.features[columns]
            part = [row[columns] for row in rows]
            if each.type == "tensor(string)":
                texts = [[labelled(cell, features[index]) or "" for index, cell in enumerate(row)] for row in part]
                cells: Any = np.array(texts, object)
            elif each.type in _NUMBERS:
                cells = _as(coded(part, features), _NUMBERS[each.type])
            else:
                raise CannotRun(f"its input {each.name} is a {each.type}")
            given[each.name] = cells if len(each.shape) > 1 else np.ravel(cells)
            begin += width
        return given


def _widths(inputs: Sequence[Any], features: int) -> list[int]:
    """How many features each input has."""
    widths = [each.shape[1] if len(each.shape) > 1 else 1 for each in inputs]
    open_ones = [index for index, width in enumerate(widths) if not isinstance(width, int)]
    if len(open_ones) == 1:
        others = sum(width for width in widths if isinstance(width, int))
        widths[open_ones[0]] = features - others
        open_ones = []
    if open_ones or sum(widths) != features:
        raise CannotRun(f"its graph has inputs of {widths} columns, and the file {features} features")
    return widths


def _as(cells: Any, kind: Any) -> Any:
    """Numbers as a graph's input has them: floats are rounded, as an application does; whole numbers must be whole."""
    with np.errstate(over="ignore", invalid="ignore"):
        cast = cells.astype(kind)
    if np.issubdtype(kind, np.floating) or np.array_equal(cast.astype(np.float64), cells):
        return cast
    raise CannotRun(f"its input takes whole numbers, as {np.dtype(kind).name}")


def _columns(output: Any, classes: Sequence[str]) -> Any:
    """A number of each class: in columns, or by name."""
    if not isinstance(output, list):
        return np.ravel(output) if output.ndim == 2 and output.shape[1] == 1 else output
    named = [{str(key): value for key, value in row.items()} for row in output]
    if any(set(row) != set(classes) for row in named):
        raise CannotRun("its graph names other classes than the file")
    return np.array([[row[each] for each in classes] for row in named], np.float32)
