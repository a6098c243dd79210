"""The description of a program whose paths are given as SMT-LIB."""

from __future__ import annotations

import glob
from collections.abc import Mapping
from pathlib import Path
from typing import ClassVar, final

from msgspec import field

from soid.program.program import Detail, ProgramSource


@final
class SmtLibSource(ProgramSource, frozen=True):
    """Paths of a decision logic written as SMT-LIB, by hand or by a symbolic executor."""

    engine: ClassVar[str] = "smtlib"

    files: tuple[Path, ...]  # one file a path, or one file whose named assertions are the paths
    names: Mapping[str, str] = field(default_factory=dict)  # variable (a prime: after the call) -> SMT-LIB name
    endings: Mapping[str, str] = field(default_factory=dict)  # path -> how it ends, where it does not decide

    def placed(self, folder: Path) -> tuple[Path, ...]:
        """The files themselves: their paths contain the folder already."""
        return self.files

    @property
    def beside(self) -> tuple[Path, ...]:
        """The reports of a symbolic executor on how a path ended (see soid.engine.smtlib.given_endings)."""
        found: list[Path] = []
        for file in self.files:
            stem = glob.escape(file.name.removesuffix(".smt2"))
            found += sorted(file.parent.glob(f"{stem}.*.err")) + sorted(file.parent.glob(f"{stem}.early"))
        return tuple(found)

    @property
    def details(self) -> tuple[Detail, ...]:
        return (Detail("Kind", "paths of a decision logic, as SMT-LIB"),)
