"""Staging: uploaded files before they become a case. They may be hostile.

Names are reduced to safe characters and known endings. The size of each file, and of all together, is bounded. A worker
compiles them, within limits, and only if they include no other file (`soid.evidence.untrusted_project`). It reads a
learned model in a jail; a pickle is refused by name, since it is a program.
"""

from __future__ import annotations

import re
import secrets
import shutil
import threading
import time
from pathlib import Path
from typing import Final, final

from msgspec import Struct, field

from soid.engine.file_kinds import HEAD, why_no_text
from soid.engine.registry import frontend
from soid.errors import InputError, NotOnDesk, TooMuch
from soid.web.bundle_shelf import original_name
from soid.web.upload_manifest import MODEL

SOURCES: Final = (".c", ".cc", ".cpp", ".cxx", ".ino")
HEADERS: Final = (".h", ".hh", ".hpp", ".inc", ".def")
LOGS: Final = (".jsonl", ".ndjson", ".json", ".csv", ".tsv")
MODELS: Final = (".ubj", ".txt", ".skops", ".onnx")  # and .json, which a log may be too: its beginning tells
_PICKLES: Final = (".pkl", ".pickle", ".joblib")

MOST_FILES: Final = 60  # in one area
LARGEST: Final = 8 << 20  # bytes of one file
MOST: Final = 24 << 20  # bytes of one area
AREAS: Final = 40  # at once
OWN_AREAS: Final = 8  # of one user, whose oldest makes room
_FORGOTTEN: Final = 3600.0  # seconds without use after which an area may be removed


@final
class Area(Struct):
    """The uploaded files of one future case."""

    id: str
    folder: Path
    who: str  # began it
    used: float = field(default_factory=time.monotonic)
    lock: threading.Lock = field(default_factory=threading.Lock)
    given: dict[str, str] = field(default_factory=dict)  # by the name here: the one that it was sent under

    @property
    def files(self) -> dict[str, int]:
        """Names, each with its size in bytes."""
        return {file.name: file.stat().st_size for file in sorted(self.folder.iterdir())}

    @property
    def sources(self) -> tuple[str, ...]:
        return tuple(name for name in self.files if Path(name).suffix in SOURCES)

    @property
    def models(self) -> tuple[str, ...]:
        """Learned models, each a program by itself."""
        endings = (*MODELS, *LOGS)
        return tuple(name for name in self.files if Path(name).suffix in endings and self._is_model(name))

    @property
    def logs(self) -> tuple[str, ...]:
        return tuple(name for name in self.files if Path(name).suffix in LOGS and not self._is_model(name))

    def _is_model(self, name: str) -> bool:
        with (self.folder / name).open("rb") as file:
            return _begins_as_model(name, file.read(HEAD))

    def put(self, name: str, data: bytes) -> str:
        """Write a file, replacing one of the same name; returns its safe name."""
        kept = safe_name(name)
        if Path(kept).suffix in MODELS and not _begins_as_model(kept, data[:HEAD]):
            raise InputError(f"{kept} is no model that soid reads", f"soid reads {frontend(MODEL).reads}.")
        if Path(kept).suffix not in MODELS and (found := why_no_text(data)):
            wanted = ("log", "the log") if Path(kept).suffix in LOGS else ("source", "the program's source")
            raise InputError(f"{kept} is {found}, and no {wanted[0]}", f"Upload {wanted[1]}, as text in UTF-8.")
        with self.lock:
            self.used = time.monotonic()
            original, before = original_name(name), self.given.get(kept)
            if before not in (None, original) and (self.folder / kept).exists():
                problem = f"{original} and {before} would have the same name here, {kept}"
                raise InputError(problem, "Call one of them otherwise, or remove it.")
            others = {each: size for each, size in self.files.items() if each != kept}
            if len(data) > LARGEST or len(data) + sum(others.values()) > MOST:
                limits = f"A file may have {LARGEST >> 20} MiB, and all together {MOST >> 20}."
                raise TooMuch(f"{kept} is too large", limits)
            if len(others) >= MOST_FILES:
                raise TooMuch(f"there are {len(others)} files already", "Leave some out.")
            (self.folder / kept).write_bytes(data)
            self.given[kept] = original
        return kept

    @property
    def renamed(self) -> dict[str, str]:
        """The files that were sent under other names than they have here."""
        return {name: given for name in self.files if (given := self.given.get(name, name)) != name}

    def remove(self, name: str) -> None:
        with self.lock:
            if name not in self.files:
                raise NotOnDesk(f"there is no file {name}", "The list of files has those that there are.")
            (self.folder / name).unlink()


@final
class Staging:
    """All areas."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._areas: dict[str, Area] = {}
        self._lock = threading.Lock()

    def begin(self, who: str) -> Area:
        """Make an empty area. Forgotten areas are removed first.

        A user with many loses the one that was not used for longest, because others need room too.
        """
        with self._lock:
            for area in list(self._areas.values()):
                if time.monotonic() - area.used > _FORGOTTEN:
                    self._drop(area)
            own = [area for area in self._areas.values() if area.who == who]
            if len(own) >= OWN_AREAS:
                self._drop(min(own, key=lambda area: area.used))
            if len(self._areas) >= AREAS:
                raise TooMuch(f"{len(self._areas)} new cases are being prepared already", "Try again in a while.")
            area_id = secrets.token_hex(8)
            place = self._folder / area_id / "files"
            place.mkdir(parents=True)
            area = self._areas[area_id] = Area(area_id, place, who)
            return area

    def area(self, area_id: str) -> Area:
        with self._lock:
            found = self._areas.get(area_id)
        if found is None:
            raise NotOnDesk(f"there are no files {area_id}", "Upload them anew.")
        found.used = time.monotonic()
        return found

    def end(self, area_id: str) -> None:
        with self._lock:
            if area_id in self._areas:
                self._drop(self._areas[area_id])

    def _drop(self, area: Area) -> None:
        del self._areas[area.id]
        shutil.rmtree(area.folder.parent, ignore_errors=True)


def _begins_as_model(name: str, head: bytes) -> bool:
    return frontend(MODEL).recognises(Path(name).suffix, head)


def safe_name(name: str) -> str:
    r"""A safe name for an uploaded file, from the last part of its path.

    >>> safe_name("../../etc/oven.c"), safe_name(r"C:\cases\my log.CSV"), safe_name("-..o\0v%2fe\nn.h")
    ('oven.c', 'my_log.csv', 'o_v_2fe_n.h')
    """
    last = re.split(r"[/\\]", name)[-1]
    stem, dot, ending = last.rpartition(".")
    suffix = f".{ending.lower()}" if dot else ""
    if suffix in _PICKLES:
        problem = f"{ascii(last)[:80]} is a pickle: loading it would run whatever it says"
        raise InputError(problem, "Where the model was made, write it as data: skops.io.dump(model, 'model.skops').")
    if suffix not in (*SOURCES, *HEADERS, *LOGS, *MODELS):
        known = ", ".join((*SOURCES, *HEADERS, *LOGS, *MODELS))
        raise InputError(f"{ascii(last)[:80]} is neither program nor log", f"Their names end with: {known}.")
    plain = re.sub(r"[^A-Za-z0-9_.+-]+", "_", stem).lstrip(".-_+")[:80]
    if not plain:
        raise InputError(f"{ascii(last)[:80]} is no name for a file", "Give it one with letters or digits.")
    return plain + suffix
