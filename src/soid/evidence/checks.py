"""Checks: what was looked at, and whether it bears out what is claimed."""

from __future__ import annotations

import enum
from typing import final

from msgspec import Struct, field

from soid.release import version


@final
class CheckOutcome(enum.Enum):
    """The outcome of one check."""

    CONFIRMED = "confirmed"
    OPEN = "open"  # neither confirmed nor contradicted
    CONTRADICTED = "contradicted"


@final
class Check(Struct, frozen=True):
    """One check of a fact or of a bundle."""

    about: str
    outcome: CheckOutcome
    words: str


class CheckedClaim(Struct):
    """Something that is examined, and its checks."""

    checks: list[Check] = field(default_factory=list)
    statement: str = ""  # what is claimed, in the words of this soid; empty if that is not known

    def note(self, about: str, outcome: CheckOutcome, words: str) -> None:
        self.checks.append(Check(about, outcome, words))

    def expect(self, about: str, holds: bool, confirmed: str, contradicted: str) -> None:
        """Note a check that cannot stay open."""
        outcome = CheckOutcome.CONFIRMED if holds else CheckOutcome.CONTRADICTED
        self.note(about, outcome, confirmed if holds else contradicted)

    def expect_words(self, about: str, words: str, recorded: str, maker: str) -> None:
        """Note it if a sentence of the record is not what this soid says: another version may word it otherwise."""
        self.statement = words
        if words == recorded:
            return
        if maker == version():
            self.note(about, CheckOutcome.CONTRADICTED, "its sentence is not what follows")
        else:
            told = f'soid {maker} worded it otherwise, which was not compared: "{recorded}"'
            self.note(about, CheckOutcome.OPEN, told)

    def noted(self, outcome: CheckOutcome) -> list[str]:
        return [f"{check.about}: {check.words}" for check in self.checks if check.outcome is outcome]

    @property
    def outcomes(self) -> set[CheckOutcome]:
        return {check.outcome for check in self.checks}
