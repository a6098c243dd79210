"""The dispatch table: which handler runs which kind of instruction."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, Final, TypeAlias

from soid.engine.llvm.ir import instructions as ir
from soid.engine.llvm.symbolic.instructions import computations as computing
from soid.engine.llvm.symbolic.instructions import control_flow as control
from soid.engine.llvm.symbolic.instructions import memory_access as accessing
from soid.engine.llvm.symbolic.library import cplusplus_exceptions as unwinding
from soid.engine.llvm.symbolic.path_state import PathState, StackFrame

if TYPE_CHECKING:
    from soid.engine.llvm.symbolic.explorer import Explorer

Handler: TypeAlias = Callable[["Explorer", PathState, StackFrame, Any], None]

HANDLERS: Final[dict[type, Handler]] = {
    ir.BinaryOp: computing.binary,
    ir.FNeg: computing.fneg,
    ir.ICmp: computing.icmp,
    ir.FCmp: computing.fcmp,
    ir.Cast: computing.cast,
    ir.Freeze: computing.freeze,
    ir.Select: computing.select,
    ir.Alloca: accessing.alloca,
    ir.Load: accessing.load,
    ir.Store: accessing.store,
    ir.Fence: accessing.fence,
    ir.Gep: accessing.gep,
    ir.ExtractValue: accessing.extract_value,
    ir.InsertValue: accessing.insert_value,
    ir.ExtractElement: accessing.extract_element,
    ir.InsertElement: accessing.insert_element,
    ir.ShuffleVector: accessing.shuffle_vector,
    ir.VaArg: control.unsupported,
    ir.Phi: control.phi,
    ir.Call: control.call,
    ir.Invoke: control.invoke,
    ir.LandingPad: unwinding.landing_pad,
    ir.Resume: unwinding.resume,
    ir.Ret: control.ret,
    ir.Br: control.br,
    ir.CondBr: control.cond_br,
    ir.Switch: control.switch,
    ir.IndirectBr: control.indirect_br,
    ir.Unreachable: control.unreachable,
    ir.UnsupportedInstruction: control.unsupported,
}
