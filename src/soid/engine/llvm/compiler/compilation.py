"""Source files to one LLVM module, for analysis and for replay, and to shared objects.

Analysed and replayed code are compiled with the same flags: no contraction, no instrumentation, and no optimisation
unless the user asks for it. Without optimisation the IR is what the front end wrote: not one LLVM pass has run over it,
so that what could fail in the source can fail here. With it the IR is what the optimiser left.

What the trapping variant catches with the wheel's compiler (measured, ziglang 0.17): signed overflow, division by
zero, shifts, float-to-int out of range, indices of arrays of known length (local, global, in structs), null and
misaligned access, invalid bool loads, unreachable code, wrong function pointers, non-positive VLA lengths, pointer
overflow. Not: out-of-bounds through a bare pointer, the heap, use after free, uninitialised values, and in C a missing
return. `abort` and `assert` end in SIGABRT in both variants.
"""

from __future__ import annotations

import os
import re
import tempfile
from collections import deque
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from enum import Enum
from importlib import import_module
from pathlib import Path
from threading import Thread
from typing import TYPE_CHECKING, Any, Final, Protocol, final

from msgspec import Struct
from msgspec.structs import replace

from soid.allowance import allowed, carried
from soid.budget import Cancellation
from soid.cache import cache_folder, digest
from soid.engine.llvm.compiler import jailed_linker, module_linker
from soid.engine.llvm.compiler.build_cache import CompilerOutput, ContentCache
from soid.engine.llvm.compiler.compiler_flags import check_flags, level_of
from soid.engine.llvm.compiler.module_linker import llvm_version
from soid.engine.llvm.compiler.sketch import SKETCH, as_source, parts_of_sketch, refuse_without_header
from soid.engine.llvm.compiler.toolchain import DEFAULT_TARGET, Toolchain, bounded, compiler_folders, find_toolchain
from soid.engine.llvm.ir.symbol_names import demangled
from soid.errors import CompileError
from soid.jail.cell import left_behind
from soid.jail.launcher import layers

if TYPE_CHECKING:
    from concurrent.futures import Future

#: for analysis and replay alike
_COMMON: Final = (
    "-g",
    "-ffp-contract=off",
    "-fno-stack-protector",
    "-fdebug-compilation-dir=.",  # no machine's paths in the module
    # inlined, what they return for opposite zeros depends on what the back end knows of the operands
    *("-fno-builtin-fmin", "-fno-builtin-fminf", "-fno-builtin-fmax", "-fno-builtin-fmaxf"),
)
IR_OUTPUT: Final = ("-fno-discard-value-names", "-c", "-emit-llvm")
UNTOUCHED: Final = ("-fno-sanitize=all",)
AS_WRITTEN: Final = ("-Xclang", "-disable-O0-optnone", "-Xclang", "-disable-llvm-passes")
_TRAPS: Final = (
    "-fsanitize=undefined,float-cast-overflow,local-bounds",
    "-fsanitize-trap=undefined,float-cast-overflow,local-bounds",
)
# What the engine calls a failure, no more: 1 << 31 and misaligned access are none, and the last array of a struct is
# flexible only where it has at most one element. Passes run, because one of them puts in traps.
_TRAPPING_IR: Final = (*_TRAPS, "-fno-sanitize=shift-base,alignment", "-fstrict-flex-arrays=1", *IR_OUTPUT)
#: At -O1 clang describes the functions that are called and only declared; the passes that would change code stay off.
_DECLARATIONS: Final = ("-g", "-O1", "-Xclang=-disable-llvm-passes", *UNTOUCHED, *IR_OUTPUT)
#: std::string, as far as the library's header leaves it to the library's binary
STRINGS: Final = Path(__file__).with_name("string.cpp")
_STRING: Final = re.compile(
    r"^declare .*@_ZNK?St3__112basic_stringIcNS_11char_traitsIcEENS_9allocatorIcEEE", re.MULTILINE
)
#: the beginning of the names that stand for the types of `extern` variables
DECLARED: Final = "soid_declared_"
READY: Final = frozenset({".ll", ".bc"})
CPLUSPLUS: Final = frozenset({".cc", ".cp", ".cpp", ".cxx", ".c++", ".C", ".CPP", ".ii", SKETCH})
#: what a preprocessor has written is C again: its directives say only where lines come from
_PREPROCESSED: Final = {".i": ("-x", "c"), ".ii": ("-x", "c++")}


