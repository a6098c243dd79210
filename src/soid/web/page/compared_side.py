"""What is compared side by side: several programs at one moment, or one project at several moments."""

from __future__ import annotations

from typing import final

from msgspec import Struct

from soid.program.interface import Interface
from soid.query.language.query_printer import to_text
from soid.query.program_names import of_program
from soid.query.query import Query
from soid.query.words import Words
from soid.web.page import map_set


@final
class ComparedSide(Struct, frozen=True):
    """One of those that are asked the same."""

    name: str  # of the program, or the moment in words
    step: int
    log: str
    program: str = ""  # the one of several programs; empty: it is about all that the project has

    @property
    def whose(self) -> str:
        """Whose answer it is, in words that follow "the answer": of impatient, at step 11."""
        return f"of {self.program}" if self.program else f"at {self.name}"

    @property
    def moment(self) -> tuple[int, str]:
        return self.step, self.log

    def asked(self, question: Query, interface: Interface) -> str:
        """The question as it is put to it."""
        return to_text(self._about(question, interface))

    def sentence(self, question: Query, interface: Interface) -> str:
        """The question in words, which are the same for each that is asked: "Would it always drive on?"."""
        return Words(interface, alone=bool(self.program)).sentence(self._about(question, interface))

    def _about(self, question: Query, interface: Interface) -> Query:
        return of_program(question, self.program, interface) if self.program else question

    def by(self, behavior: str, interface: Interface) -> str | None:
        """What tells the regions of its map apart."""
        return map_set.by_of(behavior, self.program, interface) or None
