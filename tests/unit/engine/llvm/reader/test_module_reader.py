"""Reading: one of every instruction, with what the explorer needs to know about it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import get_args

import pytest

from soid.engine.llvm.compiler.compilation import Build, compile_ir
from soid.engine.llvm.ir import instructions as ins
from soid.engine.llvm.ir.instructions import Instruction, is_terminator, successors
from soid.engine.llvm.ir.ir_module import Function, Module
from soid.engine.llvm.ir.ir_types import I1, PTR, VOID, X86_FP80, ArrayType, IntegerType, StructType, VectorType
from soid.engine.llvm.ir.operands import (
    BinaryOpcode,
    BlockAddress,
    ConstAggregate,
    ConstInt,
    GlobalRef,
    InlineAsm,
    Register,
)
from soid.engine.llvm.reader import function_reader as functions
from soid.engine.llvm.reader.module_reader import read_module

PROGRAMS = Path(__file__).parent / "programs"
BUILD = Build((Path("instructions.c"),), root=PROGRAMS)


@pytest.fixture(scope="module")
def module() -> Module:
    return read_module(compile_ir(BUILD).text)


def instructions(function: Function) -> Iterator[Instruction]:
    for block in function.blocks:
        yield from block.instructions


def test_every_kind_of_instruction_is_met(module: Module) -> None:
    met = {type(i) for f in module.functions.values() for i in instructions(f)}
    known = set(get_args(ins.Instruction))
    # of these clang writes none for C without optimisation; test_rare_instructions reads them from text
    exceptions = {ins.Invoke, ins.LandingPad, ins.Resume}
    assert known - met == {ins.UnsupportedInstruction, ins.Freeze, ins.VaArg, *exceptions}


def test_every_binary_operation_and_predicate_is_met(module: Module) -> None:
    everything = [i for f in module.functions.values() for i in instructions(f)]
    operations = {i.op for i in everything if isinstance(i, ins.BinaryOp)}
    assert set(get_args(BinaryOpcode)) - operations == {"frem"}  # fmod is a call
    assert {i.predicate for i in everything if isinstance(i, ins.ICmp)} == set(get_args(ins.IntPredicate))
    assert {"olt", "ole", "oeq", "une", "ogt", "oge"} <= {i.predicate for i in everything if isinstance(i, ins.FCmp)}


def test_the_short_cut_reads_what_the_long_way_reads(monkeypatch: pytest.MonkeyPatch, module: Module) -> None:
    monkeypatch.setattr(functions, "read_quick", lambda *_: None)
    long_way = read_module(compile_ir(BUILD).text)
    assert dict(long_way.functions) == dict(module.functions)


def test_blocks_registers_and_branches_fit_together(module: Module) -> None:
    for function in module.functions.values():
        seen: set[int] = {param.register.slot for param in function.params}
        assert [param.register.slot for param in function.params] == list(range(len(function.params)))
        for block in function.blocks:
            assert function.blocks[block.index] is block
            assert [is_terminator(i) for i in block.instructions] == [False] * (len(block.instructions) - 1) + [True]
            assert all(0 < target < len(function.blocks) for target in successors(block.terminator))
            for instruction in block.instructions:
                if instruction.result is not None:
                    assert instruction.result.slot not in seen
                    seen.add(instruction.result.slot)
        if function.defined:
            assert seen == set(range(function.slots))


def test_flags_tell_signed_from_wrapping_arithmetic(module: Module) -> None:
    adds = [i for i in instructions(module.function("integers")) if isinstance(i, ins.BinaryOp)]
    assert {"nsw"} in [i.flags for i in adds if i.op == "add"]
    assert all(not i.flags for i in adds if i.op in ("udiv", "xor", "and"))


def test_every_user_instruction_has_its_line(module: Module) -> None:
    source = (PROGRAMS / "instructions.c").read_text().splitlines()
    call = next(
        i
        for i in instructions(module.function("control"))
        if isinstance(i, ins.Call) and i.callee == GlobalRef("abort")
    )
    assert call.loc is not None and call.loc.location.file == "instructions.c"
    assert "abort();" in source[call.loc.location.line - 1]
    assert "noreturn" in call.attributes
    assert isinstance(module.function("control").blocks[-1].terminator, ins.Ret)


def test_switch_cases_are_bit_patterns(module: Module) -> None:
    switch = next(i for i in instructions(module.function("control")) if isinstance(i, ins.Switch))
    assert [value for value, _ in switch.cases] == [0, 5, 0xFFFFFFFF]


def test_gep_keeps_its_source_type_and_flags(module: Module) -> None:
    geps = [i for i in instructions(module.function("memory")) if isinstance(i, ins.Gep)]
    assert any(isinstance(g.source, StructType) and g.source.name == "struct.pair" for g in geps)
    assert any(g.source == ArrayType(3, IntegerType(32)) for g in geps)
    assert all("inbounds" in g.flags for g in geps)


def test_variable_length_arrays_have_a_count(module: Module) -> None:
    counts = [i.count for i in instructions(module.function("memory")) if isinstance(i, ins.Alloca)]
    assert any(isinstance(count, Register) for count in counts)
    assert ConstInt(IntegerType(32), 1) in counts


def test_volatile_is_kept(module: Module) -> None:
    assert any(i.volatile for i in instructions(module.function("memory")) if isinstance(i, ins.Load))
    assert any(i.volatile for i in instructions(module.function("memory")) if isinstance(i, ins.Store))


def test_calls_direct_indirect_and_assembly(module: Module) -> None:
    calls = [i for i in instructions(module.function("calls")) if isinstance(i, ins.Call)]
    by_name = {c.callee.name: c for c in calls if isinstance(c.callee, GlobalRef)}
    assert by_name["variadic"].type.varargs and len(by_name["variadic"].arguments) == 3
    assert by_name["large"].arguments[0].attributes.sret == module.structs["struct.big"]
    assert by_name["by_value"].arguments[-1].attributes.byval == module.structs["struct.big"]
    assert sum(isinstance(c.callee, Register) for c in calls) == 2
    asm = [i for i in instructions(module.function("rare")) if isinstance(i, ins.Call)]
    assert isinstance(asm[0].callee, InlineAsm) and asm[0].callee.assembly == "nop"


def test_attributes_of_parameters(module: Module) -> None:
    assert "signext" in module.function("casts").params[0].attributes
    assert "zeroext" in module.function("casts").params[1].attributes
    assert module.function("large").params[0].attributes.sret == module.structs["struct.big"]
    assert module.function("large").type.returns == VOID
    assert "zeroext" in module.function("overflow").returns
    assert "noreturn" in module.function("never").attributes


def test_atomics_are_read_as_their_parts(module: Module) -> None:
    found = [i for block in module.function("rare").blocks for i in block.instructions]
    starts = [at for at, one in enumerate(found) if isinstance(one, ins.Fence)]
    parts = [[type(one) for one in found[at + 1 : at + 7]] for at in starts]
    assert parts[0][:3] == [ins.Load, ins.BinaryOp, ins.Store]
    assert parts[2] == [ins.Load, ins.ICmp, ins.Select, ins.Store, ins.InsertValue, ins.InsertValue]
    assert parts[3][0] is ins.Load and parts[4][0] is ins.Store and len(parts) == 5
    exchanged = found[starts[2] + 6]
    assert exchanged.result is not None
    assert exchanged.result.type == StructType(None, (IntegerType(32), I1), packed=False)
    assert all(found[at].loc is not None for at in starts)


def test_computed_gotos_are_read(module: Module) -> None:
    function = module.function("rare")
    (goto,) = (block.terminator for block in function.blocks if isinstance(block.terminator, ins.IndirectBr))
    labels = module.globals["rare.places"].initializer
    assert isinstance(labels, ConstAggregate)
    addresses = [each for each in labels.elements if isinstance(each, BlockAddress)]
    assert [each.function for each in addresses] == ["rare", "rare"]
    assert [each.label for each in addresses] == [function.blocks[target].label for target in goto.targets]


def test_what_is_not_supported_keeps_its_name_and_text() -> None:
    text = "define i32 @f(ptr %p) {\n  %1 = atomicrmw uinc_wrap ptr %p, i32 7 seq_cst, align 4\n  ret i32 %1\n}\n"
    found = read_module(text).function("f").blocks[0].instructions[0]
    assert isinstance(found, ins.UnsupportedInstruction) and found.name == "atomicrmw uinc_wrap"
    assert found.text == "%1 = atomicrmw uinc_wrap ptr %p, i32 7 seq_cst, align 4" and not found.terminator
    assert found.result is not None and found.result.type == IntegerType(32)


def test_globals_aliases_and_thread_locals(module: Module) -> None:
    assert module.globals["per_thread"].initializer is not None
    assert module.globals["elsewhere"].initializer is None
    assert module.globals["words"].constant and module.globals["counter"].linkage == "internal"
    assert module.aliases["second"].target == GlobalRef("first")
    assert module.functions["abort"].blocks == () and not module.functions["abort"].defined


def test_wide_and_extended_types_are_read(module: Module) -> None:
    adds = [i for i in instructions(module.function("wide")) if isinstance(i, ins.BinaryOp)]
    assert [i.result.type for i in adds] == [IntegerType(128)]
    assert module.function("extended").type.returns == X86_FP80
    assert VectorType(4, module.function("vectors").type.returns) == module.function("vectors").params[0].type


RARE = """
%s = type { i32, [2 x i8] }
@g = global <{ i8, ptr }> <{ i8 1, ptr getelementptr inbounds (i8, ptr @h, i64 4) }>, section "odd name", align 1
@h = external addrspace(1) global i32
@"odd name" = private constant [2 x i32] [i32 undef, i32 poison]
@i = ifunc i32 (i32), ptr @resolver

