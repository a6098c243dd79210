"""A question is composed by mouse and keyboard: pasted whole, asked with two keys, undone and done again."""

from __future__ import annotations

import re

from playwright.sync_api import Locator, Page, expect

from tests.browser.conftest import Opening
from tests.browser.working import ask, chips, drag, facts, handle, question, ready, suppose, tick, verdict

SIGNAL = "world.agents[1].signal"
CAR = "world.agents[1]"
X = f"{CAR}.x"
WHOLE = f"would move if {SIGNAL} is anything"


def paste(page: Page, text: str, field: Locator | None = None) -> None:
    """With the keys, into a field or beside all of them. It is cut from another one, so that nobody need be asked
    whether the page may read the clipboard.
    """
    other = page.get_by_label("The whole question as text")
    other.fill(text)
    other.press("ControlOrMeta+a")
    other.press("ControlOrMeta+x")
    expect(other).to_have_value("")
    if field is not None:
        field.focus()
    else:
        page.get_by_role("heading", name="What if").click()
    page.keyboard.press("ControlOrMeta+v")


def undo(page: Page) -> Locator:
    return page.get_by_role("button", name="Undo", exact=True)


def redo(page: Page) -> Locator:
    return page.get_by_role("button", name="Redo", exact=True)


def test_a_pasted_question_is_taken_apart_and_asked_with_two_keys(opening: Opening, copied, shot) -> None:
    page = ready(opening(f"/case/{copied('crash-standard')}"))
    expect(undo(page)).to_be_disabled()
    page.get_by_label("What is asked about").select_option("")
    behavior = page.get_by_label("The behavior as query text")
    whole = f"might not move and not fails if {SIGNAL} == LEFT and 1 <= world.agents[1].x <= 1.5"
    paste(page, whole, behavior)
    expect(chips(page)).to_have_count(2)
    expect(behavior).to_have_value("not move and not fails")
    expect(page.get_by_role("button", name="might", exact=True)).to_have_attribute("aria-pressed", "true")
    expect(question(page)).to_have_text(whole.replace("1 <=", "1.0 <="))
    shot(page)
    behavior.press("ControlOrMeta+Enter")
    expect(verdict(page)).to_have_text("yes")
    page.get_by_role("heading", name="What if").click()  # into no field
    page.keyboard.press("ControlOrMeta+z")
    expect(chips(page)).to_have_count(0)
    expect(verdict(page)).to_have_count(0)
    page.keyboard.press("ControlOrMeta+Shift+z")
    expect(chips(page)).to_have_count(2)
    page.keyboard.press("ControlOrMeta+Enter")
    expect(verdict(page)).to_have_text("yes")
    expect(facts(page)).to_have_count(1)


def test_what_is_pasted_where_no_field_is_or_has_no_fields(opening: Opening, copied) -> None:
    page = ready(opening(f"/case/{copied('overdraft')}"))
    paste(page, "did v1.letter.limit > 0")
    expect(question(page)).to_have_text("did v1.letter.limit > 0")
    pairs = "would v1.letter.limit be the same if applicant.months_gap differs, for every applicant"
    paste(page, pairs)
    typed = page.get_by_label("The whole question as text")
    expect(typed).to_have_value(pairs)
    expect(page.locator(".text-question")).to_contain_text("There are no fields for this question")
    expect(typed).to_be_focused()
    page.keyboard.press("ControlOrMeta+Enter")
    expect(verdict(page)).to_have_text("no")
    expect(page.locator(".answer")).to_contain_text("If only the career gap differs")
    # so do lines of a script, wherever they are pasted
    found = page.locator(".asked-why")
    page.get_by_label("What is asked about").select_option("")
    behavior = page.get_by_label("The behavior as query text")
    because = "v1.letter.limit == 0 because applicant.months_gap > 0"
    for field in (behavior, None):
        paste(page, because, field)
        expect(typed).to_have_value(because)
        expect(typed).to_be_focused()
        expect(behavior).not_to_have_value(because)
    page.keyboard.press("Enter")
    expect(found.locator(".verdict")).to_have_count(1)
    expect(found).to_contain_text("the career gap")
    causes = "causes of v1.letter.limit > 0 over applicant.months_gap is anything"
    paste(page, causes)
    expect(typed).to_have_value(causes)
    page.keyboard.press("Enter")
    expect(page.locator(".text-question")).to_contain_text("Entry")


