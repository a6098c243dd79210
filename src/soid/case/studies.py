"""Studies: how one is made for a case, what its entry keeps, and how it is read from there and said in a sentence."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, Final, assert_never, final

from msgspec import Struct, ValidationError, convert
from msgspec.structs import replace

from soid.budget import Cancellation
from soid.case import validity
from soid.case.project import Project
from soid.case.record.entry import Entry, EntryKind
from soid.case.record.study_request import CausesRequest, ExplanationRequest, MapRequest, Request, request_of
from soid.documents import json_of
from soid.errors import CaseError
from soid.explanation.causes import SIZE, ActualCauses, CausesDocument
from soid.explanation.counterfactuals import MatteredDocument, wherever
from soid.explanation.document_words import clauses, outcome, supposed
from soid.explanation.explainer import OTHERS, Explanation, ExplanationDocument
from soid.explanation.proof_needs import ProofDocument
from soid.mapping import map_words
from soid.mapping.decision_map import DecisionMap, MapDocument, read_map
from soid.mapping.partition import Fineness
from soid.oracle.answer import Verdict
from soid.oracle.inquiry import QuestionProgress
from soid.program.interface import Interface
from soid.query.language.query_parser import parse
from soid.query.language.query_printer import to_text
from soid.query.words import Words, listed

#: what a study gives
Studied = ActualCauses | DecisionMap | Explanation
StudyDocument = CausesDocument | MapDocument | ExplanationDocument

_DOCUMENTS: Final = {CausesRequest: CausesDocument, MapRequest: MapDocument, ExplanationRequest: ExplanationDocument}


@final
class StoredStudy(Struct, frozen=True):
    """A study as its entry has it."""

    wanted: Request
    result: StudyDocument
    statement: str


def made(
    wanted: Request, project: Project, cancel: Cancellation, progress: Callable[[QuestionProgress], None]
) -> Studied:
    """Make a study at a moment."""
    match wanted:
        case CausesRequest(question, hold, size, agents):
            return project.causes(question, hold=hold, size=size, agents=agents, cancel=cancel, progress=progress)
        case MapRequest(over, by, resolution):
            fine = Fineness(resolution=resolution)
            return project.map(over, by=by, fineness=fine, cancel=cancel, progress=progress)
        case ExplanationRequest(question=question, others=others):
            return project.explain(question, others=others, cancel=cancel, progress=progress)
        case _:
            assert_never(wanted)


def causes_wanted(
    project: Project,
    question: str,
    over: str,
    *,
    hold: Sequence[tuple[str, int]] = (),
    size: int | None = None,
    agents: Mapping[str, Sequence[str]] | None = None,
) -> CausesRequest:
    """The request for the causes of what happened: a `did` with what may differ, or a `would` by itself."""
    put = to_text(project.causing(question, over).query)
    owned = {agent: tuple(names) for agent, names in (agents or {}).items()}
    return CausesRequest(put, tuple(hold), SIZE if size is None else size, owned)


def explanation_wanted(explained: Entry, others: int | None = None) -> ExplanationRequest:
    """The request to explain an answer of the record."""
    if explained.kind is not EntryKind.ANSWERED or explained.question is None:
        raise CaseError(f"entry {explained.number} is no answer", validity.LISTED)
    return ExplanationRequest(explained.number, explained.question, OTHERS if others is None else others)


def kept(
    wanted: Request, found: Studied, interface: Interface, recorded: Callable[[int], Verdict | None]
) -> dict[str, Any]:
    """What an entry keeps of a study; CaseError if it explains another answer than the one on the record."""
    if isinstance(found, Explanation) and isinstance(wanted, ExplanationRequest):
        before, now = recorded(wanted.entry), found.answer.verdict
        if before is not now:
            was = "no answer" if before is None else before.value
            cause = f"entry {wanted.entry} says {was}, and asked again just now it is {now.value}"
            raise CaseError(cause, "Ask the question again, and explain that answer.")
        found = replace(
            found, hindrance=None
        )  # that is about other questions: put on the record as such it is evidence
    result = json_of(found.document)
    return {"wanted": wanted.document, "result": result, "statement": stated(wanted, result, interface)}


def recall(entry: Entry) -> StoredStudy:
    """The study of an entry; CaseError if it does not hold one as soid writes it."""
    try:
        wanted = request_of(entry.payload["wanted"])
        result: StudyDocument = convert(entry.payload["result"], _DOCUMENTS[type(wanted)])
    except (ValidationError, KeyError) as error:
        raise CaseError(
            f"entry {entry.number} does not hold a study as soid writes it: {error}",
            "It was not made by soid: do not trust it.",
        ) from None
    return StoredStudy(wanted, result, entry.payload["statement"])


def stated(wanted: Request, result: Mapping[str, Any], interface: Interface) -> str:
    """What a study has found, in sentences; it follows from the request and the result alone."""
    match wanted:
        case CausesRequest(question):
            return causes_told(question, convert(result, CausesDocument), interface)
        case MapRequest():
            return _of_map(read_map(result, interface), interface)
        case ExplanationRequest():
            return explanation_told(convert(result, ExplanationDocument), interface)
        case _:
            assert_never(wanted)


def causes_told(question: str, found: CausesDocument, interface: Interface) -> str:
    """What the causes are, in sentences."""
    return " ".join(_of_causes(question, found, interface))


def _of_causes(question: str, found: CausesDocument, interface: Interface) -> Iterator[str]:
    words, query = Words(interface), parse(question, interface)
    did = words.did(query, occurs=found.happened is True, decided=False)
    among = listed(words.called(path) for path in sorted(found.responsibility))
    if found.happened is None:
        yield f"What happened at step {found.step} is not settled: {'; '.join(found.unsettled)}."
        return
    yield f"At step {found.step} {did}" + ("." if found.happened else ": what did not happen has no cause.")
    if not found.happened:
        return
    named = [_cause([words.called(path) for path in each.variables], each.held, interface) for each in found.causes]
    if named:
        yield f"Its actual causes are {'; '.join(named)}." if len(named) > 1 else f"Its actual cause is {named[0]}."
    if open_ := [each for each in found.causes if not each.minimal]:
        yield f"Of {len(open_)} of these it is not settled whether a part is enough."
    if shares := [f"{agent} {degree:.3g}" for agent, degree in sorted(found.shares.items()) if degree is not None]:
        yield f"Degrees of responsibility: {', '.join(shares)}."
    if found.complete:
        yield f"There are no others among {among}: proved." if named else f"None of {among} is a cause of it: proved."
    elif found.more:
        yield f"There are more among {among}."
    else:
        yield f"Whether there are {'others' if named else 'any'} among {among} is not settled."


def _cause(names: Sequence[str], held: Sequence[str], interface: Interface) -> str:
    together = f"{listed(names)} together" if len(names) > 1 else names[0]
    return f"{together} (while {listed(clauses(held, interface))}, as it was)" if held else together


def _of_map(found: DecisionMap, interface: Interface) -> str:
    along = listed(map_words.axis_name(axis) for axis in found.axes)
    regions = [f"{each.label.words} ({map_words.region_share(found, each)})" for each in found.regions]
    told = f"Along {along}, {found.supposed}: {'; '.join(regions)}. " if regions else ""
    return f"{told}{map_words.settled_text(found)}"


def explanation_told(found: ExplanationDocument, interface: Interface) -> str:
    """What an explanation says, in sentences."""
    return " ".join(_of_explanation(found, interface))


def _of_explanation(found: ExplanationDocument, interface: Interface) -> Iterator[str]:
    words, query = Words(interface), parse(found.answer.text, interface)
    yield f"At step {found.answer.step}: “{words.sentence(query)}” {found.answer.verdict.value.capitalize()}."
    if found.mattered is not None:
        yield from _of_changes(found.mattered, words, outcome(found.mattered.happens, query, interface))
    if found.proof is not None:
        yield from _of_proof(found.proof, words, interface)
    if found.unsettled:
        yield f"Not settled: {'; '.join(found.unsettled)}."


def _of_changes(found: MatteredDocument, words: Words, happens: str) -> Iterator[str]:
    sets = [[words.called(path) for path in each.variables] for each in found.sets]
    for names, each in zip(sets, found.sets, strict=True):
        fewest = ", and fewer are not: proved" if each.smallest and len(names) > 1 else ""
        together = f"changes of {listed(names)} together are enough"
        enough = together if len(names) > 1 else f"a change of {names[0]} is enough"
        yield f"For the outcome that {happens}, {enough}{fewest}."
    if found.complete and sets:
        yield wherever(happens, sets)


def _of_proof(found: ProofDocument, words: Words, interface: Interface) -> Iterator[str]:
    for needed, told in ((True, "The proof needs"), (False, "It does not need")):
        if named := [each.supposition for each in found.suppositions if each.needed is needed]:
            yield f"{told} {listed(f'“{supposed(each, interface)}”' for each in named)}."
    if free := [words.called(each.variable) for each in found.variables if each.irrelevant]:
        each = ", each by itself" if len(free) > 1 and not found.irrelevant_together else ""
        yield f"Whatever {listed(free)} had been{each}, the answer is the same: proved."
