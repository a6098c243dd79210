"""A program as an executable that replays it: the program's own code, the trampoline, the harness.

The program's code comes from the compiler's own output: the module that the engine analyses, or its twin with traps,
to which nothing is added but a caller; the same compiler makes machine code of it, without optimisation. Functions
that nobody defines do not keep it from being linked; calling one ends the replay.
"""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Sequence
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
    undefined: tuple[str, ...]  # what the program uses and nobody defines, in the order of the harness's numbers
    compiler: str  # in words


def build_executable(loaded: LoadedProgram, variant: Variant, feeds: Sequence[Feed]) -> Executable:
    """Compile the program for replay; unchanged programs come from the cache."""
    linking = _Linking(loaded, find_toolchain(loaded.build.clang), variant, feeds)
    entry = linking.cached("exe", linking.make, linking.text, stand_ins(loaded, feeds, ()), *_CODE)
    return Executable(entry.path, tuple(entry.words.split()), linking.toolchain.version.splitlines()[0])


@final
class _Linking:
    """One executable on its way."""

    def __init__(self, loaded: LoadedProgram, toolchain: Toolchain, variant: Variant, feeds: Sequence[Feed]) -> None:
        self.loaded = loaded
        self.toolchain = toolchain
        self.feeds = feeds
        self.target = loaded.build.target
        # traps stand for what is written, so they go with the program that is not optimised
        written = loaded.twin if loaded.twin is not None and variant is Variant.TRAPPING else loaded
        self.text = compile_ir(written.build, variant).text + trampoline(written)

    def cached(self, suffix: str, make: Callable[[], CompilerOutput], *parts: str) -> CachedOutput:
        """A result that depends on the harness, the compiler and the parts."""
        cache = ContentCache(cache_folder() / "replay", self.loaded.build.root)
        return cache.fetch(digest(self.toolchain.version, self.target, SOURCE.read_bytes(), *parts), suffix, (), make)

    def make(self) -> CompilerOutput:
        harness = harness_object(self.toolchain, self.target)
        with tempfile.TemporaryDirectory() as scratch:
            folder = Path(scratch)
            (folder / "program.ll").write_text(self.text, errors="surrogateescape")
            undefined = self._link(folder, harness)
            return CompilerOutput((folder / "replay").read_bytes(), (), "\n".join(undefined), executable=True)

    def _link(self, folder: Path, harness: Path) -> list[str]:
        """Link, first without stand-ins for what is not defined; gives the names that nobody defines."""
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
        """What a C++ program uses of its run-time library, which is not linked; linkers name it in another way."""
        module = self.loaded.module
        open_ = [f.name for f in module.functions.values() if not f.defined]
        open_ += [v.name for v in module.globals.values() if v.initializer is None]
        return [name for name in open_ if name.startswith("_Z") or name in _ABI]

    def _try(self, folder: Path, harness: Path, *, runtime: bool) -> str:
        """Link; gives the linker's words where it fails. The harness is where the process begins, not the C library."""
        libraries = ("-nostdlib", "-lm", "-lc", *(RUNTIME if runtime else ())) if self.toolchain.zig else ("-lm",)
        objects = (str(harness), "program.ll", "stand_ins.ll")
        flags = (*self.toolchain.target_flags(self.target), *_CODE, "-Wl,-e,soid_start")
        done = self.toolchain.run([*flags, *objects, *libraries, "-o", "replay"], folder)
        return "" if done.returncode == 0 else done.stderr or done.stdout or "the linker failed"
