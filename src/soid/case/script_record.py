"""What a script puts on the record of a case besides answers: names of moments, and its conclusion."""

from __future__ import annotations

from collections.abc import Mapping

from soid.case.case import Case
from soid.case.script_runner import Ending, ScriptOutcome
from soid.case.validity import as_note
from soid.errors import CaseError
from soid.query.language.script.plan import ScriptPlan


def name_moments(case: Case, plan: ScriptPlan, held: Mapping[str | None, str]) -> None:
    """Name the moments that a script names; `held` has the names in the case of the script's logs."""
    for name, moment in plan.keyframes.items():
        known = case.keyframes.get(name)
        assert moment.step is not None
        if known is None:
            case.keyframe(moment.step, name, log=held[moment.log])
        elif (known.log, known.step) != (held[moment.log], moment.step):
            problem = f"the case calls step {known.step} of {known.log} {name}, and the script another one"
            raise CaseError(problem, "Choose another name in the script.")


def record_conclusion(case: Case, script: str, outcome: ScriptOutcome) -> None:
    """Record a conclusion as a note on the answer that led to it, unless that note exists."""
    if outcome.ending is not Ending.CONCLUDED or outcome.number is None:
        return
    text = as_note(script, outcome.text)
    if all(note.payload["text"] != text for note in case.notes_on(outcome.number)):
        case.conclude(outcome.number, script, outcome.text)
