"""What a program does before its entry is called: the initialisers of its static variables.

    static Counter counter(7);       llvm.global_ctors leads to a function that constructs it

They run once, in the order of their priorities, with nothing of what the entry is given. Where one of them fails or
meets something that is not modelled, nothing is known of how the program starts, and it is not explored.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from soid.budget import UNLIMITED, Cancellation
from soid.engine.llvm.exploring.constants import Constants
from soid.engine.llvm.exploring.explorer import Explorer, External, Limits
from soid.engine.llvm.exploring.memory import Memory
from soid.engine.llvm.exploring.runtime import Held, Unsupported
from soid.engine.llvm.exploring.state import State
from soid.engine.llvm.ir import Function, Module
from soid.engine.llvm.values import ConstAggregate, ConstInt, ConstNull, GlobalRef
from soid.engine.protocol import Exploration
from soid.engine.summary import Decided, OutputValue
from soid.formula.build import TRUE
from soid.formula.checker import Possible

_STEPS: Final = 1_000_000  # rounds of loops and calls that initialisers may take


def initialisers(module: Module) -> list[Function]:
    """The functions that run before the entry, in their order."""
    table = module.globals.get("llvm.global_ctors")
    rows = table.initializer.elements if table is not None and isinstance(table.initializer, ConstAggregate) else ()
    found: list[tuple[int, Function]] = []
    for row in rows:
        assert isinstance(row, ConstAggregate)
        priority, function = row.elements[:2]
        if isinstance(function, ConstNull):
            continue
        if not isinstance(priority, ConstInt) or not isinstance(function, GlobalRef):
            raise Unsupported("an initialiser that is no function")
        found.append((priority.value, module.functions[function.name]))
    return [function for _, function in sorted(found, key=lambda row: row[0])]


def started(constants: Constants, externals: Mapping[str, External]) -> Memory:
    """The memory that the entry finds."""
    memory = constants.memory()
    for function in initialisers(constants.module):
        if not function.defined:
            raise Unsupported(f"the initialiser {function.name}")
        memory = _after(constants, externals, function, memory)
    return memory


def _after(constants: Constants, externals: Mapping[str, External], function: Function, memory: Memory) -> Memory:
    left: list[Memory] = []

    def finish(state: State, held: Held | None) -> dict[str, OutputValue]:
        left.append(state.memory)
        return {}

    exploration = Exploration({}, TRUE, lambda _: Possible({}), UNLIMITED.started(), Cancellation())
    explorer = Explorer(constants, exploration, externals, finish, Limits(window=_STEPS))
    state = explorer.initial()
    assert state is not None
    state.memory = memory
    paths = explorer.run(state, function, [])
    if len(paths) != 1 or not isinstance(paths[0].ending, Decided):
        ending = paths[0].ending if paths else "it never ends"
        raise Unsupported(f"initialising the program's static variables: {ending}")
    return left[0]
