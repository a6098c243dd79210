"""What the API takes and gives, as types. Answers, entries and explanations are as docs/json.md describes them."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field

from soid.web.open_case import LONGEST

Json = dict[str, Any]

Text = Annotated[str, Field(max_length=LONGEST)]
Name = Annotated[str, Field(max_length=200)]
Number = Annotated[int, Field(strict=True, ge=-(2**63), lt=2**63)]
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


class MapDraft(_Given):
    """A map: suppositions that free one or two variables, and what regions are told apart by."""

    over: Text
    by: Text | None = None
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


Finite = Annotated[float, Field(allow_inf_nan=False)]
Amount = Number | Finite | bool | Name  # of a label its name


class Variable(_Given):
    """What is said of a variable; what is not said stays as it was found in the program."""

    role: Literal["environment", "state", "decision"] | None = None
    domain: Annotated[list[Amount], Field(min_length=2, max_length=2)] | None = None  # from and to
    values: Annotated[list[Amount], Field(min_length=1, max_length=1000)] | None = None  # instead of a domain
    labels: Annotated[dict[Name, Number], Field(max_length=1000)] | None = None  # for the numbers of an integer
    unit: Name | None = None
    label: Name | None = None  # what it is, in words
    decimals: Annotated[int, Field(ge=0, le=100)] | None = None  # that the log has of it

    def said(self) -> Json:
        """As [variables] of a soid.toml has it."""
        plain = {
            "role": self.role,
            "domain": self.domain,
            "labels": self.labels,
            "unit": self.unit,
            "label": self.label,
        }
        said: Json = {key: value for key, value in plain.items() if value is not None}
        if self.values is not None:
            said["domain"] = {"values": self.values}
        if self.decimals is not None:
            said["logged"] = {"decimals": self.decimals}
        return said


class Said(_Given):
    """What is said of uploaded files; without an entry only functions are looked for."""

    entry: Name = ""
    sources: Annotated[list[Name], Field(max_length=100)] = []
    log: Name | None = None
    keyframe: Number | None = None
    step_column: Name | None = None
    ignore: Annotated[list[Name], Field(max_length=1000)] = []
    defines: Annotated[list[Name], Field(max_length=100)] = []
    flags: Annotated[list[Name], Field(max_length=100)] = []
    lengths: Annotated[dict[Name, Annotated[int, Field(ge=1, le=10_000)]], Field(max_length=1000)] = {}
    variables: Annotated[dict[Name, Variable], Field(max_length=5000)] = {}


class NewCase(Said, _Signed):
    """A case of uploaded files."""

    name: Name
    title: Name = ""


class Car(_Given):
    """A car at the start of a run; see `soid.web.crash`."""

    comes_from: Name
    turn: Name = "STRAIGHT"
    signal: Name = "STRAIGHT"
    travelled: Finite = 0.3
    speed: Finite = 0.4
    cruise: Finite = 0.4
    patience: Number = 20
    careful: bool = True


class CrashRun(_Signed):
    """A run of the crash example; without cars as it was."""

    driver: Name
    cars: Annotated[list[Car], Field(max_length=100)] | None = None
    title: Name = ""


class FileView(BaseModel):
    """An uploaded file, by the name that it has here."""

    name: str
    size: int


class StagingView(BaseModel):
    """The files of a new case."""

    id: str
    files: list[FileView]
    sources: list[str]
    logs: list[str]


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
