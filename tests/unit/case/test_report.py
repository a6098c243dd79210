"""The report of a case: it says what the record has, all of it and nothing else, and nothing in a case can harm it."""

from __future__ import annotations

import re
import shutil
import sqlite3
from itertools import pairwise
from pathlib import Path
from typing import NoReturn

import pytest

from soid.case.case import Case
from soid.case.record.entry import EntryKind
from soid.case.report import findings
from soid.case.report.document import report
from soid.case.report.markup import Html, element, escaped
from soid.cli.terminal import entries
from soid.errors import ChainError, SoidError
from soid.examples import folder
from soid.oracle.answer import Verdict
from soid.solver.protocol import Reason, Unknown
from tests.half_settled import half_settled
from tests.unit.case.clocks import ticking
from tests.unit.case.hostile import ATTACK, project
from tests.unit.case.pages import Element, read
from tests.unit.oracle.worlds import OnCue

MIGHT = "might action == CANCEL if heat is anything"
EVERY = "would action == CANCEL if error == true and closed == true and heat is anything and running is anything"
VACUOUS = "would action == CANCEL"


def page_of(file: Path) -> Element:
    with Case.open(file, read_only=True) as case:
        return read(report(case))


@pytest.fixture(scope="module")
def five_file(tmp_path_factory) -> Path:
    """A case with each of the five verdicts, a question without an answer, and everything that people can add."""
    place: Path = tmp_path_factory.mktemp("report")
    oven = place / "oven"
    shutil.copytree(folder("microwave"), oven, ignore=shutil.ignore_patterns("*.py", "__pycache__", "c"))
    lines = (oven / "log.jsonl").read_text().splitlines()
    lines[1] = lines[1].replace("NOTHING", "OPEN")  # what the program never did at step 1
    (oven / "log.jsonl").write_text("\n".join(lines))
    file = place / "five.case"
    with Case.create(file, oven, title="Five verdicts", who="ada", clock=ticking()) as case:
        case.keyframe(3, "the error")
        yes = case.ask(MIGHT, step="the error").entry
        no = case.ask("did action == CANCEL", step="the error").entry
        proved = case.ask(EVERY).entry
        case.ask(VACUOUS)
        assert case.ask(MIGHT, step=1).entry.verdict is Verdict.ERROR
        case.note(no.number, "it closed the door instead")
        case.conclude(proved.number, "oven.soid", "it cancels behind a closed door")
        case.note(2, "the moment that the complaint is about")
    with Case.open(file, who="ben", clock=ticking(), solver=slow()) as case:
        assert (
            case.ask("might action == OPEN if heat is anything and closed is anything").entry.verdict is Verdict.UNKNOWN
        )
    broken = OnCue(0, _broken, onwards=True)
    with Case.open(file, who="ben", clock=ticking(), solver=broken) as case, pytest.raises(SoidError):
        case.ask("might action == START if heat is anything and closed is anything")
    with Case.open(file, who="cy", clock=ticking()) as case:
        case.accept_log_mismatch("the logger is late there", step=1)
        case.ask("did action == NOTHING", step=1)
        case.retract(yes.number, "the heater was not at issue")
    return file


def slow() -> OnCue:
    return OnCue(0, lambda _: Unknown(Reason.TIME), onwards=True)


def _broken(_: object) -> NoReturn:
    raise SoidError("the solver is broken", "Mend it.")


@pytest.fixture(scope="module")
def five(five_file) -> Element:
    return page_of(five_file)


@pytest.fixture(scope="module")
def hostile(tmp_path_factory) -> Element:
    place: Path = tmp_path_factory.mktemp("hostile")
    with Case.create(place / "a.case", project(place / "p"), title=f"title {ATTACK}", who=f"who {ATTACK}") as case:
        case.keyframe(1, f"moment {ATTACK}")
        answer = case.ask("might choice == GO if x is anything", step=f"moment {ATTACK}").entry
        case.ask("would choice == STAY if 10 <= x <= 40")
        case.ask("would choice == STAY")
        other = case.ask("did choice == GO").entry
        case.note(answer.number, f"note {ATTACK}")
        case.conclude(answer.number, f"script {ATTACK}.soid", f"words {ATTACK}")
        case.note(1, f"note {ATTACK}")
        case.retract(other.number, f"why {ATTACK}")
        return read(report(case, made_by=f"maker {ATTACK}"))


