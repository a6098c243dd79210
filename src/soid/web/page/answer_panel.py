"""The panel with an answer: its verdict, its scenario with the changes first, and what the answer rests on."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from typing import Final, final

from soid.case.case import RecordedAnswer
from soid.case.report.phrases import (
    MEANINGS,
    all_digits,
    badge,
    sentence_of,
    world_besides,
)
from soid.case.shown_pair import ShownPair, shown_pair
from soid.case.studies import explanation_wanted
from soid.engine.summary import Decided
from soid.errors import SoidError
from soid.explanation.explanation_words import explanation
from soid.explanation.refusal import refusal
from soid.oracle.answer import Answer
from soid.program.interface import Interface
from soid.query.query import QueryKind
from soid.query.words import called, counted, sentence
from soid.scenario import input_names
from soid.scenario.input_names import NO_STEPS
from soid.scenario.origin import Origin
from soid.web.page import parts, scenario_tables
from soid.web.page.amounts import capital
from soid.web.page.answer_film import AnswerFilm
from soid.web.page.answer_ways import AnswerWays
from soid.web.page.job_news import on_news
from soid.web.page.open_answer import OpenAnswer, told_besides
from soid.web.page.session import About, Session
from soid.web.page.told_error import told_error
from soid.web.work.job import Job, JobState
from soid.witness.witness import Witness

_OUTCOMES: Final = 4  # rows that are seen at once
_LOOKING: Final = "What mattered is being looked for …"


@final
class AnswerPanel:
    """The answer that is shown, if there is one."""

    def __init__(self, session: Session) -> None:
        self._session = session
        self._explaining: dict[int, Job] = {}  # by entry
        self._accepting: Job | None = None
        self._number: int | None = None
        self._film = AnswerFilm(session)
        self._ways = AnswerWays(session)
        self._open = OpenAnswer(session)
        self._card = parts.box("section", "card answer", aria_labelledby="answer-heading", aria_live="polite")
        session.hear(About.ANSWER, do=self._show)
        self._show()

    def _show(self) -> None:
        """Rebuild the panel only for another answer, so that a reader keeps the place in this one."""
        current = self._session.shown
        number = current.entry.number if current is not None else None
        if number == self._number and number is not None:
            return
        self._number = number
        self._card.clear()
        self._card.set_visibility(current is not None)
        if current is None:
            self._film.leave()
            self._ways.leave()
        else:
            with self._card:
                self._answer(current)

    def _answer(self, current: RecordedAnswer) -> None:
        answer, interface = current.answer, self._session.interface
        with parts.box("div", "row"):
            parts.text(f"Answer · entry {current.entry.number}, step {answer.step}", tag="h2", id="answer-heading")
            parts.text("", "spacer")
            parts.button("Close", self._session.hide, "small")
        log = self._session.case.project_at(log=current.entry.log).trace
        parts.text(sentence(answer.query, interface, log=log), "asked", tag="p", title=answer.text)
        with parts.box("div", f"verdict-box {answer.verdict.value}"):
            parts.Markup(badge(answer.verdict), tag="span")
            with parts.box("div"):
                parts.text(answer.obstacle or capital(answer.because), "reason", tag="p")
                for more in told_besides(answer):
                    parts.text(f"{capital(more)}.", "dim", tag="p")
                if current.entry.fact is not None:
                    exact = all_digits(current.entry.fact, interface)
                    told = str(current.entry.fact["statement"])
                    parts.text(told, "statement", tag="p", **({"title": exact} if exact else {}))
                if answer.harm:
                    parts.text(answer.harm, "reason", tag="p")
                if not answer.verdict.is_definite:
                    parts.text(MEANINGS[answer.verdict], "dim", tag="p")
                if answer.wanting:
                    parts.text(answer.wanting, "dim", tag="p")
                parts.text(_in_figures(answer), "dim", tag="p")
            parts.Arrival(under="#answer-heading")  # nor may a long verdict push its question out of sight
        self._mismatch(answer)
        self._open.place(current)
        self._film.place(current)
        for witness in (answer.witness, answer.contrast):
            if witness is not None:
                self._witness(answer, witness)
        self._buttons(answer)
        self._why_box = parts.box("div", "why")
        if current.entry.number in self._session.explained:
            self._tell(current.entry.number)
        elif current.entry.number in self._explaining:
            self._look_for()
        self._ways.place(current)
        self._figures(answer)

    # --- the scenario

    def _witness(self, answer: Answer, witness: Witness) -> None:
        parts.text(answer.heading(witness), tag="h3")
        pair = shown_pair(answer, witness)
        if pair is not None:
            self._pair(answer, witness, pair)
            return
        if witness.changed:
            steps = self._told_steps(answer)
            parts.table(*scenario_tables.changed(answer, witness, steps))
            known = [each for each in answer.given(witness) if each.origin is not Origin.ASSUMED]
            derived = [
                f"{called(each.variable.path, witness.interface)} is derived"
                for each in known
                if each.origin is Origin.DERIVED
            ]
            told = "; ".join([f"Everything else is as it was: {counted(len(known), 'further input')}", *derived])
            if known:
                parts.text(f"{told}.", "dim", tag="p")
        if taken := answer.taken(witness):
            parts.text(f"{capital(taken)}.", "dim", tag="p")
        if isinstance(witness.ending, Decided) and not witness.earlier:
            self._outcome(answer, witness)
        else:
            self._steps(answer, witness)
        parts.text(f"Checked {witness.replayed}.", "replayed", tag="p")
        self._nearness(answer, witness)

    def _pair(self, answer: Answer, witness: Witness, pair: ShownPair) -> None:
        """Two lives side by side."""
        differing, *decided = scenario_tables.pair(pair, answer.query, witness.interface)
        parts.table(*differing)
        if pair.given:
            parts.text(f"Both else as it was: {counted(len(pair.given), 'further input')}.", "dim", tag="p")
        if taken := answer.taken(witness):
            parts.text(f"{capital(taken)}.", "dim", tag="p")
        for table in decided:
            parts.table(*table)
        for each in pair.ends:
            parts.text(each, "ending", tag="p")
        parts.text(f"Checked {witness.replayed}.", "replayed", tag="p")
        self._nearness(answer, witness)

    def _nearness(self, answer: Answer, witness: Witness) -> None:
        if (told := answer.nearness(witness)) is not None:
            parts.told(told, "dim", tag="p")

    def _told_steps(self, answer: Answer) -> Mapping[str, str]:
        """The steps of what varies, in words; nothing more than its marks say if the question cannot be put again."""
        try:
            return answer.steps(self._session.keyframe)
        except SoidError:
            return NO_STEPS

    def _outcome(self, answer: Answer, witness: Witness) -> None:
        table = scenario_tables.outcome(answer, witness, self._session.keyframe)
        parts.table(*table._replace(rows=table.rows[:_OUTCOMES]))
        if further := table.rows[_OUTCOMES:]:
            with parts.box("details"):
                parts.text(counted(len(further), "further outcome"), tag="summary")
                parts.table(*table._replace(rows=further))
        if besides := world_besides(witness.outcomes[-1], witness.interface, answer.query.behavior.names):
            parts.text(sentence_of(besides), tag="p")

    def _steps(self, answer: Answer, witness: Witness) -> None:
        """The decisions of each step; without a decision, how the program ends."""
        for told in scenario_tables.steps_told(answer, witness, self._session.keyframe.step):
            parts.told(told, tag="div")
        if not isinstance(witness.ending, Decided):
            parts.text(f"The program {witness.ending}.", "ending", tag="p")

    # --- next steps

    def _buttons(self, answer: Answer) -> None:
        session = self._session
        with parts.box("div", "row onward"):
            if session.shows_scenario and answer.query.lives is None:
                parts.button("Ask again from here", session.ask_again_from_here, "small")
            explained = answer.verdict.is_definite and answer.query.kind is not QueryKind.DID
            refused = self._not_explained(answer) if explained else None
            if explained and refused is None:
                parts.button("Why? What mattered, where it flips", self._explain, "small")
        if refused is not None:
            parts.text(f"What mattered is not explained here. {told_error(refused)}", "dim", tag="p")

    def _not_explained(self, answer: Answer) -> SoidError | None:
        """Why there is nothing to offer that would explain the answer."""
        try:
            return refusal(answer.query, self._session.keyframe)
        except SoidError as error:  # the question cannot be put again, such as on a log that is shorter now
            return error

    async def _explain(self) -> None:
        session = self._session
        if session.shown is None or (number := session.shown.entry.number) in self._explaining:
            return
        if number in session.explained:
            self._tell(number, sought=True)
            return
        job = await parts.in_thread(partial(session.service.explain, number), session.refused)
        if job is not None:
            self._explaining[number] = session.work(job)
            self._look_for()
            on_news(job, partial(self._explanation_came, job, number))

    def _look_for(self) -> None:
        with self._why_box:
            parts.text(_LOOKING, "dim", tag="p", role="status")
            parts.Arrival()

    def _explanation_came(self, job: Job, number: int) -> None:
        if not job.state.is_final:
            return
        self._explaining.pop(number, None)
        is_shown = self._number == number
        if is_shown:
            self._why_box.clear()
        if job.state is JobState.DONE and job.result is not None:
            self._session.explained[number] = dict(job.result)
            self._session.changed(About.EXPLAINED)
            self._session.dismiss(job)
            if is_shown:
                self._tell(number, sought=True)

    def _tell(self, number: int, *, sought: bool = False) -> None:
        """Show why; `sought`: the user has just asked for it, and it is brought into sight."""
        self._why_box.clear()
        with self._why_box:
            for heading, lines in explanation(self._session.explained[number], self._session.interface):
                parts.text(heading, tag="h3")
                with parts.box("ul", "plain"):
                    for line in lines:
                        parts.told(line, tag="li")
            parts.button("Put on the record", self._record)
            if sought:
                parts.Arrival()

    async def _record(self) -> None:
        """Put the explanation that is shown on the record."""
        session = self._session
        if session.shown is None:
            return
        wanted = explanation_wanted(session.shown.entry)
        job = await parts.in_thread(partial(session.service.study, wanted), session.refused)
        if job is not None:
            session.work(job)

    # --- log and program differ

    def _mismatch(self, answer: Answer) -> None:
        if not answer.why.awaits_acceptance:
            return
        parts.text(
            "Check that this log was made by this program: “Compare the whole log” tests why they differ. To "
            "go on all the same, say why: it goes on the record, and every later answer at this moment rests on it.",
            tag="p",
        )
        self._accepting = None
        with parts.box("div", "row"):
            self._reason = parts.Field("Why one may go on", placeholder="why one may go on", kept=True)
            parts.button("Accept on the record", self._accept)

    async def _accept(self) -> None:
        session = self._session
        if self._accepting is not None and self._accepting.error is None:  # it is under way, or done
            return
        why, accept = self._reason.typed, session.service.accept_log_mismatch
        job = await parts.in_thread(partial(accept, why, step=session.keyframe.step, log=session.log), session.refused)
        if job is not None:
            self._accepting = session.work(job)

    # --- what it rests on

    def _figures(self, answer: Answer) -> None:
        with parts.box("details", "figures"):
            parts.text("What it rests on, and how it was found", tag="summary")
            with parts.box("dl"):
                for term, texts in _rests(answer, self._told_steps(answer), self._session.interface):
                    parts.text(term, tag="dt")
                    for each in texts:
                        parts.text(each, tag="dd")


def _in_figures(answer: Answer) -> str:
    """The work behind an answer: "3 paths, all decided · 0.30 s"."""
    ended = {ending: count for ending, count in answer.paths.items() if count}
    seconds = f"{answer.seconds.get('total', 0.0):.2f} s"
    if not ended:
        return seconds
    how = f"all {next(iter(ended))}" if len(ended) == 1 else ", ".join(f"{n} {ending}" for ending, n in ended.items())
    return f"{counted(sum(ended.values()), 'path')}, {how} · {seconds}"


def _rests(answer: Answer, steps: Mapping[str, str], interface: Interface) -> list[tuple[str, tuple[str, ...]]]:
    words = partial(called, interface=interface)
    freed = tuple(f"{input_names.called(each.variable.path, steps, words)}: {each.told}" for each in answer.freed)
    settled = ", ".join(f"{name.replace('_', ' ')} {count}" for name, count in answer.settled_by.items())
    found = [
        ("The question", (answer.text,)),
        ("What is open, in detail", answer.reason.split("; ") if answer.obstacle else ()),
        ("How it was read", answer.remarks),
        ("Supposed, as understood", answer.suppositions),
        ("What varied, and over what", freed),
        ("Relies on", tuple(map(str, answer.relies_on))),
        ("Settled by", (settled,) if settled else ()),
    ]
    return [(term, tuple(texts)) for term, texts in found if texts]
