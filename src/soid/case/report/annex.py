"""The annex, for experts: each fact's formal statement and what it relies on, the record, and what the case holds."""

from __future__ import annotations

import hashlib
from typing import Any, Final

from soid.assumptions import stored
from soid.case.bundle_origin import author
from soid.case.case import Case
from soid.case.custody.signatures import numbered
from soid.case.numbered_facts import NumberedFact
from soid.case.record.entry import Entry
from soid.case.report.contents import Contents
from soid.case.report.findings import ABOUT
from soid.case.report.markup import Html, code, element, link, listing, seal, table, terms, together
from soid.case.report.phrases import moment_in_time, moment_of
from soid.scenario.input_names import called

_LONGEST: Final = 6000  # characters of a formula; more would make the page too long to read


def formal(contents: Contents) -> Html:
    return together(*(_formal(numbered, contents) for numbered in contents.facts))


def _formal(numbered: NumberedFact, contents: Contents) -> Html:
    entry = numbered.entry
    fact: dict[str, Any] = entry.payload["fact"]
    answer: dict[str, Any] = entry.payload["answer"]
    asked = contents.entries[(entry.asked or 1) - 1].payload
    witness = answer["witness"] or {}
    instead = f"; instead: {fact['instead']}" if fact["instead"] else ""
    freed = [f"{called(each['variable'])} over {each['over']} {each['unit']}".rstrip() for each in answer["freed"]]
    seconds = [f"{stage} {taken:.3f}" for stage, taken in sorted(answer["seconds"].items())]
    return element(
        "section",
        element("h3", link(contents.place(entry.number), f"Fact {numbered.number}")),
        terms(
            (
                ("Question", code(str(entry.question))),
                ("Entries", ", ".join(str(each.number) for each in numbered.entries)),
                ("Moment", f"{moment_of(entry)}, of {entry.log}"),
                ("Verdict", f"{answer['verdict']}: {answer['reason']}"),
                ("Behavior", together(code(fact["behavior"]), f" occurs: {fact['occurs']}", instead)),
                ("How it was read", _lines(answer.get("remarks", []))),
                ("Supposed, as understood", _lines(answer["suppositions"])),
                ("Freed, and over what", _lines(freed)),
                ("Paths of the program", ", ".join(f"{count} {how}" for how, count in answer["paths"].items())),
                ("Path of the scenario", str(witness.get("path", "")) if answer["paths"] else ""),
                ("Replay", str(witness.get("replayed", ""))),
                ("Relies on", _lines([f"{each} ({each.id})" for each in map(stored, answer["relies_on"])])),
                ("Settings", ", ".join(_setting(*each) for each in sorted(asked["settings"].items()))),
                ("Solver", ", ".join(f"{name} {value}" for name, value in sorted(answer["solver"].items()))),
                ("Seconds", ", ".join(seconds)),
                (f"Hash of entry {entry.number}", seal(entry.hash)),
                ("Hash before it", seal(entry.previous)),
            ),
            class_="formal",
        ),
        _formula(fact["formula"], entry),
        class_="formal",
    )


def _setting(name: str, value: object) -> str:
    text = {"None": "none", "True": "yes", "False": "no"}.get(str(value), str(value))
    return f"{name.replace('_', ' ')} {text}{' bytes' if name == 'memory' else ''}"


def _lines(texts: list[str]) -> str:
    return listing(texts) if texts else ""


def _formula(formula: str, entry: Entry) -> str:
    """The family as SMT-LIB: exactly the scenarios that the question is about."""
    if not formula:
        return ""
    shown, rest = formula[:_LONGEST], len(formula) - _LONGEST
    cut = ""
    if rest > 0:
        sealed = hashlib.sha256(formula.encode()).hexdigest()
        more = f"{rest} more characters are in entry {entry.number} of the case; SHA-256 of the whole formula: "
        cut = element("p", more, seal(sealed), class_="small")
    heading = element("p", "The scenarios that were asked about, as SMT-LIB:", class_="small")
    return together(heading, element("pre", shown), cut)


def record(contents: Contents) -> Html:
    rows = []
    for each in contents.entries:
        number = element("span", str(each.number), id=f"record-{each.number}")
        by = together(f"{author(each, contents.entries)}, ", element("br"), moment_in_time(each.when))
        told = element("s", each.told(ABOUT)) if each.number in contents.struck else each.told(ABOUT)
        rows.append((number, by, together(told, " ", seal(each.hash))))
    caption = "Every entry, in its order; struck out: what no longer counts"
    return table(caption, ("no.", "who, when", "what, and its seal"), rows, class_="record")


def custody(contents: Contents) -> Html:
    """Who signed what, and what the time stamps and the statements about logs show."""
    found = contents.custody
    rows = [(each.name, numbered(each.entries), seal(key.fingerprint)) for key in found.keys for each in key.signed]
    if found.unsigned:
        rows.append(("not signed", numbered(found.unsigned), Html("")))
    others = [*(each.words for each in found.anchors), *(each.words for each in found.logs), *found.doubts]
    caption = "Who signed which entries: a name is what the signer wrote; compare the keys with their owners'"
    return together(
        table(caption, ("name", "entries", "fingerprint of the key"), rows, class_="record"),
        listing(others) if others else "",
    )


def _file(case: Case, path: str) -> Html:
    called = case.called(path)
    return code(path) if called == path else together(code(path), f", which came as “{called}”")


def holdings(contents: Contents, made_by: str) -> Html:
    case = contents.case
    opened = contents.entries[0].payload
    source = case.project_at().program.source
    rows = [(_file(case, each.path), f"{each.size} bytes", seal(each.sha256)) for each in case.snapshot.files]
    about_it = terms(
        (
            ("Program", opened["program"]),
            ("Manifest", case.snapshot.manifest),
            ("Logs", ", ".join(case.snapshot.logs)),
            *((each.label, code(each.text) if each.is_code else each.text) for each in source.details),
            ("Compiled module, SHA-256", seal(opened["compiled"]) if opened["compiled"] else ""),
            ("Case opened with", f"soid {opened['soid']}"),
            ("Report made by", made_by),
        ),
        class_="formal",
    )
    return together(
        about_it,
        table("The project's files, as the case holds them", ("file", "size", "SHA-256"), rows, class_="record"),
    )
