"""How pages look, and whether everybody can use them: with SOID_PICTURES=1 kept as pictures under build/browser."""

from __future__ import annotations

from playwright.sync_api import Page, expect

from tests.browser.conftest import Opening
from tests.browser.working import ask, asking, chips, drag, facts, handle, ready, tick, verdict


def investigated(page: Page) -> Page:
    """A page with something on it."""
    ready(page)
    ask(page)
    expect(facts(page)).to_have_count(1)
    expect(verdict(page)).to_have_text("yes")
    tick(page, "the other car's signal", "STRAIGHT")
    asking(page, "might", "not move")
    ask(page)
    expect(verdict(page)).to_have_text("yes")
    expect(facts(page)).to_have_count(2)
    return page


def test_nothing_sticks_out(opening: Opening, copied, shot) -> None:
    page = investigated(opening(f"/case/{copied('crash-standard')}"))
    for name, width, height in (("light", 1440, 1000), ("dark", 1280, 900), ("tablet", 820, 1180)):
        page.set_viewport_size({"width": width, "height": height})
        page.emulate_media(color_scheme="dark" if name == "dark" else "light")
        shot(page, name)
        assert page.evaluate("document.documentElement.scrollWidth") <= width
    # an answer that is wanted from the end of a long page is brought into sight
    page.get_by_role("button", name="Show entry 3").click()
    expect(page.get_by_role("heading", name="Answer · entry 3")).to_be_visible()
    expect(verdict(page)).to_be_in_viewport()
    # colours that the system forces: what a background said is said by theirs
    page.emulate_media(forced_colors="active")
    canvas = page.evaluate("getComputedStyle(document.body).backgroundColor")
    expect(page.locator('.asking .segment[aria-pressed="false"]').first).to_have_css("background-color", canvas)
    expect(page.locator('.asking .segment[aria-pressed="true"]').first).not_to_have_css("background-color", canvas)
    mark = page.locator(".timeline .mark").first
    assert mark.evaluate("mark => getComputedStyle(mark, '::before').backgroundColor") not in (
        canvas,
        "rgba(0, 0, 0, 0)",
    )
    shot(page, "contrast")
    page.emulate_media(forced_colors="none")
    page.emulate_media(media="print")
    expect(verdict(page)).to_be_visible()
    expect(page.locator("#question")).to_be_hidden()  # what nobody has asked yet is not printed beside an answer
    shot(page, "print")


def test_the_readme_s_picture_of_the_page(opening: Opening, copied, shot) -> None:
    """With SOID_PICTURES=1 it makes docs/page.png anew, under build/browser."""
    page = ready(opening(f"/case/{copied('crash-standard')}"))
    page.set_viewport_size({"width": 1440, "height": 1460})
    page.get_by_role("button", name="No, thanks").click()
    ask(page)
    expect(facts(page)).to_have_count(1)
    asking(page, "might", "not move")
    tick(page, "the other car's signal", "STRAIGHT", "LEFT", "RIGHT")
    page.get_by_role("button", name="along a stretch").click()
    expect(page.locator(".stage.stretching")).to_be_visible()
    drag(page, handle(page, "B"), -50, 1)
    expect(chips(page)).to_have_count(2)
    ask(page)
    expect(facts(page)).to_have_count(2)
    page.get_by_role("button", name="Draw the map").click()
    said = ("Answer · entry 5", "FACTS · 2", "the other car's x by the other car's signal", "The four-way stop")
    page.locator(".map svg").wait_for()
    page.locator(".what-happened").evaluate("(column) => column.scrollTo(0, 0)")
    for each in said:
        expect(page.get_by_text(each).first).to_be_in_viewport()
    expect(page.locator(".map svg")).to_be_in_viewport(ratio=1)
    shot(page, "page", whole=False)


def test_light_and_dark_can_be_chosen_and_are_remembered(opening: Opening) -> None:
    page = opening("/")
    choice = page.get_by_label("Colours of the page")
    paper = "getComputedStyle(document.body).backgroundColor"
    light = page.evaluate(paper)
    choice.select_option("dark")
    assert page.evaluate(paper) != light
    page.reload()
    expect(choice).to_have_value("dark")
    assert page.evaluate(paper) != light


def test_everything_has_a_name_that_can_be_read_aloud(opening: Opening, copied) -> None:
    page = investigated(opening(f"/case/{copied('crash-standard')}"))
    nameless = page.evaluate(
        """() => [...document.querySelectorAll("button, input, select, textarea, a, [tabindex]")]
            .filter((each) => each.checkVisibility())
            .filter((each) => !(each.getAttribute("aria-label") || each.textContent.trim() || each.labels?.length))
            .map((each) => each.outerHTML.slice(0, 200))"""
    )
    assert nameless == []
    drawing = page.locator(".stage > svg")
    assert "the other car" in (drawing.get_attribute("aria-label") or "")
    assert drawing.get_attribute("role") == "graphics-document document"
    expect(page.locator('.stage [data-handle="B"][data-grip="position"]')).to_have_attribute("role", "button")
    levels = page.evaluate("[...document.querySelectorAll('h1, h2, h3')].map((each) => each.tagName)")
    assert levels[0] == "H1" and levels.count("H1") == 1


def test_nothing_is_evaluated_and_nothing_comes_from_elsewhere(opening: Opening, copied, server) -> None:
    page = opening("/")
    asked: list[str] = []
    page.on("request", lambda request: asked.append(request.url))
    answer = page.goto(f"{server.url}/case/{copied('microwave')}")
    ready(page)
    assert answer is not None
    policy = answer.headers["content-security-policy"]
    assert "unsafe-eval" not in policy and "script-src 'self' 'nonce-" in policy
    assert all(url.startswith((server.url, server.url.replace("http", "ws"), "data:")) for url in asked), asked


def test_every_value_shows_where_it_comes_from(opening: Opening, copied, shot) -> None:
    """The drone's recorder has one of four decisions, and neither of its two counts."""
    page = opening(f"/case/{copied('drone')}")
    ready(page)
    page.get_by_text("Values at this step").click()
    rows = page.locator("table.values tr")
    for name, value in (
        ("return.mode", "MODE_HOLD"),
        ("return.alarm", "false (derived)"),
        ("return.climb", "0.0 m/s (derived)"),
        ("bad_gps_ticks'", "3 (derived)"),
        ("bad_gps_ticks", "3 (derived)"),
        ("s.pilot", "PILOT_HOLD"),
    ):
        row = rows.filter(has=page.locator(f'th[title="{name}"]'))
        expect(row.locator("td").first).to_have_text(value)
    rows.last.scroll_into_view_if_needed()
    shot(page, "values")
