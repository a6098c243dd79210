"""Pages of large cases, and what every page costs."""

from __future__ import annotations

from playwright.sync_api import expect

from tests.browser.working import facts, ready, suppose, tab_to
from tests.soak.large_cases import long_case, wide_case

MOST = 600_000  # bytes that a browser takes for its first page


def test_a_first_page_is_small(opening, copied):
    page = opening(locale="en-GB")  # a browser session of its own, which has kept nothing
    client = page.context.new_cdp_session(page)
    client.send("Network.enable")
    client.send("Network.setCacheDisabled", {"cacheDisabled": True})
    received: list[float] = []
    client.on("Network.loadingFinished", lambda finished: received.append(finished["encodedDataLength"]))
    page.goto(f"{page.url}case/{copied('crash-standard')}")
    page.wait_for_function("() => window.did_handshake")
    assert 0 < sum(received) < MOST


def test_of_200_variables_those_that_matter_are_shown_and_the_others_are_a_click_or_a_search_away(
    opening, server, shot
):
    wide_case(server.cases / "wide.case", facts=1, steps=10)
    page = ready(opening("/case/wide"))
    editor, rows = page.locator(".editor"), page.locator(".editor .variable")
    expect(editor.locator("summary")).to_have_count(50)
    expect(rows).to_have_count(0)
    editor.get_by_text("unit 3 · perceived (4)").click()
    expect(rows).to_have_count(4)
    suppose(page, "temperature of unit 3", "between", "10", "20")
    facts(page).first.get_by_role("button", name="Show").click()  # of what it is about the row comes first
    expect(rows.first).to_contain_text("temperature of unit 0")
    shot(page)
    search = page.get_by_label("Search the variables")
    search.focus()
    page.keyboard.type("flow 49")
    expect(rows).to_have_count(1)
    tab_to(page, page.get_by_label("How flow of unit 49 may differ"), most=3)
    page.keyboard.press("Shift+Tab")
    for _ in "flow 49":
        page.keyboard.press("Backspace")
    last = editor.locator("summary", has_text="unit 49 ")
    expect(last).to_be_visible()
    tab_to(page, last)
    page.keyboard.press("Enter")
    expect(page.get_by_label("How flow of unit 49 may differ")).to_be_visible()
    page.set_viewport_size({"width": 390, "height": 800})
    assert page.evaluate("() => document.documentElement.scrollWidth <= innerWidth")
    shot(page, "narrow")


def test_a_long_log_is_searched_for_a_condition(opening, server, shot):
    long_case(server.cases / "long.case", facts=0, steps=10_000)
    page = ready(opening("/case/long"))
    said, choice = page.locator(".plot-tools ~ [role=status]"), page.get_by_label("Whose changes")
    choice.select_option("where a condition begins to hold …")
    sought = page.get_by_label("Condition to look for")
    sought.fill("level > 4.9 and manual == 0")
    page.get_by_role("button", name="Previous change").click()
    expect(said).to_have_text("That holds at 100 of 10,000 steps, in 100 stretches.")
    expect(page.get_by_role("heading", name="step 4957,")).to_be_visible()
    tab_to(page, sought)
    page.keyboard.press("Enter")
    expect(page.get_by_role("heading", name="step 5057,")).to_be_visible()
    sought.fill("level >")
    sought.press("Enter")
    expect(page.locator(".scene .problem")).to_contain_text("level >")
    sought.fill("level > 7")
    sought.press("Enter")
    expect(said).to_have_text("That holds at none of 10,000 steps.")
    page.set_viewport_size({"width": 390, "height": 800})
    assert page.evaluate("() => document.documentElement.scrollWidth <= innerWidth")
    shot(page)
