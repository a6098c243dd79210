"""The panel that asks: the kind of question, the behavior, the whole question as a sentence, and what is under way."""

from __future__ import annotations

from functools import partial
from typing import Final, final

from soid.case.asked_line import is_line
from soid.errors import QueryError, SoidError
from soid.query.query import QueryKind
from soid.web.page import parts
from soid.web.page.behavior_choices import behaviors
from soid.web.page.job_news import on_news
from soid.web.page.jobs_panel import JobsPanel, show_answer
from soid.web.page.question_draft import DraftReading
from soid.web.page.session import About, Session
from soid.web.page.steps_row import StepsRow
from soid.web.page.told_error import told_error
from soid.web.user import UserRole
from soid.web.work.job import Job

_SAID: Final = {
    QueryKind.DID: ("did", "did it, at this moment, in fact?"),
    QueryKind.WOULD: ("would", "would it always, in every such scenario?"),
    QueryKind.MIGHT: ("might", "might it ever, in some such scenario?"),
}
_MAY_NOT: Final = "Your token lets you read what was asked, not ask."
_TYPED: Final = ""  # this choice shows the field for a typed behavior
_WHOLE: Final = QueryError("this is a whole question", "Press Enter, and it goes into the fields that it has.")


@final
class AskPanel:
    """The question of the draft."""

    def __init__(self, session: Session) -> None:
        self._session = session
        self._asked: Job | None = None  # the last question of this page; its answer is shown
        self._asked_at = (session.log, session.keyframe.step)  # unless the page shows another moment by then
        self._known = behaviors(session.interface)
        with parts.box("section", "card asking", id="ask", tabindex="-1", aria_labelledby="asking-heading"):
            parts.text("Ask", "spoken", tag="h2", id="asking-heading")
            with parts.box("div", "row"):
                with parts.box("div", "row segments", role="group", aria_label="How it is asked"):
                    self._kinds = {
                        kind: parts.button(word, partial(self._kind, kind), "segment", title=meaning)
                        for kind, (word, meaning) in _SAID.items()
                    }
                self._choice = parts.Field(
                    "What is asked about",
                    kind="select",
                    value=session.draft.behavior,
                    options=[*self._known.items(), (_TYPED, "something else, typed …")],
                    on_change=self._picked,
                )
                self._behavior = parts.Field(
                    "The behavior as query text",
                    value=session.draft.behavior,
                    on_input=self._typed,
                    on_paste=self._pasted,
                    on_enter=self._take_up,
                ).classes("behavior")
                self._steps = StepsRow(session)
            self._wrong = parts.Complaint()
            self._sentence = parts.text("", "sentence", tag="blockquote", aria_live="polite", id="question")
            self._text = parts.text("", "query", tag="code")
        with parts.box("div", "row ask-bar"):  # beside the section: what sticks does so within its parent
            self._ask = parts.button("Ask", self._put, "go", title="Ctrl-Enter")
            self._undo = parts.button("↶", session.undo, "small", aria_label="Undo", title="Undo: Ctrl-Z")
            self._redo = parts.button("↷", session.redo, "small", aria_label="Redo", title="Redo: Ctrl-Shift-Z")
            self._why_not = parts.text("", "dim")
            JobsPanel(session)
        self._behavior.set_visibility(session.draft.behavior not in self._known)
        parts.PageKeys(
            {
                "ask": lambda _: self._put(),
                "undo": lambda _: session.undo(),
                "redo": lambda _: session.redo(),
                "pasted": self._take_up,
            }
        )
        session.hear(About.DRAFT, About.MOMENT, do=self._show)
        self._show()

    # --- the question

    def _kind(self, kind: QueryKind) -> None:
        self._session.draft.kind = kind
        self._session.drafted()

    def _picked(self, text: str) -> None:
        self._behavior.set_visibility(text == _TYPED)
        if text != _TYPED:
            self._session.draft.behavior = text
            self._behavior.put(text)
            self._session.drafted()

    def _typed(self, text: str) -> None:
        self._session.draft.behavior = text
        self._session.drafted()

    def _pasted(self, pasted: dict[str, str]) -> None:
        """A whole question is taken apart, whatever was in the field; anything else is part of a behavior."""
        if not self._take_up(pasted["what"]):
            self._typed(pasted["text"])

    def _take_up(self, text: str) -> bool:
        """Compose a whole question; False if it is none."""
        if not _is_whole(text):
            return False
        try:
            self._session.paste(text.strip())
        except SoidError as error:
            self._session.refused(error)
            return False
        draft = self._session.draft
        if _is_whole(draft.behavior):  # it was typed as the behavior, and there are no fields for it
            draft.behavior = self._session.unasked.behavior
            self._session.drafted()
        self._behavior.put(draft.behavior)
        self._behavior.set_visibility(draft.behavior not in self._known)
        return True

    def _show(self) -> None:
        draft = self._session.draft
        read = draft.read()
        for kind, button in self._kinds.items():
            parts.attribute(button, "aria-pressed", "true" if kind is draft.kind else "false")
        self._choice.set("value", draft.behavior if draft.behavior in self._known else _TYPED)
        self._behavior.set("value", draft.behavior)
        if draft.behavior not in self._known:  # it was typed, perhaps before a reload of the page
            self._behavior.set_visibility(True)
        self._behavior.set("invalid", read.behavior is not None)
        self._wrong.put(_WHOLE if read.behavior is not None and _is_whole(draft.behavior) else read.behavior)
        self._steps.show()
        self._sentence.set_text(read.sentence or "The question cannot be asked yet.")
        self._text.set_text(read.text)
        history = self._session.history
        for button, can in ((self._undo, history.can_undo), (self._redo, history.can_redo)):
            parts.attribute(button, "disabled", None if can else True)
        may_ask = self._session.may(UserRole.ASK)
        parts.attribute(self._ask, "disabled", None if may_ask and read.query is not None else True)
        self._why_not.set_text((_why_not(read) or read.caution) if may_ask else _MAY_NOT)

    async def _put(self) -> None:
        session = self._session
        self._take_up(session.draft.behavior)
        read = session.draft.read()
        if read.query is None or self._is_being_asked(read.text):
            return
        moment = (session.log, session.keyframe.step)  # the slider may move before the desk has the question
        ask = partial(session.service.ask, read.query, step=session.keyframe.step, log=session.log)
        job = await parts.in_thread(ask, session.refused)
        if job is not None:
            self._asked, self._asked_at = session.work(job), moment
            on_news(job, self._answered)

    def _is_being_asked(self, text: str) -> bool:
        """Whether the desk has this question already: a second click asks no second question."""
        here = self._asked_at == (self._session.log, self._session.keyframe.step)
        running = self._asked is not None and not self._asked.state.is_final and self._asked.question == text
        return here and running

    def _answered(self) -> None:
        asked = self._asked
        if asked is not None and asked.state.is_final:
            self._asked = None
            self._session.look()
            here = self._asked_at == (self._session.log, self._session.keyframe.step)
            if here:
                show_answer(self._session, asked)


def _is_whole(text: str) -> bool:
    """Whether a text is a whole question, or begins as one: no behavior does."""
    return is_line(text) or text.split(maxsplit=1)[:1] in [[kind.value] for kind in QueryKind]


def _why_not(read: DraftReading) -> str:
    if read.problem is not None:
        return str(told_error(read.problem))
    wrong = read.query is None and any(chip.problem for chip in read.chips)
    return "A supposition has no value, or one that does not fit: it is marked above." if wrong else ""
