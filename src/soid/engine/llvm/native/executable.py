"""Builds the executable for a replay: the program's own code, the trampoline and the harness.

The program's code is the module that the engine analyses, or its twin with traps, and a caller is all that is added;
the same compiler makes machine code of it, without optimisation. Undefined functions get stand-ins, so that the program
can be linked; calling one ends the replay. The harness is the same for every program: it is compiled once per machine,
while the program is compiled.
"""

from __future__ import annotations

import tempfile
import threading
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from typing import Final, final

from msgspec import Struct

from soid.cache import cache_folder, digest
from soid.engine.llvm.compiler.build_cache import CompilerOutput, ContentCache
from soid.engine.llvm.compiler.compilation import Variant, compile_ir
from soid.engine.llvm.compiler.toolchain import RUNTIME, RUNTIME_SYMBOL, UNDEFINED_SYMBOL, Toolchain, find_toolchain
from soid.engine.llvm.loaded_program import LoadedProgram
from soid.engine.llvm.native.trampoline import stand_ins, trampoline
from soid.engine.llvm.symbolic.library.external_functions import DescribedFunction
from soid.errors import CompileError, SoidError

SOURCE: Final = Path(__file__).with_name("harness.c")
_HARNESS: Final = ("-O1", "-fno-sanitize=all", "-fPIC", "-ffreestanding", "-fno-builtin", "-fno-stack-protector")
_CODE: Final = ("-O0", "-ffp-contract=off", "-fno-sanitize=all", "-fPIC", "-Wno-override-module")
#: under an emulator: no C library of another processor is at hand, and what the program calls of it is not defined
_EMULATED: Final = ("-DSOID_EMULATED",)
_ABI: Final = (
    *("__cxa_throw", "__cxa_rethrow", "__cxa_allocate_exception", "__cxa_free_exception", "__cxa_get_exception_ptr"),
    *("__cxa_begin_catch", "__cxa_end_catch", "__cxa_guard_acquire", "__cxa_guard_release", "__cxa_guard_abort"),
    *("__cxa_pure_virtual", "__gxx_personality_v0"),
)
_ROUNDS: Final = 50  # linkers name a few undefined symbols at a time

_early: Final[dict[str, threading.Thread]] = {}  # by key: the thread that compiles the harness just now
_lock: Final = threading.Lock()


@final
class Executable(Struct, frozen=True):
    """What is run."""

    path: Path
    undefined: tuple[str, ...]  # symbols that the program uses and nothing defines, by the harness's numbers
    compiler: str  # in words


def build_executable(
    loaded: LoadedProgram, variant: Variant, feeds: Sequence[DescribedFunction], *, emulated: bool = False
) -> Executable:
    """Compile the program for replay; unchanged programs come from the cache."""
    linking = _Linking(loaded, variant, feeds, emulated=emulated)
    parts = (linking.target, SOURCE.read_bytes(), linking.text, stand_ins(loaded, feeds, ()), *_CODE)
    key = digest(linking.toolchain.version, *parts, *(_EMULATED if emulated else ()))
    entry = ContentCache(cache_folder() / "replay", loaded.build.root).fetch(key, "exe", (), linking.make)
    return Executable(entry.path, tuple(entry.words.split()), linking.toolchain.version.splitlines()[0])


