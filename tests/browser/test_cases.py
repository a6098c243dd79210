"""Cases without a scene, long questions, a server that dies, and two people on one case."""

from __future__ import annotations

import shutil
import signal
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, expect

from soid.case.case import Case
from soid.examples import folder
from tests.browser.conftest import HARD_QUESTION, Opening, Original, Server
from tests.browser.drawn_texts import hidden_texts
from tests.browser.working import ask, asking, facts, question, ready, suppose, tick, verdict
from tests.unit.case.hostile import ATTACK, MARKUP
from tests.unit.case.hostile import project as hostile_project

WEIGHT = "patient.weight"


def test_diabetes_without_a_scene(opening: Opening, copied, shot) -> None:
    page = ready(opening(f"/case/{copied('diabetes')}"))
    expect(page.locator(".stage")).to_have_count(0)
    expect(page.get_by_role("group", name="the glucose")).to_contain_text("was 199.0 mg/dl")
    page.get_by_label("Search the variables").fill("wei")
    expect(page.locator(".variable")).to_have_count(1)
    expect(page.locator(".variable")).to_contain_text("was 249.973 lb")
    suppose(page, "the weight", "anything")
    asking(page, "might", "assessment.risk == HIGH")
    ask(page)
    expect(verdict(page)).to_have_text("yes")
    suppose(page, "the weight", "between", "50", "700")
    expect(question(page)).to_have_text(f"might assessment.risk == HIGH if 50.0 <= {WEIGHT} <= 700.0")
    expect(page.locator(".answer")).to_be_hidden()  # it was about another question
    ask(page)
    expect(verdict(page)).to_have_text("no")
    expect(facts(page)).to_have_count(2)
    shot(page)


HARD_WORDS = 'Might it ever decide for "found", whatever a and b had been?'


def test_a_long_question_is_cancelled_and_blocks_nothing(opening: Opening, copied, shot) -> None:
    page = ready(opening(f"/case/{copied('hard')}"))
    for name in ("a", "b"):
        suppose(page, name, "anything")
    asking(page, "might", "found")
    ask(page)
    job = page.locator(".job")
    expect(job).to_contain_text(HARD_WORDS)
    expect(job).to_contain_text(" s")
    page.reload()  # which ends no work and loses no question
    expect(job).to_contain_text(HARD_WORDS)
    expect(job).to_be_in_viewport(ratio=1)  # it stands beside Ask, which sticks
    expect(question(page)).to_have_text(HARD_QUESTION)
    # meanwhile another one is asked and answered
    asking(page, "did", "not found")
    ask(page)
    expect(verdict(page)).to_have_text("yes")
    expect(job).to_have_count(1)
    shot(page, "working")
    page.get_by_role("button", name="Cancel").click()
    expect(job).to_contain_text("called off")
    page.get_by_label("What is listed").select_option("all")
    expect(facts(page).filter(has_text="never answered")).to_have_count(1)
    page.get_by_role("button", name="Dismiss").click()
    expect(job).to_have_count(0)


def test_the_server_is_killed_in_the_middle_and_nothing_is_lost(
    browser: Browser, original: Original, tmp_path: Path, shot
) -> None:
    shutil.copyfile(original("hard"), tmp_path / "hard.case")
    server = Server(tmp_path)
    server.start()
    context = browser.new_context(viewport={"width": 1440, "height": 1000})
    try:
        page = ready(_opened(context.new_page(), f"{server.url}/case/hard"))
        asking(page, "did", "not found")
        ask(page)
        expect(verdict(page)).to_have_text("yes")
        for name in ("a", "b"):
            suppose(page, name, "anything")
        asking(page, "would", "not found")
        ask(page)
        expect(page.locator(".job")).to_contain_text("Would it always decide against")
        expect(page.locator(".seal")).to_contain_text("6 entries")  # it is on the record now, without an answer
        server.stop(signal.SIGKILL)
        expect(page.get_by_text("Connection lost")).to_be_visible()
        server.start()  # at the same address; the page finds it by itself
        expect(page.get_by_text("Connection lost")).to_be_hidden()
        ready(page)
        expect(facts(page)).to_have_count(1)
        expect(question(page)).to_have_text("would not found if a is anything and b is anything")  # nor is this lost
        page.get_by_label("What is listed").select_option("all")
        expect(facts(page).filter(has_text="never answered")).to_contain_text("would not found")
        shot(page)
    finally:
        context.close()
        server.stop(signal.SIGKILL)
    with Case.open(tmp_path / "hard.case", read_only=True) as case:
        case.verify_chain()
        assert [entry.question for entry in case.unanswered] == ["would not found if a is anything and b is anything"]


