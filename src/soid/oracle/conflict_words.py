"""Why a family has no scenario, as clauses: what is supposed in words, instead of its text.

>>> from soid.program.interface import Role, Variable
>>> from soid.program.types import BoolType
>>> interface = Interface((Variable("lamp.lit", Role.ENVIRONMENT, BoolType(), label="the lamp"),))
>>> conflict(VerdictReason(ReasonCode.CONFLICT, ("", "lamp.lit == true", "lamp.lit ranges over: false")), interface)
'these exclude each other: that the lamp is true, and that the lamp ranges over: false'
"""

from __future__ import annotations

from typing import Final

from soid.errors import SoidError
from soid.oracle.reason import ReasonCode, VerdictReason
from soid.program.interface import Interface
from soid.query.language.query_parser import parse
from soid.query.words import Words, listed

_SAID: Final = {
    ReasonCode.FACT_EXCLUDED: "nothing may differ, and in fact it is not so",
    ReasonCode.ONLY_THE_FACT: "only in the fact itself is it so",
    ReasonCode.UNSATISFIABLE: "in no scenario is it so",
    ReasonCode.CONFLICT: "these exclude each other:",
}


def conflict(why: VerdictReason, interface: Interface) -> str:
    """What cannot be together, as a clause; empty for any other reason, and for one of an older record."""
    said, (_, *labels) = _SAID.get(why.code, ""), why.told or ("",)
    return f"{said} {', and '.join(f'that {_told(each, interface)}' for each in labels)}" if said and labels else ""


def _told(label: str, interface: Interface) -> str:
    """One of the suppositions, or the range of a variable."""
    words = Words(interface)
    try:
        supposed = parse(f"would decides if {label}", interface).suppositions
    except SoidError:  # a range is no supposition of the language
        return words.spoken(label)
    return listed(words.clause(each) or words.spoken(label) for each in supposed)
