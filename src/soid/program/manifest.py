"""A Manifest: what a `soid.toml` says. `soid.engine.manifest_reader` reads it."""

from __future__ import annotations

from pathlib import Path
from typing import Final, final

from msgspec import Struct

from soid.program.program import Program
from soid.program.scenery import SceneDeclaration

FILE_NAME: Final = "soid.toml"
STEP_COLUMN: Final = "step"


@final
class Manifest(Struct, frozen=True):
    """What a `soid.toml` says."""

    file: Path
    program: Program
    trace: Path | None = None  # the log that is read where none is named
    keyframe: int | None = None  # the step that is asked about where none is named
    step_column: str = STEP_COLUMN  # the log's column with the number of the step
    ignore: tuple[str, ...] = ()  # columns of the log that are nothing to the program, with all below them
    questions: tuple[str, ...] = ()  # examples of what may be asked
    scene: SceneDeclaration | None = None  # how a moment is drawn


def below(path: str, ancestor: str) -> bool:
    """Whether a path is another one or a part of it.

    >>> below("scene.lanes[0]", "scene"), below("scenery", "scene")
    (True, False)
    """
    return path.startswith(ancestor) and path[len(ancestor) :][:1] in ("", ".", "[", "'")
