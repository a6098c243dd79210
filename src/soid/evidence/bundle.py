"""`soid bundle`: a case as one file for others.

Each fact is examined before it goes in (`soid.evidence.fact_examination`): its formulas are derived again from the
program and the question, a solver answers them as text, and the scenario is run. A fact is refused if the result
differs from the record, or if nothing but the record supports it; the bundle says so.
"""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Mapping, Sequence
from contextlib import closing
from functools import partial
from pathlib import Path
from typing import Final, final

from msgspec import Struct

from soid.budget import Cancellation
from soid.cache import write_new
from soid.case.case import Case
from soid.case.custody.ed25519 import SigningKey
from soid.case.numbered_facts import fact_numbers
from soid.errors import BundleError
from soid.evidence import bundle_layout as layout
from soid.evidence import bundle_signature, bundled_record
from soid.evidence.archive import pack
from soid.evidence.bundled_record import Recorded
from soid.evidence.checks import CheckOutcome
from soid.evidence.derivation import ExaminedMoment, Means
from soid.evidence.fact_examination import Examination, examine
from soid.evidence.fact_files import fact_files, project_seen
from soid.evidence.software_bill import bill_of_materials
from soid.evidence.studies.examination import examine_study, read_studies
from soid.evidence.studies.study_files import study_files
from soid.release import version
from soid.solver.back_ends import NAMES
from soid.solver.chain import chain
from soid.solver.script_solver import ScriptSolver

_README: Final = Path(__file__).with_name("bundle_readme.txt")


@final
class Bundled(Struct, frozen=True):
    """A bundle and what is in it."""

    data: bytes
    facts: tuple[int, ...]  # numbers of the entries
    statements: int  # how many facts these state
    studies: tuple[int, ...]  # likewise
    refused: tuple[tuple[int, str], ...]  # numbers of refused facts and studies, each with the reason
    head: str  # last hash of the case


def bundle(
    case_file: Path,
    *,
    key: SigningKey | None = None,
    seconds: float = layout.SECONDS,
    solvers: Sequence[str] = NAMES,
    cancel: Cancellation | None = None,
    report: Callable[[str], None] = lambda _: None,
) -> Bundled:
    """The bundle of a case, signed if there is a `key`; the case stays unchanged."""
    with (
        closing(chain(solvers)) as solver,
        Case.open(case_file, read_only=True, solver=solver) as case,
        ScriptSolver(solvers) as scripts,
    ):
        report("checking the chain")
        case.custody()
        means = Means(solver, seconds, cancel or Cancellation())
        entries = case.entries
        files = {layout.CHAIN: bundled_record.written(entries), layout.README: _README.read_bytes()}
        files |= {layout.PROJECT + one.path: case.record.content(one.sha256) for one in case.snapshot.files}
        build, module = layout.build_of(case.first.engine)
        files |= {layout.BUILD: layout.as_json(build)} | ({} if module is None else {layout.MODULE: module})
        files[layout.BILL] = layout.as_json(bill_of_materials(build, module))
        facts = bundled_record.read_facts(entries)
        kept: list[int] = []
        refused: list[tuple[int, str]] = []
        for place, fact in enumerate(facts, start=1):
            report(f"fact {place} of {len(facts)}: {fact.question}")
            one = case.project_at(fact.step, fact.log)
            examined = ExaminedMoment(one.program, one.engine, one.replayer, one.keyframe)
            found = examine(fact, examined, means, scripts)
            if why := _why_not(found):
                refused.append((fact.number, why))
            else:
                kept.append(fact.number)
                builds = partial(_builds, files=files, fact=fact, case=case)
                inside = fact_files(found, examined, case.snapshot.manifest, builds)
                files |= {layout.folder(fact.number) + name: data for name, data in inside.items()}
        studied = read_studies(entries)
        shown: list[int] = []
        for place, study in enumerate(studied, start=1):
            report(f"study {place} of {len(studied)}: {study.kind}")
            one = case.project_at(study.step, study.log)
            again = examine_study(
                study, ExaminedMoment(one.program, one.engine, one.replayer, one.keyframe), means, scripts
            )
            if why := "; ".join(again.noted(CheckOutcome.CONTRADICTED)):
                refused.append((study.number, why))
            else:
                shown.append(study.number)
                files |= {layout.study_folder(study.number) + name: data for name, data in study_files(again).items()}
    manifest = {
        "format": layout.FORMAT,
        "soid": version(),
        "title": case.title,
        "program": entries[0].payload["program"],
        "head": entries[-1].hash,
        "facts": kept,
        **({"studies": shown} if studied else {}),
        "refused": [{"entry": number, "why": why} for number, why in refused],
        "files": layout.hashes(files),
    }
    files[layout.MANIFEST] = layout.as_json(manifest)
    if key is not None:
        files[layout.SIGNATURE] = layout.as_json(bundle_signature.sign(files[layout.MANIFEST], key))
    numbers = fact_numbers(entries)
    statements = len({numbers[number] for number in kept})
    return Bundled(pack(files), tuple(kept), statements, tuple(shown), tuple(refused), entries[-1].hash)


def write(bundled: Bundled, to: Path) -> None:
    """Write the bundle to a new file; an existing file is never replaced."""
    try:
        write_new(to, bundled.data)
    except FileExistsError:
        raise BundleError(f"{to} is there already", "Name another file.") from None
    except OSError as error:
        raise BundleError(f"{to} cannot be written: {error.strerror or error}", "Name another file.") from error


def _builds(retold: Mapping[str, bytes], files: Mapping[str, bytes], fact: Recorded, case: Case) -> bool:
    """Whether the engine's compiler accepts the program that retells a fact's scenario."""
    with tempfile.TemporaryDirectory() as scratch:
        place = Path(scratch) / layout.folder(fact.number)
        there = {Path(scratch) / name: data for name, data in files.items() if name.startswith(layout.PROJECT)}
        for file, data in {**there, **{place / name: data for name, data in retold.items()}}.items():
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_bytes(data)
        project = project_seen(case.snapshot.manifest)
        return case.project_at(fact.step, fact.log).engine.accepts(place, project)


def _why_not(found: Examination) -> str:
    """Why a fact cannot go into the bundle; empty if it can. An open run alone is no reason."""
    against = found.noted(CheckOutcome.CONTRADICTED)
    if not against and found.derivation is None:
        against = found.noted(CheckOutcome.OPEN)
    unproved = [f"{file}: {proof.detail}" for file, proof in found.proofs.items() if not proof.solver]
    return "; ".join([*against, *unproved])
