"""What a result shows of itself: the terminal's text, and the report's parts as HTML and pictures for notebooks."""

import pickle
import re
from pathlib import Path
from xml.etree import ElementTree

import pytest

import soid
from soid.case.report.markup import escaped
from soid.examples import copy
from soid.program.interface import Interface, Role, Variable
from soid.program.types import BoolType
from soid.scenario.trace import Step, Trace
from soid.scene.scene import scene_of
from soid.showing.as_html import html


@pytest.fixture(scope="module")
def crash() -> soid.Project:
    return soid.open(soid.example("crash"))


@pytest.fixture(scope="module")
def answer(crash: soid.Project) -> soid.Answer:
    return crash.ask("would move if world.agents[1].signal is anything")


def shown(result: object) -> str:
    """The HTML, once it was seen to be one well-formed element that loads and runs nothing."""
    found = str(result._repr_html_())  # type: ignore[attr-defined]
    (sheet,) = re.findall(r"<style>([^<]*)</style>", found.partition("</style>")[0] + "</style>")
    tree = ElementTree.fromstring(found.replace(sheet, "", 1))
    assert tree.tag == "div" and tree.get("class") == "soid"
    names = {each.tag.rpartition("}")[2] for each in tree.iter()}
    assert not names & {"script", "iframe", "img", "object", "link", "a"}
    assert not re.search(r"\son\w+=|https?://(?!www\.w3\.org)|url\((?!#)|@import", found)
    return found


def test_an_answer_is_shown_as_the_report_shows_it(crash: soid.Project, answer: soid.Answer, tmp_path: Path) -> None:
    found = shown(answer)
    assert "Would it always drive on" in found and "<svg" in found and "What is different" in found
    with soid.Case.create(tmp_path / "crash.case", soid.example("crash")) as case:
        from soid.case.report.document import report

        case.ask("would move if world.agents[1].signal is anything", step=11)
        page = report(case)
    for part in ("question", "scenario"):
        (begin,) = (found.index(tag) for tag in re.findall(rf'<\w+ class="{part}">', found)[:1])
        assert found[begin : begin + 400] in page


def test_its_text_is_the_terminal_s(answer: soid.Answer) -> None:
    text = str(answer)
    assert "✘ NO" in text and "changed" in text and "\x1b" not in text and len(text.splitlines()) > 10


def test_maps_explanations_moments_and_answers_are_shown(crash: soid.Project, answer: soid.Answer) -> None:
    v = crash.variables
    made = crash.map(v.world.agents[1].x.within(0.25))
    why = crash.explain("would move if world.agents[1].signal is anything")
    several = soid.Answers([answer, crash.ask("did move")])
    for each in (made, why, crash.keyframe, crash.at(3).logged, several):
        assert len(shown(each)) > 1000
    assert "<svg" in shown(made) and "<svg" in shown(crash.keyframe)
    assert "YES" in str(several[1]) and "2 answers" in shown(several) and str(made).count("\n") > 5
    assert "Explanation" in str(why).splitlines()[0]


def test_causes_comparisons_and_what_a_case_keeps_are_shown(tmp_path: Path) -> None:
    three = soid.open(soid.example("crash") / "together")
    over = "world.agents[1].signal is anything"
    oven = soid.open(soid.example("microwave"))
    causes = oven.causes("did action == CLOSE", "error is anything and closed is anything")
    compared = three.compare([f"would move if {over}"])
    parted = three.differ("standard", "impatient", over)
    log = oven.compare_log()
    with soid.Case.create(tmp_path / "oven.case", soid.example("microwave")) as case:
        kept = case.ask("might action == CANCEL if heat is anything")
        both = case.compare_log()
    assert "Its actual cause is the door switch" in shown(causes) and "<svg" in shown(causes)
    assert "closed" in str(causes) and "--" not in str(causes)
    assert shown(compared).count('class="verdict') == 3 and "✔ yes" in str(compared)
    assert "standard and impatient always decide alike" in shown(parted) and "<svg" in shown(parted)
    assert str(parted).count("\n") > 5
    assert "Log and program fit" in str(log) and len(shown(log)) > 1000
    assert (str(kept), shown(kept)) == (str(kept.answer), shown(kept.answer)) and shown(both) == shown(both.result)
    assert "the door switch" in shown(oven.program.interface)
    for each in (causes, compared, parted, log, kept, both):
        assert "\n" not in repr(each) and len(repr(each)) < 250
        assert repr(pickle.loads(pickle.dumps(each))) == repr(each)


def test_a_scene_is_shown_as_what_it_draws(crash: soid.Project) -> None:
    scene = scene_of(crash.manifest)
    assert scene is not None and "the investigated car" in shown(scene) and "world.agents[0].x" in shown(scene)


def test_what_is_neither_yes_nor_no_is_shown(crash: soid.Project) -> None:
    oven = soid.open(soid.example("microwave"))
    for found, verdict in (
        (oven.ask("would action == CANCEL if heat == true and heat == false"), "vacuous"),
        (crash.ask("would move if world.agents[1].x is anything", seconds=0.0), "unknown"),
    ):
        assert found.verdict == verdict
        assert f'class="verdict {verdict}"' in shown(found) and verdict.upper() in str(found)


def test_a_case_is_shown_with_its_facts(tmp_path: Path) -> None:
    with soid.Case.create(tmp_path / "oven.case", soid.example("microwave"), title="<b>&", who="<i>ada") as case:
        assert "nothing" in shown(case).lower() or "no" in shown(case).lower()
        case.ask("did action == CLOSE")
        found = shown(case)
        recalled = case.recall(3)
    assert "Fact 1: " in found and "<b>" not in found and str(escaped("<b>&")) in found and "<i>ada" not in found
    assert "Did it close the door?" in shown(recalled) and "YES" in str(recalled)


def test_names_of_a_stranger_s_program_are_text(tmp_path: Path) -> None:
    copy("microwave", tmp_path / "oven")
    manifest = tmp_path / "oven" / "soid.toml"
    hostile = "</style><script>alert(1)</script>"
    manifest.write_text(manifest.read_text().replace('label = "the heater"', f'label = "{hostile}"'))
    assert hostile in manifest.read_text()
    answer = soid.open(tmp_path / "oven").ask("might action == CANCEL if heat is anything")
    assert "<script" not in shown(answer) and "alert(1)" in shown(answer)


def test_what_has_no_moment_is_a_line() -> None:
    log = Trace(Interface((Variable("on", Role.DECISION, BoolType()),)), (Step(0, {}, {"on": 1}),))
    assert html(log) == "<pre>Trace(a log: 1 steps, 0 to 0)</pre>"


def test_answers_are_a_table(crash: soid.Project, answer: soid.Answer) -> None:
    answers = soid.Answers([answer, crash.at(9).ask(answer.query)])
    frame = answers.to_pandas()
    assert list(frame["step"]) == [11, 9] and set(frame["verdict"]) <= {"yes", "no"}
    assert answers.to_polars()["question"].to_list() == [answer.text] * 2
    scenarios = answers.witnesses()
    assert scenarios.num_rows == 2
    assert scenarios.schema.field("world.agents[1].speed").metadata[b"unit"] == b"m/s"
    assert scenarios.column("world.agents[1].signal").to_pylist()[0] == "STRAIGHT"
    with pytest.raises(soid.SoidError, match="'yes' is no answer"):
        soid.Answers(["yes"])  # type: ignore[list-item]
