"""Opening an untrusted project safely: one from a bundle to verify, or an uploaded one.

Anything that would reach out of the project's folder is refused with an error that names it. This module refuses a
manifest that names files elsewhere; the front end of the program's engine refuses what the program itself reaches for.
"""

from __future__ import annotations

import tomllib
from collections.abc import Iterator, Mapping
from pathlib import Path, PurePosixPath
from typing import Final

from msgspec.structs import replace

from soid.engine.frontend import StrangersProject
from soid.engine.manifest_reader import SEVERAL, WORLD, load
from soid.engine.protocol import Engine
from soid.engine.registry import frontend, open_program
from soid.errors import BundleError, SoidError
from soid.program.files import stays
from soid.program.manifest import Manifest

#: where a manifest of any engine names files
_FILE_KEYS: Final = (("trace", "file"), ("trace.join", "file"), ("scene", "file"), ("questions", "scripts"))


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
    """The manifest of a program that is safe to open; a text says why it is not.

    `project` has the files in the folder, by their paths there; `whole` is their name in messages. Reaching out of the
    folder is a BundleError.
    """
    given = StrangersProject(project, folder, whole)
    _refuse_names(toml, given)
    manifest = load(folder / toml)
    program = frontend(manifest.program.source.engine).guarded(manifest.program, given)
    return program if isinstance(program, str) else replace(manifest, program=program)


def _refuse_names(toml: str, project: StrangersProject) -> None:
    """Refuse a manifest that names files outside of its project, because loading it would open them."""
    folder = PurePosixPath(toml).parent
    for key, name in _file_names(toml, project.files):
        if not stays(folder, name):
            raise BundleError(
                f"{toml}: {key} names {name!r:.80}, which lies outside of {project.whole}", project.remedy
            )


def _file_names(toml: str, project: Mapping[str, bytes]) -> Iterator[tuple[str, str]]:
    try:
        data = tomllib.loads(project[toml].decode("utf-8-sig"))
    except (ValueError, RecursionError):
        return  # loading the manifest reports this error
    for table, key in (*_FILE_KEYS, *_program_keys(data)):
        for inner in _inner_tables(data, table):
            value = inner.get(key)
            for name in value if isinstance(value, list) else [value]:
                if isinstance(name, str):
                    yield f"{table}.{key}", name


def _inner_tables(data: Mapping[str, object], path: str) -> list[Mapping[str, object]]:
    """The tables of a path: one, none, or each of a list."""
    found: list[Mapping[str, object]] = [data]
    for part in path.split("."):
        values = [inner.get(part) for inner in found]
        listed = [item for value in values for item in (value if isinstance(value, list) else [value])]
        found = [item for item in listed if isinstance(item, dict)]
    return found


def _program_keys(data: Mapping[str, object]) -> tuple[tuple[str, str], ...]:
    """Tables and keys under which the engines of the manifest's programs look for files."""
    several = data.get(SEVERAL)
    found = [*_keys_of(data.get("program"), "program", ""), *_keys_of(data.get(WORLD), WORLD, f"{WORLD}.")]
    for name, program in several.items() if isinstance(several, dict) else ():
        found += _keys_of(program, f"{SEVERAL}.{name}", f"{SEVERAL}.{name}.")
    return tuple(found)


def _keys_of(program: object, own: str, before: str) -> Iterator[tuple[str, str]]:
    """The tables and keys of one program; `before` precedes the names of its engine's tables."""
    name = program.get("engine") if isinstance(program, dict) else None
    try:
        named = frontend(name).file_keys if isinstance(name, str) else ()
    except SoidError:
        return  # no engine reads this manifest
    for key in named:
        table, _, last = key.rpartition(".")
        yield f"{before}{table}" if table else own, last
