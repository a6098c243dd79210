"""A script that is run on an open case: the case's own program and logs are those that it is about.

>>> import tempfile
>>> from soid.examples import folder
>>> scratch = tempfile.TemporaryDirectory()
>>> with Case.create(Path(scratch.name) / "crash.case", folder("crash") / "standard") as case:
...     [(held.name, held.title) for held in held_scripts(case)]
...     found = held_script(case, "../broadside.soid")
...     *events, outcome = CaseScript(case, ScriptFile.of(found.text, found.file)).events()
...     len(events), outcome.text[:10]
[('../broadside.soid', 'Broadside at the crossing')]
(7, 'reasonable')
>>> scratch.cleanup()
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path, PurePosixPath
from typing import final

from msgspec import Struct
from msgspec.structs import replace

from soid.case.case import Case
from soid.case.script_oracles import RecordingOracle, Watch, unwatched
from soid.case.script_record import name_moments, record_conclusion
from soid.case.script_run import ScriptFile
from soid.case.script_runner import Begin, Event, ScriptOutcome, run
from soid.errors import CaseError, SoidError
from soid.query.language.script.nodes import LogDeclaration
from soid.query.language.script.plan import ScriptPlan
from soid.query.language.script.resolver import resolve
from soid.query.language.script.script_errors import located
from soid.scenario.written_step import typed


@final
class HeldScript(Struct, frozen=True):
    """A script that a case holds. It is its own document."""

    name: str  # as the manifest names it
    file: str  # the name of its file
    title: str
    text: str


def held_scripts(case: Case) -> tuple[HeldScript, ...]:
    """The scripts that the manifest names, as the record has them: no file is read, whatever a manifest names."""
    manifest, folder = case.first.manifest, PurePosixPath(case.snapshot.manifest).parent
    held = {file.path: file.sha256 for file in case.snapshot.files}
    found = []
    for file in () if manifest is None else manifest.scripts:
        assert manifest is not None
        name = Path(os.path.relpath(file, manifest.file.parent)).as_posix()
        path = os.path.normpath(folder / name)
        if path in held:
            found.append(_held(name, case.record.content(held[path])))
    return tuple(found)


def held_script(case: Case, name: str) -> HeldScript:
    found = next((each for each in held_scripts(case) if each.name == name), None)
    if found is None:
        raise CaseError(f"the case holds no script {name}", "The list of its scripts has those that there are.")
    return found


def _held(name: str, data: bytes) -> HeldScript:
    file, text = PurePosixPath(name), data.decode("utf-8", "replace")
    try:
        title = ScriptFile.of(text, file.name).title
    except SoidError:  # it is told when it is run
        title = file.stem
    return HeldScript(name, file.name, title, text)


@final
class CaseScript:
    """A script and its plan; running it records answers, studies and the conclusion."""

    def __init__(self, case: Case, source: ScriptFile, watch: Watch = unwatched) -> None:
        """Check all questions of the script before one is asked."""
        self.source = source
        self._case, self._watch = case, watch
        self._logs = self._held_logs()
        self.plan = self._planned()

    def events(self, begin: Begin = lambda _: None) -> Iterator[Event]:
        """Run the script; a conclusion is recorded before its event is yielded."""
        name_moments(self._case, self.plan, self._logs)
        for event in run(self.plan, RecordingOracle(self._case, self._logs, self._watch), begin):
            if isinstance(event, ScriptOutcome):
                record_conclusion(self._case, self.source.file.name, event)
            yield event

    def _held_logs(self) -> dict[str | None, str]:
        """The names in the case of the script's logs."""
        found = {name: self._case.moment(log=_below(file)).log for name, file in self.source.logs.items()}
        return found or {None: self._case.moment().log}

    def _planned(self) -> ScriptPlan:
        case, source = self._case, self.source
        project = case.project_at(log=self._logs[None])
        with located(source.text, str(source.file)):
            plan = resolve(
                source.script,
                project.program.interface,
                project.program.source.steps,
                lambda step, log: case.project_at(typed(step), self._logs[log]).logged.step,
            )
        declared = next((line.step for line in source.script.lines if isinstance(line, LogDeclaration)), None)
        start = case.moment(None if declared is None else typed(declared), self._logs[None])
        return replace(plan, start=replace(plan.start, step=start.step))


def _below(file: Path) -> str:
    """The end of a log's name in the case, of a name relative to the script."""
    return PurePosixPath(*(part for part in file.as_posix().split("/") if part not in ("", ".", ".."))).as_posix()
