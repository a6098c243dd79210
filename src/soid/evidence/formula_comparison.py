"""Comparison of a fact's files in a bundle with those derived here: it finds a weakened formula, even if hashes fit."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final

from msgspec.structs import replace

from soid.budget import Budget
from soid.errors import BundleError, LimitError, SoidError
from soid.evidence import bundle_layout as layout
from soid.evidence import covers
from soid.evidence.bundled_record import MISSHAPEN
from soid.evidence.checks import CheckOutcome
from soid.evidence.derivation import ExaminedMoment, Means, bounded
from soid.evidence.fact_examination import BOUNDED, Examination
from soid.evidence.fact_files import FACT, TEST, WITNESS, asked_again, fact, retell, witness
from soid.evidence.learned import model_covers
from soid.evidence.obligations import COVER, EVERYWHERE, PATHS, PROOFS, SCENARIO, Obligation
from soid.formula import build
from soid.formula.smtlib.script_reader import read
from soid.formula.smtlib.script_writer import script
from soid.formula.term import Term
from soid.solver.script_solver import ScriptSolver

_OTHER_FACTS: Final = "it rests on other facts about library functions than the formula derived here"


def answered_by(files: Mapping[str, bytes], number: int) -> dict[str, str]:
    """The solver that answered each formula, according to the bundle."""
    name = layout.folder(number) + FACT
    data = layout.needed(files, name)
    try:
        formulas = layout.read_json(name, data)["formulas"]
        return {str(formula["file"]): str(formula["answered_by"]) for formula in formulas}
    except MISSHAPEN:
        raise BundleError(f"{name} does not say which formulas there are", "Ask for the bundle again.") from None


def covers_of(files: Mapping[str, bytes], number: int) -> dict[str, dict[str, Any]]:
    """The covers of a fact by their names."""
    folder = layout.folder(number)
    names = [name for name in files if name.startswith(folder) and name.endswith(COVER)]
    return {name.removeprefix(folder): layout.read_json(name, files[name]) for name in names}


def compare(
    found: Examination,
    files: Mapping[str, bytes],
    examined: ExaminedMoment,
    toml: str,
    means: Means,
    scripts: ScriptSolver,
) -> None:
    """Note for each file whether it belongs to the fact."""
    assert found.derivation is not None
    folder, before = layout.folder(found.recorded.number), len(found.checks)
    inside = {name.removeprefix(folder): data for name, data in files.items() if name.startswith(folder)}
    paths = CheckOutcome.CONFIRMED
    for one in found.derivation.obligations:
        place = len(found.checks)
        bounds = _with_their_bounds(found, one, inside.get(one.cover_file))
        same = _formula(found, bounds, inside.pop(one.file, None), means, scripts)
        paths = same if one.name == PATHS else paths
        if paths is CheckOutcome.OPEN and one.name in PROOFS | {SCENARIO, EVERYWHERE}:
            _leave_open(found, place, "it speaks of other paths, which come to the same as far as is known")
    expected = fact(found, answered_by(files, found.recorded.number))
    given = inside.pop(FACT, None)
    if paths is CheckOutcome.OPEN and given is not None:  # the description of each formula counts its paths
        expected["formulas"] = layout.read_json(FACT, given).get("formulas")
    _same_json(found, FACT, expected, given)
    _same_json(found, WITNESS, witness(found), inside.pop(WITNESS, None))
    for one in found.derivation.obligations:
        data = inside.pop(one.cover_file, None) if one.name in PROOFS | {EVERYWHERE} else None
        if data is not None:
            _cover(found, data, one, examined, means)
        elif one.cover is not None:
            found.note(one.cover_file, CheckOutcome.CONTRADICTED, "it is missing")
    program = retell(found, examined, toml)
    for retold in (program, asked_again(found.recorded, toml)):  # the first is empty for some engines
        if retold and all(inside.get(name) == data for name, data in retold.items()):
            found.note(TEST, CheckOutcome.CONFIRMED, "it tells the scenario on record")
            inside = {name: data for name, data in inside.items() if name not in retold}
            break
    for name in sorted(inside):
        if name.endswith(".smt2"):
            found.note(name, CheckOutcome.OPEN, "no such formula was derived here")
        else:
            found.note(name, CheckOutcome.CONTRADICTED, "it does not belong to the fact")
    left_open = found.derivation.left_open
    if left_open:  # the bundle may come from a longer exploration
        _leave_open(found, before, f"not the same as here, where some of it was left {left_open}")


def _leave_open(found: Examination, start: int, why: str) -> None:
    """Contradictions noted from `start` on contradict nothing."""
    for place, check in enumerate(found.checks[start:], start=start):
        if check.outcome is CheckOutcome.CONTRADICTED:
            found.checks[place] = replace(check, outcome=CheckOutcome.OPEN, words=f"{why}: {check.words}")


def _with_their_bounds(found: Examination, obligation: Obligation, cover: bytes | None) -> Obligation:
    """A formula about a learned model with the bounds of the bundle's own cover: other boxes may show the same."""
    if obligation.cover is None or cover is None or cover == layout.as_json(obligation.cover):
        return obligation
    try:
        theirs = bounded(obligation, layout.read_json(obligation.cover_file, cover))
    except BundleError:  # which is noted where the cover is checked
        return obligation
    found.scripts[obligation.file] = theirs.script(found.recorded.about)
    return theirs


