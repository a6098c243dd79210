"""What an investigator does on a page, by mouse and by keyboard."""

from __future__ import annotations

from playwright.sync_api import Locator, Page, expect

PATIENCE = 30_000
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
    for _ in range(200):
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
