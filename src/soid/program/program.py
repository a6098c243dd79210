"""A Program: what is put on the stand.

The source is data only; the engine named after its kind turns it into paths (`soid.engine`).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import final

from soid.program.interface import Interface


@final
@dataclass(frozen=True, slots=True)
class SmtLibSource:
    """Paths of a decision logic written as SMT-LIB, by hand or by a symbolic executor."""

    files: tuple[Path, ...]  # one file a path, or one file whose named assertions are the paths
    names: Mapping[str, str] = field(default_factory=dict)  # variable (a prime: after the call) -> SMT-LIB name
    endings: Mapping[str, str] = field(default_factory=dict)  # path -> how it ends, where it does not decide


Source = SmtLibSource


@final
@dataclass(frozen=True, slots=True)
class Program:
    """A decision program with its interface."""

    name: str
    interface: Interface
    source: Source
    folder: Path  # where the manifest stands; relative paths start here
