"""The result of a verification: the standing of each fact, and the checks that led to it; also as one HTML page.

The page has no scripts and loads nothing. Its texts come from an untrusted bundle: `soid.case.report.markup` escapes
them.
"""

from __future__ import annotations

import enum
from collections import Counter
from collections.abc import Collection, Sequence
from typing import Final, final

from msgspec import Struct, field

from soid.assumptions import Assumption
from soid.case.custody.custody import Custody
from soid.case.record.entry import Entry, EntryKind
from soid.case.report.markup import Html, code, element, paragraphs, together
from soid.case.report.phrases import moment_in_time
from soid.case.validity import in_force
from soid.evidence.checks import Check, CheckOutcome
from soid.evidence.fact_examination import Examination
from soid.evidence.studies.study_checks import StudyExamination


@final
class Standing(enum.Enum):
    """How a fact stands after it was checked."""

    REPROVED = "re-proved"  # derived, proved and run again, and everything agrees
    REEXPLORED = "re-explored only"  # derived again and not contradicted, but something was not settled here
    ATTESTED = "attested by signature only"  # not derived here; signed with the verifier's key
    UNSUPPORTED = "not supported"  # not derived here, and not signed with the verifier's key
    REFUTED = "refuted"  # something contradicts it


#: exit status of `soid verify` by the worst standing of any fact
STATUS: Final = {
    Standing.REPROVED: 0,
    Standing.REFUTED: 1,
    Standing.REEXPLORED: 2,
    Standing.ATTESTED: 3,
    Standing.UNSUPPORTED: 3,
}
_WORST_FIRST: Final = (Standing.REFUTED, Standing.UNSUPPORTED, Standing.ATTESTED, Standing.REEXPLORED)


@final
class RecordedNote(Struct, frozen=True):
    """What somebody noted about an entry of the record: their words, which nothing checks."""

    on: int  # the entry
    who: str
    when: str
    text: str

    @classmethod
    def of(cls, entries: Sequence[Entry]) -> tuple[RecordedNote, ...]:
        """The notes of a record that count."""
        notes = in_force(entries, EntryKind.NOTE)
        return tuple(cls(note.payload["on"], note.who, note.when, note.payload["text"]) for note in notes)


@final
class CheckedFact(Struct, frozen=True):
    """One fact and its standing."""

    number: int = field(name="entry")  # of the case
    fact: int  # its number; answers that repeat a fact have the same
    question: str
    verdict: str
    statement: str
    standing: Standing
    checks: tuple[Check, ...]
    relies_on: tuple[Assumption, ...]  # what the derivation here assumed


@final
class CheckedStudy(Struct, frozen=True):
    """Causes, a map or an explanation, and its standing."""

    number: int = field(name="entry")  # of the case
    kind: str
    statement: str
    standing: Standing
    checks: tuple[Check, ...]
    relies_on: tuple[Assumption, ...]

    @classmethod
    def of(cls, found: StudyExamination, *, signed: bool) -> CheckedStudy:
        recorded = found.recorded
        said = (recorded.number, recorded.kind, found.statement or recorded.statement, standing(found, signed=signed))
        return cls(*said, tuple(found.checks), found.relies_on)


@final
class Report(Struct, frozen=True):
    """The result for a bundle whose form, hashes and chain are right."""

    bundle: str  # its file
    sha256: str  # of the file
    title: str
    program: str
    head: str  # last hash of the record
    signed: bool  # with the verifier's key
    custody: Custody  # of the record: who signed what
    checks: tuple[Check, ...]  # of the bundle as a whole
    facts: tuple[CheckedFact, ...]
    studies: tuple[CheckedStudy, ...]
    notes: tuple[RecordedNote, ...]

    @property
    def worst(self) -> Standing:
        return _worst({fact.standing for fact in self.facts} | {study.standing for study in self.studies})

    @property
    def status(self) -> int:
        """The exit status; a bundle without facts counts as unsupported."""
        return STATUS[self.worst] if self.facts or self.studies else STATUS[Standing.UNSUPPORTED]

    @property
    def summary(self) -> str:
        """The number of facts of each standing, in words: a fact stands as the worst of the answers that state it."""
        standings: dict[int, list[Standing]] = {}
        for fact in self.facts:
            standings.setdefault(fact.fact, []).append(fact.standing)
        facts = _counted("fact", "facts", [_worst(each) for each in standings.values()])
        if len(self.facts) > len(standings):
            facts += f" (in {len(self.facts)} answers)"
        told = [facts, _counted("study", "studies", [study.standing for study in self.studies])]
        return "; ".join(filter(None, told)) or "there is no fact in it"


def _worst(found: Collection[Standing]) -> Standing:
    return next((each for each in _WORST_FIRST if each in found), Standing.REPROVED)


