"""The check that a family has a scenario. A `would` over an empty family is vacuous, never yes."""

from __future__ import annotations

from typing import assert_never

from soid.formula.checker import Impossible, Open, Possible
from soid.formula.term import Term
from soid.oracle.answer import Verdict
from soid.oracle.finding import Finding
from soid.oracle.inquiry import Inquiry
from soid.oracle.reason import ReasonCode, VerdictReason
from soid.program.types import FloatType
from soid.scenario.family import Family
from soid.solver.box_splitter import FEW, at_an_end

_PUNCTURE = "a scenario that is not the fact itself"


def inhabited(family: Family, asking: Inquiry) -> Possible | Finding:
    """A scenario of the family; if there is none, the finding that says why."""
    if not family.freed:
        return Finding(Verdict.VACUOUS, _nothing_varies(family))
    shared = asking.context.shared
    key = family.scenarios, family.puncture, family.conjuncts
    if shared is not None and (known := shared.inhabitants.get(key)) is not None:
        return known
    found = _inhabited(family, asking)
    if shared is not None and not (isinstance(found, Finding) and found.verdict is Verdict.UNKNOWN):
        shared.inhabitants[key] = found  # moments that differ in fixed inputs alone have this question in common
    return found


def _inhabited(family: Family, asking: Inquiry) -> Possible | Finding:
    answer = _at_an_end(family, asking) or asking.check(family.scenarios)
    match answer:
        case Possible():
            return answer
        case Impossible():
            return Finding(Verdict.VACUOUS, _conflict(family, asking))
        case Open(reason, late):
            return Finding(Verdict.UNKNOWN, VerdictReason(ReasonCode.FAMILY_OPEN, (reason,), late))
        case _:
            assert_never(answer)


def _at_an_end(family: Family, asking: Inquiry) -> Possible | None:
    """A scenario at an end of what varies: of floats, and of ranges of many variables, solvers are slow to find one."""
    are_slow = len(family.varying) > FEW.size.variables or any(isinstance(v.type, FloatType) for v in family.varying)
    if not are_slow or not asking.mechanisms.boxes:
        return None
    model = at_an_end(family.scenarios)
    if model is None:
        return None
    asking.settled_by["boxes"] += 1
    return Possible(model)


def _nothing_varies(family: Family) -> VerdictReason:
    if family.conjuncts:  # they are constant, and false: a true supposition makes no conjunct
        return VerdictReason(ReasonCode.FACT_EXCLUDED, (family.conjuncts[0].label,) * 2)
    return VerdictReason(ReasonCode.NOTHING_FREED if family.suppositions else ReasonCode.NOTHING_SUPPOSED)


def _conflict(family: Family, asking: Inquiry) -> VerdictReason:
    """A minimal set of suppositions that no scenario satisfies together, in their own words."""
    needed: list[tuple[str, Term]] = [(_PUNCTURE, family.puncture)]  # dropped first: suppositions explain more
    needed += [(conjunct.label, conjunct.term) for conjunct in family.conjuncts]
    for candidate in list(needed):
        rest = [item for item in needed if item is not candidate]
        if isinstance(asking.check([term for _, term in rest]), Impossible):
            needed = rest
    labels = [label for label, _ in needed]
    if _PUNCTURE in labels:
        others = [label for label in labels if label != _PUNCTURE]
        return VerdictReason(ReasonCode.ONLY_THE_FACT, ("; ".join(others), *others))
    code = ReasonCode.UNSATISFIABLE if len(labels) == 1 else ReasonCode.CONFLICT
    return VerdictReason(code, ("; ".join(labels), *labels))
