"""The project that a case holds: its snapshot is written to the cache and opened when it is needed."""

from __future__ import annotations

import dataclasses
import threading
from collections.abc import Callable
from pathlib import Path
from typing import final

from msgspec import Struct, field
from msgspec.structs import replace

from soid.case.project import Project
from soid.case.snapshot import Snapshot
from soid.engine.manifest_reader import load
from soid.engine.protocol import fingerprint
from soid.engine.registry import frontend_of
from soid.errors import CaseError
from soid.oracle.inquiry import Settings
from soid.scenario.trace_reader import read_for
from soid.solver.protocol import Solver


@final
class HeldProject(Struct):
    """A snapshot, opened on demand as a project for each log."""

    snapshot: Snapshot
    content: Callable[[str], bytes]  # gives a file by its hash
    settings: Settings
    solver: Solver | None = None  # None: one is made, and closed by `close`
    _place: Path | None = None  # where the snapshot is laid out
    _projects: dict[str, Project] = field(default_factory=dict)  # by log; all share one program and solver
    _opening: threading.RLock = field(default_factory=threading.RLock)  # held while a log is read: once for all threads

    def log(self, name: str | None) -> str:
        """The full name of a log, given its name in the case or the end of that; by default the first log."""
        logs = self.snapshot.logs
        found = [each for each in logs if name is None or each == name or each.endswith(f"/{name}")]
        if not found or (name is not None and len(found) > 1):
            raise CaseError(f"the case has no one log {name}", f"Its logs are: {', '.join(logs)}.")
        return found[0]

    @property
    def folder(self) -> str:
        """What the paths of its files begin with on this machine."""
        return f"{self._place}/"

    def project(self, log: str) -> Project:
        """The project with one of the logs, at the moment that the manifest names, else at the log's last step."""
        with self._opening:
            if log not in self._projects:
                self._projects[log] = self._with_log(log) if self._projects else self._first(log)
            return self._projects[log]

    def at(self, log: str, step: int, settings: Settings) -> Project:
        found = self.project(log).at(step)
        shown = found.logged.source.removeprefix(self.folder)
        return replace(found, logged=dataclasses.replace(found.logged, source=shown), settings=settings)

    def fingerprint(self) -> str:
        """The hash of the module that this machine's compiler makes; empty if nothing is compiled."""
        return fingerprint(self.project(self.snapshot.logs[0]).engine)

    def close(self) -> None:
        """Close the solvers, unless the caller supplied them."""
        if self.solver is None:
            for first in list(self._projects.values())[:1]:  # the others share its solver
                first.solver.close()
        self._projects.clear()

    def _first(self, log: str) -> Project:
        self._place = self.snapshot.lay_out(self.content)
        first = self.snapshot.logs[0]
        manifest = load(self._place / self.snapshot.manifest)
        if not self.snapshot.lies_here():  # its author may be a stranger
            program = frontend_of(manifest.program).confined(manifest.program, self._place)
            manifest = replace(manifest, program=program)
        opened = Project.open(
            manifest,
            trace=self._place / first,
            settings=self.settings,
            solver=self.solver,
        )
        named = dataclasses.replace(opened.trace, source=first)
        self._projects[first] = opened.over(named, opened.logged.step)
        return self.project(log)

    def _with_log(self, log: str) -> Project:
        any_one = next(iter(self._projects.values()))
        assert any_one.manifest is not None and self._place is not None
        with self.settings.opening():
            trace = dataclasses.replace(read_for(any_one.manifest, self._place / log), source=log)
        wanted = any_one.manifest.keyframe
        if wanted is None or trace.step(wanted) is None:
            wanted = trace.last
        return any_one.over(trace, wanted)
