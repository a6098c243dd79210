"""The interface to a solver's library that each back end implements; `incremental_solver.py` does everything else.

A native makes one library call for each method: terms, assertion stack, answers. It gets no look-ups, which
`translation.py` expands, and translates conversions to integers as its library defines them: `translation.py` adds the
guard that makes them total.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Protocol

from soid.formula.operators import Operator
from soid.formula.sorts import Sort
from soid.solver.protocol import Cancellation, Unknown


class UnsupportedTerm(Exception):
    """This solver does not support something, or is known to get it wrong; the message says what."""


class Native(Protocol):
    """One solver's library. Its own terms have the type `Any` here."""

    @property
    def errors(self) -> tuple[type[Exception], ...]:
        """The exceptions of its library."""
        ...

    def constant(self, sort: Sort, value: bool | int) -> Any:
        """A constant; the value is as in constant terms."""
        ...

    def variable(self, name: str, sort: Sort) -> Any:
        """A new variable; called once for each variable term."""
        ...

    def apply(self, op: Operator, params: tuple[Any, ...], sort: Sort, args: Sequence[Any]) -> Any:
        """An operator on translated arguments, with a result of this sort. Raises UnsupportedTerm."""
        ...

    def push(self) -> None: ...

    def pop(self) -> None: ...

    def clear(self) -> None:
        """Start a fresh, empty stack; the terms stay."""
        ...

    def add(self, formula: Any) -> None:
        """Assert on the top of the stack."""
        ...

    def solve(self, seconds: float | None, cancel: Cancellation | None) -> bool | Unknown:
        """Whether the stack is satisfiable."""
        ...

    def value(self, variable: Any, sort: Sort) -> bool | int:
        """Its value in the model, after `solve` gave True; a NaN may have any bits."""
        ...
