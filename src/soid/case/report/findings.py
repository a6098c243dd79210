"""The questions and their answers: the FACTS, the questions without a yes or a no, and what was corrected."""

from __future__ import annotations

from typing import Final

from soid.case.numbered_facts import NumberedFact
from soid.case.record.entry import Entry, EntryKind
from soid.case.report import comparison_words
from soid.case.report.contents import Contents
from soid.case.report.fact_words import doubts, follows, repetitions
from soid.case.report.markup import Html, code, element, link, listing, paragraphs, seal, together
from soid.case.report.phrases import all_digits, badge, meanings, moment_in_time, moment_of, rests_on, sentence_of
from soid.case.report.witnesses import recorded_scenarios
from soid.case.stored_answer import reason_of, settled_of
from soid.case.validity import in_force, notes_on
from soid.mapping import settled_svg
from soid.oracle.answer import Verdict
from soid.oracle.conflict_words import conflict
from soid.oracle.reason import VerdictReason
from soid.oracle.settled_share import SettledShare
from soid.oracle.whole_log import LogComparison
from soid.program.interface import Interface
from soid.query.language.query_parser import parse
from soid.query.query import Query
from soid.query.words import Words, sentence
from soid.scenario.trace import Keyframe


def facts(contents: Contents) -> Html:
    if not contents.facts:
        return element("p", "Nothing has been established: no question has been answered with yes or no.")
    return together(*(_fact(contents, fact) for fact in contents.facts))


def _fact(contents: Contents, fact: NumberedFact) -> Html:
    entry = fact.entry
    answer = contents.answer(entry)
    return _article(
        entry,
        "fact",
        question(answer.query, str(entry.question), contents.keyframe(entry)),
        found(answer.verdict, fact.statement, sentence_of(_reason(contents, entry)), _exact(contents, entry)),
        told_beside(contents, fact),
        element("p", answer.harm, class_="warning") if answer.harm else "",
        differing(contents, entry),
        recorded_scenarios(contents, entry),
        rests_on(answer.relies_on, contents.keyframe(entry).interface),
        *(remarks(contents, each) for each in fact.entries),
        _signed(contents, entry),
        paragraphs(*repetitions(fact, contents.entries), class_="small signed"),
        name=f"Fact {fact.number}",
    )


def told_beside(contents: Contents, fact: NumberedFact) -> Html:
    """What speaks against a fact, and which other fact it follows from."""
    against = [element("p", doubt, class_="warning") for doubt in doubts(fact, contents.entries)]
    above = fact.same_as or fact.follows_from
    source = next((each for each in contents.facts if each.number == above), None)
    told = "" if source is None else element("p", link(contents.place(source.answer), follows(fact)), class_="small")
    return together(*against, told)


def _article(entry: Entry, class_: str, *content: str, name: str = "") -> Html:
    where = f"{moment_of(entry)}, entry {entry.number}" if name else moment_of(entry)
    heading = element("h3", f"{name or f'Entry {entry.number}'} ", element("span", where, class_="where"))
    return element("article", heading, *content, id=f"entry-{entry.number}", class_=class_)


def question(query: Query, text: str, keyframe: Keyframe) -> Html:
    """The question as a sentence, as query text, and the meaning of its names."""
    meant = meanings([query], keyframe.interface)
    put = element("p", "As it was put: ", code(text), ". ", meant, class_="small")
    return together(element("p", sentence(query, keyframe.interface, log=keyframe.trace), class_="question"), put)


def _reason(contents: Contents, entry: Entry) -> str:
    return contents.answer(entry).because


def _exact(contents: Contents, entry: Entry) -> str | None:
    return None if entry.fact is None else all_digits(entry.fact, contents.keyframe(entry).interface)


def found(verdict: Verdict, statement: str, why: str, exact: str | None = None) -> Html:
    text = element("div", element("p", statement, class_="statement", title=exact), element("p", why, class_="small"))
    return element("div", badge(verdict), text, class_=f"found {verdict.value}")


def differing(contents: Contents, entry: Entry) -> str:
    """A warning on a fact about a moment at which log and program differ: it holds for this program only."""
    accepted = entry.payload["accepted"]
    if accepted is None:
        return ""
    where = link(contents.place(accepted), f"entry {accepted}")
    text = "Log and program differ at this moment, which was accepted with "
    return element("p", text, where, ". The fact is about the program as the case holds it.", class_="warning")


