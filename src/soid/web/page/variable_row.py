"""The row of one variable in the editor: its factual value, its limits, and fields for its suppositions."""

from __future__ import annotations

from functools import partial
from typing import Final, final

from soid.program.interface import Variable
from soid.query.words import called
from soid.query.words.amount_words import DEGREES, in_radians
from soid.web.page import parts
from soid.web.page.amounts import in_unit, over
from soid.web.page.draft_steps import StepSpan
from soid.web.page.session import Session
from soid.web.page.span_fields import SpanFields
from soid.web.page.supposition_draft import CHOICES, WORDLESS, How, SuppositionDraft, choices
from soid.web.page.tick_fields import TickFields, tick_labels

_AS_IN_FACT: Final = ""


@final
class VariableRow:
    """A row that follows the draft; a field that is being typed in is never rebuilt, so it keeps the keyboard."""

    def __init__(self, session: Session, variable: Variable, *, focused: bool = False) -> None:
        self.path = variable.path
        self._session = session
        self._variable = variable
        self._called = called(variable.path, session.interface)
        self._built: tuple[object, ...] | None = None
        self._fields: dict[tuple[int, int], parts.Field] = {}
        self._spans: dict[int, SpanFields] = {}  # by supposition
        with parts.box("div", "variable", role="group", aria_label=self._called):
            with parts.box("div", "names"):
                parts.text(self._called, "name", title=variable.path)
                self._was = parts.text("", "was")
                labels = tick_labels(variable)
                if not labels:
                    parts.text(f"limits: {over(variable)}", "limits", title=variable.path)
            self._lines = parts.box("div", "lines")
            self._ticks = TickFields(session, variable, labels, self._lines) if labels else None
        self.refresh(focused=focused)

    def refresh(self, *, focused: bool = False) -> None:
        supposed = self._session.draft.on(self._variable.path)
        self._was.set_text(f"was {self._session.draft.was(self._variable)}")
        since = (each.how for each in self._session.keyframe.supplied.derived if each.variable == self._variable)
        parts.attribute(self._was, "title", next(since, ""))
        shape = _shape(supposed)
        if self._ticks is not None:
            self._ticks.show(supposed, focused=focused)
        elif shape != self._built:
            self._built = shape
            self._build(supposed, focused)
        else:
            for each in supposed:
                for place, text in enumerate(each.values):
                    if (each.id, place) in self._fields:
                        self._fields[each.id, place].set("value", _number(text))
        for each in supposed:
            if each.id in self._spans:
                self._spans[each.id].show(each.span, offered=self._session.draft.may_have_steps(each))

    def _time(self, id_: int, span: StepSpan) -> None:
        self._session.compose(lambda draft: draft.time(id_, span))

    # --- typed values

    def _build(self, supposed: tuple[SuppositionDraft, ...], focused: bool) -> None:
        self._lines.clear()
        self._fields, self._spans = {}, {}
        with self._lines:
            for each in supposed:
                self._line(each, focused)
            if not supposed:
                self._line(None, focused)
            else:
                another = partial(self._suppose, How.BETWEEN)
                parts.button("and also …", another, "small", aria_label=f"Another on {self._called}")

    def _line(self, supposed: SuppositionDraft | None, focused: bool) -> None:
        known = choices(self._variable)
        offered = (
            known if supposed is None or supposed.how in known else (*known, supposed.how)
        )  # a question was taken up
        ways = [(how.value, CHOICES[how]) for how in offered]
        unknown = self._variable.path in self._session.keyframe.assumed  # what it was in fact is not known
        with parts.box("div", "row line"):
            parts.Field(
                f"How {self._called} may differ",
                kind="select",
                value=supposed.how.value if supposed is not None else _AS_IN_FACT,
                options=[(_AS_IN_FACT, "as it was" if unknown else "as in fact"), *ways],
                focused=focused,
                on_change=lambda how: self._way(supposed, how),
            )
            if supposed is not None:
                self._inputs(supposed)
        if supposed is not None:
            self._spans[supposed.id] = SpanFields(
                self._called, self._session.interface, partial(self._time, supposed.id)
            )

    def _way(self, supposed: SuppositionDraft | None, how: str) -> None:
        if supposed is None:
            if how != _AS_IN_FACT:
                self._suppose(How(how))
        elif how == _AS_IN_FACT:
            self._session.compose(lambda draft: draft.remove(supposed.id))
        else:
            self._edit(supposed.id, How(how), *_empty(How(how)))

    def _suppose(self, how: How) -> None:
        self._session.compose(lambda draft: draft.suppose(self._variable.path, how, *_empty(how)))

    def _inputs(self, supposed: SuppositionDraft) -> None:
        match supposed.how:
            case how if how in WORDLESS or how is How.FORMULA:
                return
            case How.BELOW | How.ABOVE:
                self._other(supposed)
            case How.BETWEEN:
                self._value(supposed, 0, "least")
                parts.text("and")
                self._value(supposed, 1, "greatest")
                self._unit(supposed)
            case How.ONE_OF:
                self._set(supposed)
            case _:
                self._value(supposed, 0, "value" if supposed.how is How.EXACTLY else "distance")
                self._unit(supposed)

    def _value(self, supposed: SuppositionDraft, place: int, what: str) -> None:
        unit = f" in {self._variable.unit}" if self._variable.unit else ""
        self._fields[supposed.id, place] = parts.Field(
            f"{self._called}: {what}{unit}",
            value=_number(supposed.values[place]) if place < len(supposed.values) else "",
            placeholder=what,
            on_input=lambda text: self._typed(supposed.id, place, text),
        ).classes("number")

    def _typed(self, id_: int, place: int, text: str) -> None:
        known = self._session.draft.get(id_)
        if known is not None:
            values = list(known.values)
            values[place] = text + (DEGREES if _in_degrees(known) else "")
            self._edit(id_, known.how, *values)

    def _unit(self, supposed: SuppositionDraft) -> None:
        """The unit; for an angle, the choice between radians and degrees."""
        if not in_radians(self._variable):
            if self._variable.unit:
                parts.text(self._variable.unit, "unit")
            return
        parts.Field(
            f"Unit of {self._called}",
            kind="select",
            value=DEGREES if _in_degrees(supposed) else self._variable.unit,
            options=[(self._variable.unit, self._variable.unit), (DEGREES, "degrees")],
            on_change=lambda unit: self._measure(supposed.id, unit),
        )

    def _measure(self, id_: int, unit: str) -> None:
        """Show the same angles in the other unit."""
        known = self._session.draft.get(id_)
        if known is not None:
            self._built = None
            self._edit(id_, known.how, *(in_unit(self._variable, text, unit) for text in known.values))

    def _set(self, supposed: SuppositionDraft) -> None:
        self._fields[supposed.id, 0] = parts.Field(
            f"{self._called}: values, with commas between them",
            value=", ".join(supposed.values),
            placeholder="1, 2, 5..7",
            on_input=lambda text: self._listed(supposed.id, text),
        )

    def _listed(self, id_: int, text: str) -> None:
        values = tuple(piece.strip() for piece in text.split(",") if piece.strip())
        self._session.draft.edit(id_, How.ONE_OF, *values)
        self._built = _shape(self._session.draft.on(self._variable.path))
        self._session.drafted()

    def _other(self, supposed: SuppositionDraft) -> None:
        """The choice of a variable to compare with: same type, same unit."""
        mine, was = self._variable, self._session.draft.was
        alike = [
            each
            for each in self._session.interface.inputs
            if each.type == mine.type and each.unit == mine.unit and each != mine
        ]
        named = [(each.path, f"{called(each.path, self._session.interface)} ({was(each)})") for each in alike]
        parts.Field(
            f"What {self._called} is compared with",
            kind="select",
            value=supposed.values[0] if supposed.values else "",
            options=[("", "choose …"), *named],
            on_change=lambda path: self._edit(supposed.id, supposed.how, path),
        )

    def _edit(self, id_: int, how: How, *values: str) -> None:
        self._session.compose(lambda draft: draft.edit(id_, how, *values))


def _empty(how: How) -> tuple[str, ...]:
    """The fields start empty: a value that the user did not type is never asked about."""
    return ("", "") if how is How.BETWEEN else () if how in WORDLESS else ("",)


def _shape(supposed: tuple[SuppositionDraft, ...]) -> tuple[object, ...]:
    """What decides which fields there are."""
    return tuple((each.id, each.how, len(each.values)) for each in supposed)


def _in_degrees(supposed: SuppositionDraft) -> bool:
    return any(text.endswith(DEGREES) for text in supposed.values)


def _number(text: str) -> str:
    """The text of a field, without the unit that stands beside it."""
    return text.removesuffix(DEGREES)
