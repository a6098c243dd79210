"""The cache of compiler outputs, by content, so that an unchanged program is not compiled twice.

An entry has a key (a hash of everything that is known before compiling) and the files that the compiler read (headers),
each with its hash. It is valid as long as each of these files is unchanged and no new file exists that an #include
would find first.

    <cache>/compile/<key>.json         the files that were read, and what the compiler said
    <cache>/compile/<content>.<suffix> the result, named by the key and the hashes of those files

Two programs may share a key and differ in a header. Each then has a result of its own: compiling one does not replace
the file that the other uses.
"""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import final

from msgspec import Struct

from soid.cache import digest, write_atomically


@final
class CachedOutput(Struct, frozen=True):
    """A result that is kept."""

    path: Path  # of the result
    files: tuple[str, ...]  # every file that was read, as the compiler named them
    words: str  # what the compiler said, warnings


@final
class ContentCache(Struct, frozen=True):
    """Results under one folder."""

    folder: Path  # where results are kept
    root: Path  # what the compiler's file names are relative to

    def get(self, key: str, suffix: str, search: Sequence[Path]) -> CachedOutput | None:
        """The entry, if it is still valid; an unreadable entry counts as absent."""
        try:
            record = json.loads((self.folder / f"{key}.json").read_text())
            files: dict[str, str] = record["files"]
            holds = all(_hash_file(self._place(name)) == digest for name, digest in files.items())
            if not holds or self._rivals(files, search) != record["rivals"]:
                return None
            result = self.folder / _name(key, files, suffix)
            return CachedOutput(result, tuple(files), record["words"]) if result.is_file() else None
        except (OSError, ValueError, KeyError, TypeError, AttributeError):
            return None

    def put(self, key: str, suffix: str, made: CompilerOutput, search: Sequence[Path]) -> CachedOutput:
        """Store a result. The record is written last: without it the result is not valid."""
        files = {name: _hash_file(self._place(name)) for name in made.files}
        record = {"files": files, "rivals": self._rivals(files, search), "words": made.words}
        result = self.folder / _name(key, files, suffix)
        write_atomically(result, made.content, 0o700 if made.executable else 0o600)
        write_atomically(self.folder / f"{key}.json", json.dumps(record).encode())
        return CachedOutput(result, tuple(files), made.words)

    def fetch(self, key: str, suffix: str, search: Sequence[Path], make: Callable[[], CompilerOutput]) -> CachedOutput:
        """The entry, made if it is absent."""
        return self.get(key, suffix, search) or self.put(key, suffix, make(), search)

    def _rivals(self, files: Iterable[str], search: Sequence[Path]) -> list[str]:
        """Files that were not read, but that an #include of a file that was read could find."""
        known = {self._place(name) for name in files}
        endings = {tail for name in files for tail in _endings(name)}
        places = {self._place(f"{folder}/{tail}") for folder in search for tail in endings} - known
        return sorted(filter(os.path.exists, places))

    def _place(self, name: str) -> str:
        """Where a file lies that the compiler named. There are thousands: a `Path` of each takes longer."""
        return os.path.normpath(os.path.join(self.root, name))  # noqa: PTH118


@final
class CompilerOutput(Struct, frozen=True):
    """The result of a compilation."""

    content: bytes
    files: tuple[str, ...]
    words: str
    executable: bool = False


def _name(key: str, files: Mapping[str, str], suffix: str) -> str:
    """The file name of a result: it depends on the content of every file that the compiler read."""
    return f"{digest(key, *(part for item in sorted(files.items()) for part in item))}.{suffix}"


def _hash_file(path: str) -> str:
    with open(path, "rb") as file:  # noqa: PTH123
        return hashlib.sha256(file.read()).hexdigest()


def _endings(name: str) -> list[str]:
    """The suffixes of a path that an #include could name: at most three parts, as in `sys/cdefs.h`.

    >>> _endings("/usr/include/x86/sys/cdefs.h"), _endings("a.h")
    (['cdefs.h', 'sys/cdefs.h', 'x86/sys/cdefs.h'], ['a.h'])
    """
    parts = [part for part in name.split("/") if part]
    return ["/".join(parts[-length:]) for length in range(1, min(3, len(parts)) + 1)]
