"""The question under way, kept by the browser's tab and given back after a reload. What comes back is never trusted."""

from __future__ import annotations

import json
from typing import Any, Final, final

from soid.errors import SoidError
from soid.query.query import QueryKind
from soid.web.page import parts
from soid.web.page.draft import Draft
from soid.web.page.session import About, Session
from soid.web.page.supposing import How

_LONGEST: Final = 100_000  # characters
_MOST: Final = 100  # suppositions


@final
class Keeping:
    """Has no face: it tells the tab what to keep, and hears what it kept."""

    def __init__(self, session: Session) -> None:
        self._session = session
        self._keeper = parts.Keeper(f"soid-draft-{session.case.id}", kept(session), on_restore=self._restore)
        session.hear(About.DRAFT, About.MOMENT, do=lambda: self._keeper.keep(kept(session)))

    def _restore(self, text: object) -> None:
        restore(self._session, text)


def kept(session: Session) -> str:
    """The question under way and its moment, as text."""
    draft = session.draft
    supposed = [{"how": each.how.value, "path": each.path, "values": list(each.values)} for each in draft.supposed]
    state = {"log": session.log, "step": session.keyframe.step, "kind": draft.kind.value, "behavior": draft.behavior}
    return json.dumps({**state, "supposed": supposed})


def restore(session: Session, text: object) -> bool:
    """Go on where the tab was; whether that was possible. What does not fit this case changes nothing."""
    if not isinstance(text, str) or len(text) > _LONGEST:
        return False
    try:
        state = json.loads(text)
        index = _index(session, state)
        draft = _draft(session, state)
    except (ValueError, KeyError, TypeError, RecursionError, SoidError):
        return False
    session.draft = draft
    session.seek(index)
    return True


def _index(session: Session, state: Any) -> int:
    """The place of the step in the log; the log must be the one that is open."""
    if state["log"] != session.log:
        raise ValueError(state["log"])
    return [step.time for step in session.trace.steps].index(state["step"])


def _draft(session: Session, state: Any) -> Draft:
    made = session.new_draft()
    made.behavior = _text(state["behavior"])
    for each in list(state["supposed"])[:_MOST]:
        how, path = How(each["how"]), _text(each["path"])
        if bool(path) is (how is How.FORMULA):
            raise ValueError(path)
        made.suppose(path, how, *map(_text, each["values"]))
    made.kind = QueryKind(state["kind"])
    return made


def _text(value: Any) -> str:
    if not isinstance(value, str):
        raise TypeError(value)
    return value
