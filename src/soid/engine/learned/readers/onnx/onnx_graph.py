"""A graph, walked from its inputs to its outputs: operators that prepare columns, one model, what shows its result."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, Literal, final

from soid.engine.learned.model import LearnedModel, ModelRefused
from soid.engine.learned.readers.onnx import preparations as prepare
from soid.engine.learned.readers.onnx.class_numbers import ModelResult
from soid.engine.learned.readers.onnx.ensemble_scores import classifier, ensemble, regressor
from soid.engine.learned.readers.onnx.input_features import InputFeatures, ModelTable, PreparedColumns
from soid.engine.learned.readers.onnx.linear_scores import linear_classifier, linear_regressor
from soid.engine.learned.readers.onnx.node_attributes import NodeAttributes
from soid.engine.learned.readers.onnx.onnx_messages import OnnxModel, OnnxNode
from soid.engine.learned.readers.onnx.onnx_tensors import DOUBLE, FLOAT, INT32, INT64, STRING, TYPE_NAMES, OnnxTensor
from soid.engine.learned.readers.onnx.protobuf_wire import broken
from soid.engine.learned.readers.onnx.shown_results import (
    ShownLabel,
    ShownNumbers,
    normalized,
    not_modelled,
    shown,
)

ML: Final = "ai.onnx.ml"
_ARITHMETIC: Final[dict[str, Literal["add", "subtract", "multiply", "divide"]]] = {
    "Add": "add", "Sub": "subtract", "Mul": "multiply", "Div": "divide",
}  # fmt: skip
_MODELS: Final = (
    "TreeEnsembleClassifier", "TreeEnsembleRegressor", "TreeEnsemble", "LinearClassifier", "LinearRegressor",
)  # fmt: skip


GraphValue = PreparedColumns | OnnxTensor | ShownNumbers | ShownLabel


@final
class OnnxGraph:
    """Walks one graph."""

    def __init__(self, model: OnnxModel) -> None:
        self._model = model
        self._features = InputFeatures()
        self._values: dict[str, GraphValue] = dict(model.constants)
        self._learned: LearnedModel | None = None

    def learned(self) -> LearnedModel:
        given = [each for each in self._model.inputs if each.name not in self._model.constants]
        for each in given:
            if each.name in self._values:
                raise broken(f"two inputs are called {each.name}")
            self._values[each.name] = self._features.added(each, several=len(given) > 1)
        for node in needed(self._model):
            self._walk(node)
        for each in self._model.outputs:
            if not isinstance(self._values.get(each.name), ShownNumbers | ShownLabel):
                raise ModelRefused(f"The output {each.name} of the graph is not the result of a model.")
        if self._learned is None:
            raise ModelRefused("The graph has no model that is known: " + ", ".join(_MODELS) + ".")
        return self._learned

    def _walk(self, node: OnnxNode) -> None:
        given = []
        for name in node.inputs:
            if name and name not in self._values:
                raise broken(f"{node.name} uses {name}, which is not made before it")
            given.append(self._values[name] if name else None)
        if not node.outputs:
            raise broken(f"{node.name} has no result")
        for name in node.outputs:
            if name and name in self._values:
                raise broken(f"{name} is made twice")
        if node.domain == ML and node.operator in _MODELS:
            self._decide(node, given)
        elif any(isinstance(each, ShownNumbers | ShownLabel) for each in given):
            self._values[node.outputs[0]] = self._shown(node, given)
        elif node.domain == ML:
            self._values[node.outputs[0]] = self._prepared(node, given)
        elif node.domain in ("", "ai.onnx"):
            self._values[node.outputs[0]] = self._plain(node, given)
        else:
            raise not_modelled(node)

    def _prepared(self, node: OnnxNode, given: Sequence[GraphValue | None]) -> GraphValue:
        """Operators of ai.onnx.ml that prepare columns."""
        columns = [each for each in given if isinstance(each, PreparedColumns)]
        match node.operator, given:
            case "ArrayFeatureExtractor", [PreparedColumns() as one, OnnxTensor() as places]:
                return _selected(node, one, places)
            case "FeatureVectorizer", _ if len(columns) == len(given) > 0:
                return prepare.vectorized(node, columns)
            case "Scaler", [PreparedColumns() as one]:
                return prepare.scaled(node, one)
            case "Imputer", [PreparedColumns() as one]:
                return prepare.imputed(node, one)
            case "OneHotEncoder", [PreparedColumns() as one]:
                return prepare.one_hot(node, one, self._features)
            case "LabelEncoder", [PreparedColumns() as one]:
                return prepare.label_encoded(node, one, self._features)
            case _:
                raise not_modelled(node)

    def _plain(self, node: OnnxNode, given: Sequence[GraphValue | None]) -> GraphValue:
        """Operators of ONNX itself that prepare columns."""
        columns = [each for each in given if isinstance(each, PreparedColumns)]
        match node.operator, given:
            case "Constant", []:
                tensor = NodeAttributes(node, "value").tensor("value")
                if tensor is None:
                    raise broken("a Constant has no value")
                return tensor
            case "Identity", [PreparedColumns() as one]:
                return one
            case "Cast", [PreparedColumns() as one]:
                return prepare.cast(node, one)
            case "Concat", _ if len(columns) == len(given) > 0:
                return prepare.joined(node, columns)
            case "Gather", [PreparedColumns() as one, OnnxTensor() as places]:
                if NodeAttributes(node, "axis").integer("axis", 0) not in (1, -1) or len(places.shape) != 1:
                    raise ModelRefused(f"{node.name} of anything but a list of columns is not modelled.")
                return _selected(node, one, places)
            case "Reshape", [PreparedColumns() as one, OnnxTensor() as shape]:
                return _flat(node, one, shape)
            case (("Add" | "Mul"), [OnnxTensor() as by, PreparedColumns() as one]):
                return prepare.arithmetic(node, _ARITHMETIC[node.operator], one, by)
            case (("Add" | "Sub" | "Mul" | "Div"), [PreparedColumns() as one, OnnxTensor() as by]):
                return prepare.arithmetic(node, _ARITHMETIC[node.operator], one, by)
            case _:
                raise not_modelled(node)

    def _decide(self, node: OnnxNode, given: Sequence[GraphValue | None]) -> None:
        if self._learned is not None:
            raise ModelRefused("A graph with two models is not modelled.", "Export a model that is not made of others.")
        match given:
            case [PreparedColumns(flat=True) as one] if one.kind != STRING:
                pass
            case _:
                raise ModelRefused(f"{node.name} of something else than a table of numbers is not modelled.")
        features, changed = self._features.settled(one.columns)
        kind = one.kind
        if kind not in (FLOAT, DOUBLE, INT64, INT32):
            raise ModelRefused(f"{node.name} of {TYPE_NAMES[kind]} is not modelled.")
        one = PreparedColumns(kind, tuple(changed.get(column, column) for column in one.columns))
        if kind != DOUBLE or node.operator == "LinearClassifier":
            one = prepare.converted(one, FLOAT, node)  # as it compares and multiplies them
        if len({feature.name for feature in features}) != len(features):
            raise broken("two inputs have the same name")
        found = _result(node, ModelTable(kind, one.columns, features))
        self._show(node, found)
        self._learned = LearnedModel(
            library="onnxruntime",
            version=self._model.producer,
            family=f"ONNX {node.operator}",
            features=features,
            trees=found.scores.trees,
            sums=found.scores.sums,
            links=found.links,
            label=found.label,
            outputs=found.outputs,
            settings=tuple((domain or "ai.onnx", str(version)) for domain, version in self._model.versions.items()),
            remarks=found.remarks,
        )

    def _show(self, node: OnnxNode, found: ModelResult) -> None:
        outputs = list(node.outputs)
        if found.label is not None:
            if outputs[0]:
                self._values[outputs[0]] = ShownLabel()
            outputs = outputs[1:]
        if outputs and outputs[0]:
            self._values[outputs[0]] = ShownNumbers(found.shown)

    def _shown(self, node: OnnxNode, given: Sequence[GraphValue | None]) -> GraphValue:
        assert self._learned is not None
        if node.operator == "Normalizer" and isinstance(given[0], ShownNumbers):
            found, self._learned = normalized(node, given[0], self._learned)
            return found
        return shown(node, given, self._learned)


def _result(node: OnnxNode, given: ModelTable) -> ModelResult:
    match node.operator:
        case "TreeEnsembleClassifier":
            return classifier(node, given)
        case "TreeEnsembleRegressor":
            return regressor(node, given)
        case "TreeEnsemble":
            return ensemble(node, given)
        case "LinearClassifier":
            return linear_classifier(node, given.columns)
        case _ if given.kind == FLOAT:
            return linear_regressor(node, given.columns)
        case _:
            raise ModelRefused(
                f"{node.name} of {TYPE_NAMES[given.kind]} is not modelled, and onnxruntime does not run it."
            )


def _selected(node: OnnxNode, given: PreparedColumns, places: OnnxTensor) -> PreparedColumns:
    """Some of the columns, by a list of their places."""
    if not given.flat or places.shape[:-1] not in ((), (1,)):
        raise not_modelled(node)
    return PreparedColumns(given.kind, prepare.selected(places, given.columns))


def _flat(node: OnnxNode, given: PreparedColumns, shape: OnnxTensor) -> PreparedColumns:
    """Reshape to a table with a row for each row; the columns keep their order."""
    sizes = shape.values.tolist() if shape.kind == INT64 else []
    if len(sizes) != 2 or sizes[0] not in (-1, 0) or sizes[1] not in (-1, len(given.columns)) or sizes == [-1, -1]:
        raise ModelRefused(f"{node.name} to the shape {sizes} is not modelled.")
    if sizes[1] == -1 and not given.flat and sizes[0] != 0:
        raise ModelRefused(f"{node.name} to the shape {sizes} is not modelled.")
    return PreparedColumns(given.kind, given.columns)


def needed(model: OnnxModel) -> list[OnnxNode]:
    """The nodes that outputs depend on; the rest is not run."""
    wanted = {each.name for each in model.outputs}
    found = []
    for node in reversed(model.nodes):
        if wanted & set(node.outputs):
            found.append(node)
            wanted |= set(node.inputs)
    return found[::-1]
