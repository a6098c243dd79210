"""Bars of inputs in words, for screen readers and titles."""

from __future__ import annotations

from collections.abc import Sequence

from soid.mapping.bars.input_bars import InputBar, InputBars
from soid.query.words import listed


def heading_of(made: InputBars) -> str:
    return f"The inputs, {' and '.join(made.sides[: 1 + made.has_scenario])}"


def described(made: InputBars, bars: Sequence[InputBar] | None = None) -> str:
    """The bars in words, one sentence each."""
    return " ".join(f"{_capital(_told(made, each))}." for each in (made.shown if bars is None else bars))


def _told(made: InputBars, bar: InputBar) -> str:
    fact, scenario = made.sides
    said = [f"{fact} {bar.told_fact}"]
    if bar.scenario is not None:
        said.append(f"{scenario} {bar.told_scenario}" if bar.differs else f"the same {scenario}")
    if bar.supposed:
        said.append(f"it may be {_supposed(bar)}")
    said += [f"the outcome changes at {bar.told_flip(each)}" for each in bar.flips]
    goes_on = ", and its range goes on beyond" if any(bar.goes_on) else ""
    magnitude = " by magnitude" if bar.axis.scale == "by magnitude" else ""
    said.append(f"drawn{magnitude} over {bar.range_told}{goes_on}")
    return f"{bar.name}: {'; '.join(said)}"


def _supposed(bar: InputBar) -> str:
    """What the suppositions leave it, in words."""
    axis = bar.axis
    if axis.has_names:
        inside = [band for band in axis.bands if any(a <= band[0] and band[1] <= b for a, b in bar.supposed)]
        return listed(map(axis.band_text, inside), "or") if inside else "nothing that is drawn"
    spans = [
        f"{axis.first_text(max(low, axis.low), high)} to {axis.text(min(high, axis.high))}"
        for low, high in bar.supposed
        if low <= axis.high and axis.low <= high
    ]
    return listed(spans, "or") if spans else "nothing that is drawn"


def _capital(text: str) -> str:
    return text[:1].upper() + text[1:]
