"""Compiles the harness, which is the same for every program: once per machine, while the program is compiled."""

from __future__ import annotations

import tempfile
import threading
from contextlib import suppress
from pathlib import Path
from typing import Final

from soid.cache import cache_folder, digest
from soid.engine.llvm.compiler.build_cache import CompilerOutput, ContentCache
from soid.engine.llvm.compiler.toolchain import Toolchain, find_toolchain
from soid.errors import SoidError

SOURCE: Final = Path(__file__).with_name("harness.c")
_CODE: Final = ("-O1", "-fno-sanitize=all", "-fPIC", "-ffreestanding", "-fno-builtin", "-fno-stack-protector")

_early: Final[dict[str, threading.Thread]] = {}  # by key: the thread that compiles it just now
_lock: Final = threading.Lock()


def harness_object(toolchain: Toolchain, target: str) -> Path:
    """The harness as an object file; waits for a thread that compiles it already."""
    with _lock:
        thread = _early.pop(_key(toolchain, target), None)
    if thread is not None:
        thread.join()
    return _fetch(toolchain, target)


def compile_early(clang: str | None, target: str) -> None:
    """Start to compile the harness in a thread, unless it is compiled or one has started."""
    with suppress(SoidError):  # harness_object raises the error again
        toolchain = find_toolchain(clang)
        key = _key(toolchain, target)
        if _cache().get(key, "o", ()) is not None:
            return

        def make() -> None:
            with suppress(SoidError, OSError):
                _fetch(toolchain, target)

        with _lock:
            if key not in _early:
                _early[key] = threading.Thread(target=make, name="harness", daemon=True)
                _early[key].start()


def _fetch(toolchain: Toolchain, target: str) -> Path:
    return _cache().fetch(_key(toolchain, target), "o", (), lambda: _made(toolchain, target)).path


def _cache() -> ContentCache:
    return ContentCache(cache_folder() / "replay", Path())


def _key(toolchain: Toolchain, target: str) -> str:
    return digest(toolchain.version, target, SOURCE.read_bytes(), *_CODE)


def _made(toolchain: Toolchain, target: str) -> CompilerOutput:
    with tempfile.TemporaryDirectory() as scratch:
        folder = Path(scratch)
        (folder / "harness.c").write_bytes(SOURCE.read_bytes())
        toolchain.compile([*toolchain.target_flags(target), *_CODE, "-c", "harness.c", "-o", "harness.o"], folder)
        return CompilerOutput((folder / "harness.o").read_bytes(), (), "")
