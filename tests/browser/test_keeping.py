"""The list of cases: a case is renamed, archived, brought back and deleted, and what stays of it is told."""

from __future__ import annotations

from playwright.sync_api import expect

from tests.browser.working import ready, tab_to

TITLE = "Moss <b>v.</b> " + "Oven" * 40  # a word as long as no line


def test_cases_are_renamed_archived_brought_back_and_deleted(opening, copied, server, shot) -> None:
    case = copied("microwave")
    page = opening("/", viewport={"width": 390, "height": 800})
    cases = page.locator("ul.cases").first
    row = cases.locator("li").filter(has=page.locator(f'a[href="/case/{case}"]'))
    row.get_by_role("button", name="Manage").click()
    title = page.get_by_label("Title", exact=True)
    expect(title).to_be_focused()
    page.keyboard.press("Control+a")
    page.keyboard.type(TITLE)
    page.keyboard.press("Enter")
    expect(row).to_contain_text(TITLE)
    assert page.evaluate("document.documentElement.scrollWidth") <= 390

    row.get_by_role("button", name="Manage Moss").click()
    page.get_by_label("Why it is archived").fill("settled")
    shot(page, "managed")
    page.get_by_role("button", name="Archive", exact=True).click()
    expect(row).to_have_count(0)
    page.get_by_text("Archived (1)").click()
    archived = page.locator("details.folded li").filter(has=page.locator(f'a[href="/case/{case}"]'))
    archived.get_by_role("link").click()
    expect(ready(page).get_by_text("This case is archived")).to_be_visible()
    page.go_back()

    page.get_by_text("Archived (1)").click()
    tab_to(page, archived.get_by_role("button", name="Manage Moss"))
    page.keyboard.press("Enter")
    tab_to(page, page.get_by_role("button", name="Bring it back"))
    page.keyboard.press("Enter")
    expect(row).to_contain_text("Moss")

    reading = ready(opening(f"/case/{case}"))  # somebody else has it open
    row.get_by_role("button", name="Manage Moss").click()
    page.locator("summary", has_text="Delete it").click()
    delete = page.get_by_role("button", name="Delete for good")
    delete.click()
    expect(page.locator(".keeping [role=alert]")).to_contain_text(f"type its name: {TITLE}")
    page.get_by_label("Name of the case").fill(TITLE)
    delete.click()
    expect(row).to_have_count(0)
    assert not (server.cases / f"{case}.case").exists()
    expect(reading.locator(".notices")).to_contain_text("is no longer there")
    shot(reading, "reader")
    page.get_by_text("Deleted (1)").click()
    expect(page.get_by_text("deleted by ada")).to_be_visible()
    shot(page, "deleted")
    assert page.evaluate("document.documentElement.scrollWidth") <= 390
