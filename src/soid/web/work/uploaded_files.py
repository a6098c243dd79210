"""A worker's tasks on uploaded files: inspect them, and create a case on them."""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Final

from msgspec.structs import asdict, replace

from soid.documents import json_of
from soid.engine.registry import frontend_of, open_program
from soid.errors import BundleError, CompileError, ProgramError, SoidError
from soid.evidence.untrusted_project import load_with_care
from soid.program.manifest import FILE_NAME, Manifest
from soid.scenario.trace_reader import read_for
from soid.web.work.job import Trouble
from soid.web.work.resource_limits import confined
from soid.web.work.tasks import CreateTask, Hands, LookTask, MakeTask

_PLACEHOLDER: Final = "decide"  # the manifest's entry function, if none is chosen yet


def look(uploaded: LookTask) -> dict[str, Any]:
    """The functions in the files; if an entry function is chosen, its variables, and whether the log fits them."""
    with confined(), _laid(uploaded) as (folder, manifest):
        functions, warnings = frontend_of(manifest.program).entries(manifest.program)
        found = {"functions": [function.name for function in functions], "warnings": warnings}
        if not uploaded.declared.entry:
            return {**found, "variables": None, "log": None, "log_problem": None}
        complete = _opened(manifest)
        variables = [json_of(variable.document) for variable in complete.program.interface]
        log, problem = _log(complete, folder)
        return {**found, "variables": variables, "log": log, "log_problem": problem}


def make(task: MakeTask, hands: Hands) -> dict[str, Any]:
    with confined(), _laid(task.uploaded) as (folder, manifest):
        read_for(_opened(manifest))  # errors here name the uploaded files
        return CreateTask(task.file, task.who, task.title, folder, stranger=True).do(hands)


def _opened(manifest: Manifest) -> Manifest:
    return replace(manifest, program=open_program(manifest.program)[0])


@contextmanager
def _laid(uploaded: LookTask) -> Iterator[tuple[Path, Manifest]]:
    """The files in a folder with the project's name, and the manifest that is made of the declaration.

    Errors name files as they were uploaded, without the path of the folder.
    """
    with tempfile.TemporaryDirectory(dir=uploaded.area.parent) as scratch:
        folder = Path(scratch) / uploaded.name
        shutil.copytree(uploaded.area, folder)
        declared = replace(uploaded.declared, entry=uploaded.declared.entry or _PLACEHOLDER)
        (folder / FILE_NAME).write_text(declared.toml(uploaded.name), encoding="utf-8")
        try:
            yield folder, _manifest(folder)
        except SoidError as error:
            raise _from_here(error, folder) from error
        except MemoryError:
            raise ProgramError("the program takes more memory than there is for it", "Upload a smaller one.") from None


def _manifest(folder: Path) -> Manifest:
    """The manifest; raises if the files refer to anything outside of the upload."""
    files = {file.name: file.read_bytes() for file in folder.iterdir()}
    try:
        loaded = load_with_care(FILE_NAME, files, folder, whole="what was uploaded")
    except BundleError as error:
        raise ProgramError(error.cause, error.remedy) from error
    if isinstance(loaded, str):
        raise CompileError(loaded, "Upload everything that the program needs, and nothing that leads elsewhere.")
    return loaded


def _log(manifest: Manifest, folder: Path) -> tuple[dict[str, Any] | None, dict[str, Any] | None]:
    """A summary of the log, or why it does not fit; two None if there is no log."""
    if manifest.trace is None:
        return None, None
    try:
        trace = read_for(manifest)
    except SoidError as error:
        trouble = Trouble.of(_from_here(error, folder))
        return None, {**asdict(trouble), "places": trouble.places}
    return {"steps": len(trace), "first": trace.steps[0].time, "last": trace.steps[-1].time}, None


def _from_here(error: SoidError, folder: Path) -> SoidError:
    cause, remedy = (text.replace(f"{folder}/", "") for text in (error.cause, error.remedy))
    return type(error)(cause, remedy)
