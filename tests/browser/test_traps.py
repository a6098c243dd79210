"""The traps into which pages of this kind have fallen, each a test."""

from __future__ import annotations

from playwright.sync_api import Page, expect

from tests.browser.conftest import HARD_QUESTION, Opening
from tests.browser.working import ask, asking, chips, facts, handle, question, ready, suppose, tick, verdict

X = "world.agents[1].x"


def crash(opening: Opening, copied) -> Page:
    page = ready(opening(f"/case/{copied('crash-standard')}"))
    asking(page, "might")
    return page


def test_zero_is_a_value_and_nothing_is_none(opening: Opening, copied) -> None:
    page = crash(opening, copied)
    button = page.get_by_role("button", name="Ask", exact=True)
    expect(button).to_be_disabled()  # nothing differs yet
    suppose(page, "the other car's x", "exactly")
    expect(chips(page)).to_contain_text("There is no value")
    expect(button).to_be_disabled()
    page.get_by_label("the other car's x: value in m").fill("0.0")
    expect(question(page)).to_have_text(f"might move if {X} is 0.0")
    expect(chips(page)).to_contain_text("is 0.0 m")
    expect(button).to_be_enabled()
    page.get_by_label("the other car's x: value in m").fill("")
    expect(button).to_be_disabled()
    page.get_by_label("the other car's x: value in m").fill("abc")
    expect(chips(page).locator(".problem")).to_contain_text("Expected a number")


def test_degrees_are_labelled_and_converted(opening: Opening, copied, shot) -> None:
    page = crash(opening, copied)
    angle = "world.agents[1].angle"
    expect(page.get_by_role("group", name="the other car's angle")).to_contain_text("was 0.0 rad (0.0°)")
    suppose(page, "the other car's angle", "exactly")
    field = page.get_by_label("the other car's angle: value")
    field.fill("90")
    expect(question(page)).to_have_text(f"might move if {angle} == 90.0")  # radians, as it says beside it
    unit = page.get_by_label("Unit of the other car's angle")
    expect(unit).to_have_value("rad")
    field.fill("1.5707964")
    unit.select_option("°")
    expect(field).to_have_value("90")
    expect(question(page)).to_have_text(f"might move if {angle} == 1.5707964")
    field.fill("180")
    expect(question(page)).to_have_text(f"might move if {angle} == 3.1415927")
    expect(chips(page)).to_contain_text("3.1415927 rad (180°)")
    shot(page)


def test_two_suppositions_on_one_variable_both_hold(opening: Opening, copied, shot) -> None:
    page = crash(opening, copied)
    suppose(page, "the other car's x", "between", "1", "1.25")
    page.get_by_role("button", name="Another on the other car's x").click()
    page.get_by_label("the other car's x: least in m").nth(1).fill("1.5")
    page.get_by_label("the other car's x: greatest in m").nth(1).fill("2")
    expect(question(page)).to_have_text(f"might move if 1.0 <= {X} <= 1.25 and 1.5 <= {X} <= 2.0")
    expect(chips(page)).to_contain_text(["holds as well", "holds as well"])
    ask(page)
    expect(verdict(page)).to_have_text("vacuous")  # nothing is both: that is no “no”
    expect(facts(page)).to_have_count(0)
    shot(page)


