"""The ways of the fact and of a scenario through the trees of a learned model.

A tree's test goes one way or the other, so two rows have the same way up to one test, and ways of their own after it.
Of a forest those trees are told in which the two part, first the ones that move the sum most.

    the glucose is at most 127.5 mg/dl     both: no
    the age is at most 28.5 years          in fact: yes    in the scenario: no
                                           leaf -0.21      leaf 0.35
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from fractions import Fraction
from typing import Any, Final, final

from soid.engine.learned.evaluation import Trees
from soid.engine.learned.library_replayer import as_float
from soid.engine.learned.model import MISSING, UNSEEN, LearnedModel, ModelFeature, TreeSum
from soid.engine.learned.model_interface import LearnedProgram
from soid.explanation.ways.told_ways import TreeWay, TreeWays, Turn
from soid.formula import softfloat as sf
from soid.formula.sorts import FLOAT64
from soid.program.interface import Variable
from soid.program.types import BoolType, FloatType, IntType, number
from soid.query.words import listed, readable
from soid.query.words.readable_numbers import with_unit
from soid.query.words.variable_names import VariableNames

_DRAWN: Final = 3  # trees that are told test by test
_LABELS: Final = 4  # labels of a test that are listed


Cell = float | int | None  # a number, the code of a category, or None: it is missing


def tree_ways(
    program: LearnedProgram, names: VariableNames, fact: Mapping[str, int], scenario: Mapping[str, int]
) -> TreeWays | None:
    """The ways of two states; None if the model has no trees."""
    sums = [each for each in program.model.sums if isinstance(each, TreeSum)]
    if not sums:
        return None
    rows = [_cells(program, state) for state in (fact, scenario)]
    return max((_Forest(program, names, rows, each).ways((fact, scenario)) for each in sums), key=_how_far)


def _how_far(ways: TreeWays) -> float:
    return abs(ways.sums[1] - ways.sums[0])


@final
class _Forest:
    """The trees of one sum."""

    def __init__(
        self, program: LearnedProgram, names: VariableNames, rows: Sequence[Sequence[Cell]], one: TreeSum
    ) -> None:
        self._model: LearnedModel = program.model
        self._variables = program.inputs
        self._names = names
        self._rows = rows
        self._sum = one
        self._trees = Trees(program.model.trees[one.trees])

    def ways(self, states: Sequence[Mapping[str, int]]) -> TreeWays:
        self._states = states
        found, totals = [], [0.0, 0.0]
        for place, root in enumerate(self._trees.roots.tolist()):
            fact, scenario = (list(self._way(root, row)) for row in self._rows)
            leaves = tuple(self._added(way[-1]) for way in (fact, scenario))
            totals = [total + leaf for total, leaf in zip(totals, leaves, strict=True)]
            if fact != scenario:
                found.append((place + 1, fact, scenario, (leaves[0], leaves[1])))
        found.sort(key=lambda each: -abs(each[3][1] - each[3][0]))
        told = tuple(self._told(*each) for each in found[:_DRAWN])
        rest = sum(leaves[1] - leaves[0] for *_, leaves in found[_DRAWN:])
        begin = self._finished(self._sum.start)
        ends = (begin + totals[0], begin + totals[1])
        return TreeWays(told, len(found), len(self._trees.roots), ends, rest)

    def _way(self, node: int, row: Sequence[Cell]) -> Iterator[int]:
        """The nodes from the root to the leaf."""
        trees = self._trees
        yield node
        while trees.feature[node] >= 0:
            node = int((trees.left if self._goes_left(node, row) else trees.right)[node])
            yield node

    def _goes_left(self, node: int, row: Sequence[Cell]) -> bool:
        trees, cell = self._trees, row[int(self._trees.feature[node])]
        if cell is None or (isinstance(cell, float) and math.isnan(cell)):
            return bool(trees.missing_left[node])
        if trees.code_set[node] >= 0:
            return cell in trees.code_sets[int(trees.code_set[node])]
        return bool(cell <= trees.cut[node])

    def _added(self, leaf: int) -> float:
        """What a leaf adds to the sum, as far as it is rounded for reading."""
        return self._finished(float(self._trees.values[int(self._trees.left[leaf]), self._sum.column]), alone=True)

    def _finished(self, value: float, *, alone: bool = False) -> float:
        """A term after the last operations, of which what is added is left out for a single leaf."""
        for operation, factor in self._sum.finish:
            match operation:
                case "add":
                    value = value if alone else value + factor
                case "multiply":
                    value *= factor
                case "divide":
                    value /= factor
        return value

    # --- in words ---------------------------------------------------------------------------------------------

    def _told(self, number_: int, fact: list[int], scenario: list[int], leaves: tuple[float, float]) -> TreeWay:
        parted = next(at for at, (one, other) in enumerate(zip(fact, scenario, strict=False)) if one != other)
        node = fact[parted - 1]
        shared = tuple(self._turn(each, self._rows[0]) for each in fact[: parted - 1])
        after = [
            tuple(self._turn(each, row) for each in way[parted:-1])
            for way, row in zip((fact, scenario), self._rows, strict=True)
        ]
        holds = self._goes_left(node, self._rows[0]), self._goes_left(node, self._rows[1])
        return TreeWay(number_, shared, self._test(node), holds, after[0], after[1], leaves)

    def _turn(self, node: int, row: Sequence[Cell]) -> Turn:
        return Turn(self._test(node), self._goes_left(node, row))

    def _test(self, node: int) -> str:
        """What holds where the way goes left."""
        trees = self._trees
        feature = int(trees.feature[node])
        variable, model_feature = self._variables[feature], self._model.features[feature]
        called = self._names.called(variable.path) if variable is not None else model_feature.name
        missing = bool(trees.missing_left[node]) and self._may_miss(feature)
        if trees.code_set[node] >= 0:
            labels = _labels(model_feature, trees.code_sets[int(trees.code_set[node])].tolist())
            labels += ["missing"] if missing else []
            more = len(labels) - _LABELS
            shown = labels if more <= 1 else [*labels[:_LABELS], f"{more} others"]
            return f"{called} is {listed(shown, 'or')}" if shown else f"{called} is none of the labels"
        cut = float(trees.cut[node])
        if math.isinf(cut):
            return f"{called} is {'a number' if cut > 0 else 'no number'}{' or missing' if missing else ''}"
        if variable is not None and isinstance(variable.type, BoolType):
            return f"{called} is false"
        return f"{called} is at most {self._cut(variable, cut)}{', or missing' if missing else ''}"

    def _may_miss(self, feature: int) -> bool:
        """Whether one of the two has none of it: else what becomes of a missing one says nothing here."""
        return any(row[feature] is None or row[feature] != row[feature] for row in self._rows)

    def _cut(self, variable: Variable | None, cut: float) -> str:
        """A bound, never rounded to the other side of one of the two values."""
        if variable is None or isinstance(variable.type, IntType):
            return with_unit(
                str(math.floor(cut)) if variable is not None else f"{cut:g}", variable.unit if variable else ""
            )
        bits = sf.from_fraction(FLOAT64, Fraction(cut))
        plain = Variable(variable.path, variable.role, FloatType(FLOAT64), unit=variable.unit)
        values = [as_float(variable, state[variable.path]) for state in self._states]
        borders = [Fraction(each) for each in values if math.isfinite(each)]
        return readable(plain, bits, borders).removeprefix("about ")


def _labels(feature: ModelFeature, codes: Sequence[int]) -> list[str]:
    return [label for label, code in feature.categories if code in codes] + (["unseen"] if UNSEEN in codes else [])


def _cells(program: LearnedProgram, state: Mapping[str, int]) -> list[Cell]:
    """A state as the trees test it."""
    return [
        0.0 if variable is None else _cell(feature, variable, state[variable.path])
        for feature, variable in zip(program.model.features, program.inputs, strict=True)
    ]


def _cell(feature: ModelFeature, variable: Variable, bits: int) -> Cell:
    if feature.kind != "category":
        return as_float(variable, bits)
    kind: Any = variable.type
    index = number(kind, bits)
    if index == MISSING:
        return None
    return feature.categories[index][1] if 0 <= index < len(feature.categories) else UNSEEN
