"""Replays C programs: compiles them once, and runs them confined, once for each witness."""

from __future__ import annotations

import platform
import sys
import threading
from collections.abc import Mapping, Sequence
from functools import cached_property
from typing import Final, assert_never, final

from msgspec.structs import replace

from soid.allowance import allowance, look
from soid.engine.llvm.compiler.compilation import READY, Variant
from soid.engine.llvm.loaded_program import LoadedProgram
from soid.engine.llvm.native.emulator import emulator_of, installed, runs_here
from soid.engine.llvm.native.executable import Executable, build_executable
from soid.engine.llvm.native.memory_image import MemoryImage
from soid.engine.llvm.native.replay_process import MOST_BYTES, MOST_REGIONS, ReplayLimits, ReplayOutcome, Status, run
from soid.engine.llvm.symbolic.library.external_functions import DescribedFunction
from soid.engine.replay import Crashed, NotAvailable, Replay, Replayer, Returned, TimedOut, Trapped
from soid.engine.summary import Location
from soid.errors import CompileError
from soid.jail.cell import LIBRARIES, Cell, SystemCalls
from soid.program.interface import Interface

_STACK: Final = 64 << 20  # bytes
_EMULATORS_OWN: Final = 16 << 30  # bytes of address space, most of it only set aside
#: by the number of a sanitizer check of clang, which its trap carries: the failure in the engine's words
_TRAPS: Final = {
    0: "signed overflow",
    1: "unreachable code",
    3: "division by zero",
    5: "float-to-integer conversion out of range",
    6: "call of a function of another type",
    10: "value that its type does not have",
    12: "signed overflow",
    13: "signed overflow",
    16: "null argument",
    18: "out-of-bounds access",
    19: "pointer overflow",
    20: "shift out of range",
    21: "signed overflow",
    22: "null dereference",
    24: "array length that is not positive",
    255: "trap",
}

#: failures that a build with traps always catches
_ALWAYS_CAUGHT: Final = frozenset({
    "signed overflow", "division by zero", "shift out of range", "float-to-integer conversion out of range",
    "null dereference", "call through a null pointer", "write to constant memory", "failed assertion", "abort", "exit",
    "trap",
})  # fmt: skip


