"""What lies in a folder: the files of each program, the folders of its headers, and the files that may be its log."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Final, final

from msgspec import Struct

from soid.engine.file_kinds import HEAD
from soid.engine.frontend import Frontend
from soid.engine.registry import frontend_for, frontends
from soid.errors import InputError, ProgramError
from soid.program.manifest import FILE_NAME
from soid.scenario.logs.log_source import LOG_ENDINGS

_HEADERS: Final = (".h", ".hh", ".hpp", ".hxx", ".h++", ".inc")
_NOT_OURS: Final = frozenset(("build", "cmake-build-debug", "node_modules", "venv", "__pycache__", "dist", "out"))
_TESTS: Final = frozenset(("test", "tests", "unittest", "unittests", "testing"))
_COMMANDS: Final = "compile_commands.json"
_NO_LOGS: Final = frozenset((_COMMANDS, "package.json", "package-lock.json", "tsconfig.json", "CMakePresets.json"))
_MOST: Final = 5000  # files that are looked at
_LONGEST_TEXT: Final = 1 << 20  # bytes of a source whose comments are read


@final
class ProjectFiles(Struct, frozen=True):
    """The files of one program in a folder, relative to it."""

    folder: Path
    frontend: Frontend
    sources: tuple[Path, ...]
    headers: tuple[Path, ...]
    logs: tuple[Path, ...]
    commands: Path | None = None  # how a build system compiles the sources
    given_include: tuple[Path, ...] = ()  # folders for #include that were named
    defines: tuple[str, ...] = ()
    unpickle: bool = False  # a pickle may be opened, in the jail

    @property
    def include(self) -> tuple[str, ...]:
        """Folders with headers where the compiler would not look by itself."""
        homes = {source.parent for source in self.sources}
        found = {header.parent for header in self.headers}
        if len(homes) == 1:
            found -= homes
        found |= set(self.given_include)
        return tuple(sorted(each.as_posix() for each in found))

    def texts(self) -> Iterator[str]:
        """What headers and sources say; a file that is a program by itself has no declarations."""
        for file in () if self.frontend.file_key else (*self.headers, *self.sources):
            whole = self.folder / file
            if whole.stat().st_size <= _LONGEST_TEXT:
                yield whole.read_text(encoding="utf-8", errors="replace")


@final
class NamedFiles(Struct, frozen=True):
    """What was named of a project, and need not be found."""

    sources: tuple[Path, ...] = ()
    log: Path | None = None
    include: tuple[Path, ...] = ()
    defines: tuple[str, ...] = ()
    unpickle: bool = False


def files_in(folder: Path, named: NamedFiles) -> tuple[ProjectFiles, ...]:
    """The files of each program in a folder, one or more; what is named is taken as it is."""
    if not folder.is_dir():
        raise InputError(f"there is no folder {folder}", "Name the folder with the program and the log.")
    files = list(_walked(folder))
    found = _programs(folder, files, named.sources)
    headers = tuple(file for file in files if file.suffix in _HEADERS)
    commands = next((file for file in files if file.name == _COMMANDS), None)
    if commands is None and (folder / "build" / _COMMANDS).is_file():
        commands = Path("build") / _COMMANDS
    taken = {file for _, sources in found for file in sources}
    others = [file for file in files if file not in taken]
    logs = (_relative(named.log, folder),) if named.log is not None else _logs(others)
    include = tuple(_relative(each, folder) for each in named.include)
    used = None if named.sources else commands
    return tuple(
        ProjectFiles(folder, reader, sources, headers, logs, used, include, named.defines, named.unpickle)
        for reader, sources in found
    )


def _walked(folder: Path) -> Iterator[Path]:
    """The files below a folder, without those of other tools."""
    count = 0
    for place, inner, names in os.walk(folder):
        inner[:] = sorted(name for name in inner if not name.startswith(".") and name not in _NOT_OURS)
        for name in sorted(names):
            count += 1
            if count > _MOST:
                problem = f"{folder} has more than {_MOST:,} files"
                raise InputError(
                    problem, "Name a folder that has the program and its log alone, or --source and --log."
                )
            file = Path(place) / name
            if not name.startswith(".") and file.is_file():
                yield file.relative_to(folder)


def _programs(folder: Path, files: Sequence[Path], given: Sequence[Path]) -> list[tuple[Frontend, tuple[Path, ...]]]:
    """The files of each program, and what reads them: sources make one together, each learned model is one."""
    for file in given:
        if not file.is_file():
            raise InputError(f"there is no file {file}", "Name the files of the program.")
    if given:
        readers = [(frontend_for([file]), _relative(file, folder)) for file in given]
    else:
        every = list(_recognised(folder, files))
        own = [each for each in every if not _TESTS & set(each[1].parts[:-1])]  # tests are programs of their own
        readers = own or every
    found: dict[tuple[str, Path | None], tuple[Frontend, list[Path]]] = {}
    for reader, file in readers:
        together = (reader.name, file if reader.file_key else None)
        found.setdefault(together, (reader, []))[1].append(file)
    programs = [(reader, tuple(sources)) for reader, sources in found.values()]
    opened = [each for each in programs if each[0].finds_variables]
    if not opened:
        raise _no_program(folder, files, [sources for _, sources in programs])
    return opened


def _recognised(folder: Path, files: Iterable[Path]) -> Iterator[tuple[Frontend, Path]]:
    """The files that may be programs. A learned model may end as a log does (.json): its beginning tells them apart."""
    readers = list(frontends())
    for file in files:
        if file.suffix not in _HEADERS and file.name not in (FILE_NAME, *_NO_LOGS):
            head = _head(folder / file)
            reader = next((each for each in readers if each.recognises(file.suffix, head)), None)
            if reader is not None:
                yield reader, file


def _head(file: Path) -> bytes:
    try:
        with file.open("rb") as opened:
            return opened.read(HEAD)
    except OSError as error:
        raise InputError(
            f"{file} cannot be read: {error.strerror or error}", "Let it be read, or move it away."
        ) from None


def _no_program(folder: Path, files: Sequence[Path], others: Sequence[Sequence[Path]]) -> ProgramError:
    reads = ", and ".join(each.reads for each in frontends() if each.finds_variables)
    if others:
        problem = f"{others[0][0]} in {folder} is a program whose variables soid cannot find by itself"
        return ProgramError(problem, f"Write its {FILE_NAME}: the guide's page shows one. soid init reads {reads}.")
    headers = [file for file in files if file.suffix in _HEADERS]
    only = f": there are only headers ({', '.join(map(str, headers[:3]))})" if headers else ""
    where = "Go to the folder with the program, or name it: soid init FOLDER."
    return ProgramError(f"there is no program in {folder}{only}", f"{where} soid init reads {reads}.")


def _logs(files: Iterable[Path]) -> tuple[Path, ...]:
    """The files that may be logs; those that lie beside the program first, and JSON last, which mostly is none."""
    found = [file for file in files if file.suffix.lower() in LOG_ENDINGS and file.name not in _NO_LOGS]
    return tuple(sorted(found, key=lambda file: (file.suffix == ".json", len(file.parts), file)))


def _relative(file: Path, folder: Path) -> Path:
    return Path(os.path.relpath(file, folder))
