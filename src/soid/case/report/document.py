"""The page: the order of its parts, from what matters most to what experts look up.

>>> import tempfile
>>> from pathlib import Path
>>> from soid.examples import folder
>>> with tempfile.TemporaryDirectory() as scratch:
...     file = Path(scratch) / "oven.case"
...     with Case.create(file, folder("microwave"), title="<The oven>", who="ada") as case:
...         fact = case.ask("might action == CANCEL if heat is anything").entry
...         page = report(case)
>>> page.startswith("<!DOCTYPE html>"), "<h1>&lt;The oven&gt;</h1>" in page, f'id="entry-{fact.number}"' in page
(True, True, True)

A report depends on the case alone: two reports of the same case are identical.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Final

from soid.case import validity
from soid.case.bundle_origin import of_authors
from soid.case.case import Case
from soid.case.custody.signatures import numbered
from soid.case.numbered_facts import NumberedFact
from soid.case.record.entry import EntryKind
from soid.case.report import annex, findings, narrative, study_parts
from soid.case.report.contents import Contents
from soid.case.report.fact_words import tally
from soid.case.report.markup import Html, code, element, link, listing, seal, separated, terms, together
from soid.case.report.phrases import MEANINGS, badge, meanings, moment_in_time, sentence_of
from soid.case.validity import ScriptConclusion
from soid.oracle.answer import Verdict
from soid.query.words import counted

#: the browser loads nothing and runs nothing, whatever text a case has
_POLICY: Final = "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'"


def report(case: Case, *, made_by: str = "soid") -> Html:
    """The whole page; ChainError if an entry of the case was changed."""
    contents = Contents.of(case)
    title = case.title or contents.entries[0].payload["program"]
    sheet = Path(__file__).with_name("report.css").read_text(encoding="utf-8")
    head = element(
        "head",
        element("meta", charset="utf-8"),
        element("meta", http_equiv="Content-Security-Policy", content=_POLICY),
        element("meta", name="viewport", content="width=device-width, initial-scale=1"),
        element("meta", name="generator", content=made_by),
        element("meta", name="color-scheme", content="light dark"),
        element("title", f"{title}: report"),
        element("style", Html(sheet.replace("RECORD", contents.entries[-1].hash[:16]))),  # on each printed page
    )
    sections = [_section(*each) for each in _sections(contents, made_by)]
    body = element("body", _top(contents, title), element("main", *sections), _foot(contents, made_by))
    return together(Html("<!DOCTYPE html>\n"), element("html", head, body, lang="en"), Html("\n"))


def _sections(contents: Contents, made_by: str) -> Iterator[tuple[str, str, Html]]:
    """Name, heading and content of each."""
    yield "short", "In short", _in_short(contents)
    yield "happened", "What happened", narrative.happened(contents)
    if validity.in_force(contents.entries, EntryKind.COMPARED):
        yield "compared", "Log and program", findings.comparisons(contents)
    yield "facts", "What was asked, and what was found", findings.facts(contents)
    if contents.studies:
        yield "studied", "Causes, maps and explanations", study_parts.studies(contents)
    yield "neither", "Questions without a yes or a no", findings.neither(contents)
    yield "corrections", "Corrections and remarks", _corrections(contents)
    yield "reading", "How to read this report", _reading()
    yield "formal", "Annex A: the formal statement of each fact", annex.formal(contents)
    yield "record", "Annex B: the record", together(annex.record(contents), annex.custody(contents))
    yield "holdings", "Annex C: the program, its files and versions", annex.holdings(contents, made_by)


def _section(name: str, heading: str, content: Html) -> Html:
    return element(
        "section", element("h2", heading, id=f"{name}-heading"), content, id=name, aria_labelledby=f"{name}-heading"
    )


def _top(contents: Contents, title: str) -> Html:
    first, last = contents.entries[0], contents.entries[-1]
    people = dict.fromkeys(entry.who for entry in contents.entries)
    return element(
        "header",
        element("p", "Report of an investigation", class_="kind"),
        element("h1", title),
        terms(
            (
                ("Program", first.payload["program"]),
                ("Log", ", ".join(contents.case.snapshot.logs)),
                ("Opened", f"{moment_in_time(first.when)}, by {first.who}"),
                ("Worked on by", ", ".join(people) if len(people) > 1 else ""),
                ("Authors", of_authors(contents.entries)),
                ("Record", f"{counted(last.number, 'entry', 'entries')}, the last of {moment_in_time(last.when)}"),
                ("Its seal", seal(last.hash)),
                ("Signed by", _signers(contents)),
                ("Stamped", separated([each.words for each in contents.custody.anchors], "; ")),
                ("Origin of logs", separated([each.words for each in contents.custody.logs], "; ")),
            )
        ),
    )


def _signers(contents: Contents) -> str:
    """The keys in short; the annex has all of each."""
    found = contents.custody
    keys = [f"{', '.join(key.names)} (key {key.fingerprint[:16]}…)" for key in found.keys]
    return "; ".join([*keys, *([f"{numbered(found.unsigned)}: not signed"] if found.unsigned else [])])


def _in_short(contents: Contents) -> Html:
    queries = [contents.answer(fact.entry).query for fact in contents.facts]
    return together(
        *(_conclusion(contents, each) for each in contents.conclusions),
        element(
            "p", _tally(contents), " What the signs mean is under ", link("reading", "How to read this report"), "."
        ),
        element("ol", *(_summary(contents, fact) for fact in contents.facts), class_="facts"),
        element("p", meanings(queries, contents.interface), class_="small") if queries else "",
    )


def _conclusion(contents: Contents, conclusion: ScriptConclusion) -> Html:
    """A conclusion is in the words of the script's author: only the facts are proved."""
    on = conclusion.note.payload["on"]
    return element(
        "div",
        element("p", "Conclusion", class_="kind"),
        element("p", sentence_of(conclusion.text), class_="statement"),
        element(
            "p",
            "Reached by the script ",
            code(conclusion.script),
            f", run by {conclusion.note.who} (entry {conclusion.note.number}), on the answer of ",
            link(contents.place(on), f"entry {on}"),
            ". The wording is its author's; what is established are the facts below.",
            class_="small",
        ),
        element("p", element("strong", "In doubt: "), f"{conclusion.doubt}.", class_="warning")
        if conclusion.doubt
        else "",
        class_="conclusion",
    )


