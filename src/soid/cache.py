"""The cache folder, for files that only save time; each is written whole or not at all."""

from __future__ import annotations

import atexit
import hashlib
import os
import secrets
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from functools import cache
from pathlib import Path
from typing import Final, final

from msgspec import Struct

#: kept of one kind
FILES: Final = 1_000

_SELDOM: Final = 16  # files that are written before a folder is looked through for old ones


def cache_folder() -> Path:
    """SOID_CACHE, else soid's folder in XDG_CACHE_HOME, else ~/.cache/soid; where that cannot be written, another."""
    if own := os.environ.get("SOID_CACHE"):
        return Path(own)
    usual = user_caches() / "soid"
    return usual if can_be_written(usual) else _temporary()


def user_caches() -> Path:
    """The folder in which programs keep their caches for this user."""
    base = os.environ.get("XDG_CACHE_HOME")
    return Path(base) if base else Path.home() / ".cache"


def can_be_written(folder: Path) -> bool:
    """Whether files can be written in a folder; it is made where it is missing."""
    with suppress(OSError):  # then it cannot be written, which is what this says
        folder.mkdir(parents=True, exist_ok=True)
    return os.access(folder, os.W_OK | os.X_OK)


@cache
def _temporary() -> Path:
    """A folder for this process alone: in a container, the user's home may be missing or read-only."""
    folder = tempfile.mkdtemp(prefix="soid-")
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    return Path(folder)


def digest(*parts: str | bytes) -> str:
    """A hash of the parts in their order, with the limits between them.

    >>> digest("ab", "c") == digest("a", "bc")
    False
    """
    total = hashlib.sha256()
    for part in parts:
        data = part.encode() if isinstance(part, str) else part
        total.update(len(data).to_bytes(8, "little") + data)
    return total.hexdigest()


def write_atomically(path: Path, content: bytes, mode: int | None = 0o600) -> None:
    """Write a file that no reader sees half written, even if other processes write it at the same time.

    With `mode` None the file gets the permissions that any new file of this process gets.
    """
    path.parent.mkdir(parents=True, exist_ok=True)
    with _draft(path, content, mode) as draft:
        if not draft.is_unnamed:
            draft.place.replace(path)
            return
        try:
            draft.link(path)
        except FileExistsError:  # a rename replaces it, and needs a name for that moment
            named = _draft_name(path)
            draft.link(named)
            named.replace(path)


def write_new(path: Path, content: bytes) -> None:
    """Write a file that gets its name only when it is whole and on the disk; FileExistsError if there is one."""
    with _draft(path, content, None, synchronised=True) as draft:
        try:
            draft.link(path)
        except FileExistsError:
            raise
        except OSError:  # a file system without links
            if draft.is_unnamed or path.exists():
                raise
            draft.place.rename(path)
        folder = os.open(path.parent, os.O_RDONLY)
        try:
            os.fsync(folder)  # the name too survives a power cut
        finally:
            os.close(folder)


@final
class _Draft(Struct, frozen=True):
    """A whole file that does not have its name yet."""

    place: Path
    is_unnamed: bool  # in no folder: it is gone with its process, however that ends

    def link(self, name: Path) -> None:
        """Give it a name; FileExistsError if that is taken."""
        # with `src_dir_fd` Python calls linkat, which alone can follow the link in /proc
        folder = os.open(name.parent, os.O_RDONLY)
        try:
            os.link(self.place, name, src_dir_fd=folder, follow_symlinks=self.is_unnamed)
        finally:
            os.close(folder)


@contextmanager
def _draft(path: Path, content: bytes, mode: int | None, *, synchronised: bool = False) -> Iterator[_Draft]:
    """The content in a file beside `path`: one without a name, so that a kill leaves nothing, where the system can."""
    named = None
    try:
        writing = os.open(path.parent, os.O_TMPFILE | os.O_WRONLY, 0o666)
        reading = os.open(f"/proc/self/fd/{writing}", os.O_RDONLY)
    except OSError:  # a file system without O_TMPFILE, or a system without /proc
        named = _draft_name(path)
        writing = os.open(named, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o666)
        reading = os.open(named, os.O_RDONLY)
    try:
        # closed before it has a name: what is open for writing cannot be executed
        with os.fdopen(writing, "wb") as file:
            file.write(content)
            file.flush()
            if mode is not None:
                os.fchmod(writing, mode)
            if synchronised:
                os.fsync(writing)
        yield _Draft(named or Path(f"/proc/self/fd/{reading}"), is_unnamed=named is None)
    finally:
        os.close(reading)
        if named is not None:
            named.unlink(missing_ok=True)


def _draft_name(path: Path) -> Path:
    return path.with_name(f".{path.name[:200]}.{secrets.token_hex(8)}.new")


def sealed(content: bytes) -> bytes:
    """The content with its hash before it."""
    return hashlib.sha256(content).hexdigest().encode() + b"\n" + content


def unsealed(kept: bytes) -> bytes | None:
    """The sealed content; None if a bit of it has changed.

    >>> unsealed(sealed(b"this")), unsealed(sealed(b"this")[:-1])
    (b'this', None)
    """
    _, _, content = kept.partition(b"\n")
    return content if kept == sealed(content) else None


def keep(path: Path, content: bytes) -> None:
    """Write content to the cache, sealed with its name; a folder that cannot be written to is ignored."""
    with suppress(OSError):  # the cache only saves time
        write_atomically(path, sealed(path.name.encode() + b"\n" + content))
        trim(path.parent, FILES)


def trim(folder: Path, most: int, size: int | None = None) -> None:
    """Remove the oldest files of a folder beyond `most` files, or beyond `size` bytes in all."""
    if size is None and len(_entries(folder)) <= most:
        return
    total = 0
    for number, (path, _, length) in enumerate(newest(folder)):
        total += length
        if number >= most or (size is not None and total > size):
            Path(path).unlink(missing_ok=True)


def trim_at_times(folder: Path, most: int, size: int) -> None:
    """The same once in `_SELDOM` files: what a full folder holds takes longer to look at than a file to write."""
    if len(_entries(folder)) % _SELDOM == 0:
        trim(folder, most - _SELDOM + 1, size)


def newest(folder: Path, beginning: str = "") -> list[tuple[str, float, int]]:
    """The files of a folder whose names begin so, with time and size, the latest first; none if there is no folder.

    A full folder is listed for every question: paths are text, and only the files that are meant are looked at.
    """
    found = []
    for entry in _entries(folder):
        status = _status(entry) if entry.name.startswith(beginning) else None
        if status is not None:
            found.append((entry.path, status.st_mtime, status.st_size))
    return sorted(found, key=lambda each: -each[1])


def _entries(folder: Path) -> list[os.DirEntry[str]]:
    try:
        with os.scandir(folder) as entries:
            return list(entries)
    except OSError:  # a folder that is not there has no files
        return []


def _status(entry: os.DirEntry[str]) -> os.stat_result | None:
    try:
        return entry.stat()
    except OSError:  # another process may have removed it
        return None


def kept(path: Path) -> bytes | None:
    """The content that `keep` wrote; None if it is missing, damaged, or was written under another name."""
    try:
        content = unsealed(path.read_bytes())
    except OSError:
        return None
    name = path.name.encode() + b"\n"
    return content.removeprefix(name) if content is not None and content.startswith(name) else None
