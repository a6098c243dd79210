"""Builds the executable for a replay: the program's own code, the trampoline and the harness.

The program's code is the module that the engine analyses, or its twin with traps, and a caller is all that is added;
the same compiler makes machine code of it, without optimisation. Undefined functions get stand-ins, so that the program
can be linked; calling one ends the replay.
"""

from __future__ import annotations

import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Final, final

from msgspec import Struct

from soid.cache import cache_folder, digest
from soid.engine.llvm.compiler.build_cache import CachedOutput, CompilerOutput, ContentCache
from soid.engine.llvm.compiler.compilation import Variant, compile_ir
from soid.engine.llvm.compiler.toolchain import RUNTIME, RUNTIME_SYMBOL, UNDEFINED_SYMBOL, Toolchain, find_toolchain
from soid.engine.llvm.loaded_program import LoadedProgram
from soid.engine.llvm.native.harness import SOURCE, harness_object
from soid.engine.llvm.native.trampoline import Feed, stand_ins, trampoline
from soid.errors import CompileError

_CODE: Final = ("-O0", "-ffp-contract=off", "-fno-sanitize=all", "-fPIC", "-Wno-override-module")
_ABI: Final = frozenset(
    f"__cxa_{name}"
    for name in ("throw", "rethrow", "allocate_exception", "free_exception", "begin_catch", "end_catch", "pure_virtual")
) | {
    "__cxa_get_exception_ptr",
    "__cxa_guard_acquire",
    "__cxa_guard_release",
    "__cxa_guard_abort",
    "__gxx_personality_v0",
}
_ROUNDS: Final = 50  # linkers name a few undefined symbols at a time


@final
class Executable(Struct, frozen=True):
    """What is run."""

    path: Path
    undefined: tuple[str, ...]  # symbols that the program uses and nothing defines, by the harness's numbers
    compiler: str  # in words


def build_executable(loaded: LoadedProgram, variant: Variant, feeds: Sequence[Feed]) -> Executable:
    """Compile the program for replay; unchanged programs come from the cache."""
    linking = _Linking(loaded, find_toolchain(loaded.build.clang), variant, feeds)
    entry = linking.cached()
    return Executable(entry.path, tuple(entry.words.split()), linking.toolchain.version.splitlines()[0])


@final
class _Linking:
    """Links one executable."""

    def __init__(self, loaded: LoadedProgram, toolchain: Toolchain, variant: Variant, feeds: Sequence[Feed]) -> None:
        self.loaded = loaded
        self.toolchain = toolchain
        self.feeds = feeds
        self.target = loaded.build.target
        # traps check the program as written, so they need the version without optimisation
        written = loaded.twin if loaded.twin is not None and variant is Variant.TRAPPING else loaded
        self.text = compile_ir(written.build, variant).text + trampoline(written)

    def cached(self) -> CachedOutput:
        cache = ContentCache(cache_folder() / "replay", self.loaded.build.root)
        parts = (self.target, SOURCE.read_bytes(), self.text, stand_ins(self.loaded, self.feeds, ()), *_CODE)
        return cache.fetch(digest(self.toolchain.version, *parts), "exe", (), self._make)

    def _make(self) -> CompilerOutput:
        harness = harness_object(self.toolchain, self.target)
        with tempfile.TemporaryDirectory() as scratch:
            folder = Path(scratch)
            (folder / "program.ll").write_text(self.text, errors="surrogateescape")
            undefined = self._link(folder, harness)
            return CompilerOutput((folder / "replay").read_bytes(), (), "\n".join(undefined), executable=True)

    def _link(self, folder: Path, harness: Path) -> list[str]:
        """Link, first without stand-ins for undefined symbols; gives the names of these symbols."""
        undefined = self._of_cplusplus()
        runtime, words = False, ""
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

    def _of_cplusplus(self) -> list[str]:
        """What a C++ program uses of its run-time library, which is not linked: linkers report other names for it."""
        module = self.loaded.module
        open_ = [f.name for f in module.functions.values() if not f.defined]
        open_ += [v.name for v in module.globals.values() if v.initializer is None]
        return [name for name in open_ if name.startswith("_Z") or name in _ABI]

    def _try(self, folder: Path, harness: Path, *, runtime: bool) -> str:
        """Link; gives the linker's messages if it fails. The process starts in the harness, not in the C library."""
        libraries = ("-nostdlib", "-lm", "-lc", *(RUNTIME if runtime else ())) if self.toolchain.zig else ("-lm",)
        objects = (str(harness), "program.ll", "stand_ins.ll")
        flags = (*self.toolchain.target_flags(self.target), *_CODE, "-Wl,-e,soid_start")
        done = self.toolchain.run([*flags, *objects, *libraries, "-o", "replay"], folder)
        return "" if done.returncode == 0 else done.stderr or done.stdout or "the linker failed"