def remarks(contents: Contents, entry: Entry) -> Html:
    said = [(note.payload["text"], _by(note)) for note in notes_on(contents.entries, entry.number)]
    return together(*(element("blockquote", element("p", text), element("footer", by)) for text, by in said))


def _by(entry: Entry) -> str:
    return f"{entry.who}, {moment_in_time(entry.when)}, entry {entry.number}"


def _signed(contents: Contents, entry: Entry) -> Html:
    """The person who asked, the time, and the answer's hash."""
    asked = contents.entries[(entry.asked or entry.number) - 1]
    return element(
        "p",
        f"Asked by {asked.who} on {moment_in_time(asked.when)} (entry {asked.number}). ",
        f"The seal of entry {entry.number}: ",
        seal(entry.hash),
        class_="small signed",
    )


def comparisons(contents: Contents) -> Html:
    """The comparisons of whole logs with the program that count."""
    kept = in_force(contents.entries, EntryKind.COMPARED)
    opening = "The program was run over every step of the log, and compared with what is logged."
    return together(element("p", opening), *(_comparison(contents, entry) for entry in kept))


def compared(found: LogComparison) -> Html:
    """What comparing a log with the program has found."""
    heading, tested = comparison_words.causes(found)
    unlogged = list(comparison_words.unlogged(found))
    lines = [*comparison_words.amounts(found), *comparison_words.partings(found)]
    return together(
        element("p", comparison_words.outcome(found), class_="statement"),
        *(element("p", line) for line in lines),
        together(element("p", heading), listing(tested)) if found.partings else "",
        together(element("p", "What was not logged:"), listing(unlogged)) if unlogged else "",
        together(element("p", comparison_words.STRANGE), listing(found.warnings)) if found.warnings else "",
    )


def _comparison(contents: Contents, entry: Entry) -> Html:
    found = comparison_words.comparison_of(entry)
    return element(
        "article",
        element("h3", f"Entry {entry.number} ", element("span", str(entry.log), class_="where")),
        compared(found),
        remarks(contents, entry),
        element("p", f"Compared by {_by(entry)}.", class_="small"),
        id=f"entry-{entry.number}",
        class_="compared",
    )


def neither(contents: Contents) -> Html:
    if not contents.neither:
        return element("p", "There are none: every question that counts was answered with yes or no.")
    opening = "These questions were put, and got neither a yes nor a no. They establish nothing, and are no FACTS."
    return together(element("p", opening), *(_open_question(contents, entry) for entry in contents.neither))


def _open_question(contents: Contents, entry: Entry) -> Html:
    interface = contents.keyframe(entry).interface
    fact = contents.fact_about(entry)
    return _article(
        entry,
        "neither",
        question(parse(str(entry.question), interface), str(entry.question), contents.keyframe(entry)),
        _not_found(entry, interface),
        recorded_scenarios(contents, entry) if entry.answer is not None else "",
        element("p", "The same question was also answered: ", _to_fact(contents, fact), ".") if fact else "",
        remarks(contents, entry),
        _signed(contents, entry),
    )


def _to_fact(contents: Contents, fact: NumberedFact) -> Html:
    return link(contents.place(fact.answer), f"fact {fact.number}")


def _not_found(entry: Entry, interface: Interface) -> Html:
    """Why there is no yes and no no."""
    if entry.kind is EntryKind.FAILED:
        error = entry.payload["error"]
        why = f"{sentence_of(error['cause'])} {error['remedy']}"
        return found(Verdict.ERROR, "No FACT: the question could not be answered.", why)
    if entry.verdict is None:
        text = element("p", element("strong", "No FACT: it has no answer. "), "The work ended before one was found.")
        return element("div", text, class_="found")
    answer = entry.payload["answer"]
    return no_fact(entry.verdict, reason_of(answer), answer["reason"], settled_of(answer), interface)


def no_fact(
    verdict: Verdict, why: VerdictReason, reason: str, settled: SettledShare | None, interface: Interface
) -> Html:
    """Why an answer is neither yes nor no."""
    if verdict is Verdict.UNKNOWN:
        return _open(why, Words(interface).spoken(reason), settled)
    statement = {
        Verdict.VACUOUS: "No FACT: the question is about no scenario at all.",
        Verdict.ERROR: "No FACT: the question could not be answered.",
    }[verdict]
    return found(verdict, statement, sentence_of(conflict(why, interface) or Words(interface).spoken(reason)))


