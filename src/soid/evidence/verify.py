"""`soid verify`: check a bundle without trusting anything in it.

First the file's form, its hashes, its signature and its chain are checked; an error there is a BundleError that names
it, and ends the verification. Then the program is compiled here, and each fact is examined as if it were new
(`soid.evidence.fact_examination`) and compared with the formulas in the bundle.
"""

from __future__ import annotations

import hashlib
import tempfile
from collections.abc import Callable, Mapping, Sequence
from contextlib import closing
from pathlib import Path
from typing import Any, final

from msgspec import Struct
from msgspec.structs import replace

from soid.allowance import allowed
from soid.budget import Cancellation, usual_memory
from soid.case.custody.custody import Custody, Expectations, custody
from soid.case.numbered_facts import fact_numbers
from soid.case.record.entry import Entry
from soid.case.validity import shaken, title
from soid.engine.replay import ReplayMode
from soid.errors import BundleError, CaseError, LimitError, SoidError
from soid.evidence import bundle_layout as layout
from soid.evidence import bundle_signature
from soid.evidence.archive import MOST_BYTES, unpack
from soid.evidence.bundled_project import Opened, open_project, project_files
from soid.evidence.bundled_record import MISSHAPEN, Recorded, read_chain, read_facts
from soid.evidence.checks import Check, CheckOutcome
from soid.evidence.compared_logs import compared_again
from soid.evidence.derivation import Means
from soid.evidence.fact_examination import Examination, examine
from soid.evidence.formula_comparison import answered_by, compare, covers_of
from soid.evidence.software_bill import bill_of_materials, differences, maker_of
from soid.evidence.studies.examination import examine_study, read_studies
from soid.evidence.studies.study_checks import BundledStudy, StudyExamination
from soid.evidence.studies.study_files import compare_study, study_answered_by
from soid.evidence.verification_report import CheckedFact, CheckedStudy, RecordedNote, Report, standing
from soid.solver.back_ends import NAMES
from soid.solver.chain import chain
from soid.solver.script_solver import ScriptSolver


def verify(
    file: Path,
    *,
    key: Path | str | None = None,
    expected: Expectations | None = None,
    seconds: float = layout.SECONDS,
    solvers: Sequence[str] = NAMES,
    replay: ReplayMode = "confined",
    cancel: Cancellation | None = None,
    report: Callable[[str], None] = lambda _: None,
) -> Report:
    """Check a bundle; a BundleError says why it is refused.

    `key`, a file or a fingerprint, must have signed the bundle. `expected` says which keys must have signed the entries
    of its record.
    """
    report("reading the bundle")
    data = _read(file)
    whole = _Whole.open(unpack(data), key, expected)
    stop = cancel or Cancellation()
    with tempfile.TemporaryDirectory(prefix="soid-verify-") as scratch:
        report("compiling the program")
        with allowed(seconds=seconds, cancel=stop, memory=usual_memory()):
            opened = open_project(whole.project, whole.entries[0].payload, Path(scratch).resolve(), replay)
            compiled = Check("the program", *_compiled(opened, whole.files))
            checks = [*whole.checks, compiled, Check("the software", *_software(opened, whole))]
        report("comparing the logs with the program")
        checks += compared_again(whole.entries, opened, seconds, stop)
        checks += _shaken(whole.entries)
        facts, studied = _examined(whole, opened, checks, solvers, seconds, stop, report)
    return Report(
        bundle=str(file),
        sha256=hashlib.sha256(data).hexdigest(),
        title=str(whole.manifest.get("title", "")),
        program=str(whole.manifest.get("program", "")),
        head=whole.entries[-1].hash,
        signed=whole.signed,
        custody=whole.custody,
        checks=tuple(checks),
        facts=facts,
        studies=studied,
        notes=RecordedNote.of(whole.entries),
    )


def held_by(file: Path) -> tuple[tuple[Entry, ...], Mapping[str, bytes]]:
    """The record in a bundle whose form, hashes and chain are right, and the project's files. No fact is examined."""
    whole = _Whole.open(unpack(_read(file)), None, None)
    return whole.entries, whole.project