class Variant(Enum):
    """How a shared object is compiled."""

    PLAIN = "plain"  # as the program would be
    TRAPPING = "trapping"  # undefined behaviour stops it


@final
class Build(Struct, frozen=True):
    """What to compile, and how."""

    sources: tuple[Path, ...]  # C files; for analysis also ready-made .ll and .bc files
    include: tuple[Path, ...] = ()  # folders for #include
    defines: tuple[str, ...] = ()  # "NAME" or "NAME=VALUE"
    flags: tuple[str, ...] = ()  # the user's own; `compiler_flags` refuses some
    target: str = DEFAULT_TARGET
    clang: str | None = None  # a path, or a name on PATH; None for the wheel's
    root: Path = Path()  # what relative paths are relative to
    commands: tuple[tuple[Path, tuple[str, ...]], ...] = ()  # sources with flags of their own, which come first
    extern: tuple[str, ...] = ()  # variables that no source defines, of which the types are wanted
    stubs: tuple[Path, ...] = ()  # of the sources: those that define what the others leave undefined
    confined_to: Path | None = None  # a stranger's: the folder outside of which compilers read nothing but themselves

    def own_flags(self, source: Path) -> tuple[str, ...]:
        """The flags of one source, without what all have in common."""
        return dict(self.commands).get(source, ())

    def level_of(self, source: Path) -> str:
        """How far the compiler optimises one source: -O0, -O2."""
        return level_of((*self.own_flags(source), *self.flags))

    @property
    def level(self) -> str:
        """How far the compiler optimises; of sources that differ, the one that is optimised."""
        levels = [self.level_of(source) for source in self.sources if source.suffix not in READY]
        return next((level for level in levels if level != "-O0"), level_of(self.flags) if not levels else "-O0")

    @property
    def ready_made(self) -> bool:
        """Whether there is nothing to compile: all of the program is LLVM IR already."""
        return all(source.suffix in READY for source in self.sources)

    @property
    def as_written(self) -> bool:
        """Whether all of the program is analysed as the front end wrote it: from source, and not optimised."""
        return self.level == "-O0" and not any(source.suffix in READY for source in self.sources)

    def unoptimised(self) -> Build:
        return replace(self, flags=(*self.flags, "-O0"))

    def user_flags(self) -> tuple[str, ...]:
        """The user's part of the command line."""
        return (*self.flags, *(f"-D{name}" for name in self.defines), *(f"-I{folder}" for folder in self.include))

    def search(self) -> tuple[Path, ...]:
        """Folders in which an #include of the user's is looked up."""
        own = [Path(flag[2:]) for _, flags in self.commands for flag in flags if flag.startswith("-I")]
        return tuple(dict.fromkeys((*(source.parent for source in self.sources), *self.include, *own)))


@final
class CompiledIR(Struct, frozen=True):
    """One linked, checked module."""

    text: str  # LLVM's canonical text, for `read_module`
    files: tuple[str, ...]  # sources and headers, as the compiler named them, relative to the build's root
    words: str  # the compiler's warnings

    @property
    def portable(self) -> bytes:
        """The text, without the folder that the compiler happens to be installed in."""
        text = self.text
        for folder in compiler_folders():
            text = text.replace(folder, "")
        return text.encode(errors="surrogateescape")


def compile_ir(build: Build, variant: Variant = Variant.PLAIN) -> CompiledIR:
    """Compile for analysis, or with traps for replay; unchanged programs come from the cache."""
    toolchain = _prepare(build)
    flags = (*_COMMON, *(_TRAPPING_IR if variant is Variant.TRAPPING else (*UNTOUCHED, *IR_OUTPUT, *AS_WRITTEN)))
    key = _key(build, toolchain, "ir", llvm_version(), STRINGS.read_text(), *flags)
    entry = _cache(build).fetch(key, "ll", build.search(), lambda: _make_ir(build, toolchain, flags))
    return CompiledIR(entry.path.read_text(errors="surrogateescape"), entry.files, entry.words)


