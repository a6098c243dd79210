"""Which replayer runs which program."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Literal, assert_never, final

from msgspec import Struct

from soid.engine.protocol import Engine
from soid.errors import InternalError
from soid.program.interface import Interface
from soid.program.program import CSource, Program, SmtLibSource
from soid.witness.replay import NotAvailable, Replay, Replayer

#: confined: as far as this machine can confine programs; unconfined: even where it cannot; off: never
ReplayMode = Literal["confined", "unconfined", "off"]


@final
class NoReplay(Struct, frozen=True):
    """Stands in where nothing is to be run."""

    reason: str

    @property
    def how(self) -> str:
        return "not at all"

    def replay(self, inputs: Mapping[str, int], environments: Sequence[Mapping[str, int]] = ()) -> Replay:
        return NotAvailable(self.reason)

    def replay_failure(self, inputs: Mapping[str, int], environments: Sequence[Mapping[str, int]] = ()) -> Replay:
        return NotAvailable(self.reason)


def prepare_replay(program: Program, mode: ReplayMode = "confined") -> None:
    """Begin what a replay needs whatever the program turns out to be; called before the program is opened."""
    if isinstance(program.source, CSource) and mode != "off":
        from soid.engine.llvm.compiler.toolchain import DEFAULT_TARGET
        from soid.witness.native.harness import compile_early

        compile_early(program.source.clang, program.source.target or DEFAULT_TARGET)


def replayer_for(program: Program, engine: Engine, mode: ReplayMode = "confined") -> Replayer | None:
    """What runs the program, as its engine has opened it; None where there is nothing but its paths."""
    match program.source:
        case SmtLibSource():
            return None
        case CSource():
            if mode == "off":
                return NoReplay("replaying is switched off")
            return _native(program.interface, engine, unconfined=mode == "unconfined")
        case _:
            assert_never(program.source)


def _native(interface: Interface, engine: Engine, *, unconfined: bool) -> Replayer:
    # loaded where they are needed: the compiler's packages are large
    from soid.engine.llvm.llvm_engine import LlvmEngine
    from soid.witness.native.replayer import NativeReplayer
    from soid.witness.native.trampoline import Feed

    if not isinstance(engine, LlvmEngine):
        raise InternalError(f"a program in C was opened by the engine {engine.name}")
    feeds = [Feed(one.function, tuple(v.path for v in one.variables), one.repeats) for one in engine.inputs_from]
    return NativeReplayer(engine.loaded, interface, feeds, unconfined=unconfined)
