"""The fingerprint of a compiled program: a hash that is equal on every machine whose compiler gives the same module."""

from __future__ import annotations

import hashlib
from importlib.util import find_spec
from pathlib import Path

from soid.engine.llvm.compiler.compilation import Build, compile_ir


def fingerprint(build: Build) -> str:
    """SHA-256 of the module that is analysed, as `portable` gives it."""
    return hashlib.sha256(portable(build)).hexdigest()


def portable(build: Build) -> bytes:
    """The text of the module that is analysed, without the folder of the compiler."""
    text = compile_ir(build).text
    for folder in compiler_folders():
        text = text.replace(folder, "")
    return text.encode(errors="surrogateescape")


def compiler_folders() -> list[str]:
    """The folders of the packaged compiler, which the debug info of its headers contains."""
    spec = find_spec("ziglang")
    found = [Path(place) for place in (spec.submodule_search_locations or ())] if spec is not None else []
    return list(dict.fromkeys(str(path) for place in found for path in (place, place.resolve())))
