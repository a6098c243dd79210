"""A bundle's project, opened on the verifier's machine with the verifier's compiler, as an untrusted project.

If the rules of `soid.evidence.untrusted_project` do not allow opening it, its facts are at best attested.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, Final, final

from msgspec import Struct

from soid.engine.protocol import Engine, replayer_for
from soid.engine.replay import Replayer, ReplayMode
from soid.errors import BundleError, CalledOff, SoidError
from soid.evidence import bundle_layout as layout
from soid.evidence.archive import odd
from soid.evidence.bundled_record import Recorded
from soid.evidence.derivation import ExaminedMoment
from soid.evidence.studies.study_checks import BundledStudy
from soid.evidence.untrusted_project import open_with_care
from soid.oracle.inquiry import Context
from soid.oracle.log_run import LogRun
from soid.program.program import Program
from soid.scenario.trace import Trace
from soid.scenario.trace_reader import read_for
from soid.solver.chain import chain

_REMEDY: Final = "A bundle holds everything that its program needs."


@final
class Opened(Struct, frozen=True):
    """The program, ready to be examined."""

    program: Program
    engine: Engine
    replayer: Replayer | None
    traces: Mapping[str, Trace]  # by the log's name in the case
    runs: Mapping[str, LogRun]  # of the program over them
    from_start: bool  # the logs begin at the program's first call

    def at(self, fact: Recorded | BundledStudy) -> ExaminedMoment:
        """The moment that a fact or a study is about."""
        if fact.log not in self.traces:
            raise BundleError(
                f"entry {fact.number} speaks of the log {fact.log}, which the case does not have", _REMEDY
            )
        return ExaminedMoment(self.program, self.engine, self.replayer, self.runs[fact.log].keyframe(fact.step))


def project_files(files: Mapping[str, bytes], opened: Mapping[str, Any]) -> dict[str, bytes]:
    """The project's files by their paths in the case; a BundleError unless its first entry lists exactly these."""
    found = {name.removeprefix(layout.PROJECT): data for name, data in files.items() if name.startswith(layout.PROJECT)}
    listed = {one["path"]: (one["sha256"], one["size"]) for one in opened["files"]}
    actual = {path: (sha, len(found[path])) for path, sha in layout.hashes(found).items()}
    for path in sorted(actual.keys() | listed.keys(), key=str):
        if actual.get(path) != listed.get(path):
            raise BundleError(f"project/{path} is not what entry 1 of the chain lists", _REMEDY)
    return found


def open_project(
    project: Mapping[str, bytes], opened: Mapping[str, Any], scratch: Path, replay: ReplayMode = "confined"
) -> Opened | str:
    """Write the project into the scratch folder and open it; a text says why it was not opened."""
    toml, logs, folders = opened["manifest"], tuple(opened["logs"]), tuple(opened["folders"])
    if not logs:
        raise BundleError("entry 1 of the chain names no log", _REMEDY)
    for name in (toml, *logs):
        if name not in project:
            raise BundleError(f"entry 1 of the chain names {name}, which is not in the bundle", _REMEDY)
    _lay_out(project, folders, scratch)
    try:
        opened_with_care = open_with_care(toml, project, scratch)
        if isinstance(opened_with_care, str):
            return opened_with_care
        manifest, engine = opened_with_care
        traces = {log: replace(read_for(manifest, scratch / log), source=log) for log in logs}
        replayer = replayer_for(engine, replay)
        context = Context(engine, chain(), replayer)
        runs = {log: LogRun(trace, context, from_start=manifest.from_start) for log, trace in traces.items()}
        return Opened(manifest.program, engine, replayer, traces, runs, manifest.from_start)
    except (BundleError, CalledOff):
        raise
    except SoidError as error:
        return error.cause.replace(f"{scratch}/", "")


def _lay_out(project: Mapping[str, bytes], folders: Sequence[str], scratch: Path) -> None:
    for name in folders:
        if name != "." and odd(name):
            raise BundleError(f"entry 1 of the chain names the folder {name!r:.80}, which {odd(name)}", _REMEDY)
    try:
        for name in folders:
            (scratch / name).mkdir(parents=True, exist_ok=True)
        for name, data in project.items():  # `archive` has refused every name that leads out of the folder
            (scratch / name).parent.mkdir(parents=True, exist_ok=True)
            (scratch / name).write_bytes(data)
    except OSError as error:
        raise BundleError(f"the project cannot be laid out: {error.strerror or error}", _REMEDY) from error
