"""The result of a verification: the standing of each fact, and the checks that led to it."""

from __future__ import annotations

import enum
from collections import Counter
from typing import Final, final

from msgspec import Struct, field

from soid.evidence.fact_examination import Check, CheckOutcome, Examination


@final
class Standing(enum.Enum):
    """How a fact stands after it was checked."""

    REPROVED = "re-proved"  # derived, proved and run again, and everything agrees
    REEXPLORED = "re-explored only"  # derived again and not contradicted, but something was not settled here
    ATTESTED = "attested by signature only"  # not derived here; signed with the verifier's key
    UNSUPPORTED = "not supported"  # not derived here, and not signed with the verifier's key
    REFUTED = "refuted"  # something contradicts it


#: exit status of `soid verify` by the worst standing of any fact
STATUS: Final = {
    Standing.REPROVED: 0,
    Standing.REFUTED: 1,
    Standing.REEXPLORED: 2,
    Standing.ATTESTED: 3,
    Standing.UNSUPPORTED: 3,
}
_WORST_FIRST: Final = (Standing.REFUTED, Standing.UNSUPPORTED, Standing.ATTESTED, Standing.REEXPLORED)


@final
class CheckedFact(Struct, frozen=True):
    """One fact and its standing."""

    number: int = field(name="entry")  # of the case
    question: str
    verdict: str
    statement: str
    standing: Standing
    checks: tuple[Check, ...]
    relies_on: tuple[str, ...]  # what the derivation here assumed


@final
class Report(Struct, frozen=True):
    """The result for a bundle whose form, hashes and chain are right."""

    bundle: str  # its file
    sha256: str  # of the file
    title: str
    program: str
    head: str  # last hash of the record
    signed: bool  # with the verifier's key
    checks: tuple[Check, ...]  # of the bundle as a whole
    facts: tuple[CheckedFact, ...]

    @property
    def worst(self) -> Standing:
        found = {fact.standing for fact in self.facts}
        return next((each for each in _WORST_FIRST if each in found), Standing.REPROVED)

    @property
    def status(self) -> int:
        """The exit status; a bundle without facts counts as unsupported."""
        return STATUS[self.worst] if self.facts else STATUS[Standing.UNSUPPORTED]

    @property
    def summary(self) -> str:
        """The number of facts of each standing, in words."""
        counted = Counter(fact.standing for fact in self.facts)
        parts = [f"{counted[each]} {each.value}" for each in Standing if counted[each]]
        count = "1 fact" if len(self.facts) == 1 else f"{len(self.facts)} facts"
        return f"{count}: {', '.join(parts)}" if parts else "there is no fact in it"


def standing(found: Examination, *, signed: bool) -> Standing:
    """The standing of a fact, from all its checks."""
    outcomes = {check.outcome for check in found.checks}
    if CheckOutcome.CONTRADICTED in outcomes:
        return Standing.REFUTED
    unfinished = found.derivation is None or (found.derivation.left_open and CheckOutcome.OPEN in outcomes)
    if unfinished:
        return Standing.ATTESTED if signed else Standing.UNSUPPORTED
    return Standing.REEXPLORED if CheckOutcome.OPEN in outcomes else Standing.REPROVED