def compile_declarations(build: Build) -> str:
    """A module of the same sources in which the functions that they only declare have debug info.

    For each of the build's `extern` variables it has a pointer to the variable's type, DECLARED with a number.
    """
    toolchain = _prepare(build)
    key = _key(build, toolchain, "declarations", llvm_version(), *_DECLARATIONS, "|", *build.extern)
    entry = _cache(build).fetch(key, "ll", build.search(), lambda: _make_declarations(build, toolchain))
    return entry.path.read_text(errors="surrogateescape")


def compile_native(build: Build, variant: Variant = Variant.PLAIN) -> Path:
    """Compile to a shared object in the cache, and give its path.

    Undefined functions stay undefined; a loader that binds all of them at once, as `ctypes` does, needs them defined.
    """
    toolchain = _prepare(build)
    flags = (*_COMMON, *(_TRAPS if variant is Variant.TRAPPING else UNTOUCHED), "-fPIC")
    key = _key(build, toolchain, "native", *flags)
    return _cache(build).fetch(key, "so", build.search(), lambda: _make_native(build, toolchain, flags)).path


def _prepare(build: Build) -> Toolchain:
    for flags in (build.flags, *(own for _, own in build.commands)):
        check_flags(flags)
    if not build.sources:
        raise CompileError("there is nothing to compile", "name the source files in soid.toml")
    for source in build.sources:
        if not (build.root / source).is_file():
            raise CompileError(f"there is no file {source}", f"paths are relative to {build.root}")
    return find_toolchain(build.clang)


def _confined(build: Build, toolchain: Toolchain, scratch: Path) -> Toolchain:
    """The compiler for this program, which writes into the scratch folder."""
    if build.confined_to is None:
        return toolchain
    return toolchain.confined([build.confined_to, STRINGS], scratch)


def linker_of(build: Build) -> Linker:
    """What reads modules of this program: LLVM in this process, or in the jail.

    A stranger's are read in the jail, and so are modules that were not compiled here: LLVM ends its process over a
    damaged one. Where a machine has no jail at all, one's own are read here.
    """
    ready = any(source.suffix in READY for source in build.sources) and layers().filter
    return jailed_linker if build.confined_to is not None or ready else module_linker


class Linker(Protocol):
    """What the two modules have in common; `module_linker` says what each function does."""

    def canonical_text(self, modules: Sequence[bytes]) -> str: ...

    def defined_symbols(self, data: bytes, *, inline: bool) -> frozenset[str]: ...

    def undefined_variables(self, data: bytes) -> frozenset[str]: ...


def _cache(build: Build) -> ContentCache:
    return ContentCache(cache_folder() / "compile", build.root)


def _key(build: Build, toolchain: Toolchain, *more: str) -> str:
    contents = [part for source in build.sources for part in (str(source), (build.root / source).read_bytes())]
    own = [word for source, flags in build.commands for word in (str(source), *flags)]
    # what strangers' compilers wrote is never taken for a program that is not a stranger's
    own += ["|", *map(str, build.stubs), "|", "stranger" if build.confined_to is not None else ""]
    compiler = (toolchain.version, *toolchain.command)  # another one of the same version has its headers elsewhere
    return digest(*compiler, build.target, *more, "|", *build.user_flags(), "|", *own, "|", *contents)


def _make_ir(build: Build, toolchain: Toolchain, flags: Sequence[str]) -> CompilerOutput:
    with tempfile.TemporaryDirectory() as scratch:
        toolchain = _confined(build, toolchain, Path(scratch))
        pieces = _pieces(build, toolchain, Path(scratch), ".bc")
        if linker_of(build) is module_linker:
            Thread(target=_load_llvm, daemon=True).start()  # while the compiler is at work
        made = side_by_side(lambda piece: piece.module(flags), pieces)
        if build.stubs:
            _refuse_defined_twice(build, {piece.source: one.content for piece, one in zip(pieces, made, strict=True)})
        text = linker_of(build).canonical_text([one.content for one in made])
        if _STRING.search(text):
            strings = _Piece(build, toolchain, STRINGS, Path(scratch) / "string.bc").run((*flags, "-g0"))
            text = linker_of(build).canonical_text([*(one.content for one in made), strings.content])
    text = text.replace(f"{scratch}/", "")  # the compiler names the file that is made of a sketch
    return _together(text.encode(errors="surrogateescape"), made)


