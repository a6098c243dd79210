"""Studies in the report: causes, maps and explanations, each in words, as a picture, and with its figures."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import assert_never

from soid.case.record.entry import Entry
from soid.case.record.study_request import CausesRequest, ExplanationRequest, MapRequest
from soid.case.report import cause_picture
from soid.case.report.contents import Contents
from soid.case.report.findings import remarks
from soid.case.report.markup import Html, code, element, link, listing, table, together
from soid.case.report.phrases import moment_in_time, moment_of, rests_on
from soid.case.studies import StudyDocument, recall
from soid.case.validity import shaken
from soid.explanation.causes import CausesDocument
from soid.explanation.explainer import ExplanationDocument
from soid.mapping.decision_map import DecisionMap, MapDocument, read_map
from soid.mapping.map_svg import svg
from soid.program.interface import Interface
from soid.query.words import Words
from soid.query.words.readable_numbers import with_unit
from soid.witness.witness import ChangeDocument

_KINDS = {"causes": "Causes", "map": "Map", "explanation": "Explanation"}


def studies(contents: Contents) -> Html:
    opening = "Beyond single questions: what caused what happened, what happens where, and why an answer is what it is."
    rests = {entry.number: base for entry, base in shaken(contents.entries)}
    return together(
        element("p", opening), *(_study(contents, each, rests.get(each.number)) for each in contents.studies)
    )


def _study(contents: Contents, entry: Entry, fallen: int | None) -> Html:
    found = recall(entry)
    heading = f"{_KINDS[entry.payload['wanted']['kind']]}, entry {entry.number} "
    return element(
        "article",
        element("h3", heading, element("span", moment_of(entry), class_="where")),
        _doubt(contents, fallen),
        element("p", found.statement, class_="statement"),
        _asked(contents, entry),
        _shown(contents, entry, found.result),
        _relied_on(found.result, contents.interface),
        remarks(contents, entry),
        element("p", f"Put on the record by {entry.who} on {moment_in_time(entry.when)}.", class_="small"),
        id=f"entry-{entry.number}",
        class_="studied",
    )


def _doubt(contents: Contents, fallen: int | None) -> Html:
    if fallen is None:
        return Html("")
    where = link(contents.place(fallen), f"entry {fallen}")
    return element(
        "p", element("strong", "In doubt: "), "it rests on ", where, ", which no longer counts.", class_="warning"
    )


def _asked(contents: Contents, entry: Entry) -> Html:
    match recall(entry).wanted:
        case CausesRequest(question):
            return element("p", "Looked for among the facts that may differ in: ", code(question), class_="small")
        case MapRequest(over):
            return element("p", "What may differ: ", code(over), class_="small")
        case ExplanationRequest(number):
            explained = link(contents.place(number), contents.called(number))
            return element("p", "It explains ", explained, ".", class_="small")
        case _ as unreachable:
            assert_never(unreachable)


def _shown(contents: Contents, entry: Entry, result: StudyDocument) -> Html:
    words = Words(contents.interface)
    match result:
        case CausesDocument():
            return causes_tables(result, words)
        case MapDocument():
            made = read_map(entry.payload["result"], contents.interface)
            return map_figure(made, f"map-{entry.number}")
        case ExplanationDocument():
            return together(*explanation_tables(result, words))
        case _:
            assert_never(result)


def causes_tables(found: CausesDocument, words: Words) -> Html:
    """The picture of the causes, and the scenario of each."""
    if not found.causes:
        return Html("")
    names = {path: words.called(path) for path in found.responsibility}
    drawn = cause_picture.picture(names, [each.variables for each in found.causes], found.responsibility)
    rows = [
        (
            str(number),
            words.called(change.variable),
            *_values(change),
            " and ".join(cause.held),
            _alone(cause.but_for),
        )
        for number, cause in enumerate(found.causes, start=1)
        for change in cause.changed
    ]
    headers = ("cause", "what would be another", "in fact", "where it does not happen", "held as it was", "")
    shares = {agent: degree for agent, degree in found.shares.items() if degree is not None}
    return together(
        element("figure", drawn),
        table("The scenario of each cause; all else is as in fact, or follows from that", headers, rows),
        element("p", f"Responsible: {_degrees(shares)}.", class_="small") if shares else "",
        listing(f"Not settled: {text}" for text in found.unsettled) if found.unsettled else "",
    )


def _alone(but_for: bool) -> str:
    return "but for it, it would not have happened" if but_for else ""


def _degrees(shares: Mapping[str, float]) -> str:
    return ", ".join(f"{agent} {degree:.3g}" for agent, degree in sorted(shares.items()))


def _values(change: ChangeDocument) -> tuple[str, str]:
    def told(value: object) -> str:
        text = "not known" if value is None else str(value).lower() if isinstance(value, bool) else str(value)
        return with_unit(text, change.unit)

    return told(change.fact), told(change.scenario)


def map_figure(made: DecisionMap, name: str) -> Html:
    """The picture of a map; the name is one of its own in the page."""
    return element("figure", Html(svg(made, name=name)))


def explanation_tables(found: ExplanationDocument, words: Words) -> Iterator[Html]:
    """What an explanation has found, as tables."""
    if found.mattered is not None:
        rows = [
            (str(number), words.called(change.variable), *_values(change))
            for number, each in enumerate(found.mattered.sets, start=1)
            for change in each.changed
        ]
        yield table("What is enough, set by set", ("set", "changed", "in fact", "there"), rows)
        flips = [
            (words.called(flip.variable), str(flip.last), str(flip.first))
            for each in found.mattered.sets
            for flip in each.flips
            if not flip.as_logged
        ]
        if flips:
            yield table("Where it flips", ("along", "last value as in fact", "first value that is enough"), flips)
    if found.proof is not None:
        needs = [
            (code(each.supposition), {True: "needed", False: "not needed", None: "not settled"}[each.needed])
            for each in found.proof.suppositions
        ]
        if needs:
            yield table("What the proof needed", ("supposed", ""), needs)


def _relied_on(result: StudyDocument, interface: Interface) -> Html:
    relies_on = result.answer.relies_on if isinstance(result, ExplanationDocument) else result.relies_on
    return rests_on(relies_on, interface)
