"""A hash of everything that a program's behavior depends on: its manifest, its files, what was compiled of them.

It is known of every program, whereas `Engine.identity` covers the paths of those whose summaries are kept.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from soid.cache import digest
from soid.engine.protocol import Engine, fingerprint
from soid.program.program import Program


def program_identity(program: Program, engine: Engine, manifest: Path | None, opened: float) -> str | None:
    """The hash; None if a file cannot be read, or may have changed after the program was `opened` (a time stamp)."""
    try:
        places = list(dict.fromkeys(_places(program, engine, manifest)))
        contents = [place.read_bytes() for place in places]
        if any(place.stat().st_mtime >= opened for place in places):
            return None
    except OSError:
        return None
    learned = engine.learned
    known = (engine.name, engine.identity or "", fingerprint(engine), learned.sha256 if learned is not None else "")
    return digest(*known, repr(program.source), "|", *contents)


def _places(program: Program, engine: Engine, manifest: Path | None) -> Iterator[Path]:
    if manifest is not None and manifest.name:
        yield manifest
    source = program.source
    yield from (*source.placed(program.folder), *source.beside)
    yield from (program.folder / file for file in engine.files)
