"""A bundle's project, opened on the verifier's machine: with the verifier's compiler, and as if anyone had written it.

What would reach out of the scratch folder is refused by name: a manifest that names files elsewhere, an #include that
does. The compiler that the manifest names is not run; the verifier's is. Flags must be on a list of those that change
nothing but what the program means. What cannot be opened under these rules is not believed: its facts stay attested.
"""

from __future__ import annotations

import os
import re
import tomllib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path, PurePosixPath
from typing import Any, Final, final

from soid.engine.protocol import Engine
from soid.engine.registry import open_program
from soid.errors import BundleError, SoidError
from soid.evidence import layout
from soid.evidence.archive import odd
from soid.evidence.derivation import Examined
from soid.evidence.recorded import MISSHAPEN, Recorded
from soid.program.manifest import Manifest, load
from soid.program.program import CSource, Program
from soid.scenario.trace import Trace, read_for
from soid.witness.replay import Replayer
from soid.witness.replayers import replayer_for

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
_REMEDY: Final = "A bundle holds everything that its program needs."


@final
@dataclass(frozen=True, slots=True)
class Opened:
    """The program, ready to be examined."""

    program: Program
    engine: Engine
    replayer: Replayer | None
    traces: Mapping[str, Trace]  # by the log's name in the case

    def at(self, fact: Recorded) -> Examined:
        """The moment that a fact is about."""
        if fact.log not in self.traces:
            raise BundleError(
                f"entry {fact.number} speaks of the log {fact.log}, which the case does not have", _REMEDY
            )
        return Examined(self.program, self.engine, self.replayer, self.traces[fact.log].keyframe(fact.step))


def project_files(files: Mapping[str, bytes], opened: Mapping[str, Any]) -> dict[str, bytes]:
    """The project's files by their paths in the case, if they are those that its first entry lists."""
    found = {name.removeprefix(layout.PROJECT): data for name, data in files.items() if name.startswith(layout.PROJECT)}
    try:
        listed = {one["path"]: (one["sha256"], one["size"]) for one in opened["files"]}
    except MISSHAPEN:
        raise BundleError("entry 1 of the chain does not list the project's files", _REMEDY) from None
    held = {path: (sha, len(found[path])) for path, sha in layout.hashes(found).items()}
    for path in sorted(held.keys() | listed.keys(), key=str):
        if held.get(path) != listed.get(path):
            raise BundleError(f"project/{path} is not what entry 1 of the chain lists", _REMEDY)
    return found


def open_project(project: Mapping[str, bytes], opened: Mapping[str, Any], scratch: Path) -> Opened | str:
    """Lay the project out in the scratch folder and open it; a text says why it was not opened."""
    try:
        toml, logs, folders = opened["manifest"], tuple(opened["logs"]), tuple(opened["folders"])
        if not all(isinstance(name, str) for name in (toml, *logs, *folders)) or not logs:
            raise ValueError
    except MISSHAPEN:
        raise BundleError("entry 1 of the chain does not say what the project is", _REMEDY) from None
    for name in (toml, *logs):
        if name not in project:
            raise BundleError(f"entry 1 of the chain names {name}, which is not in the bundle", _REMEDY)
    _lay_out(project, folders, scratch)
    _refuse_names(toml, project)
    try:
        manifest = load(scratch / toml)
        why = _not_compiled(manifest, project, scratch)
        if why:
            return why
        own = _own_compiler(manifest)
        program, engine = open_program(own.program)
        manifest = replace(own, program=program)
        _refuse_reach(engine, scratch)
        traces = {log: replace(read_for(manifest, scratch / log), source=log) for log in logs}
        return Opened(program, engine, replayer_for(program, engine, "confined"), traces)
    except BundleError:
        raise
    except SoidError as error:
        return error.cause.replace(f"{scratch}/", "")