def _cover(found: Examination, data: bytes, obligation: Obligation, examined: ExaminedMoment, means: Means) -> None:
    """Check the boxes of a cover one by one."""
    name, learned = obligation.cover_file, examined.engine.learned
    if obligation.cover is not None and data == layout.as_json(obligation.cover):
        found.note(name, CheckOutcome.CONFIRMED, "it is the cover that was checked here, letter for letter")
    elif learned is not None and (obligation.cover is not None or obligation.by_search):
        found.try_out(
            name,
            lambda: model_covers.recheck(
                layout.read_json(name, data),
                obligation.claim,
                obligation.numbers,
                learned.model,
                Budget(means.seconds),
            ),
            BOUNDED,
        )
    else:
        boxed = "in each of its boxes some condition holds nowhere, and they cover all"
        found.try_out(name, lambda: covers.recheck(layout.read_json(name, data), obligation.terms), boxed)


def _same_json(found: Examination, name: str, expected: dict[str, Any], data: bytes | None) -> None:
    """Note whether a file agrees with the record; the replay may differ from machine to machine."""
    if data is None:
        found.note(name, CheckOutcome.CONTRADICTED, "it is missing")
        return
    given = layout.read_json(name, data)
    same = given.keys() == expected.keys() and all(given[key] == expected[key] for key in expected.keys() - {"replay"})
    found.expect(name, same, "it says what the record says", "it does not say what the record says")


def _formula(
    found: Examination, obligation: Obligation, data: bytes | None, means: Means, scripts: ScriptSolver
) -> CheckOutcome:
    """Note whether a formula in the bundle says the same as the one derived here; confirmed is returned if it is equal.

    Two explorations may differ in infeasible paths: one solver had the time to exclude them, the other had not.
    """
    about, text = f"{obligation.file} in the bundle", found.scripts[obligation.file]
    given = None if data is None else data.decode("utf-8", "replace")
    if given == text:
        found.note(about, CheckOutcome.CONFIRMED, "it is the formula derived here, letter for letter")
        return CheckOutcome.CONFIRMED
    if given is None:
        outcome, words = CheckOutcome.CONTRADICTED, "it is missing"
    elif _without_comments(given) == _without_comments(text):
        outcome, words = CheckOutcome.CONTRADICTED, "its words are not those that belong to its formula"
    else:
        outcome, words = _equivalent(given, obligation, found, means, scripts)
    found.note(about, outcome, words)
    return CheckOutcome.OPEN if outcome is CheckOutcome.CONFIRMED else outcome


def _without_comments(text: str) -> list[str]:
    return [line for line in text.splitlines() if not line.startswith(";")]


def _equivalent(
    given: str, obligation: Obligation, found: Examination, means: Means, scripts: ScriptSolver
) -> tuple[CheckOutcome, str]:
    """Whether another formula is equivalent to the one derived here, assertion by assertion.

    As wholes, all unsatisfiable formulas are equivalent: one that asserts `false` would pass for any proof. Only the
    paths are compared as a whole, within the family.
    """
    assert found.derivation is not None
    try:
        theirs, ours = read(given, source="the bundle").assertions, list(obligation.terms)
        if f"(set-info :status {obligation.expected})" not in given.splitlines():
            return CheckOutcome.CONTRADICTED, "it expects another answer than the formula derived here"
        if obligation.premises:
            return _beside_premises(theirs, obligation, means, scripts)
        together = obligation.family + obligation.given if obligation.name == PATHS else len(ours)
        if len(theirs) < together or (obligation.name != PATHS and len(theirs) != together):
            if found.derivation.summary.approximations:
                return CheckOutcome.OPEN, _OTHER_FACTS
            words = f"it has {len(theirs)} assertions, the formula derived here has {len(ours)}"
            return CheckOutcome.CONTRADICTED, words
        pairs = zip(theirs[:together], ours[:together], strict=True)
        different = [build.xor(one, other) for one, other in pairs]
        rest = build.xor(build.all_of(theirs[together:]), build.all_of(ours[together:]))
        different.append(build.and_(*ours[: obligation.family], rest))
        return _differ(different, means, scripts)
    except LimitError as error:  # it says nothing about the formula
        return CheckOutcome.OPEN, error.cause
    except SoidError as error:
        return CheckOutcome.CONTRADICTED, f"it is no formula: {error.cause}"


def _beside_premises(
    theirs: Sequence[Term], obligation: Obligation, means: Means, scripts: ScriptSolver
) -> tuple[CheckOutcome, str]:
    """The same for a formula that begins with facts about library functions.

    Which facts suffice depends on the models that a solver happened to give, so other facts contradict nothing. They
    confirm nothing either: that they are facts is not checked.
    """
    ours = obligation.terms[obligation.premises :]
    if len(theirs) < len(ours):
        return (
            CheckOutcome.CONTRADICTED,
            f"it has {len(theirs)} assertions, the formula derived here at least {len(ours)}",
        )
    pairs = zip(theirs[len(theirs) - len(ours) :], ours, strict=True)
    outcome, words = _differ([build.xor(one, other) for one, other in pairs], means, scripts)
    return (CheckOutcome.OPEN, _OTHER_FACTS) if outcome is CheckOutcome.CONFIRMED else (outcome, words)


def _differ(different: Sequence[Term], means: Means, scripts: ScriptSolver) -> tuple[CheckOutcome, str]:
    """What follows if one of these is possible, and if none is."""
    found_out = scripts.check(script([build.any_of(different)]), means.seconds, means.cancel)
    same = "the same as the formula derived here"
    if found_out.answer == "unsat":
        return CheckOutcome.CONFIRMED, f"it says {same} ({found_out.solver})"
    if found_out.answer == "sat":
        return CheckOutcome.CONTRADICTED, f"it does not say {same} ({found_out.solver})"
    return CheckOutcome.OPEN, f"whether it says {same} is not settled: {found_out.detail}"
