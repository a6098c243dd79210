"""The page that verifies a bundle which somebody else has made: what it claims, and what came of deriving it anew."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any, Final, final

from nicegui import ui

from soid.case.report.phrases import moment_in_time
from soid.errors import SoidError
from soid.evidence.checks import CheckOutcome
from soid.evidence.verification_report import MEANING, NOTES, Standing
from soid.web.bundle_shelf import ENDING, LARGEST
from soid.web.desk_service import DeskService
from soid.web.page import parts
from soid.web.page.job_news import on_news
from soid.web.page.told_error import in_sentences
from soid.web.page.watched_job import WatchedJob
from soid.web.work.job import Job, JobState

_ABOUT: Final = (
    "A bundle is a case as one file. Everything that it claims is derived, proved and run anew on this server, without "
    "trusting anything in it. This may take some minutes: keep this page open meanwhile."
)
_OPENING: Final = (
    "The record and the project's files are put into a case here, entry by entry. Whether its facts are true is what "
    "the check above says: opening it changes nothing about that. What you add stays in your case."
)

#: how each standing is shown, and its sign
_SIGNS: Final = {
    Standing.REPROVED: ("yes", "✔ Proved again"),
    Standing.REEXPLORED: ("unknown", "◐ Not contradicted, and not all was settled here"),
    Standing.ATTESTED: ("unknown", "◐ Only its signer vouches for it"),
    Standing.UNSUPPORTED: ("no", "✘ Nothing vouches for it"),
    Standing.REFUTED: ("no", "✘ Refuted"),
}
_OUTCOMES: Final = {
    CheckOutcome.CONFIRMED: "✔",
    CheckOutcome.OPEN: "◐ open:",
    CheckOutcome.CONTRADICTED: "✘ contradicted:",
}


@final
class VerifyPage:
    """Upload, progress, result."""

    def __init__(self, desk: DeskService) -> None:
        self._desk = desk
        self._bundle = ""  # its id; empty: none was sent yet
        self._job: Job | None = None  # the verification that is shown
        self._work = WatchedJob(lambda words: self._said.set_text(words), self._ended, begun="opening the bundle")
        parts.head("Check evidence", "A bundle that somebody gave you", parts.TO_CASES, user=desk.user)
        with parts.box("div", "main index"):
            with parts.card("The bundle", "bundle"):
                parts.text(_ABOUT, "dim", tag="p")
                sent = {"sent": self._sent}
                parts.Upload(sent, to="/api/bundles", accept=ENDING, label="Bundle", most=LARGEST, several=False)
                with parts.box("div", "row"), parts.box("label", "tick"):
                    parts.text("The fingerprint of the signer's key, if you have it from elsewhere:")
                    self._key = parts.Field("Fingerprint", placeholder="64 digits and letters", kept=True)
                with parts.box("div", "row going"):
                    self._again = parts.button("Check it again", self._begin, "small")
                    self._cancel = parts.button("Cancel", self._work.cancel, "small")
                    self._said = parts.text("", "dim", role="status")
                self._wrong = parts.text("", "problem", tag="p", role="alert")
            self._found = parts.box("div", aria_live="polite")
        self._show_state()

    def _sent(self, told: Mapping[str, Any]) -> None:
        cause, remedy = str(told.get("cause", "")), str(told.get("remedy", ""))
        name = str(told.get("name", ""))
        if not cause and not told.get("id"):
            cause, remedy = f"{name} is no bundle", f"The name of one ends with {ENDING}."
        self._found.clear()
        if cause:
            self._refused(cause, remedy)
            return
        if self._bundle:
            self._desk.end_bundle(self._bundle)
        self._bundle = str(told["id"])
        self._begin()

    def _begin(self) -> None:
        """Verify the bundle that was sent; what came of it before is put away."""
        self._work.cancel()
        self._found.clear()
        self._wrong.set_text("")
        try:
            self._job = self._desk.verify(self._bundle, key=self._key.typed.strip() or None)
        except SoidError as error:
            self._refused(error.cause, error.remedy)
            return
        self._work.begin(self._job)
        self._show_state()

    def _refused(self, cause: str, remedy: str) -> None:
        self._wrong.set_text(str(in_sentences(cause, remedy)))
        self._show_state()

    def _show_state(self) -> None:
        self._again.set_visibility(bool(self._bundle) and not self._work.is_busy)
        self._cancel.set_visibility(self._work.is_busy)

    def _ended(self, job: Job) -> None:
        self._show_state()
        if job is not self._job:
            return
        if job.state is JobState.DONE and job.result is not None:
            with self._found:
                self._result(job, job.result)
        elif job.error is not None:
            self._refused(job.error.cause, job.error.remedy)

    # --- what came of it

    def _result(self, job: Job, found: Mapping[str, Any]) -> None:
        with parts.card(found["title"] or found["program"], "verified"):
            parts.text(f"{found['summary'][:1].upper()}{found['summary'][1:]}.", "statement", tag="p")
            _checks(found["checks"])
            with parts.box("dl", "checks"):
                _named("the bundle", f"{found['bundle']}, SHA-256 {found['sha256']}")
                head = f"{found['head']}: compare it with what you were given elsewhere"
                _named("the record's last hash", head)
            with parts.box("div", "row"):
                parts.button("Download this as a page", partial(self._download, job), "small")
        with parts.card("What it claims", "claims"), parts.box("ol", "facts verified"):
            for each in (*found["facts"], *found["studies"]):
                _examined(each)
        if found["notes"]:
            with parts.card(NOTES, "noted"), parts.box("dl", "checks"):
                for note in found["notes"]:
                    _named(f"{note['who']}, on entry {note['on']}", f"{moment_in_time(note['when'])}: {note['text']}")
        with parts.card("Open it as a case", "restore"):
            parts.text(_OPENING, "dim", tag="p")
            parts.button("Open it as a case", self._restore)

    def _download(self, job: Job) -> None:
        if job.file is not None and job.file.is_file():
            ui.download.file(job.file, job.file.name)

    def _restore(self) -> None:
        try:
            job = self._desk.restore(self._bundle)
        except SoidError as error:
            self._refused(error.cause, error.remedy)
            return
        on_news(job, partial(self._restored, job))

    def _restored(self, job: Job) -> None:
        if job.state is JobState.DONE and job.result is not None:
            ui.navigate.to(f"/case/{job.result['id']}")
        elif job.state.is_final and job.error is not None:
            self._refused(job.error.cause, job.error.remedy)


def _examined(found: Mapping[str, Any]) -> None:
    """A fact or a study: how it stands, what it says, what was looked at, what it rests on."""
    standing = Standing(found["standing"])
    style, sign = _SIGNS[standing]
    called = f"Fact {found['fact']}, entry {found['entry']}" if "fact" in found else f"Entry {found['entry']}"
    with parts.box("li", "fact"):
        parts.text(sign, f"standing {style}")
        parts.text(found["statement"], "statement", tag="p")
        parts.text(f"{called}. {MEANING[standing]}", "dim", tag="p")
        unsettled = [each for each in found["checks"] if each["outcome"] != CheckOutcome.CONFIRMED.value]
        _checks(unsettled)
        with parts.box("details"):
            parts.text("What was looked at", tag="summary")
            if found.get("question"):
                parts.text(found["question"], "query", tag="code")
            _checks([each for each in found["checks"] if each not in unsettled])
        if found["relies_on"]:
            with parts.box("details"):
                parts.text("What it rests on", tag="summary")
                with parts.box("ul"):
                    for each in found["relies_on"]:
                        parts.text(str(each["text"]) if isinstance(each, Mapping) else str(each), tag="li")


def _checks(checks: Sequence[Mapping[str, Any]]) -> None:
    with parts.box("dl", "checks"):
        for each in checks:
            _named(each["about"], f"{_OUTCOMES[CheckOutcome(each['outcome'])]} {each['words']}")


def _named(name: str, said: str) -> None:
    parts.text(name, tag="dt")
    parts.text(said, tag="dd")