def _read(file: Path) -> bytes:
    try:
        if not file.is_file():
            raise BundleError(f"{file}: there is no such file", "Name a bundle that `soid bundle` has written.")
        if file.stat().st_size > 2 * MOST_BYTES:
            raise BundleError(f"{file} is too large for a bundle", f"One has at most {MOST_BYTES >> 20} MiB.")
        return file.read_bytes()
    except OSError as error:
        raise BundleError(f"{file} cannot be read: {error.strerror or error}", "Name another file.") from error


@final
class _Whole(Struct, frozen=True):
    """A bundle whose form, hashes and chain are right."""

    files: Mapping[str, bytes]
    manifest: Mapping[str, Any]
    entries: tuple[Entry, ...]
    facts: tuple[Recorded, ...]
    studies: tuple[BundledStudy, ...]
    refused: Mapping[int, str]  # facts and studies that `soid bundle` could not show, each with the reason
    project: Mapping[str, bytes]
    signed: bool
    custody: Custody
    checks: tuple[Check, ...]

    @classmethod
    def open(cls, files: Mapping[str, bytes], key: Path | str | None, expected: Expectations | None) -> _Whole:
        if layout.MANIFEST not in files:
            raise BundleError(f"{layout.MANIFEST} is missing: this is no bundle", "Name one made by `soid bundle`.")
        manifest = layout.read_json(layout.MANIFEST, files[layout.MANIFEST])
        if manifest.get("format") != layout.FORMAT:
            raise BundleError(f"this is no {layout.FORMAT}", "Check it with the version of soid that made it.")
        layout.check_hashes(files, manifest)
        signature = _signature(files, key)
        entries = read_chain(layout.needed(files, layout.CHAIN))
        facts, studied = read_facts(entries), read_studies(entries)
        refused = _refused(manifest)
        _agree(manifest, entries, facts, studied, refused)
        project = project_files(files, entries[0].payload)
        held = _custody(entries, project, expected)
        checks = (
            signature,
            Check("the chain", CheckOutcome.CONFIRMED, f"{len(entries)} entries, each bound to the one before it"),
            *_custody_checks(held, known=expected is not None and bool(expected.keys)),
        )
        return cls(files, manifest, entries, facts, studied, refused, project, key is not None, held, checks)


def _signature(files: Mapping[str, bytes], key: Path | str | None) -> Check:
    """Check the signature against the verifier's key; without a key the check stays open."""
    given = layout.read_json(layout.SIGNATURE, files[layout.SIGNATURE]) if layout.SIGNATURE in files else None
    if key is None:
        words = "there is none: nobody answers for the bundle as a whole"
        if given is not None:
            signer = bundle_signature.signer_of(files[layout.MANIFEST], given)
            words = f"of the key {signer}; whose key that is was not looked at: no key was given"
        return Check("the signature", CheckOutcome.OPEN, words)
    if given is None:
        raise BundleError("the bundle is not signed, and a key was given", "Ask for a signed one, or give no key.")
    bundle_signature.check(files[layout.MANIFEST], given, key)
    return Check("the signature", CheckOutcome.CONFIRMED, f"the manifest was signed with the private half of {key}")


def _custody(entries: Sequence[Entry], project: Mapping[str, bytes], expected: Expectations | None) -> Custody:
    try:
        return custody(entries, project.__getitem__, expected)
    except CaseError as error:
        raise BundleError(f"the record: {error.cause}", error.remedy) from error


def _custody_checks(held: Custody, *, known: bool) -> list[Check]:
    """What the record itself shows; open where it shows nothing to a reader who has no key or certificate."""
    entries = CheckOutcome.CONFIRMED if known else CheckOutcome.OPEN  # unsigned ones were refused, if keys are known
    whose = ("whose keys these are was not looked at: no key was named",) if held.keys and not known else ()
    stamps = [
        Check("a time stamp", CheckOutcome.CONFIRMED if anchor.trusted else CheckOutcome.OPEN, anchor.words)
        for anchor in held.anchors
    ]
    logs = [Check("a log", CheckOutcome.CONFIRMED, log.words) for log in held.logs]
    words = "; ".join((*held.signatures, *held.doubts, *whose))
    return [Check("the entries' signatures", entries, words), *stamps, *logs]


def _refused(manifest: Mapping[str, Any]) -> dict[int, str]:
    try:
        return {int(one["entry"]): str(one["why"]) for one in manifest["refused"]}
    except MISSHAPEN:
        raise BundleError(f"{layout.MANIFEST} does not say which facts it leaves out", "Ask for it again.") from None


