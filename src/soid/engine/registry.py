"""Which engines there are, and which of them reads a program.

An engine of soid's own has a row here; an engine of another package has an entry point:

    [project.entry-points."soid.engines"]
    trees = "soid_trees.frontend:TreeFrontend"

Entry points are read only if no row here fits: reading them takes longer than a short question.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import suppress
from importlib import import_module
from pathlib import Path
from typing import Final

from soid.cache import cache_folder
from soid.engine.file_kinds import HEAD, kind_of
from soid.engine.frontend import Frontend
from soid.engine.protocol import Engine
from soid.engine.summary_cache.summaries import Summaries
from soid.errors import EnvironmentalError, InputError, ProgramError, did_you_mean
from soid.program.program import Program

GROUP: Final = "soid.engines"

#: by name in soid.toml: the class of the front end
OWN: Final = {
    "smtlib": "soid.engine.smtlib.smtlib_frontend:SmtLibFrontend",
    "llvm": "soid.engine.llvm.c_frontend:CFrontend",
    "c": "soid.engine.llvm.c_frontend:CFrontend",
    "model": "soid.engine.learned.learned_frontend:LearnedFrontend",
    "world": "soid.engine.world.world_frontend:WorldFrontend",
    "product": "soid.engine.product.product_frontend:ProductFrontend",
}


def frontend(name: str) -> Frontend:
    """The front end of this name in soid.toml."""
    place = OWN.get(name) or _of_others().get(name)
    if place is None:
        known = list(dict.fromkeys(each.name for each in frontends()))
        remedy = did_you_mean(name, known, f"This version has: {', '.join(known)}.")
        raise InputError(f'there is no engine "{name}"', remedy)
    return _loaded(place)


def frontends() -> Iterator[Frontend]:
    """All front ends of programs that are no others together, as far as they can be loaded; soid's own first."""
    for place in dict.fromkeys((*OWN.values(), *_of_others().values())):
        with suppress(EnvironmentalError):  # a broken package of another engine must not stop soid's own
            found = _loaded(place)
            if not found.made_of_others:
                yield found


def frontend_for(files: Sequence[Path]) -> Frontend:
    """The front end that recognises all of these files."""
    heads = [_head(file) for file in files]
    for each in frontends():
        if all(each.recognises(file.suffix, head) for file, head in zip(files, heads, strict=True)):
            return each
    for file, head in zip(files, heads, strict=True):
        _reader(file, head)
    raise ProgramError("no engine reads all of these files together", "Name the files of one program in one language.")


def frontend_of(program: Program) -> Frontend:
    """The front end of a program, if it can read all of its files. It reports missing files itself."""
    found = frontend(program.source.engine)
    if found.made_of_others:
        return found
    files = [file for file in program.source.placed(program.folder) if file.exists()]
    heads = [_head(file) for file in files]
    for file, head in zip(files, heads, strict=True):
        if not found.recognises(file.suffix, head):
            other = _reader(file, head)
            problem = f"{file.name} is not for the engine {found.name}, which reads {found.reads}"
            raise ProgramError(problem, f'Write engine = "{other.name}" in soid.toml, or name other files.')
    if files and not any(heads):
        raise ProgramError(f"there is no program in {files[0].name}: it is empty", _readable())
    return found


def open_program(program: Program, *, replayed: bool = False) -> tuple[Program, Engine]:
    """The program, its source read and checked and its interface complete, and an engine for it.

    `replayed` says that the program will be run as well: the engine may prepare for that early.
    """
    return frontend_of(program).open(program, replayed=replayed)


def kept_summaries(program: Program, engine: Engine) -> Summaries | None:
    """The cache for the summaries of an opened program; None if they are not kept."""
    identity = engine.identity
    return None if identity is None else Summaries(identity, program.interface, cache_folder() / "summaries")


def _reader(file: Path, head: bytes) -> Frontend:
    """The first front end that reads a file."""
    for each in frontends():
        if each.recognises(file.suffix, head):
            return each
    raise ProgramError(f"{file.name} is {kind_of(file.suffix, head)}: soid cannot read it", _readable())


def _readable() -> str:
    return f"soid reads {', and '.join(each.reads for each in frontends())}."


def _head(file: Path) -> bytes:
    if not file.is_file():
        raise ProgramError(f"{file} is {'a folder' if file.is_dir() else 'no plain file'}", _readable())
    try:
        with file.open("rb") as opened:
            return opened.read(HEAD)
    except OSError as error:
        raise ProgramError(f"{file} cannot be read: {error.strerror or error}", _readable()) from error


def _loaded(place: str) -> Frontend:
    module, _, name = place.partition(":")
    try:
        found: Frontend = getattr(import_module(module), name)()
    except Exception as error:  # another package's code may raise anything
        raise EnvironmentalError(
            f"the engine at {place} cannot be loaded: {error}", "Install its package anew."
        ) from error
    return found


def _of_others() -> dict[str, str]:
    """The engines of other packages, by name."""
    from importlib.metadata import entry_points

    return {point.name: point.value for point in entry_points(group=GROUP)}
