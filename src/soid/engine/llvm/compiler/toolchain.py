"""The compiler: the clang that the user names, else the one in the `ziglang` wheel, else the machine's newest.

Of the machine's clangs only those are taken that read what soid's LLVM prints, and whose output it reads in its turn.

Measured with ziglang 0.17 (clang 22.1), which is why things are as they are here:

- `zig cc` targets the machine's own processor and adds sanitizer traps unless told otherwise.
- `zig cc -MD` takes the output away together with the dependency file, so dependencies come from a run of their own.
- Linking with zig's default libraries compiles its runtimes first, about half a minute, once a machine, most of it
  one for messages about undefined behaviour, which soid does not use; `-nostdlib -lm -lc` takes half a second, with
  `-lcompiler_rt` seven at first. So the quick way is tried first, and the runtime is linked only where a symbol of
  it is missing (128-bit division, half precision).
- Without the runtime every mathematical function is the system's, bound when the object is loaded. The runtime brings
  its own sin, cos, tan, sincos, exp, exp2, log, log2, log10, fma, fmod, fmin, fmax, floor, ceil, trunc, round and sqrt,
  which then take the place of the system's (pow and all others stay): their last bits may differ.
- Undefined-behaviour traps work and need no runtime. The address and memory sanitizers compile, but their runtimes
  are not in the wheel, so such an object cannot be loaded.
"""

from __future__ import annotations

import importlib.util
import os
import re
import shutil
from collections.abc import Sequence
from functools import cache
from pathlib import Path
from typing import Final, final

from msgspec import Struct
from msgspec.structs import replace

from soid.allowance import MORE_MEMORY, allowance
from soid.cache import cache_folder, can_be_written, user_caches
from soid.engine.llvm.compiler.tool_process import ToolRun, run_tool
from soid.errors import CompileError, EnvironmentalError, MemoryLimitError
from soid.jail.cell import LIBRARIES, Cell, SystemCalls
from soid.jail.launcher import NO_COMPILER, OLDEST_CLANG, layers, packaged_zig, system_clangs

#: what a program is compiled for unless soid.toml says otherwise: fixed, so that answers do not depend on the machine
DEFAULT_TARGET: Final = "x86_64-linux-gnu"

#: the wheel's compiler runtime without its others, for `-nostdlib`; what is linked is the same as without that flag
RUNTIME: Final = ("-lcompiler_rt",)

#: what compilers and linkers print where they get no more memory
_NO_MEMORY: Final = re.compile(r"out of memory|OutOfMemory|bad_alloc|Cannot allocate memory", re.IGNORECASE)
_DIAGNOSTIC: Final = re.compile(r"\S.*?: ((?:fatal )?error|warning|note): ")
_MOST_TEXT: Final = 4000  # characters that are shown of what a compiler prints,
_MOST_ERRORS: Final = 10
_MOST_INCLUDES: Final = 3  # lines that say how a file was reached
_MOST_LINE: Final = 300
MOST_LINES: Final = 200  # of a compiler's words that are kept
MOST_WORDS: Final = 20_000  # characters of them

_MISSING_HEADER: Final = re.compile(
    r"^(?P<where>[^\s:][^:\n]*:\d+):\d+: fatal error: '(?P<header>[^'\n]+)' file not found", re.MULTILINE
)
# Environment variables that change what the compiler reads or does, and secrets that it has no use for.
_HIDDEN_SETTINGS: Final = (
    "CPATH",
    "C_INCLUDE_PATH",
    "CPLUS_INCLUDE_PATH",
    "OBJC_INCLUDE_PATH",
    "CCC_OVERRIDE_OPTIONS",
    "COMPILER_PATH",
    "LIBRARY_PATH",
    "SOID_KEY_PASSPHRASE",
    "SOID_KEY_PASSPHRASE_FILE",
)
#: where a compiler that the user names may have its parts, besides the machine's libraries
_SYSTEM: Final = ("/usr", "/lib32", "/opt", "/etc/alternatives", *LIBRARIES)
OWN_CACHE: Final = "zig"  # of a confined compiler, in the folder that it writes to
_MOST_WRITTEN: Final = 256 << 20  # bytes of one file
_MOST_FILES: Final = 512  # open at once
UNDEFINED_SYMBOL: Final = re.compile(r"undefined (?:symbol: |reference to [`'])([^\s'`]+)")  # of lld, of ld
RUNTIME_SYMBOL: Final = re.compile(r"__[a-z]+(?:[sdtx][fi]|hf|bf|[sdtx]c)\d*[a-z]*\d?\Z")


