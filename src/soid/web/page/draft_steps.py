"""The steps of a drafted question, the world that they are in, and the steps in which a supposition holds.

>>> from soid.scenario.supposition import Anything, supposition_text
>>> span = StepSpan(SpanKind.FROM_TO, "230", "239")
>>> [supposition_text(each) for each in span.timed((Anything("pilot"),))]
['pilot is anything from step 230 to step 239']
"""

from __future__ import annotations

import enum
from contextlib import suppress
from typing import Final, final

from msgspec import Struct

from soid.errors import KeyframeError, QueryError
from soid.query.steps import MOST, ONE, Over, Steps
from soid.scenario.expression import Comparison, Expression
from soid.scenario.future import Future
from soid.scenario.supposition import During, Keep, Supposition
from soid.scenario.trace import Keyframe, Trace
from soid.scenario.typed_step import step_of
from soid.scenario.written_step import WrittenStep, written_time

#: the choices of a world, each with what it means
WORLDS: Final = {
    Future.AS_LOGGED: "After the first step the program perceives what was recorded; what is supposed lasts. "
    "The record does not react to what the program would have done.",
    Future.HELD: "In all steps the program perceives the same: what it perceives in the first one.",
    Future.CLOSED_LOOP: "After the first step the world goes on from what the programs decide, as the project's world "
    "says.",
    Future.ANYTHING: "After the first step the program may perceive anything within its limits, at each step anew.",
}
#: the choices of the steps in which a behavior occurs
OVERS: Final = {
    Over.WITHIN: "within … steps: in at least one",
    Over.AFTER: "after … steps: in the last",
    Over.THROUGHOUT: "throughout … steps: in each",
}
#: steps of the log that are looked at while a question is typed; its answer looks at all of them
_LOOKED: Final = 4096
_LONGEST: Final = 18  # digits of a step's number


def typed_steps(over: Over | None, count: str, usual: Steps | None) -> Steps | None:
    """The steps that were chosen and typed. None: one step, if that is what the manifest means too."""
    if over is None:
        return None if usual is None else ONE
    text = count.strip()
    if not text.isdecimal() or len(text) > _LONGEST:
        raise QueryError(f"{text or 'nothing'} is no number of steps", f"Type a number from 1 to {MOST}.")
    return Steps(over, int(text))


def unlogged(keyframe: Keyframe, count: int) -> str:
    """Why the log does not say how so many steps went on; empty if it does."""
    if keyframe.trace is None:
        return "there is no log of what came afterwards"
    looked = min(count - 1, _LOOKED)
    found, last = len(keyframe.followed_by(looked)), keyframe.step + count - 1
    if found == looked:
        return ""
    return f"the log has steps in a row up to step {keyframe.step + found} only, and {count} steps go to step {last}"


@final
class SpanKind(enum.Enum):
    """The form in which steps are named."""

    ALL = ""
    AT = "at"
    FROM = "from"
    FROM_TO = "from to"
    UNTIL = "until"
    FROM_UNTIL = "from until"

    @property
    def has_first(self) -> bool:
        return self not in (SpanKind.ALL, SpanKind.UNTIL)

    @property
    def has_until(self) -> bool:
        return self in (SpanKind.UNTIL, SpanKind.FROM_UNTIL)


SPANS: Final = {
    SpanKind.ALL: "in all steps",
    SpanKind.AT: "at step …",
    SpanKind.FROM: "from step …",
    SpanKind.FROM_TO: "from step … to …",
    SpanKind.UNTIL: "until it decides …",
    SpanKind.FROM_UNTIL: "from step … until it decides …",
}


@final
class UntilDraft(Struct, frozen=True):
    """What the program decides in the last of the steps, as chosen and typed."""

    name: str = ""  # of an output, with a prime for state
    sign: Comparison = Comparison.EQ
    value: str = ""


@final
class StepSpan(Struct, frozen=True):
    """The steps in which a supposition holds, as typed."""

    kind: SpanKind = SpanKind.ALL
    first: str = ""
    last: str = ""
    until: UntilDraft = UntilDraft()

    @classmethod
    def of_mark(cls, mark: str) -> StepSpan:
        """The steps of an input of later steps: of `@231`, `@230..` and `@230..239` what follows the sign."""
        first, dots, last = mark.partition("..")
        return cls(SpanKind.AT if not dots else SpanKind.FROM_TO if last else SpanKind.FROM, first, last)

    def timed(self, suppositions: tuple[Supposition, ...], until: Expression | None = None) -> tuple[Supposition, ...]:
        """The same suppositions of these steps; QueryError says what is missing or cannot have steps.

        `until` is what the draft of an end means.
        """
        if self.kind is SpanKind.ALL:
            return suppositions
        first = _step(self.first) if self.kind.has_first else None
        last = first if self.kind is SpanKind.AT else _step(self.last) if self.kind is SpanKind.FROM_TO else None
        return tuple(_during(each, first, last, until) for each in suppositions)

    def begins_at(self, keyframe: Keyframe) -> bool:
        """Whether what is supposed is supposed of this moment, which is the first step of the question."""
        return not self.kind.has_first or self.first_in(keyframe.trace) == keyframe.step

    def first_in(self, log: Trace | None) -> int | None:
        """The number of the first step; None if it cannot be read yet, or is no step of the log."""
        with suppress(QueryError, KeyframeError):  # it is being typed: what is wrong with it is told where it is used
            step = _step(self.first)
            return step if isinstance(step, int) else None if log is None else step_of(step.text, log, {})
        return None


def _during(
    supposed: Supposition, first: WrittenStep | None, last: WrittenStep | None, until: Expression | None
) -> During:
    if isinstance(supposed, During | Keep):
        remedy = "Write it as a formula: `x < y at step 3`. It then frees both."
        raise QueryError("what is compared with another variable has no steps of its own here", remedy)
    if first is None or until is not None:
        return During(supposed, first, None, until)
    return During.of(supposed, "from", first, last)


def _step(text: str) -> WrittenStep:
    typed = text.strip()
    if typed.isdecimal() and len(typed) <= _LONGEST:
        return int(typed)
    try:
        return written_time(typed)
    except QueryError:
        remedy = "Type the number of a step of the log, or a time such as 45s or 1:30 if the log has a clock."
        raise QueryError(f"{typed or 'nothing'} is no step", remedy) from None
