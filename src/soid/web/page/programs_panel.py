"""The panel that compares several programs: the same questions put to each, and their verdicts in one table."""

from __future__ import annotations

from functools import partial
from typing import final

from nicegui import ui

from soid.errors import SoidError
from soid.query.language.query_parser import parse
from soid.query.language.query_printer import to_text
from soid.query.program_names import of_program
from soid.web.page import parts
from soid.web.page.session import Session
from soid.web.work.job import Job


@final
class ProgramsPanel:
    """Questions to choose, and a row of verdicts for each that was asked."""

    def __init__(self, session: Session) -> None:
        self._session = session
        self._programs = session.case.first.program.interface.programs
        manifest = session.case.first.manifest
        self._listed = manifest.compared if manifest is not None else ()
        self._chosen = set(self._listed)
        self._cells: list[_Cell] = []
        with parts.card("Compare programs", "programs", "programs"):
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
        ui.timer(0.3, self._tick)

    def _tick_off(self, question: str, checked: bool) -> None:
        (self._chosen.add if checked else self._chosen.discard)(question)

    async def _begin(self) -> None:
        typed = self._field.typed.strip()
        questions = [*(each for each in self._listed if each in self._chosen), *([typed] if typed else [])]
        if any(not cell.job.state.is_final for cell in self._cells) or not questions:
            return
        self._wrong.put(None)
        asked: list[tuple[str, list[Job]]] = []
        for question in questions:
            jobs = await parts.in_thread(partial(self._ask, question), self._refused)
            if jobs is None:
                return
            asked.append((question, jobs))
        self._draw(asked)

    def _ask(self, question: str) -> list[Job]:
        """Put a question to each program."""
        session, interface = self._session, self._session.case.first.program.interface
        query = parse(question)
        texts = [to_text(of_program(query, program, interface)) for program in self._programs]
        return [session.service.ask(text, step=session.keyframe.step, log=session.log) for text in texts]

    def _refused(self, error: SoidError) -> None:
        self._wrong.put(error)

    def _draw(self, asked: list[tuple[str, list[Job]]]) -> None:
        self._table.clear()
        self._cells = []
        with self._table, parts.box("table", "matrix"):
            parts.text("Verdicts by program", "spoken", tag="caption")
            with parts.box("thead"), parts.box("tr"):
                for head in ("question", *self._programs):
                    parts.text(head, tag="th", scope="col")
            with parts.box("tbody"):
                for question, jobs in asked:
                    with parts.box("tr"):
                        parts.text(question, tag="th", scope="row")
                        self._cells += [
                            _Cell(self._session, name, job) for name, job in zip(self._programs, jobs, strict=True)
                        ]

    def _tick(self) -> None:
        for cell in self._cells:
            cell.refresh()


@final
class _Cell:
    """The verdict of one program on one question, once it is there."""

    def __init__(self, session: Session, program: str, job: Job) -> None:
        self._session, self._program, self.job = session, program, job
        self._drawn = False
        with parts.box("td") as self._cell:
            self._said = parts.text("…", "dim")

    def refresh(self) -> None:
        if self._drawn or not self.job.state.is_final:
            return
        self._drawn = True
        self._cell.clear()
        self._session.look()
        with self._cell:
            if self.job.result is None:
                parts.text(self.job.error.cause if self.job.error is not None else self.job.state.value, "dim")
                return
            number = int(self.job.result["entry"])
            verdict = self._session.case.recall(number).verdict
            show = partial(self._session.trying, partial(self._session.show, number))
            told = f"{self._program}: {verdict.value}, entry {number}"
            parts.button(verdict.value, show, "small", aria_label=told, title=told)
