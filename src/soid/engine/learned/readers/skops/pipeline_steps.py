"""Pipelines and column transformers: which steps the columns of the application go through before a model."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from soid.engine.learned.model import ModelRefused
from soid.engine.learned.readers.skops import category_encoders, imputer, scalers
from soid.engine.learned.readers.skops.prepared_columns import Inputs, Prepared, PreparedColumn
from soid.engine.learned.readers.skops.saved_objects import Saved
from soid.engine.learned.readers.skops.skops_archive import broken, not_modelled

Preparation = Callable[[Saved, Inputs, Prepared], Prepared]

_DEEPEST: Final = 20  # pipelines in pipelines

_PREPARATIONS: Final[dict[str, Preparation]] = {
    "StandardScaler": scalers.standard,
    "MinMaxScaler": scalers.between,
    "MaxAbsScaler": scalers.largest,
    "RobustScaler": scalers.robust,
    "KBinsDiscretizer": scalers.bins,
    "SimpleImputer": imputer.imputed,
    "OneHotEncoder": category_encoders.one_hot,
    "OrdinalEncoder": category_encoders.ordinal,
}


def is_of_sklearn(saved: Saved) -> bool:
    return saved.is_object and saved.module.split(".")[0] == "sklearn"


def is_preparation(saved: Saved) -> bool:
    return saved.name in _PREPARATIONS or saved.name in ("Pipeline", "ColumnTransformer")


def unmodelled(saved: Saved) -> ModelRefused:
    """The error for what is not modelled."""
    known = ", ".join([*_PREPARATIONS, "Pipeline", "ColumnTransformer"])
    return ModelRefused(f"{saved.module}.{saved.name} is not modelled", f"soid knows these preparations: {known}.")


def prepared_by(saved: Saved, inputs: Inputs, prepared: Prepared, depth: int = 0) -> Prepared:
    """The columns after a preparation."""
    if depth > _DEEPEST:
        raise not_modelled("pipelines in pipelines, more than 20 deep", "Make one pipeline of them.")
    inputs.spend(len(prepared.columns))
    if is_passthrough(saved):
        return prepared
    if not is_of_sklearn(saved):
        raise unmodelled(saved)
    _check_columns(saved, prepared)
    if saved.name == "Pipeline":
        for step in steps_of(saved):
            prepared = prepared_by(step, inputs, prepared, depth + 1)
        return prepared
    if saved.name == "ColumnTransformer":
        return _by_columns(saved, inputs, prepared, depth)
    if saved.name == "FunctionTransformer" and saved.get("func") is None and not saved["validate"].flag():
        return prepared
    if saved.name not in _PREPARATIONS:
        raise unmodelled(saved)
    return _PREPARATIONS[saved.name](saved, inputs, prepared)


def is_passthrough(saved: Saved) -> bool:
    return saved.loader == "JsonNode" and saved.value() in (None, "passthrough")


def _check_columns(saved: Saved, prepared: Prepared) -> None:
    count = saved.get("n_features_in_")
    if count is not None and count.integer() != len(prepared.columns):
        raise broken(f"{saved.path} has {count.integer()} columns, and is given {len(prepared.columns)}")


def steps_of(saved: Saved) -> list[Saved]:
    """The steps of a pipeline."""
    found = []
    for step in saved["steps"].items():
        pair = step.items()
        if len(pair) != 2:
            raise broken(f"{step.path} is no step")
        found.append(pair[1])
    if not found:
        raise broken(f"{saved.path} has no steps")
    return found


def _by_columns(saved: Saved, inputs: Inputs, prepared: Prepared, depth: int) -> Prepared:
    """ColumnTransformer: each of its parts sees some of the columns; the results stand side by side."""
    if saved.get("transformer_weights") is not None:
        raise not_modelled("ColumnTransformer with transformer_weights", "Leave them out.")
    if prepared.sparse:
        raise not_modelled("ColumnTransformer over sparse columns", "Give it dense columns.")
    chosen = saved["_transformer_to_input_indices"]
    columns: list[PreparedColumn] = []
    for part in saved["transformers_"].items():
        triple = part.items()
        if len(triple) != 3:
            raise broken(f"{part.path} is no part of a ColumnTransformer")
        name, transformer = triple[0].text(), triple[1]
        if transformer.loader == "JsonNode" and transformer.value() == "drop":
            continue
        own = tuple(_column(prepared, each) for each in chosen[name].items())
        if own:
            columns += prepared_by(transformer, inputs, Prepared(own), depth + 1).columns
    return Prepared(tuple(columns), saved["sparse_output_"].flag())


def _column(prepared: Prepared, saved: Saved) -> PreparedColumn:
    place = saved.integer()
    if not 0 <= place < len(prepared.columns):
        raise broken(f"{saved.path} is no column")
    return prepared.columns[place]
