"""Why log and program differ, against all that could be the reason: logs are made with a cause on purpose.

A machine writes a log in units of its own. Then the manifest has a wrong unit, or the program another limit, or the log
begins in the middle, or its decisions are a step late. What is said of each cause is compared with every run that the
machine could have made: a cause is named only if a run fits, and excluded only if none does.
"""

from __future__ import annotations

import random
import re
from collections.abc import Iterable, Mapping
from fractions import Fraction
from pathlib import Path
from typing import NamedTuple

import pytest

from soid import Project
from soid.oracle.likely_cause import LikelyCause
from soid.oracle.whole_log import LogVerdict, check_log
from soid.program.units import UNITS, unit_conversion

PROGRAM = """
static int ticks;
int decide(float height, float speed, int load) {{
    if (speed > {speed}f) ticks = ticks < {most} ? ticks + 1 : {most}; else if (load > 5) ticks = 0;
    if (ticks == {most}) return 2;
    return height > {height}f;
}}
"""
MANIFEST = """
[program]
engine = "llvm"
sources = ["p.c"]
entry = "decide"
[trace]
file = "log.csv"
{start}
[trace.columns]
height = {{ column = "h", unit = "{height}", decimals = 2 }}
speed = {{ column = "v", unit = "{speed}", decimals = 2 }}
[variables]
height = {{ unit = "m" }}
speed = {{ unit = "m/s" }}
ticks = {{ domain = [0, 4] }}
"""
OWN = {"height": "m", "speed": "m/s"}
TICKS = range(5)
CAUSES = ("unit", "limit", "limit", "middle", "late")
SEEDS = [*range(5), *(pytest.param(seed, marks=pytest.mark.soak) for seed in range(5, 150))]


class Limits(NamedTuple):
    height: float
    speed: float
    most: int


class Row(NamedTuple):
    height: str  # as the log writes it
    speed: str
    load: int
    mode: int | None  # None: it is not logged


Units = dict[str, str]


def bounds(text: str, unit: str, own: str, factor: Fraction = Fraction(1)) -> tuple[Fraction, Fraction]:
    half, conversion = Fraction(1, 200), unit_conversion(unit, own)
    ends = (conversion.bounds(Fraction(text) + each)[0] * factor for each in (-half, half))
    low, high = sorted(ends)
    return low, high


def above(text: str, unit: str, own: str, limit: float, factor: Fraction) -> set[bool]:
    """How `value > limit` may come out."""
    return {end > Fraction(limit) for end in bounds(text, unit, own, factor)}


def fits(
    rows: Iterable[Row], limits: Limits, units: Units, starts: Iterable[int], factors: Mapping[str, Fraction] = {}
) -> bool:
    """Whether some run gives all that is logged: every outcome of what is rounded is followed."""
    one = Fraction(1)
    states = set(starts)
    for row in rows:
        fast = above(row.speed, units["speed"], OWN["speed"], limits.speed, factors.get("speed", one))
        high = above(row.height, units["height"], OWN["height"], limits.height, factors.get("height", one))
        after = set()
        for ticks in states:
            for is_fast in fast:
                now = after_step(ticks, is_fast, row.load, limits)
                modes = {2} if now == limits.most else {int(each) for each in high}
                if row.mode is None or row.mode in modes:
                    after.add(now)
        states = after
    return bool(states)


def after_step(ticks: int, is_fast: bool, load: int, limits: Limits) -> int:
    if is_fast:
        return ticks + 1 if ticks < limits.most else limits.most
    return 0 if load > 5 else ticks


