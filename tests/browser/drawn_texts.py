"""What a browser draws of an SVG's texts: which of them lie on each other, or on what they must not hide."""

from __future__ import annotations

from playwright.sync_api import Locator

_HIDDEN = """
(drawing) => {
  const SLACK = 1; // px: boxes of letters are a little larger than letters
  const shown = (each) => each.getClientRects().length && getComputedStyle(each).visibility === "visible";
  const box = (each) => each.getBoundingClientRect();
  const texts = [...drawing.querySelectorAll("text")].filter((each) => shown(each) && each.textContent.trim());
  const meet = (one, other) => Math.min(one.right, other.right) - Math.max(one.left, other.left) > SLACK
    && Math.min(one.bottom, other.bottom) - Math.max(one.top, other.top) > 3 * SLACK;
  const actor = (each) => each.closest("[data-actor]");
  const found = [];
  const whole = box(drawing);
  texts.forEach((text, at) => {
    const here = box(text);
    for (const other of texts.slice(at + 1)) {
      // the marks of two actors that overlap: the drawing says that they do
      if (!meet(here, box(other)) || (actor(text) && actor(other))) continue;
      found.push(`${text.textContent} | ${other.textContent}`);
    }
    if (here.left < whole.left - SLACK || here.right > whole.right + SLACK || here.bottom > whole.bottom + SLACK) {
      found.push(`${text.textContent} | outside`);
    }
  });
  for (const body of drawing.querySelectorAll("[data-actor] .soid-body, circle.sm-fact")) {
    for (const text of texts) {
      if (!actor(text) && shown(body) && meet(box(body), box(text))) {
        found.push(`${actor(body)?.dataset.actor ?? "the fact"} | ${text.textContent}`);
      }
    }
  }
  return found;
}
"""


def hidden_texts(drawing: Locator) -> list[str]:
    """The pairs of texts that lie on each other, those that hide an actor or the fact, and those beyond the drawing."""
    found: list[str] = drawing.evaluate(_HIDDEN)
    return found
