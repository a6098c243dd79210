"""Results as the report shows them, for notebooks: one element with its own style, of the report's parts.

>>> from soid.case.project import Project
>>> from soid.examples import folder
>>> shown = html(Project.open(folder("microwave")).ask("did action == CLOSE"))
>>> shown.startswith('<div class="soid">'), "Did it close the door?" in shown
(True, True)
"""

from __future__ import annotations

from functools import cache, singledispatch
from html import escape
from importlib.resources import files

from msgspec.json import encode

from soid.case.case import Case, ComparedLog, RecordedAnswer, RecordedStudy
from soid.case.facts import fact_of
from soid.case.moment_picture import moment_svg
from soid.case.program_comparison import ProgramComparison, ProgramDifference
from soid.case.report import findings
from soid.case.report.contents import Contents
from soid.case.report.fact_words import tally
from soid.case.report.markup import Html, code, element, table, terms, together
from soid.case.report.phrases import all_digits, badge, moment_in_time, rests_on, sentence_of
from soid.case.report.study_parts import causes_tables, explanation_tables, map_figure
from soid.case.report.witnesses import scenarios
from soid.case.studies import causes_told, explanation_told
from soid.explanation.causes import ActualCauses
from soid.explanation.explainer import Explanation
from soid.mapping.decision_map import DecisionMap
from soid.oracle.answer import Answer
from soid.oracle.whole_log import LogComparison
from soid.program.interface import Interface
from soid.query.language.query_parser import parse
from soid.query.words import Words, counted, sentence
from soid.scenario.trace import Keyframe
from soid.scene.scene import Scene, drawn_scene
from soid.sweep.answer_table import Answers
from soid.sweep.sweep import Sweep
from soid.sweep.sweep_row import SweepRow

_SHOWN = 50  # rows of a table
#: notebooks align cells to the right, stripe rows, and cut words in columns of one width
_NOTEBOOK = (
    ".soid.soid table { table-layout: auto; }\n"
    ".soid.soid :is(td, th) { text-align: left; vertical-align: top; }\n"
    ".soid.soid tbody tr { background: none !important; }"
)


@singledispatch
def html(result: object) -> str:
    """What the report would show; the text of what it shows nothing of."""
    return f"<pre>{escape(str(result))}</pre>"


@html.register
def _answer(answer: Answer) -> str:
    return _styled(_answered(answer)) if answer.keyframe is not None else _plain(answer)


def _answered(answer: Answer) -> Html:
    keyframe = answer.keyframe
    assert keyframe is not None
    interface = answer.query.moment(keyframe).interface
    return together(
        _said(answer, keyframe),
        scenarios(answer, keyframe, _scene(keyframe)),
        rests_on(answer.relies_on, interface),
    )


def _said(answer: Answer, keyframe: Keyframe) -> Html:
    """The question, and the answer in words."""
    return together(
        element("p", keyframe.called, class_="kind"),
        findings.question(answer.query, answer.text, answer.query.moment(keyframe)),
        _found(answer, keyframe),
        element("p", answer.harm, class_="warning") if answer.harm else "",
    )


def _found(answer: Answer, keyframe: Keyframe) -> Html:
    interface = answer.query.moment(keyframe).interface
    fact = fact_of(answer, keyframe)
    if fact is None:
        return findings.no_fact(answer.verdict, answer.why, answer.reason, answer.settled, interface)
    exact, why = all_digits(fact, keyframe.interface), answer.because
    return findings.found(answer.verdict, fact["statement"], sentence_of(why), exact)


@html.register
def _answers(answers: Answers) -> str:
    rows = [
        (_moment(each), _asked(each), badge(each.verdict), sentence_of(each.reason), ", ".join(map(str, each.changed)))
        for each in answers[:_SHOWN]
    ]
    more = len(answers) - _SHOWN
    heads = ("moment", "question", "verdict", "reason", "scenario")
    return _styled(
        together(
            table(counted(len(answers), "answer"), heads, rows),
            element("p", f"and {counted(more, 'more')}", class_="small") if more > 0 else "",
        )
    )


@html.register
def _sweep(made: Sweep) -> str:
    said = (element("p", line) for line in made.summary().splitlines())
    names = {lane.log: f"{lane.name} " for lane in made.lanes} if len({row.log for row in made.rows}) > 1 else {}
    rows = [
        (
            f"{names.get(row.log, '')}step {row.step}",
            code(row.question),
            badge(row.verdict),
            sentence_of(row.reason),
            _scenario(row),
        )
        for row in made.rows[:_SHOWN]
    ]
    more = len(made.rows) - _SHOWN
    return _styled(
        together(
            *said,
            element("figure", Html(made.svg())),
            table(counted(len(made.rows), "answer"), ("moment", "question", "verdict", "reason", "scenario"), rows),
            element("p", f"and {counted(more, 'more')}: .table has all", class_="small") if more > 0 else "",
        )
    )


def _scenario(row: SweepRow) -> str:
    return ", ".join(f"{path} = {encode(value).decode()}" for path, value in row.witness.items())


def _moment(answer: Answer) -> str:
    return f"step {answer.step}" if answer.keyframe is None else answer.keyframe.called


