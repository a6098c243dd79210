"""A project that anyone may have written, opened with care: for a bundle to verify, and for what was uploaded.

What would reach out of the project's folder is refused by name: a manifest that names files elsewhere, an #include that
does, assembly, which can read any file. The compiler that the manifest names is not run; ours is. Flags must be on a
list of those that change nothing but what the program means.
"""

from __future__ import annotations

import os
import re
import tomllib
from collections.abc import Iterator, Mapping
from pathlib import Path, PurePosixPath
from typing import Final

from msgspec.structs import replace

from soid.engine.protocol import Engine
from soid.engine.registry import open_program
from soid.errors import BundleError
from soid.program.manifest import Manifest, load
from soid.program.program import CSource

#: flags that say which C the program is written in, or how far it is optimised, and reach for nothing else
ALLOWED: Final = re.compile(
    r"-std=(?:c|gnu)(?:\+\+)?[0-9][0-9a-z]|-O[0123sgz]?|-g|-w|-pedantic(?:-errors)?|-W(?:no-)?[a-z0-9+-]+(?:=[a-z0-9]+)?"
    r"|-[DU]\w+(?:=[\w.+\"'() -]*)?|-f(?:no-)?(?:wrapv|signed-char|unsigned-char|short-enums|strict-aliasing|builtin"
    r"|common|math-errno|strict-overflow|inline|inline-functions|unroll-loops|vectorize|slp-vectorize|exceptions|rtti)"
    r"|-ffp-contract=off|-march=x86-64(?:-v[234])?|-lm"
)
_TARGET: Final = re.compile(r"[a-z0-9_]+(?:-[a-z0-9_.]+){1,3}")
_DEFINE: Final = re.compile(r"\w+(?:\(\w+(?:,\w+)*\))?(?:=[^\x00-\x1f]*)?")
_COMPILED: Final = frozenset({".c", ".h", ".cc", ".cpp", ".cxx", ".hpp", ".hh", ".inc", ".def"})
_DIRECTIVE: Final = re.compile(
    r"(?:^|\n)[ \t\f\v]*(?:#|%:|\?\?=)\s*(?:include|include_next|import|embed)\b[ \t]*([^\n]*)"
)
_NAMED: Final = re.compile(r"\"([^\"\n]*)\"|<([^>\n]*)>")
#: where a manifest names files
_FILE_KEYS: Final = (
    ("program", "sources"),
    ("program", "paths"),
    ("program", "include"),
    ("program", "compile_commands"),
    ("trace", "file"),
    ("scene", "file"),
)
#: in LLVM's canonical text
_ASSEMBLY: Final = re.compile(r"^module asm |^ [^\n\"]*\b(?:call|callbr|invoke) [^\n\"]*\basm [^\n\"]*\"", re.MULTILINE)


def open_with_care(
    toml: str, project: Mapping[str, bytes], folder: Path, *, whole: str = "the bundle"
) -> tuple[Manifest, Engine] | str:
    """The manifest, its program complete, and the engine; a text says why it was not opened."""
    manifest = load_with_care(toml, project, folder, whole=whole)
    if isinstance(manifest, str):
        return manifest
    program, engine = open_program(manifest.program)
    return replace(manifest, program=program), engine


def load_with_care(
    toml: str, project: Mapping[str, bytes], folder: Path, *, whole: str = "the bundle"
) -> Manifest | str:
    """The manifest of a program that may be opened, because compiling it reaches for nothing; or why it may not.

    `project` has the files that lie in the folder, by their paths there; `whole` is what they are called together. What
    reaches out of it is a BundleError.
    """
    _refuse_names(toml, project, whole)
    manifest = load(folder / toml)
    why = _not_compiled(manifest, project, folder, whole)
    if why:
        return why
    own = _own_compiler(manifest)
    _refuse_reach(own, folder, whole)
    return own


def _own_compiler(manifest: Manifest) -> Manifest:
    source = manifest.program.source
    if not isinstance(source, CSource):
        return manifest
    return replace(manifest, program=replace(manifest.program, source=replace(source, clang=None)))


# --- what reaches for files elsewhere ---------------------------------------------------------------------------


def _refuse_names(toml: str, project: Mapping[str, bytes], whole: str) -> None:
    """Refuse a manifest that names files outside of its project: reading it looks them up."""
    folder = PurePosixPath(toml).parent
    for key, name in _file_names(toml, project):
        if not _stays(folder, name):
            raise BundleError(f"{toml}: {key} names {name!r:.80}, which lies outside of {whole}", _remedy(whole))