declare ptr @resolver()

define fastcc range(i32 0, 9) i32 @rare(i1 %c, %s %agg, ptr %list, <2 x ptr> %ps) personality ptr @resolver {
  %1 = select nnan i1 %c, float 1.0, float 0x7FF8000020000000
  %2 = freeze float %1
  %3 = insertvalue %s %agg, i8 3, 1, 0
  %4 = extractvalue %s %3, 1
  %5 = va_arg ptr %list, i64
  %6 = getelementptr i8, <2 x ptr> %ps, i64 1
  %7 = add <2 x i32> splat (i32 3), <i32 1, i32 undef>
  %8 = frem fast double 1.0, 2.0
  %9 = zext nneg i8 1 to i32
  %10 = or disjoint i32 %9, 4
  %11 = icmp samesign ult i32 %10, 5
  %12 = tail call fastcc i32 @rare(i1 true, %s zeroinitializer, ptr null, <2 x ptr> poison) [ "b"(i32 1), "c"() ]
  %"q r" = invoke i32 @rare(i1 true, %s poison, ptr null, <2 x ptr> poison)
          to label %ok unwind label %bad

ok:
  %15 = musttail call fastcc i32 @rare(i1 %c, %s %3, ptr %list, <2 x ptr> %6)
  ret i32 %15

bad:
  %14 = landingpad { ptr, i32 }
          cleanup
  resume { ptr, i32 } %14
}
"""


def test_rare_instructions() -> None:
    module = read_module(RARE.replace("%15", "%13"))
    rare = module.function("rare")
    found = list(instructions(rare))
    assert [type(i).__name__ for i in found[:6]] == [
        "Select", "Freeze", "InsertValue", "ExtractValue", "VaArg", "Gep",
    ]  # fmt: skip
    assert found[5].result is not None and found[5].result.type == VectorType(2, PTR)
    assert [sorted(getattr(i, "flags", ())) for i in found[7:11]] == [["fast"], ["nneg"], ["disjoint"], ["samesign"]]
    call = found[11]
    assert isinstance(call, ins.Call)
    assert (call.tail, call.convention, call.bundles) == ("tail", "fastcc", ('"b"(i32 1)', '"c"()'))
    rest = [type(i).__name__ for i in found if isinstance(i, ins.Invoke | ins.LandingPad | ins.Resume)]
    assert rest == ["Invoke", "LandingPad", "Resume"]
    assert rare.convention == "fastcc" and "range(i32 0, 9)" in rare.returns
    assert {"g", "h"} <= module.globals.keys()
    assert module.aliases["i"].ifunc and "odd name" in module.globals


def test_debugging_intrinsics_of_older_compilers() -> None:
    module = read_module(
        """
define void @f() {
  %x = alloca i32, align 4
  call void @llvm.dbg.declare(metadata ptr %x, metadata !1, metadata !DIExpression(DW_OP_deref)), !dbg !2
  call void @llvm.dbg.value(metadata i32 0, metadata !1, metadata !DIExpression()), !dbg !2
  ret void
}
"""
    )
    function = module.function("f")
    (declare,) = function.declares
    assert (declare.variable, declare.expression) == (1, ("DW_OP_deref",))
    assert declare.address == function.blocks[0].instructions[0].result
    assert len(function.blocks[0].instructions) == 2


def test_names_of_values_may_be_odd(compile_c: Callable[..., Module]) -> None:
    module = compile_c("int caf\u00e9(int na\u00efve) { return na\u00efve ? 1 : 2; }")
    assert module.function("caf\u00e9").params[0].register.name == "na\u00efve"
