"""The files of a study in a bundle: its formulas, and which solver answered each. They are compared with those here."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from soid.errors import BundleError
from soid.evidence import bundle_layout as layout
from soid.evidence.bundled_record import MISSHAPEN
from soid.evidence.checks import CheckOutcome
from soid.evidence.studies.study_checks import StudyExamination

STUDY: Final = "study.json"


def study_files(found: StudyExamination) -> dict[str, bytes]:
    """All files of a study, by their names in its folder."""
    return {STUDY: layout.as_json(_told(found)), **{file: text.encode() for file, text in found.files.items()}}


def _told(found: StudyExamination) -> dict[str, Any]:
    recorded = found.recorded
    return {
        "entry": recorded.number,
        "log": recorded.log,
        "step": recorded.step,
        "wanted": recorded.wanted.document,
        "statement": recorded.statement,
        "formulas": [{"file": file, "answered_by": solver} for file, solver in sorted(found.answered_by.items())],
    }


def study_answered_by(files: Mapping[str, bytes], number: int) -> dict[str, str]:
    """The solver that answered each formula, according to the bundle."""
    name = layout.study_folder(number) + STUDY
    try:
        formulas = layout.read_json(name, layout.needed(files, name))["formulas"]
        return {str(formula["file"]): str(formula["answered_by"]) for formula in formulas}
    except MISSHAPEN:
        raise BundleError(f"{name} does not say which formulas there are", "Ask for the bundle again.") from None


def compare_study(found: StudyExamination, files: Mapping[str, bytes]) -> None:
    """Note which files in the bundle are not those derived here."""
    folder = layout.study_folder(found.recorded.number)
    given = {name.removeprefix(folder): data for name, data in files.items() if name.startswith(folder)}
    told = layout.read_json(STUDY, given.pop(STUDY))
    told.pop("formulas", None)
    expected = {name: value for name, value in _told(found).items() if name != "formulas"}
    found.expect(STUDY, told == expected, "it is what is on the record", "it is not what is on the record")
    for name in sorted(given.keys() | found.files.keys()):
        mine, theirs = found.files.get(name), given.get(name)
        if mine is None or theirs is None:
            words = "no such formula was derived here" if mine is None else "it is missing in the bundle"
            found.note(name, CheckOutcome.OPEN, words)
        elif mine.encode() != theirs:
            found.note(name, CheckOutcome.OPEN, "it is written otherwise than here: the one derived here was proved")
