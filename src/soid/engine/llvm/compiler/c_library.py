"""soid's own C library: functions that a program uses and does not define, as code that is explored like the program's.

    n = strtol(text, &end, 10);       the program declares strtol
    library_sources/whole_numbers.c   defines it; compiled by the program's compiler for the program's target
    linked(...)                       strtol and what it uses, linked with the program's module

Only the engine explores the linked module. The replay runs the program with the machine's own library, so that each
scenario compares the two. What the program defines itself, what the engine has a model of and what the manifest
describes is never taken from here.
"""

from __future__ import annotations

import re
import tempfile
from collections.abc import Iterable, Iterator, Mapping, Set
from pathlib import Path
from typing import Final

from soid.cache import cache_folder, digest
from soid.engine.llvm.compiler.build_cache import CompilerOutput, ContentCache
from soid.engine.llvm.compiler.compilation import AS_WRITTEN, IR_OUTPUT, UNTOUCHED, Build, linker_of
from soid.engine.llvm.compiler.module_linker import canonical_text, llvm_version
from soid.engine.llvm.compiler.toolchain import Toolchain, find_toolchain
from soid.errors import CompileError

SOURCES: Final = Path(__file__).with_name("library_sources")
#: what the names of all that is inside the library begin with
INSIDE: Final = "soid_libc"
#: what glibc's <ctype.h> looks into, and how it fails for what is not in them, as the functions of characters.c do
CHARACTER_TABLES: Final = frozenset(f"{INSIDE}.{name}" for name in ("classes", "lowered", "raised"))
NO_CHARACTER: Final = "character function called with a number that is neither an unsigned char nor EOF"
#: the functions that each file defines for programs
EXPORTS: Final[Mapping[str, tuple[str, ...]]] = {
    "characters.c": (
        *("isalnum", "isalpha", "isascii", "isblank", "iscntrl", "isdigit", "isgraph", "islower", "isprint", "ispunct"),
        *("isspace", "isupper", "isxdigit", "toascii", "tolower", "toupper"),
        *("__ctype_b_loc", "__ctype_tolower_loc", "__ctype_toupper_loc"),
    ),
    "whole_numbers.c": (
        *("atoi", "atol", "atoll", "strtoimax", "strtol", "strtoll", "strtoul", "strtoull", "strtoumax"),
        *("__isoc23_strtoimax", "__isoc23_strtol", "__isoc23_strtoll"),
        *("__isoc23_strtoul", "__isoc23_strtoull", "__isoc23_strtoumax"),
    ),
    "real_numbers.c": ("atof", "strtod", "strtof"),
    "strings.c": (
        *(
            "bcopy",
            "bzero",
            "explicit_bzero",
            "index",
            "memccpy",
            "memmem",
            "mempcpy",
            "memrchr",
            "rawmemchr",
            "rindex",
        ),
        *("stpncpy", "strcasecmp", "strcasestr", "strchrnul", "strcoll", "strcspn", "strdup", "strlcat", "strlcpy"),
        *("strncasecmp", "strndup", "strpbrk", "strsep", "strspn", "strtok", "strtok_r", "__strtok_r"),
    ),
    "wide_strings.c": (
        *("wcschr", "wcscmp", "wcscpy", "wcslen", "wcsncmp", "wcsnlen", "wcsrchr"),
        *("wmemchr", "wmemcmp", "wmemcpy", "wmemmove", "wmemset"),
    ),
    "sorting.c": ("bsearch", "qsort"),
    "division.c": ("div", "ffs", "ffsl", "ffsll", "imaxdiv", "ldiv", "lldiv"),
    "error_numbers.c": ("__errno", "__errno_location", "_errno"),
    "formatted_output.c": ("snprintf", "sprintf", "vfprintf", "vprintf", "vsnprintf", "vsprintf"),
    "formatted_input.c": (
        *("sscanf", "vsscanf", "__isoc99_sscanf", "__isoc99_vsscanf", "__isoc23_sscanf", "__isoc23_vsscanf"),
    ),
}
OWN_FUNCTIONS: Final = frozenset(name for names in EXPORTS.values() for name in names)

_FLAGS: Final = (
    *("-std=c11", "-O0", "-g0", "-w", "-ffreestanding", "-fno-builtin", "-ffp-contract=off", "-fno-stack-protector"),
    *(*UNTOUCHED, *IR_OUTPUT, *AS_WRITTEN),
)
#: flags of the program's that change what a type is, or how arguments are passed
_CONVENTION: Final = re.compile(r"-fshort-(?:wchar|enums)|-f(?:un)?signed-char|-m(?!cpu=|arch=|tune=)\S+")
_DECLARED: Final = re.compile(r"^declare [^\n]*?@(\w+)\(", re.MULTILINE)
_TARGET: Final = re.compile(r"^target .*$", re.MULTILINE)
_MENTIONED: Final = re.compile(r"@([\w.$]+)")


