"""What the compiler makes of a program, as one hash: the same on every machine whose compiler makes the same of it."""

from __future__ import annotations

import hashlib
from importlib.util import find_spec
from pathlib import Path

from soid.engine.llvm.compile import Build, compile_ir


def fingerprint(build: Build) -> str:
    """SHA-256 of the module that is analysed, as `portable` gives it."""
    return hashlib.sha256(portable(build)).hexdigest()


def portable(build: Build) -> bytes:
    """The text of the module that is analysed, without the folder that the compiler happens to be installed in."""
    text = compile_ir(build).text
    for folder in compiler_folders():
        text = text.replace(folder, "")
    return text.encode(errors="surrogateescape")


def compiler_folders() -> list[str]:
    """Where the compiler that comes with soid lies: its headers are in the debug information with their whole path."""
    spec = find_spec("ziglang")
    found = [Path(place) for place in (spec.submodule_search_locations or ())] if spec is not None else []
    return list(dict.fromkeys(str(path) for place in found for path in (place, place.resolve())))
