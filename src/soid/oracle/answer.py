"""The Answer: a verdict, and everything that supports it."""

from __future__ import annotations

import enum
from collections.abc import Mapping
from typing import Any, final

from msgspec import Struct, field

from soid.oracle.settled_share import SettledShare
from soid.program.domain import Domain, describe
from soid.program.interface import Variable
from soid.query.query import Query
from soid.witness.witness import Change, Witness


@final
class Verdict(enum.Enum):
    """Five verdicts, never confused; scripts and pages treat the last three as neither yes nor no."""

    YES = "yes"
    NO = "no"
    VACUOUS = "vacuous"  # no scenario satisfies the suppositions
    UNKNOWN = "unknown"  # a budget ran out, or something unsupported was met
    ERROR = "error"  # the question is ill-formed, or log and program do not belong together

    @property
    def is_definite(self) -> bool:
        return self in (Verdict.YES, Verdict.NO)


@final
class Freed(Struct, frozen=True):
    """A variable that the family varies, and over what."""

    variable: Variable
    domain: Domain

    def to_json(self) -> dict[str, Any]:
        return {
            "variable": self.variable.path,
            "over": describe(self.variable.type, self.domain),
            "unit": self.variable.unit,
        }


@final
class Answer(Struct, frozen=True):
    """What the oracle says to one question."""

    query: Query
    text: str  # the question as query text
    step: int  # the keyframe's
    verdict: Verdict
    reason: str  # why, in one or two sentences for a person
    witness: Witness | None = None
    contrast: Witness | None = None  # a second scenario that is otherwise, where the log leaves open which it was
    instead: tuple[str, ...] = ()  # of a `did` that is no: what may have happened instead, if the log leaves that open
    settled: SettledShare | None = None  # of an unknown: for how many states of the family it is settled, and where not
    fact: Mapping[str, int] = field(default_factory=dict)  # bits of what was decided: as logged, else as computed
    freed: tuple[Freed, ...] = ()
    suppositions: tuple[str, ...] = ()  # as they were understood, literals rounded to their variables' types
    relies_on: tuple[str, ...] = ()
    paths: Mapping[str, int] = field(default_factory=dict)  # by how they ended
    solver: Mapping[str, Any] = field(default_factory=dict)  # calls, and the recipe
    settled_by: Mapping[str, int] = field(default_factory=dict)  # how much each mechanism and each solver settled
    seconds: Mapping[str, float] = field(default_factory=dict)  # by stage

    @property
    def changed(self) -> tuple[Change, ...]:
        """How the witness differs from the fact; nothing where there is none."""
        return self.witness.changed if self.witness else ()

    def to_json(self) -> dict[str, Any]:
        """The documented schema: see docs/json.md."""
        return {
            "question": self.text,
            "kind": self.query.kind.value,
            "step": self.step,
            "verdict": self.verdict.value,
            "reason": self.reason,
            "witness": self.witness.to_json() if self.witness else None,
            "changed": [change.to_json() for change in self.changed],
            "contrast": _contrast(self.contrast) if self.contrast else None,
            "settled": self.settled.to_json() if self.settled else None,
            "freed": [freed.to_json() for freed in self.freed],
            "suppositions": list(self.suppositions),
            "relies_on": list(self.relies_on),
            "paths": dict(self.paths),
            "solver": dict(self.solver),
            "settled_by": dict(self.settled_by),
            "seconds": {stage: round(seconds, 6) for stage, seconds in self.seconds.items()},
        }


def _contrast(witness: Witness) -> dict[str, Any]:
    return {**witness.to_json(), "changed": [change.to_json() for change in witness.changed]}
