"""What a page shows of others' texts: what deceives the eye is seen, and what is sent back is the text itself."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from nicegui import Client, ui

from soid.errors import InputError
from soid.web.page import parts

TRICK = "paid\u202eton\x1b"
SEEN = "paid[U+202E]ton[U+001B]"


@pytest.fixture(autouse=True)
def page() -> Iterator[None]:
    with Client(ui.page("/parts"), request=None):
        yield


def test_a_text_is_seen_when_it_is_made_and_when_it_changes():
    made = parts.text("so", title=TRICK)
    assert made._text == "so" and made.props["title"] == SEEN
    made.set_text(TRICK)
    assert made._text == SEEN
    assert parts.text(TRICK)._text == parts.link(TRICK, "/")._text == SEEN
    parts.attribute(made, "aria-label", TRICK)
    assert made.props["aria-label"] == SEEN


def test_a_complaint_is_seen():
    complaint = parts.Complaint()
    complaint.put(InputError(f"{TRICK}\n{TRICK}", TRICK))
    assert complaint._drawn._text == complaint._remedy._text == SEEN


def test_of_a_field_what_is_shown_is_seen_and_what_is_sent_stays():
    field = parts.Field(TRICK, kind="select", value=TRICK, options=[(TRICK, TRICK)], placeholder=TRICK)
    assert (field.props["label"], field.props["placeholder"], field.props["value"]) == (SEEN, SEEN, TRICK)
    assert field.props["options"] == [[TRICK, SEEN]]
    field.set("options", [("a", TRICK)])
    assert field.props["options"] == [["a", SEEN]]