# --- what it says ---------------------------------------------------------------------------------------------


def test_the_facts_are_those_of_the_case_with_number_statement_and_seal(five, five_file):
    with Case.open(five_file, read_only=True) as case:
        facts = [each.entry for each in case.numbered_facts]
        numbers = [f"Fact {each.number}" for each in case.numbered_facts]
    assert numbers == ["Fact 2", "Fact 3", "Fact 4"]  # the first was taken back
    articles = five.named("facts").all("article")
    assert [each.attributes["id"] for each in articles] == [f"entry-{fact.number}" for fact in facts]
    for article, fact, number in zip(articles, facts, numbers, strict=True):
        assert fact.fact is not None and fact.verdict is not None and fact.asked is not None
        assert article.all("h3")[0].text.startswith(number)
        assert [each.text for each in article.of_class("verdict")] == [fact.verdict.value]
        assert fact.fact["statement"] in article.text and fact.hash in article.text
        assert f"Asked by {fact.who} on 2 January 2030" in article.text
        assert fact.question is not None and fact.question in article.text
    short = five.named("short")
    assert [each.all("a")[0].text for each in short.all("li")] == numbers
    formal = [each for each in five.named("formal").of_class("formal") if each.name == "section"]
    assert [each.all("h3")[0].text for each in formal] == numbers


def test_each_verdict_has_its_own_shape_sign_and_word(five):
    legend = five.named("reading").of_class("verdict")
    assert [each.text for each in legend] == [verdict.value for verdict in Verdict]
    assert len({tuple(path.attributes["d"] for path in each.all("path")) for each in legend}) == 5
    shapes = {each.text: each.all("path")[0].attributes["d"] for each in legend}
    assert len(set(shapes.values())) == 5
    assert {each.text: each.all("path")[0].attributes["d"] for each in five.of_class("verdict")} == shapes


def test_what_is_neither_yes_nor_no_is_no_fact(five, five_file):
    neither = five.named("neither")
    said = [(each.of_class("verdict")[0].text, each.of_class("statement")[0].text) for each in neither.all("article")]
    assert [verdict for verdict, _ in said] == ["vacuous", "error", "unknown", "error"]
    assert all(statement.startswith("No FACT: ") for _, statement in said)
    assert "Log mismatch: the log says the operator's action is OPEN, the program gives NOTHING" in neither.text
    assert "The solver is broken. Mend it." in neither.text
    assert "They establish nothing, and are no FACTS." in neither.text
    numbers = {each.attributes["id"] for each in neither.all("article")}
    assert not numbers & {each.attributes["id"] for each in five.named("facts").all("article")}
    assert "4 questions got neither a yes nor a no" in five.named("short").text


def test_a_question_without_its_answer_is_listed_and_one_that_was_put_again_points_at_its_fact(asked):
    with Case.open(asked) as case:
        case.record.append(
            case.entries[2].kind,
            {**case.entries[2].payload, "question": EVERY.replace("closed == true", "closed is anything")},
            who="ben",
            when=case.entries[-1].when,
        )
        page = read(report(case))
    *_, last = page.named("neither").all("article")
    assert "No FACT: it has no answer." in last.text and not last.of_class("verdict")
    with Case.open(asked, solver=slow()) as case:
        unknown = case.ask(MIGHT).entry
    with Case.open(asked) as case:
        fact = case.ask(MIGHT).entry
        page = read(report(case))
    open_question = page.named(f"entry-{unknown.number}")
    assert "The same question was also answered: fact 1." in open_question.text
    assert f"#entry-{fact.number}" in [each.attributes["href"] for each in open_question.all("a")]
    (warning,) = page.named(f"entry-{fact.number}").of_class("warning")
    assert f"(entry {unknown.number}), the answer is unknown" in warning.text