def _opened(page: Page, url: str) -> Page:
    page.goto(url)
    return page


def test_two_people_see_each_others_facts(opening: Opening, copied, shot) -> None:
    case = copied("microwave")
    ada, ben = (ready(opening(f"/case/{case}")) for _ in range(2))
    asking(ada, "did", "action == CLOSE")
    ask(ada)
    expect(facts(ben)).to_have_count(1)
    expect(facts(ben)).to_contain_text("ada")
    ben.get_by_role("button", name="Note on entry 3").click()
    ben.get_by_label("Your note").fill("so it did")
    ben.get_by_role("button", name="Add the note").click()
    expect(facts(ada)).to_contain_text("so it did")
    ben.get_by_role("button", name="Show entry 3").click()
    expect(verdict(ben)).to_have_text("yes")
    # taken back by one, it no longer counts for the other
    ada.get_by_role("button", name="Take back entry 3").click()
    ada.get_by_label("Why it is taken back").fill("the wrong moment")
    ada.get_by_role("button", name="Take it back").click()
    expect(facts(ben)).to_have_count(0)
    ben.get_by_label("What is listed").select_option("all")
    expect(ben.locator(".fact.struck")).to_have_count(1)
    shot(ben)


def test_a_log_that_differs_is_an_error_until_somebody_accepts_it(opening: Opening, copied, shot) -> None:
    page = ready(opening(f"/case/{copied('mismatch')}"))
    asking(page, "did", "action == CANCEL")
    ask(page)
    expect(verdict(page)).to_have_text("error")
    expect(page.locator(".head")).to_contain_text("differs from the program at step")
    expect(facts(page)).to_have_count(0)
    shot(page)
    page.get_by_label("Why one may go on").fill("the clock was wrong")
    page.get_by_role("button", name="Accept on the record").dblclick()
    expect(page.locator(".job")).to_contain_text("done")
    page.get_by_role("button", name="Close", exact=True).click()
    ask(page)
    expect(verdict(page)).to_have_text("no")
    expect(page.locator(".seal")).to_contain_text("6 entries")  # accepted once
    expect(page.locator(".answer .figures")).to_contain_text("accepted on the record")


def test_a_log_that_could_not_be_checked_is_told_from_one_that_differs_and_can_be_accepted(
    opening: Opening, copied
) -> None:
    page = ready(opening(f"/case/{copied('unchecked')}"))
    asking(page, "did")
    ask(page)
    expect(verdict(page)).to_have_text("unknown")
    expect(page.locator(".answer .reason")).to_contain_text("The log was not checked")
    expect(page.locator(".head")).to_contain_text("could not be checked against the program at step 0")
    expect(page.locator(".head")).not_to_contain_text("differs")
    page.get_by_label("Why one may go on").fill("rounded by the recorder")
    page.get_by_role("button", name="Accept on the record").click()
    expect(page.locator(".job")).to_contain_text("done")
    page.get_by_role("button", name="Close", exact=True).click()
    ask(page)
    expect(page.locator(".answer .reason")).to_contain_text("something that soid cannot follow")
    expect(page.locator(".answer .figures")).to_contain_text("accepted on the record")
    expect(page.locator(".head")).not_to_contain_text("matches the program")


def test_an_example_is_opened_from_the_list(opening: Opening, shot) -> None:
    page = opening("/")
    page.get_by_role("button", name="The oven").dblclick()  # one case all the same
    ready(page)
    expect(page.get_by_role("heading", name="The oven")).to_be_visible()
    page.get_by_role("link", name="Cases").click()
    expect(page.get_by_role("link", name="The oven")).to_be_visible()
    shot(page)


def test_what_all_answers_have_shown_is_drawn_and_everything_is_explained(opening: Opening, copied, shot) -> None:
    page = ready(opening(f"/case/{copied('microwave')}"))
    ask(page)
    expect(verdict(page)).to_be_visible()
    page.get_by_role("link", name="Abstraction").click()
    expect(page.locator(".drawing > svg")).to_contain_text("Did it close the door?")
    page.emulate_media(color_scheme="dark")  # the sheet stays white, so its words stay dark
    ink = "element => getComputedStyle(element).fill"
    assert page.locator(".drawing text", has_text="Did it close").evaluate(ink) == "rgb(27, 31, 36)"
    shot(page, "abstraction")
    with page.context.expect_page() as opened:  # beside what is being worked on
        page.get_by_role("link", name="Help").click()
    expect(opened.value.locator(".verdict")).to_have_text(["yes", "no", "vacuous", "unknown", "error"])
    expect(opened.value.get_by_role("heading", name="The record")).to_be_visible()
    shot(opened.value, "help")