def _agree(
    manifest: Mapping[str, Any],
    entries: Sequence[Entry],
    facts: Sequence[Recorded],
    studied: Sequence[BundledStudy],
    refused: Mapping[int, str],
) -> None:
    """Raise unless the manifest belongs to this chain and lists all facts and studies in it."""
    numbers, others = [fact.number for fact in facts], [study.number for study in studied]
    first = entries[0].payload
    expected = {
        "head": entries[-1].hash,
        "facts": [number for number in numbers if number not in refused],
        "studies": [number for number in others if number not in refused] if others else None,
        "title": title(entries),
        "program": first.get("program"),
    }
    for name, value in expected.items():
        if manifest.get(name) != value:
            raise BundleError(f"{layout.MANIFEST}: {name} is not what the chain says", "Ask for the bundle again.")
    if not refused.keys() <= {*numbers, *others}:
        raise BundleError(f"{layout.MANIFEST}: refused names what was not found", "Ask for the bundle again.")


def _compiled(opened: Opened | str, files: Mapping[str, bytes]) -> tuple[CheckOutcome, str]:
    """Compare the program compiled here with the one in the bundle."""
    if isinstance(opened, str):
        return CheckOutcome.OPEN, f"it was not opened here: {opened}"
    own, module = layout.build_of(opened.engine)
    given = layout.read_json(layout.BUILD, layout.needed(files, layout.BUILD))
    for name in sorted((own.keys() | given.keys()) - {"python", "solvers", "compiler", "reader", "module"}):
        if own.get(name) != given.get(name):
            says = f"{layout.BUILD} says {name} is {given.get(name)!r:.80}"
            return CheckOutcome.CONTRADICTED, f"{says}, the project says {own.get(name)!r:.80}"
    if module is None:
        if layout.MODULE in files:
            return CheckOutcome.CONTRADICTED, f"{layout.MODULE} belongs to no program here"
        learned = opened.engine.learned
        if learned is not None:
            model = f"{learned.model.family} of {learned.model.library} {learned.model.version}".strip()
            return CheckOutcome.CONFIRMED, f"it is a learned model, {model}, as its file says"
        return CheckOutcome.CONFIRMED, "nothing is compiled: it is its paths"
    theirs = hashlib.sha256(layout.needed(files, layout.MODULE)).hexdigest()
    if theirs != given.get("module"):
        return CheckOutcome.CONTRADICTED, f"{layout.MODULE} is not the module of {layout.BUILD}"
    if any(own[name] != given.get(name) for name in ("compiler", "reader")):
        words = f"compiled here by {own['compiler']}, for the bundle by {given.get('compiler')!r:.80}: not compared"
        return CheckOutcome.CONFIRMED, words
    if theirs == own["module"]:
        return CheckOutcome.CONFIRMED, "the compiler here makes the very same module of it"
    return CheckOutcome.CONTRADICTED, "the compiler here makes another module"


def _software(opened: Opened | str, whole: _Whole) -> tuple[CheckOutcome, str]:
    """What the bundle was made with, beside what is here: other versions contradict nothing."""
    if layout.BILL not in whole.files:
        return CheckOutcome.OPEN, "the bundle does not list what it was made with: an earlier version of soid made it"
    listed = layout.read_json(layout.BILL, whole.files[layout.BILL])
    if maker_of(listed) != whole.manifest.get("soid"):
        raise BundleError(
            f"{layout.MANIFEST} and {layout.BILL} name two versions of soid as its maker", "Ask for another copy."
        )
    here = bill_of_materials(*(layout.build_of(opened.engine) if isinstance(opened, Opened) else ({}, None)))
    return CheckOutcome.CONFIRMED, differences(listed, here)


def _shaken(entries: Sequence[Entry]) -> list[Check]:
    """The studies that rest on what no longer counts: they are not examined."""
    return [
        Check(f"entry {entry.number}", CheckOutcome.OPEN, f"it rests on entry {base}, which no longer counts")
        for entry, base in shaken(entries)
    ]


