"""A program in C from an untrusted author: how it is compiled here.

It is compiled in the jail, where no file can be seen but those of its project and the compiler's own. soid's compiler
is used, not the one that the manifest names. Flags must be on a list of flags that only change what the program means:
the others could make the compiler run code of the stranger's, or write what the next compiler reads.
"""

from __future__ import annotations

import os
import re
from pathlib import Path, PurePosixPath
from typing import Final

from msgspec.structs import replace

from soid.engine.frontend import StrangersProject
from soid.engine.llvm.c_source import CSource, c_source
from soid.engine.llvm.compiler.compilation import Build, compile_ir
from soid.engine.llvm.compiler.toolchain import compiler_folders
from soid.engine.llvm.variables.discovery import build_of
from soid.engine.registry import frontend_of
from soid.errors import BundleError, CompileError
from soid.jail.launcher import layers
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


def quarantined(program: Program, project: StrangersProject) -> Program | str:
    """The program with soid's compiler, in the jail; or why it is not compiled."""
    source = c_source(program)
    folder = PurePosixPath(program.folder.relative_to(project.folder).as_posix())
    why = _not_compiled(source, folder, project)
    if why:
        return why
    ours = replace(program, source=replace(source, clang=None))
    ours = frontend_of(ours).confined(ours, project.folder)  # refuses files that are no sources
    if not layers().locks_files:
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
    return ""


def _refuse_reach(build: Build, project: StrangersProject) -> None:
    """Refuse a program for which the compiler has read anything but the project's files and its own.

    This is for a machine that cannot lock files away: there the program is compiled, and not run. What the compiler
    says of an error could quote any file, so it is not told.
    """
    own = [project.folder, *map(Path, compiler_folders())]
    try:
        files = compile_ir(build).files
    except CompileError:
        raise BundleError(
            f"it cannot be compiled from {project.whole} alone", "`soid doctor` says why no more can be told here."
        ) from None
    for name in files:
        if not any(Path(os.path.normpath(build.root / name)).is_relative_to(folder) for folder in own):
            raise BundleError(f"compiling it read {name}, which is not in {project.whole}", project.remedy)
