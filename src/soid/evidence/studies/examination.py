"""The examination of a study: what it claims is derived from its request and its result, and then proved and run anew.

`soid bundle` examines each study before it goes in, and `soid verify` again, with other solvers.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import assert_never

from msgspec import MsgspecError

from soid.case.record.entry import Entry, EntryKind
from soid.case.record.study_request import CausesRequest, ExplanationRequest, MapRequest, request_of
from soid.case.studies import stated
from soid.case.validity import studies
from soid.errors import CalledOff, LimitError, SoidError
from soid.evidence.bundled_record import MISSHAPEN, accepts
from soid.evidence.checks import CheckOutcome
from soid.evidence.derivation import ExaminedMoment, Means
from soid.evidence.studies.cause_checks import examine_causes
from soid.evidence.studies.explanation_checks import examine_explanation
from soid.evidence.studies.map_checks import examine_map
from soid.evidence.studies.study_checks import BundledStudy, StudyExamination
from soid.query.language.query_parser import parse_checked
from soid.query.query import Query
from soid.scenario.future import usual_future
from soid.solver.script_solver import ScriptSolver


def read_studies(entries: Sequence[Entry]) -> tuple[BundledStudy, ...]:
    """The studies of the record that count, in order."""
    return tuple(_recorded(entries, entry) for entry in studies(entries))


def _recorded(entries: Sequence[Entry], entry: Entry) -> BundledStudy:
    payload = entry.payload
    accepted = payload["accepted"]
    return BundledStudy(
        number=entry.number,
        wanted=request_of(payload["wanted"]),
        log=payload["log"],
        step=payload["step"],
        result=payload["result"],
        statement=payload["statement"],
        window=payload["settings"]["window"],
        accepted=accepted is not None and accepts(entries[accepted - 1], payload),
        explained=_explained(entries, entry),
    )


def _explained(entries: Sequence[Entry], entry: Entry) -> Mapping[str, object] | None:
    """Of an explanation: the payload of the answer that it explains."""
    number = entry.payload["wanted"].get("entry")
    if number is None or entries[number - 1].kind is not EntryKind.ANSWERED:
        return None
    payload: Mapping[str, object] = entries[number - 1].payload
    return payload


def examine_study(
    recorded: BundledStudy,
    examined: ExaminedMoment,
    means: Means,
    scripts: ScriptSolver,
    asked: Mapping[str, str] | None = None,
) -> StudyExamination:
    """Check one study in every way; `asked` has the solver of each formula, which is not asked about it again."""
    found = StudyExamination(recorded=recorded, scripts=scripts, engine=examined.engine, asked=dict(asked or {}))
    try:
        _examine(found, examined, means)
        told = stated(recorded.wanted, recorded.result, examined.keyframe.interface)
        found.expect_words("the statement", told, recorded.statement, means.maker)
    except CalledOff:
        raise
    except LimitError as error:  # it says nothing about the study
        found.note("the study", CheckOutcome.OPEN, error.cause)
    except (SoidError, MsgspecError, *MISSHAPEN) as error:
        why = error.cause if isinstance(error, SoidError) else f"it is misshapen ({type(error).__name__})"
        found.note("the study", CheckOutcome.CONTRADICTED, f"it says nothing that can be true: {why}")
    return found


def _examine(found: StudyExamination, examined: ExaminedMoment, means: Means) -> None:
    wanted = found.recorded.wanted
    match wanted:
        case CausesRequest(question):
            examine_causes(found, wanted, _query(question, examined), examined, means)
        case MapRequest():
            examine_map(found, wanted, examined, means)
        case ExplanationRequest(question=question):
            examine_explanation(found, wanted, _query(question, examined), examined, means)
        case _:
            assert_never(wanted)


def _query(question: str, examined: ExaminedMoment) -> Query:
    """The question with its number of steps and its future, which need not be written."""
    keyframe = examined.keyframe
    query = examined.query(parse_checked(question, keyframe.interface, keyframe.trace).query)
    return query.going(usual_future(keyframe.interface))
