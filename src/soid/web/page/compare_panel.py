"""The panels that compare programs, or moments: verdicts in one table, then two or three of them side by side."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from typing import Final, final

from msgspec import Struct
from nicegui.elements.mixins.text_element import TextElement

from soid.errors import SoidError
from soid.program.manifest import Manifest
from soid.query.language.query_parser import parse
from soid.web.page import parts
from soid.web.page.compared_answers import ComparedAnswers
from soid.web.page.compared_side import ComparedSide
from soid.web.page.difference_panel import DifferencePanel
from soid.web.page.job_news import on_news
from soid.web.page.linked_maps import LinkedMaps
from soid.web.page.session import Session
from soid.web.page.side_choice import MomentChoice, ProgramChoice, SideChoice, is_enough
from soid.web.page.told_error import told_error
from soid.web.work.job import Job


@final
class _PanelTexts(Struct, frozen=True):
    """What a panel says of those that it compares."""

    kind: str  # for the page's parts
    heading: str
    lead: str
    field: str
    caption: str


_PROGRAMS: Final = _PanelTexts(
    "programs",
    "Compare programs",
    "Each is asked the same. A verdict opens its answer.",
    "Another question, of each program",
    "Verdicts by program",
)
_MOMENTS: Final = _PanelTexts(
    "moments",
    "Compare moments",
    "The same is asked at two or three moments. A verdict opens its answer.",
    "Another question, at each moment",
    "Verdicts by moment",
)


def compare_programs(session: Session) -> None:
    """The panel for a project that has several programs."""
    manifest = session.case.first.manifest
    _ComparePanel(session, ProgramChoice(session), _PROGRAMS, manifest.compared if manifest is not None else ())
    DifferencePanel(session)


def compare_moments(session: Session) -> None:
    """The panel for any project; it is folded until it is wanted."""
    manifest = session.case.first.manifest
    with parts.box("details", "card compare-moments"):
        parts.text("Compare moments, side by side", tag="summary")
        _ComparePanel(session, MomentChoice(session), _MOMENTS, _questions(manifest))


def _questions(manifest: Manifest | None) -> tuple[str, ...]:
    """The questions of a manifest, each once."""
    return tuple(dict.fromkeys((*manifest.questions, *manifest.compared))) if manifest is not None else ()


@final
class _ComparePanel:
    """Questions to choose, a row of verdicts for each that was asked, and what is shown side by side."""

    def __init__(self, session: Session, choice: SideChoice, words: _PanelTexts, listed: tuple[str, ...]) -> None:
        self._session = session
        self._choice = choice
        self._words = words
        self._listed = listed
        self._chosen = set(listed) if choice.is_made else set()
        self._rows: list[_QuestionRow] = []
        self._shown: _QuestionRow | None = None  # whose answers are side by side
        with parts.card(words.heading, words.kind, words.kind) as card:
            card.props["id"] = words.kind
            parts.text(words.lead, "dim", tag="p")
            if not choice.is_made:
                choice.draw(self._put_beside)
            for each in listed:
                with parts.box("label", "tick"):
                    parts.Field(
                        self._said(each),
                        kind="checkbox",
                        checked=each in self._chosen,
                        on_change=partial(self._tick_off, each),
                    )
                    parts.text(self._said(each), title=each)
            with parts.box("div", "row"):
                self._field = parts.Field(words.field, placeholder="another question, as text", kept=True).classes(
                    "behavior"
                )
                self._compare = parts.button("Compare", self._begin)
            self._wrong = parts.Complaint()
            self._table = parts.box("div")
            if choice.is_made:
                choice.draw(self._put_beside)
            self._answers = ComparedAnswers(session)
            self._maps = LinkedMaps(session, lambda: choice.beside, listed, group=words.kind)
        self._offer()

    def _offer(self) -> None:
        parts.attribute(self._compare, "disabled", None if len(self._choice.asked) > 1 else True)

    def _put_beside(self) -> None:
        self._offer()
        self._maps.moved()
        if self._shown is not None and is_enough(self._choice.beside):
            self._show(self._shown)

    def _said(self, question: str) -> str:
        """A question in words, of whichever side; as it was typed where it cannot be read."""
        sides = self._choice.asked
        try:
            return sides[0].sentence(parse(question), self._session.interface) if sides else question
        except SoidError:
            return question

    # --- asking

    def _tick_off(self, question: str, checked: bool) -> None:
        (self._chosen.add if checked else self._chosen.discard)(question)

    async def _begin(self) -> None:
        typed = self._field.typed.strip()
        questions = [*(each for each in self._listed if each in self._chosen), *([typed] if typed else [])]
        if not all(row.is_final for row in self._rows) or not questions:
            return
        self._wrong.put(None)
        asked: list[tuple[str, dict[ComparedSide, Job]]] = []
        for question in questions:
            jobs = await parts.in_thread(partial(self._ask, question), self._refused)
            if jobs is None:
                return
            asked.append((question, jobs))
        self._draw(asked)

    def _ask(self, question: str) -> dict[ComparedSide, Job]:
        """Put a question to each side."""
        service, interface = self._session.service, self._session.case.first.program.interface
        query, sides = parse(question), self._choice.asked
        texts = {side: side.asked(query, interface) for side in sides}
        return {side: service.ask(text, step=side.step, log=side.log) for side, text in texts.items()}

    def _refused(self, error: SoidError) -> None:
        self._wrong.put(error)

    # --- the table

    def _draw(self, asked: list[tuple[str, dict[ComparedSide, Job]]]) -> None:
        self._table.clear()
        self._answers.clear()
        self._shown = None
        with self._table, parts.box("table", "matrix", role="table"):  # roles, as narrow screens lay it out anew
            parts.text(self._words.caption, "spoken", tag="caption")
            with parts.box("thead", role="rowgroup"), parts.box("tr", role="row"):
                for head in ("question", *(side.name for side in asked[0][1]), "answers"):
                    parts.text(head, tag="th", scope="col", role="columnheader")
            with parts.box("tbody", role="rowgroup"):
                self._rows = [
                    _QuestionRow(self._session, question, self._said(question), jobs, self._show)
                    for question, jobs in asked
                ]
        for job in (job for _, jobs in asked for job in jobs.values()):
            on_news(job, self._follow)

    def _follow(self) -> None:
        for row in self._rows:
            row.refresh()
        if self._shown is None and self._rows and self._rows[0].is_final:
            self._show(self._rows[0])

    def _show(self, row: _QuestionRow) -> None:
        """Show the answers to the question of a row side by side."""
        self._shown = row
        for each in self._rows:
            each.press(each is row)
        beside = [side for side in row.jobs if side in self._choice.beside]
        self._answers.show(row.said, {side: row.jobs[side] for side in beside})


@final
class _QuestionRow:
    """One question, with the verdict of each side once it is there."""

    def __init__(
        self,
        session: Session,
        question: str,
        said: str,
        jobs: Mapping[ComparedSide, Job],
        show: Callable[[_QuestionRow], None],
    ) -> None:
        self.said, self.jobs = said, jobs
        with parts.box("tr", role="row"):
            parts.text(said, tag="th", scope="row", role="rowheader", title=question)
            self._cells = [_Cell(session, side, job) for side, job in jobs.items()]
            with parts.box("td", role="cell"):
                self._button: TextElement = parts.button(
                    "side by side", partial(show, self), "small segment", aria_label=f"Side by side: {said}"
                )
        self.press(False)

    @property
    def is_final(self) -> bool:
        return all(job.state.is_final for job in self.jobs.values())

    def press(self, pressed: bool) -> None:
        parts.attribute(self._button, "aria-pressed", "true" if pressed else "false")
        parts.attribute(self._button, "disabled", None if self.is_final else True)

    def refresh(self) -> None:
        for cell in self._cells:
            cell.refresh()
        if self.is_final:
            parts.attribute(self._button, "disabled", None)


@final
class _Cell:
    """The verdict of one side on one question, once it is there."""

    def __init__(self, session: Session, side: ComparedSide, job: Job) -> None:
        self._session, self._side, self._job = session, side, job
        self._drawn = False
        with parts.box("td", role="cell", data_side=side.name) as self._cell:
            parts.text("…", "dim")

    def refresh(self) -> None:
        if self._drawn or not self._job.state.is_final:
            return
        self._drawn = True
        self._cell.clear()
        self._session.look()
        with self._cell:
            if self._job.result is None:
                error = self._job.error
                parts.text(told_error(error).cause if error is not None else self._job.state.value, "dim")
                return
            number = int(self._job.result["entry"])
            verdict = self._session.case.recall(number).verdict
            show = partial(self._session.trying, partial(self._session.open_entry, number))
            told = f"{self._side.name}: {verdict.value}, entry {number}"
            parts.button(verdict.value, show, "small", aria_label=told, title=told)