def _examined(
    whole: _Whole,
    opened: Opened | str,
    checks: Sequence[Check],
    solvers: Sequence[str],
    seconds: float,
    cancel: Cancellation,
    report: Callable[[str], None],
) -> tuple[tuple[CheckedFact, ...], tuple[CheckedStudy, ...]]:
    """The facts and the studies, each examined anew; what is wrong with the bundle is wrong with each."""
    wrong = [check for check in checks if check.outcome is CheckOutcome.CONTRADICTED]
    facts, studied, numbers = [], [], fact_numbers(whole.entries)
    with closing(chain(_others(whole, solvers))) as solver, ScriptSolver(solvers) as scripts:
        means = Means(solver, seconds, cancel, maker=str(whole.manifest.get("soid")))
        for place, fact in enumerate(whole.facts, start=1):
            report(f"fact {place} of {len(whole.facts)}: {fact.question}")
            examination = _fact(whole, fact, opened, means, scripts)
            examination.checks += wrong
            facts.append(_checked(examination, numbers[fact.number], signed=whole.signed))
        for place, study in enumerate(whole.studies, start=1):
            report(f"study {place} of {len(whole.studies)}: {study.kind}")
            found = _study(whole, study, opened, means, scripts)
            found.checks += wrong
            studied.append(CheckedStudy.of(found, signed=whole.signed))
    return tuple(facts), tuple(studied)


def _study(
    whole: _Whole, study: BundledStudy, opened: Opened | str, means: Means, scripts: ScriptSolver
) -> StudyExamination:
    found = StudyExamination(recorded=study, scripts=scripts)
    if study.number in whole.refused:
        found.note("the bundle", CheckOutcome.OPEN, f"its maker could not show it: {whole.refused[study.number]}")
    elif isinstance(opened, str):
        found.note("the program", CheckOutcome.OPEN, f"it was not opened here: {opened}")
    else:
        try:
            examined, asked = opened.at(study), study_answered_by(whole.files, study.number)
            found = examine_study(study, examined, means, scripts, asked)
            compare_study(found, whole.files)
        except SoidError as error:
            found.note("the study", CheckOutcome.CONTRADICTED, error.cause)
    if means.cancel.cancelled:
        raise BundleError("called off", "Nothing was concluded.")
    return found


def _others(whole: _Whole, solvers: Sequence[str]) -> Sequence[str]:
    """The solvers for exploring: those that answered nothing in the bundle; if there are none, all."""
    facts = [fact.number for fact in whole.facts if fact.number not in whole.refused]
    asked = {name for number in facts for name in answered_by(whole.files, number).values()}
    shown = [study.number for study in whole.studies if study.number not in whole.refused]
    asked |= {name for number in shown for name in study_answered_by(whole.files, number).values()}
    return [name for name in solvers if name not in asked] or solvers


def _fact(whole: _Whole, fact: Recorded, opened: Opened | str, means: Means, scripts: ScriptSolver) -> Examination:
    found = Examination(recorded=fact)
    if fact.number in whole.refused:
        found.note("the bundle", CheckOutcome.OPEN, f"its maker could not show it: {whole.refused[fact.number]}")
    elif isinstance(opened, str):
        found.note("the program", CheckOutcome.OPEN, f"it was not opened here: {opened}")
    else:
        try:
            examined = opened.at(fact)
            means = replace(means, covers=covers_of(whole.files, fact.number))
            found = examine(fact, examined, means, scripts, answered_by(whole.files, fact.number))
            if found.derivation is not None:
                with allowed(seconds=means.seconds, cancel=means.cancel):
                    compare(found, whole.files, examined, whole.entries[0].payload["manifest"], means, scripts)
        except LimitError as error:  # it says nothing about the fact
            found.note("the fact", CheckOutcome.OPEN, error.cause)
        except SoidError as error:
            found.note("the fact", CheckOutcome.CONTRADICTED, error.cause)
    if means.cancel.cancelled:
        raise BundleError("called off", "Nothing was concluded.")
    return found


def _checked(found: Examination, number: int, *, signed: bool) -> CheckedFact:
    fact = found.recorded
    return CheckedFact(
        number=fact.number,
        fact=number,
        question=fact.question,
        verdict=fact.verdict,
        statement=found.statement or fact.statement,
        standing=standing(found, signed=signed),
        checks=tuple(found.checks),
        relies_on=found.derivation.summary.relies_on if found.derivation is not None else (),
    )