def _pieces(build: Build, toolchain: Toolchain, scratch: Path, ending: str) -> list[_Piece]:
    """What is compiled by itself: each source, and the files of a sketch as one."""
    own = [source for source in build.sources if source.suffix != SKETCH or _sketch(build, source)]
    return [_Piece(build, toolchain, source, scratch / f"{i}{ending}") for i, source in enumerate(own)]


def _sketch(build: Build, source: Path) -> tuple[Path, ...]:
    return parts_of_sketch(source, build.sources, build.root)


def _make_declarations(build: Build, toolchain: Toolchain) -> CompilerOutput:
    """A source that declares an `extern` variable is compiled with a line after it that uses the variable's type.

    Compilers describe only what a file defines, and only the source itself can spell the type.
    """

    def make(piece: _Piece) -> CompilerOutput:
        made = piece.module(_DECLARATIONS)
        used = (
            {demangled(name) for name in linker_of(build).undefined_variables(made.content)} if build.extern else set()
        )
        lines = [
            f"static __typeof__({name}) *{DECLARED}{number} __attribute__((used));\n"
            for number, name in enumerate(build.extern)
            if name in used
        ]
        if not lines or piece.source.suffix in READY:
            return made
        after = piece.output.with_suffix(".cpp" if piece.source.suffix in CPLUSPLUS else ".c")
        after.write_text("".join(lines))
        *more, source = piece.input()
        again = replace(piece, source=after).run((*_DECLARATIONS, *more, "-include", source))
        return replace(again, files=made.files)  # what was written here is no source

    with tempfile.TemporaryDirectory() as scratch:
        pieces = _pieces(build, _confined(build, toolchain, Path(scratch)), Path(scratch), ".bc")
        made = side_by_side(make, pieces)
        text = linker_of(build).canonical_text([one.content for one in made])
    return _together(text.encode(errors="surrogateescape"), made)


def _refuse_defined_twice(build: Build, made: Mapping[Path, bytes]) -> None:
    """Refuse a stub for what the program defines: even where it may be replaced (weak), the program's own would run."""
    linker = linker_of(build)
    own = {
        source: linker.defined_symbols(data, inline=True) for source, data in made.items() if source not in build.stubs
    }
    for stub in (source for source in build.stubs if source in made):
        symbols = linker.defined_symbols(made[stub], inline=False)
        for source, known in own.items():
            for twice in sorted(known & symbols):
                raise CompileError(
                    f"[stubs] {stub} defines {demangled(twice)}, which {source} defines too",
                    "Define in stubs only what the program does not.",
                )


def _load_llvm() -> None:
    with suppress(Exception):  # code that needs it reports the error
        import_module("llvmlite.binding")


def _make_native(build: Build, toolchain: Toolchain, flags: Sequence[str]) -> CompilerOutput:
    with tempfile.TemporaryDirectory() as scratch:
        toolchain = _confined(build, toolchain, Path(scratch))
        pieces = _pieces(build, toolchain, Path(scratch), ".o")
        made = side_by_side(lambda piece: piece.run((*flags, "-c")), pieces)
        output = Path(scratch) / "program.so"
        toolchain.link(build.target, [str(piece.output) for piece in pieces], str(output), build.root)
        return _together(left_behind(output), made)


def side_by_side(make: Callable[[_Piece], CompilerOutput], pieces: Sequence[_Piece]) -> list[CompilerOutput]:
    """The output of each file, as many at once as there are cores.

    No file is queued inside the pool, because a stopped process ends only after the pool's queue is empty.
    """
    cores = os.cpu_count() or 1
    made: list[CompilerOutput] = []
    begun: deque[Future[CompilerOutput]] = deque()
    with _compilers(cores) as start:
        for piece in pieces:
            if len(begun) == cores:
                made.append(begun.popleft().result())
            begun.append(start(make, piece))
        return [*made, *(each.result() for each in begun)]


