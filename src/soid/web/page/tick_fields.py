"""Tick boxes for a variable with few values: those that it may have, and in which steps."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from itertools import zip_longest
from typing import Final, final

from nicegui.element import Element
from nicegui.elements.mixins.text_element import TextElement

from soid.program.interface import Interface, Variable
from soid.program.types import BoolType, EnumType
from soid.query.words import called
from soid.web.page import parts
from soid.web.page.draft_steps import SpanKind, StepSpan
from soid.web.page.session import Session
from soid.web.page.span_fields import SpanFields
from soid.web.page.supposition_draft import How, SuppositionDraft

_TICKED: Final = 12  # the most labels that get a tick box each


def tick_labels(variable: Variable) -> tuple[str, ...]:
    """The values with a tick box: the labels of an enumeration, or true and false."""
    match variable.type:
        case BoolType():
            return ("false", "true")
        case EnumType(labels=labels) if len(labels) <= _TICKED:
            return tuple(label for label, _ in labels)
        case _:
            return ()


@final
class TickFields:
    """The tick boxes of one variable; they follow the draft."""

    def __init__(self, session: Session, variable: Variable, labels: tuple[str, ...], box: Element) -> None:
        self._session, self._variable, self._labels, self._box = session, variable, labels, box
        self._called = called(variable.path, session.interface)
        self._rows: list[_TickLine] = []
        self._also: TextElement | None = None

    def show(self, supposed: tuple[SuppositionDraft, ...], *, focused: bool) -> None:
        """A line for each supposition, at least one; added and removed at the end, so that none loses the keyboard."""
        wanted = max(len(supposed), 1)
        while len(self._rows) > wanted:
            self._rows.pop().all.delete()
        while len(self._rows) < wanted:
            place = len(self._rows)
            with self._box:
                ticked, timed = partial(self._tick, place), partial(self._timed, place)
                said = f"{self._called} ({place + 1})" if place else self._called
                self._rows.append(
                    _TickLine(said, self._session.interface, self._labels, ticked, timed, focused=focused and not place)
                )
        for line, each in zip_longest(self._rows, supposed):
            offered = each is not None and self._session.draft.may_have_steps(each)
            line.show(self._ticked(each), each.span if each is not None else StepSpan(), offered=offered)
        if self._also is None:
            with self._box:
                also = f"Another on {self._called}"
                self._also = parts.button("and also …", self._add_ticks, "small", aria_label=also)
        self._also.set_visibility(any(each.span.kind is not SpanKind.ALL for each in supposed))
        self._also.move(target_index=-1)

    def _ticked(self, supposed: SuppositionDraft | None) -> set[str]:
        if supposed is None:
            return set()
        if supposed.how in (How.ANYTHING, How.ANY_BITS):
            return set(self._labels)
        return {text.strip() for text in supposed.values}

    def _at(self, place: int) -> SuppositionDraft | None:
        known = self._session.draft.on(self._variable.path)
        return known[place] if place < len(known) else None

    def _tick(self, place: int, label: str, on: bool) -> None:
        """The variable may have every ticked value; without a tick it keeps its factual value."""
        draft, path, supposed = self._session.draft, self._variable.path, self._at(place)
        ticked = self._ticked(supposed) | {label} if on else self._ticked(supposed) - {label}
        chosen = [each for each in self._labels if each in ticked]
        is_bool = isinstance(self._variable.type, BoolType)
        way = How.ONE_OF if not is_bool else How.ANYTHING if len(chosen) > 1 else How.EXACTLY
        values = () if way is How.ANYTHING else chosen
        if supposed is None:
            draft.suppose(path, way, *values)
        elif chosen:
            draft.edit(supposed.id, way, *values)
        else:
            draft.remove(supposed.id)
        self._session.drafted()

    def _timed(self, place: int, span: StepSpan) -> None:
        supposed = self._at(place)
        if supposed is not None:
            self._session.compose(lambda draft: draft.time(supposed.id, span))

    def _add_ticks(self) -> None:
        """A further supposition, of other steps; it has no value yet."""
        draft = self._session.draft
        way = How.EXACTLY if isinstance(self._variable.type, BoolType) else How.ONE_OF
        draft.time(draft.suppose(self._variable.path, way).id, StepSpan(SpanKind.FROM))
        self._session.drafted()


@final
class _TickLine:
    """Tick boxes for the labels of a variable, and the steps in which it has one of the ticked values."""

    def __init__(
        self,
        said: str,
        interface: Interface,
        labels: tuple[str, ...],
        ticked: Callable[[str, bool], None],
        timed: Callable[[StepSpan], None],
        *,
        focused: bool,
    ) -> None:
        self._ticks: dict[str, parts.Field] = {}
        with parts.box("div", "lines") as self.all:
            with parts.box("div", "row ticks"):
                for place, label in enumerate(labels):
                    with parts.box("label", "tick"):
                        self._ticks[label] = parts.Field(
                            f"{said}: {label}",
                            kind="checkbox",
                            focused=focused and not place,
                            on_change=partial(ticked, label),
                        )
                        parts.text(label)
            self._span = SpanFields(said, interface, timed)

    def show(self, ticked: set[str], span: StepSpan, *, offered: bool) -> None:
        for label, field in self._ticks.items():
            field.set("checked", label in ticked)
        self._span.show(span, offered=offered)