def test_every_change_is_undone_by_itself(opening: Opening, copied) -> None:
    page = ready(opening(f"/case/{copied('crash-standard')}"))
    tick(page, "the other car's signal", "LEFT", "STRAIGHT")
    drag(page, handle(page, "B"), 40, 0)
    expect(chips(page)).to_have_count(2)
    suppose(page, "the other car's speed", "between", "1.25", "2.5")
    composed = question(page).text_content()
    for left in (3, 3, 2, 1, 1, 0):  # the greatest, the least, the way, the drag, both ticks
        undo(page).click()
        expect(chips(page)).to_have_count(left)
    expect(undo(page)).to_be_disabled()
    for _ in range(6):
        redo(page).click()
    expect(question(page)).to_have_text(composed or "")
    expect(redo(page)).to_be_disabled()


def test_show_composes_the_question_of_an_entry_again(opening: Opening, copied) -> None:
    page = ready(opening(f"/case/{copied('crash-standard')}"))
    paste(page, WHOLE)
    expect(chips(page)).to_have_count(1)
    ask(page)
    expect(verdict(page)).to_have_text("no")
    page.get_by_label("What is asked about").select_option("")
    behavior = page.get_by_label("The behavior as query text")
    steps = f"might not move within 3 steps closed loop if {SIGNAL} is anything"
    behavior.fill(steps)  # typed whole: it is taken apart when that is said
    expect(page.locator(".asking .problem")).to_contain_text("Press Enter")
    behavior.press("Enter")
    expect(question(page)).to_have_text(steps)
    expect(page.get_by_role("button", name="closed loop")).to_have_attribute("aria-pressed", "true")
    expect(verdict(page)).to_have_count(0)
    page.get_by_role("button", name="Show entry").click()
    expect(question(page)).to_have_text(WHOLE)
    expect(verdict(page)).to_have_text("no")
    page.get_by_role("button", name="Ask again from here").click()
    expect(question(page)).to_have_text(f"would move if {SIGNAL} in {{STRAIGHT}}")


def test_the_address_holds_what_is_shown(opening: Opening, copied, shot) -> None:
    case = copied("crash-standard")
    page = ready(opening(f"/case/{case}"))
    paste(page, WHOLE)
    expect(page).to_have_url(re.compile(r"\?ask=would"))
    ask(page)
    expect(verdict(page)).to_have_text("no")
    expect(page).to_have_url(re.compile(r"\?entry=3$"))
    page.get_by_role("slider", name="Moment of the log").first.press("ArrowLeft")
    expect(page).to_have_url(re.compile(r"\?step=10&ask=would"))
    with_draft = page.url

    page.go_back()
    expect(verdict(page)).to_have_text("no")
    expect(page).to_have_url(re.compile(r"\?entry=3$"))
    page.go_back()
    expect(verdict(page)).to_have_count(0)
    expect(page).to_have_url(re.compile(r"\?ask=would"))
    page.go_forward()
    page.go_forward()
    expect(page).to_have_url(with_draft)
    expect(verdict(page)).to_have_count(0)
    expect(page.get_by_role("heading", name="step 10, of 0 to 26")).to_be_visible()

    other = ready(
        opening(with_draft.removeprefix(page.url.partition("/case")[0]), viewport={"width": 390, "height": 800})
    )
    expect(question(other)).to_have_text(WHOLE)
    expect(other.get_by_role("heading", name="step 10, of 0 to 26")).to_be_visible()
    link = other.get_by_role("link", name="Copy the link to entry 3")
    link.focus()
    other.keyboard.press("Enter")
    expect(other.locator(".copied").filter(has=link)).to_contain_text(re.compile("Copied|entry=3"))
    assert other.evaluate("document.documentElement.scrollWidth") <= 390
    shot(other, "narrow")
    shown = ready(opening(f"/case/{case}?entry=3", viewport={"width": 1440, "height": 900}))
    expect(verdict(shown)).to_have_text("no")
    expect(question(shown)).to_have_text(WHOLE)
    shown.reload()
    expect(verdict(ready(shown))).to_have_text("no")
    shot(shown, "entry")


