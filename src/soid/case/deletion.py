"""The deletion of a case, and its trace: a line in the folder's list of what was deleted, by whom and when.

The line has the last hash of the record, which stands for all of it: a copy of the case, its report or its evidence
shows by that hash that this is the one. It has the hash of the line before too: a line that is changed or taken out is
found, unless it is the last.

>>> import tempfile
>>> from soid.case.case import Case
>>> from soid.examples import folder
>>> scratch = tempfile.TemporaryDirectory()
>>> file = Path(scratch.name) / "oven.case"
>>> Case.create(file, folder("microwave"), title="The oven", who="ada").close()
>>> gone = delete(file, "The oven", who="ada")
>>> file.exists(), gone.title, gone.entries, deleted_in(file.parent) == (gone,)
(False, 'The oven', 1, True)
>>> scratch.cleanup()
"""

from __future__ import annotations

import fcntl
import hashlib
import os
from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Final, final

import msgspec
from msgspec import Struct
from msgspec.structs import replace

from soid.case import validity
from soid.case.record.entry import Entry
from soid.case.record.record import Record
from soid.errors import CaseError, InputError, SoidError
from soid.visible_text import visible

FILE_NAME: Final = "soid-deleted.jsonl"


@final
class DeletedCase(Struct, frozen=True):
    """A case that was deleted."""

    file: str  # its name in the folder
    title: str
    program: str
    entries: int
    head: str  # last hash of the record; empty if it could not be read
    sha256: str  # of the file
    who: str
    when: str  # UTC
    before: str  # SHA-256 of the line before; of none for the first


def name_of(file: Path) -> str:
    """What must be typed to delete a case: its title as it is shown, or its file's name without the ending."""
    try:
        return called(Record(file, read_only=True).entries, file)
    except SoidError:
        return file.stem


def called(entries: Sequence[Entry], file: Path) -> str:
    """The same for a record that was read."""
    return _as_shown(validity.title(entries)) or file.stem


def _as_shown(name: str) -> str:
    """A name as it can be read and typed."""
    return " ".join(visible(name).split())


def delete(file: Path, typed: str, *, who: str) -> DeletedCase:
    """Delete a case and leave its trace; CaseError unless what was typed is its name."""
    name = name_of(file)
    if _as_shown(typed) != name:
        raise CaseError(f"{typed!r:.80} is not what the case is called", f"To delete it, type its name: {name}")
    trace = _append(file.with_name(FILE_NAME), _trace(file, name, who))
    try:
        file.unlink()
    except OSError as error:
        problem = f"{file.name} cannot be deleted, though its trace was written: {error.strerror or error}"
        raise CaseError(problem, "Look whether the folder can be written.") from error
    return trace


def deleted_in(folder: Path) -> tuple[DeletedCase, ...]:
    """What was deleted in a folder, the last one first; InputError if the list was changed by hand."""
    file = folder / FILE_NAME
    try:
        lines = file.read_bytes().splitlines()
        listed = [msgspec.json.decode(line, type=DeletedCase) for line in lines]
        if any(gone.before != _hash(before) for gone, before in zip(listed, (b"", *lines), strict=False)):
            raise ValueError("a line does not follow the one before it")
    except FileNotFoundError:
        return ()
    except (OSError, ValueError) as error:  # msgspec's errors are ValueErrors
        problem = f"{file.name}, the list of deleted cases, was changed or cannot be read: {error}"
        raise InputError(problem, "Look into it. To go on without it, put it aside.") from error
    return tuple(reversed(listed))


def _trace(file: Path, name: str, who: str) -> DeletedCase:
    when = f"{datetime.now(UTC):%Y-%m-%dT%H:%M:%SZ}"
    try:
        sealed = hashlib.sha256(file.read_bytes()).hexdigest()
    except OSError as error:
        raise CaseError(f"{file.name} cannot be read: {error.strerror or error}", "Name a case.") from error
    try:
        entries = Record(file, read_only=True).entries
    except SoidError:  # damaged, or of another version: its bytes still have a hash
        return DeletedCase(file.name, name, "", 0, "", sealed, who, when, "")
    program = str(entries[0].payload["program"])
    return DeletedCase(file.name, name, program, len(entries), entries[-1].hash, sealed, who, when, "")


def _hash(line: bytes) -> str:
    return hashlib.sha256(line).hexdigest()


def _append(file: Path, trace: DeletedCase) -> DeletedCase:
    """Add a line that follows the last one, and is on the disk afterwards."""
    try:
        handle = os.open(file, os.O_RDWR | os.O_CREAT | os.O_APPEND | os.O_NOFOLLOW, 0o644)
        with os.fdopen(handle, "a+b") as opened:
            fcntl.flock(handle, fcntl.LOCK_EX)
            opened.seek(0)
            trace = replace(trace, before=_hash((opened.read().splitlines() or [b""])[-1]))
            opened.write(msgspec.json.encode(trace) + b"\n")
            opened.flush()
            os.fsync(handle)
    except OSError as error:
        problem = f"{file.name} cannot be written, so nothing is deleted: {error.strerror or error}"
        raise CaseError(problem, "Look whether the folder can be written.") from error
    return trace
