"""The fields for the steps in which one supposition holds."""

from __future__ import annotations

from collections.abc import Callable
from typing import final

from msgspec.structs import replace

from soid.web.page import parts
from soid.web.page.draft_steps import SPANS, SpanKind, StepSpan


@final
class SpanFields:
    """A choice and up to two numbers; they change in place, so that a field that is typed in keeps the keyboard."""

    def __init__(self, said: str, change: Callable[[StepSpan], None]) -> None:
        self._span = StepSpan()
        self._change = change
        with parts.box("div", "row line span") as self._all:
            options = [(kind.value, words) for kind, words in SPANS.items()]
            self._kind = parts.Field(f"When {said} differs", kind="select", options=options, on_change=self._chosen)
            self._first = self._number(f"{said}: first step", lambda text: replace(self._span, first=text))
            self._to = parts.text("to")
            self._last = self._number(f"{said}: last step", lambda text: replace(self._span, last=text))

    def _number(self, label: str, typed: Callable[[str], StepSpan]) -> parts.Field:
        field = parts.Field(label, placeholder="step", on_input=lambda text: self._change(typed(text)))
        return field.classes("number")

    def _chosen(self, kind: str) -> None:
        self._change(replace(self._span, kind=SpanKind(kind)))

    def show(self, span: StepSpan, *, offered: bool) -> None:
        self._span = span
        self._all.set_visibility(offered)
        for field, text in ((self._kind, span.kind.value), (self._first, span.first), (self._last, span.last)):
            field.set("value", text)
        self._first.set_visibility(span.kind is not SpanKind.ALL)
        for element in (self._to, self._last):
            element.set_visibility(span.kind is SpanKind.FROM_TO)
