"""Why log and program differ: each likely cause is tested by comparing the program with the log read accordingly.

    unlogged state   another start gives what is logged, or another value of what the program never writes
    rounding         the log has fewer digits than the program computes with, or than the manifest says
    last digits      the program's numbers are known to differ there from those that were logged
    unit             one column is in another unit than the manifest says
    clock            decisions are logged a step late, or a step early
    version          cannot be tested: it is left where nothing else explains the log, or where that has to be weighed

A cause that is named has made every step fit that it was tested on. Two causes at once are not looked for.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Final, final

from msgspec import Struct
from msgspec.structs import replace

from soid.budget import Budget
from soid.formula.sorts import FLOAT64
from soid.oracle.column_readings import (
    ColumnReading,
    UnreadableError,
    as_rounded,
    in_other_units,
    read_together,
)
from soid.oracle.fitting_log import REFUTED, Fitted, FittingLog
from soid.oracle.likely_cause import CLOCK, LAST_DIGITS, ROUNDING, UNIT, VERSION, LikelyCause, TestedCause
from soid.oracle.log_readings import is_beside, shifted
from soid.oracle.number_column import NumberColumn, number_columns
from soid.oracle.unlogged_state import UnloggedState
from soid.oracle.version_evidence import VersionEvidence
from soid.program.types import FloatType
from soid.query.words import listed

#: readings that explain a log; if there are more, the log tells little
_AMBIGUOUS: Final = 3
#: decimals of a float64 that are compared where the last digits may be others
_COMPARED: Final = (15, 14, 13, 12, 11, 10)
#: seconds for exploring the steps of a log in one of many units
_EXPLORING: Final = 1.0


@final
class _ExplainingUnit(Struct, frozen=True):
    """A unit with which the log fits."""

    reading: ColumnReading
    count: int  # steps that fit
    in_domain: bool  # its values are
    vague: bool  # the log fits with values that are larger still, or smaller, as well

    @property
    def is_likely(self) -> bool:
        """A unit is no likely one if every larger value fits as well, unless it is the one that the program has."""
        return self.in_domain and (not self.vague or self.reading.is_own_unit)

    @property
    def doubt(self) -> str:
        """Why it is no likely one."""
        if not self.in_domain:
            return "its values are outside of their domain then"
        return f"so it does with values that are {'larger' if self.reading.enlarges else 'smaller'} still"


@final
class MismatchCauses(Struct, frozen=True):
    """The tests of one log whose first difference is known."""

    log: FittingLog
    differs: int  # how many steps

    def tested(self, seconds: float | None) -> tuple[LikelyCause, ...]:
        """Each cause that applies: those that explain the log in the order of likelihood, then what is left.

        Each test may take so many seconds.
        """
        kind, columns = MismatchCauses, number_columns(self.log.trace, self.log.near)
        tests = (
            kind._state,
            lambda of: kind._rounding(of, columns),
            lambda of: kind._last_digits(of, columns),
            lambda of: kind._unit(of, columns),
            kind._clock,
        )
        found = [each for test in tests if (each := self._in_time(test, seconds)) is not None]
        version = replace(self, log=replace(self.log, until=Budget(seconds).started()))._version(found)
        explaining, unsettled, excluded = (
            [each for each in found if each.explains is how] for how in (True, None, False)
        )
        left = [] if version is None else [version]
        return tuple(each.told for each in (*explaining, *left, *unsettled, *excluded))

    def _in_time(
        self, test: Callable[[MismatchCauses], TestedCause | None], seconds: float | None
    ) -> TestedCause | None:
        """A test's result; one that explains nothing says so only if it had the time."""
        until = Budget(seconds).started()
        found = test(replace(self, log=replace(self.log, until=until)))
        if found is None or found.explains or not (until.is_over or self.log.runs.context.cancel.cancelled):
            return found
        return replace(found, explains=None, words="there was no time left to test it")

    def _state(self) -> TestedCause | None:
        return UnloggedState(self.log).tested()

    # --- another version

    def _version(self, others: Sequence[TestedCause]) -> TestedCause | None:
        """What is left; None: something else explains the log, and need not be weighed against it."""
        explaining = [each for each in others if each.explains]
        if any(not each.unless for each in explaining):
            return None
        evidence = VersionEvidence.of(self.log)
        left = "another version of the program is left, or several causes at once"
        if self.differs == 1 and (evidence is None or len(evidence.differing) == 1):
            left = "a row that was logged wrongly is left, or another version of the program"
        if explaining:
            told = f"{listed([each.unless for each in explaining], 'and')}, {left}"
        else:
            told = f"{self._untold(others)}: {left}"
        return TestedCause(VERSION, None, told if evidence is None else f"{told}; {evidence.told}")

    def _untold(self, others: Sequence[TestedCause]) -> str:
        """How many steps no cause explains that could be tested."""
        steps, them = ("1 step differs", "it") if self.differs == 1 else (f"{self.differs} steps differ", "them")
        tested = ", ".join(each.cause for each in others if each.explains is False) or "none applies"
        unsettled = ", ".join(each.cause for each in others if each.explains is None)
        if not unsettled:
            return f"{steps}, and no other cause explains {them} alone (tested: {tested})"
        return f"{steps}, and no other cause is known to explain {them} alone (tested: {tested}; open: {unsettled})"

    # --- other readings of columns

    def _read(
        self, readings: Sequence[ColumnReading], exploring: float | None = None
    ) -> tuple[Sequence[ColumnReading], Fitted]:
        """Whether the log fits with other readings of columns; elsewhere it may have more digits than near by."""
        steps = self.log.steps
        try:
            return readings, self.log.read_as(read_together(steps, readings), exploring=exploring)
        except UnreadableError:
            readings = [each.seen(range(len(steps))) for each in readings]
        try:
            return readings, self.log.read_as(read_together(steps, readings), exploring=exploring)
        except UnreadableError:
            return readings, REFUTED

    def _rounding(self, columns: Sequence[NumberColumn]) -> TestedCause | None:
        """Numbers that the log has with fewer digits than the manifest says."""
        finer = [as_rounded(column) for column in columns if _is_coarser(column)]
        finer += [as_rounded(column, column.most_decimals(self.log.near)) for column in columns if self._is_cut(column)]
        if not finer:
            return None
        named, fitted = self._read(finer)
        if not fitted.explains:
            words = "no state that rounds to the logged values gives what is logged"
            if fitted.explains is None:
                names = listed([each.column.name for each in finer], "and")
                words = f"it is not settled whether a run fits in which {names} are rounded as the log writes them"
            return TestedCause(ROUNDING, fitted.explains, words)
        for each in finer if len(finer) > 1 else ():
            alone, fits = self._read([each])
            if fits.explains:
                named, fitted = alone, fits
                break
        told = listed([each.told for each in named], "and")
        remedy = "; ".join(each.remedy for each in named)
        return TestedCause(ROUNDING, True, f"with {told}, {self.log.amount(fitted.count)}: {remedy}")

    def _is_cut(self, column: NumberColumn) -> bool:
        """Whether a float64 that the program gives is logged with many digits and not with all, as JSON of pandas."""
        kind, declared = column.variable.type, column.declared_decimals
        if column.variable.is_input or declared is not None or column.decimals is not None:
            return False
        wide = isinstance(kind, FloatType) and kind.format == FLOAT64
        return wide and column.most_decimals(self.log.near) <= _COMPARED[0]

    def _last_digits(self, columns: Sequence[NumberColumn]) -> TestedCause | None:
        """Numbers that the program gives as logged but for the last digits, where it is known why."""
        why = self.log.runs.context.engine.last_digits
        given = [each for each in columns if not each.variable.is_input and isinstance(each.variable.type, FloatType)]
        exact = [each for each in given if each.declared_decimals is None]
        if not why or not exact:
            return None
        unsettled = False
        for decimals in _COMPARED:
            read, fitted = self._read([as_rounded(each, decimals) for each in exact])
            if fitted.explains:
                told, remedy = listed([each.told for each in read], "and"), "; ".join(each.remedy for each in read)
                words = f"with {told}, {self.log.amount(fitted.count)}: {why}. To compare so many decimals: {remedy}"
                return TestedCause(LAST_DIGITS, True, words)
            unsettled = unsettled or fitted.explains is None
        words = f"they differ in more than the last digits: in the first {_COMPARED[-1]} decimals"
        return TestedCause(LAST_DIGITS, None if unsettled else False, words)

    def _unit(self, columns: Sequence[NumberColumn]) -> TestedCause | None:
        columns = [each for each in columns if each.is_measured]
        if not columns:
            return None
        found, unsettled = [], 0
        for reading in (each for column in columns for each in in_other_units(column)):
            (read,), fitted = self._read([reading], _EXPLORING)
            unsettled += fitted.explains is None
            if fitted.explains:
                found.append(self._weighed(read, fitted.count))
        likely = [each for each in found if each.is_likely]
        if 0 < len(likely) <= _AMBIGUOUS:
            return self._units(likely)
        if len(found) > _AMBIGUOUS:
            told = "; ".join(f"with {each.reading.told}" for each in found)
            return TestedCause(UNIT, None, f"{len(found)} readings of units fit, too many to name one of them: {told}")
        if found:
            told = "; ".join(f"with {each.reading.told}, but {each.doubt}" for each in found)
            return TestedCause(UNIT, None, f"the log fits {told}")
        names = listed([column.name for column in columns], "and")
        if unsettled:
            words = f"no usual unit of {names} was found to explain it; of {unsettled} readings that is not settled"
            return TestedCause(UNIT, None, words)
        return TestedCause(UNIT, False, f"no usual unit of {names} explains it")

    def _weighed(self, reading: ColumnReading, count: int) -> _ExplainingUnit:
        """How much it says that a log fits with a unit: nothing, if any value in the same direction fits as well."""
        further = self.log.read_as(reading.exaggerated(self.log.steps), exploring=_EXPLORING)
        return _ExplainingUnit(reading, count, reading.keeps_domain(self.log.near), further.explains is True)

    def _units(self, likely: Sequence[_ExplainingUnit]) -> TestedCause:
        told = "; or ".join(f"with {each.reading.told}" for each in likely)
        remedies = "; or ".join(each.reading.remedy for each in likely)
        words = f"{told}, {self.log.amount(min(each.count for each in likely))}: {remedies}"
        names = dict.fromkeys(each.reading.column.name for each in likely)
        return TestedCause(UNIT, True, words, f"if {listed(list(names), 'and')} is read as the manifest says")

    # --- other steps

    def _clock(self) -> TestedCause | None:
        steps = self.log.steps
        if not any(steps[place].decisions for place in self.log.near):
            return None
        unsettled = False
        for by, late, whose in ((1, "late", "before"), (-1, "early", "after")):
            fitted = self.log.read_as(shifted(steps, by))
            if fitted.explains and not self._is_dropped(by):
                words = f"decisions are logged one step {late}: each taken for the step {whose} it"
                return TestedCause(CLOCK, True, f"{words}, {self.log.amount(fitted.count)}")
            unsettled = unsettled or fitted.explains is not False
        if unsettled:
            return TestedCause(CLOCK, None, "it is not settled whether the log fits one step earlier or later")
        return TestedCause(CLOCK, False, "the log does not fit one step earlier or later either")

    def _is_dropped(self, by: int) -> bool:
        """Whether the only step that differs has no place in a log that is shifted: that explains nothing."""
        return self.differs == 1 and not is_beside(self.log.steps, self.log.first.place, -by)


def _is_coarser(column: NumberColumn) -> bool:
    """Whether the log has fewer digits than it is known to have."""
    declared, written = column.declared_decimals, column.decimals
    converted = column.written.mapped.unit is not None
    return (
        written is not None
        and (isinstance(column.variable.type, FloatType) or converted)
        and (declared is None or written < declared)
    )