@final
class _Linking:
    """Links one executable."""

    def __init__(
        self, loaded: LoadedProgram, variant: Variant, feeds: Sequence[DescribedFunction], *, emulated: bool
    ) -> None:
        self.loaded = loaded
        self.emulated = emulated
        self.toolchain = find_toolchain(loaded.build.clang)
        self.feeds = feeds
        self.target = loaded.build.target
        # traps check the program as written, so they need the version without optimisation
        written = loaded.twin if loaded.twin is not None and variant is Variant.TRAPPING else loaded
        self.text = compile_ir(written.build, variant).text + trampoline(written)

    def make(self) -> CompilerOutput:
        harness = harness_object(self.toolchain, self.target, _EMULATED if self.emulated else ())
        with tempfile.TemporaryDirectory() as scratch:
            folder = Path(scratch)
            (folder / "program.ll").write_text(self.text, errors="surrogateescape")
            undefined = self._link(folder, harness)
            return CompilerOutput((folder / "replay").read_bytes(), (), "\n".join(undefined), executable=True)

    def _link(self, folder: Path, harness: Path) -> list[str]:
        """Link, first without stand-ins for undefined symbols; gives the names of these symbols."""
        fed = {feed.function for feed in self.feeds}
        undefined = [name for name in self._not_reported() if name not in fed]
        runtime, words = self.emulated, ""
        for _ in range(_ROUNDS):
            (folder / "stand_ins.ll").write_text(stand_ins(self.loaded, self.feeds, undefined))
            words = self._try(folder, harness, runtime=runtime)
            missing = [name for name in dict.fromkeys(UNDEFINED_SYMBOL.findall(words)) if name not in undefined]
            if not words:
                return undefined
            if not missing:
                break
            if not runtime and any(RUNTIME_SYMBOL.match(name) for name in missing):
                runtime = True
            else:
                undefined += missing
        raise CompileError(f"the program cannot be linked for its replay:\n{words}")

    def _not_reported(self) -> list[str]:
        """What linkers do not report as undefined: weak variables that are inputs, and what C++ programs use of their
        run-time library, which is not linked and is reported by other names."""
        module = self.loaded.module
        open_ = [f.name for f in module.functions.values() if not f.defined]
        open_ += [v.name for v in module.globals.values() if v.initializer is None]
        weak = {name for name in self.loaded.extern if module.globals[name].linkage == "extern_weak"}
        return [name for name in open_ if name.startswith("_Z") or name in _ABI or name in weak]

    def _try(self, folder: Path, harness: Path, *, runtime: bool) -> str:
        """Link; gives the linker's messages if it fails. The process starts in the harness, not in the C library."""
        if self.emulated:
            libraries: tuple[str, ...] = ("-nostdlib", "-static", *RUNTIME)
        else:
            libraries = ("-nostdlib", "-lm", "-lc", *(RUNTIME if runtime else ())) if self.toolchain.zig else ("-lm",)
        objects = (str(harness), "program.ll", "stand_ins.ll")
        flags = (*self.toolchain.target_flags(self.target), *_CODE, "-Wl,-e,soid_start")
        done = self.toolchain.run([*flags, *objects, *libraries, "-o", "replay"], folder)
        return "" if done.returncode == 0 else done.stderr or done.stdout or "the linker failed"


# --- the harness


def harness_object(toolchain: Toolchain, target: str, flags: Sequence[str] = ()) -> Path:
    """The harness as an object file; waits for a thread that compiles it already."""
    with _lock:
        thread = _early.pop(_key(toolchain, target, flags), None)
    if thread is not None:
        thread.join()
    return _fetch(toolchain, target, flags)


def compile_early(clang: str | None, target: str) -> None:
    """Start to compile the harness in a thread, unless it is compiled or one has started."""
    with suppress(SoidError):  # harness_object raises the error again
        toolchain = find_toolchain(clang)
        key = _key(toolchain, target)
        if _cache().get(key, "o", ()) is not None:
            return

        def make() -> None:
            with suppress(SoidError, OSError):  # the replay compiles it again and raises the error
                _fetch(toolchain, target)

        with _lock:
            if key not in _early:
                _early[key] = threading.Thread(target=make, name="harness", daemon=True)
                _early[key].start()


def _fetch(toolchain: Toolchain, target: str, flags: Sequence[str] = ()) -> Path:
    return _cache().fetch(_key(toolchain, target, flags), "o", (), lambda: _made(toolchain, target, flags)).path


def _cache() -> ContentCache:
    return ContentCache(cache_folder() / "replay", Path())


def _key(toolchain: Toolchain, target: str, flags: Sequence[str] = ()) -> str:
    return digest(toolchain.version, target, SOURCE.read_bytes(), *_HARNESS, *flags)


def _made(toolchain: Toolchain, target: str, flags: Sequence[str]) -> CompilerOutput:
    with tempfile.TemporaryDirectory() as scratch:
        folder = Path(scratch)
        (folder / "harness.c").write_bytes(SOURCE.read_bytes())
        how = (*toolchain.target_flags(target), *_HARNESS, *flags)
        toolchain.compile([*how, "-c", "harness.c", "-o", "harness.o"], folder)
        return CompilerOutput((folder / "harness.o").read_bytes(), (), "")
