"""Generated programs as the compiler has them: many in one executable, run vector by vector.

    results = run_programs([generate(s, Mode.FAULTY) for s in range(50)], scratch_folder)
    results[0][3]        NativeRun(fault=Fault.DIVISION, outputs=None)
    results[0][4]        NativeRun(fault=None, outputs={'out.brake': 0x3F800000})

Two builds: the plain one gives the outputs, the trapping one tells which vectors meet undefined behaviour and of
which kind. A vector that faults has no outputs: whatever the plain build computes then means nothing.
"""

from __future__ import annotations

import functools
import platform
import re
import subprocess
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import Enum
from pathlib import Path

from soid.engine.llvm.compiler.toolchain import RUNTIME
from soid.jail.launcher import packaged_zig

from .model import GeneratedProgram, Mode, Port, Vector
from .scalars import is_nan_bits

__all__ = [
    "Build",
    "CompileError",
    "Executable",
    "Fault",
    "NativeRun",
    "compile_programs",
    "run_programs",
    "same_outputs",
]


class Build(Enum):
    """Which of the two builds."""

    PLAIN = "plain"
    TRAPPING = "trapping"


class Fault(Enum):
    """How a run failed."""

    OVERFLOW = "overflow"  # signed + - * and negation
    DIVISION = "division"  # by zero, or the least value by -1
    SHIFT = "shift"  # count out of range
    BOUNDS = "bounds"  # index outside its array, or a TRAP_UNLESS on a pointer
    FLOAT_CAST = "float_cast"  # float to integer out of range
    NULL = "null"  # null or misaligned pointer
    ASSERT = "assert"
    ABORT = "abort"
    UNDEFINED = "undefined"  # another of the sanitizer's checks
    CRASH = "crash"  # a signal in the plain build
    TIMEOUT = "timeout"  # two seconds of processor time


class CompileError(Exception):
    """The compiler refused a batch; its words follow. A bug of the generator."""


@dataclass(frozen=True, slots=True)
class NativeRun:
    """One vector's run."""

    fault: Fault | None
    outputs: Mapping[str, int] | None  # raw bits by path; None where the run failed


# Numbers of clang's sanitizer handlers as its traps carry them; test_generator.py holds them to the compiler.
_HANDLERS = {
    0: Fault.OVERFLOW,
    3: Fault.DIVISION,
    5: Fault.FLOAT_CAST,
    12: Fault.OVERFLOW,
    13: Fault.OVERFLOW,
    18: Fault.BOUNDS,
    19: Fault.BOUNDS,
    20: Fault.SHIFT,
    21: Fault.OVERFLOW,
    22: Fault.NULL,
    255: Fault.BOUNDS,  # __builtin_trap, which only TRAP_UNLESS uses
}
_SIGNALS = {6: Fault.ABORT, 24: Fault.TIMEOUT, 9: Fault.TIMEOUT}

_COMMON = (
    *("-O0", "-ffp-contract=off", "-fsigned-char", "-std=gnu17"),
    # the library's, as the engine has them: of a signalling NaN, what the compiler would inline gives something else
    *(f"-fno-builtin-{name}" for name in ("fmin", "fminf", "fmax", "fmaxf")),
)
# What random programs do all the time and what is no sign of undefined behaviour.
_TOLERATED = (
    "unused",
    "unused-parameter",
    "unused-but-set-parameter",
    "tautological-compare",
    "tautological-constant-out-of-range-compare",
    "tautological-unsigned-zero-compare",
    "tautological-overlap-compare",
    "sign-compare",
    "constant-conversion",
    "bitfield-constant-conversion",
    "implicit-const-int-float-conversion",
    "missing-field-initializers",
    "parentheses-equality",
    "int-in-bool-context",
    "enum-compare",
    "literal-conversion",
    "unused-value",
    "constant-logical-operand",
    "self-assign",
    "type-limits",
    "implicit-fallthrough",
    "absolute-value",
    "char-subscripts",
    "literal-range",
)
_FLAGS = {
    Build.PLAIN: ("-fno-sanitize=all",),
    # Without strict-flex-arrays a struct's last array is taken for a flexible one and its bounds go unchecked.
    # No trap sees an uninitialised read; filled with a pattern here, it makes the two builds' outputs differ.
    Build.TRAPPING: (
        "-fsanitize=undefined,bounds,float-cast-overflow",
        "-fsanitize-trap=all",
        "-fstrict-flex-arrays=3",
        "-ftrivial-auto-var-init=pattern",
        "-DTRAP_UNLESS(c)=((c) ? (void)0 : __builtin_trap())",
    ),
}
_NEEDS_RUNTIME = re.compile(r"\b(?:_Float16|_Complex|complex|__int128)\b")
_DRIVER = Path(__file__).with_name("driver.c")


