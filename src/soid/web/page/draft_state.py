"""A DraftState: all that was composed of a question, as a value. A DraftHistory keeps them, to undo and to redo.

>>> from msgspec.structs import replace
>>> history = DraftHistory(first := DraftState(QueryKind.WOULD, "move"))
>>> for typed in ("mov", "mo", "m"):  # one change
...     history.note(replace(first, behavior=typed))
>>> history.note(replace(first, behavior="brake", kind=QueryKind.MIGHT))
>>> history.undo().behavior, history.undo().behavior, history.undo(), history.redo().behavior
('m', 'move', None, 'm')
"""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Final, final

from msgspec import Struct

from soid.query.query import QueryKind
from soid.query.steps import Over
from soid.scenario.future import Future
from soid.web.page.supposition_draft import SuppositionDraft

_MOST: Final = 500  # states that are kept
_TOGETHER: Final = 1.0  # seconds: changes of the same things that follow sooner are one, such as nudges


@final
class DraftState(Struct, frozen=True):
    """What was composed of a question."""

    kind: QueryKind
    behavior: str  # as query text
    over: Over | None = None  # None: the behavior is about one step
    count: str = ""  # of steps, as typed
    future: Future = Future.AS_LOGGED
    supposed: tuple[SuppositionDraft, ...] = ()

    @property
    def _texts(self) -> dict[object, str]:
        """All that is typed, by its place."""
        typed: dict[object, str] = {"behavior": self.behavior, "count": self.count}
        for each in self.supposed:
            span = each.span
            texts = (*each.values, span.first, span.last, span.until.value)
            typed |= {(each.id, place): text for place, text in enumerate(texts)}
        return typed

    @property
    def _shape(self) -> object:
        """All that is chosen."""
        chosen = [
            (each.id, each.how, each.path, len(each.values), each.span.kind, each.span.until.name, each.span.until.sign)
            for each in self.supposed
        ]
        return self.kind, self.over, self.future, chosen

    def retyped(self, other: DraftState) -> frozenset[object]:
        """The places of the texts in which another state differs; none if it differs in more than texts."""
        if self._shape != other._shape:
            return frozenset()
        mine, theirs = self._texts, other._texts
        return frozenset(place for place, text in mine.items() if theirs[place] != text)

    def is_keystroke(self, other: DraftState) -> bool:
        """Whether another state has one character more, or fewer, in one text."""
        places = self.retyped(other)
        if len(places) != 1:
            return False
        short, long = sorted((self._texts[next(iter(places))], other._texts[next(iter(places))]), key=len)
        return len(long) == len(short) + 1 and any(long[:at] + long[at + 1 :] == short for at in range(len(long)))


@final
class DraftHistory:
    """The states of a draft, up to the present one and those that were undone."""

    def __init__(self, first: DraftState, clock: Callable[[], float] = time.monotonic) -> None:
        self._states = [first]
        self._at = 0  # the present one
        self._clock = clock
        self._changed: frozenset[object] = frozenset()  # the places of the texts that made the present state
        self._when = 0.0

    @property
    def can_undo(self) -> bool:
        return self._at > 0

    @property
    def can_redo(self) -> bool:
        return self._at + 1 < len(self._states)

    def note(self, state: DraftState) -> None:
        """Keep a state. What is typed into one field is one change; so is what follows at once in the same fields."""
        here, now = self._states[self._at], self._clock()
        if state == here:
            return
        places = here.retyped(state)
        continues = bool(places) and places == self._changed and self.can_undo
        if continues and (here.is_keystroke(state) or now - self._when < _TOGETHER):
            self._states[self._at :] = [state]
        else:
            self._states[self._at + 1 :] = [state]
            del self._states[:-_MOST]
            self._at = len(self._states) - 1
        self._changed, self._when = places, now

    def undo(self) -> DraftState | None:
        """The state before; None if there is none."""
        return self._go(-1) if self.can_undo else None

    def redo(self) -> DraftState | None:
        """The state that was undone last; None if there is none."""
        return self._go(1) if self.can_redo else None

    def _go(self, by: int) -> DraftState:
        self._at += by
        self._changed = frozenset()
        return self._states[self._at]
