"""Scripts as text: what is printed parses back, comments stay, and whatever is typed gives a script or an error."""

from __future__ import annotations

from hypothesis import given, settings

from soid.query.language.script.nodes import Script
from soid.query.language.script.parser import parse_script
from soid.query.language.script.printer import script_text
from tests.unit.query.scripts import scripts


@settings(max_examples=60)
@given(scripts())
def test_what_is_printed_parses_to_the_same_script(script: Script) -> None:
    text = script_text(script)
    again = parse_script(text)
    assert again == script
    assert script_text(again) == text
