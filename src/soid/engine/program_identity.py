"""A hash of everything that a program's behavior depends on: its manifest, its files, what was compiled of them.

It is known of every program with a manifest, whereas `Engine.identity` covers the paths of those whose summaries are
kept.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from pathlib import Path

from soid.cache import digest
from soid.engine.protocol import Engine, fingerprint
from soid.program.program import Program


def identity_of(program: Program, engine: Engine, manifest: Path | None, opened: float) -> Callable[[], str | None]:
    """A function that gives the hash; None where it is not certain that it is about the program as it was read.

    That is so without a manifest's file, if a file cannot be read, and if one may have changed after the program was
    `opened` (a time stamp). What is compiled is in memory: its own hash says what it is, whatever its files are now.
    """
    named = [] if manifest is None or not manifest.name else [manifest, *program.source.placed(program.folder)]
    stamps = _stamps(named)  # of the files as they are now: another file may be put into the place of one

    def identity() -> str | None:
        try:
            if not named or stamps is None or _stamps(named) != stamps:
                return None
            places = list(dict.fromkeys((*named, *_others(program, engine))))
            contents = [place.read_bytes() for place in places]
            if any(_changed(place.stat()) >= opened for place in places):
                return None
        except OSError:
            return None
        learned = engine.learned
        known = (engine.name, engine.identity or "", fingerprint(engine), learned.sha256 if learned is not None else "")
        return digest(*known, repr(program.source), "|", *contents)

    return identity


def _others(program: Program, engine: Engine) -> Iterator[Path]:
    yield from program.source.beside
    yield from (program.folder / file for file in engine.files)


def _stamps(places: list[Path]) -> list[tuple[int, int, int, int]] | None:
    """What tells files apart without reading them; None if one is not there."""
    try:
        found = [place.stat() for place in places]
    except OSError:
        return None
    return [(each.st_dev, each.st_ino, each.st_size, each.st_mtime_ns) for each in found]


def _changed(status: os.stat_result) -> float:
    """When a file was changed, or put where it is: a copy may have kept an earlier time of its content."""
    return max(status.st_mtime, status.st_ctime)
