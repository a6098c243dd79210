"""A program in C from an untrusted author: what is checked before it is compiled and run here.

An #include that leads out of the project is refused, and so is assembly, which can read any file. soid's compiler is
used, not the one that the manifest names. Flags must be on a list of flags that only change what the program means.
"""

from __future__ import annotations

import os
import re
from collections.abc import Mapping
from pathlib import Path, PurePosixPath
from typing import Final

from msgspec.structs import replace

from soid.engine.frontend import StrangersProject
from soid.engine.llvm.c_source import CSource, c_source
from soid.engine.llvm.compiler.compilation import Build, compile_ir
from soid.engine.llvm.compiler.toolchain import compiler_folders
from soid.engine.llvm.variables.discovery import build_of
from soid.engine.registry import frontend_of
from soid.errors import BundleError
from soid.program.files import stays
from soid.program.program import Program

#: flags that choose the language, warnings or optimisation, and make the compiler read no other file
ALLOWED: Final = re.compile(
    r"-std=(?:c|gnu)(?:\+\+)?[0-9][0-9a-z]|-O[0123sgz]?|-g|-w|-pedantic(?:-errors)?|-W(?:no-)?[a-z0-9+-]+(?:=[a-z0-9]+)?"
    r"|-[DU]\w+(?:=[\w.+\"'() -]*)?|-f(?:no-)?(?:wrapv|signed-char|unsigned-char|short-enums|strict-aliasing|builtin"
    r"|common|math-errno|strict-overflow|inline|inline-functions|unroll-loops|vectorize|slp-vectorize|exceptions|rtti)"
    r"|-ffp-contract=off|-march=x86-64(?:-v[234])?|-lm"
)
_TARGET: Final = re.compile(r"[a-z0-9_]+(?:-[a-z0-9_.]+){1,3}")
_DEFINE: Final = re.compile(r"\w+(?:\(\w+(?:,\w+)*\))?(?:=[^\x00-\x1f]*)?")
_COMPILED: Final = frozenset({".c", ".h", ".cc", ".cpp", ".cxx", ".hpp", ".hh", ".inc", ".def", ".ino"})
_DIRECTIVE: Final = re.compile(
    r"(?:^|\n)[ \t\f\v]*(?:#|%:|\?\?=)\s*(?:include|include_next|import|embed)\b[ \t]*([^\n]*)"
)
_NAMED: Final = re.compile(r"\"([^\"\n]*)\"|<([^>\n]*)>")
#: in LLVM's canonical text
_ASSEMBLY: Final = re.compile(r"^module asm |^ [^\n\"]*\b(?:call|callbr|invoke) [^\n\"]*\basm [^\n\"]*\"", re.MULTILINE)


def quarantined(program: Program, project: StrangersProject) -> Program | str:
    """The program with soid's compiler, if compiling it reads only its project; or why it is not compiled."""
    source = c_source(program)
    folder = PurePosixPath(program.folder.relative_to(project.folder).as_posix())
    why = _not_compiled(source, folder, project)
    if why:
        return why
    ours = replace(program, source=replace(source, clang=None))
    frontend_of(ours)  # refuses files that are no sources
    _refuse_reach(build_of(c_source(ours), program.folder), project)
    return ours


def _not_compiled(source: CSource, folder: PurePosixPath, project: StrangersProject) -> str:
    """Why the program is not compiled here; empty where it is."""
    for flag in (*source.flags, *(flag for flags in source.commands.values() for flag in flags)):
        if not ALLOWED.fullmatch(flag) and not (flag.startswith("-I") and stays(folder, flag[2:])):
            return f"it is to be compiled with {flag!r:.80}, which is not on the list of flags that are used here"
    for place in (*source.files, *source.include):
        if not stays(folder, place.as_posix()):
            return f"it is to be compiled from {str(place)!r:.80}, which lies outside of {project.whole}"
    for define in source.defines:
        if not _DEFINE.fullmatch(define):
            return f"it is to be compiled with the definition {define!r:.80}"
    if source.target is not None and not _TARGET.fullmatch(source.target):
        return f"it is to be compiled for {source.target!r:.80}"
    if any(file.suffix == ".bc" for file in source.sources):
        return "it is LLVM bitcode, which is not opened for strangers: give LLVM text (.ll), or the source"
    return _followed(project.files, project.whole)


def _followed(project: Mapping[str, bytes], whole: str) -> str:
    """Why an #include is refused; empty if none is. Files that may be included are checked as well."""
    waiting = [path for path in project if PurePosixPath(path).suffix in _COMPILED]
    seen: set[str] = set()
    while waiting:
        path = waiting.pop()
        seen.add(path)
        for included in _included(project[path]):
            named = _NAMED.match(included)
            name = (named[1] or named[2] or "") if named else ""
            if not named or not stays(PurePosixPath(path).parent, name):
                return f"{path} includes {included.strip()!r:.80}, which cannot be followed, or leads out of {whole}"
            ending = PurePosixPath(name).name
            waiting += [each for each in project if PurePosixPath(each).name == ending and each not in seen]
    return ""


def _included(data: bytes) -> list[str]:
    """The operands of the #includes of a file, comments removed and continued lines joined."""
    text = re.sub(r"\\[ \t]*\r?\n", "", data.decode("latin-1"))
    text = re.sub(r"/\*.*?\*/", " ", text, flags=re.DOTALL)
    return [found[1] for found in _DIRECTIVE.finditer(text)]


def _refuse_reach(build: Build, project: StrangersProject) -> None:
    """Refuse a program for which the compiler has read anything but the project's files and its own.

    An assembler can read files too, without listing them, so a program with assembly is refused.
    """
    own = [project.folder, *map(Path, compiler_folders())]
    compiled = compile_ir(build)
    for name in compiled.files:
        place = Path(os.path.normpath(build.root / name))
        if not any(place.is_relative_to(folder) for folder in own):
            raise BundleError(f"compiling it read {name}, which is not in {project.whole}", project.remedy)
    if _ASSEMBLY.search(compiled.text):
        raise BundleError("there is assembly in the program, which can read any file", "Give it without.")