def _lay_out(project: Mapping[str, bytes], folders: Sequence[str], scratch: Path) -> None:
    for name in folders:
        if name != "." and odd(name):
            raise BundleError(f"entry 1 of the chain names the folder {name!r:.80}, which {odd(name)}", _REMEDY)
    try:
        for name in folders:
            (scratch / name).mkdir(parents=True, exist_ok=True)
        for name, data in project.items():  # the archive has refused every name that leads anywhere else
            (scratch / name).parent.mkdir(parents=True, exist_ok=True)
            (scratch / name).write_bytes(data)
    except OSError as error:
        raise BundleError(f"the project cannot be laid out: {error.strerror or error}", _REMEDY) from error


def _own_compiler(manifest: Manifest) -> Manifest:
    source = manifest.program.source
    if not isinstance(source, CSource):
        return manifest
    return replace(manifest, program=replace(manifest.program, source=replace(source, clang=None)))


# --- what reaches for files elsewhere ---------------------------------------------------------------------------


def _refuse_names(toml: str, project: Mapping[str, bytes]) -> None:
    """Refuse a manifest that names files outside of the bundle: reading it looks them up."""
    folder = PurePosixPath(toml).parent
    for key, name in _file_names(toml, project):
        if not _stays(folder, name):
            raise BundleError(f"{toml}: {key} names {name!r:.80}, which lies outside of the bundle", _REMEDY)


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
    """Whether a name leads somewhere inside the bundle; there are no links in it."""
    if name.startswith(("/", "~")) or "\\" in name or "\0" in name:
        return False
    after = name.partition("**")[2]  # which may stand for no folder at all
    if ".." in after.split("/"):
        return False
    return not os.path.normpath(folder / name).startswith("..")


def _not_compiled(manifest: Manifest, project: Mapping[str, bytes], scratch: Path) -> str:
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
            return f"it is to be compiled from {str(place)!r:.80}, which lies outside of the bundle"
    for define in source.defines:
        if not _DEFINE.fullmatch(define):
            return f"it is to be compiled with the definition {define!r:.80}"
    if source.target is not None and not _TARGET.fullmatch(source.target):
        return f"it is to be compiled for {source.target!r:.80}"
    if any(file.suffix == ".bc" for file in source.sources):
        return "it is LLVM bitcode, which is not opened for strangers: give LLVM text (.ll), or the source"
    return next(filter(None, (_includes(path, data) for path, data in sorted(project.items()))), "")


def _includes(path: str, data: bytes) -> str:
    """Why a file's #includes are not followed; empty where they are."""
    if PurePosixPath(path).suffix not in _COMPILED:
        return ""
    text = re.sub(r"\\[ \t]*\r?\n", "", data.decode("latin-1"))
    text = re.sub(r"/\*.*?\*/", " ", text, flags=re.DOTALL)
    for found in _DIRECTIVE.finditer(text):
        named = _NAMED.match(found[1])
        name = (named[1] or named[2] or "") if named else ""
        if not named or not _stays(PurePosixPath(path).parent, name):
            return f"{path} includes {found[1].strip()!r:.80}, which cannot be followed, or leads out of the bundle"
    return ""


def _refuse_reach(engine: Engine, scratch: Path) -> None:
    """Refuse a program for which the compiler has read anything but the bundle's files and its own."""
    if engine.name != "llvm":
        return
    from soid.engine.llvm.compile import compile_ir  # the compiler's packages are loaded where they are needed
    from soid.engine.llvm.engine import LlvmEngine
    from soid.engine.llvm.fingerprint import compiler_folders

    assert isinstance(engine, LlvmEngine)
    build = engine.loaded.build
    own = [scratch, *map(Path, compiler_folders())]
    for name in compile_ir(build).files:
        place = Path(os.path.normpath(build.root / name))
        if not any(place.is_relative_to(folder) for folder in own):
            raise BundleError(f"compiling it read {name}, which is not in the bundle", _REMEDY)
