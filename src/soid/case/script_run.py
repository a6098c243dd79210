"""Opening a script: its program, its logs, and the source of its answers.

Without a case file the oracle answers, and nothing is recorded. With one, the case is created if the file does not
exist; if it does, its answers are reused, so a stopped script continues where it was.
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
from soid.case.custody.author_key import AuthorKey
from soid.case.project import Project
from soid.case.script_oracles import DirectOracle, RecordingOracle, Watch, unwatched
from soid.case.script_record import name_moments, record_conclusion
from soid.case.script_runner import Event, ScriptOracle, ScriptOutcome, run
from soid.case.snapshot import FROM_ELSEWHERE, Snapshot, take
from soid.engine.registry import frontend_for
from soid.errors import CaseError, InputError, QueryError, TraceError
from soid.oracle.inquiry import Settings
from soid.program.interface import Interface
from soid.program.manifest import Manifest
from soid.program.program import Program
from soid.query.language.script.nodes import LogDeclaration, ProjectDeclaration, Script, Sources, Title
from soid.query.language.script.plan import ScriptPlan
from soid.query.language.script.resolver import resolve
from soid.query.language.script.script_errors import located, position
from soid.query.language.script.script_parser import parse_script
from soid.query.language.script.swept_questions import swept_questions
from soid.scenario.expression import TextSpan, placed
from soid.scenario.trace_reader import read_for
from soid.scenario.written_step import typed
from soid.solver.protocol import Solver


@final
class ScriptFile(Struct, frozen=True):
    """A script file and its parsed text."""

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
        return cls.of(text, file)

    @classmethod
    def of(cls, text: str, file: Path | str) -> Self:
        """A script that is a text; `file` is what it is called."""
        return cls(Path(file), text, parse_script(text, str(file)))

    @property
    def title(self) -> str:
        return next((line.text for line in self.script.lines if isinstance(line, Title)), self.file.stem)

    @property
    def logs(self) -> dict[str | None, Path]:
        """The logs by their names in the script, the first under None; may be empty."""
        lines = [line for line in self.script.lines if isinstance(line, LogDeclaration)]
        return {line.name if number else None: self.file.parent / line.file for number, line in enumerate(lines)}

    def swept_questions(self, project: Project) -> tuple[str, ...]:
        """Its questions, to be asked at many moments; raises at a line that has no meaning there."""
        with located(self.text, str(self.file)):
            return swept_questions(self.script, project.program.interface, project.program.source.steps)

    def line(self, span: TextSpan) -> int:
        return position(self.text, span.start)[0]

    def project(self, instead: Path | None) -> Path | Manifest:
        """The project of the script, or a manifest for bare C files."""
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
    """An open script; a context manager that closes its solvers."""

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
        key: AuthorKey | None = None,
    ) -> None:
        """Read and check everything before a case file is made or a question is asked."""
        self.source = source
        self.case: Case | None = None
        self.continued = False  # whether the case file existed before
        with ExitStack() as self._closing:
            named = source.project(project)
            file = named.file if isinstance(named, Manifest) else named
            self.folder = file if file.is_dir() else file.parent  # of the manifest
            self.projects = self._open_projects(named, settings, solver)
            self.plan = self._plan()
            self.oracle: ScriptOracle = DirectOracle(self.projects, watch)
            if case_file is not None:
                self.case = self._open_case(project, case_file, settings, solver, who, key)
                self.oracle = RecordingOracle(self.case, self._held(self.case.snapshot), watch)
            self._closing = self._closing.pop_all()  # nothing failed: all of it stays open

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *failure: object) -> None:
        self._closing.close()

    @property
    def program(self) -> Program:
        return self.projects[None].program

    def events(self) -> Iterator[Event]:
        """Run the script; a conclusion is recorded before its event is yielded."""
        for event in run(self.plan, self.oracle):
            if isinstance(event, ScriptOutcome) and self.case is not None:
                record_conclusion(self.case, self.source.file.name, event)
            yield event

    def _open_projects(
        self, project: Path | Manifest, settings: Settings | None, solver: Solver | None
    ) -> Mapping[str | None, Project]:
        logs = self.source.logs
        if not logs and isinstance(project, Manifest):
            raise TraceError(f"{self.source.file} names no log", 'Name one: trace "log.jsonl" at step 3')
        step = next((line.step for line in self.source.script.lines if isinstance(line, LogDeclaration)), None)
        moment = None if step is None else typed(step)
        first = Project.open(project, trace=logs.get(None), step=moment, settings=settings, solver=solver)
        if solver is None:
            self._closing.callback(first.solver.close)
        assert first.manifest is not None
        projects: dict[str | None, Project] = {None: first}
        for name, file in logs.items():
            if name is not None:
                with first.settings.opening():
                    trace = read_for(first.manifest, file)
                projects[name] = first.over(trace, trace.first)
        return projects

    def _plan(self) -> ScriptPlan:
        first = self.projects[None]
        program, source = first.program, self.source
        with located(source.text, str(source.file)):
            plan = resolve(
                source.script,
                program.interface,
                program.source.steps,
                lambda step, log: self.projects[log].at(typed(step)).keyframe.step,
            )
        return replace(plan, start=replace(plan.start, step=first.logged.step))

    # --- the case

    def _open_case(
        self,
        project: Path | None,
        file: Path,
        settings: Settings | None,
        solver: Solver | None,
        who: str | None,
        key: AuthorKey | None,
    ) -> Case:
        """Create or open the case; raise if it is about another program or other logs, or names moments differently."""
        logs = tuple(self.source.logs.values())
        with _as_project(self.source.project(project)) as folder:
            if file.exists():
                self.continued = True
                case = Case.open(file, who=who, settings=settings, solver=solver, key=key)
                self._closing.callback(case.close)
                _check_same(case, take(folder, logs).snapshot, file)
            else:
                case = Case.create(
                    file,
                    folder,
                    title=self.source.title,
                    logs=logs,
                    who=who,
                    settings=settings,
                    solver=solver,
                    key=key,
                )
                self._closing.callback(case.close)
        name_moments(case, self.plan, self._held(case.snapshot))
        return case

    def _held(self, snapshot: Snapshot) -> dict[str | None, str]:
        """The name in the case of each log of the script."""
        logs = self.source.logs
        if not logs:
            return {None: snapshot.logs[0]}
        return {name: _held_as(snapshot, file, self.folder) for name, file in logs.items()}


@contextmanager
def _as_project(project: Path | Manifest) -> Iterator[Path]:
    """A project that a case can copy. Bare C files get a temporary manifest beside them."""
    if not isinstance(project, Manifest):
        yield project
        return
    file = project.file.with_name(f"{project.file.name}.toml")
    text = _manifest_text(project.program)
    try:
        if not file.exists():
            file.write_text(text, encoding="utf-8")
        elif file.read_text(encoding="utf-8") != text:  # the same text is left over from a killed run
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
    fields = {"name": program.name, "engine": source.engine, "sources": files, "entry": source.entry}
    lines = (f"{key} = {json.dumps(value, ensure_ascii=False)}\n" for key, value in fields.items())
    return "[program]\n" + "".join(lines)


def _check_same(case: Case, now: Snapshot, file: Path) -> None:
    """Raise unless the case holds the same program and logs: its answers are about no others."""
    before, after = _contents(case.snapshot), _contents(now)
    changed = sorted(path for path in before.keys() | after.keys() if before.get(path) != after.get(path))
    if not changed:
        return
    raise CaseError(
        f"{file} is about another program or other logs than the script: {', '.join(changed)}",
        "Name another file for the case, which is then made: its answers are not about this program.",
    )


def _contents(snapshot: Snapshot) -> dict[str, str]:
    """The hash of every file, by its path from the manifest: the names of the folders above do not matter."""
    folder = str(Path(snapshot.manifest).parent)
    return {os.path.relpath(file.path, folder): file.sha256 for file in snapshot.files}


def _held_as(snapshot: Snapshot, log: Path, folder: Path) -> str:
    """The name of a log in the case: its path from the manifest, else its name in the folder of outside logs."""
    from_manifest = os.path.relpath(log.resolve(), folder.resolve())
    for name in snapshot.logs:
        if os.path.relpath(name, Path(snapshot.manifest).parent) == from_manifest:
            return name
    return (PurePosixPath(snapshot.manifest).parent / FROM_ELSEWHERE / log.name).as_posix()