def _asked(answer: Answer) -> str:
    if answer.keyframe is None:
        return code(answer.text)
    return sentence(answer.query, answer.query.moment(answer.keyframe).interface, log=answer.keyframe.trace)


@html.register
def _explanation(explanation: Explanation) -> str:
    keyframe = explanation.answer.keyframe
    if keyframe is None:
        return _plain(explanation)
    document, interface = explanation.document, explanation.answer.query.moment(keyframe).interface
    told = element("p", explanation_told(document, interface), class_="statement")
    return _styled(together(_said(explanation.answer, keyframe), told, *explanation_tables(document, Words(interface))))


@html.register
def _map(made: DecisionMap) -> str:
    return _styled(map_figure(made, "map"))


@html.register
def _causes(found: ActualCauses) -> str:
    keyframe = found.keyframe
    if keyframe is None:
        return _plain(found)
    words, asked = Words(keyframe.interface, log=keyframe.trace), parse(found.question, keyframe.interface)
    return _styled(
        together(
            element("p", keyframe.called, class_="kind"),
            findings.question(asked, found.question, asked.moment(keyframe)),
            element("p", causes_told(found.question, found.document, keyframe.interface), class_="statement"),
            causes_tables(found.document, words),
        )
    )


@html.register
def _comparison(made: ProgramComparison) -> str:
    keyframe = made.keyframe
    if keyframe is None:
        return _plain(made)
    words = Words(keyframe.interface, alone=True)
    rows = [
        (
            words.sentence(next(iter(each.answers.values())).query),
            *(badge(each.answers[name].verdict) for name in made.programs),
        )
        for each in made.questions
    ]
    return _styled(
        table(f"The same questions to each program at {keyframe.called}", ("question", *made.programs), rows)
    )


@html.register
def _difference(made: ProgramDifference) -> str:
    keyframe = made.in_fact.keyframe
    if keyframe is None:
        return _plain(made)
    answered = zip((made.in_fact, made.elsewhere), made.sentences, strict=True)
    told = (element("p", badge(answer.verdict), " ", words) for answer, words in answered)
    return _styled(
        together(
            element("p", made.question(keyframe), class_="question"),
            element("p", made.headline, class_="statement") if made.headline else "",
            *told,
            scenarios(made.elsewhere, keyframe, _scene(keyframe)),
            map_figure(made.drawn, "map") if made.drawn is not None else "",
        )
    )


@html.register
def _log(found: LogComparison) -> str:
    return _styled(findings.compared(found))


@html.register
def _recorded(recorded: RecordedAnswer) -> str:
    return html(recorded.answer)


@html.register(RecordedStudy | ComparedLog)
def _kept(recorded: RecordedStudy | ComparedLog) -> str:
    return html(recorded.result)


@html.register
def _interface(interface: Interface) -> str:
    rows = [
        (code(each.path), each.role.value, str(each.type), each.domain_text, each.unit, each.label)
        for each in interface
    ]
    heads = ("variable", "role", "type", "where it may lie", "unit", "what it is")
    return _styled(table(counted(len(rows), "variable"), heads, rows))


@html.register
def _actors(scene: Scene) -> str:
    rows = [(each.mark, each.name, ", ".join(variable.path for variable in each.variables)) for each in scene.actors]
    return _styled(table(scene.title, ("", "what is drawn", "where it is, and how it looks"), rows))


@html.register
def _keyframe(keyframe: Keyframe) -> str:
    return _styled(element("figure", Html(moment_svg(_scene(keyframe), keyframe))))


@html.register
def _case(case: Case) -> str:
    contents = Contents.of(case)
    first, last = contents.entries[0], contents.entries[-1]
    facts = (
        element("li", badge(contents.answer(each.entry).verdict), element("p", f"Fact {each.number}: {each.statement}"))
        for each in contents.facts
    )
    about = (
        ("Program", first.payload["program"]),
        ("Log", ", ".join(case.logs)),
        ("Opened", f"{moment_in_time(first.when)}, by {first.who}"),
        ("Record", f"{counted(last.number, 'entry', 'entries')}, the last of {moment_in_time(last.when)}"),
    )
    title = element("p", element("strong", case.title or first.payload["program"]), class_="question")
    said = element("p", sentence_of(tally(contents.facts)))
    return _styled(together(title, terms(about), said, element("ol", *facts, class_="facts")))


def _scene(keyframe: Keyframe) -> Scene | None:
    log = keyframe.trace
    return drawn_scene(log.scene, keyframe.interface) if log is not None and log.scene is not None else None


def _plain(result: object) -> str:
    return f"<pre>{escape(repr(result))}</pre>"


def _styled(content: Html) -> str:
    return element("div", element("style", _sheet()), content, class_="soid")


@cache
def _sheet() -> Html:
    """The report's style, for one element of a page of others: without what it says of whole and printed pages."""
    sheet = files("soid.case.report").joinpath("report.css").read_text(encoding="utf-8")
    begin, end = sheet.index("@page"), sheet.index("details.digits")
    inside = (sheet[:begin] + sheet[end:]).replace(":root", "&").replace("html {", "& {", 1)
    return Html(f".soid {{ max-width: 54rem; padding: .2rem .6rem;\n{inside.strip()}\n}}\n{_NOTEBOOK}")