@functools.cache
def _compiler() -> tuple[str, ...]:
    """The wheel's clang for this machine's architecture without any of its extensions, so that runs agree."""
    machine = {"AMD64": "x86_64", "arm64": "aarch64"}.get(platform.machine(), platform.machine())
    zig = packaged_zig()
    assert zig is not None, "the ziglang package is not installed"
    return (str(zig), "cc", "-target", f"{machine}-linux-gnu", "-mcpu=baseline")


def _wrapper(program: GeneratedProgram, number: int) -> list[str]:
    """`run_7`: takes the inputs from a vector, calls the entry, and puts the outputs one by one behind each other.

    The arguments start as 0xA5 bytes, not zeros, so that a decision nobody wrote shows.
    """
    loads = [f"memcpy(&{p.access}, v + {at}, {p.ctype.size});" for p, at in _placed(_settable(program))]
    stores = [f"memcpy(r + {at}, &{p.access}, {p.ctype.size});" for p, at in _placed(program.outputs)]
    objects = [part.strip() for part in program.arguments.split(";") if part.strip()]
    names = [part.split()[-1] for part in objects]
    return [
        f"static void run_{number}(const unsigned char *v, unsigned char *r)",
        "{",
        "    (void)v; (void)r;",
        *(f"    {part};" for part in objects),
        *(f"    memset(&{name}, 0xA5, sizeof {name});" for name in names),
        *(f"    {line}" for line in (*loads, program.call, *stores)),
        "}",
    ]


def _settable(program: GeneratedProgram) -> list[Port]:
    return [port for port in program.inputs if port.access]


def _placed(ports: Sequence[Port]) -> Iterator[tuple[Port, int]]:
    at = 0
    for port in ports:
        yield port, at
        at += port.ctype.size


def _size(ports: Sequence[Port]) -> int:
    return sum(port.ctype.size for port in ports)


def batch_source(programs: Sequence[GeneratedProgram]) -> str:
    """One translation unit: each program with its file-scope names prefixed, then the table, then the driver."""
    includes = sorted({line for p in programs for line in p.source.splitlines() if line.startswith("#include")})
    lines = [*includes]
    rows: list[str] = []
    for number, program in enumerate(programs):
        lines += [f"#define {name} p{number}_{name}" for name in program.symbols]
        lines.append(f'#line 1 "{program.name}.c"')
        lines += ["" if line.startswith("#include") else line for line in program.source.splitlines()]
        lines += _wrapper(program, number)
        lines += [f"#undef {name}" for name in program.symbols]
        rows.append(f"    {{ run_{number}, {_size(_settable(program))}, {_size(program.outputs)} }},")
    lines += ["struct program { void (*run)(const unsigned char *, unsigned char *); unsigned in_size, out_size; };"]
    lines += ["static const struct program programs[] = {", *rows, "};", '#line 1 "driver.c"']
    return "\n".join(lines) + "\n" + _DRIVER.read_text(encoding="utf-8")


@dataclass(frozen=True, slots=True)
class Executable:
    """A compiled batch."""

    path: Path
    programs: tuple[GeneratedProgram, ...]

    def run(self, requests: Sequence[tuple[int, Sequence[Vector]]]) -> list[list[NativeRun]]:
        """For each request, a program's number in the batch and vectors: one run for each vector."""
        sent = b"".join(self._request(number, vectors) for number, vectors in requests)
        done = subprocess.run([self.path], input=sent, capture_output=True, check=True)
        answer, at = done.stdout, 0
        results: list[list[NativeRun]] = []
        for number, vectors in requests:
            outputs = self.programs[number].outputs
            size = 2 + _size(outputs)
            results.append(
                [_decoded(answer[at + i * size : at + (i + 1) * size], outputs) for i in range(len(vectors))]
            )
            at += size * len(vectors)
        if at != len(answer):
            raise RuntimeError(f"{self.path.name} answered {len(answer)} bytes where {at} were due")
        return results

    def _request(self, number: int, vectors: Sequence[Vector]) -> bytes:
        ports = _settable(self.programs[number])
        head = number.to_bytes(4, "little") + len(vectors).to_bytes(4, "little")
        rows = (v[p.path].to_bytes(p.ctype.size, "little") for v in vectors for p in ports)
        return head + b"".join(rows)


def _decoded(answer: bytes, outputs: Sequence[Port]) -> NativeRun:
    status, detail = answer[0], answer[1]
    if status == 0:
        raw = answer[2:]
        bits = {p.path: int.from_bytes(raw[at : at + p.ctype.size], "little") for p, at in _placed(outputs)}
        return NativeRun(None, bits)
    if status == 1:
        return NativeRun(_HANDLERS.get(detail, Fault.UNDEFINED), None)
    if status == 3:
        return NativeRun(Fault.ASSERT, None)
    return NativeRun(_SIGNALS.get(detail, Fault.CRASH), None)


