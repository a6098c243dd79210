"""What a back end must be able to do with its solver's library; `incremental_solver.py` does everything else.

A native is one solver's terms, assertion stack and answers, one call each, with nothing clever in it. It never sees
a look-up (they are expanded before) and may take conversions to integers as its library defines them (the guard that
makes them total is put around them before).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Protocol

from soid.formula.operators import LOOKUP, OPERATORS
from soid.formula.sorts import Sort
from soid.formula.term import Term
from soid.solver.protocol import Cancellation, Unknown

#: The operators that a native translates: all of the table, but for those that are rewritten first.
TRANSLATED = frozenset(OPERATORS) - {LOOKUP.name}


class UnsupportedTerm(Exception):
    """Something that this solver does not know, or cannot be trusted with; the message says what."""


class Native(Protocol):
    """One solver's library. Values called `Any` here are its own terms."""

    @property
    def errors(self) -> tuple[type[Exception], ...]:
        """What its library raises."""
        ...

    def constant(self, sort: Sort, value: bool | int) -> Any:
        """The value, which has the form that constant terms have."""
        ...

    def variable(self, name: str, sort: Sort) -> Any:
        """A new variable; it is asked for once for each variable term."""
        ...

    def apply(self, term: Term, args: Sequence[Any]) -> Any:
        """The term's operator on translated arguments. Raises Unsupported."""
        ...

    def choose(self, condition: Any, then: Any, otherwise: Any) -> Any:
        """If-then-else on its own terms."""
        ...

    def push(self) -> None: ...

    def pop(self) -> None: ...

    def clear(self) -> None:
        """A fresh, empty stack; the terms stay."""
        ...

    def add(self, formula: Any) -> None:
        """Assert on the top of the stack."""
        ...

    def solve(self, assumptions: Sequence[Any], seconds: float | None, cancel: Cancellation | None) -> bool | Unknown:
        """Whether the stack and the assumptions are satisfiable."""
        ...

    def value(self, variable: Any, sort: Sort) -> bool | int:
        """Its value in the model, after True; NaN in whatever form."""
        ...

    def core(self, assumptions: Sequence[Any]) -> list[int]:
        """The places of the assumptions that suffice, after False."""
        ...
