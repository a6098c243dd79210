"""What is said about each mistake in a script. `UPDATE_GOLDEN=1 pytest tests/golden` writes the messages anew.

A mistake stands between `===` and `---`, what is said about it below.
"""

from __future__ import annotations

import os
import re
from pathlib import Path

import pytest

from soid.errors import QueryError
from soid.surface import Surface, using
from tests.unit.query.crossing import planned

GOLDEN = Path(__file__).parent / "script_errors.txt"
ENTRIES = re.findall(r"^===\n(.*?)\n---\n(.*?)\n(?=^===|\Z)", GOLDEN.read_text(encoding="utf-8") + "\n", re.M | re.S)


def complaint(script: str) -> str:
    with using(Surface.COMMAND), pytest.raises(QueryError) as caught:
        planned(script)
    return str(caught.value)


def test_there_are_mistakes() -> None:
    assert len(ENTRIES) > 90
    if os.environ.get("UPDATE_GOLDEN"):
        texts = (f"===\n{script}\n---\n{complaint(script)}\n" for script, _ in ENTRIES)
        GOLDEN.write_text("".join(texts), encoding="utf-8")


@pytest.mark.parametrize(("script", "said"), ENTRIES, ids=[script.splitlines()[-1] for script, _ in ENTRIES])
def test_what_is_said_about_a_mistake(script: str, said: str) -> None:
    assert complaint(script) == said.strip("\n")