def test_unknown_no_and_vacuous_look_different(opening: Opening, copied, shot) -> None:
    """By word, by shape, by colour and by line: each of the five."""
    looks = {}

    def look(page: Page, expected: str) -> None:
        sign = verdict(page)
        expect(sign).to_have_text(expected)
        shape = sign.locator("path.shape")
        looks[expected] = (
            shape.get_attribute("d"),
            sign.evaluate("e => getComputedStyle(e).color"),
            page.locator(".verdict-box").evaluate("e => getComputedStyle(e).borderLeftStyle"),
            shape.evaluate("e => getComputedStyle(e).fill !== 'none'"),
        )
        shot(page, expected)

    page = ready(opening(f"/case/{copied('hard')}"))
    page.get_by_label("What is listed").select_option("all")
    page.get_by_role("button", name="Show entry 3").click()
    look(page, "unknown")
    expect(page.locator(".answer")).to_contain_text("Neither yes nor no")
    expect(page.locator(".answer .reason")).not_to_contain_text("%")  # how far it was settled stands below
    expect(question(page)).to_have_text(HARD_QUESTION)
    asking(page, "did", "found")
    ask(page)
    look(page, "no")
    asking(page, "did", "not found")
    ask(page)
    look(page, "yes")
    page.get_by_role("button", name="Start over").click()
    expect(chips(page)).to_have_count(0)
    suppose(page, "a", "exactly", "2")  # as in fact, which is no scenario
    asking(page, "would")
    ask(page)
    look(page, "vacuous")
    assert len({shape for shape, *_ in looks.values()}) == len(looks) == 4
    assert len({colour for _, colour, *_ in looks.values()}) == 4
    assert [looks[each][3] for each in ("yes", "no", "vacuous", "unknown")] == [True, True, False, False]
    assert len({line for _, _, line, _ in (looks["no"], looks["vacuous"], looks["unknown"])}) == 3


def test_chips_are_edited_and_removed(opening: Opening, copied) -> None:
    page = crash(opening, copied)
    tick(page, "the other car's signal", "LEFT")
    suppose(page, "the other car's x", "near the fact", "0.25")
    page.get_by_role("button", name="A · the investigated car").click()
    page.get_by_role("button", name="Edit: the other car's x").click()
    field = page.get_by_label("How the other car's x may differ")
    expect(field).to_be_focused()
    expect(field).to_have_value("near the fact")
    page.get_by_role("button", name="Remove: the other car's signal").click()
    expect(page.get_by_label("the other car's signal: LEFT")).not_to_be_checked()
    expect(question(page)).to_have_text(f"might move if {X} within 0.25 of fact")
    page.get_by_text("Suppose a formula of your own").click()
    page.get_by_label("A formula over inputs").fill(f"{X} > nobody")
    page.get_by_label("A formula over inputs").press("Enter")
    expect(chips(page).nth(1)).to_contain_text("nobody")
    expect(page.get_by_label("A formula over inputs")).to_have_value("")
    expect(page.get_by_role("button", name="Ask", exact=True)).to_be_disabled()
    page.get_by_role("button", name="Edit: it holds that").click()
    expect(page.get_by_label("A formula over inputs")).to_have_value(f"{X} > nobody")
    page.get_by_label("A formula over inputs").fill(f"{X} > world.agents[0].x")
    page.get_by_role("button", name="Add", exact=True).click()
    expect(question(page)).to_have_text(f"might move if {X} within 0.25 of fact and {X} > world.agents[0].x")


def test_the_log_is_played_stepped_and_named(opening: Opening, copied) -> None:
    page = crash(opening, copied)
    page.get_by_role("button", name="One step on").click()
    expect(page.get_by_role("heading", name="step 12,")).to_be_visible()
    for step in (11, 10):
        page.get_by_role("button", name="One step back").click()
        expect(page.get_by_role("heading", name=f"step {step},")).to_be_visible()
    page.get_by_role("button", name="Play", exact=True).click()
    expect(page.get_by_role("heading", name="step 10,")).to_have_count(0)  # it goes on by itself
    page.get_by_role("button", name="Pause").click()
    expect(page.get_by_role("button", name="Play", exact=True)).to_be_visible()
    slider = page.get_by_role("slider", name="Moment of the log")
    paused = int(slider.input_value())
    page.wait_for_timeout(800)
    assert int(slider.input_value()) <= paused + 1  # a step may have been under way
    page.get_by_role("button", name="Go to step").first.click()  # where the decision changed
    expect(page.get_by_role("heading", name="step 22")).to_be_visible()
    page.get_by_label("Name of this moment").fill("the stop")
    page.get_by_label("Name of this moment").press("Enter")
    expect(page.get_by_role("heading", name="“the stop”")).to_be_visible()
    page.get_by_text("Values at this step").click()
    expect(page.locator("table.values")).to_contain_text("the wait at the line")