@final
class Toolchain(Struct, frozen=True):
    """A compiler and how it is called."""

    command: tuple[str, ...]  # what comes before the flags
    zig: bool  # whether it is the wheel's
    version: str  # as it reports it; part of the cache's key
    cell: Cell = Cell(calls=SystemCalls.ALL, alone=True)  # what it may do

    @property
    def name(self) -> str:
        """What answers and records call it: the first line of what it says of its version."""
        return self.version.partition("\n")[0]

    def confined(self, read: Sequence[Path], scratch: Path) -> Toolchain:
        """The same compiler for a stranger's program: it sees the places named, itself, and a folder to write in.

        Its own cache is in that folder too: what a stranger's program could put there must not reach another program.
        """
        folders = compiler_folders() if self.zig else [str(Path(self.command[0]).resolve().parent), *_SYSTEM]
        cell = Cell(
            calls=SystemCalls.TOOL,
            run=tuple(folders),
            read=tuple(read),
            write=(scratch, "/dev/null"),
            strict=layers().locks_files,
            alone=True,
            written=_MOST_WRITTEN,
            files=_MOST_FILES,
        )
        return replace(self, cell=cell)

    def target_flags(self, target: str) -> tuple[str, ...]:
        """Flags that fix the target and its plainest processor."""
        if self.zig:
            return ("-target", target, "-mcpu=baseline")
        baseline = ("-march=x86-64",) if target.startswith("x86_64") else ()
        return (f"--target={target}", *baseline)

    def for_cplusplus(self) -> Toolchain:
        if self.zig:
            return replace(self, command=(*self.command[:-1], "c++"))
        return replace(self, command=(*self.command, "--driver-mode=g++"))

    def run(self, flags: Sequence[str], folder: Path) -> ToolRun:
        """Run the compiler in a folder, within what the work may take; its words are kept, not shown."""
        most = allowance().memory
        try:
            done = run_tool([*self.command, *flags], folder, self._environment(), self.cell)
        except OSError as error:
            raise EnvironmentalError(f"the compiler cannot be started: {error}", NO_COMPILER) from error
        if done.returncode != 0 and most is not None and _NO_MEMORY.search(done.stderr):
            raise MemoryLimitError(f"compiling the program needs more than {most >> 20} MiB", MORE_MEMORY)
        return done

    def _environment(self) -> dict[str, str]:
        if self.cell.calls is SystemCalls.TOOL:
            scratch = str(self.cell.write[0])
            caches = dict.fromkeys(("ZIG_GLOBAL_CACHE_DIR", "ZIG_LOCAL_CACHE_DIR"), f"{scratch}/{OWN_CACHE}")
            return {"PATH": os.defpath, "HOME": scratch, "TMPDIR": scratch, **caches}
        environment = {key: value for key, value in os.environ.items() if key not in _HIDDEN_SETTINGS}
        if self.zig and not can_be_written(user_caches() / "zig"):
            environment.setdefault("ZIG_GLOBAL_CACHE_DIR", str(cache_folder() / "zig"))
        return environment

    def compile(self, flags: Sequence[str], folder: Path) -> str:
        """Run the compiler; its warnings are returned, its errors raised, as it wrote them: the first of many."""
        done = self.run(flags, folder)
        if done.returncode != 0:
            words = first_errors(done.stderr.strip() or done.stdout.strip())
            if missing := _MISSING_HEADER.search(words):
                raise CompileError(
                    f"{missing['where']} includes {missing['header']}, which is in none of the folders for #include",
                    "Put that file beside the sources, or name the folder that has it: "
                    '[program] include = ["folder"]; or use compile_commands.',
                )
            raise CompileError(
                f"the compiler refused the program:\n{words}",
                "correct the program, or the include paths, defines and flags in soid.toml",
            )
        return bounded("\n".join(line for line in done.stderr.splitlines() if not line.startswith("zig: warning:")))

    def link(self, target: str, objects: Sequence[str], output: str, folder: Path) -> None:
        """Link objects into a shared one; undefined symbols are bound when they are first called."""
        start = [*self.target_flags(target), "-shared", "-Wl,-z,lazy", *objects, "-o", output, "-lm"]
        if not self.zig:
            self.compile(start, folder)
            return
        strict = self.run([*start, "-lc", "-nostdlib", "-Wl,-z,defs"], folder)
        if strict.returncode != 0:
            missing = UNDEFINED_SYMBOL.findall(strict.stderr)
            with_runtime = not missing or any(RUNTIME_SYMBOL.match(name) for name in missing)
            self.compile([*start, "-lc", "-nostdlib", *(RUNTIME if with_runtime else ())], folder)


