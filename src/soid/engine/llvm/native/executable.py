"""Builds the executable for a replay: the program's own code, the trampoline and the harness.

A program that calls nothing of the C library is linked without one: no loader comes before the harness. What comes out
is looked at (`executable_check.py`) before it is run.

The program's code is the module that the engine analyses, or its twin with traps, and a caller is all that is added;
the same compiler makes machine code of it, without optimisation. Undefined functions get stand-ins, so that the program
can be linked; calling one ends the replay. The harness is the same for every program: it is compiled once per machine,
while the program is compiled.
"""

from __future__ import annotations

import re
import tempfile
import threading
from collections.abc import Sequence, Set
from contextlib import suppress
from pathlib import Path
from typing import Final, final

from msgspec import Struct

from soid.cache import cache_folder, digest
from soid.engine.llvm.compiler.build_cache import CompilerOutput, ContentCache
from soid.engine.llvm.compiler.compilation import Variant, compile_ir
from soid.engine.llvm.compiler.library_stock import bring_library
from soid.engine.llvm.compiler.toolchain import RUNTIME, RUNTIME_SYMBOL, UNDEFINED_SYMBOL, Toolchain, find_toolchain
from soid.engine.llvm.loaded_program import LoadedProgram
from soid.engine.llvm.native.executable_check import START, surprise
from soid.engine.llvm.native.trampoline import stand_ins, trampoline
from soid.engine.llvm.symbolic.library.external_functions import DescribedFunction
from soid.errors import CompileError, SoidError
from soid.jail.cell import left_behind
from soid.jail.launcher import SYSTEM

SOURCE: Final = Path(__file__).with_name("harness.c")
_BLOCK_MEMORY: Final = Path(__file__).with_name("block_memory.c")
_HARNESS: Final = ("-O1", "-fno-sanitize=all", "-fPIC", "-ffreestanding", "-fno-builtin", "-fno-stack-protector")
_CODE: Final = ("-O0", "-ffp-contract=off", "-fno-sanitize=all", "-fPIC", "-Wno-override-module")
#: under an emulator: no C library of another processor is at hand, and what the program calls of it is not defined
_EMULATED: Final = ("-DSOID_EMULATED",)
_FREESTANDING: Final = ("-ffreestanding", "-fno-builtin")  # for what stands in for the C library
#: what the harness defines, and what `block_memory.c` does
_OF_THE_HARNESS: Final = frozenset({"__assert_fail", "memcpy", "memmove", "memset"})
_ABI: Final = (
    *("__cxa_throw", "__cxa_rethrow", "__cxa_allocate_exception", "__cxa_free_exception", "__cxa_get_exception_ptr"),
    *("__cxa_begin_catch", "__cxa_end_catch", "__cxa_guard_acquire", "__cxa_guard_release", "__cxa_guard_abort"),
    *("__cxa_pure_virtual", "__gxx_personality_v0"),
)
_OF_THREADS: Final = re.compile(r"^@[^\n]* = [^\n\"]*\bthread_local\b", re.MULTILINE)
_ROUNDS: Final = 50  # linkers name a few undefined symbols at a time
_LOADED: Final = "loaded"
_ALONE: Final = "alone"

_early: Final[dict[str, threading.Thread]] = {}  # by key: the thread that compiles the harness just now
_lock: Final = threading.Lock()


@final
class Executable(Struct, frozen=True):
    """What is run."""

    path: Path
    undefined: tuple[str, ...]  # symbols that the program uses and nothing defines, by the harness's numbers
    compiler: str  # in words
    loaded: bool  # it uses the C library, and a loader brings it


