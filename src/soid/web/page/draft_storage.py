"""The draft of a question, stored in the browser's tab and restored after a reload. Restored text is not trusted."""

from __future__ import annotations

import json
from functools import partial
from typing import Any, Final

from soid.errors import SoidError
from soid.query.query import QueryKind
from soid.query.steps import Over
from soid.scenario.expression import Comparison
from soid.scenario.future import Future
from soid.web.page import parts
from soid.web.page.address import address_of
from soid.web.page.draft_steps import SpanKind, StepSpan, UntilDraft
from soid.web.page.question_draft import QuestionDraft
from soid.web.page.session import About, Session
from soid.web.page.supposition_draft import How

_LONGEST: Final = 100_000  # characters
_MOST: Final = 100  # suppositions


def store_draft(session: Session) -> None:
    """Restore what the tab stored, and send each change of the draft to the tab."""
    place = parts.own_place(session.service.user, f"draft-{session.service.id}")
    keeper = parts.Keeper({"restore": partial(restore, session)}, place=place, state=kept(session))
    session.hear(About.DRAFT, About.MOMENT, do=lambda: parts.attribute(keeper, "state", kept(session)))


def kept(session: Session) -> str:
    """The draft, its moment and the page's address, as text."""
    draft = session.draft
    supposed = [
        {"how": each.how.value, "path": each.path, "values": list(each.values), "span": _span_state(each.span)}
        for each in draft.supposed
    ]
    address = address_of(session)
    state = {"log": session.log, "step": session.keyframe.step, "kind": draft.kind.value, "behavior": draft.behavior}
    over = draft.over.value if draft.over is not None else None
    world = {"over": over, "count": draft.count, "future": draft.future.value}
    return json.dumps({**state, **world, "supposed": supposed, "address": address})


def _span_state(span: StepSpan) -> list[str]:
    return [span.kind.value, span.first, span.last, span.until.name, span.until.sign.value, span.until.value]


def restore(session: Session, text: object) -> bool:
    """Restore a stored draft; False, without any change, if it does not fit this case.

    A page that was opened with an address shows what that says: then only what was stored of the same one is restored.
    """
    if not isinstance(text, str) or len(text) > _LONGEST:
        return False
    try:
        state = json.loads(text)
        if session.opened is not None and session.opened != state["address"]:
            return False
        index = _index(session, state)
        draft = _draft(session, state)
    except (ValueError, KeyError, TypeError, RecursionError, SoidError):
        return False
    session.begin_with(draft)
    session.seek(index)
    return True


def _index(session: Session, state: Any) -> int:
    """The index of the stored step; the stored log must be the open one."""
    if state["log"] != session.log:
        raise ValueError(state["log"])
    time = state["step"]
    if not isinstance(time, int) or session.trace.step(time) is None:
        raise ValueError(time)
    return session.trace.place(time)


def _draft(session: Session, state: Any) -> QuestionDraft:
    made = session.new_draft()
    made.behavior = _text(state["behavior"])
    for each in list(state["supposed"])[:_MOST]:
        how, path = How(each["how"]), _text(each["path"])
        if bool(path) is (how is How.FORMULA):
            raise ValueError(path)
        supposed = made.suppose(path, how, *map(_text, each["values"]))
        kind, first, last, name, sign, value = map(_text, each["span"])
        until = UntilDraft(name, Comparison(sign), value)
        made.time(supposed.id, StepSpan(SpanKind(kind), first, last, until))
    made.kind = QueryKind(state["kind"])
    made.over = Over(state["over"]) if state["over"] is not None else None
    made.count, made.future = _text(state["count"]), Future(state["future"])
    return made


def _text(value: Any) -> str:
    if not isinstance(value, str):
        raise TypeError(value)
    return value
