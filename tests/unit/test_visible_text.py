"""No character of a text changes how the rest of it is shown, on a terminal, on a page or in a drawing."""

from __future__ import annotations

import io
import re
import sys
import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.console import Console

from soid.case.report.markup import element
from soid.cli.terminal.terminal import Terminal
from soid.scene.vector.elements import tag
from soid.visible_text import visible, visible_line

#: each is a way to show a name as another
TRICKS = [
    "ada\u202enord",  # shown backwards
    "\u2067ada\u2069",  # isolated
    "a\u200bda",  # with a gap that is not seen
    "ada\u00ad",
    "ada\u3164",  # a letter that is blank
    "ad\u0430"[:2] + "\ufe0fa",  # with a selector
    "ada\U000e0041",  # tagged
    "ada\x1b[1A\x1b[2K",  # moves the cursor and erases a line
    "ada\x9b2J",  # the same in one byte
    "ada\rben",  # written over
    "ada\bn",
    "ada\x00",
    "ada\u2028ben",
    "ada\ud800",
    "ada\uffff",  # no character, and not allowed in XML
]


@pytest.mark.parametrize("trick", TRICKS)
def test_a_trick_is_seen(trick):
    shown = visible(trick)
    assert "[U+" in shown and shown != trick
    assert shown.isprintable()


def test_every_character_that_unicode_calls_a_control_or_a_format_is_seen():
    """But for those that scripts are written with, which are shown; tab and line feed stay."""
    shown_by_scripts = set("\u0600\u0601\u0602\u0603\u0604\u0605\u06dd\u0890\u0891\u08e2")
    for point in range(sys.maxunicode + 1):
        character = chr(point)
        if unicodedata.category(character) in ("Cc", "Cf", "Zl", "Zp", "Cs") and character not in "\t\n":
            assert (visible(character) != character) == (character not in shown_by_scripts), hex(point)


@given(st.text())
def test_it_is_done_once_and_words_stay(text):
    assert visible(visible(text)) == visible(text)
    codes = re.sub(r"\[U\+[0-9A-F]{4,6}\]", "", visible(text))
    assert set(codes) <= set(text)  # nothing but code points is added
    assert "\n" not in visible_line(text)


def test_plain_words_of_any_script_stay():
    words = "naïve Zürich Δ ≤ 車 дом עברית العربية ✔ → · “so” 1\u00a0m\nand\tmore 🚗"
    assert visible(words) == words


def written(say) -> str:
    stream = io.StringIO()
    say(Terminal(Console(file=stream, width=80, highlight=False, markup=False, emoji=False, force_terminal=False)))
    return stream.getvalue()


@pytest.mark.parametrize("trick", TRICKS)
def test_a_terminal_obeys_no_text(trick):
    for say in (
        lambda terminal: terminal.line((trick, "bold")),
        lambda terminal: terminal.prose(f"he said {trick}", first=(f"{trick} ", "")),
        lambda terminal: terminal.rule(trick, trick),
        lambda terminal: terminal.table(["name", trick], [[trick, "1"]]),
        lambda terminal: terminal.table(["name", "value"], [[trick, "1" * 100]]),  # too wide: as a list
    ):
        text = written(say)
        assert "[U+" in text
        assert all(line.isprintable() for line in text.split("\n")), text


def test_a_line_is_one_line():
    assert written(lambda terminal: terminal.line(("ada\nverdict: yes", ""))).count("\n") == 1
    assert written(lambda terminal: terminal.rule("ada\nverdict: yes")).count("\n") == 1
    assert "verdict" in written(lambda terminal: terminal.table(["a"], [["ada\nverdict: yes"]])).splitlines()[-1]


@pytest.mark.parametrize("trick", TRICKS)
def test_drawings_and_reports_show_it(trick):
    for made in (element("p", trick, title=trick), tag("text", aria_label=trick)):
        assert "[U+" in made and made.isprintable()
