"""The picture of a program without a scene: its inputs as bars, in the place of the scene."""

from __future__ import annotations

from playwright.sync_api import expect

from tests.browser.working import ready, verdict

QUESTION = "might assessment.risk == HIGH if patient.weight is anything"


def test_bars_follow_what_is_supposed_and_what_is_answered(copied, opening, shot):
    page = ready(opening(f"/case/{copied('diabetes')}", viewport={"width": 390, "height": 800}))
    drawn = page.locator(".drawing svg").first
    bars = drawn.locator("[data-input]")
    expect(bars.first).to_contain_text("The number of pregnancies")
    assert page.evaluate("document.documentElement.scrollWidth") <= 390
    page.get_by_label("The whole question as text").fill(QUESTION)
    page.get_by_role("button", name="Ask this").click()
    expect(verdict(page)).to_have_text("yes")
    expect(bars).to_have_count(1)  # what differs, with both of its values
    expect(bars).to_contain_text("● 249.973 lb")
    expect(bars).to_contain_text("◆ 200000 lb")
    page.get_by_text("8 further inputs as bars").click()
    expect(page.locator(".drawing svg").nth(1)).to_contain_text("The glucose")
    page.get_by_role("button", name="Why? What mattered").click()
    expect(drawn).to_contain_text("here the outcome changes")
    page.get_by_role("button", name="Both ways through the program").click()
    ways = page.locator(".answer .drawing svg")
    expect(ways).to_contain_text("assess.c:16")
    expect(ways).to_contain_text("alike for both")
    assert ways.evaluate("(drawn) => drawn.clientWidth") < 390
    shot(page)
    page.get_by_role("button", name="Ask again from here").click()  # the scenario becomes what is supposed
    expect(drawn).to_contain_text("as supposed")
    box = drawn.bounding_box()
    assert box is not None
    width = box["width"]
    page.set_viewport_size({"width": 900, "height": 800})
    page.wait_for_function("(width) => document.querySelector('.drawing svg').clientWidth > width + 20", arg=width)