def test_the_abstraction_is_told_drawn_and_listed_inside_the_program_too(opening: Opening, copied, shot) -> None:
    page = ready(opening(f"/case/{copied('crash-standard')}"))
    ask(page)
    expect(facts(page)).to_have_count(1)
    tick(page, "the other car's signal", "STRAIGHT", "LEFT", "RIGHT")
    asking(page, "might", "not move")
    ask(page)
    expect(facts(page)).to_have_count(2)
    page.get_by_role("link", name="Abstraction").click()
    drawing = page.get_by_role("region", name="The picture of the abstraction")
    expect(drawing.locator("svg")).to_contain_text("situation is called")
    expect(page.locator(".main")).to_contain_text("A box is a state")
    expect(page.locator(".main")).to_contain_text("q1 and q2 have states in common at")
    assert hidden_texts(drawing.locator("svg")) == []
    shot(page, "inside")
    # larger and smaller, by mouse and by keys
    width = "(part) => part.querySelector('svg').getBoundingClientRect().width"
    before = drawing.evaluate(width)
    page.get_by_role("button", name="Larger").click()
    assert drawing.evaluate(width) > 1.3 * before
    drawing.press("+")
    assert drawing.evaluate(width) > 1.8 * before
    drawing.press("0")
    assert drawing.evaluate(width) == pytest.approx(before, abs=1)
    page.set_viewport_size({"width": 390, "height": 844})
    assert page.evaluate("document.documentElement.scrollWidth") <= 390
    page.locator("summary", has_text="Inside the program for q2").click()
    table = page.get_by_role("region", name="Inside the program for q2")
    expect(table.get_by_role("row", name="drive returns").last).to_contain_text("row 528")
    shot(page, "inside-phone")


def test_names_with_markup_are_text(opening: Opening, server: Server, tmp_path: Path) -> None:
    """A case that a stranger has sent: its title, its labels, its file names."""
    hostile = "</script><img src=x onerror=alert(1)>`${alert(1)}` {{ 7 * 7 }}"
    project = tmp_path / "oven"
    shutil.copytree(folder("microwave"), project, ignore=shutil.ignore_patterns("*.py", "__pycache__"))
    manifest = project / "soid.toml"
    endless = "Donaudampfschifffahrtselektrizitätenhauptbetriebswerkbauunterbeamtengesellschaftstür"
    text = manifest.read_text().replace('"the heater"', f"'{hostile}'")
    manifest.write_text(text.replace('"the door switch"', f"'{endless}'"))
    Case.create(server.cases / "hostile.case", project, title=hostile, who=hostile).close()
    page = ready(opening("/case/hostile"))
    expect(page.get_by_role("heading", level=1)).to_have_text(hostile)
    expect(page.get_by_role("group", name=hostile)).to_contain_text(hostile)
    tick(page, hostile, "false")
    asking(page, "might", "action == CANCEL")
    ask(page)
    expect(page.locator(".answer table.changed")).to_contain_text(hostile)
    tick(page, endless, "true")
    for width in (390, 1440):  # a word without an end is broken: nothing sticks out of the page or of a card
        page.set_viewport_size({"width": width, "height": 900})
        assert page.evaluate("document.documentElement.scrollWidth") <= width
        wide = """cards => cards.filter((card) => card.checkVisibility() && card.scrollWidth > card.clientWidth)
            .map((card) => card.className)"""
        assert page.locator(".card, .chip, .variable").evaluate_all(wide) == []
    ask(page)
    expect(facts(page)).to_have_count(2)
    page.get_by_role("link", name="Abstraction").click()
    drawn = page.get_by_role("region", name="The picture of the abstraction").locator("svg")
    outside = """svg => [...svg.querySelectorAll("g:has(> rect)")].filter((box) => {
        const right = box.querySelector("rect").getBoundingClientRect().right;
        return [...box.querySelectorAll("text")].some((text) => text.getBoundingClientRect().right > right);
    }).map((box) => box.textContent)"""
    assert drawn.evaluate(outside) == []
    page.goto(server.url)
    expect(page.get_by_role("link", name=hostile)).to_be_visible()
    assert page.locator("img").count() == 0


