"""The fields for the steps in which one supposition holds."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final, final

from msgspec.structs import replace

from soid.program.interface import Interface
from soid.program.types import BoolType, EnumType
from soid.query.words import called
from soid.scenario.expression import Comparison
from soid.web.page import parts
from soid.web.page.draft_steps import SPANS, SpanKind, StepSpan, UntilDraft

_EQUAL: Final = {Comparison.EQ: "is", Comparison.NE: "is not"}
_SIGNS: Final = {
    **_EQUAL,
    Comparison.LT: "is less than",
    Comparison.LE: "is at most",
    Comparison.GT: "is more than",
    Comparison.GE: "is at least",
}


@final
class SpanFields:
    """A choice, up to two numbers, and a decision; they change in place, so that a typed field keeps the keyboard."""

    def __init__(self, said: str, interface: Interface, change: Callable[[StepSpan], None]) -> None:
        self._span = StepSpan()
        self._change = change
        with parts.box("div", "row line span") as self._all:
            options = [(kind.value, words) for kind, words in SPANS.items()]
            self._kind = parts.Field(f"When {said} differs", kind="select", options=options, on_change=self._chosen)
            self._first = self._number(f"{said}: first step", lambda text: replace(self._span, first=text))
            self._to = parts.text("to")
            self._last = self._number(f"{said}: last step", lambda text: replace(self._span, last=text))
            self._until = _UntilFields(said, interface, self._ended)

    def _number(self, label: str, typed: Callable[[str], StepSpan]) -> parts.Field:
        field = parts.Field(label, placeholder="step or time", on_input=lambda text: self._change(typed(text)))
        return field.classes("number")

    def _chosen(self, kind: str) -> None:
        self._change(replace(self._span, kind=SpanKind(kind)))

    def _ended(self, until: UntilDraft) -> None:
        self._change(replace(self._span, until=until))

    def show(self, span: StepSpan, *, offered: bool) -> None:
        self._span = span
        self._all.set_visibility(offered)
        for field, text in ((self._kind, span.kind.value), (self._first, span.first), (self._last, span.last)):
            field.set("value", text)
        self._first.set_visibility(span.kind.has_first)
        for element in (self._to, self._last):
            element.set_visibility(span.kind is SpanKind.FROM_TO)
        self._until.show(span.until, offered=span.kind.has_until)


@final
class _UntilFields:
    """The decision that ends a supposition: a variable, how it compares, and a value."""

    def __init__(self, said: str, interface: Interface, change: Callable[[UntilDraft], None]) -> None:
        self._until = UntilDraft()
        self._outputs = {output.name: output.variable for output in interface.outputs}
        self._change = change
        names = [(name, called(name, interface)) for name in self._outputs]
        with parts.box("div", "row line") as self._all:
            parts.text("until")
            self._name = parts.Field(
                f"{said}: what ends it",
                kind="select",
                options=[("", "choose …"), *names],
                on_change=lambda name: change(UntilDraft(name)),
            )
            self._sign = parts.Field(f"{said}: how that compares", kind="select", on_change=self._compared)
            self._label = parts.Field(f"{said}: the value that ends it", kind="select", on_change=self._valued)
            self._number = parts.Field(f"{said}: the number that ends it", placeholder="value", on_input=self._valued)
            self._number.classes("number")
            self._unit = parts.text("", "unit")

    def _compared(self, sign: str) -> None:
        self._change(replace(self._until, sign=Comparison(sign)))

    def _valued(self, value: str) -> None:
        self._change(replace(self._until, value=value))

    def show(self, until: UntilDraft, *, offered: bool) -> None:
        self._until = until
        self._all.set_visibility(offered)
        variable = self._outputs.get(until.name)
        labels = self._labels(until.name)
        signs = _EQUAL if labels else _SIGNS
        self._name.set("value", until.name)
        self._sign.set("options", [(sign.value, words) for sign, words in signs.items()])
        self._sign.set("value", until.sign.value)
        self._label.set("options", [("", "choose …"), *((label, label) for label in labels)])
        for field in (self._label, self._number):
            field.set("value", until.value)
        self._unit.set_text(variable.unit if variable is not None else "")
        self._sign.set_visibility(variable is not None)
        self._label.set_visibility(bool(labels))
        for element in (self._number, self._unit):
            element.set_visibility(variable is not None and not labels)

    def _labels(self, name: str) -> tuple[str, ...]:
        """The values of an output that have names."""
        kind = self._outputs[name].type if name in self._outputs else None
        if isinstance(kind, BoolType):
            return ("true", "false")
        return tuple(label for label, _ in kind.labels) if isinstance(kind, EnumType) else ()
