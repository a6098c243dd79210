"""Bars of inputs in characters, for terminals; in ASCII only, if needed.

>>> from soid.case.project import Project
>>> from soid.examples import folder
>>> from soid.mapping.bars.input_bars import of_moment
>>> print("\\n".join(lines(of_moment(Project.open(folder("microwave")).keyframe), 48)[:3]))
● in fact
The error light                           ● true
  false  ● true
"""

from __future__ import annotations

from typing import Final, final

from msgspec import Struct

from soid.mapping.bars.input_bars import InputBar, InputBars

_WIDEST: Final = 80  # columns; a longer bar is no clearer
_INDENT: Final = "  "


@final
class Marks(Struct, frozen=True):
    """The characters of a bar."""

    fact: str
    scenario: str
    supposed: str
    flip: str
    bar: str


_MARKS: Final = Marks("●", "◆", "▒", "┃", "─")
_ASCII: Final = Marks("o", "x", ":", "|", "-")


def lines(made: InputBars, columns: int, *, ascii_only: bool = False) -> list[str]:
    """What the marks mean, then the bars that matter, from top to bottom."""
    marks, wide = _ASCII if ascii_only else _MARKS, min(columns, _WIDEST)
    found = [_legend(made, marks)]
    for bar in made.shown:
        found += [_caption(bar, wide, marks), *(_named(bar, marks) if bar.axis.has_names else _along(bar, wide, marks))]
    if made.folded:
        found += ["", f"Inputs that are not drawn: {len(made.folded)}."]
    return [line.rstrip() for line in found]


def _legend(made: InputBars, marks: Marks) -> str:
    fact, scenario = made.sides
    said = [f"{marks.fact} {fact}"]
    if made.has_scenario:
        said.append(f"{marks.scenario} {scenario}")
    if any(bar.supposed for bar in made.shown):
        said.append(f"{marks.supposed} allowed by what is supposed")
    if any(bar.flips for bar in made.shown):
        said.append(f"{marks.flip} here the outcome is another")
    return "   ".join(said)


def _caption(bar: InputBar, wide: int, marks: Marks) -> str:
    values = f"{marks.fact} {bar.told_fact}"
    if bar.differs:
        values += f"  {marks.scenario} {bar.told_scenario}"
    name = f"{bar.name[:1].upper()}{bar.name[1:]}"
    return f"{name}{' ' * max(wide - len(name) - len(values), 2)}{values}"


def _named(bar: InputBar, marks: Marks) -> list[str]:
    """Each label after the marks that are on it."""
    found = []
    for first, last in bar.axis.bands:
        held = [
            mark
            for mark, bits in ((marks.fact, bar.fact), (marks.scenario, bar.scenario if bar.differs else None))
            if bits is not None and first <= bar.axis.place(bits) <= last
        ]
        held += [marks.supposed] if any(low <= first and last <= high for low, high in bar.supposed) else []
        found.append(" ".join([*held, bar.axis.band_text((first, last))]))
    return [_INDENT + "  ".join(found)]


def _along(bar: InputBar, wide: int, marks: Marks) -> list[str]:
    """The range in one line, and its ends below it."""
    columns, axis = wide - len(_INDENT), bar.axis
    cells = [marks.bar] * columns

    def at(share: float) -> int:
        return min(max(int(share * columns), 0), columns - 1)

    for low, high in bar.supposed:
        if low <= axis.high and axis.low <= high:
            begin, end = axis.span(max(low, axis.low), min(high, axis.high))
            cells[at(begin) : at(end) + 1] = [marks.supposed] * (at(end) + 1 - at(begin))
    known = [(marks.flip, bits) for bits in bar.flips] + [(marks.fact, bar.fact)]
    known += [(marks.scenario, bar.scenario)] if bar.differs else []
    for mark, bits in known:
        if bits is not None and bits not in bar.aside:
            start, end = axis.span(axis.place(bits), axis.place(bits))
            cells[at((start + end) / 2)] = mark
    low_end, high_end = bar.ends
    middle = "by magnitude" if axis.scale == "by magnitude" else ""
    ends = f"{low_end}{middle:^{max(columns - len(low_end + high_end), 0)}}{high_end}"
    return [_INDENT + "".join(cells), _INDENT + ends]
