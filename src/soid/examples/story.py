"""A Story: what is told around an example's questions when it is played."""

from __future__ import annotations

from collections.abc import Mapping
from typing import final

from msgspec import Struct


@final
class Act(Struct, frozen=True):
    """One project on the stand: some of the questions that its manifest lists, in the order told here."""

    title: str
    asides: Mapping[int, str]  # number of a question in the project, from 1: why it is asked
    conclusions: Mapping[str, Mapping[int, str]]  # a sentence: the verdicts of questions, without which it is not said
    project: str = ""  # a folder or a manifest in the example's folder
    opening: str = ""  # paragraphs, with a blank line between two
    log: bool = True  # whether the log is shown, beside the scene if there is one


@final
class Pattern(Struct, frozen=True):
    """Answers side by side, and what each pattern of them supports."""

    questions: tuple[str, ...] = ()  # in words, in the order of each row's answers
    rows: Mapping[str, tuple[tuple[int, int], ...]] = {}  # a version of the program: number of an act, of its question
    supports: Mapping[str, str] = {}  # by the verdicts of a row: "yes, no"


@final
class Story(Struct, frozen=True):
    """Told before, between and after the questions."""

    title: str
    summary: str  # what was put on the stand, in a line
    opening: str  # paragraphs, with a blank line between two
    acts: tuple[Act, ...]
    closing: str  # said if every conclusion is carried
    pattern: Pattern = Pattern()
