"""The settled steps of an open question over many: for how many of the first ones it is proved.

>>> print(SettledSteps("yes", 17, 40))
for the first 17 of 40 steps it is proved: yes
"""

from __future__ import annotations

from typing import final

from msgspec import Struct


@final
class SettledSteps(Struct, frozen=True):
    """The first steps for which a question is proved in all scenarios."""

    verdict: str  # for these steps: yes or no
    steps: int
    of: int  # the steps that it asks about

    def __str__(self) -> str:
        first = f"first {self.steps}" if self.steps > 1 else "first"
        return f"for the {first} of {self.of} steps it is proved: {self.verdict}"
