"""The worklist: paths that wait to be followed, the last found first, which is deterministic and keeps few waiting.

With merging, paths that forked at one branch wait for each other at the block where they meet again. When no waiting
path can still arrive there, those that have arrived become as few paths as possible (`state_merge.py`).
"""

from __future__ import annotations

from collections import Counter
from typing import final

from soid.engine.llvm.ir.ir_types import Type
from soid.engine.llvm.symbolic.path_state import PathState, StackFrame
from soid.engine.llvm.symbolic.paths.control_flow_graph import postdominators
from soid.engine.llvm.symbolic.paths.float_choices import chooses_a_float
from soid.engine.llvm.symbolic.paths.state_merge import MergePoint, behind_phis, register_kinds


@final
class Worklist:
    """The paths of one exploration that are not finished."""

    def __init__(self, settled_by: Counter[str], *, merging: bool, windowed: bool) -> None:
        """`settled_by` counts under "merging" how many paths merging saves; `windowed`: the window counts rounds."""
        self.waiting: list[PathState] = []
        self._settled_by = settled_by
        self._merging, self._windowed = merging, windowed
        self._open: list[MergePoint] = []  # to which paths are on their way; the first to be met comes last
        # by function: where its branches meet, and the types of its registers
        self._by_function: dict[str, tuple[list[int | None], dict[int, Type]]] = {}
        self._choices: dict[tuple[str, int], bool] = {}  # by function and block: whether its branch chooses a float

    @property
    def is_empty(self) -> bool:
        return not self.waiting and not self._open

    def push(self, state: PathState) -> None:
        self.waiting.append(state)

    def pop(self) -> PathState | None:
        """The path to follow next; None where this call merged paths instead."""
        if self._open and not any(self._open[-1] in one.merge_points for one in reversed(self.waiting)):
            self._merge(self._open.pop())
            return None
        return self.waiting.pop()

    def clear(self) -> list[PathState]:
        """Empty the list; gives the paths that were on it."""
        left = [*self.waiting, *(state for point in self._open for state in point.arrived)]
        self.waiting.clear()
        self._open.clear()
        return left

    def chooses_a_float(self, frame: StackFrame) -> bool:
        """Whether the branch at the end of the block that a call is in only chooses a float."""
        key = frame.function.name, frame.block
        if key not in self._choices:
            target = self._meeting(frame)[0]
            self._choices[key] = target is not None and chooses_a_float(frame.function, frame.block, target)
        return self._choices[key]

    def _meeting(self, frame: StackFrame) -> tuple[int | None, dict[int, Type]]:
        """Where the sides of the branch meet at the end of the block that a call is in; the types of registers."""
        function = frame.function
        found = self._by_function.get(function.name)
        if found is None:
            found = self._by_function[function.name] = (postdominators(function), register_kinds(function))
        return found[0][frame.block], found[1]

    def forked(self, *states: PathState, merging: bool = False) -> None:
        """Note that paths fork at the end of the block they are in: they may merge where they meet again.

        `merging`: whether they do even where others are followed one by one.
        """
        if not (self._merging or merging):
            return
        frame = states[0].frame
        function = frame.function
        target, kinds = self._meeting(frame)
        if target is None:
            return
        point = MergePoint(len(states[0].frames), target, behind_phis(function, target), kinds)
        self._open.append(point)
        for state in states:
            state.merge_points = (*state.merge_points, point)

    def holds_back(self, state: PathState) -> bool:
        """Whether a path has arrived at its next merge point, and waits there. It drops points in functions it left."""
        while state.merge_points:
            point = state.merge_points[-1]
            if len(state.frames) >= point.depth:
                if not point.is_reached_by(state):
                    return False
                state.merge_points = state.merge_points[:-1]
                point.arrived.append(state)
                return True
            state.merge_points = state.merge_points[:-1]
        return False

    def _merge(self, point: MergePoint) -> None:
        arrived = len(point.arrived)
        merged = point.merged(windowed=self._windowed)
        self._settled_by["merging"] += arrived - len(merged)
        self.waiting.extend(reversed(merged))
