"""A Manifest: the contents of a `soid.toml`. `soid.engine.manifest_reader` reads it."""

from __future__ import annotations

from pathlib import Path
from typing import Final, final

from msgspec import Struct

from soid.program.program import Program
from soid.program.scenery import SceneDeclaration
from soid.program.trace_table import LogMapping

FILE_NAME: Final = "soid.toml"
STEP_COLUMN: Final = "step"


@final
class CaseStory(Struct, frozen=True):
    """What a project is about, in the words of its author: told before any question is asked, and never checked."""

    happened: str = ""
    harm: str = ""


@final
class Manifest(Struct, frozen=True):
    """The contents of a `soid.toml`."""

    file: Path
    program: Program
    trace: Path | None = None  # the log to read if none is named
    keyframe: int | None = None  # the step that questions are about if none is named
    step_column: str = STEP_COLUMN  # the log's column with the number of the step
    from_start: bool = False  # the log begins with the program's first call
    ignore: tuple[str, ...] = ()  # columns of the log to ignore, with all below them
    mapping: LogMapping = LogMapping()  # what the columns of the log are to the program
    questions: tuple[str, ...] = ()  # example questions
    compared: tuple[str, ...] = ()  # questions that are put to each of several programs
    scripts: tuple[Path, ...] = ()  # files with scripts of questions
    story: CaseStory = CaseStory()
    scene: SceneDeclaration | None = None  # how to draw a moment

    def __repr__(self) -> str:
        return f"Manifest({str(self.file)!r} of {self.program.name!r})"


def below(path: str, ancestor: str) -> bool:
    """Whether a path is the ancestor itself or a part of it.

    >>> below("scene.lanes[0]", "scene"), below("scenery", "scene")
    (True, False)
    """
    return path.startswith(ancestor) and path[len(ancestor) :][:1] in ("", ".", "[", "'")
