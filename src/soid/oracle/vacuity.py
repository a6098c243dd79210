"""Is there any scenario to ask about? A `would` over an empty family is never a yes."""

from __future__ import annotations

from typing import assert_never

from soid.formula.checker import Impossible, Open, Possible
from soid.formula.term import Term
from soid.oracle.answer import Verdict
from soid.oracle.finding import Finding
from soid.oracle.inquiry import Inquiry
from soid.scenario.family import Family

_PUNCTURE = "a scenario that is not the fact itself"


def inhabited(family: Family, asking: Inquiry) -> Possible | Finding:
    """A scenario of the family; where there is none, the finding that says why."""
    if not family.freed:
        return Finding(Verdict.VACUOUS, _nothing_varies(family))
    answer = asking.check(family.scenarios)
    match answer:
        case Possible():
            return answer
        case Impossible():
            return Finding(Verdict.VACUOUS, _conflict(family, asking))
        case Open(reason):
            return Finding(Verdict.UNKNOWN, f"whether the family has any scenario is not settled: {reason}")
        case _:
            assert_never(answer)


def _nothing_varies(family: Family) -> str:
    """Why a family without a variable that varies has no scenario."""
    if family.conjuncts:  # constants, and false ones: what is true excludes nothing, and is no conjunct
        return f"nothing may differ, and the fact does not satisfy: {family.conjuncts[0].label}"
    why = "everything that is mentioned is kept" if family.suppositions else "nothing was supposed"
    return f"{why}: the only scenario is the fact, which a counterfactual question leaves out"


def _conflict(family: Family, asking: Inquiry) -> str:
    """A smallest set of suppositions that no scenario satisfies together, in the words that they were put in."""
    needed: list[tuple[str, Term]] = [(_PUNCTURE, family.puncture)]  # first to go: what was said explains more
    needed += [(conjunct.label, conjunct.term) for conjunct in family.conjuncts]
    for candidate in list(needed):
        rest = [item for item in needed if item is not candidate]
        if isinstance(asking.check([term for _, term in rest]), Impossible):
            needed = rest
    labels = [label for label, _ in needed]
    if _PUNCTURE in labels:
        others = [label for label in labels if label != _PUNCTURE]
        return f"only the fact itself satisfies: {'; '.join(others)}"
    if len(labels) == 1:
        return f"no scenario satisfies: {labels[0]}"
    return f"these exclude each other: {'; '.join(labels)}"