class Case:
    """A log with a cause on purpose."""

    def __init__(self, seed: int) -> None:
        chance = random.Random(seed)
        self.cause = CAUSES[seed % len(CAUSES)]
        self.from_start = self.cause == "middle" or chance.random() < 0.7
        self.limits = Limits(chance.uniform(20, 60), chance.uniform(10, 20), chance.choice((2, 3, 4)))
        self.units = {
            "height": chance.choice(("m", "ft", "cm", "yd")), "speed": chance.choice(("m/s", "km/h", "kn", "ft/s"))
        }  # fmt: skip
        self.program, self.declared = self.limits, dict(self.units)
        self.rows = self._written(chance, chance.choice(TICKS[1:]) if self.cause == "middle" else 0)
        if self.cause == "unit":
            name = chance.choice(("height", "speed"))
            measures = UNITS[OWN[name]].measures
            same = unit_conversion(self.units[name], OWN[name])
            others = [each for each, unit in UNITS.items() if unit.measures == measures]
            self.declared[name] = chance.choice([u for u in others if unit_conversion(u, OWN[name]) != same])
        elif self.cause == "limit":
            name = chance.choice(("height", "speed", "most"))
            by = chance.choice((-1, 1)) if name == "most" else chance.choice((-8, -5, -2, 2, 5, 8))
            self.program = self.limits._replace(**{name: max(1, getattr(self.limits, name) + by)})

    def _written(self, chance: random.Random, ticks: int) -> list[Row]:
        rows = list[Row]()
        last, fast = 0, False
        for _ in range(chance.randrange(10, 60)):
            fast = not fast if chance.random() > 0.7 else fast
            speed = self.limits.speed + chance.uniform(0.05, 9) * (1 if fast else -1)
            height, load = chance.uniform(5, 90), chance.randrange(9)
            ticks = after_step(ticks, fast, load, self.limits)
            mode = 2 if ticks == self.limits.most else int(height > self.limits.height)
            texts = (self._text("height", height), self._text("speed", speed))
            rows.append(Row(*texts, load, last if self.cause == "late" else mode))
            last = mode
        return rows

    def _text(self, name: str, value: float) -> str:
        return f"{value / float(unit_conversion(self.units[name], OWN[name]).factor):.2f}"

    @property
    def starts(self) -> Iterable[int]:
        return (0,) if self.from_start else TICKS

    def fits(
        self, rows: list[Row] | None = None, units: Units | None = None, factors: Mapping[str, Fraction] = {}
    ) -> bool:
        return fits(rows or self.rows, self.program, units or self.declared, self.starts, factors)

    def write(self, folder: Path) -> None:
        (folder / "p.c").write_text(PROGRAM.format(**self.program._asdict()))
        start = "from_start = true" if self.from_start else ""
        (folder / "soid.toml").write_text(MANIFEST.format(start=start, **self.declared))
        lines = ["step,h,v,load,return"]
        lines += [f"{at},{row.height},{row.speed},{row.load},{row.mode}" for at, row in enumerate(self.rows)]
        (folder / "log.csv").write_text("\n".join(lines) + "\n")


@pytest.mark.parametrize("seed", SEEDS)
def test_a_cause_is_named_only_if_a_run_fits_and_excluded_only_if_none_does(seed, tmp_path):
    case = Case(seed)
    case.write(tmp_path)
    project = Project.open(tmp_path, step=0)
    found = check_log(project.trace, project.context(), from_start=case.from_start, seconds=600)
    about = case.cause, case.program, case.declared, case.units, case.from_start, case.rows, found
    assert found.verdict is not (LogVerdict.DIFFERS if case.fits() else LogVerdict.FITS), about
    if found.verdict is not LogVerdict.DIFFERS:
        return
    causes = {each.cause: each for each in found.causes}
    assert "rounding" not in causes, about  # the log has as many digits as the manifest says
    assert _truth(causes["unlogged state"], case.from_start and fits(case.rows, case.program, case.declared, TICKS))
    shifts = [case.fits(shifted(case.rows, by)) for by in (1, -1)]
    assert _truth(causes["clock"], any(shifts)) or found.differs == 1, about
    _check_units(case, causes["unit"], about)
    others = [each.cause for each in found.causes if each.explains]
    assert ("version" in causes) is ("clock" not in others), about
    if "unlogged state" in others and "version" in causes:
        assert "`from_start`" in causes["version"].words, about
    expected = {"unit": "unit", "middle": "unlogged state", "late": "clock"}.get(case.cause)
    if expected is not None and found.differs > 1:
        assert causes[expected].explains is not False, about


def _truth(cause: LikelyCause, holds: bool) -> bool:
    return cause.explains is None or cause.explains is holds


def shifted(rows: list[Row], by: int) -> list[Row]:
    decisions = {at: row.mode for at, row in enumerate(rows)}
    return [row._replace(mode=decisions.get(at + by)) for at, row in enumerate(rows)]


def _check_units(case: Case, cause: LikelyCause, about: object) -> None:
    named = re.findall(r"with (\w+) read as (\S+) instead of ([^ ,;]+)", cause.words)
    for name, unit, said in named if cause.explains else []:
        assert said == case.declared[name], about
        assert case.fits(units={**case.declared, name: unit}), (name, unit, about)
    fitting = [
        (name, unit)
        for name, own in OWN.items()
        for unit, each in UNITS.items()
        if each.measures == UNITS[own].measures
        and unit_conversion(unit, own) != unit_conversion(case.declared[name], own)
        and case.fits(units={**case.declared, name: unit})
    ]
    if cause.explains is False:
        assert fitting == [], about
    if len(fitting) == 1 and case.cause == "unit" and cause.explains is None:
        ((name, unit),) = fitting  # it is not named: whatever is larger fits as well, or whatever is smaller
        factor = Fraction(1000) if _size(unit, name) > _size(case.declared[name], name) else Fraction(1, 1000)
        units = {**case.declared, name: unit}
        assert case.fits(units=units, factors={name: factor}) or "not settled" in cause.words, about


def _size(unit: str, name: str) -> Fraction:
    return unit_conversion(unit, OWN[name]).factor