def test_what_is_typed_fast_is_what_is_asked(opening: Opening, copied) -> None:
    """The server says late what it was told early: that must not undo what was typed meanwhile."""
    page = crash(opening, copied)
    suppose(page, "the other car's x", "exactly")
    field = page.get_by_label("the other car's x: value in m")
    field.press_sequentially("1.23456789", delay=5)
    expect(field).to_have_value("1.23456789")
    expect(question(page)).to_have_text(f"might move if {X} == 1.2345679")
    expect(field).to_be_focused()


def test_a_slider_that_is_moved_fast_does_not_jump_back(opening: Opening, copied) -> None:
    page = crash(opening, copied)
    slider = page.get_by_role("slider", name="Moment of the log")
    slider.focus()
    for key in ("ArrowLeft", "ArrowRight", "ArrowRight") * 8:
        page.keyboard.press(key)
    expect(page.get_by_role("heading", name="step 19,")).to_be_visible()
    expect(slider).to_have_value("19")


def test_what_is_dragged_after_typing_stands_in_the_field(opening: Opening, copied) -> None:
    page = crash(opening, copied)
    suppose(page, "the other car's x", "exactly", "1.385")
    field = page.get_by_label("the other car's x: value in m")
    field.fill("")
    field.press_sequentially("1.2", delay=5)
    expect(question(page)).to_have_text(f"might move if {X} == 1.2")
    handle(page, "B").press("ArrowRight")
    expect(field).to_have_value("1.209")
    handle(page, "B").press("ArrowLeft")
    expect(field).to_have_value("1.2")  # which was typed before, and is no late echo now


def test_markup_in_what_people_write_is_text(opening: Opening, copied) -> None:
    page = ready(opening(f"/case/{copied('microwave')}"))
    ask(page)
    page.get_by_role("button", name="Note on entry 3").click()
    page.get_by_label("Your note").fill("<img src=x onerror=alert(1)><b>bold</b> `${x}`")
    page.get_by_label("Your note").press("Enter")
    expect(page.locator(".note")).to_contain_text("<img src=x onerror=alert(1)><b>bold</b> `${x}`")
    page.reload()
    expect(page.locator(".note")).to_contain_text("<img src=x onerror=alert(1)>")


def test_a_behavior_is_typed_and_survives_a_reload(opening: Opening, copied) -> None:
    page = crash(opening, copied)
    tick(page, "the other car's signal", "LEFT")
    page.get_by_label("What is asked about").select_option("")
    typed = page.get_by_label("The behavior as query text")
    typed.fill("mvoe")
    expect(page.locator(".asking .problem")).to_contain_text("There is no variable mvoe")
    drawn = page.locator(".asking .problem .drawn")  # the carets stand under the word that is meant
    assert drawn.text_content() == "  might mvoe\n        ^^^^"
    assert drawn.evaluate("element => getComputedStyle(element).whiteSpace") == "pre"
    expect(page.get_by_role("button", name="Ask", exact=True)).to_be_disabled()
    typed.fill("not move within 2 steps")
    wanted = "might not move within 2 steps as logged if world.agents[1].signal in {LEFT}"
    expect(question(page)).to_have_text(wanted)
    page.reload()
    expect(question(page)).to_have_text(wanted)
    expect(typed).to_have_value("not move within 2 steps")
    expect(page.get_by_label("the other car's signal: LEFT")).to_be_checked()


def test_a_double_click_asks_once(opening: Opening, copied) -> None:
    page = ready(opening(f"/case/{(case := copied('microwave'))}"))
    page.get_by_role("button", name="Ask", exact=True).dblclick()
    expect(verdict(page)).to_be_visible()
    expect(page.locator(".seal")).to_contain_text("3 entries")
    jobs = page.request.get(f"{page.url.partition('/case')[0]}/api/jobs").json()  # those under way too
    assert [each["kind"] for each in jobs if each["case"] == case and each["question"]] == ["ask"]
