"""Whether the answers of several tools about a learned model can all be true; if not, why they differ.

Every tool's row is run on the real library. One that does not leave its side there shows that the tool's floats are not
the library's: such a difference is explained. A row that does refutes every proof that there is none, and every claim
that none is nearer. Nearest means something else to each tool:

    soid       returns one feature after the other to the fact, then moves the others near to it, in their order
    treecf     the least sum of changes
    Veritas    the least greatest change, between two distances
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from soid.bench.model_peers import ModelTask, ModelTimed

#: by which distances may differ: the tools' thresholds lie at float32 numbers or next to them
_NEAR: Final = 1e-5


def compared_rows(task: ModelTask, tools: Mapping[str, ModelTimed]) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Differences with a reason, and differences without one."""
    explained = tuple(_lost(task, tools))
    shown = {name: each for name, each in tools.items() if each.verdict == "no" and crosses(task, each)}
    contradicts = [
        f"{name} proves that there is no such row, {other} has one"
        for (name, each), other in itertools.product(tools.items(), shown)
        if each.verdict == "yes"
    ]
    if task.nearest:
        for (name, each), (other, row) in itertools.product(tools.items(), shown.items()):
            if name != other and row.row is not None and _is_nearer(name, each, row.row, task.fact):
                contradicts.append(f"{name} proves that no row is nearer, {other} has one")
    return explained, tuple(contradicts)


def crosses(task: ModelTask, timed: ModelTimed) -> bool:
    """Whether the row of a tool is on the other side for the library itself, and inside of what was asked about."""
    if timed.row is None or timed.margin is None:
        return False
    inside = all(low <= each <= high for low, each, high in zip(task.low, timed.row, task.high, strict=True))
    return inside and (timed.margin <= 0 if task.positive else timed.margin > 0)


def _lost(task: ModelTask, tools: Mapping[str, ModelTimed]) -> Iterator[str]:
    for name, each in tools.items():
        if each.row is not None and not crosses(task, each):
            yield (
                f"the row of {name} has the score {each.margin:.9g} in the library, so it shows nothing there: "
                f"{name} compares or adds other floats"
            )


def _is_nearer(name: str, each: ModelTimed, row: Sequence[float], fact: Sequence[float]) -> bool:
    """Whether a row is nearer to the fact than a tool says that any can be."""
    changes = [abs(value - known) for value, known in zip(row, fact, strict=True)]
    if each.none_below is not None:
        return max(changes) < each.none_below - _NEAR
    if not each.is_nearest or each.row is None:
        return False
    own = [abs(value - known) for value, known in zip(each.row, fact, strict=True)]
    if name == "soid":
        return _in_order(changes) < _in_order(own)
    return sum(changes) < sum(own) - _NEAR


def _in_order(changes: Sequence[float]) -> tuple[list[bool], list[float]]:
    """What soid makes least: which features differ, the first ones counting most, then by how much.

    >>> _in_order([0.0, 2.5, 0.0]) < _in_order([0.1, 0.0, 0.0])
    True
    """
    return [each > 0 for each in changes], [round(each, 5) for each in changes]
