"""How the program was made: compiler, flags, versions, and what came out."""

from __future__ import annotations

import platform
from typing import Any

from soid.engine.protocol import Engine
from soid.solver.chain import available


def build_of(engine: Engine) -> tuple[dict[str, Any], bytes | None]:
    """What the program was made with, and the module that is analysed; no module where nothing is compiled."""
    made: dict[str, Any] = {"engine": engine.name, "python": platform.python_version(), "solvers": available()}
    built = engine.built
    if built is None:
        return made, None
    made |= {"compiler": built.compiler, "reader": built.reader, **built.settings, "module": built.digest}
    return made, built.module