def first_errors(words: str) -> str:
    """What a compiler printed; of long words the first errors, each with the lines that belong to it.

    >>> long = "a.c:1:2: warning: odd\\n" * 300 + "a.c:2:1: error: no type\\n    2 | x\\na.c:3:1: warning: odd"
    >>> print(first_errors(long))
    a.c:2:1: error: no type
        2 | x
    """
    if len(words) <= _MOST_TEXT:
        return words
    shown: list[str] = []
    included: list[str] = []
    errors, keeps = 0, False
    for line in words.splitlines():
        if line.startswith("In file included from "):
            included.append(line)
            continue
        if (kind := _DIAGNOSTIC.match(line)) is not None and kind[1] != "note":
            errors, keeps = errors + ("error" in kind[1]), "error" in kind[1]
            if errors > _MOST_ERRORS:
                break
            shown += included[:_MOST_INCLUDES] if keeps else []
            included = []
        if keeps:
            shown.append(line[:_MOST_LINE])
    return "\n".join(shown)[:_MOST_TEXT] or words[:_MOST_TEXT]


def bounded(words: str) -> str:
    """The beginning of a compiler's words, in whole lines: a file that is no source makes it say any amount.

    >>> bounded("a.c:1: warning: odd\\n" * 500).splitlines()[-2:]
    ['a.c:1: warning: odd', '... and 300 more lines']
    """
    lines = words.splitlines()
    kept: list[str] = []
    room = MOST_WORDS
    for line in lines[:MOST_LINES]:
        room -= len(line) + 1
        if room < 0:
            break
        kept.append(line)
    if not kept and lines:
        kept = [lines[0][:MOST_WORDS]]
    left = len(lines) - len(kept)
    return "\n".join([*kept, *([f"... and {left} more lines"] if left else [])])


def find_toolchain(clang: str | None = None) -> Toolchain:
    """The compiler to use: a path or a name on PATH, or None for the wheel's, or else the machine's."""
    if clang is not None:
        path = shutil.which(clang)
        if path is None:
            raise EnvironmentalError(f"there is no compiler {clang!r}", f"Name another in soid.toml. {NO_COMPILER}")
        return _of_the_machine(path)
    binary = packaged_zig()
    if binary is not None:
        return Toolchain((str(binary), "cc"), True, f"ziglang {installed_version('ziglang')}")
    from llvmlite.binding import llvm_version_info  # most questions have the wheel's, and need not load it for this

    newest = llvm_version_info[0]
    suitable = [path for number, path in system_clangs().items() if number <= newest]
    if not suitable:
        raise EnvironmentalError(f"there is no C compiler (clang {OLDEST_CLANG} to {newest})", NO_COMPILER)
    return _of_the_machine(str(suitable[0]))


def _of_the_machine(path: str) -> Toolchain:
    named = Toolchain((path,), False, "")
    return replace(named, version=named.run(["--version"], Path.cwd()).stdout.strip())


@cache
def installed_version(package: str) -> str:
    """The version of a package, read from the name of pip's folder beside it.

    `importlib.metadata` takes longer than reading a whole program; it is asked only where that folder is not found.
    """
    spec = importlib.util.find_spec(package)
    places = (spec.submodule_search_locations or ()) if spec is not None else ()
    found = [path for place in places for path in Path(place).parent.glob(f"{package}-*.dist-info")]
    if len(found) == 1:
        return found[0].name.removeprefix(f"{package}-").removesuffix(".dist-info")
    from importlib.metadata import version

    return version(package)


def compiler_folders() -> list[str]:
    """Where the compiler in the wheel lies: its headers are in the debug information with their whole path."""
    spec = importlib.util.find_spec("ziglang")
    found = [Path(place) for place in (spec.submodule_search_locations or ())] if spec is not None else []
    return list(dict.fromkeys(str(path) for place in found for path in (place, place.resolve())))
