"""The bodies of requests and responses. docs/json.md describes answers, entries and explanations."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field

from soid.case.question_candidates import QuestionTopic
from soid.oracle.answer import Verdict
from soid.oracle.inquiry import MORE_SECONDS
from soid.program.interface import Role
from soid.web.case_service import LONGEST
from soid.web.work.job import JobState

Json = dict[str, Any]

Text = Annotated[str, Field(max_length=LONGEST)]
Name = Annotated[str, Field(max_length=200)]
Number = Annotated[int, Field(strict=True, ge=-(2**63), lt=2**63)]
#: a moment: the number of a step, the name of a keyframe, or a time (`45s`); None is the project's own moment
StepName = Number | Name | None
LogName = Annotated[str | None, Field(max_length=500)]


class RequestBody(BaseModel):
    """What a program sends; unknown fields are refused."""

    model_config = ConfigDict(extra="forbid")


class QuestionBody(RequestBody):
    """A question about a moment."""

    question: Text
    step: StepName = None
    log: LogName = None
    window: Annotated[int, Field(strict=True, ge=1, lt=2**31)] | None = None  # rounds of loops and calls for a decision


class ResumptionBody(RequestBody):
    """How long to go on with a question that was left open."""

    seconds: Annotated[float, Field(gt=0, le=86_400, allow_inf_nan=False)] = MORE_SECONDS


class MapBody(RequestBody):
    """A map: suppositions that free one or two variables, and the behavior that separates its regions."""

    over: Text
    by: Text | None = None
    step: StepName = None
    log: LogName = None


class StudyBody(RequestBody):
    """Causes, a map or an explanation, as `wanted` of an entry describes it in docs/json.md."""

    wanted: dict[str, Any]
    step: StepName = None
    log: LogName = None


class ScriptBody(RequestBody):
    """A script that the case holds, by its name; or a text that is called so."""

    name: Name
    text: Text | None = None


class ProgramsBody(RequestBody):
    """The same questions for several programs; without `programs`, for all of them."""

    questions: Annotated[list[Text], Field(min_length=1, max_length=100)]
    programs: Annotated[list[Name], Field(max_length=100)] = []
    step: StepName = None
    log: LogName = None


class DifferenceBody(RequestBody):
    """Two programs, what may differ, and the decisions that count (all, unless `by` names some)."""

    one: Name
    other: Name
    over: Text
    by: Text | None = None
    step: StepName = None
    log: LogName = None


class NoteBody(RequestBody):
    """A note on an entry."""

    entry: Number
    text: Text


class TitleBody(RequestBody):
    """What a case is called."""

    title: Name


class ArchiveBody(RequestBody):
    """Why a case is laid aside."""

    why: Text = ""


class RetractionBody(RequestBody):
    """An entry to retract, and the reason."""

    entry: Number
    why: Text


class AttestationBody(RequestBody):
    """What was noted about a log at the scene: its hash, or a signature with the key to check it."""

    log: LogName = None
    sha256: Name | None = None
    signature: Annotated[str, Field(max_length=LONGEST, pattern="^([0-9a-fA-F]{2})*$")] | None = None  # hexadecimal
    key: Text | None = None  # the public key, as PEM
    name: Name | None = None  # of the log's file, if it had another one


class AcceptanceBody(RequestBody):
    """The reason to continue at a moment at which log and program differ."""

    why: Text
    step: StepName = None
    log: LogName = None


class ComparisonBody(RequestBody):
    """The log that is to be compared with the program."""

    log: LogName = None


class KeyframeBody(RequestBody):
    """A name for a moment."""

    step: Number | Name
    name: Name
    log: LogName = None


class ExplanationBody(RequestBody):
    """How much to explain."""

    others: Annotated[int, Field(ge=0, le=20)] = 3  # how many other sets of changes to look for


class ExampleBody(RequestBody):
    """A case on one of the examples."""

    example: Name
    title: Name = ""
    name: Name = ""  # of the case; the default is the example's name


Finite = Annotated[float, Field(allow_inf_nan=False)]
Amount = Number | Finite | bool | Name  # a label is given by its name


class VariableBody(RequestBody):
    """A declaration of a variable; a field that is left out keeps what the program shows."""

    role: Literal["environment", "state", "decision"] | None = None
    domain: Annotated[list[Amount], Field(min_length=2, max_length=2)] | None = None  # the two ends
    values: Annotated[list[Amount], Field(min_length=1, max_length=1000)] | None = None  # instead of the two ends
    labels: Annotated[dict[Name, Number] | list[Name], Field(max_length=1000)] | None = None  # names for its values
    unit: Name | None = None
    label: Name | None = None  # its meaning in words
    decimals: Annotated[int, Field(ge=0, le=100)] | None = None  # decimal places of its values in the log

    def said(self) -> Json:
        """The entry under [variables] of a soid.toml."""
        said: Json = self.model_dump(exclude={"values", "decimals"}, exclude_none=True)
        if self.values is not None:
            said["domain"] = {"values": self.values}
        if self.decimals is not None:
            said["logged"] = {"decimals": self.decimals}
        return said


class ColumnBody(RequestBody):
    """A column of the log, and how it is written there."""

    column: Name
    unit: Name | None = None
    decimals: Annotated[int, Field(ge=0, le=100)] | None = None
    labels: Annotated[dict[Name, bool | Name], Field(max_length=1000)] | None = None


class UploadBody(RequestBody):
    """A declaration of uploaded files; without an entry, only functions are looked for."""

    entry: Name = ""
    sources: Annotated[list[Name], Field(max_length=100)] = []
    log: Name | None = None
    keyframe: Number | None = None
    step_column: Name | None = None
    ignore: Annotated[list[Name], Field(max_length=1000)] = []
    defines: Annotated[list[Name], Field(max_length=100)] = []
    flags: Annotated[list[Name], Field(max_length=100)] = []
    lengths: Annotated[dict[Name, Annotated[int, Field(ge=1, le=10_000)]], Field(max_length=1000)] = {}
    variables: Annotated[dict[Name, VariableBody], Field(max_length=5000)] = {}
    model: Name | None = None  # a learned model, which is the program then
    decisions: Annotated[dict[Name, Name], Field(max_length=100)] = {}  # approve: probability >= 0.5
    columns: Annotated[dict[Name, Name | ColumnBody], Field(max_length=5000)] = {}  # the variable: the log's column
    empty_is_missing: bool = False  # the model was told so where the log has no value


class NewCaseBody(UploadBody):
    """A case of uploaded files."""

    name: Name
    title: Name = ""


class View(BaseModel):
    """A record, as a program gets it: the fields are the record's attributes."""

    model_config = ConfigDict(from_attributes=True)


