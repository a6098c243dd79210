"""The copy of a project's files in a case: everything that a question needs, in the project's own layout.

A case uses only its snapshot, so that it opens on another machine and later changes to the project do not affect it.
The snapshot has the manifest, the sources, the headers of the project (not the compiler's own), and the logs. Its root
is the parent of the project's folder, or higher if names like `../car.c` need it, so that relative names stay valid:

    oven/soid.toml  oven/log.jsonl  oven/paths/1-close.smt2
"""

from __future__ import annotations

import hashlib
import os
import tempfile
import tomllib
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path, PurePosixPath
from typing import Any, Final, final

from msgspec import Struct, ValidationError, convert

from soid.cache import cache_folder, digest
from soid.engine.manifest_reader import load
from soid.engine.registry import frontend_of, open_program
from soid.errors import CaseError, SoidError, TraceError
from soid.program.manifest import Manifest


@final
class HeldFile(Struct, frozen=True):
    """One file of the project."""

    path: str  # below the snapshot, with slashes
    sha256: str
    size: int  # bytes


_NOT_OURS: Final = "It was not made by soid: do not trust it."

#: the folder beside the manifest for logs from outside the project
FROM_ELSEWHERE: Final = "logs"


@final
class Snapshot(Struct, frozen=True):
    """The list of the files of a project that the case holds."""

    manifest: str  # the soid.toml, below the snapshot
    logs: tuple[str, ...]  # the first is the default
    files: tuple[HeldFile, ...]
    folders: tuple[str, ...]  # that must exist, even if they are empty
    origin: str  # the folder that the paths were relative to when it was taken; empty: a stranger's

    @classmethod
    def from_json(cls, given: Any) -> Snapshot:
        """The snapshot from a case's first entry; raises if a path leads outside of the snapshot's folder."""
        try:
            snapshot = convert(given, cls)
        except ValidationError as error:
            raise CaseError(f"entry 1 of the case does not list its files: {error}", _NOT_OURS) from error
        for path in (snapshot.manifest, *snapshot.logs, *snapshot.folders, *(file.path for file in snapshot.files)):
            parts = PurePosixPath(path).parts
            if not parts or ".." in parts or path.startswith("/") or "\0" in path or path != "/".join(parts):
                problem = f"the case says that it holds {path!r}, which is no name below its own folder"
                raise CaseError(problem, _NOT_OURS)
        return snapshot

    @property
    def digest(self) -> str:
        """One hash over all paths and contents."""
        return digest(*(part for file in self.files for part in (file.path, file.sha256)), "|", *self.folders)

    def lay_out(self, content: Callable[[str], bytes]) -> Path:
        """Write the snapshot to the cache unless it is there; `content` gives a file by its hash."""
        place = cache_folder() / "cases" / self.digest
        try:
            if not self._is_at(place):
                self._write(place, content)
        except OSError as error:
            problem = f"the case's files cannot be laid out in {place}: {error.strerror or error}"
            raise CaseError(problem, "Name a folder for soid's cache that can be written: SOID_CACHE.") from error
        return place

    def _write(self, place: Path, content: Callable[[str], bytes]) -> None:
        place.parent.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(dir=place.parent, prefix=".") as scratch:
            draft, old = Path(scratch) / "new", Path(scratch) / "old"
            for folder in self.folders:
                (draft / folder).mkdir(parents=True, exist_ok=True)
            for file in self.files:
                (draft / file.path).write_bytes(content(file.sha256))
            if place.exists():  # with other content
                place.rename(old)
            try:
                draft.rename(place)
            except OSError:
                if not self._is_at(place):  # else another process has written the same
                    raise

    def _is_at(self, place: Path) -> bool:
        """Whether the folder has exactly these files."""
        expected = {file.path: file.sha256 for file in self.files}
        found = {path.relative_to(place).as_posix() for path in place.rglob("*") if path.is_file()}
        if found != expected.keys() or not all((place / folder).is_dir() for folder in self.folders):
            return False
        return all(_sha256((place / path).read_bytes()) == known for path, known in expected.items())

    def changes(self) -> tuple[str, ...]:
        """How the original project has changed since, in words; empty if its folder does not exist."""
        origin = Path(self.origin)
        if not self.origin or not (origin / self.manifest).is_file():
            return ()
        found = []
        for file in self.files:
            try:
                if _sha256((origin / file.path).read_bytes()) != file.sha256:
                    found.append(f"{file.path} has changed")
            except OSError:
                found.append(f"{file.path} is gone")
        return tuple(found) or tuple(f"{path} is new" for path in self._new_names(origin))

    def lies_here(self) -> bool:
        """Whether it was taken on this machine, from files of this user that are still the same."""
        origin = Path(self.origin)
        try:
            return bool(self.origin) and all(
                (origin / file.path).stat().st_uid == os.geteuid()
                and _sha256((origin / file.path).read_bytes()) == file.sha256
                for file in self.files
            )
        except OSError:
            return False

    def _new_names(self, origin: Path) -> list[str]:
        """Files that the manifest's patterns match now, and that the snapshot does not have."""
        try:
            manifest = load(origin / self.manifest)
        except SoidError:
            return []  # the same manifest could be read when the snapshot was taken: a file that it names is gone
        places = [_place(manifest.file.parent, name) for name in _named(manifest)]
        known = {file.path for file in self.files}
        return [name for place in places if (name := os.path.relpath(place, origin)) not in known]