def linked(build: Build, text: str, described: Set[str] = frozenset()) -> tuple[str, frozenset[str]]:
    """A program's module with the library's functions that it needs, and their names."""
    needed = frozenset(_DECLARED.findall(text)) & OWN_FUNCTIONS - described
    if not needed:
        return text, needed
    toolchain = find_toolchain(build.clang)
    flags = (*toolchain.target_flags(build.target), *_convention(build), *_FLAGS)
    program = text.encode(errors="surrogateescape")
    key = digest(_version(toolchain), *flags, "|", *_contents(), "|", *sorted(needed), program)

    def make() -> CompilerOutput:
        target = "\n".join(_TARGET.findall(text))
        files = [name for name, has in EXPORTS.items() if needed.intersection(has)]
        parts = [f"{target}\n{_cut(_compiled(toolchain, name, flags), needed)}" for name in files]
        whole = linker_of(build).canonical_text([program, *(part.encode() for part in parts)])
        return CompilerOutput(whole.encode(errors="surrogateescape"), (), "")

    try:
        entry = _cache().fetch(key, "ll", (), make)
    except CompileError:
        return text, frozenset()  # there is no library for this target: a call of such a function is refused by name
    return entry.path.read_text(errors="surrogateescape"), needed


def plain_name(function: str) -> str:
    """A function of the library as a programmer knows it.

    >>> [plain_name(name) for name in ("__isoc99_sscanf", "__ctype_b_loc", "__errno_location")]
    ['sscanf', 'isalpha and its relatives', 'errno']
    """
    plain = re.sub(r"\A(?:__isoc\d\d_|__(?=strtok_r))", "", function)
    if plain.startswith("__ctype_"):
        return "isalpha and its relatives"
    return "errno" if "errno" in plain else plain


def sources_digest() -> str:
    """A hash of the library's sources."""
    return digest(*_contents())


def _cache() -> ContentCache:
    return ContentCache(cache_folder() / "compile", Path())


def _version(toolchain: Toolchain) -> str:
    return digest(toolchain.version, *toolchain.command, llvm_version())


def _contents() -> Iterator[bytes]:
    return (path.read_bytes() for path in sorted(SOURCES.iterdir()) if path.suffix in {".c", ".h"})


def _convention(build: Build) -> tuple[str, ...]:
    given = (*(flag for _, own in build.commands for flag in own), *build.flags)
    return tuple(dict.fromkeys(flag for flag in given if _CONVENTION.fullmatch(flag)))


def _compiled(toolchain: Toolchain, name: str, flags: tuple[str, ...]) -> str:
    """One file of the library as text; it is compiled once for each target."""

    def make() -> CompilerOutput:
        with tempfile.TemporaryDirectory() as scratch:
            output = Path(scratch) / "library.bc"
            toolchain.compile([*flags, str(SOURCES / name), "-o", str(output)], Path(scratch))
            return CompilerOutput(canonical_text([output.read_bytes()]).encode(), (), "")

    key = digest(_version(toolchain), name, *flags, "|", *_contents())
    return _cache().fetch(key, "ll", (), make).path.read_text()


def _cut(text: str, needed: Set[str]) -> str:
    """What a file's module needs to define the needed functions; what is inside the library gets a name that says so.

    The module's flags and target are left out: the program's own hold, and theirs may be written in another way.
    """
    pieces = list(_pieces(text))
    defined = {name: piece for name, piece in pieces if name}
    found, waiting = set[str](), [name for name in defined if name in needed]
    while waiting:
        name = waiting.pop()
        if name in defined and name not in found:
            found.add(name)
            waiting += _MENTIONED.findall(defined[name])
    kept = "\n".join(piece for name, piece in pieces if not name or name in found)
    inner = {name for name in found - needed if not name.startswith(INSIDE)}
    return _MENTIONED.sub(lambda one: f"@{INSIDE}.{one[1]}" if one[1] in inner else one[0], kept)


def _pieces(text: str) -> Iterator[tuple[str, str]]:
    """Functions and globals with their names, and all other lines."""
    lines: Iterable[str] = iter(text.split("\n"))
    for line in lines:
        if line.startswith("define"):
            body = [line]
            for inner in lines:
                body.append(inner)
                if inner == "}":
                    break
            yield _MENTIONED.findall(line)[0], "\n".join(body)
        elif line.startswith("@"):
            yield _MENTIONED.findall(line)[0], line
        elif not line.startswith(("target ", "!llvm.module.flags", "!llvm.dbg.cu")):
            yield "", line
