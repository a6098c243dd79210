"""Replays a scenario in the library that the model is for."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from fractions import Fraction
from typing import Final, final

import numpy as np

from soid.engine.learned.evaluation import column_values, known_codes
from soid.engine.learned.float_places import SORTS
from soid.engine.learned.learned_source import Threshold
from soid.engine.learned.libraries.model_file import coded
from soid.engine.learned.library_process import LibraryRun, Prediction
from soid.engine.learned.model import MISSING, LearnedModel, ModelFeature
from soid.engine.learned.model_application import ModelApplication
from soid.engine.learned.model_interface import DECISION
from soid.engine.replay import NotAvailable, Replay, Replayer, Returned, Trapped
from soid.formula import softfloat as sf
from soid.formula.sorts import FLOAT32
from soid.program.interface import Variable
from soid.program.types import BoolType, FloatType, number

#: what a library is given for a category that training has not seen, where it takes labels
_UNSEEN_LABEL: Final = "(not seen in training)"
_BY_CODE: Final = ("xgboost", "lightgbm")  # unseen ones are codes there


@final
class LibraryReplayer(Replayer):
    """Runs one model in its library, in a jail."""

    def __init__(
        self,
        model: LearnedModel,
        inputs: Sequence[Variable | None],
        thresholds: Sequence[Threshold],
        run: LibraryRun,
        application: ModelApplication | None = None,
    ) -> None:
        """`application`: what the manifest adds to the model of the file, which the library runs."""
        self._model = model
        self._inputs = inputs
        self._thresholds = thresholds
        self._run = run
        self._application = application or ModelApplication(model)

    @property
    def how(self) -> str:
        other = self._run.version_difference
        return self._run.how + (f" ({other})" if other else "")

    @property
    def called(self) -> str:
        return f"the model in {self._model.library}"

    @property
    def doubt(self) -> str:
        """Why the library may give something else than what decided; empty: it may not."""
        return self._run.version_difference

    def replay(self, inputs: Mapping[str, int], environments: Sequence[Mapping[str, int]] = ()) -> Replay:
        if self._application.states:
            return self._replay_by_step(inputs, environments)
        rows = [row_of(self._model, self._inputs, {**inputs, **later}) for later in ({}, *environments)]
        found = self._run.predict(self._given(rows))
        if isinstance(found, NotAvailable):
            return found
        rejected = next((each.rejected for each in found if each.rejected), "")
        if rejected:
            return Trapped(self._rejection(rows))
        *earlier, last = (self._outputs(each) for each in found)
        return Returned(last, tuple(earlier))

    replay_failure = replay

    def _replay_by_step(self, inputs: Mapping[str, int], environments: Sequence[Mapping[str, int]]) -> Replay:
        """One call after the other: each is given what the one before has left.

        The state itself is no part of what is told: its last bits are those of this machine's order of summation, and
        a state that is derived from a run would be taken for the one that there was.
        """
        earlier: list[Mapping[str, int]] = []
        state: dict[str, int] = {}
        for later in ({}, *environments):
            row = row_of(self._model, self._inputs, {**inputs, **later, **state})
            found = self._run.predict(self._given([row]))
            if isinstance(found, NotAvailable):
                return found
            if found[0].rejected:
                return Trapped(self._rejection([row]))
            outputs = self._outputs(found[0])
            state = self._state(outputs)
            earlier.append(outputs)
        return Returned(earlier[-1], tuple(earlier[:-1]))

    def _state(self, outputs: Mapping[str, int]) -> dict[str, int]:
        """What the next call is given."""
        variables = [(self._inputs[feature], output) for feature, output in self._application.states]
        return {one.path: outputs[output] for one, output in variables if one is not None and output in outputs}

    def _given(self, rows: Sequence[Sequence[float | str | None]]) -> Sequence[Sequence[float | str | None]]:
        """Rows of the features in the file: what the application makes of its own."""
        columns = self._application.given
        if not columns:
            return rows
        numbers = coded(rows, self._model.features)
        codes = np.zeros(numbers.shape, np.int64)
        for place, feature in enumerate(self._model.features):
            if feature.kind == "category":
                codes[:, place] = known_codes(feature, numbers[:, place])
        made = np.column_stack([column_values(each, numbers, codes) for each in columns])
        return [[float(each) for each in row] for row in made]

    def _rejection(self, rows: Sequence[Sequence[float | str | None]]) -> str:
        """The failure that the engine foresees for the first of these rows that has one."""
        for row in rows:
            for feature, cell in zip(self._model.features, row, strict=True):
                if _is_rejected(feature, cell):
                    return rejection(self._model, feature)
        return f"{self._model.library} rejects it"

    def _outputs(self, found: Prediction) -> dict[str, int]:
        precisions = {each.name: each.precision for each in (*self._model.sums, *self._model.links)}
        outputs: dict[str, int] = {}
        for each in self._model.outputs:
            value = found.numbers.get(each.name)
            if value is not None:
                sort = SORTS[precisions[each.number]]
                outputs[each.name] = sf.float_to_bits32(value) if sort == FLOAT32 else sf.float_to_bits64(value)
        if self._model.label is not None and found.label in self._model.label.classes:
            outputs[DECISION] = self._model.label.classes.index(found.label)
        outputs |= self._choices(found)
        for one in self._thresholds:
            compared = self._compared(one, found, precisions)
            holds = None if compared is None else one.holds(compared)
            if holds is not None:
                outputs[one.name] = int(holds)
        return outputs

    def _choices(self, found: Prediction) -> dict[str, int]:
        """The classes beside the label: as the graph gives them, or by what the application compares."""
        compared = {name: (numbers, least) for name, numbers, least in self._application.compared}
        chosen: dict[str, int] = {}
        for each in self._model.choices:
            if each.name not in compared:
                index = found.numbers.get(each.name)
                if index is not None:
                    chosen[each.name] = int(index)
                continue
            names, least = compared[each.name]
            values = [found.numbers.get(name, math.nan) for name in names]
            if not any(map(math.isnan, values)):
                chosen[each.name] = values.index((min if least else max)(values))
        return chosen

    def _compared(self, one: Threshold, found: Prediction, precisions: Mapping[str, int]) -> Fraction | None:
        """The number that an application compares; a difference is rounded to the type of both."""
        added = one.terms or ((one.number, 1.0), *(((one.minus, -1.0),) if one.minus else ()))
        values = [found.numbers.get(name) for name, _ in added]
        if any(value is None or not math.isfinite(value) for value in values):
            return None
        total = sum(Fraction(value or 0) * Fraction(factor) for value, (_, factor) in zip(values, added, strict=True))
        if not one.minus:
            return Fraction(total)
        sort = SORTS[precisions[one.compared]]
        bits = sf.from_fraction(sort, Fraction(total))
        rounded = sf.bits32_to_float(bits) if sort == FLOAT32 else sf.bits64_to_float(bits)
        return Fraction(rounded) if math.isfinite(rounded) else None


def row_of(
    model: LearnedModel, variables: Sequence[Variable | None], inputs: Mapping[str, int]
) -> list[float | str | None]:
    """A row as an application gives it to the library: numbers, labels of categories, None for one that is missing."""
    return [
        _cell(model, feature, variable, 0 if variable is None else inputs[variable.path])
        for feature, variable in zip(model.features, variables, strict=True)
    ]


def _cell(model: LearnedModel, feature: ModelFeature, variable: Variable | None, bits: int) -> float | str | None:
    if feature.kind == "category":
        return _category(model, feature, 0 if variable is None else _index(variable, bits))
    return 0.0 if variable is None else as_float(variable, bits)


def _category(model: LearnedModel, feature: ModelFeature, index: int) -> float | str | None:
    if index == MISSING:
        return None
    if 0 <= index < len(feature.categories):
        return feature.categories[index][0]
    codes = [code for _, code in feature.categories]
    return float(max(codes, default=-1) + 1) if model.library in _BY_CODE else _UNSEEN_LABEL


def rejection(model: LearnedModel, feature: ModelFeature) -> str:
    """The failure of a library that does not take a value."""
    return f"{model.library} rejects this value of {feature.name}"


def _index(variable: Variable, bits: int) -> int:
    kind = variable.type
    assert not isinstance(kind, BoolType | FloatType)
    return number(kind, bits)


def as_float(variable: Variable, bits: int) -> float:
    """A number as the library is given it."""
    kind = variable.type
    if isinstance(kind, FloatType):
        return sf.bits32_to_float(bits) if kind.format == FLOAT32 else sf.bits64_to_float(bits)
    return float(bits if isinstance(kind, BoolType) else number(kind, bits))


def _is_rejected(feature: ModelFeature, cell: float | str | None) -> bool:
    if cell is None or (isinstance(cell, float) and math.isnan(cell)):
        return not feature.takes_missing
    if feature.kind == "category":
        known = cell in [label for label, _ in feature.categories]
        return not known and not feature.takes_unseen
    assert isinstance(cell, float)
    low, high = feature.least, feature.greatest
    return (low is not None and cell < low) or (high is not None and cell > high)
