"""What is strange about the rows of a log: gaps, equal times, values outside of their domains, NaN, missing values.

Of a large log each piece has its own report, made when the piece is read. Together they tell of all that was read so
far; of the whole log, after something went through it (`soid log check`).
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from typing import Final, final

from soid.program.interface import Interface, Role
from soid.program.types import missing_value
from soid.scenario.columns import Converted
from soid.scenario.log_formats import quoted
from soid.scenario.logs.domain_report import is_inside, is_limited
from soid.scenario.logs.occurrences import Occurrences
from soid.scenario.logs.row_times import RowTimes, time_warnings

_SHOWN: Final = 5  # texts that a warning has
_KNOWN: Final = 1 << 16  # values of which it is remembered whether they are in their domains


@final
class RowReporter:
    """Makes the reports on the rows of one log."""

    def __init__(self, interface: Interface) -> None:
        self._limited = [variable for variable in interface.inputs if is_limited(variable)]
        # State is not counted: it may follow from the steps before.
        perceived = (v for v in interface.inputs if v.role is Role.ENVIRONMENT)
        self._needed = {variable.path for variable in perceived if variable.initial is None}
        self._missable = {v.path for v in interface.inputs if missing_value(v.type) is not None}
        self._known: dict[tuple[str, int], bool] = {}  # the values of a log repeat

    def add(self, report: RowReport, row: Converted, place: str) -> None:
        """Add a row to the report on its piece."""
        for variable in self._limited:
            value = variable.path, row.inputs[variable.path]
            inside = self._known.get(value)
            if inside is None:
                if len(self._known) >= _KNOWN:
                    self._known.clear()
                inside = self._known[value] = is_inside(variable, value[1])
            if not inside:
                report.outside.add(variable.path, place)
        for name, literal in row.nans:
            report.nans.add(name, place)
            report.nan_texts.setdefault(literal)
        for name, literal in row.unseen:
            report.unseen.add(name, place)
            words = report.unseen_texts.setdefault(name, {})
            if len(words) <= _SHOWN:
                words.setdefault(literal)
        for name, error in row.refused.items():
            report.refused.add(name, place)
            report.problems.setdefault(name, error.cause)
        for path in row.unlogged if not row.refused else ():
            if path in self._needed:
                report.missing.add(path, f"{place} ({row.gap})" if row.gap else place)

    def warnings(self, reports: Iterable[RowReport]) -> Iterator[str]:
        """What the reports on some pieces tell, in the order of the log, in sentences."""
        parts = list(reports)
        yield from time_warnings([part.times for part in parts])
        outside, missing, nans, texts = Occurrences(), Occurrences(), Occurrences(), dict[str, None]()
        unseen, unseen_texts = Occurrences(), dict[str, dict[str, None]]()
        refused, problems = Occurrences(), dict[str, str]()
        for part in parts:
            outside.add_all(part.outside)
            missing.add_all(part.missing)
            nans.add_all(part.nans)
            texts |= part.nan_texts
            unseen.add_all(part.unseen)
            refused.add_all(part.refused)
            problems = part.problems | problems
            for name, words in part.unseen_texts.items():
                unseen_texts.setdefault(name, {}).update(words)
        found = dict(outside)
        for variable in self._limited:
            if variable.path in found:
                where = f"is outside of its domain ({variable.domain_text}) {found[variable.path]}"
                free = "it is a fact all the same, and a question that frees it asks about the domain"
                yield f"{variable.path} {where}: {free}"
        for path, often in nans:
            stands = f"if it stands for no value, say so: [trace] missing = {json.dumps(list(texts))}"
            yield f"{path} is NaN {often}: that is taken as its value; {stands}"
        for path, often in refused:
            yield f"{path} is no category that is modelled {often}, and nothing can be asked there: {problems[path]}"
        for path, often in unseen:
            listed = [quoted(text) for text in unseen_texts[path]]
            shown = f"{', '.join(listed[:_SHOWN])}{', ...' if len(listed) > _SHOWN else ''}"
            yield f"{path} is none of its labels {often} ({shown}): it is read as one that training has not seen"
        for path, often in missing:
            told = f"{path} is not logged {often}: answers there are for every value that it may have had"
            stands = ', of its domain; if an empty cell is what the model was given, say so: [trace] empty = "missing"'
            yield f"{told}{stands if path in self._missable else ''}"


@final
class RowReport:
    """What was found in the rows of one piece."""

    def __init__(self) -> None:
        self.times = RowTimes()
        self.outside = Occurrences()
        self.missing = Occurrences()
        self.nans = Occurrences()
        self.nan_texts: dict[str, None] = {}  # what the log writes for them, in its order
        self.refused = Occurrences()
        self.problems: dict[str, str] = {}  # by variable, the first
        self.unseen = Occurrences()
        self.unseen_texts: dict[str, dict[str, None]] = {}  # likewise, by variable
