"""A module as text that a person can read, for golden files. It is not LLVM's syntax.

function i32 decide(ptr %w)   a.c:3
  entry:
    %0: i32 = load pointer=%w align=4              a.c:4:10
    ret value=%0                                   a.c:4:3
"""

from __future__ import annotations

from typing import Final

from soid.engine.llvm.ir.instructions import NO_ATTRIBUTES, Argument, Instruction, UnsupportedInstruction
from soid.engine.llvm.ir.ir_module import Function, Module
from soid.engine.llvm.ir.operands import Register

_HIDDEN: Final = frozenset({"result", "loc", "op", "predicate"})
_USUAL: Final[tuple[object, ...]] = (None, "", (), frozenset(), False, "ccc", NO_ATTRIBUTES)  # goes without saying
_TARGETS: Final = frozenset({"target", "then", "otherwise", "default"})


def dump_module(module: Module) -> str:
    """Structs, globals and defined functions."""
    lines = [f"struct {name} = {struct.body()}" for name, struct in module.structs.items()]
    for variable in module.globals.values():
        kind = "constant" if variable.constant else "global"
        lines.append(f"{variable.linkage} {kind} {variable.name} = {variable.initializer or variable.type}")
    for function in module.functions.values():
        lines += ["", dump_function(function)] if function.defined else [f"declare {function.name} {function.type}"]
    return "\n".join(lines) + "\n"


def dump_function(function: Function) -> str:
    """A function, block by block."""
    params = ", ".join(" ".join(filter(None, (str(p.register), str(p.attributes)))) for p in function.params)
    dots = ", ..." if function.varargs else ""
    lines = [f"function {function.type.returns} {function.name}({params}{dots})   {function.loc or ''}".rstrip()]
    for block in function.blocks:
        lines.append(f"  {block.label}:")
        for instruction in block.instructions:
            text = f"    {dump_instruction(instruction, function)}"
            lines.append(f"{text:<80}  {instruction.loc}" if instruction.loc else text)
    return "\n".join(lines)


def dump_instruction(instruction: Instruction, function: Function) -> str:
    """An instruction: its result, its name, and its fields in their order."""
    if isinstance(instruction, UnsupportedInstruction):
        return f"unsupported: {instruction.text}"
    words = [type(instruction).__name__.lower()]
    words += [getattr(instruction, key) for key in ("op", "predicate") if hasattr(instruction, key)]
    for name in instruction.__struct_fields__:
        value = getattr(instruction, name)
        if name not in _HIDDEN and value not in _USUAL:
            words.append(f"{name}={_show(name, value, function)}")
    set_ = f"%{instruction.result.name}: {instruction.result.type} = " if instruction.result else ""
    return set_ + " ".join(words)


def _show(key: str, value: object, function: Function) -> str:
    if isinstance(value, int) and not isinstance(value, bool) and key in _TARGETS:
        return function.blocks[value].label
    if key == "cases" and isinstance(value, tuple):
        return "[" + ", ".join(f"{case} -> {function.blocks[block].label}" for case, block in value) + "]"
    if key == "incoming" and isinstance(value, tuple):
        return "[" + ", ".join(f"{_operand(v)} from {function.blocks[block].label}" for v, block in value) + "]"
    if isinstance(value, frozenset):
        return "+".join(sorted(value))
    if isinstance(value, tuple):
        return "[" + ", ".join(_operand(item) for item in value) + "]"
    return _operand(value)


def _operand(value: object) -> str:
    if isinstance(value, Argument):
        return " ".join(filter(None, (_operand(value.value), str(value.attributes))))
    return f"%{value.name}" if isinstance(value, Register) else str(value)
