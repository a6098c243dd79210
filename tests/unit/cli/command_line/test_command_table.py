"""Each command has its record of options, and a function that takes it."""

from __future__ import annotations

from typing import get_type_hints

import pytest

from soid.cli.command_line.command_table import COMMANDS, function_of, record_of


@pytest.mark.parametrize("words", COMMANDS)
def test_the_function_of_a_command_takes_its_record(words: str) -> None:
    assert get_type_hints(function_of(words)) == {"options": record_of(words), "return": int}
