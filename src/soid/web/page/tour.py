"""The tour of a case's page: what is said about each part, in a minute of reading."""

from __future__ import annotations

from typing import Final

from soid.web.page import parts

#: what an address says that begins the tour
QUERY: Final = "tour"

#: the parts by their selectors, with a title and a few words each; a part that a page does not have is left out
STOPS: Final = (
    (
        "#story",
        "What happened",
        "The story of the case, what the program decided at this moment, and the harm, as far as it is known.",
    ),
    (
        ".card.scene",
        "The moment",
        "What the program knew. The slider goes to another moment. Drag what is drawn to where it might have been.",
    ),
    (
        "#guided",
        "Ask with one click",
        "A click asks one of these questions. Its answer appears below, and what to ask next stands here then.",
    ),
    (
        ".card.editor",
        "What may differ",
        "Say here what might have been otherwise. All that you do not touch stays exactly as it was.",
    ),
    (
        "#ask",
        "A question of your own",
        "Did it do so? Would it always have done so? Might it ever? The sentence says what will be asked.",
    ),
    (
        ".kept",
        "The record",
        "Each yes and each no becomes a fact. The report is for people; with the evidence others check every fact.",
    ),
    (
        "#scripts",
        "Scripts",
        "A script asks many questions by itself, one after the other, and concludes. Watch it line by line.",
    ),
)


def tour(*, begun: bool) -> None:
    """Offer the tour to a browser that has not had it; `begun`: begin it, because the user asked for it."""
    parts.Tour(stops=[list(stop) for stop in STOPS], begun=begun)
