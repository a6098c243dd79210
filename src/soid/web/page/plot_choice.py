"""The choice of variables for the plot of the log; the browser remembers it for each case."""

from __future__ import annotations

import json
from collections.abc import Callable
from functools import partial
from typing import Final, final

from soid.program.interface import Interface
from soid.query.words import called, listed
from soid.scenario.log_series import LoggedSeries
from soid.web.page import parts
from soid.web.page.plot_view import PlotView

_LONGEST: Final = 20_000  # characters of a remembered choice
_LISTED: Final = 60  # variables to choose from; a search finds the others
_SEARCHED: Final = 12  # variables from which on there is a search


@final
class PlotChoice:
    """A tick box for each variable; the browser stores under `place` what was chosen."""

    def __init__(self, place: str, interface: Interface, redraw: Callable[[], None]) -> None:
        self.kept: tuple[str, ...] = ()  # what the user chose; empty: nothing yet
        self._view: PlotView | None = None
        self._redraw = redraw
        self._interface = interface
        self._keeper = parts.Keeper({"restore": self._restore}, place=place, state="", lasting=True)
        self._search = parts.Field(
            "Find a variable to plot",
            kind="search",
            placeholder="search: a name or a word",
            on_input=self._list,
        )
        self._ticks = parts.box("div", "row ticks")

    def show(self, view: PlotView) -> None:
        """Offer the variables of a view."""
        self._view = view
        self._search.set_visibility(len(view.log.series) >= _SEARCHED)
        self._list("")

    def _list(self, search: str) -> None:
        view = self._view
        if view is None:
            return
        words = search.lower().split()
        known = [(each, f"{each.name} {called(each.name, self._interface)}".lower()) for each in view.log.series]
        found = [each for each, text in known if all(word in text for word in words)]
        self._ticks.clear()
        with self._ticks:
            for each in found[:_LISTED]:
                self._tick(each, shown=each.name in view.names)
            if len(found) > _LISTED:
                parts.text(f"and {len(found) - _LISTED} more: search for them.", "dim")
            if view.log.absent:
                absent = listed(called(path, self._interface) for path in view.log.absent)
                parts.text(f"Not logged: {absent}.", "dim")

    def _tick(self, each: LoggedSeries, *, shown: bool) -> None:
        with parts.box("label", "tick"):
            said = called(each.name, self._interface)
            parts.Field(f"Plot {said}", kind="checkbox", checked=shown, on_change=partial(self._ticked, each.name))
            parts.text(said, title=each.name)

    def _ticked(self, name: str, on: bool) -> None:
        if self._view is not None:
            self._view.choose(name, shown=bool(on))
            self.kept = self._view.names
            parts.attribute(self._keeper, "state", json.dumps(self.kept))
            self._redraw()

    def _restore(self, text: object) -> None:
        """What the browser remembers; it is not trusted."""
        self.kept = remembered(text)
        if self._view is not None and self.kept:
            self._view.take(self.kept)
            self._list("")
            self._redraw()


def remembered(text: object) -> tuple[str, ...]:
    """The names in a remembered text; none if it is no list of names."""
    if not isinstance(text, str) or len(text) > _LONGEST:
        return ()
    try:
        names = json.loads(text)
    except (ValueError, RecursionError):
        return ()
    return tuple(names) if isinstance(names, list) and all(isinstance(name, str) for name in names) else ()
