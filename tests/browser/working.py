"""What an investigator does on a page, by mouse and by keyboard."""

from __future__ import annotations

from playwright.sync_api import Locator, Page, expect

PATIENCE = 120_000  # milliseconds: only what never comes takes so long
expect.set_options(timeout=PATIENCE)


def ready(page: Page) -> Page:
    """Wait until the page is there and hears us."""
    page.get_by_role("heading", name="What if").wait_for()
    page.locator("#question").wait_for()
    return page


def ask(page: Page) -> None:
    page.get_by_role("button", name="Ask", exact=True).click()


def verdict(page: Page) -> Locator:
    """The sign of the answer that is shown."""
    return page.locator(".answer .verdict-box .verdict")


def question(page: Page) -> Locator:
    """The question under way, as query text."""
    return page.locator(".asking > .query")


def chips(page: Page) -> Locator:
    return page.locator(".chips .chip")


def facts(page: Page) -> Locator:
    return page.locator("ol.facts > li.fact")


def handle(page: Page, mark: str, grip: str = "position") -> Locator:
    return page.locator(f'[data-handle="{mark}"][data-grip="{grip}"]')


def centre(found: Locator) -> tuple[float, float]:
    """Where it is on the screen; what is being drawn anew has no place for a moment."""
    for _ in range(PATIENCE // 50):
        box = found.bounding_box()
        if box is not None:
            return box["x"] + box["width"] / 2, box["y"] + box["height"] / 2
        found.page.wait_for_timeout(50)
    raise AssertionError(f"{found} is nowhere to be seen")


def drag(page: Page, found: Locator, across: float, down: float) -> None:
    """With the mouse, by so many points of the screen."""
    x, y = centre(found)
    page.mouse.move(x, y)
    page.mouse.down()
    page.mouse.move(x + across / 2, y + down / 2)
    page.mouse.move(x + across, y + down)
    page.mouse.up()


def tab_to(page: Page, wanted: Locator, most: int = 150) -> None:
    """With the Tab key alone."""
    for _ in range(most):
        page.keyboard.press("Tab")
        if wanted.evaluate("element => element === document.activeElement"):
            return
    raise AssertionError(f"{wanted} is not reached with the Tab key")


# --- each of these waits for what it brings about: what comes after it finds everything at its place


def asking(page: Page, kind: str, about: str = "") -> None:
    """Did, would or might; and what."""
    if about:
        page.get_by_label("What is asked about").select_option(about)
        expect(question(page)).to_contain_text(about.split()[-1])
    button = page.get_by_role("button", name=kind, exact=True)
    button.click()
    expect(button).to_have_attribute("aria-pressed", "true")


def tick(page: Page, name: str, *labels: str) -> None:
    """Tick values of a variable, with the mouse."""
    for label in labels:
        page.get_by_label(f"{name}: {label}").click()
        expect(chips(page).filter(has_text=name)).to_contain_text(label)


def suppose(page: Page, name: str, way: str, *values: str) -> None:
    """How a variable may differ, and what is typed for it."""
    before = chips(page).filter(has_text=name).count()
    page.get_by_label(f"How {name} may differ").select_option(way)
    if before == 0:
        expect(chips(page).filter(has_text=name)).to_have_count(1)
    group = page.get_by_role("group", name=name, exact=True)
    for place, value in enumerate(values):
        group.get_by_role("textbox").nth(place).fill(value)
    for value in values:
        expect(page.locator(".chips")).to_contain_text(value)
