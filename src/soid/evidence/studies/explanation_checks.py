"""An explanation on a record, examined anew. The answer that it explains is a fact of its own.

changes-1            its scenario is run: just these variables differ, and the outcome is as told
changes-1.fewer      with fewer changes it is nowhere so, apart from sets that contain one told before
no-others            it is nowhere so where no set told changes as a whole
changes-1.flip-x     both ends of a flip are run; nowhere on the fact's side of it is it so already
need-1               without a supposition the question has another answer, which its scenario shows, or the same
irrelevant-x         wherever x is moved, the behavior stays the same
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final

from msgspec import convert
from msgspec.structs import replace

from soid.case.record.study_request import ExplanationRequest
from soid.documents import json_of
from soid.evidence.checks import CheckOutcome
from soid.evidence.derivation import ExaminedMoment, Means
from soid.evidence.obligations import Obligation
from soid.evidence.studies.ground import Ran, StudyGround, bits_of, covered, excluded, replayed, shown
from soid.evidence.studies.study_checks import StudyExamination
from soid.explanation.change_sets import at_most
from soid.explanation.counterfactuals import CounterfactualDocument, MatteredDocument
from soid.explanation.divergence import PartingDocument
from soid.explanation.explainer import ExplanationDocument
from soid.explanation.flips import FlipDocument
from soid.explanation.proof_needs import ProofDocument, RelevanceDocument, anywhere
from soid.explanation.refusal import refusal
from soid.explanation.study import IN_WORDS, OCCURS, UNEXPLORED
from soid.explanation.supposition_needs import NeedDocument, without
from soid.formula import build
from soid.formula.build import FALSE
from soid.formula.checker import Impossible, Open, Possible
from soid.formula.term import Term
from soid.oracle.answer import Verdict
from soid.program.types import from_python
from soid.query.language.query_parser import parse_checked
from soid.query.language.query_printer import to_text
from soid.query.query import Query, QueryKind
from soid.scenario.supposition import Supposition, supposition_text

_OUTCOMES: Final = {words: outcome for outcome, words in IN_WORDS.items()}


def examine_explanation(
    found: StudyExamination, wanted: ExplanationRequest, query: Query, examined: ExaminedMoment, means: Means
) -> None:
    result = convert(found.recorded.result, ExplanationDocument)
    answered, here = found.recorded.explained or {}, (wanted.question, found.recorded.log, found.recorded.step)
    same = (answered.get("question"), answered.get("log"), answered.get("step")) == here
    given = answered.get("answer", {}).get("verdict") == result.answer.verdict.value
    asked = same and given and (result.answer.text, result.answer.step) == (wanted.question, found.recorded.step)
    shown_there = {name: answered.get("answer", {}).get(name) for name in ("witness", "changed")}
    asked = asked and shown_there == {name: found.recorded.result["answer"][name] for name in shown_there}
    found.expect("the question", asked, "it explains the answer on the record", "it explains something else")
    if (why := refusal(query, examined.keyframe)) is not None:
        raise why
    ground = StudyGround.of(examined, query, found.recorded.window, means)
    found.explored(ground.derivation)
    if ground.family.assumed:
        found.note("the explanation", CheckOutcome.OPEN, "not rechecked: it is for every value of what is not known")
        return
    proof = (query.kind is QueryKind.WOULD) is (result.answer.verdict is Verdict.YES)
    kind = result.mattered is None if proof or query.kind is QueryKind.DID else result.proof is None
    found.expect("what is explained", kind, "as the answer is", "the answer is another one")
    if result.mattered is not None:
        _changes(found, result.mattered, result.parting, ground, means)
    if result.proof is not None:
        _proof(found, result.proof, ground, means)


def _where(happens: str, ground: StudyGround) -> Term:
    return ground.encoding.shows if happens == OCCURS else ground.encoding.refutes[happens]


def _changes(
    found: StudyExamination, told: MatteredDocument, parted: PartingDocument | None, ground: StudyGround, means: Means
) -> None:
    happens = _OUTCOMES.get(told.happens, "")
    if happens not in (OCCURS, *ground.encoding.refutes):
        found.note("the outcome", CheckOutcome.CONTRADICTED, f"`{told.happens}` is no outcome that can be shown")
        return
    where, before = _where(happens, ground), list[Term]()
    shown_first: Ran | None = None
    for number, each in enumerate(told.sets, start=1):
        name = f"changes-{number}"
        ran = _set(found, name, each, happens, ground, means)
        shown_first = ran if number == 1 else shown_first
        if each.smallest:
            kept = [ground.as_in_fact(variable.path) for variable in ground.family.varying]
            fewer = at_most(len(each.variables) - 1, kept)
            words = f"with fewer than {len(each.variables)} changes the program nowhere {told.happens}"
            excluded(found, f"{name}.fewer", words, where, [*before, fewer], ground, means)
        before.append(build.any_of(ground.as_in_fact(path) for path in each.variables))
    if parted is not None and shown_first is not None:
        freed = list(ground.family.freed)
        fact = ground.run_of(ground.course.fact, means, ground.course.returning(freed))
        _parted(found, "where the ways part", parted, fact, shown_first, ground, means)
    if told.complete:
        words = f"the program {told.happens} nowhere but where one of these sets changes as a whole"
        excluded(found, "no-others", words, where, before, ground, means)


def _set(
    found: StudyExamination, name: str, told: CounterfactualDocument, happens: str, ground: StudyGround, means: Means
) -> Ran | None:
    ran = shown(found, name, told.scenario, happens, ground, means)
    if ran is None:
        return None
    changed = [each.document for each in ran.witness.changed]
    same = tuple(each.variable for each in changed) == told.variables
    same = same and [json_of(each) for each in changed] == [json_of(each) for each in told.changed]
    found.expect(f"{name}: what differs", same, "just these variables", "not just these variables, or not so")
    for flip in told.flips:
        _flip(found, f"{name}.flip-{flip.variable}", flip, ran.witness.inputs, happens, ground, means)
    return ran


def _flip(
    found: StudyExamination,
    name: str,
    told: FlipDocument,
    scenario: Mapping[str, int],
    happens: str,
    ground: StudyGround,
    means: Means,
) -> None:
    """Both ends are run; that the outcome begins nowhere nearer to the fact is proved."""
    variable = ground.course.interface.variable(told.variable)
    if told.as_logged or told.taken or told.last is None or told.open_between:
        found.note(name, CheckOutcome.OPEN, "not rechecked: its ends are no two values")
        return
    places, ends = [], []
    for end, outcome in ((told.last, told.happens_at_last), (told.first, told.happens_at_first)):
        bits = from_python(variable.type, end)
        ran = ground.run_of({**scenario, variable.path: bits}, means)
        as_told = IN_WORDS[ran.happens] == outcome and (outcome == IN_WORDS[happens]) is (end is told.first)
        if ran.happens == UNEXPLORED:
            found.note(name, CheckOutcome.OPEN, f"at {end} it was left {ran.witness.ending}")
            return
        found.expect(name, as_told, f"at {end} the program {outcome}", f"at {end} it {IN_WORDS[ran.happens]}")
        replayed(found, f"{name} at {end}", ran, ground, means)
        places.append(variable.order.place_of(bits))
        ends.append(ran)
    last, first = places
    _parted(found, f"{name}: where the ways part", told.parting, ends[0], ends[1], ground, means)
    if told.neighbours:
        beside = abs(last - first) == 1
        found.expect(name, beside, "no value lies between them", "there are values between them")
    if told.nearest and variable.path in ground.family.freed:
        _nearest(found, name, told, scenario, happens, last, ground, means)


def _parted(
    found: StudyExamination,
    about: str,
    told: PartingDocument,
    one: Ran,
    other: Ran,
    ground: StudyGround,
    means: Means,
) -> None:
    same = ground.parted(one, other, means) == json_of(told)
    found.expect(about, same, "as the record has it", "the record has another place")


def _nearest(
    found: StudyExamination,
    name: str,
    told: FlipDocument,
    scenario: Mapping[str, int],
    happens: str,
    last: int,
    ground: StudyGround,
    means: Means,
) -> None:
    """The states between the fact and the last value need not be scenarios: they are explored by themselves."""
    variable = ground.course.interface.variable(told.variable)
    fact = variable.order.place_of(ground.course.fact[variable.path])
    line = variable.between(min(fact, last), max(fact, last))
    where = ground.along({path: bits for path, bits in scenario.items() if path != variable.path}, line, means)
    approximations = where.summary.approximations
    words = f"from what {told.variable} was up to {told.last} the program nowhere {IN_WORDS[happens]}"
    outcome = where.encoding.shows if happens == OCCURS else where.encoding.refutes[happens]
    outcome = build.or_(outcome, build.not_(covered(where.summary)))
    found.prove(Obligation(f"{name}.nearest", words, "unsat", (line, outcome), numbers=approximations), means)
    if where.encoding.unexplored is not FALSE:
        terms = (line, where.encoding.unexplored)
        open_ = Obligation(f"{name}.open", f"{words}, nothing left open", "unsat", terms, numbers=approximations)
        found.prove(open_, means, soft=True)


# --- what a proof needed --------------------------------------------------------------------------------------


def _proof(found: StudyExamination, told: ProofDocument, ground: StudyGround, means: Means) -> None:
    would = ground.query.kind is QueryKind.WOULD
    broken = ground.not_occurring if would else ground.encoding.shows
    dropped: list[Supposition] = []
    by_text = {supposition_text(each): each for each in ground.query.suppositions}
    for number, need in enumerate(told.suppositions, start=1):
        supposition = by_text.get(need.supposition)
        if supposition is None:
            found.note(f"need-{number}", CheckOutcome.CONTRADICTED, f"`{need.supposition}` is not supposed")
            continue
        _need(found, f"need-{number}", need, [*dropped, supposition], ground, means)
        if need.needed is False:
            dropped.append(supposition)
    loose = [each.variable for each in told.variables if each.irrelevant]
    for each in told.variables:
        _relevance(found, each, broken, ground, means)
    if told.irrelevant_together and len(loose) > 1:
        _irrelevant(found, "irrelevant-together", loose, broken, ground, means)


def _need(
    found: StudyExamination,
    name: str,
    told: NeedDocument,
    dropped: Sequence[Supposition],
    ground: StudyGround,
    means: Means,
) -> None:
    """The question without a supposition, and without those before it that are not needed, has the told answer."""
    left = without(ground.query, ground.course.interface, ground.family, dropped)
    query = replace(ground.query, suppositions=left)
    found.expect(f"{name}: the question", to_text(query) == told.question, told.question, "it is another question")
    if told.needed is None:
        return
    interface = ground.examined.keyframe.interface
    meant = parse_checked(to_text(query), interface, ground.examined.keyframe.trace).query
    there = StudyGround.of(ground.examined, ground.examined.query(meant), ground.window, means)
    would = query.kind is QueryKind.WOULD
    if not told.needed:
        broken = there.not_occurring if would else there.encoding.shows
        excluded(found, name, f"{told.question}: the same answer", broken, [], there, means)
        return
    if told.scenario is None:
        found.note(name, CheckOutcome.CONTRADICTED, "no scenario shows that it is needed")
        return
    inputs = bits_of(told.scenario.inputs, there)
    is_fact = inputs == dict(there.course.fact)
    found.expect(f"{name}: the scenario", is_fact or there.family.contains(inputs), "it is one", "it is none")
    ran = there.run_of(inputs, means)
    if ran.happens == UNEXPLORED:
        found.note(name, CheckOutcome.OPEN, f"its scenario was left {ran.witness.ending}")
        return
    breaks = (ran.happens == OCCURS) is not would
    found.expect(name, breaks, f"there the program {IN_WORDS[ran.happens]}", f"there it {IN_WORDS[ran.happens]}")
    replayed(found, name, ran, there, means)


def _relevance(
    found: StudyExamination, told: RelevanceDocument, broken: Term, ground: StudyGround, means: Means
) -> None:
    name = f"irrelevant-{told.variable}"
    if told.variable not in ground.family.freed:
        found.note(name, CheckOutcome.CONTRADICTED, f"{told.variable} does not vary")
    elif told.irrelevant:
        _irrelevant(found, name, [told.variable], broken, ground, means)
    elif told.irrelevant is False:
        _matters(found, f"matters-{told.variable}", told, ground, means)


def _matters(found: StudyExamination, name: str, told: RelevanceDocument, ground: StudyGround, means: Means) -> None:
    """Its scenario is one of the family but for this variable, and there the answer is another one."""
    if told.scenario is None:
        found.note(name, CheckOutcome.CONTRADICTED, "no scenario shows that it matters")
        return
    inputs, variable = bits_of(told.scenario.inputs, ground), ground.course.interface.variable(told.variable)
    ran = ground.run_of(inputs, means)
    if ran.happens == UNEXPLORED:
        found.note(name, CheckOutcome.OPEN, f"its scenario was left {ran.witness.ending}")
        return
    breaks = (ran.happens == OCCURS) is (ground.query.kind is QueryKind.MIGHT)
    found.expect(name, breaks, f"there the program {IN_WORDS[ran.happens]}", f"there it {IN_WORDS[ran.happens]}")
    pins = [ground.course.interface.variable(path).equals(inputs[path]) for path in ground.family.freed]
    fixed = all(inputs[path] == bits for path, bits in ground.family.fixed.items())
    near = means.check([*anywhere([variable], ground.family), *pins]) if fixed else Impossible()
    if isinstance(near, Open):
        found.note(f"{name}: the scenario", CheckOutcome.OPEN, near.reason)
    else:
        words = f"it is not one but for {told.variable}"
        found.expect(f"{name}: the scenario", isinstance(near, Possible), f"one but for {told.variable}", words)
    replayed(found, name, ran, ground, means)


def _irrelevant(
    found: StudyExamination, name: str, paths: Sequence[str], broken: Term, ground: StudyGround, means: Means
) -> None:
    """Wherever these are moved, in their domains or to the fact, the behavior stays the same."""
    loose = [ground.course.interface.variable(path) for path in paths]
    there = ground.moved(loose, means)
    outcome = there.not_occurring if ground.query.kind is QueryKind.WOULD else there.encoding.shows
    outcome = build.or_(outcome, build.not_(covered(there.summary)))
    within = tuple(anywhere(loose, ground.family))
    words = f"whatever {', '.join(paths)} had been, the answer is the same"
    numbers = there.summary.approximations
    found.prove(Obligation(name, words, "unsat", (*within, outcome), numbers=numbers), means)
    if there.encoding.unexplored is not FALSE:
        open_ = Obligation(f"{name}.open", f"{words}: nothing left open", "unsat", (*within, there.encoding.unexplored))
        found.prove(replace(open_, numbers=numbers), means, soft=True)