def test_what_was_taken_back_is_shown_as_that(five, five_file):
    with Case.open(five_file, read_only=True) as case:
        (fallen,) = [each for each in case.entries if each.question == MIGHT and each.verdict is Verdict.YES]
    corrections = five.named("corrections")
    article = corrections.named(f"entry-{fallen.number}")
    (struck,) = article.all("s")
    assert fallen.fact is not None and fallen.fact["statement"] in struck.text
    assert "Taken back by cy on 2 January 2030" in article.text and "the heater was not at issue" in article.text
    assert "Accepted at step 1 that log and program differ" in corrections.text
    assert "the moment that the complaint is about" in corrections.text
    assert fallen.fact["statement"] not in five.named("facts").text + five.named("short").text
    assert "1 answer no longer counts" in five.named("short").text


def test_a_fact_falls_with_the_acceptance_that_it_rests_on(five_file, tmp_path):
    file = Path(shutil.copy(five_file, tmp_path / "a.case"))
    with Case.open(file) as case:
        accepted = next(each for each in case.entries if each.kind.value == "accepted")
        rests = case.facts[-1]
        assert rests.payload["accepted"] == accepted.number
        case.retract(accepted.number, "it was not late")
        page = read(report(case))
    assert f"entry-{rests.number}" not in {each.attributes["id"] for each in page.named("facts").all("article")}
    text = page.named("corrections").named(f"entry-{rests.number}").text
    assert (
        f"It rests on entry {accepted.number}, an acceptance that no longer counts." in text
        and "it was not late" in text
    )


def test_a_fact_where_log_and_program_differ_says_so_wherever_it_is_told(five, five_file):
    with Case.open(five_file, read_only=True) as case:
        facts = case.numbered_facts
        rests = [each.answer for each in facts if each.entry.payload["accepted"] is not None]
        (number,) = [each.number for each in facts if each.entry.payload["accepted"] is not None]
    assert len(rests) == 1
    warned = [each for each in five.named("facts").all("article") if each.of_class("warning")]
    assert [each.attributes["id"] for each in warned] == [f"entry-{rests[0]}"]
    (listed,) = [each for each in five.named("short").all("li") if each.of_class("warning")]
    assert f"Fact {number}" in listed.text and "Log and program differ at this moment" in listed.text


def test_notes_stand_with_what_they_are_about(five):
    quotes = [each.text for each in five.named("facts").all("blockquote")]
    assert quotes[0].startswith("it closed the door insteadada, 2 January 2030")


def test_a_conclusion_stands_first_and_is_in_doubt_once_a_fact_before_it_has_fallen(five, asked):
    (conclusion,) = five.named("short").of_class("conclusion")
    assert "It cancels behind a closed door." in conclusion.text and "oven.soid" in conclusion.text
    assert "no longer do: entry 4." in conclusion.of_class("warning")[0].text  # the first answer was taken back since
    with Case.open(asked) as case:
        fact = case.facts[-1]
        case.conclude(fact.number, "oven.soid", "it cancels")
        assert not read(report(case)).of_class("warning")
        case.retract(fact.number, "a slip")
        (warning,) = read(report(case)).of_class("warning")
    assert f"entry {fact.number}, no longer counts" in warning.text


def test_what_happened_is_told_for_each_moment(five):
    happened = five.named("happened")
    assert [each.text for each in happened.all("h3")] == ["Step 1", "Step 3, called “the error”"]
    assert "The log says that it decided to open the door." in happened.text
    (warning,) = happened.of_class("warning")
    assert "Log and program differ here." in warning.text and "cy accepted this" in warning.text
    rows = [[cell.text for cell in row.all("th", "td")] for row in happened.of_class("moment")[1].all("tr")]
    assert ["the heater heat", "true"] in rows and ["the operator's action action", "CLOSE", "as logged"] in rows