@final
class NativeReplayer(Replayer):
    """Replays one C program on this machine."""

    def __init__(
        self,
        loaded: LoadedProgram,
        interface: Interface,
        feeds: Sequence[DescribedFunction] = (),
        *,
        limits: ReplayLimits | None = None,
        unconfined: bool = False,
    ) -> None:
        self.loaded = loaded
        self.limits = limits or ReplayLimits()
        self.unconfined = unconfined
        self._externals = tuple(feeds)
        self._feeds = tuple(feed for feed in feeds if feed.variables)
        self._layout = MemoryImage(loaded, interface, self._feeds)
        self._executables: dict[Variant, Executable | NotAvailable] = {}
        self._building = threading.Lock()

    @property
    def how(self) -> str:
        executable = self._executable(Variant.PLAIN)
        compiler = "" if isinstance(executable, NotAvailable) else f", {executable.compiler}"
        under = f" under {emulator_of(self.loaded.build.target)}" if self._emulator is not None else ""
        return f"by running the compiled program ({self.loaded.build.target}{compiler}){under}"

    @property
    def called(self) -> str:
        return "the compiled program"

    @property
    def called_failing(self) -> str:
        return "the program compiled with traps"

    @property
    def how_failing(self) -> str:
        return f"{self.how}, with the compiler's traps"

    def always_shows(self, failure: str) -> bool:
        return failure in _ALWAYS_CAUGHT

    def replay(self, inputs: Mapping[str, int], environments: Sequence[Mapping[str, int]] = ()) -> Replay:
        return self._run(Variant.PLAIN, inputs, environments)

    def replay_failure(self, inputs: Mapping[str, int], environments: Sequence[Mapping[str, int]] = ()) -> Replay:
        """Run the program with the compiler's traps."""
        if not any(source.suffix in READY for source in self.loaded.build.sources):
            return self._run(Variant.TRAPPING, inputs, environments)
        done = self._run(Variant.PLAIN, inputs, environments)
        return NotAvailable("no traps can be put into ready-made LLVM IR") if isinstance(done, Returned) else done

    def _run(self, variant: Variant, inputs: Mapping[str, int], environments: Sequence[Mapping[str, int]]) -> Replay:
        executable = self._executable(variant)
        if isinstance(executable, NotAvailable):
            return executable
        steps = 1 + len(environments)
        if self._layout.size * steps > MOST_BYTES:
            return NotAvailable(f"{steps} steps are more than a replay has room for")
        images = self._layout.images([inputs, *({**inputs, **later} for later in environments)])
        command = [*([] if self._emulator is None else [self._emulator]), str(executable.path)]
        left = allowance().deadline.seconds_left
        seconds = self.limits.seconds if left is None else min(left, self.limits.seconds)
        outcome = run(self._cell(executable), command, images, steps, seconds)
        if isinstance(outcome, Crashed | TimedOut):
            look("running the compiled program")
        return self._reported(outcome, executable) if isinstance(outcome, ReplayOutcome) else outcome

    def _cell(self, executable: Executable) -> Cell:
        """What the program may do until its harness takes even more away."""
        cell = Cell(
            calls=SystemCalls.PROGRAM,
            run=(executable.path,),
            strict=self.loaded.build.confined_to is not None and not self.unconfined,
            lenient=self.unconfined,
            # in whole seconds of processor time; this limit counts where soid itself has ended before
            cpu=self.limits.seconds + 1,
            memory=self.limits.memory,
            stack=_STACK,
            written=0,
            files=3,
            processes=0,
        )
        if self._emulator is None and not executable.loaded:
            return cell
        loading = replace(cell, run=(executable.path, *LIBRARIES))  # a loader brings the C library
        if self._emulator is None:
            return replace(loading, calls=SystemCalls.LOADED, files=4)
        return replace(
            loading,
            calls=SystemCalls.EMULATOR,
            run=(*loading.run, self._emulator),
            memory=self.limits.memory + _EMULATORS_OWN,
            files=16,
            processes=None,  # it has threads of its own
        )

    def _reported(self, outcome: ReplayOutcome, executable: Executable) -> Replay:
        match outcome.status:
            case Status.RETURNED:
                *earlier, outputs = (self._layout.outputs(images) for images in outcome.steps)
                return Returned(outputs, tuple(earlier))
            case Status.TRAPPED:
                return Trapped(_TRAPS.get(outcome.detail, f"check {outcome.detail}"))
            case Status.ASSERTED:
                return Trapped("failed assertion", Location(outcome.text, outcome.detail))
            case Status.RUNNING:
                return Trapped("exit")
            case Status.UNDEFINED:
                return NotAvailable(f"it calls {executable.undefined[outcome.detail]}, which is not defined")
            case Status.NOT_LOGGED:
                return NotAvailable(f"it calls {self._feeds[outcome.detail].function} more often than is logged")
            case Status.NOT_CONFINED:
                return NotAvailable("this machine cannot confine it, and it may not run unconfined")
            case Status.NO_ADDRESS:
                return NotAvailable(f"this machine has no memory at the address {outcome.detail:#x}")
            case Status.NOT_STARTED | Status.BROKEN:
                return NotAvailable(f"the replay broke down ({outcome.detail})")
            case _:
                assert_never(outcome.status)

    def _executable(self, variant: Variant) -> Executable | NotAvailable:
        with self._building:
            if variant not in self._executables:
                self._executables[variant] = self._built(variant)
            return self._executables[variant]

    def _built(self, variant: Variant) -> Executable | NotAvailable:
        if self._obstacle:
            return NotAvailable(self._obstacle)
        try:
            return build_executable(self.loaded, variant, self._externals, emulated=self._emulator is not None)
        except CompileError as error:
            return NotAvailable(error.cause)

    @cached_property
    def _emulator(self) -> str | None:
        """What runs a program for another processor; None where it is not needed, or not installed."""
        target = self.loaded.build.target
        return None if runs_here(target) else installed(emulator_of(target))

    @cached_property
    def _obstacle(self) -> str:
        """Why this program cannot be replayed here; empty where it can."""
        target = self.loaded.build.target
        if sys.platform != "linux" or "linux" not in target:
            return "programs are replayed on Linux only"
        if not runs_here(target):
            other = f"it is compiled for {target}, and this machine is {platform.machine()}"
            if self._emulator is None:
                return f"{other}, without {emulator_of(target)}" if emulator_of(target) else other
            if self.loaded.build.clang is not None:
                return f"{other}; only what soid's own compiler makes is run under {emulator_of(target)}"
        if len(self.loaded.places.regions) + len(self._feeds) + len(self.loaded.places.opaque) > MOST_REGIONS:
            return f"it is given more than {MOST_REGIONS} pieces of memory"
        return ""
