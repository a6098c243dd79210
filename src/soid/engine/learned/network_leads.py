"""Leads: by how much the number of one class of a network is above that of another.

Bounds on a difference are far better than the difference of bounds, for both numbers come from the same elements. A
lead is a sum of real numbers that is not rounded, so its sign says how the two floats compare. Where a softmax follows,
floats that differ a little may have become equal, or have changed their order: a lead must be above a margin then.
"""

from __future__ import annotations

import itertools
from typing import Final

from msgspec.structs import replace

from soid.engine.learned.model import Greatest, LearnedModel
from soid.engine.learned.network import NetworkSum
from soid.engine.learned.networks.runtime_functions import lead_margin

_MOST: Final = 24  # classes: with more, single numbers are compared


def lead_name(rule: Greatest, first: int, second: int) -> str:
    return f"lead of {rule.numbers[first]} over {rule.numbers[second]}"


def leads_of(model: LearnedModel) -> tuple[NetworkSum, ...]:
    """The leads that the label and the choices of a model need, each once."""
    rules = [] if model.label is None else [model.label.rule]
    rules += [each.choice.rule for each in model.choices]
    found = {each.name: each for rule in rules if isinstance(rule, Greatest) for each in _leads(model, rule)}
    return tuple(found.values())


def _leads(model: LearnedModel, rule: Greatest) -> list[NetworkSum]:
    """The leads of all pairs of classes, the earlier one's over the later one's, if all numbers are of one network."""
    if len(rule.numbers) > _MOST:
        return []
    sums = {each.name: each for each in model.sums}
    numbers = [sums.get(name) for name in rule.numbers]
    plain = [each for each in numbers if isinstance(each, NetworkSum) and not each.rounded]
    if len(plain) < len(numbers) or len({each.network for each in plain}) != 1:
        return []
    found = []
    for (first, one), (second, other) in itertools.combinations(enumerate(plain), 2):
        behind = tuple(replace(term, factor=-term.factor) for term in other.terms)
        found.append(NetworkSum(lead_name(rule, first, second), one.network, (*one.terms, *behind), 64))
    return found


def softmax_margin(rule: Greatest) -> float:
    """What a lead must be above; the margin of float32 covers that of float64."""
    return lead_margin(32) if rule.after_softmax else 0.0
