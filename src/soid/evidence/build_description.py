"""How the program was made: compiler, flags, versions, and what came out."""

from __future__ import annotations

import hashlib
import platform
from typing import Any

from soid.engine.protocol import Engine
from soid.solver.chain import available


def build_of(engine: Engine) -> tuple[dict[str, Any], bytes | None]:
    """What the program was made with, and the module that is analysed; no module where nothing is compiled."""
    made = {"engine": engine.name, "python": platform.python_version(), "solvers": available()}
    if engine.name != "llvm":
        return made, None
    from soid.engine.llvm.compiler.fingerprint import portable
    from soid.engine.llvm.compiler.module_linker import llvm_version
    from soid.engine.llvm.compiler.toolchain import find_toolchain
    from soid.engine.llvm.llvm_engine import LlvmEngine

    assert isinstance(engine, LlvmEngine)
    build = engine.loaded.build
    module = portable(build)
    made |= {
        "compiler": find_toolchain(build.clang).version,
        "reader": llvm_version(),
        "target": build.target,
        "level": build.level,
        "flags": list(build.user_flags()),
        "sources": [source.as_posix() for source in build.sources],
        "module": hashlib.sha256(module).hexdigest(),
    }
    return made, module
