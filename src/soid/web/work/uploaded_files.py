"""A worker's tasks on uploaded files: inspect them, create a case on them; verify a bundle, and make a case of it."""

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
from soid.errors import BundleError, CompileError, InputError, ProgramError, SoidError
from soid.evidence.untrusted_project import load_with_care
from soid.oracle.inquiry import QuestionProgress
from soid.program.manifest import FILE_NAME, Manifest
from soid.proposal.column_entry import column_entry, variable_entry
from soid.proposal.gathered_project import gather, refuse_unfit
from soid.proposal.project_files import NamedFiles
from soid.proposal.proposer import Proposer
from soid.scenario.trace_reader import read_for
from soid.web.work.job import Trouble
from soid.web.work.resource_limits import confined
from soid.web.work.tasks import CreateTask, Hands, LookTask, MakeTask, RestoreTask, VerifyTask

_RANGES: Final = "Ranges are rounded out from the log: write what can really occur."
VERIFYING: Final = 1800.0  # seconds that verifying a bundle may take
_PLACEHOLDER: Final = "decide"  # the manifest's entry function, if none is chosen yet


def look(uploaded: LookTask) -> dict[str, Any]:
    """The functions in the files; if an entry function is chosen, its variables, and whether the log fits them.

    A learned model needs none; if nothing is said of it and its log, it has what `soid init` would propose.
    """
    declared = uploaded.declared
    with confined(), _laid(uploaded) as (folder, manifest):
        functions, warnings = frontend_of(manifest.program).entries(manifest.program)
        named = [function.name for function in functions]
        found: dict[str, Any] = {"functions": named, "warnings": warnings, "proposed": None}
        if not declared.entry and declared.model is None:
            return {**found, "variables": None, "log": None, "log_problem": None}
        complete = _opened(manifest)
        variables = [json_of(variable.document) for variable in complete.program.interface]
        log, problem = _log(complete, folder)
        if declared.model is not None and declared.log is not None and declared.says_nothing:
            found["proposed"] = _proposed(folder, declared.model, declared.log)
        return {**found, "variables": variables, "log": log, "log_problem": problem}


def _proposed(folder: Path, model: str, log: str) -> dict[str, Any] | None:
    """What a manifest should say of a model and its log. It is not run in its library: soid computes the same bits."""
    try:
        gathered = gather(folder, NamedFiles((folder / model,), folder / log))
        candidate = gathered.ranked[0]
        refuse_unfit(gathered, candidate)
        proposal = Proposer(gathered, candidate, (), None, replayed=False).guessed()
    except InputError:  # what is wrong with the files is told by reading them
        return None
    draft, run = proposal.draft, proposal.run
    entries = {match.target.variable.path: variable_entry(match, draft.survey) for match in draft.matches}
    agrees = [f"The model decides as logged in {run.agreeing} of {run.compared} rows."] if run and run.compared else []
    return {
        "decisions": {each.name: each.text for each in draft.thresholds},
        "columns": {match.target.name: column_entry(match, draft.survey) for match in draft.mapped},
        "ignore": list(draft.ignored),
        "empty_is_missing": draft.empty is not None,
        "variables": {path: entry for path, entry in entries.items() if entry},
        "notes": [*agrees, *(f"Guessed: {each}." for each in proposal.guesses), *proposal.notes, _RANGES],
    }


def make(task: MakeTask, hands: Hands) -> dict[str, Any]:
    with confined(), _laid(task.uploaded) as (folder, manifest):
        read_for(_opened(manifest))  # errors here name the uploaded files
        called = {f"{folder.name}/{name}": given for name, given in task.uploaded.given.items()}
        return CreateTask(task.file, task.who, task.title, folder, True, called).do(hands)


def verified(task: VerifyTask, hands: Hands) -> dict[str, Any]:
    """What `soid verify --json` writes, with the page for people as the file."""
    from soid.evidence.verification_report import page
    from soid.evidence.verify import verify

    def tell(words: str) -> None:
        hands.report(QuestionProgress(words.partition(":")[0]))  # without the question's text

    with confined(memory=hands.settings.memory, seconds=VERIFYING), _of_bundle(task.bundle, task.name):
        try:
            found = replace(verify(task.bundle, key=task.key, cancel=hands.cancel, report=tell), bundle=task.name)
        except BundleError:
            hands.refuse_if_called_off("verification")
            raise
    task.to.write_text(page(found), encoding="utf-8")
    return {**json_of(found), "summary": found.summary}


def restored(task: RestoreTask, hands: Hands) -> dict[str, Any]:
    """Make a case of a bundle."""
    from soid.evidence.restored_case import restore

    hands.report(QuestionProgress("reading the bundle"))
    with confined(memory=hands.settings.memory), _of_bundle(task.bundle, task.name):
        restore(task.bundle, task.file, who=task.who, name=task.name).close()
    return {"id": task.file.stem}


@contextmanager
def _of_bundle(file: Path, name: str) -> Iterator[None]:
    """Errors name the bundle as it was sent."""
    try:
        yield
    except SoidError as error:
        cause, remedy = (text.replace(str(file), name) for text in (error.cause, error.remedy))
        raise type(error)(cause, remedy) from error


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
