"""The files of a fact in a bundle, held to what was derived here: a weakened formula shows, whatever its hash."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from soid.errors import BundleError, SoidError
from soid.evidence import layout, retelling
from soid.evidence.covers import recheck
from soid.evidence.derivation import Examined, Means
from soid.evidence.describing import COVER, FACT, WITNESS, fact, witness
from soid.evidence.examining import Examination, Outcome
from soid.evidence.obligations import PROOFS, Obligation
from soid.evidence.recorded import MISSHAPEN
from soid.formula import build
from soid.formula.smtlib.printer import script
from soid.formula.smtlib.reader import read
from soid.solver.scripts import Scripts


def answered_by(files: Mapping[str, bytes], number: int) -> dict[str, str]:
    """Who answered each formula, as the bundle has it."""
    name = layout.folder(number) + FACT
    if name not in files:
        raise BundleError(f"{name} is missing", "Ask for the bundle again.")
    try:
        return {str(one["file"]): str(one["answered_by"]) for one in layout.read_json(name, files[name])["formulas"]}
    except MISSHAPEN:
        raise BundleError(f"{name} does not say which formulas there are", "Ask for the bundle again.") from None


def compare(
    found: Examination,
    files: Mapping[str, bytes],
    examined: Examined,
    toml: str,
    means: Means,
    scripts: Scripts,
) -> None:
    """Note of each file whether it is the one that belongs to the fact."""
    assert found.derivation is not None and found.answer is not None and found.answer.witness is not None
    folder = layout.folder(found.recorded.number)
    inside = {name.removeprefix(folder): data for name, data in files.items() if name.startswith(folder)}
    for file, text in found.scripts.items():
        _formula(found, file, text, inside.pop(file, None), means, scripts)
    solvers = answered_by(files, found.recorded.number)
    _same_json(found, FACT, fact(found, solvers), inside.pop(FACT, None))
    _same_json(found, WITNESS, None, inside.pop(WITNESS, None))
    for one in found.derivation.obligations:
        data = inside.pop(f"{one.name}{COVER}", None) if one.name in PROOFS else None
        if data is not None:
            _cover(found, f"{one.name}{COVER}", data, one)
    told = retelling.retell(found.recorded, found.answer.witness, found.derivation, examined, toml)
    for retold in (told, retelling.asked_again(found.recorded, toml)):  # C may not be able to tell it
        if retold and all(inside.get(name) == data for name, data in retold.items()):
            found.note(retelling.TEST, Outcome.CONFIRMED, "it tells the scenario on record")
            inside = {name: data for name, data in inside.items() if name not in retold}
            break
    for name in sorted(inside):
        if name.endswith(".smt2"):
            found.note(name, Outcome.OPEN, "no such formula was derived here")
        else:
            found.note(name, Outcome.CONTRADICTED, "it does not belong to the fact")


def _cover(found: Examination, name: str, data: bytes, obligation: Obligation) -> None:
    """Boxes that cover the family, checked one by one."""
    try:
        why = recheck(layout.read_json(name, data), obligation.terms)
    except BundleError as error:
        found.note(name, Outcome.CONTRADICTED, error.cause)
        return
    words = f"not rechecked: {why}" if why else "in each of its boxes some condition holds nowhere, and they cover all"
    found.note(name, Outcome.OPEN if why else Outcome.CONFIRMED, words)


def _same_json(found: Examination, name: str, expected: dict[str, Any] | None, data: bytes | None) -> None:
    """A file that says in other words what the record says."""
    if data is None:
        found.note(name, Outcome.CONTRADICTED, "it is missing")
        return
    given = layout.read_json(name, data)
    if expected is None:  # what a compiled program did there is told in words that depend on the machine
        expected = witness(found, str(given.get("replay")))
    found.expect(name, given == expected, "it says what the record says", "it does not say what the record says")


def _formula(found: Examination, file: str, text: str, data: bytes | None, means: Means, scripts: Scripts) -> None:
    about = f"{file} in the bundle"
    given = None if data is None else data.decode("utf-8", "replace")
    if given is None:
        found.note(about, Outcome.CONTRADICTED, "it is missing")
    elif given == text:
        found.note(about, Outcome.CONFIRMED, "it is the formula derived here, letter for letter")
    elif _without_comments(given) == _without_comments(text):
        found.note(about, Outcome.CONTRADICTED, "its words are not those that belong to its formula")
    else:
        approximated = bool(found.derivation and found.derivation.summary.approximations)
        outcome, words = _equivalent(given, text, means, scripts, approximated=approximated)
        found.note(about, outcome, words)


def _without_comments(text: str) -> list[str]:
    return [line for line in text.splitlines() if not line.startswith(";")]


def _equivalent(given: str, text: str, means: Means, scripts: Scripts, *, approximated: bool) -> tuple[Outcome, str]:
    """Whether another formula says the same as the one derived here, assertion by assertion.

    As wholes, all unsatisfiable formulas say the same: one that asserts `false` would pass for any proof.
    """
    try:
        theirs, ours = read(given, source="bundle").assertions, read(text, source="derived").assertions
        if len(theirs) != len(ours):
            if approximated:
                return Outcome.OPEN, "it rests on other facts about library functions than the formula derived here"
            return Outcome.CONTRADICTED, f"it has {len(theirs)} assertions, the formula derived here has {len(ours)}"
        different = build.any_of(build.xor(one, other) for one, other in zip(theirs, ours, strict=True))
        status = [line for line in given.splitlines() if line.startswith("(set-info")]
        if status != [line for line in text.splitlines() if line.startswith("(set-info")]:
            return Outcome.CONTRADICTED, "it expects another answer than the formula derived here"
        said = scripts.check(script([different]), means.seconds, means.cancel)
    except SoidError as error:
        return Outcome.CONTRADICTED, f"it is no formula: {error.cause}"
    if said.answer == "unsat":
        return Outcome.CONFIRMED, f"it says the same as the formula derived here ({said.solver})"
    if said.answer == "sat":
        return Outcome.CONTRADICTED, f"it does not say the same as the formula derived here ({said.solver})"
    return Outcome.OPEN, f"whether it says the same as the formula derived here is not settled: {said.detail}"
