"""Columns that a manifest maps and a log does not have: under which other name it may have them.

>>> renamed(["alt_ft", "hdop"], ["alt_feet", "dop_h", "note"])
{'alt_ft': 'alt_feet', 'hdop': 'dop_h'}
>>> renamed(["alt_ft"], ["hoehe"]), renamed(["alt_ft"], ["hoehe", "note"])
({'alt_ft': 'hoehe'}, {})
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from difflib import SequenceMatcher
from typing import Final

from soid.scenario.log_formats import quoted

_NEAR: Final = 0.6  # of all characters, at least so many are the same


def renamed(lost: Sequence[str], unknown: Sequence[str]) -> dict[str, str]:
    """For each lost column the unknown one that is nearest to it, if one is near or there is no other."""
    if len(lost) == len(unknown) == 1:
        return {lost[0]: unknown[0]}
    pairs = sorted(((_likeness(old, new), old, new) for old in lost for new in unknown), reverse=True)
    found: dict[str, str] = {}
    for likeness, old, new in pairs:
        if likeness >= _NEAR and old not in found and new not in found.values():
            found[old] = new
    return found


def _likeness(one: str, other: str) -> float:
    """How alike two names are, from 0 to 1, whatever the order of their words and their capitals."""
    plain = [re.findall(r"[a-z]+|\d+", each.lower()) for each in (one, other)]
    pairs = [["".join(order(words)) for words in plain] for order in (list, sorted)]
    return max(SequenceMatcher(None, a, b).ratio() for a, b in pairs)


def told(lost: Mapping[str, Sequence[str]], unknown: Sequence[str]) -> tuple[str, str]:
    """That mapped columns are missing, and what to do; `lost` has the variables that each is mapped to."""
    names = " and ".join(f"no column {quoted(each)}" for each in lost)
    problem = f"there is {names}, which [trace.columns] names"
    likely = renamed(list(lost), unknown)
    proposals = [
        f'if {quoted(new)} is what {quoted(old)} was: [trace.columns] "{variable}" with column = "{quoted(new)}"'
        for old, new in likely.items()
        for variable in lost[old]
    ]
    others = ", ".join(quoted(each) for each in unknown if each not in likely.values())
    columns = f"No variables of the program are: {others}; [trace] ignore leaves columns out." if others else ""
    proposed = "; ".join(proposals)
    return problem, " ".join(filter(None, (f"{proposed[:1].upper()}{proposed[1:]}." if proposed else "", columns)))