class FileView(View):
    """An uploaded file, under the name that the server gave it, and the one that it was sent under."""

    name: str
    size: int
    given: str


class StagingView(BaseModel):
    """The files of a new case."""

    id: str
    files: list[FileView]
    sources: list[str]
    models: list[str]
    logs: list[str]


class BundleView(View):
    """An uploaded bundle, under the name that its sender gave it."""

    id: str
    name: str
    size: int


class VerifyBody(RequestBody):
    """How a bundle is verified."""

    key: Annotated[str, Field(max_length=100)] | None = None  # the fingerprint of the key that must have signed it


class RestoreBody(RequestBody):
    """A case that is made of a bundle."""

    name: Name = ""  # of the case's file; by default that of the bundle


class CardView(View):
    """A case in the list."""

    id: str
    title: str
    program: str
    entries: int
    facts: int
    changed: float
    archived: bool
    problem: str


class NamedMoment(BaseModel):
    """A moment that has a name."""

    name: str
    log: str
    step: int


class FactView(View):
    """A fact by its number, and what the record says about it besides."""

    number: int
    entry: int
    statement: str
    repeated: list[int]
    otherwise: list[int]
    follows_from: int | None
    same_as: int | None
    contradicts: list[int]


class CaseView(BaseModel):
    """A case."""

    id: str
    title: str
    program: str
    logs: list[str]
    attested: list[Json]  # the entries that say where a log comes from
    keyframes: list[NamedMoment]
    version: int
    facts: list[FactView]
    retracted: list[int]
    unanswered: list[int]
    warnings: list[str]
    head: str  # the hash of the last entry, which depends on the whole record
    archived: bool  # nothing can be added
    scene: bool  # whether moments can be drawn
    step: int  # the default moment of a question
    log: str


class VariableView(View):
    """A variable of the program."""

    path: str
    role: Role
    type: str
    width: int
    labels: dict[str, int] | None
    domain: str
    unit: str
    label: str
    decimals: int | None


class StepTimeView(View):
    """When a step was logged: `seconds` since the log's first row, and what the log has, in which unit."""

    seconds: float
    logged: str
    unit: str


class StepView(BaseModel):
    """A step of a log.

    `origins` has what it does not have: inputs that are `derived` or `assumed`, decisions and state after the call that
    are `derived` or `not known`. What is not derived is null. In a list of steps inputs are `not logged`, and decisions
    that are not logged are left out. `time` is null if the log has no clock.
    """

    step: int
    time: StepTimeView | None
    inputs: Json
    decisions: Json
    origins: dict[str, str]


class PreviewView(View):
    """A question as soid understands it."""

    text: str
    sentence: str


class StoryView(View):
    """What happened, in sentences."""

    happened: str  # as the project's manifest tells it
    moment: str  # what was decided at the moment
    harm: list[str]  # that the manifest declares, and what the record says of it


class SuggestionView(View):
    """A question that suggests itself; `entry` and `verdict` are those of its last answer that counts."""

    topic: QuestionTopic
    question: str
    sentence: str
    entry: int | None
    verdict: Verdict | None


class ScriptView(View):
    """A script that the case holds."""

    name: str
    file: str
    title: str
    text: str


class ProgressView(View):
    """What a job is doing."""

    stage: str
    words: str
    paths: int | None
    open: int | None
    share: float | None
    left: float | None


class ProblemView(View):
    """Why a job failed."""

    code: str
    kind: str
    cause: str
    remedy: str
    places: list[Json] = []


class JobView(View):
    """A job."""

    id: str
    kind: str
    case: str
    question: str
    who: str
    state: JobState
    place: int | None
    seconds: float
    progress: ProgressView | None
    events: list[Json]  # of a script: what has happened so far, an object for each line that begins or ends
    result: Json | None
    error: ProblemView | None


class DeletedView(View):
    """A case that was deleted."""

    file: str
    title: str
    program: str
    entries: int
    head: str
    sha256: str
    who: str
    when: str
    before: str


class VersionView(BaseModel):
    """A number that grows with the record."""

    version: int


class ComparisonView(BaseModel):
    """A comparison of a whole log with the program, of the record."""

    entry: int
    log: str
    verdict: str
    told: list[str]  # in words
    result: Json
    who: str
    when: str


class AnswerView(BaseModel):
    """An answer of the record."""

    entry: int
    sentence: str
    answer: Json
    fact: Json | None
    who: str
    when: str
    notes: list[Json]
    counts: bool  # False: it was retracted
    picture: bool  # whether it can be drawn