@final
class Taken(Struct, frozen=True):
    """A snapshot with the contents of its files."""

    snapshot: Snapshot
    contents: dict[str, bytes]  # by hash

    def content(self, path: str) -> bytes:
        """A file by its path below the snapshot."""
        return self.contents[{file.path: file.sha256 for file in self.snapshot.files}[path]]


def take(project: Path | str, logs: Sequence[Path | str] = (), *, stranger: bool = False) -> Taken:
    """Read the files of a project as they are now; `logs` are further logs beside the one that its manifest names."""
    manifest = load(project)
    program = manifest.program
    _, engine = open_program(frontend_of(program).confined(program, program.folder) if stranger else program)
    folder = manifest.file.parent.resolve()
    own_logs = [_relative(manifest.trace, manifest.file.parent)] if manifest.trace is not None else []
    names = [Path(manifest.file.name), *_named(manifest), *engine.files, *own_logs]
    named = [_place(folder, name) for name in names]
    # the folders on the paths of the names, and those that the program needs, even if they are empty
    through = [Path(*name.parts[:count]) for name in names for count in range(1, len(name.parts))]
    folders = {folder, *(_place(folder, name) for name in (*through, *manifest.program.source.folders))}
    project_folder = Path(os.path.commonpath(folders))
    root = project_folder.parent
    places = {_below(root, place): place for place in named}
    held_logs = [_below(root, _place(folder, name)) for name in own_logs]
    for log in (Path(each).parent.resolve() / Path(each).name for each in logs):
        path = _below(root, log if log.is_relative_to(project_folder) else folder / FROM_ELSEWHERE / log.name)
        if places.setdefault(path, log) != log:
            raise CaseError(f"{places[path]} and {log} would both be held as {path}", "Give the log another name.")
        held_logs.append(path)
    if not held_logs:
        raise TraceError(f"{manifest.file} names no log", 'Name one, or add [trace] file = "log.jsonl".')
    contents = {path: _read(place) for path, place in places.items()}
    parents = {(root / path).parent for path in places}
    snapshot = Snapshot(
        manifest=_below(root, folder / manifest.file.name),
        logs=tuple(dict.fromkeys(held_logs)),
        files=tuple(HeldFile(path, _sha256(data), len(data)) for path, data in sorted(contents.items())),
        folders=tuple(sorted(_below(root, each) for each in folders | parents if each != root)),
        origin="" if stranger else str(root),
    )
    return Taken(snapshot, {_sha256(data): data for data in contents.values()})


# --- which files ----------------------------------------------------------------------------------------------


def _named(manifest: Manifest) -> list[Path]:
    """The files that the manifest names, with relative paths if they are in its folder."""
    folder, source = manifest.file.parent, manifest.program.source
    named = (*source.placed(folder), *source.beside)
    return [*_mentioned(folder, Path(manifest.file.name)), *(_relative(path, folder) for path in named)]


def _mentioned(folder: Path, toml: Path) -> list[Path]:
    """Every string in a TOML file that names a file, such as a scene; TOML files are searched in turn."""
    found: list[Path] = []
    for text in _texts(tomllib.loads((folder / toml).read_text(encoding="utf-8-sig"))):
        name = toml.parent / text
        if not name.is_absolute() and _is_file(folder / name):
            found.append(name)
            if name.suffix == ".toml" and name != toml:
                found += _mentioned(folder, name)
    return found


def _texts(value: Any) -> Iterator[str]:
    """All strings in a TOML value, except the compiler's path, which is not part of the project."""
    match value:
        case str():
            yield value
        case list():
            for item in value:
                yield from _texts(item)
        case dict():
            for key, item in value.items():
                yield from _texts(item) if key != "clang" else ()


def _is_file(path: Path) -> bool:
    try:
        return path.is_file()
    except (OSError, ValueError):  # the string is too long for a name, or has a null character
        return False


def _relative(path: Path, folder: Path) -> Path:
    return path.relative_to(folder) if path.is_relative_to(folder) else path


# --- where they lie -------------------------------------------------------------------------------------------


def _place(folder: Path, name: Path) -> Path:
    """The path of a name in the manifest; raises unless the name stays valid if the project is moved."""
    if name.is_absolute():
        problem = f"the project uses {name}, which its manifest names from the root of this machine's files"
        raise CaseError(problem, "A case holds what is named relative to the soid.toml: name it so.")
    place = Path(os.path.normpath(folder / name))
    try:
        if not place.samefile(folder / name):
            raise CaseError(f"{name} leads through a link to another folder", "Name the file without going through it.")
    except OSError as error:
        raise _unreadable(place, error) from error
    return place


def _below(root: Path, place: Path) -> str:
    return place.relative_to(root).as_posix()


def _read(place: Path) -> bytes:
    try:
        return place.read_bytes()
    except OSError as error:
        raise _unreadable(place, error) from error


def _unreadable(place: Path, error: OSError) -> CaseError:
    return CaseError(f"{place} cannot be read: {error.strerror or error}", "The case must hold it.")


def _sha256(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()
