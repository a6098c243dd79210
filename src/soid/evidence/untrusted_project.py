"""A project that anyone may have written, opened with care: for a bundle to verify, and for what was uploaded.

What would reach out of the project's folder is refused by name: here a manifest that names files elsewhere, and by the
front end of the program's engine whatever the program itself would reach for.
"""

from __future__ import annotations

import tomllib
from collections.abc import Iterator, Mapping
from pathlib import Path, PurePosixPath
from typing import Final

from msgspec.structs import replace

from soid.engine.frontend import StrangersProject
from soid.engine.manifest_reader import load
from soid.engine.protocol import Engine
from soid.engine.registry import frontend, open_program
from soid.errors import BundleError, SoidError
from soid.program.files import stays
from soid.program.manifest import Manifest

#: where a manifest names files, whatever its engine
_FILE_KEYS: Final = (("trace", "file"), ("scene", "file"))


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
    """The manifest of a program that may be opened, because opening it reaches for nothing; or why it may not.

    `project` has the files that lie in the folder, by their paths there; `whole` is what they are called together. What
    reaches out of it is a BundleError.
    """
    given = StrangersProject(project, folder, whole)
    _refuse_names(toml, given)
    manifest = load(folder / toml)
    program = frontend(manifest.program.source.engine).guarded(manifest.program, given)
    return program if isinstance(program, str) else replace(manifest, program=program)


def _refuse_names(toml: str, project: StrangersProject) -> None:
    """Refuse a manifest that names files outside of its project: reading it looks them up."""
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
        return  # it cannot be loaded either, and loading says so
    for table, key in (*_FILE_KEYS, *(("program", key) for key in _program_keys(data))):
        inner = data.get(table)
        value = inner.get(key) if isinstance(inner, dict) else None
        for name in value if isinstance(value, list) else [value]:
            if isinstance(name, str):
                yield f"{table}.{key}", name


def _program_keys(data: Mapping[str, object]) -> tuple[str, ...]:
    """The keys under which the manifest's engine looks for files; none where no engine will read it."""
    program = data.get("program")
    name = program.get("engine") if isinstance(program, dict) else None
    try:
        return frontend(name).file_keys if isinstance(name, str) else ()
    except SoidError:
        return ()
