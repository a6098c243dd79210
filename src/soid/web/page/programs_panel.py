"""The panel that compares several programs: verdicts in one table, then two or three programs side by side."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from typing import final

from nicegui import ui
from nicegui.elements.mixins.text_element import TextElement

from soid.errors import SoidError
from soid.query.language.query_parser import parse
from soid.query.language.query_printer import to_text
from soid.query.program_names import of_program
from soid.web.page import parts
from soid.web.page.compared_answers import ComparedAnswers
from soid.web.page.linked_maps import LinkedMaps
from soid.web.page.map_set import FEWEST, MOST
from soid.web.page.session import Session
from soid.web.work.job import Job


@final
class ProgramsPanel:
    """Questions to choose, a row of verdicts for each that was asked, and what is shown side by side."""

    def __init__(self, session: Session) -> None:
        self._session = session
        self._programs = session.case.first.program.interface.programs
        manifest = session.case.first.manifest
        self._listed = manifest.compared if manifest is not None else ()
        self._chosen = set(self._listed)
        self._beside = list(self._programs[:MOST])
        self._rows: list[_QuestionRow] = []
        self._shown: _QuestionRow | None = None  # whose answers are side by side
        with parts.card("Compare programs", "programs", "programs") as card:
            card.props["id"] = "programs"
            parts.text("Each is asked the same. A verdict opens its answer.", "dim", tag="p")
            for each in self._listed:
                with parts.box("label", "tick"):
                    parts.Field(each, kind="checkbox", checked=True, on_change=partial(self._tick_off, each))
                    parts.text(each, "query", tag="code")
            with parts.box("div", "row"):
                self._field = parts.Field("Another question, of each program", kept=True).classes("behavior")
                parts.button("Compare", self._begin)
            self._wrong = parts.Complaint()
            self._table = parts.box("div")
            self._choice()
            self._answers = ComparedAnswers(session)
            self._maps = LinkedMaps(session, lambda: self._beside, self._listed)
        ui.timer(0.3, self._tick)

    # --- the programs that are shown side by side

    def _choice(self) -> None:
        with parts.box("fieldset", "row beside-choice"):
            parts.text("Side by side:", "dim", tag="legend")
            for each in self._programs:
                with parts.box("label", "tick"):
                    put = partial(self._put_beside, each)
                    parts.Field(each, kind="checkbox", checked=each in self._beside, on_change=put)
                    parts.text(each)
            self._asked_for = parts.text("", "caution", role="status")

    def _put_beside(self, program: str, checked: bool) -> None:
        self._beside = [each for each in self._programs if (checked if each == program else each in self._beside)]
        enough = FEWEST <= len(self._beside) <= MOST
        self._asked_for.set_text("" if enough else f"Choose {FEWEST} or {MOST}.")
        self._maps.offer()
        if self._shown is not None and enough:
            self._show(self._shown)

    # --- asking

    def _tick_off(self, question: str, checked: bool) -> None:
        (self._chosen.add if checked else self._chosen.discard)(question)

    async def _begin(self) -> None:
        typed = self._field.typed.strip()
        questions = [*(each for each in self._listed if each in self._chosen), *([typed] if typed else [])]
        if not all(row.is_final for row in self._rows) or not questions:
            return
        self._wrong.put(None)
        asked: list[tuple[str, dict[str, Job]]] = []
        for question in questions:
            jobs = await parts.in_thread(partial(self._ask, question), self._refused)
            if jobs is None:
                return
            asked.append((question, jobs))
        self._draw(asked)

    def _ask(self, question: str) -> dict[str, Job]:
        """Put a question to each program."""
        session, interface = self._session, self._session.case.first.program.interface
        query, (step, log) = parse(question), (session.keyframe.step, session.log)
        texts = {program: to_text(of_program(query, program, interface)) for program in self._programs}
        return {program: session.service.ask(text, step=step, log=log) for program, text in texts.items()}

    def _refused(self, error: SoidError) -> None:
        self._wrong.put(error)

    # --- the table

    def _draw(self, asked: list[tuple[str, dict[str, Job]]]) -> None:
        self._table.clear()
        self._answers.clear()
        self._shown = None
        with self._table, parts.box("table", "matrix", role="table"):  # roles, as narrow screens lay it out anew
            parts.text("Verdicts by program", "spoken", tag="caption")
            with parts.box("thead", role="rowgroup"), parts.box("tr", role="row"):
                for head in ("question", *self._programs, "answers"):
                    parts.text(head, tag="th", scope="col", role="columnheader")
            with parts.box("tbody", role="rowgroup"):
                self._rows = [_QuestionRow(self._session, question, jobs, self._show) for question, jobs in asked]

    def _tick(self) -> None:
        for row in self._rows:
            row.refresh()
        if self._shown is None and self._rows and self._rows[0].is_final:
            self._show(self._rows[0])

    def _show(self, row: _QuestionRow) -> None:
        """Show the answers to the question of a row side by side."""
        self._shown = row
        for each in self._rows:
            each.press(each is row)
        self._answers.show(row.question, {program: row.jobs[program] for program in self._beside})


@final
class _QuestionRow:
    """One question, with the verdict of each program once it is there."""

    def __init__(
        self, session: Session, question: str, jobs: Mapping[str, Job], show: Callable[[_QuestionRow], None]
    ) -> None:
        self.question, self.jobs = question, jobs
        with parts.box("tr", role="row"):
            parts.text(question, tag="th", scope="row", role="rowheader")
            self._cells = [_Cell(session, name, job) for name, job in jobs.items()]
            with parts.box("td", role="cell"):
                said = f"Side by side: {question}"
                self._button: TextElement = parts.button(
                    "side by side", partial(show, self), "small segment", aria_label=said
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
    """The verdict of one program on one question, once it is there."""

    def __init__(self, session: Session, program: str, job: Job) -> None:
        self._session, self._program, self._job = session, program, job
        self._drawn = False
        with parts.box("td", role="cell", data_program=program) as self._cell:
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
                parts.text(error.cause if error is not None else self._job.state.value, "dim")
                return
            number = int(self._job.result["entry"])
            verdict = self._session.case.recall(number).verdict
            show = partial(self._session.trying, partial(self._session.show, number))
            told = f"{self._program}: {verdict.value}, entry {number}"
            parts.button(verdict.value, show, "small", aria_label=told, title=told)