def _counted(one: str, several: str, standings: Sequence[Standing]) -> str:
    counted = Counter(standings)
    parts = ", ".join(f"{counted[each]} {each.value}" for each in Standing if counted[each])
    return f"{len(standings)} {one if len(standings) == 1 else several}: {parts}" if parts else ""


def standing(found: Examination | StudyExamination, *, signed: bool) -> Standing:
    """The standing of a fact or of a study, from all its checks."""
    if CheckOutcome.CONTRADICTED in found.outcomes:
        return Standing.REFUTED
    if found.is_unfinished:
        return Standing.ATTESTED if signed else Standing.UNSUPPORTED
    return Standing.REEXPLORED if CheckOutcome.OPEN in found.outcomes else Standing.REPROVED


#: the meaning of each standing, for a reader who does not know soid
MEANING: Final = {
    Standing.REPROVED: "The program was opened and explored anew, every formula derived anew and proved by another "
    "solver, and the scenario run on the program itself. All of it agrees.",
    Standing.REEXPLORED: "The program was explored anew and nothing speaks against it, but something could not be "
    "settled here: see below.",
    Standing.ATTESTED: "It could not be derived here. The signer of the bundle vouches for it, and nothing else does.",
    Standing.UNSUPPORTED: "It could not be derived here, and no signature that was checked here vouches for it.",
    Standing.REFUTED: "Something that was found here contradicts it: see below.",
}
_CLASS: Final = {
    Standing.REPROVED: "good",
    Standing.REEXPLORED: "fair",
    Standing.ATTESTED: "fair",
    Standing.UNSUPPORTED: "bad",
    Standing.REFUTED: "bad",
}
NOTES: Final = "What people noted, in their own words: nothing checks these"
_POLICY: Final = "default-src 'none'; style-src 'unsafe-inline'"
_STYLE: Final = Html("""
body { font: 16px/1.5 system-ui, sans-serif; max-width: 46rem; margin: 2rem auto; padding: 0 1rem; color: #222 }
h1 { font-size: 1.5rem } h2 { font-size: 1.1rem; margin-bottom: .2rem } code { overflow-wrap: anywhere }
article { border-left: .3rem solid #999; padding-left: 1rem; margin: 1.5rem 0 }
.good { border-color: #287d3c } .fair { border-color: #b8860b } .bad { border-color: #b22222 }
dt { font-weight: 600 } dd { margin: 0 0 .4rem 1rem } .contradicted { color: #b22222 } .open { color: #8a6508 }
""")


def page(report: Report) -> str:
    title = report.title or report.program
    head = element(
        "head",
        element("meta", charset="utf-8"),
        element("meta", http_equiv="Content-Security-Policy", content=_POLICY),
        element("title", f"Verified: {title}"),
        element("style", _STYLE),
    )
    about = element(
        "dl",
        _named("the bundle", together(code(report.bundle), ", SHA-256 ", code(report.sha256))),
        _named(
            "the record's last hash", together(code(report.head), ": compare it with what you were given elsewhere")
        ),
        _checks(report.checks),
    )
    facts = [*map(_fact, report.facts), *map(_study, report.studies), _notes(report.notes)]
    body = element("body", element("h1", title), element("p", element("strong", report.summary)), about, *facts)
    return together(Html("<!DOCTYPE html>\n"), element("html", head, body, lang="en"), Html("\n"))


def _fact(fact: CheckedFact) -> Html:
    return _article(fact, together(code(fact.question), ": ", element("strong", fact.verdict)))


def _study(study: CheckedStudy) -> Html:
    return _article(study, f"A study of the case: {study.kind}.")


def _notes(notes: Sequence[RecordedNote]) -> Html | str:
    if not notes:
        return ""
    said = (
        element("li", f"{note.who}, {moment_in_time(note.when)}, on entry {note.on}: {note.text}") for note in notes
    )
    return together(element("h2", NOTES), element("ul", *said))


def named(examined: CheckedFact | CheckedStudy) -> str:
    """What it is called: an answer by its fact, too."""
    return f"Entry {examined.number}" + (f" (fact {examined.fact})" if isinstance(examined, CheckedFact) else "")


def _article(fact: CheckedFact | CheckedStudy, asked: Html | str) -> Html:
    looked = element("details", element("summary", "what was looked at"), element("dl", _checks(fact.checks)))
    rests = element("ul", *(element("li", str(each)) for each in fact.relies_on))
    return element(
        "article",
        element("h2", f"{named(fact)}: {fact.standing.value}"),
        paragraphs(fact.statement, asked, MEANING[fact.standing]),
        looked,
        element("details", element("summary", "what it rests on"), rests) if fact.relies_on else "",
        class_=_CLASS[fact.standing],
    )


def _checks(checks: Sequence[Check]) -> Html:
    return together(*(_named(check.about, check.words, check.outcome.value) for check in checks))


def _named(name: str, content: str, class_: str | None = None) -> Html:
    return together(element("dt", name), element("dd", content, class_=class_))
