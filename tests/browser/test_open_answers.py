"""An answer that is left open leads on: what is settled is drawn, and what helps is one click away."""

from __future__ import annotations

import re

from playwright.sync_api import Page, expect

from tests.browser.conftest import Opening
from tests.browser.working import ask, question, ready, tab_to, verdict
from tests.half_settled import HARDLY_SETTLED


def opened(page: Page, entry: int) -> Page:
    """With an answer that is open."""
    ready(page)
    page.get_by_label("What is listed").select_option("all")
    page.get_by_role("button", name=f"Show entry {entry}").click()
    expect(verdict(page)).to_have_text("unknown")
    return page


def test_an_open_answer_is_gone_on_with_while_another_question_is_asked(opening: Opening, copied, shot) -> None:
    page = opened(opening(f"/case/{copied('apart')}"), 5)
    answer, job = page.locator(".answer"), page.locator(".job")
    expect(answer.locator(".reason")).to_have_text("The time was over before it was settled for every scenario.")
    expect(answer).to_contain_text(
        re.compile(r"% of the area over the ranges of the speed and the gap is settled: there the answer is no\.")
    )
    expect(answer.locator(".drawing svg")).to_contain_text("60.0 m/s")
    shot(page)
    more = answer.get_by_role("button", name="Go on: Take 10 more minutes")
    more.click()
    expect(job).to_contain_text(HARDLY_SETTLED)
    expect(job).to_contain_text("min left")
    more.click()
    page.reload()  # which ends no work
    expect(job).to_have_count(1)
    expect(job).to_contain_text("min left")
    expect(question(page)).to_have_text("did decides")  # meanwhile another question is asked and answered
    ask(page)
    expect(verdict(page)).to_have_text("yes")
    shot(page, "working")
    job.get_by_role("button", name="Cancel").or_(job.get_by_role("button", name="Dismiss")).first.click()


def test_a_narrower_family_is_asked_with_one_key_on_a_phone(opening: Opening, copied, shot) -> None:
    page = opened(opening(f"/case/{copied('apart')}", viewport={"width": 390, "height": 844}, color_scheme="dark"), 3)
    assert page.evaluate("document.documentElement.scrollWidth") <= 390
    page.locator(".answer .drawing svg").scroll_into_view_if_needed()
    shot(page)
    tab_to(page, page.get_by_role("button", name="Ask this: Suppose instead the speed from"))
    page.keyboard.press("Enter")
    expect(verdict(page)).to_have_text("no")
    expect(page.locator(".answer .statement")).to_contain_text("the speed been between")