def _file_names(toml: str, project: Mapping[str, bytes]) -> Iterator[tuple[str, str]]:
    try:
        data = tomllib.loads(project[toml].decode("utf-8-sig"))
    except (ValueError, RecursionError):
        return  # it cannot be loaded either, and loading says so
    for table, key in _FILE_KEYS:
        inner = data.get(table)
        value = inner.get(key) if isinstance(inner, dict) else None
        for name in value if isinstance(value, list) else [value]:
            if isinstance(name, str):
                yield f"{table}.{key}", name


def _stays(folder: PurePosixPath, name: str) -> bool:
    """Whether a name leads somewhere inside the project; there are no links in it."""
    if name.startswith(("/", "~")) or "\\" in name or "\0" in name:
        return False
    after = name.partition("**")[2]  # which may stand for no folder at all
    if ".." in after.split("/"):
        return False
    return not os.path.normpath(folder / name).startswith("..")


def _not_compiled(manifest: Manifest, project: Mapping[str, bytes], scratch: Path, whole: str) -> str:
    """Why the program is not compiled here; empty where it is."""
    source = manifest.program.source
    if not isinstance(source, CSource):
        return ""
    folder = PurePosixPath(manifest.file.parent.relative_to(scratch).as_posix())
    for flag in (*source.flags, *(flag for flags in source.commands.values() for flag in flags)):
        if not ALLOWED.fullmatch(flag) and not (flag.startswith("-I") and _stays(folder, flag[2:])):
            return f"it is to be compiled with {flag!r:.80}, which is not on the list of flags that are used here"
    for place in (*source.sources, *source.include):
        if not _stays(folder, place.as_posix()):
            return f"it is to be compiled from {str(place)!r:.80}, which lies outside of {whole}"
    for define in source.defines:
        if not _DEFINE.fullmatch(define):
            return f"it is to be compiled with the definition {define!r:.80}"
    if source.target is not None and not _TARGET.fullmatch(source.target):
        return f"it is to be compiled for {source.target!r:.80}"
    if any(file.suffix == ".bc" for file in source.sources):
        return "it is LLVM bitcode, which is not opened for strangers: give LLVM text (.ll), or the source"
    return _followed(project, whole)


def _followed(project: Mapping[str, bytes], whole: str) -> str:
    """Why #includes are not followed; empty where they are. Whatever may be included is looked at as well."""
    waiting = [path for path in project if PurePosixPath(path).suffix in _COMPILED]
    seen: set[str] = set()
    while waiting:
        path = waiting.pop()
        seen.add(path)
        for said in _included(project[path]):
            named = _NAMED.match(said)
            name = (named[1] or named[2] or "") if named else ""
            if not named or not _stays(PurePosixPath(path).parent, name):
                return f"{path} includes {said.strip()!r:.80}, which cannot be followed, or leads out of {whole}"
            ending = PurePosixPath(name).name
            waiting += [each for each in project if PurePosixPath(each).name == ending and each not in seen]
    return ""


def _included(data: bytes) -> list[str]:
    """What the #includes of a file say, comments and lines that go on aside."""
    text = re.sub(r"\\[ \t]*\r?\n", "", data.decode("latin-1"))
    text = re.sub(r"/\*.*?\*/", " ", text, flags=re.DOTALL)
    return [found[1] for found in _DIRECTIVE.finditer(text)]


def _refuse_reach(manifest: Manifest, scratch: Path, whole: str) -> None:
    """Refuse a program for which the compiler has read anything but the project's files and its own.

    So may an assembler, and nobody lists what: a program with assembly in it is never made to run.
    """
    source = manifest.program.source
    if not isinstance(source, CSource):
        return
    from soid.engine.llvm.compiler.compilation import compile_ir
    from soid.engine.llvm.compiler.fingerprint import compiler_folders
    from soid.engine.llvm.variables.discovery import build_of

    build = build_of(source, manifest.program.folder)
    own = [scratch, *map(Path, compiler_folders())]
    compiled = compile_ir(build)
    for name in compiled.files:
        place = Path(os.path.normpath(build.root / name))
        if not any(place.is_relative_to(folder) for folder in own):
            raise BundleError(f"compiling it read {name}, which is not in {whole}", _remedy(whole))
    if _ASSEMBLY.search(compiled.text):
        raise BundleError("there is assembly in the program, which can read any file", "Give it without.")


def _remedy(whole: str) -> str:
    return f"{whole[0].upper()}{whole[1:]} must hold everything that its program needs."
