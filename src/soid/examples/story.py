"""A Story: what is told around an example's questions when it is played."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import final


@final
@dataclass(frozen=True, slots=True)
class Conclusion:
    """A sentence, and the answers that carry it: without them it is not said."""

    text: str
    needs: Mapping[int, str]  # number of a question, from 1: the verdict that it must have


@final
@dataclass(frozen=True, slots=True)
class Story:
    """Told before, between and after the questions that the example's manifest lists."""

    title: str
    opening: tuple[str, ...]  # paragraphs
    asides: tuple[str, ...]  # one for each question: why it is asked
    conclusions: tuple[Conclusion, ...]
    closing: str  # said if every conclusion is carried