def test_the_annex_has_what_each_fact_rests_on_and_all_files_and_entries(five, five_file):
    with Case.open(five_file, read_only=True) as case:
        entries, files = case.entries, case.snapshot.files
        number, fact = next((n.number, n.entry) for n in case.numbered_facts if n.entry.question == EVERY)
    section = next(each for each in five.named("formal").all("section") if f"Fact {number}" in each.text)
    assert fact.fact is not None and fact.answer is not None
    assert section.all("pre")[0].raw == fact.fact["formula"]
    for text in (
        *fact.answer["suppositions"],
        *(each["text"] for each in fact.answer["relies_on"]),
        f"heat over {fact.answer['freed'][0]['over']}",
    ):
        assert text in section.text
    assert f"{fact.answer['paths']['decided']} decided" in section.text and "confined" in section.text
    record = five.named("record").text
    assert all(entry.hash in record for entry in entries)
    held = five.named("holdings").text
    assert all(file.path in held and file.sha256 in held for file in files)


def test_numbers_have_their_units_and_the_counterfactual_is_drawn_beside_the_fact(hostile):
    fact = hostile.named("facts").all("article")[0]
    changed = [[cell.text for cell in row.all("th", "td")] for row in fact.of_class("changed")[0].all("tr")]
    unit = f"unit {ATTACK}".replace("\u202e", "[U+202E]")
    assert changed[1][1:] == [f"30 {unit}", f"50 {unit}"]
    (drawing,) = [each for each in fact.all("svg") if each.attributes.get("role")]
    assert "In the scenario beside it this differs: A x: 30 → 50" in (drawing.attributes["aria-label"] or "")
    assert len(hostile.named("happened").all("figure")) == 1


SPEED = """
(set-logic QF_BVFP)
(declare-const speed (_ BitVec 32))
(declare-const go Bool)
(define-fun v () (_ FloatingPoint 8 24) ((_ to_fp 8 24) speed))
(assert {when})
(assert (= go {go}))
"""
LIMIT, CRASH = ("((_ to_fp 8 24) RNE 1.2312)", "((_ to_fp 8 24) RNE 5.0)")


@pytest.fixture
def rounded(tmp_path) -> Path:
    """Its log has two decimals and no decisions: what it did at step 1 is not known. It fails from 5 m/s on."""
    project: Path = tmp_path / "car"
    project.mkdir()
    (project / "slow.smt2").write_text(SPEED.format(when=f"(not (fp.gt v {LIMIT}))", go="false"))
    (project / "fast.smt2").write_text(SPEED.format(when=f"(and (fp.gt v {LIMIT}) (fp.lt v {CRASH}))", go="true"))
    (project / "crash.smt2").write_text(SPEED.format(when=f"(not (fp.lt v {CRASH}))", go="false"))
    (project / "log.jsonl").write_text('{"step": 1, "speed": 1.23}\n{"step": 2, "speed": 7.5}\n')
    (project / "soid.toml").write_text(
        '[program]\nengine = "smtlib"\npaths = ["*.smt2"]\n[trace]\nfile = "log.jsonl"\nkeyframe = 1\n[variables]\n'
        'speed = { role = "environment", type = "float32", unit = "m/s", logged = { decimals = 2 }, domain = [0, 9] }\n'
        'go = { role = "decision", type = "bool" }\n[endings]\ncrash = "fails: division by zero at car.c:12"\n'
    )
    return project


def test_what_the_log_does_not_say_is_never_told_as_what_happened(rounded, tmp_path):
    with Case.create(tmp_path / "a.case", rounded) as case:
        open_question = case.ask("did go").entry
        assert open_question.verdict is Verdict.UNKNOWN
        case.ask("might go if speed is anything")
        assert case.ask("did fails", step=2).entry.verdict is Verdict.YES
        page = read(report(case))
    first, second = page.named("happened").of_class("moment")
    assert "that it decided" not in page.named("happened").text
    assert "What it decided is not in the log. Given the values as logged, which are rounded," in first.text
    assert "1.23 m/s logged to 2 decimals".replace(" ", "") in first.text.replace(" ", "")
    assert "What it decided is not in the log. Given these values the program fails: division by zero at car.c:12." in (
        second.text
    )
    might = page.named("facts").all("article")[0]
    assert "false (not logged; as computed from the rounded log)" in might.text
    shown = [each.text for each in page.named(f"entry-{open_question.number}").all("h4")]
    assert shown == ["A scenario in which it does not", "A scenario in which it does"]
    assert "Everything is as it was logged." in page.named(f"entry-{open_question.number}").text


