"""A step as a question or a script writes it: its number, or a time by the log's clock.

>>> step_text(230), step_text(written_step("step 230")), step_text(written_step("46.2  s"))
('step 230', 'step 230', '46.2 s')
>>> number_of(230)
230
"""

from __future__ import annotations

import re
from typing import Final, final

from msgspec import Struct

from soid.errors import QueryError

#: as TIME in grammar.lark
_TIME: Final = re.compile(
    r"[0-9]{1,12}(\.[0-9]{1,9})? ?(ms|us|ns|min|h|d|s|sec|seconds)|([0-9]{1,9}:){1,2}[0-9]{1,12}(\.[0-9]{1,9})?"
    r"|@[+-]?[0-9]((\.(?!\.)|[0-9A-Za-z:+-])*[0-9A-Za-z])?"
)


@final
class WrittenTime(Struct, frozen=True):
    """A time in the place of a step's number. Only a log says which step it means (`typed_step.py`)."""

    text: str  # 45s, 1:30, @2026-05-09T15:00:44Z; words are one space apart


WrittenStep = int | WrittenTime


def written_step(text: str) -> WrittenStep:
    """The step of a text that the grammar has read, such as `step 230` or `45s`."""
    words = text.split()
    return int(words[1]) if words[0] == "step" else WrittenTime(" ".join(words))


def written_time(text: str) -> WrittenTime:
    """The time of a text of a person's own; a QueryError if it could not stand in a question."""
    words = " ".join(text.split())
    if not _TIME.fullmatch(words):
        raise QueryError(f"{text!r} is no time", "Write 45s, 500 ms, 1:30, or as the log does after an @; or a number.")
    return WrittenTime(words)


def step_text(step: WrittenStep) -> str:
    """The text that reads as this step."""
    return step.text if isinstance(step, WrittenTime) else f"step {step}"


def typed(step: WrittenStep) -> int | str:
    """The same as a person would type it for a moment."""
    return step.text if isinstance(step, WrittenTime) else step


def number_of(step: WrittenStep) -> int:
    """The number of a step; a QueryError if it is a time, and no log has been asked which step that is."""
    if isinstance(step, WrittenTime):
        problem = f"{step.text} is a time, and there is no log here that says which step was in force then"
        raise QueryError(problem, "Write the number of a step: `at step 231`.")
    return step