@contextmanager
def _compilers(count: int) -> Iterator[Callable[..., Future[Any]]]:
    """Starts functions that run compilers, each in a thread; if the block ends with an error, they are stopped."""
    from concurrent.futures import ThreadPoolExecutor  # most programs are in the cache, and never come here

    stop = Cancellation()
    with allowed(cancel=stop), ThreadPoolExecutor(count) as pool:
        try:
            yield lambda do, *arguments: pool.submit(carried(do), *arguments)
        except BaseException:  # Ctrl-C too: the pool waits for its threads
            stop.cancel()
            raise


def _together(content: bytes, made: Sequence[CompilerOutput]) -> CompilerOutput:
    files = tuple(dict.fromkeys(name for one in made for name in one.files))
    return CompilerOutput(content, files, bounded("\n".join(filter(None, (one.words for one in made)))))


@final
class _Piece(Struct, frozen=True):
    """One source file on its way."""

    build: Build
    toolchain: Toolchain
    source: Path
    output: Path

    def module(self, flags: Sequence[str]) -> CompilerOutput:
        """The file as an LLVM module."""
        if self.source.suffix in READY:
            return CompilerOutput((self.build.root / self.source).read_bytes(), (str(self.source),), "")
        return self.run(flags)

    def run(self, flags: Sequence[str]) -> CompilerOutput:
        """Compile the file, and list what it includes at the same time."""
        # ours come last: where a flag of the user's says otherwise, the later one counts
        own, level = self.build.own_flags(self.source), self.build.level_of(self.source)
        start = (*self.toolchain.target_flags(self.build.target), *own, *self.build.user_flags(), level)
        source = self.input()
        if level != "-O0":
            flags = [flag for flag in flags if flag not in AS_WRITTEN]
        toolchain = self.toolchain
        if self.source.suffix in CPLUSPLUS:
            toolchain = toolchain.for_cplusplus()
            flags = [*flags, "-fstandalone-debug"]  # classes with virtual functions are described here too
        with _compilers(1) as begin:
            # with the same flags: macros that some of them define decide what is included
            listed = [flag for flag in flags if flag not in ("-c", "-emit-llvm")]
            listing = begin(toolchain.run, [*start, *listed, "-M", *source], self.build.root)
            words = toolchain.compile([*start, *flags, *source, "-o", str(self.output)], self.build.root)
            files = [self._named(name) for name in dependencies(listing.result().stdout) if name != source[-1]]
        return CompilerOutput(left_behind(self.output), (*map(str, self._parts), *files), words)

    def _named(self, file: str) -> str:
        """A file by its place in the project: clang names what #embed brings from the root of the machine."""
        root = self.build.root.resolve()
        return str(Path(file).relative_to(root)) if Path(file).is_relative_to(root) else file

    @property
    def _parts(self) -> tuple[Path, ...]:
        """The files of which the source is made."""
        return _sketch(self.build, self.source) if self.source.suffix == SKETCH else (self.source,)

    def input(self) -> tuple[str, ...]:
        """The file that the compiler reads, last, and flags for it: of a sketch, C++ in a file of its own."""
        if self.source.suffix != SKETCH:
            return (*_PREPROCESSED.get(self.source.suffix, ()), str(self.source))
        root = self.build.root
        flagged = (Path(flag[2:]) for flag in self.build.flags if flag.startswith("-I"))
        refuse_without_header(self.source, (root / folder for folder in (*self.build.search(), *flagged)))
        written = self.output.with_suffix("") / f"{self.source.name}.cpp"
        written.parent.mkdir(exist_ok=True)
        parts = [(part.as_posix(), (root / part).read_bytes().decode(errors="surrogateescape")) for part in self._parts]
        written.write_bytes(as_source(parts).encode(errors="surrogateescape"))
        return (f"-I{self.source.parent}", str(written))


def dependencies(rule: str) -> tuple[str, ...]:
    """The files in a makefile rule as compilers write it.

    >>> dependencies("a.o: a.c \\\\\\n  odd\\\\ name.h \\\\\\n  b.h")
    ('a.c', 'odd name.h', 'b.h')
    """
    _, _, names = rule.replace("\\\n", " ").partition(": ")
    found = re.findall(r"(?:\\.|\$\$|\S)+", names)
    return tuple(dict.fromkeys(re.sub(r"\\(.)", r"\1", name).replace("$$", "$") for name in found))
