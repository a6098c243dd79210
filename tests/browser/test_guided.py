"""A case opens with its story, and with questions that are asked by one click."""

from __future__ import annotations

from playwright.sync_api import Page, expect

from tests.browser.conftest import Opening
from tests.browser.working import facts, ready, tab_to, verdict

MAIN = "Might it ever stay, whatever the other car's signal had been?"


def suggested(page: Page, words: str):
    return page.locator(".guided").get_by_role("button", name=words, exact=True)


def test_the_papers_main_question_takes_two_clicks(opening: Opening, copied, shot) -> None:
    case = copied("crash-standard")
    page = opening("/")
    page.set_viewport_size({"width": 1440, "height": 900})
    page.evaluate(
        "() => { window.name = '0'; addEventListener('click', () => { window.name = +window.name + 1; }, true); }"
    )
    page.locator(f'a[href="/case/{case}"]').click()
    ready(page)
    page.evaluate("() => addEventListener('click', () => { window.name = +window.name + 1; }, true)")
    expect(page.locator(".story")).to_contain_text("At step 11 it decided to drive on.")
    expect(page.locator(".story .harm")).to_contain_text(
        "The two cars collide. Whether that happened has not been asked."
    )
    question = suggested(page, MAIN)
    expect(question).to_be_in_viewport(ratio=1)  # nothing is scrolled
    shot(page, "opened")
    question.click()
    expect(verdict(page)).to_have_text("yes")
    assert (page.evaluate("window.name"), page.evaluate("scrollY")) == ("2", 0)
    expect(verdict(page)).to_be_in_viewport(ratio=1)
    for part in (".stage svg", ".chips .chip", "#question"):  # scene, suppositions and question beside the answer
        expect(page.locator(part).first).to_be_in_viewport(ratio=1)
    for onward in ("Ask", "Ask again from here", "Why? What mattered, where it flips"):
        expect(page.get_by_role("button", name=onward, exact=True)).to_be_in_viewport(ratio=1)
    expect(page.locator(".answer .asked")).to_have_text(MAIN)
    expect(page.locator(".guided li").filter(has_text=MAIN).locator(".verdict")).to_have_text("yes")
    expect(facts(page)).to_have_count(1)
    expect(page.locator("#question")).to_have_text(MAIN)  # to be changed and asked again
    # what mattered is what to ask next
    expect(page.locator("#guided-heading")).to_have_text("What to ask next")
    page.get_by_role("button", name="Why? What mattered").click()
    expect(page.locator(".suggested h3").first).to_have_text("What mattered, each by itself")
    expect(page.locator(".why h3").first).to_be_in_viewport(ratio=1)  # it is brought into sight
    shot(page, "answered")
    # a question that has its answer shows it, and asks nothing
    page.get_by_role("button", name="Close", exact=True).click()
    expect(verdict(page)).to_have_count(0)
    question.click()
    expect(verdict(page)).to_have_text("yes")
    expect(facts(page)).to_have_count(1)


def test_a_question_is_asked_with_the_keyboard_on_a_phone(opening: Opening, copied, shot) -> None:
    page = ready(opening(f"/case/{copied('crash-standard')}", viewport={"width": 390, "height": 844}))
    assert page.evaluate("document.documentElement.scrollWidth") <= 390
    shot(page, "opened")
    question = suggested(page, "Did it drive on?")
    tab_to(page, question)
    page.keyboard.press("Enter")
    expect(verdict(page)).to_have_text("yes")
    expect(verdict(page)).to_be_in_viewport()
    assert page.locator(".answer").evaluate("card => card.scrollWidth <= card.clientWidth")
    expect(page.locator(".story .harm")).to_contain_text("Harm: The two cars collide.")
    # another moment has a story of its own
    page.get_by_role("button", name="Close", exact=True).click()
    page.get_by_role("button", name="One step on").click()
    expect(page.locator(".story .moment")).to_contain_text("At step 12 it decided")
