"""The nodes of a script.

Equality includes remarks and blank lines, and ignores the place in the text (`span`). Questions are nodes of the query
language with names as written: `resolver.py` expands `let` and `family` later, so that a formatter can print the script
as written.
"""

from __future__ import annotations

import enum
import re
from typing import Final, final

from msgspec import Struct, field

from soid.query.behavior import Behavior
from soid.query.query import Query
from soid.query.steps import Steps
from soid.scenario.expression import Expression, Literal, Located
from soid.scenario.supposition import Supposition
from soid.scenario.written_step import WrittenStep

#: the words of scripts; a script cannot define a name that is one of them
WORDS: Final = frozenset({
    "case", "program", "entry", "project", "trace", "as", "at", "step", "keyframe", "let", "family", "because", "when",
    "witness", "otherwise", "unknown", "vacuous", "error", "for", "each", "conclude",
    "causes", "over", "map", "by", "explain",
})  # fmt: skip

#: a name that a script may define
PLAIN_NAME: Final = re.compile(r"[^\W\d]\w*")


@final
class Remarks(Struct, frozen=True):
    """The comments and blank lines around a line."""

    before: tuple[str, ...] = ()  # the lines above it: comments with their #, and "" for a blank line
    beside: str = ""  # the comment at its end, with its #


class Line(Located, frozen=True, kw_only=True):
    """The base class of the lines of a script."""

    remarks: Remarks = field(default_factory=Remarks)


@final
class Title(Line, frozen=True):
    """`case "Broadside at the crossing"`"""

    text: str


@final
class Sources(Line, frozen=True):
    """`program "car.c", "brake.c" entry decide`: C files, relative to the script, and the function that decides."""

    files: tuple[str, ...]  # at least one
    entry: str


@final
class ProjectDeclaration(Line, frozen=True):
    """`project "cars"`: a folder with a soid.toml, or such a file, relative to the script."""

    folder: str


@final
class LogDeclaration(Line, frozen=True):
    """`trace "crash.jsonl" as night at step 110`: a log, its name, and the step that questions are about."""

    file: str
    name: str | None = None  # the name after `of`; the first log needs none
    step: WrittenStep | None = None  # of the first log only: the default step of questions


@final
class KeyframeDefinition(Line, frozen=True):
    """`keyframe approach = step 90 of night`: a name for a moment."""

    name: str
    step: WrittenStep
    log: str | None = None  # None: the first one


@final
class Let(Line, frozen=True):
    """`let other = world.agents[1]`: a name for the beginning of paths, or for a value."""

    name: str
    value: Expression


@final
class FamilyDefinition(Line, frozen=True):
    """`family any_signal = other.signal is anything and keep other.x`: a name for suppositions."""

    name: str
    suppositions: tuple[Supposition, ...]


@final
class AtStep(Line, frozen=True):
    """`at step 90 of night`: the following lines of this block are about this moment."""

    step: WrittenStep
    log: str | None = None


@final
class AtKeyframe(Line, frozen=True):
    """`at approach`"""

    name: str


@final
class Cause(Located, frozen=True):
    """`move because other.signal == RIGHT`: asks whether this is an actual cause."""

    behavior: Behavior
    suppositions: tuple[Supposition, ...]
    steps: Steps | None = None


Condition = Query | Cause


@final
class Ask(Line, frozen=True):
    """A question whose answer is recorded; no line depends on it."""

    condition: Condition


@final
class NamedQuestion(Line, frozen=True):
    """`let q = would move if ...`: a question that is asked here, and a name for its verdict."""

    name: str
    condition: Condition


@final
class LetWitness(Line, frozen=True):
    """`let w = witness of q`: a name for the scenario that the answer to a question has shown."""

    name: str
    question: str  # its name, or its number


@final
class StudyCauses(Line, frozen=True):
    """`causes of move over signal is anything`: the actual causes of what happened."""

    behavior: Behavior
    suppositions: tuple[Supposition, ...]
    steps: Steps | None = None


@final
class StudyMap(Line, frozen=True):
    """`map signal is anything and 1 <= x <= 2 by brake > 0.5`: what happens where."""

    suppositions: tuple[Supposition, ...]
    by: Behavior | None = None  # None: the decisions


@final
class StudyExplanation(Line, frozen=True):
    """`explain q`: what mattered to an answer, or what its proof needed."""

    question: str  # its name, or its number


@final
class On(enum.Enum):
    """The verdicts that branches are for. The values are those of the oracle's verdicts."""

    YES = "yes"
    NO = "no"
    UNKNOWN = "unknown"
    VACUOUS = "vacuous"
    ERROR = "error"


@final
class ScriptBlock(Struct, frozen=True):
    """Lines under a line that ends with a colon."""

    lines: tuple[Statement, ...]  # at least one
    closing: tuple[str, ...] = ()  # remarks below the last of them, as in Remarks.before


@final
class VerdictBranch(Line, frozen=True):
    """The block for one verdict: `when Q:` for yes, `otherwise:` for no, `when unknown:` ..."""

    on: On
    block: ScriptBlock


@final
class When(Located, frozen=True):
    """A question with a block for each verdict."""

    condition: Condition
    branches: tuple[VerdictBranch, ...]  # the first is on yes; at most one for each verdict


@final
class VerdictArm(Line, frozen=True):
    """The block for what is found about verdicts: `when F:`, `otherwise when F:`, `otherwise:`"""

    formula: Expression | None  # comparisons of verdicts, as in `q is yes`, with `not`, `and`, `or`; None: any
    block: ScriptBlock


@final
class WhenVerdicts(Located, frozen=True):
    """Blocks of which the first is taken whose formula over verdicts holds."""

    arms: tuple[VerdictArm, ...]  # the first has a formula; only the last may have none


@final
class Indexes(Struct, frozen=True):
    """`world.agents[1..3]`: elements of an array, both ends included."""

    path: str
    first: int
    last: int


@final
class WholeNumbers(Struct, frozen=True):
    """`1..3`: whole numbers, both ends included."""

    first: int
    last: int


LoopPlace = str | Indexes | WholeNumbers | Literal


@final
class EachPlace(Line, frozen=True):
    """`for each other in world.agents[1..3]:`, `for each speed in {5, 10}:`"""

    name: str
    places: tuple[LoopPlace, ...]  # at least one
    block: ScriptBlock


@final
class EachStep(Line, frozen=True):
    """`for each step in 100..120:`"""

    steps: tuple[tuple[WrittenStep, WrittenStep], ...]  # ranges, both ends included; at least one
    log: str | None  # None: the first one
    block: ScriptBlock


@final
class EachKeyframe(Line, frozen=True):
    """`for each keyframe in {approach, impact}:`"""

    names: tuple[str, ...]  # at least one
    block: ScriptBlock


@final
class Conclude(Line, frozen=True):
    """`conclude "reasonable"`: the script ends here."""

    text: str


Study = StudyCauses | StudyMap | StudyExplanation
Heading = Title | Sources | ProjectDeclaration | LogDeclaration | KeyframeDefinition
Loop = EachPlace | EachStep | EachKeyframe
Sentence = (
    Heading | Let | FamilyDefinition | AtStep | AtKeyframe | Ask | NamedQuestion | LetWitness | Study | Loop | Conclude
)
Statement = Sentence | When | WhenVerdicts


@final
class Script(Struct, frozen=True):
    """A whole file."""

    lines: tuple[Statement, ...]
    closing: tuple[str, ...] = ()  # remarks below the last line
