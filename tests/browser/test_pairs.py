"""Questions as text: about pairs, and about several programs."""

from __future__ import annotations

from playwright.sync_api import Page, expect

from tests.browser.conftest import Opening
from tests.browser.working import facts, ready, verdict

GAP = "would v1.letter.limit be the same if applicant.months_gap differs, for every applicant"


def typed(page: Page, text: str) -> None:
    page.get_by_label("The whole question as text").fill(text)
    page.get_by_role("button", name="Ask this").click()


def test_a_pair_is_shown_side_by_side(opening: Opening, copied, shot) -> None:
    page = ready(opening(f"/case/{copied('overdraft')}"))
    typed(page, GAP)
    expect(verdict(page)).to_have_text("no")
    answer = page.locator(".answer")
    expect(answer).to_contain_text("If only the career gap differs")
    expect(answer).to_contain_text("In the pair shown it does not hold")
    expect(answer.locator("table.changed thead")).to_have_text("what differsonethe other")
    expect(answer.locator("table.changed tbody tr").first).to_contain_text("the career gap")
    expect(answer.locator("table.outcome")).to_contain_text("the limit")
    expect(answer.locator("table.changed")).not_to_contain_text("other.")
    expect(answer.locator("table.outcome")).not_to_contain_text("other.")
    expect(page.get_by_role("button", name="Ask again from here")).to_have_count(0)
    expect(facts(page)).to_have_count(1)
    shot(page)


def test_a_mistake_in_a_typed_question_is_told(opening: Opening, copied) -> None:
    page = ready(opening(f"/case/{copied('overdraft')}"))
    typed(page, "would v1.letter.limit be the same if applicant.sex rises")
    expect(page.locator(".text-question .problem")).to_contain_text("whose values have no order")
    expect(facts(page)).to_have_count(0)


def test_the_questions_of_the_project_are_asked_with_one_click(opening: Opening, copied) -> None:
    page = ready(opening(f"/case/{copied('crash-together')}"))
    page.get_by_text("Questions of the project: 9 more").click()
    page.get_by_role("button", name="Would impatient always drive on, had the other car's x been between").click()
    expect(verdict(page)).to_have_text("yes")
    expect(page.locator(".answer table.outcome")).to_contain_text("impatient")
    expect(page.locator(".answer .asked")).to_contain_text("Would impatient always drive on")