def compile_cplusplus(
    programs: Sequence[GeneratedProgram], build: Build, folder: Path, *, exceptions: bool
) -> Executable:
    """Compile a batch of C++ programs into one executable; the driver stays in C."""
    name = f"batch_{build.value}_cplusplus"
    text, driver = batch_source(programs), _DRIVER.read_text(encoding="utf-8")
    table = "struct program { void (*run)(const unsigned char *, unsigned char *); unsigned in_size, out_size; };"
    (folder / f"{name}.cpp").write_text(
        text.removesuffix(driver).replace(
            "static const struct program programs[]", 'extern "C" const program programs[]'
        )
    )
    # what a program needs of the run-time library as long as nothing is thrown
    supplied = "" if exceptions else _SUPPLIED
    (folder / f"{name}.c").write_text(f"{table}\nextern const struct program programs[];\n{driver}\n{supplied}")
    zig, _, *target = _compiler()
    flags = ["-O0", "-ffp-contract=off", "-w", *_FLAGS[build], "-fno-sanitize=vptr,function"]
    for kind, language in (("cpp", "c++"), ("c", "cc")):
        own = () if exceptions or kind == "c" else WITHOUT_EXCEPTIONS
        _compiled(
            [
                zig,
                language,
                *target,
                *flags,
                *own,
                "-c",
                str(folder / f"{name}.{kind}"),
                "-o",
                str(folder / f"{kind}.o"),
            ]
        )
    libraries = [] if exceptions else ["-nostdlib", "-lm", "-lc"]
    objects = [str(folder / "cpp.o"), str(folder / "c.o")]
    _compiled(
        [
            zig,
            "c++" if exceptions else "cc",
            *target,
            "-fno-sanitize=all",
            *objects,
            "-o",
            str(folder / name),
            *libraries,
        ]
    )
    return Executable(folder / name, tuple(programs))


def _compiled(command: Sequence[str]) -> None:
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        raise CompileError(done.stderr)


WITHOUT_EXCEPTIONS = ("-fno-exceptions", "-fno-rtti")
_SUPPLIED = """
void *_Znwm(unsigned long size) { return malloc(size); }
void _ZdlPv(void *gone) { free(gone); }
void _ZdlPvm(void *gone, unsigned long size) { (void)size; free(gone); }
void __cxa_pure_virtual(void) { abort(); }
"""


def compile_programs(programs: Sequence[GeneratedProgram], build: Build, folder: Path) -> Executable:
    """Compile a batch into one executable in the folder; of SAFE programs, warnings count as errors."""
    source, target = folder / f"batch_{build.value}.c", folder / f"batch_{build.value}"
    source.write_text(batch_source(programs), encoding="utf-8")
    strict = all(program.mode is Mode.SAFE for program in programs)
    warnings = ["-Wall", "-Wextra", "-Werror", *(f"-Wno-{name}" for name in _TOLERATED)] if strict else ["-w"]
    runtime = any(_NEEDS_RUNTIME.search(program.source) for program in programs)  # which takes seconds the first time
    libraries = ["-nostdlib", "-lm", "-lc", *(RUNTIME if runtime else ())]
    command = [*_compiler(), *_COMMON, *warnings, *_FLAGS[build], "-o", str(target), str(source), *libraries]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        raise CompileError(done.stderr)
    return Executable(target, tuple(programs))


def run_programs(
    programs: Sequence[GeneratedProgram],
    folder: Path,
    vectors: Sequence[Sequence[Vector]] | None = None,
    compiled: Callable[[Sequence[GeneratedProgram], Build, Path], Executable] = compile_programs,
) -> list[list[NativeRun]]:
    """Every program on its vectors (or on those given): faults from the trapping build, outputs from the plain one."""
    wanted = vectors if vectors is not None else [p.vectors for p in programs]
    requests = list(enumerate(wanted))
    trapped = compiled(programs, Build.TRAPPING, folder).run(requests)
    plain = compiled(programs, Build.PLAIN, folder).run(requests)
    return [
        [t if t.fault is not None else p for t, p in zip(row, plain_row, strict=True)]
        for row, plain_row in zip(trapped, plain, strict=True)
    ]


def same_outputs(program: GeneratedProgram, left: Mapping[str, int], right: Mapping[str, int]) -> bool:
    """Bit for bit, except that any NaN equals any NaN: its sign and payload even differ between the two builds."""
    return all(
        left[p.path] == right[p.path] or (is_nan_bits(p.ctype, left[p.path]) and is_nan_bits(p.ctype, right[p.path]))
        for p in program.outputs
    )