def build_executable(
    loaded: LoadedProgram, variant: Variant, feeds: Sequence[DescribedFunction], *, emulated: bool = False
) -> Executable:
    """Compile the program for replay; unchanged programs come from the cache."""
    linking = _Linking(loaded, variant, feeds, emulated=emulated)
    parts = (linking.target, linking.text, stand_ins(loaded, feeds, ()), *_CODE, *(_EMULATED if emulated else ()))
    stranger = "stranger" if loaded.build.confined_to is not None else ""
    key = digest(linking.toolchain.version, stranger, *parts, *_sources())
    entry = ContentCache(cache_folder() / "replay", loaded.build.root).fetch(key, "exe", (), linking.make)
    loader, *undefined = entry.words.split()
    return Executable(entry.path, tuple(undefined), linking.toolchain.name, loader == _LOADED)


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
        self.library = False  # whether it is linked with the C library
        self.target = loaded.build.target
        # traps check the program as written, so they need the version without optimisation
        written = loaded.twin if loaded.twin is not None and variant is Variant.TRAPPING else loaded
        self.text = compile_ir(written.build, variant).text + trampoline(written)

    def make(self) -> CompilerOutput:
        harness = harness_object(self.toolchain, self.target, _EMULATED if self.emulated else ())
        with tempfile.TemporaryDirectory() as scratch:
            folder = Path(scratch)
            if self.loaded.build.confined_to is not None:
                self.toolchain = self.toolchain.confined([harness], folder)
            (folder / "program.ll").write_text(self.text, errors="surrogateescape")
            (folder / _BLOCK_MEMORY.name).write_bytes(_BLOCK_MEMORY.read_bytes())
            undefined = self._link(folder, harness)
            content = left_behind(folder / "replay")
        if why := surprise(content):
            raise CompileError(f"the program would run, or direct the system, before it is confined: {why}")
        return CompilerOutput(
            content, (), "\n".join((_LOADED if self.library else _ALONE, *undefined)), executable=True
        )

    def _link(self, folder: Path, harness: Path) -> list[str]:
        """Link, first without stand-ins for undefined symbols; gives the names of these symbols."""
        fed = {feed.function for feed in self.feeds}
        undefined = [name for name in self._not_reported() if name not in fed]
        self.library = not self.emulated and self._needs_library({*fed, *undefined})
        runtime, words = self.emulated, ""
        for _ in range(_ROUNDS):
            (folder / "stand_ins.ll").write_text(stand_ins(self.loaded, self.feeds, undefined))
            words = self._try(folder, harness, runtime=runtime)
            missing = [name for name in dict.fromkeys(UNDEFINED_SYMBOL.findall(words)) if name not in undefined]
            if not words:
                return undefined
            if not missing:
                break
            if not self.library and not self.emulated:
                self.library = True
            elif not runtime and any(RUNTIME_SYMBOL.match(name) for name in missing):
                runtime = True
            else:
                undefined += missing
        raise CompileError(f"the program cannot be linked for its replay:\n{words}")

    def _needs_library(self, provided: Set[str]) -> bool:
        """Whether the program calls a function that may be the C library's, or has variables of its threads."""
        module = self.loaded.module
        called = (f.name for f in module.functions.values() if not f.defined and not f.name.startswith("llvm."))
        return _OF_THREADS.search(self.text) is not None or any(
            name not in provided and name not in _OF_THE_HARNESS for name in called
        )

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
        objects, libraries = [str(harness), "program.ll", "stand_ins.ll"], ["-nostdlib"]
        if self.emulated:
            libraries += ["-static", *RUNTIME]
        elif not self.library:
            objects += [_BLOCK_MEMORY.name]
            libraries += ["-static", *_FREESTANDING]
        else:
            libraries = [*(libraries if self.toolchain.zig else ()), "-lm", "-lc"]
            if self.toolchain.zig and self.loaded.build.confined_to is not None:
                bring_library(self.toolchain, self.target, tuple(libraries), folder)
            libraries += RUNTIME if runtime else ()
        flags = (*self.toolchain.target_flags(self.target), *_CODE, f"-Wl,-e,{START}")
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
    return digest(toolchain.version, target, *_sources(), *_HARNESS, *flags)


def _sources() -> list[bytes]:
    return [source.read_bytes() for source in (SOURCE, SYSTEM, _BLOCK_MEMORY)]


def _made(toolchain: Toolchain, target: str, flags: Sequence[str]) -> CompilerOutput:
    with tempfile.TemporaryDirectory() as scratch:
        folder = Path(scratch)
        for source in (SOURCE, SYSTEM):
            (folder / source.name).write_bytes(source.read_bytes())
        how = (*toolchain.target_flags(target), *_HARNESS, *flags)
        toolchain.compile([*how, "-c", "harness.c", "-o", "harness.o"], folder)
        return CompilerOutput((folder / "harness.o").read_bytes(), (), "")