def test_whether_it_was_why_and_what_caused_it(opening: Opening, copied, shot) -> None:
    page = ready(opening(f"/case/{copied('crash-standard')}", viewport={"width": 390, "height": 800}))
    why = page.get_by_role("button", name="Was this why?")
    why.click()
    expect(page.locator(".text-question .problem")).to_contain_text("Nothing differs yet")
    tick(page, "the other car's signal", "RIGHT")
    why.focus()
    page.keyboard.press("Enter")
    found = page.locator(".asked-why")
    expect(found.locator(".verdict")).to_have_text("yes")
    expect(found).to_contain_text("Did it drive on because the other car's signal was RIGHT?")
    expect(facts(page)).to_have_count(3)
    assert page.evaluate("document.documentElement.scrollWidth") <= 390
    shot(page)
    found.get_by_role("button", name="Show entry").last.click()
    expect(verdict(page)).to_have_text("yes")
    expect(question(page)).to_have_text(f"would not move if {SIGNAL} not in {{RIGHT}}")
    page.get_by_role("button", name="Start over").click()
    page.get_by_label("What is asked about").select_option("move")
    tick(page, "the other car's signal", "LEFT", "STRAIGHT")
    page.get_by_role("button", name="What caused it?").click()
    expect(page.locator(".text-question")).to_contain_text("Its actual cause is the other car's signal")
    expect(page.get_by_label("The whole question as text")).to_have_value(re.compile("^causes of "))


def test_a_stale_address_is_a_notice(opening: Opening, copied) -> None:
    page = ready(opening(f"/case/{copied('crash-standard')}?entry=99&ask=%3Cimg%20src%3Dx%3E"))
    expect(page.locator(".notice")).to_contain_text("There is no entry 99")
    expect(page).to_have_url(re.compile(r"/case/crash-standard-\d+$"))


def test_ask_is_in_sight_wherever_one_is(opening: Opening, copied, shot) -> None:
    case = copied("crash-standard")
    for width, height in ((1440, 900), (390, 800)):
        page = ready(opening(f"/case/{case}", viewport={"width": width, "height": height}))
        for variable in ("x", "z", "speed", "angle"):
            suppose(page, f"the other car's {variable}", "anything")
        for place in ("bottom", "top"):
            page.evaluate(
                "to => document.querySelectorAll('html, .column, .column *').forEach(e => e.scrollTop = to)",
                100_000 if place == "bottom" else 0,
            )
            button = page.get_by_role("button", name="Ask", exact=True)
            expect(button).to_be_in_viewport(ratio=1)
            shot(page, f"{width}-{place}")
        page.get_by_text("Compare moments, side by side").click()
        page.locator(".moments").evaluate("element => { element.style.minHeight = '2000px'; }")
        page.locator(".moments").evaluate("element => element.scrollIntoView()")
        expect(page.get_by_role("button", name="Ask", exact=True)).to_be_in_viewport(ratio=1)


def test_with_many_suppositions_the_verb_and_the_last_of_them_stay_in_sight(opening: Opening, copied, shot) -> None:
    many = " and ".join(f"{path} in {{1.0..1.5}}" for path in (X, f"{CAR}.z", f"{CAR}.angle", f"{CAR}.speed"))
    page = ready(opening(f"/case/{copied('crash-standard')}"))
    would = page.get_by_role("button", name="would", exact=True)
    for size in ((1440, 900), (390, 800)):
        page.set_viewport_size({"width": size[0], "height": size[1]})
        paste(page, f"would move if {many} and {SIGNAL} is anything and world.agents[2].present")
        expect(chips(page)).to_have_count(6)
        would.scroll_into_view_if_needed()
        for each in (would, page.get_by_role("button", name="Ask", exact=True), chips(page).last):
            expect(each).to_be_in_viewport()
        shot(page, f"many-{size[0]}")
        page.get_by_role("button", name="Start over").click()
        expect(chips(page)).to_have_count(0)
