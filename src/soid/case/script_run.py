"""Opening a script: its program, its logs, and who answers its questions.

Without a case file the oracle answers, and nothing is kept. With one, the case is made where there is none, and its
answers count where there is: a script that was stopped goes on where it was.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager
from pathlib import Path, PurePosixPath
from typing import Self, final

from msgspec import Struct
from msgspec.structs import replace

from soid.case.case import Case
from soid.case.conclusions import as_note
from soid.case.project import Project
from soid.case.script_oracles import DirectOracle, RecordingOracle, Watch, unwatched
from soid.case.script_runner import Ending, Event, ScriptOracle, ScriptOutcome, run
from soid.case.snapshot import FROM_ELSEWHERE, Snapshot, take
from soid.engine.registry import frontend_for
from soid.errors import CaseError, InputError, QueryError, TraceError
from soid.oracle.inquiry import Settings
from soid.program.interface import Interface
from soid.program.manifest import Manifest
from soid.program.program import Program
from soid.query.language.script.checked_questions import Setting
from soid.query.language.script.nodes import LogDeclaration, ProjectDeclaration, Script, Sources, Title
from soid.query.language.script.plan import ScriptPlan
from soid.query.language.script.resolver import resolve
from soid.query.language.script.script_errors import located, position
from soid.query.language.script.script_parser import parse_script
from soid.scenario.expression import TextSpan, placed
from soid.scenario.trace import read_for
from soid.solver.protocol import Solver


@final
class ScriptFile(Struct, frozen=True):
    """A script as it lies on the disk."""

    file: Path
    text: str
    script: Script

    @classmethod
    def read(cls, file: Path) -> Self:
        try:
            text = file.read_text(encoding="utf-8")
        except (OSError, UnicodeDecodeError) as error:
            why = getattr(error, "strerror", None) or "it is no UTF-8 text"
            raise InputError(f"{file} cannot be read: {why}", "Name a script, a .soid file.") from error
        return cls(file, text, parse_script(text, str(file)))

    @property
    def title(self) -> str:
        return next((line.text for line in self.script.lines if isinstance(line, Title)), self.file.stem)

    @property
    def logs(self) -> dict[str | None, Path]:
        """By the name that the script gives them, None being the first; there may be none."""
        lines = [line for line in self.script.lines if isinstance(line, LogDeclaration)]
        return {line.name if number else None: self.file.parent / line.file for number, line in enumerate(lines)}

    def line(self, span: TextSpan) -> int:
        return position(self.text, span.start)[0]

    def project(self, instead: Path | None) -> Path | Manifest:
        """What the script is about: a project, or C files by themselves."""
        if instead is not None:
            return instead
        for line in self.script.lines:
            if isinstance(line, ProjectDeclaration):
                return self.file.parent / line.folder
            if isinstance(line, Sources):
                with located(self.text, str(self.file)):
                    return self._sources(line)
        return self.file.parent

    def _sources(self, line: Sources) -> Manifest:
        for name in line.files:
            if not (self.file.parent / name).is_file():
                problem = f"there is no file {self.file.parent / name}"
                raise placed(QueryError(problem, "Files are named relative to the script."), line.span)
        engine = frontend_for([self.file.parent / name for name in line.files])
        source = engine.bare([Path(name) for name in line.files], line.entry)
        program = Program(", ".join(line.files), Interface(()), source, self.file.parent)
        return Manifest(self.file, program)


@final
class ScriptRun:
    """A script that is open; a context manager that puts its solvers away."""

    def __init__(
        self,
        source: ScriptFile,
        *,
        project: Path | None = None,
        case_file: Path | None = None,
        settings: Settings | None = None,
        solver: Solver | None = None,
        watch: Watch = unwatched,
        who: str | None = None,
    ) -> None:
        """Everything is read and checked before a case file is made or a question asked."""
        self.source = source
        self.case: Case | None = None
        self.continued = False  # whether the case was there before
        self._closing = ExitStack()
        with ExitStack() as failing:
            failing.callback(self._closing.close)
            named = source.project(project)
            file = named.file if isinstance(named, Manifest) else named
            self.folder = file if file.is_dir() else file.parent  # of the manifest
            self.cases = self._open(named, settings, solver)
            self.plan = self._plan()
            self.stand: ScriptOracle = DirectOracle(self.cases, watch)
            if case_file is not None:
                self.case = self._investigate(project, case_file, settings, solver, who)
                self.stand = RecordingOracle(self.case, self._held(self.case.snapshot), watch)
            failing.pop_all()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *failure: object) -> None:
        self._closing.close()

    @property
    def program(self) -> Program:
        return self.cases[None].program

    def events(self) -> Iterator[Event]:
        """What happens, as it happens; a conclusion is put on the record before it is seen."""
        for event in run(self.plan, self.stand):
            if isinstance(event, ScriptOutcome) and event.ending is Ending.CONCLUDED:
                self._record(event)
            yield event

    def _open(
        self, project: Path | Manifest, settings: Settings | None, solver: Solver | None
    ) -> Mapping[str | None, Project]:
        logs = self.source.logs
        if not logs and isinstance(project, Manifest):
            raise TraceError(f"{self.source.file} names no log", 'Name one: trace "log.jsonl" at step 3')
        step = next((line.step for line in self.source.script.lines if isinstance(line, LogDeclaration)), None)
        case = Project.open(project, trace=logs.get(None), step=step, settings=settings, solver=solver)
        if solver is None:
            self._closing.callback(case.solver.close)
        assert case.manifest is not None
        cases: dict[str | None, Project] = {None: case}
        for name, file in logs.items():
            if name is not None:
                trace = read_for(case.manifest, file)
                cases[name] = replace(case, trace=trace, keyframe=trace.keyframe(trace.steps[0].time))
        return cases

    def _plan(self) -> ScriptPlan:
        own = self.cases[None]
        setting = Setting(own.program.interface, own.program.source.steps)
        with located(self.source.text, str(self.source.file)):
            plan = resolve(self.source.script, setting, lambda step, log: self.cases[log].trace.keyframe(step))
        return replace(plan, start=replace(plan.start, step=own.keyframe.step))

    # --- the case

    def _investigate(
        self, project: Path | None, file: Path, settings: Settings | None, solver: Solver | None, who: str | None
    ) -> Case:
        """The case, made or opened; one that is about something else is refused, and so are moments by other names."""
        logs = tuple(self.source.logs.values())
        with _as_project(self.source.project(project)) as folder:
            if file.exists():
                self.continued = True
                case = Case.open(file, who=who, settings=settings, solver=solver)
                self._closing.callback(case.close)
                _check_same(case, take(folder, logs).snapshot, file)
            else:
                title = self.source.title
                case = Case.create(file, folder, title=title, logs=logs, who=who, settings=settings, solver=solver)
                self._closing.callback(case.close)
        held = self._held(case.snapshot)
        for name, moment in self.plan.keyframes.items():
            known = case.keyframes.get(name)
            assert moment.step is not None
            if known is None:
                case.keyframe(moment.step, name, log=held[moment.log])
            elif (known.log, known.step) != (held[moment.log], moment.step):
                problem = f"{file} calls step {known.step} of {known.log} {name}, and the script another one"
                raise CaseError(problem, "Choose another name in the script.")
        return case

    def _held(self, snapshot: Snapshot) -> dict[str | None, str]:
        """Under which name the case holds each log."""
        logs = self.source.logs
        if not logs:
            return {None: snapshot.logs[0]}
        return {name: _held_as(snapshot, file, self.folder) for name, file in logs.items()}

    def _record(self, outcome: ScriptOutcome) -> None:
        """A conclusion is a note on the answer that led to it; said again, it is not noted again."""
        if self.case is None or outcome.number is None:
            return
        text = as_note(self.source.file.name, outcome.text)
        if all(note.payload["text"] != text for note in self.case.notes_on(outcome.number)):
            self.case.note(outcome.number, text)


@contextmanager
def _as_project(project: Path | Manifest) -> Iterator[Path]:
    """A project that a case can hold. C files by themselves get a manifest beside them for as long as it is taken."""
    if not isinstance(project, Manifest):
        yield project
        return
    file = project.file.with_name(f"{project.file.name}.toml")
    text = _manifest_text(project.program)
    try:
        if not file.exists():
            file.write_text(text, encoding="utf-8")
        elif file.read_text(encoding="utf-8") != text:  # else it was left behind by a run that was killed
            raise CaseError(f"{file} is in the way: a case needs a manifest there", "Move it, or name it as project.")
    except OSError as error:
        problem = f"a manifest for the case cannot be written beside {project.file}: {error.strerror or error}"
        raise CaseError(problem, 'Write a soid.toml, and name its folder in the script: project "."') from error
    try:
        yield file
    finally:
        file.unlink(missing_ok=True)


def _manifest_text(program: Program) -> str:
    source = program.source
    files = list(map(str, source.files))
    told = {"name": program.name, "engine": source.engine, "sources": files, "entry": source.entry}
    lines = (f"{key} = {json.dumps(value, ensure_ascii=False)}\n" for key, value in told.items())
    return "[program]\n" + "".join(lines)


def _check_same(case: Case, now: Snapshot, file: Path) -> None:
    """Answers count only for the very program and logs that they were given for."""
    before, after = _contents(case.snapshot), _contents(now)
    changed = sorted(path for path in before.keys() | after.keys() if before.get(path) != after.get(path))
    if not changed:
        return
    raise CaseError(
        f"{file} is about another program or other logs than the script: {', '.join(changed)}",
        "Name another file for the case, which is then made: its answers are not about this program.",
    )


def _contents(snapshot: Snapshot) -> dict[str, str]:
    """The hash of every file, by its path from the manifest: what the folders above are called is no matter."""
    folder = str(Path(snapshot.manifest).parent)
    return {os.path.relpath(file.path, folder): file.sha256 for file in snapshot.files}


def _held_as(snapshot: Snapshot, log: Path, folder: Path) -> str:
    """The name under which a case holds a log: where it lies from the manifest, or else among those from elsewhere."""
    from_manifest = os.path.relpath(log.resolve(), folder.resolve())
    for name in snapshot.logs:
        if os.path.relpath(name, Path(snapshot.manifest).parent) == from_manifest:
            return name
    return (PurePosixPath(snapshot.manifest).parent / FROM_ELSEWHERE / log.name).as_posix()
