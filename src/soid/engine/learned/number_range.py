"""What a number of a model can ever be, whatever the model has learned: a probability lies between 0 and 1.

A threshold beyond that decides the same always: it is a mistake, such as a bound in percent, and no decision.
"""

from __future__ import annotations

from fractions import Fraction
from typing import Final, final

from msgspec import Struct

from soid.engine.learned.learned_source import Threshold
from soid.engine.learned.model import LearnedModel
from soid.engine.learned.network import Activated, NetworkSum, Softmaxed
from soid.errors import ManifestError

_SHARES: Final = frozenset(
    ("sigmoid", "hard_sigmoid", "clipped_sigmoid", "logistic", "softmax", "softmax_in_order", "share")
)  # functions of links whose results are shares of 1
_POSITIVE: Final = frozenset(("exp", "softplus", "relu"))


@final
class NumberRange(Struct, frozen=True):
    """Bounds of a number; None: it has none on that side."""

    low: int | None = None
    high: int | None = None


def range_of(model: LearnedModel, output: str) -> NumberRange:
    """Between which bounds an output lies by its kind."""
    if output.startswith("probability"):
        return NumberRange(0, 1)
    links = {each.name: each for each in model.links}
    number = next(each.number for each in model.outputs if each.name == output)
    while number in links and links[number].function == "single":
        number = links[number].arguments[0]
    function = links[number].function if number in links else _last_layer(model, number)
    return NumberRange(0, 1) if function in _SHARES else NumberRange(0) if function in _POSITIVE else NumberRange()


def _last_layer(model: LearnedModel, number: str) -> str:
    """The function that a number of a network is a result of; empty if it is another one."""
    sums = [each for each in model.sums if isinstance(each, NetworkSum) and each.name == number]
    terms = [(model.networks[each.network], each.terms[0]) for each in sums if len(each.terms) == 1]
    layers = [network.layers[term.vector - 1] for network, term in terms if term.vector and term.factor == 1.0]
    if not layers:
        return ""
    layer = layers[0]
    return "softmax" if isinstance(layer, Softmaxed) else layer.function if isinstance(layer, Activated) else ""


def refuse_constant(model: LearnedModel, one: Threshold) -> None:
    """Refuse a threshold that decides the same for all that its number can be."""
    bound, known = Fraction(one.bound), range_of(model, one.number)
    is_low = known.low is not None and (bound < known.low or (bound == known.low and one.comparison in (">=", "<")))
    is_high = known.high is not None and (bound > known.high or (bound == known.high and one.comparison in (">", "<=")))
    if not (is_low or is_high):
        return
    always = "always" if is_low == one.is_above else "never"
    told = f"{one.number} is from 0 to 1" if known.high is not None else f"{one.number} is never below 0"
    remedy = f"Write a bound that {one.number} can be on either side of."
    if is_high and bound > 1 and bound <= 100:
        remedy = f"Write it as {one.number} has it: {one.bound} % is {float(bound / 100):g}."
    raise ManifestError(f"[decisions] {one.name}: {one.text} is {always} so: {told}", remedy)
