"""A recorded run as a C program that any compiler builds, and as a test for pytest.

    static struct world given_world[1];
    ...
    set32(&given_world[0].agents[1].x, UINT32_C(0x3fb020c5)); /* 1.376 m */
    drive(given_world, given_memory, given_decision);
    if (!same(given_decision[0].move, UINT64_C(0x1))) differs("move");

The C file includes the program's own source, so that it can use its types and its static variables. There are no files
if C cannot name something from outside (a static variable of a function, an argument whose type has no name).
"""

from __future__ import annotations

import os
import re
from collections.abc import Mapping
from pathlib import Path, PurePosixPath
from typing import Final

from soid.engine.llvm.compiler.compilation import Build
from soid.engine.llvm.compiler.toolchain import find_toolchain
from soid.engine.llvm.debug.c_types import CArray, CVoid
from soid.engine.llvm.loaded_program import LoadedProgram
from soid.engine.llvm.variables.variable_layout import RETURN, MemoryRegion
from soid.engine.protocol import RecordedRun
from soid.formula.softfloat import is_nan
from soid.program.interface import Interface, Role
from soid.program.types import EnumType, FloatType, IntType, show
from soid.program.types import number as number_of

PROGRAM: Final = "witness.c"
TEST: Final = "test_witness.py"

_WORD: Final = re.compile(r"\W+")
_BYTES: Final = re.compile(r"\.(?:raw_)?bytes\[")  # of a union: no member has them


def retold(loaded: LoadedProgram, run: RecordedRun) -> dict[str, bytes]:
    """The files, by name; none if C cannot express the run."""
    build = loaded.build
    if build.commands:
        return {}  # each file has its own flags, and one command cannot give them
    sources = {source.as_posix(): _seen_from(run.project, source.as_posix()) for source in build.sources}
    own = sources.pop(PurePosixPath(loaded.info.loc.location.file).as_posix(), None)
    if own is None or any(not name.endswith(".c") for name in (own, *sources)):
        return {}
    command = [*_flags(build, run.project), PROGRAM, *sources.values(), "-lm"]
    try:
        program = _Teller(loaded, run.interface).program(run)
    except _Unspeakable:
        return {}
    told = [
        "The scenario that is shown for this fact, as a program of its own.",
        *run.about,
        "Build it in its folder; it says whether the program decides as on record:",
        f"cc {' '.join(command)} && ./a.out",
    ]
    head = "\n".join(f"/* {comment_text(line)} */" for line in told)
    include = f'#define main main_of_the_program\n#include "{own}"\n#undef main\n'
    return {
        PROGRAM: f"{head}\n{_HEADERS}{include}{_HELPERS}{program}".encode(),
        TEST: _BUILT.format(number=run.number, command=command).encode(),
    }


def builds(build: Build, place: Path, project: PurePosixPath) -> bool:
    """Whether the compiler takes the C program that lies in a folder."""
    compiler = find_toolchain(build.clang)
    flags = [*compiler.target_flags(build.target), *_flags(build, project)]
    return compiler.run([*flags, "-c", PROGRAM, "-o", "witness.o"], place).returncode == 0


def comment_text(text: str) -> str:
    """Text that does not end the comment that it stands in."""
    return " ".join(text.split()).replace("*/", "* /").replace("\\", "/").replace("?", ".")


def _seen_from(project: PurePosixPath, name: str) -> str:
    return os.path.normpath(f"{project}/{name}")  # a project has no absolute names


def _flags(build: Build, project: PurePosixPath) -> list[str]:
    flags = build.user_flags()
    return [f"-I{_seen_from(project, flag[2:])}" if flag.startswith("-I") else flag for flag in flags]


class _Unspeakable(Exception):
    """C cannot express this."""


