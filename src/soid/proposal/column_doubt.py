"""A doubt about how a log is read: its choices, and what trying them by running the program over the log showed."""

from __future__ import annotations

from typing import Final, final

from msgspec import Struct
from msgspec.structs import replace

from soid.program.interface import Role
from soid.proposal.column_match import ColumnMatch
from soid.proposal.log_agreement import LogAgreement
from soid.query.words import counted

EMPTY: Final = ""  # stands for a variable in what a person has confirmed, if a doubt is about cells without a value


@final
class ProposedReading(Struct, frozen=True):
    """How a log is read: which column has which variable, and what a cell without a value means."""

    matches: tuple[ColumnMatch, ...]
    empty_is_missing: bool = False  # the program was told that the value is missing; else it is not known

    def with_choice(self, column: str | None, choice: ColumnChoice) -> ProposedReading:
        """The same, with a choice about a column; a variable that had another column loses that."""
        if choice.empty_is_missing is not None:
            return replace(self, empty_is_missing=choice.empty_is_missing)
        rest = [each for each in self.matches if each.column.name != column]
        match = choice.match
        if match is None:
            return replace(self, matches=tuple(rest))
        mine = match.target.name, match.column.name
        others = [each for each in rest if each.target.name != mine[0] and each.column.name != mine[1]]
        return replace(self, matches=(*others, match))


@final
class ColumnChoice(Struct, frozen=True):
    """One way to settle a doubt."""

    words: str
    match: ColumnMatch | None  # None: the column has no variable
    empty_is_missing: bool | None = None  # what it says of cells without a value; None: it is about something else
    fits: LogAgreement | None = None  # None: it was not tried

    @property
    def about(self) -> str | None:
        """The variable that it is about; None if it says that there is none."""
        if self.empty_is_missing:
            return EMPTY
        return None if self.match is None else self.match.target.name


@final
class Doubt(Struct, frozen=True):
    """Something that is not certain about a column, or the lack of one."""

    column: str | None  # None: it is about an input that no column seems to have
    words: str
    choices: tuple[ColumnChoice, ...]  # the best first

    @property
    def is_settled(self) -> bool:
        """Whether the first choice fits the log better than all others that the log can be read with.

        If there are no others, whether it fits at every step; of a column whose name says nothing that proves nothing.
        """
        first = self.choices[0].fits
        if first is None or not first.compared:
            return False
        best = self.choices[0].match
        if self.column is None and best is not None and not best.target.variable.is_input:
            without = [each.fits.contradicted for each in self.choices if each.match is None and each.fits is not None]
            return first.agreeing > 0 and first.contradicted <= max(without, default=0)  # it adds no difference
        if self._others:
            return first.fitting > max(each.fitting for each in self._others)
        return self.column is not None and first.agreeing == first.compared

    @property
    def is_moot(self) -> bool:
        """Whether it is about a decision that the log need not have, and seems not to have."""
        decisions = [
            each.match for each in self.choices if each.match is not None and not each.match.target.variable.is_input
        ]
        return self.column is None and bool(decisions) and not self.is_settled

    @property
    def tested(self) -> str:
        """What trying the choices showed, in words; empty if it settled nothing."""
        first = self.choices[0].fits
        if not self.is_settled or first is None:
            return ""
        otherwise = f", else in {max(each.agreeing for each in self._others)}" if self._others else ""
        share = f"{first.agreeing} of {counted(first.compared, 'step')}"
        return f"with it the program decides as logged in {share}{otherwise}"

    @property
    def _others(self) -> list[LogAgreement]:
        """How well each other choice fits the log.

        Without a column for state or a decision less is compared: that such a choice fits as well says nothing.
        """
        best = self.choices[0].match
        says_more = best is not None and best.target.variable.role is not Role.ENVIRONMENT
        others = [each.fits for each in self.choices[1:] if each.match is not None or not says_more]
        return [each for each in others if each is not None and each.compared]


def fit_words(choice: ColumnChoice) -> str:
    """How well a choice fits the log, in words; empty if it was not tried."""
    if choice.fits is None or not choice.fits.compared:
        return ""
    return f"decides as logged in {choice.fits.agreeing} of {counted(choice.fits.compared, 'step')}"
