"""The layers of a network while its graph is read; what no result needs is left out at the end.

A layer takes whole vectors. If a value's elements are not one vector in its order, a `Selected` is made of them, once;
the columns are always selected while they are still being added, and if all are used in their order, that selection is
left out again.
"""

from __future__ import annotations

from typing import Final, final

import numpy as np
from msgspec.structs import replace

from soid.engine.learned.column_steps import Column, ToFloat32
from soid.engine.learned.model import ModelRefused
from soid.engine.learned.network import Added, Affine, Layer, Network, Precision, Scaled, Selected, Softmaxed
from soid.engine.learned.readers.onnx.folded_factors import FOLDED, factors_of
from soid.engine.learned.readers.onnx.graph_values import LARGEST_VALUE, Numbers, Places
from soid.engine.learned.readers.onnx.onnx_messages import OnnxNode

_VECTOR: Final = 32  # bits of an element's number
_ELEMENT: Final = (1 << _VECTOR) - 1
MOST_WEIGHTS: Final = 1 << 25  # of all matrices of a network, with the zeros of convolutions
_MOST_LAYERS: Final = 10_000


@final
class LayerBuilder:
    """Columns and layers of one network."""

    def __init__(self, version: int) -> None:
        self.version = version  # of the operators
        self._columns: list[Column] = []
        self._layers: list[Layer] = []
        self._sizes = [0]  # of vectors; that of the columns is not used
        self._terms = [0]  # how many terms a runtime may have added up for an element, as far as no function is between
        self._selections: dict[bytes, int] = {}
        self._casts: dict[Column, int] = {}
        self._weights = 0

    def column(self, column: Column) -> int:
        """The place of a column."""
        if column not in self._casts:
            self._casts[column] = len(self._columns)
            self._columns.append(column)
        return self._casts[column]

    def as_float32(self, places: Places) -> Places | None:
        """Columns, rounded; None if some elements are no columns."""
        flat = places.ravel()
        if (flat >> _VECTOR).any():
            return None
        found = [self.column(_rounded(self._columns[place])) for place in flat.tolist()]
        return np.array(found, np.int64).reshape(places.shape)

    def layer_at(self, places: Places) -> tuple[int, Layer] | None:
        """The layer that gives these elements, all of its vector and in its order, and its number."""
        flat = places.ravel()
        vector = int(flat[0]) >> _VECTOR if len(flat) else 0
        if not vector or len(flat) != self._sizes[vector]:
            return None
        whole = np.arange(len(flat)) + (vector << _VECTOR)
        return (vector, self._layers[vector - 1]) if np.array_equal(flat, whole) else None

    def vector(self, places: Places) -> int:
        """A vector that has these elements, in this order."""
        known = self.layer_at(places)
        if known is not None:
            return known[0]
        flat = np.ascontiguousarray(places.ravel())
        if (kept := self._selections.get(flat.tobytes())) is not None:
            return kept
        sources, which = np.unique(flat >> _VECTOR, return_inverse=True)
        self._selections[flat.tobytes()] = made = self._number_of(
            Selected(
                tuple(map(int, sources)), which.astype("<i4").tobytes(), (flat & _ELEMENT).astype("<i4").tobytes()
            ),
            len(flat),
        )
        return made

    def terms(self, places: Places) -> int:
        """How many terms a runtime may have added up for one of these elements."""
        return max((self._terms[int(vector)] for vector in np.unique(places >> _VECTOR)), default=0)

    def weigh(self, node: OnnxNode, rows: int, columns: int) -> None:
        """Count the weights of a matrix before it takes memory."""
        self._weights += rows * columns
        if self._weights > MOST_WEIGHTS:
            raise ModelRefused(
                f"{node.name} is a matrix of {rows:,} x {columns:,} numbers; in all, at most {MOST_WEIGHTS:,} "
                "are modelled.",
                "Ask about a network with fewer neurons.",
            )

    def add(self, layer: Layer, shape: tuple[int, ...], terms: int = 0) -> Places:
        """The places of the layer's elements, in a shape."""
        count = int(np.prod(shape, dtype=np.int64))
        if count > LARGEST_VALUE:
            raise ModelRefused(f"A layer has {count:,} elements; more than {LARGEST_VALUE:,} are not modelled.")
        vector = self._number_of(layer, count, terms)
        return (np.arange(count, dtype=np.int64) + (vector << _VECTOR)).reshape(shape)

    def _number_of(self, layer: Layer, count: int, terms: int = 0) -> int:
        if len(self._layers) >= _MOST_LAYERS:
            raise ModelRefused(f"The network has more than {_MOST_LAYERS:,} layers.")
        self._layers.append(layer)
        self._sizes.append(count)
        self._terms.append(terms)
        return len(self._layers)

    def scaled(self, places: Places, factor: Numbers, offset: Numbers, roundings: int, precision: Precision) -> Places:
        """factor * x + offset. If x is a sum, a runtime may have folded both into it, and added the offset first."""
        terms = self.terms(places)
        more = roundings + terms if roundings else 0
        layer = Scaled(self.vector(places), packed(factor), packed(offset), more, precision)
        return self.add(layer, places.shape, terms)

    def constants(self, values: Numbers, precision: Precision) -> Places:
        """Elements that are constants."""
        source = self.vector(np.zeros(values.size, np.int64))  # the first column, times 0
        layer = Scaled(source, packed(np.zeros(values.size)), packed(values), 0, precision)
        return self.add(layer, values.shape)

    def before_softmax(self, places: Places) -> Places | None:
        """What a softmax was made of, if these elements are of one; None if they are not."""
        vectors = np.unique(places >> _VECTOR)
        layer = self._layers[int(vectors[0]) - 1] if len(vectors) == 1 and vectors[0] else None
        if not isinstance(layer, Softmaxed) or len(np.unique((places & _ELEMENT) // layer.size)) != 1:
            return None
        return (places & _ELEMENT) + (layer.source << _VECTOR)

    def done(self, results: list[Places]) -> tuple[Network, list[list[tuple[int, int]]]]:
        """The network with what these elements need, and where each of them lies: its vector and its element."""
        flat = [np.ravel(each) for each in results]
        used = {int(vector) for each in flat for vector in np.unique(each >> _VECTOR)} - {0}
        for number in range(len(self._layers), 0, -1):
            if number in used:
                used |= set(_sources(self._layers[number - 1]))
        used.discard(0)
        columns = self._used_columns(flat, used)
        numbers, layers = {0: 0}, list[Layer]()
        scaled = self._scaled(used)
        factors = factors_of({number: self._layers[number - 1] for number in used}, self._sizes)
        for number in sorted(used):
            layer = self._layers[number - 1]
            if isinstance(layer, Selected) and 0 in layer.sources:
                layer = _of_columns(layer, columns)
                if layer.sources == (0,) and np.array_equal(_ints(layer.element), np.arange(len(columns))):
                    numbers[number] = 0
                    continue
            if isinstance(layer, Affine) and number in scaled:
                layer = replace(layer, roundings=layer.roundings + FOLDED)
            if isinstance(layer, Affine) and number in factors:
                layer = replace(layer, factors=factors[number])
            layers.append(_renumbered(layer, numbers))
            numbers[number] = len(layers)
        used_columns = tuple(self._columns[each] for each in columns)
        single = all(isinstance(step, ToFloat32) for each in used_columns for step in each.steps[-1:] or (None,))
        network = Network(used_columns, 32 if single else 64, tuple(layers))
        order = {column: place for place, column in enumerate(columns)}
        return network, [[self._term(place, numbers, order) for place in each.tolist()] for each in flat]

    def _scaled(self, used: set[int]) -> set[int]:
        """The vectors that layers scale, also after elements were moved."""
        found = {each.source for number in used if isinstance(each := self._layers[number - 1], Scaled)} - {0}
        moved = (self._layers[number - 1] for number in found)
        return found | {source for each in moved if isinstance(each, Selected) for source in each.sources}

    def _used_columns(self, results: list[Places], used: set[int]) -> list[int]:
        found = {int(place) for each in results for place in each[each >> _VECTOR == 0]}
        for number in used:
            layer = self._layers[number - 1]
            if isinstance(layer, Selected) and 0 in layer.sources:
                found |= set(_ints(layer.element)[_ints(layer.vector) == layer.sources.index(0)].tolist())
        return sorted(found)

    def _term(self, place: int, numbers: dict[int, int], columns: dict[int, int]) -> tuple[int, int]:
        vector, element = place >> _VECTOR, place & _ELEMENT
        return (numbers[vector], element) if vector else (0, columns[element])


def packed(values: Numbers) -> bytes:
    """Numbers as a network has them."""
    return np.ascontiguousarray(values, "<f8").tobytes()


def _rounded(column: Column) -> Column:
    steps = column.steps if ToFloat32() in column.steps[-1:] else (*column.steps, ToFloat32())
    return Column(column.feature, steps)


def _ints(data: bytes) -> Places:
    return np.frombuffer(data, "<i4").astype(np.int64)


def _sources(layer: Layer) -> tuple[int, ...]:
    return layer.sources if isinstance(layer, Added | Selected) else (layer.source,)


def _of_columns(layer: Selected, columns: list[int]) -> Selected:
    """The same selection, of the columns that are left."""
    element, here = _ints(layer.element), _ints(layer.vector) == layer.sources.index(0)
    element[here] = np.searchsorted(np.array(columns), element[here])
    return replace(layer, element=element.astype("<i4").tobytes())


def _renumbered(layer: Layer, numbers: dict[int, int]) -> Layer:
    if isinstance(layer, Added | Selected):
        return replace(layer, sources=tuple(numbers[each] for each in layer.sources))
    return replace(layer, source=numbers[layer.source])