def test_what_was_asked_again_is_one_fact_with_a_line_for_each_repetition(asked):
    with Case.open(asked, who="ada") as case:
        first, again, last = (case.ask(MIGHT).entry for _ in range(3))
        wider = case.ask("would action == CANCEL if heat == false").entry
        case.note(again.number, "to be sure")
        page = read(report(case))
        case.retract(first.number, "taken back")
        later = read(report(case))
    short = page.named("short").text
    assert "3 FACTS are established, by 5 answers" in short
    fact = page.named(f"entry-{first.number}")
    assert fact.all("h3")[0].text == f"Fact 1 step 3, entry {first.number}"
    assert [each.text.partition(" on ")[0] for each in fact.of_class("signed")] == ["Asked by ada"] + 2 * [
        "Asked again by ada"
    ]
    assert f"(entry {last.number}): the same answer." in fact.text and "to be sure" in fact.text
    assert not [each for each in page if each.attributes.get("id") in (f"entry-{again.number}", f"entry-{last.number}")]
    same = "It says the same as fact 1."  # where one scenario is all
    (source,) = [each for each in page.named(f"entry-{wider.number}").all("a") if each.text == same]
    assert source.attributes["href"] == f"#entry-{first.number}"
    assert same in short
    assert "Fact 1 step 3" in later.named(f"entry-{again.number}").text
    assert "Other answers establish it all the same: fact 1." in later.named(f"entry-{first.number}").text


def test_nothing_asked_yet(oven):
    page = page_of(oven)
    assert "no FACTS are established" in page.named("short").text.replace("No", "no")
    assert "Nothing has been established" in page.named("facts").text
    assert [each.text for each in page.named("happened").all("h3")] == ["Step 3"]


# --- that it can be trusted -----------------------------------------------------------------------------------


def test_nothing_in_a_case_gets_out_of_its_place(hostile):
    assert not hostile.all(
        "script", "img", "link", "iframe", "object", "embed", "base", "form", "input", "use", "image"
    )
    for each in hostile:
        assert not [name for name in each.attributes if name.startswith("on")]
    shown = ATTACK.replace("\u202e", "[U+202E]")
    for word in (
        "title",
        "program",
        "who",
        "label",
        "unit",
        "moment",
        "note",
        "words",
        "actor",
        "ground",
        "maker",
        "why",
    ):
        assert f"{word} {shown}" in hostile.raw, word
    assert "\u202e" not in hostile.raw


@pytest.mark.parametrize("which", ["five", "hostile"])
def test_nothing_is_loaded_and_every_link_leads_somewhere(which, request):
    page = request.getfixturevalue(which)
    identities = [each.attributes["id"] for each in page if "id" in each.attributes]
    assert len(set(identities)) == len(identities)
    for each in page:
        assert not each.attributes.keys() & {"src", "srcset", "action", "formaction", "background", "poster", "data"}
        for name in ("href", "xlink:href"):
            target = each.attributes.get(name)
            assert target is None or (target.startswith("#") and target[1:] in identities), target
    styles = "".join(each.raw for each in page.all("style"))
    assert not re.search(r"url\(|@import|expression\(|https?:", styles)
    (policy,) = [each.attributes["content"] for each in page.all("meta") if "http-equiv" in each.attributes]
    assert policy is not None and policy.startswith("default-src 'none'; style-src 'unsafe-inline'")


@pytest.mark.parametrize("which", ["five", "hostile"])
def test_it_can_be_heard_as_well_as_seen(which, request):
    page = request.getfixturevalue(which)
    assert [each.attributes["lang"] for each in page.all("html")] == ["en"]
    assert len(page.all("h1")) == len(page.all("main")) == len(page.all("title")) - len(_of_drawings(page)) == 1
    levels = [int(each.name[1]) for each in page.all("h1", "h2", "h3", "h4")]
    assert all(after <= before + 1 for before, after in pairwise(levels))
    for table in page.all("table"):
        assert table.all("caption")[0].text
        assert {each.attributes["scope"] for each in table.all("th")} == {"col", "row"}
    for drawing in page.all("svg"):
        inside = "aria-label" not in drawing.attributes and drawing.attributes.get("aria-hidden") != "true"
        assert not inside or "viewbox" not in drawing.attributes  # a part of a drawing, which has its own words
    for section in page.named("short"), page.named("record"):
        assert page.named(section.attributes["aria-labelledby"] or "").name == "h2"


