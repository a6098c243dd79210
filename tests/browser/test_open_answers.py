"""An answer leads on: of an open one what helps is one click away, and why it is a no says what stood in the way."""

from __future__ import annotations

import re

from playwright.sync_api import Page, expect

from tests.browser.conftest import Opening
from tests.browser.working import ready, tab_to, verdict


def opened(page: Page, entry: int) -> Page:
    """With an answer that is open."""
    ready(page)
    page.get_by_label("What is listed").select_option("all")
    page.get_by_role("button", name=f"Show entry {entry}").click()
    expect(verdict(page)).to_have_text("unknown")
    return page


def put(page: Page, text: str) -> None:
    """Ask a question as a whole."""
    page.get_by_label("The whole question as text").fill(text)
    page.get_by_role("button", name="Ask this", exact=True).click()


def test_an_open_answer_is_gone_on_with_while_another_question_is_asked(opening: Opening, copied, shot) -> None:
    page = opened(opening(f"/case/{copied('apart')}"), 5)
    answer, job = page.locator(".answer"), page.locator(".job")
    expect(answer.locator(".reason")).to_have_text("The time was over before it was settled for every scenario.")
    shot(page)
    more = answer.get_by_role("button", name="Go on: Take 10 more minutes")
    more.click()
    expect(job).to_contain_text("Might it ever return 1, had the speed been between 0.0 m/s and 60.0 m/s and the gap")
    expect(job).to_contain_text("min left")
    expect(job).to_be_in_viewport(ratio=1)
    under_way = answer.get_by_role("button", name="Under way: Take 10 more minutes")
    expect(under_way).to_be_focused()
    under_way.click(force=True)  # it is being worked on: nothing more is asked
    page.reload()  # which ends no work
    expect(job).to_have_count(1)
    expect(job).to_contain_text("min left")
    put(page, "did return == 0")  # meanwhile another question is asked and answered
    expect(verdict(page)).to_have_text("yes")
    shot(page, "working")
    job.get_by_role("button", name="Cancel").or_(job.get_by_role("button", name="Dismiss")).first.click()


def test_a_narrower_family_is_asked_with_one_key_on_a_phone(opening: Opening, copied, shot) -> None:
    page = opened(opening(f"/case/{copied('apart')}", viewport={"width": 390, "height": 844}, color_scheme="dark"), 3)
    assert page.evaluate("document.documentElement.scrollWidth") <= 390
    answer = page.locator(".answer")
    expect(answer).to_contain_text(re.compile(r"% of the range of the speed is settled: there the answer is no\."))
    drawn = answer.locator(".drawing svg")
    expect(drawn).to_contain_text("500.0 m/s")
    drawn.scroll_into_view_if_needed()
    shot(page)
    # another question is one key away, from here and from the top of the page
    page.get_by_role("link", name="To the question", exact=True).press("Enter")
    expect(page.locator("#ask")).to_be_focused()
    page.reload()
    expect(verdict(ready(page))).to_have_text("unknown")
    page.keyboard.press("Tab")
    expect(page.get_by_role("link", name="Skip to the question")).to_be_focused()
    page.keyboard.press("Enter")
    expect(page.locator("#ask")).to_be_focused()
    tab_to(page, page.get_by_role("button", name="Ask this: Suppose instead the speed from"))
    page.keyboard.press("Enter")
    expect(verdict(page)).to_have_text("no")
    expect(answer.locator(".statement")).to_contain_text("the speed been between")


def test_why_of_a_no_names_what_stood_in_the_way(opening: Opening, copied, shot) -> None:
    page = ready(opening(f"/case/{copied('drone')}"))
    put(page, "would return.mode == MODE_RTH if s.battery <= 11.0")
    expect(verdict(page)).to_have_text("no")
    page.get_by_role("button", name="Why? What mattered").click()
    put(page, "did return.mode == MODE_HOLD")  # another answer meanwhile: its reasons are not these
    expect(page.locator("#answer-heading")).to_contain_text("entry 5")
    expect(page.locator(".job")).to_have_count(0)
    why = page.locator(".answer .why")
    expect(why).to_be_empty()
    page.get_by_role("button", name="Show entry 3").click()
    expect(why).to_contain_text("The pilot's switch was PILOT_HOLD; with PILOT_RTH it would fly home.")
    expect(why).to_contain_text("the quality of the link was 54 %; at 19 % or less it would fly home.")
    expect(why).not_to_contain_text("What mattered")
    shot(page)
