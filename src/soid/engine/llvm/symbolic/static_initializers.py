"""What runs before the entry is called: the initialisers of static variables, then the manifest's setup function.

    static Counter counter(7);       llvm.global_ctors lists a function that constructs it
    setup = "init()"                 a line of soid.toml

They run once, the initialisers in the order of their priorities, and read no input. If one of them fails or is not
modelled, the memory that the program starts with is unknown, and the program is not explored.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final, final

from msgspec import Struct

from soid.allowance import allowance
from soid.assumptions import Assumption
from soid.budget import Cancellation
from soid.engine.llvm.ir.ir_module import Function, Module
from soid.engine.llvm.ir.operands import ConstAggregate, ConstInt, ConstNull, GlobalRef
from soid.engine.llvm.ir.symbol_names import demangled
from soid.engine.llvm.symbolic.explorer import ExplorationLimits, Explorer, External, Hooks
from soid.engine.llvm.symbolic.memory.memory_object import AddressSpace
from soid.engine.llvm.symbolic.path_state import PathState
from soid.engine.llvm.symbolic.paths.path_end import NotModelled
from soid.engine.llvm.symbolic.program_constants import Constants
from soid.engine.llvm.symbolic.values.held_values import Held
from soid.engine.protocol import Exploration
from soid.engine.summary import Decided, OutputValue
from soid.formula.build import TRUE
from soid.formula.checker import Possible

_STEPS: Final = 1_000_000  # loop rounds and calls that an initialiser may take


def initialisers(module: Module) -> list[Function]:
    """The functions that run before the entry, in order."""
    table = module.globals.get("llvm.global_ctors")
    rows = table.initializer.elements if table is not None and isinstance(table.initializer, ConstAggregate) else ()
    found: list[tuple[int, Function]] = []
    for row in rows:
        assert isinstance(row, ConstAggregate)
        priority, function = row.elements[:2]
        if isinstance(function, ConstNull):
            continue
        if not isinstance(priority, ConstInt) or not isinstance(function, GlobalRef):
            raise NotModelled("an initialiser that is no function")
        found.append((priority.value, module.functions[function.name]))
    return [function for _, function in sorted(found, key=lambda row: row[0])]


@final
class Start(Struct, frozen=True):
    """What the entry finds when it is first called."""

    memory: AddressSpace
    relies_on: tuple[Assumption, ...] = ()  # what was taken for granted on the way


def started(constants: Constants, externals: Mapping[str, External], setup: Function | None = None) -> Start:
    """The memory after all initialisers and the setup function have run."""
    start = Start(constants.memory())
    for function in initialisers(constants.module):
        if not function.defined:
            raise NotModelled(f"the initialiser {function.name}")
        start = _after(constants, externals, function, start, "initialising the program's static variables")
    if setup is not None:
        start = _after(constants, externals, setup, start, f"the setup function {demangled(setup.name)}")
    return start


def _after(
    constants: Constants, externals: Mapping[str, External], function: Function, start: Start, what: str
) -> Start:
    left: list[AddressSpace] = []

    def keep(explorer: Explorer, state: PathState, held: Held | None) -> dict[str, OutputValue]:
        left.append(state.memory)
        return {}

    may, cancel = allowance(), Cancellation()
    exploration = Exploration({}, TRUE, lambda _: Possible({}), may.deadline, cancel)
    explorer = Explorer(constants, exploration, externals, Hooks(keep), ExplorationLimits(window=_STEPS))
    state = explorer.initial()
    assert state is not None
    state.memory = start.memory
    window = tuple(explorer.relies_on)  # of no interest: the function has ended
    with may.stopping(cancel.cancel):
        paths = explorer.run(state, function, [])
    may.check(what)
    if len(paths) != 1 or not isinstance(paths[0].ending, Decided):
        ending = paths[0].ending if paths else "it never ends"
        raise NotModelled(f"{what}: {ending}")
    taken = (*explorer.relies_on, *explorer.approximations.relies_on())
    return Start(left[0], (*start.relies_on, *(each for each in taken if each not in (*window, *start.relies_on))))