def _of_drawings(page: Element) -> list[Element]:
    return [title for drawing in page.all("figure") for title in drawing.all("title")]


def test_the_same_case_gives_the_same_bytes(five_file, tmp_path, monkeypatch):
    with Case.open(five_file, read_only=True) as case:
        first = report(case)
    elsewhere = shutil.copy(five_file, tmp_path / "another name.case")
    monkeypatch.setenv("SOID_CACHE", str(tmp_path / "cache"))
    monkeypatch.chdir(tmp_path)
    with Case.open(elsewhere, who="somebody else") as case:
        assert report(case) == first == report(case)


def test_a_case_that_was_tampered_with_gets_no_report(five_file, tmp_path):
    file = Path(shutil.copy(five_file, tmp_path / "a.case"))
    with Case.open(file, read_only=True) as case:
        connection = sqlite3.connect(file)
        for trigger in connection.execute("select name from sqlite_master where type = 'trigger'").fetchall():
            connection.execute(f"drop trigger {trigger[0]}")
        connection.execute("update entries set who = 'eve' where number = 4")
        connection.commit()
        connection.close()
        with pytest.raises(ChainError, match="entry 4"):
            report(case)


# --- the builder ----------------------------------------------------------------------------------------------


def test_every_kind_of_entry_has_its_words_on_the_page_and_on_the_terminal():
    assert findings.ABOUT.keys() == entries.ABOUT.keys() == set(EntryKind)


def test_only_html_goes_in_unescaped():
    bold = element("b", "x")
    assert element("p", bold) == "<p><b>x</b></p>"
    for text in (bold + "", f"{bold}", "".join([bold]), str(bold), bold[:], bold.upper()):
        assert not isinstance(text, Html)
        assert "<b>" not in element("p", text).lower()
    assert element("a", href='"><b>') == '<a href="&quot;&gt;&lt;b&gt;"></a>'
    assert escaped("a\x00b\ud800c") == "a[U+0000]b[U+D800]c"


def test_a_comparison_of_the_whole_log_is_told(tmp_path):
    oven = tmp_path / "oven"
    shutil.copytree(folder("microwave"), oven, ignore=shutil.ignore_patterns("*.py", "__pycache__", "c"))
    lines = (oven / "log.jsonl").read_text().splitlines()
    lines[1] = lines[1].replace("NOTHING", "OPEN")  # what the program never did at step 1
    (oven / "log.jsonl").write_text("\n".join(lines))
    with Case.create(tmp_path / "a.case", oven, who="ada", clock=ticking()) as case:
        assert "Log and program" not in report(case)
        entry = case.compare_log().entry
        case.note(entry.number, "the recorder was repaired that day")
        page = report(case)
    assert '<h2 id="compared-heading">Log and program</h2>' in page
    text = read(page).text
    assert "Log and program differ." in text
    assert "They part first at step 1 (oven/log.jsonl:2): the log says action = OPEN" in text
    assert "No cause that was tested explains it:" in text
    assert page.count("the recorder was repaired that day") == 2  # beside it, and in the annex
    assert str(Path.home()) not in page


def test_an_open_answer_says_what_stands_in_the_way_and_draws_what_is_settled(tmp_path):
    (tmp_path / "project").mkdir()
    half_settled(tmp_path / "apart.case", tmp_path / "project")
    with Case.open(tmp_path / "apart.case", read_only=True) as case:
        page = report(case, made_by="soid")
    assert "The time was over before it was settled for every scenario." in page
    assert "% of the range of the speed is settled: there the answer is no" in page and "500.0 m/s" in page


def test_a_page_is_of_the_entries_that_were_there_as_it_was_begun(asked):
    with Case.open(asked, who="ada") as case:
        case.ask(MIGHT)
        entries, facts = case.entries, case.numbered_facts
        case.ask(MIGHT)  # as another process may, while a page is made
        assert case.numbered_facts_of(entries) == facts
        assert case.numbered_facts != facts