def test_markup_in_a_strangers_texts_is_text_wherever_it_is_shown(
    opening: Opening, server: Server, tmp_path: Path, shot
) -> None:
    """A case that a stranger has sent: its title, its labels and phrases, its story, its file names, their notes."""
    name = f"title {MARKUP}"
    with Case.create(server.cases / "stranger.case", hostile_project(tmp_path / "p"), title=name, who=MARKUP) as case:
        case.note(1, f"note {ATTACK}")
        case.keyframe(1, f"moment {MARKUP}")
    page = opening("/case/stranger")
    asked_for: list[str] = []
    page.on("request", lambda request: asked_for.append(request.url))
    page.on("dialog", lambda dialog: asked_for.append(f"a dialog: {dialog.message}"))

    def harmless() -> None:
        assert page.locator("img").count() == 0
        assert page.locator("script:not([nonce])").count() == 0
        assert [url for url in asked_for if not url.startswith((server.url, "data:", "blob:"))] == []

    ready(page)
    expect(page.get_by_role("heading", level=1)).to_have_text(name)
    expect(page.locator(".story")).to_contain_text("happened \"'><script>")
    expect(page.locator(".guided")).to_contain_text("stay \"'><script>")
    harmless()
    page.locator(".guided .suggested button").first.click()
    expect(page.locator(".answer")).to_contain_text("stay \"'><script>")
    expect(page.locator(".answer table.changed")).to_contain_text("unit \"'><script>")
    page.get_by_role("button", name="Why? What mattered").click()
    expect(page.locator(".why")).to_contain_text("label \"'><script>")
    harmless()
    shot(page)
    for script in page.get_by_role("button", name="Run this script").all():
        script.click()
        expect(facts(page)).to_have_count(2)
    harmless()
    page.goto(f"{server.url}/case/stranger/abstraction")
    expect(page.locator("main, .main").first).to_contain_text("<script>")
    expect(page.locator("svg").first).to_be_visible()
    harmless()
    page.goto(server.url)
    expect(page.get_by_role("link", name=name)).to_be_visible()
    harmless()


@pytest.mark.parametrize("case", ["nobody", "..%2F..%2Fetc%2Fpasswd", "%3Cscript%3Ealert(1)%3C%2Fscript%3E"])
def test_a_case_that_is_not_there_is_told(opening: Opening, case: str) -> None:
    page = opening(f"/case/{case}")
    expect(page.get_by_role("heading", name="This cannot be opened")).to_be_visible()
    page.get_by_role("link", name="To the list of cases").click()
    expect(page.get_by_role("heading", name="Cases")).to_be_visible()


def test_a_whole_log_is_compared_and_the_record_keeps_it(opening: Opening, copied, shot) -> None:
    page = ready(opening(f"/case/{copied('mismatch')}"))
    panel = page.locator(".comparison")
    expect(panel).to_contain_text("It was not compared yet.")
    page.get_by_role("button", name="Compare the whole log").click()
    compared = panel.locator(".compared")
    expect(compared).to_contain_text("Log and program differ.")
    expect(compared).to_contain_text("They part first at step 3 (oven/log.jsonl:4): the log says action = OPEN")
    expect(compared).to_contain_text("tested")
    expect(page.locator("p.meta")).to_contain_text("differs from the program, first at step 3")
    page.reload()
    expect(compared).to_have_count(1)
    shot(page)


def test_a_supposition_lasts_until_a_decision(opening: Opening, copied, shot) -> None:
    page = ready(opening(f"/case/{copied('microwave')}"))
    tick(page, "the error light", "false")
    asking(page, "might", "action == CANCEL")
    page.get_by_label("In which steps").select_option("within")
    page.get_by_label("How many steps").fill("2")
    page.get_by_role("button", name="held").click()
    page.get_by_label("When the error light differs").select_option("until")
    page.get_by_label("the error light: what ends it").select_option("action")
    page.get_by_label("the error light: the value that ends it").select_option("CANCEL")
    expect(question(page)).to_contain_text("until action == CANCEL")
    expect(page.locator("#question")).to_contain_text("until it decides to cancel")
    page.reload()
    expect(question(page)).to_contain_text("until action == CANCEL")
    ask(page)
    expect(verdict(page)).to_be_visible()
    expect(page.get_by_role("button", name="Why? What mattered")).to_be_visible()
    # where anything may follow, what it would be compared with is not the same in each scenario
    page.get_by_role("button", name="anything").click()
    ask(page)
    expect(page.locator(".answer")).to_contain_text("What mattered is not explained here. ")
    expect(page.get_by_role("button", name="Why? What mattered")).to_have_count(0)
    shot(page)
