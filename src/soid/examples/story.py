"""A Story: what is told around an example's questions when it is played."""

from __future__ import annotations

from collections.abc import Mapping
from typing import final

from msgspec import Struct


@final
class StoryConclusion(Struct, frozen=True):
    """A sentence, and the answers that carry it: without them it is not said."""

    text: str
    needs: Mapping[int, str]  # number of a question in the project, from 1: the verdict that it must have


@final
class Act(Struct, frozen=True):
    """One project on the stand: some of the questions that its manifest lists, in the order told here."""

    title: str
    asides: Mapping[int, str]  # number of a question in the project, from 1: why it is asked
    conclusions: tuple[StoryConclusion, ...]
    project: str = ""  # a folder or a manifest in the example's folder
    opening: tuple[str, ...] = ()  # paragraphs
    log: bool = True  # whether the log is shown, beside the scene if there is one


@final
class StoryRow(Struct, frozen=True):
    """The answers that are compared, of one version of a program."""

    name: str
    answers: tuple[tuple[int, int], ...]  # number of an act, and of a question in its project


@final
class Pattern(Struct, frozen=True):
    """Answers side by side, and what each pattern of them supports."""

    questions: tuple[str, ...]  # in words, in the order of each row's answers
    rows: tuple[StoryRow, ...]
    supports: Mapping[tuple[str, ...], str]  # by the verdicts of a row


@final
class Story(Struct, frozen=True):
    """Told before, between and after the questions."""

    title: str
    summary: str  # what was put on the stand, in a line
    opening: tuple[str, ...]  # paragraphs
    acts: tuple[Act, ...]
    closing: str  # said if every conclusion is carried
    pattern: Pattern | None = None