class _Teller:
    """Writes the C code that sets and checks one program's memory."""

    def __init__(self, loaded: LoadedProgram, interface: Interface) -> None:
        self.loaded = loaded
        self.interface = interface
        self.regions = loaded.places.regions
        self.places = loaded.places.by_path()

    def program(self, run: RecordedRun) -> str:
        lines = [*self._pointers(), *self._given(run.inputs)]
        for number, outputs in enumerate(run.outputs):
            if number and run.environments[number - 1]:
                lines += self._given(run.environments[number - 1])
            lines += [self._call(), *self._checks(outputs, number + 1 if len(run.outputs) > 1 else None)]
        body = "\n".join(f"    {line}" for line in lines)
        end = '    puts(wrong ? "It decides otherwise." : "It decides as on record.");\n    return wrong;'
        return f"{self._storage()}\nint main(void)\n{{\n{body}\n{end}\n}}\n"

    def _storage(self) -> str:
        """Declarations of the memory that the program is given, and of its result."""
        given = [(number, region) for number, region in enumerate(self.regions) if region.variable is None]
        return "\n".join(f"static {_declared(region, self._base(number))};" for number, region in given) + "\n"

    def _base(self, number: int) -> str:
        """The name of a region in the C file."""
        region = self.regions[number]
        if region.name == RETURN and region.pointed_from is not None:
            raise _Unspeakable  # it is wherever the program says
        if region.variable is not None:
            if "." in region.name or "::" in region.name:
                raise _Unspeakable  # a static variable of a function, or of another language
            return region.name
        return f"given_{_WORD.sub('_', region.name)}"

    def _at(self, path: str) -> str:
        """A scalar as an expression."""
        if path not in self.places:
            raise _Unspeakable
        place = self.places[path]
        region, base = self.regions[place.region], self._base(place.region)
        path = path.removeprefix("*")
        if place.functions or place.type.width > 64 or not path.startswith(region.name) or _BYTES.search(path):
            raise _Unspeakable
        rest = path[len(region.name) :]
        if region.variable is not None or region.by_value or region.name == RETURN:
            return base + rest
        return base + (rest if region.count > 1 else f"[0]{rest}")

    def _pointers(self) -> list[str]:
        """Assignments to the pointers in memory."""
        lines = []
        for number, region in enumerate(self.regions):
            if region.pointed_from is not None:
                outer = self.regions[region.pointed_from[0]]
                if not region.name.startswith(outer.name) or outer.variable is not None:
                    raise _Unspeakable
                inside = region.name[len(outer.name) :]
                whole = self._base(region.pointed_from[0])
                at = whole + (inside if outer.by_value or outer.count > 1 else f"[0]{inside}")
                lines.append(f"{at} = {self._base(number)};")
        return lines

    def _given(self, inputs: Mapping[str, int]) -> list[str]:
        lines = []
        for path, bits in inputs.items():
            variable = self.interface.variable(path)
            at, kind = self._at(path), variable.type
            if isinstance(kind, FloatType):
                line = f"set{kind.width}(&{at}, UINT{kind.width}_C({bits:#x}));"
            else:
                line = f"{at} = {_number(kind, bits)};"
            lines.append(f"{line} /* {comment_text(f'{show(kind, bits)} {variable.unit}')} */")
        return lines

    def _call(self) -> str:
        arguments = []
        for parameter in range(len(self.loaded.info.params)):
            numbers = [number for number, one in enumerate(self.regions) if one.parameter == parameter]
            if len(numbers) != 1:
                raise _Unspeakable
            arguments.append(self._base(numbers[0]))
        returned = [number for number, one in enumerate(self.regions) if one.name == RETURN and one.parameter is None]
        result = f"{self._base(returned[0])} = " if returned else ""
        return f"{result}{self.loaded.info.name}({', '.join(arguments)});"

    def _checks(self, outputs: Mapping[str, int], step: int | None) -> list[str]:
        lines = []
        for name, bits in outputs.items():
            variable = self.interface.variable(name.removesuffix("'"))
            if variable.role is Role.INTERNAL:
                continue
            at, kind = self._at(variable.path), variable.type
            if not isinstance(kind, FloatType):
                same = f"same({at}, {_number(kind, bits)})"
            elif is_nan(kind.format, bits):
                same = f"{at} != {at}"
            else:
                same = f"same{kind.width}(&{at}, UINT{kind.width}_C({bits:#x}))"
            told = f"{name} in step {step}" if step else name
            lines.append(f'if (!({same})) differs("{comment_text(told)}"); /* {comment_text(show(kind, bits))} */')
        return lines


def _number(kind: object, bits: int) -> str:
    """A number, extended to 64 bits by its type."""
    if isinstance(kind, IntType | EnumType) and kind.signed:
        bits = number_of(kind, bits) & (1 << 64) - 1
    return f"UINT64_C({bits:#x})"


def _declared(region: MemoryRegion, name: str) -> str:
    kind, dims = region.type, ""
    count = "" if region.by_value or region.name == RETURN else f"[{region.count}]"
    if isinstance(kind, CVoid):
        return f"char {name}[64]"
    if isinstance(kind, CArray):
        dims = "".join(f"[{dim}]" for dim in kind.dims)
        kind = kind.element
    text = str(kind)
    if "(" in text or "None" in dims or not text:
        raise _Unspeakable
    return f"{text} {name}{count}{dims}"


_HEADERS: Final = "#include <stdint.h>\n#include <stdio.h>\n#include <string.h>\n"

_HELPERS: Final = """
static int wrong;

static void differs(const char *what)
{
    printf("%s is not what is on record\\n", what);
    wrong = 1;
}

static inline int same(uint64_t is, uint64_t was) { return is == was; }
static inline void set16(void *at, uint16_t bits) { memcpy(at, &bits, sizeof bits); }
static inline void set32(void *at, uint32_t bits) { memcpy(at, &bits, sizeof bits); }
static inline void set64(void *at, uint64_t bits) { memcpy(at, &bits, sizeof bits); }
static inline int same16(const void *at, uint16_t bits) { return memcmp(at, &bits, sizeof bits) == 0; }
static inline int same32(const void *at, uint32_t bits) { return memcmp(at, &bits, sizeof bits) == 0; }
static inline int same64(const void *at, uint64_t bits) { return memcmp(at, &bits, sizeof bits) == 0; }

"""

_BUILT: Final = '''"""The scenario of entry {number}, built with any C compiler (CC, or cc)."""

import os
import shlex
import shutil
import subprocess
from pathlib import Path

import pytest

COMMAND = {command!r}


def test_the_program_decides_as_on_record(tmp_path):
    compiler = shlex.split(os.environ.get("CC", "cc"))
    if shutil.which(compiler[0]) is None:
        pytest.skip("there is no C compiler: name one in CC")
    program = str(tmp_path / "witness")
    subprocess.run([*compiler, *COMMAND, "-o", program], cwd=Path(__file__).parent, check=True)
    assert subprocess.run([program], check=False, timeout=60).returncode == 0
'''