def _open(why: VerdictReason, reason: str, settled: SettledShare | None) -> Html:
    """What stands in the way of an answer, what is settled all the same, and that as a picture."""
    told = f"{why.obstacle} {sentence_of(reason)}".strip()
    unknown = found(Verdict.UNKNOWN, "No FACT: it is not known.", told)
    if settled is None or settled.picture is None:
        return unknown
    return together(unknown, element("figure", Html(settled_svg.svg(settled))))


def withdrawn(contents: Contents) -> Html:
    """Answers that no longer count, and why."""
    return together(*(_withdrawn(contents, entry) for entry in contents.withdrawn))


def _withdrawn(contents: Contents, entry: Entry) -> Html:
    verdict, reason = entry.payload["answer"]["verdict"], sentence_of(entry.payload["answer"]["reason"])
    statement = entry.fact["statement"] if entry.fact is not None else reason
    standing = contents.still_stands(entry)
    return _article(
        entry,
        "withdrawn",
        element("p", "Asked: ", code(str(entry.question))),
        element("p", "Answered, and no longer counting: ", element("s", f"{verdict}. {statement}")),
        element("p", _taken_back(contents, entry)),
        element("p", "Other answers establish it all the same: ", _to_fact(contents, standing), ".")
        if standing
        else _no_longer(contents, entry),
        remarks(contents, entry),
    )


def _no_longer(contents: Contents, entry: Entry) -> Html:
    """Which number of a fact is left out for it."""
    number = contents.numbers.get(entry.number)
    return Html("") if number is None else element("p", f"It was fact {number}.", class_="small")


def _taken_back(contents: Contents, entry: Entry) -> str:
    """Who retracted the answer, or the acceptance that it rests on, and why."""
    retractions = {each.payload["entry"]: each for each in in_force(contents.entries, EntryKind.RETRACTED)}
    itself, accepted = retractions.get(entry.number), entry.payload["accepted"]
    retraction = itself or retractions[accepted]
    rests = "" if itself else f"It rests on entry {accepted}, an acceptance that no longer counts. "
    by = f"{retraction.who} on {moment_in_time(retraction.when)} (entry {retraction.number})"
    return f"{rests}Taken back by {by}: {retraction.payload['why']}"


def corrections(contents: Contents) -> list[Html]:
    """Retractions, acceptances and notices, each as a line of a list."""
    kinds = (EntryKind.RETRACTED, EntryKind.ACCEPTED, EntryKind.NOTICED)
    return [_line(contents, entry) for entry in contents.entries if entry.kind in kinds]


def loose_notes(contents: Contents) -> list[Html]:
    """Notes that the report shows nowhere else."""
    shown = contents.with_parts
    notes = [each for each in contents.entries if each.kind is EntryKind.NOTE]
    return [
        _line(contents, each) for each in notes if each.payload["on"] not in shown or each.number in contents.struck
    ]


def _line(contents: Contents, entry: Entry) -> Html:
    gone = entry.number in contents.struck
    text = sentence_of(entry.told(ABOUT))
    return together(
        element("s", text) if gone else text,
        " It no longer counts." if gone else "",
        element("span", f" {_by(entry)}", class_="by"),
    )


#: an entry in one line
ABOUT: Final = {
    EntryKind.OPENED: "opened the case on {program}, with {count} files",
    EntryKind.ASKED: "asked at step {step}{again}: {question}",
    EntryKind.ANSWERED: "entry {asked} answered: {answer[verdict]}, {answer[reason]}",
    EntryKind.FAILED: "entry {asked} not answered: {error[cause]}",
    EntryKind.KEYFRAME: "called step {step} of {log} “{name}”",
    EntryKind.NOTE: "noted on entry {on}: {text}",
    EntryKind.RETRACTED: "retracted entry {entry}, because: {why}",
    EntryKind.ACCEPTED: "accepted at step {step} that log and program differ ({mismatch}), because: {why}",
    EntryKind.NOTICED: "noticed about the {about}: {found}",
    EntryKind.ATTESTED: "{stated}",
    EntryKind.COMPARED: "compared {log} with the program, step by step: {told}",
    EntryKind.STUDIED: "studied at step {step}, {wanted[kind]}: {statement}",
    EntryKind.RENAMED: "called the case: {title}",
    EntryKind.ARCHIVED: "archived the case: {why}",
    EntryKind.ANCHORED: "entries 1 to {entries} existed at {time}, according to {authority}",
}
