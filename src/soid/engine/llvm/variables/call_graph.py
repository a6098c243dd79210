"""Which function calls which, as far as calls name their functions: for finding the one that decides."""

from __future__ import annotations

from collections.abc import Iterator

from soid.allowance import paced
from soid.engine.frontend import DefinedFunction
from soid.engine.llvm.ir.instructions import Call, Invoke
from soid.engine.llvm.ir.ir_module import Function, Module
from soid.engine.llvm.ir.operands import GlobalRef
from soid.engine.llvm.ir.symbol_names import demangled
from soid.engine.llvm.variables.variable_layout import may_be_entry


def called_functions(module: Module) -> list[DefinedFunction]:
    """The functions that may be an entry, by their names, each with those that call it."""
    callers: dict[str, set[str]] = {}
    for function in paced(module.functions.values(), "reading the program's calls"):
        for name in _called(function):
            callers.setdefault(name, set()).add(demangled(function.name))
    found = [
        DefinedFunction(
            demangled(each.name),
            frozenset(callers.get(each.name, ())),
            is_local=each.linkage in ("internal", "private"),
        )
        for each in module.functions.values()
        if may_be_entry(each)
    ]
    return sorted(found, key=lambda function: function.name)


def _called(function: Function) -> Iterator[str]:
    for block in function.blocks:
        for instruction in block.instructions:
            call = instruction.call if isinstance(instruction, Invoke) else instruction
            if isinstance(call, Call) and isinstance(call.callee, GlobalRef):
                yield call.callee.name