def _tally(contents: Contents) -> str:
    open_questions, fallen = len(contents.neither), len(contents.withdrawn)
    parts = [tally(contents.facts)]
    if open_questions:
        parts.append(f"{counted(open_questions, 'question')} got neither a yes nor a no")
    if fallen:
        parts.append(f"{counted(fallen, 'answer no longer counts', 'answers no longer count')}")
    return sentence_of("; ".join(parts))


def _summary(contents: Contents, fact: NumberedFact) -> Html:
    return element(
        "li",
        badge(contents.answer(fact.entry).verdict),
        element(
            "div",
            link(contents.place(fact.answer), f"Fact {fact.number}"),
            element("p", fact.statement),
            findings.told_beside(contents, fact),
            findings.differing(contents, fact.entry),
        ),
    )


def _corrections(contents: Contents) -> Html:
    corrected = [*findings.corrections(contents), *findings.loose_notes(contents)]
    if not (corrected or contents.withdrawn):
        return element("p", "Nothing was taken back or accepted; remarks stand with the answers that they are about.")
    return together(listing(corrected) if corrected else "", findings.withdrawn(contents))


def _reading() -> Html:
    questions = terms(
        (("Did it … ?", _DID), ("Would it always … ?", _WOULD), ("Might it ever … ?", _MIGHT)), class_="formal"
    )
    verdicts = (element("li", badge(each), element("p", MEANINGS[each])) for each in Verdict)
    return together(
        element("p", _STAND),
        questions,
        element("p", _FIVE),
        element("ul", *verdicts, class_="legend"),
        element("p", _SIGNS),
    )


_STAND: Final = (
    "Something automated made a decision. Its program was put on the stand: it was asked what it did, and what it "
    "would have done, had things been otherwise. Every answer is worked out from the program as the case holds it, and "
    "says what it relies on. In a scenario all is as it was in fact, but for what is said to differ; the fact itself "
    "is never one of the scenarios."
)
_DID: Final = "asks what the program did at a moment, given what the log says it was given."
_WOULD: Final = "asks about every scenario of a kind. A single one in which it does otherwise makes the answer no."
_MIGHT: Final = "asks whether there is any scenario of a kind in which it does. A single one makes the answer yes."
_FIVE: Final = "The verdict is one of five. Only yes and no establish anything, and only they are FACTS:"
_SIGNS: Final = (
    "In questions, == means “is”, != means “is not”, and in {…} means “is one of”; a name with a prime, such as "
    "started', is what the program remembers once it has decided. A fact is one statement, however often it was asked "
    "for. It keeps its number: where one is left out, that fact was taken back."
)


def _foot(contents: Contents, made_by: str) -> Html:
    entries = contents.entries
    verify = code(f"soid case verify CASE --head {entries[-1].hash}")
    made = f"Made by {made_by} of entries 1 to {len(entries)}, all of which were checked as the page was made."
    return element("footer", element("p", _SEALS, verify), element("p", made))


_SEALS: Final = (
    "An entry's seal is a SHA-256 over the entry and the seal before it: nothing can be changed, taken out or put in "
    "without changing every seal after it. Whoever writes all of them anew has another last seal, and cannot sign with "
    "the authors' keys: so compare the seal and the keys with what you were given in another way. Anyone with the case "
    "file can check it: "
)
