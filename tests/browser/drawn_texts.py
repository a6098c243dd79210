"""What a browser draws of an SVG's texts: which of them lie on each other, or on what they must not hide."""

from __future__ import annotations

from playwright.sync_api import Locator

_HIDDEN = """
(drawing) => {
  const SLACK = 1; // px: boxes of letters are a little larger than letters
  const shown = (each) => each.getClientRects().length && getComputedStyle(each).visibility === "visible";
  const boxes = [...drawing.querySelectorAll("text")].filter((each) => shown(each) && each.textContent.trim())
    .map((each) => ({ text: each.textContent, box: each.getBoundingClientRect() }));
  const meet = (one, other) => Math.min(one.right, other.right) - Math.max(one.left, other.left) > SLACK
    && Math.min(one.bottom, other.bottom) - Math.max(one.top, other.top) > 3 * SLACK;
  const found = [];
  const whole = drawing.getBoundingClientRect();
  boxes.forEach(({ text, box }, at) => {
    for (const other of boxes.slice(at + 1)) if (meet(box, other.box)) found.push(`${text} | ${other.text}`);
    if (box.left < whole.left - SLACK || box.right > whole.right + SLACK || box.bottom > whole.bottom + SLACK) {
      found.push(`${text} | outside`);
    }
  });
  return found;
}
"""


def hidden_texts(drawing: Locator) -> list[str]:
    """The pairs of texts that lie on each other, and those that reach beyond the drawing."""
    found: list[str] = drawing.evaluate(_HIDDEN)
    return found
