"""What the API takes and gives, as types. Answers, entries and explanations are as docs/json.md describes them."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field

from soid.web.open_case import LONGEST

Json = dict[str, Any]

Text = Annotated[str, Field(max_length=LONGEST)]
Name = Annotated[str, Field(max_length=200)]
Number = Annotated[int, Field(ge=-(2**63), lt=2**63)]
#: a moment: the number of a step, or the name of a keyframe; none is the moment that the project names
StepName = Number | Name | None
LogName = Annotated[str | None, Field(max_length=500)]


class _Given(BaseModel):
    """What a program sends: nothing that the API does not know."""

    model_config = ConfigDict(extra="forbid")


class _Signed(_Given):
    """What is put on a record, by somebody."""

    who: Name = ""  # who does it; else who runs the server


class Question(_Signed):
    """A question about a moment."""

    question: Text
    step: StepName = None
    log: LogName = None


class Draft(_Given):
    """A question that is not asked yet."""

    question: Text
    step: StepName = None
    log: LogName = None


class Note(_Signed):
    """Something to say about an entry."""

    entry: Number
    text: Text


class Retraction(_Signed):
    """An entry to take back, and why."""

    entry: Number
    why: Text


class Acceptance(_Signed):
    """Why one goes on at a moment where log and program differ."""

    why: Text
    step: StepName = None
    log: LogName = None


class Keyframe(_Signed):
    """A name for a moment."""

    step: Number
    name: Name
    log: LogName = None


class Explanation(_Given):
    """How far to look."""

    others: Annotated[int, Field(ge=0, le=20)] = 3  # other sets of changes


class NewExample(_Signed):
    """A case on one of the examples."""

    example: Name
    title: Name = ""
    name: Name = ""  # of the case; else the example's


class Card(BaseModel):
    """A case in the list."""

    id: str
    title: str
    program: str
    entries: int
    facts: int
    changed: float
    problem: str


class NamedMoment(BaseModel):
    """A moment that has a name."""

    name: str
    log: str
    step: int


class CaseView(BaseModel):
    """A case."""

    id: str
    title: str
    program: str
    logs: list[str]
    keyframes: list[NamedMoment]
    version: int
    facts: list[int]
    retracted: list[int]
    unanswered: list[int]
    warnings: list[str]
    head: str  # the hash that stands for the whole record
    scene: bool  # whether moments can be drawn
    step: int  # the moment that is asked about where none is named
    log: str


class VariableView(BaseModel):
    """A variable of the program."""

    path: str
    role: str
    type: str
    width: int
    labels: dict[str, int] | None
    domain: str
    unit: str
    label: str
    decimals: int | None


class StepView(BaseModel):
    """A step of a log."""

    step: int
    inputs: Json
    decisions: Json


class PreviewView(BaseModel):
    """A question as it is understood."""

    text: str
    sentence: str


class ProgressView(BaseModel):
    """What a job is doing."""

    stage: str
    words: str
    paths: int | None
    open: int | None
    share: float | None


class ProblemView(BaseModel):
    """Why a job came to nothing."""

    kind: str
    cause: str
    remedy: str
    places: list[Json] = []


class JobView(BaseModel):
    """A piece of work."""

    id: str
    kind: str
    case: str
    question: str
    who: str
    state: Literal["queued", "running", "done", "cancelled", "failed"]
    place: int | None
    seconds: float
    progress: ProgressView | None
    result: Json | None
    error: ProblemView | None


class VersionView(BaseModel):
    """A number that grows with the record."""

    version: int


class AnswerView(BaseModel):
    """An answer of the record."""

    entry: int
    sentence: str
    answer: Json
    fact: Json | None
    who: str
    when: str
    notes: list[Json]
    counts: bool  # it was not retracted
    picture: bool  # whether there is one
