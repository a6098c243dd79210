"""What the payload of an entry must hold, by its kind, so that what reads it can rely on it.

A chain whose hashes fit can still be forged: anyone may write entries, and their hashes. So an entry of another shape
is refused when it is read, with the field that is wrong. Fields that a shape does not name are left alone.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any, Final

from msgspec import Meta, Struct, ValidationError, convert

from soid.case.record.entry import EntryKind
from soid.case.record.study_request import ExplanationRequest, Request
from soid.oracle.answer import Verdict
from soid.oracle.whole_log import LogComparison, LogVerdict


class _Shape(Struct, frozen=True):
    def referred(self) -> tuple[int | None, ...]:
        """The numbers of the entries that it refers to, all of them earlier."""
        return ()


class _ListedFile(Struct, frozen=True):
    path: str
    sha256: str
    size: int


class _OpenedCase(_Shape, frozen=True):
    title: str
    program: str
    manifest: str
    logs: tuple[str, ...]
    files: tuple[_ListedFile, ...]
    folders: tuple[str, ...]
    compiled: str | None
    called: dict[str, str] = {}  # the names under which files came, by path


class _Limits(Struct, frozen=True):
    window: Annotated[int, Meta(ge=1)] | None


class _AskedQuestion(_Shape, frozen=True):
    question: str
    log: str
    step: int
    keyframe: str | None
    settings: _Limits
    continues: int | None
    resumes: int | None = None  # the entry with the unknown that it goes on from

    def referred(self) -> tuple[int | None, ...]:
        return self.continues, self.resumes


class _Outcome(_Shape, frozen=True, kw_only=True):
    """What came of a question."""

    question: str
    log: str
    step: int
    keyframe: str | None
    asked: int
    accepted: int | None
    resumes: int | None = None

    def referred(self) -> tuple[int | None, ...]:
        return self.asked, self.accepted, self.resumes


class _GivenAnswer(Struct, frozen=True):
    question: str
    step: int
    verdict: Verdict
    reason: str


class _Fact(Struct, frozen=True):
    about: str
    behavior: str
    occurs: str
    instead: str
    statement: str
    suppositions: tuple[str, ...]


class _Answered(_Outcome, frozen=True):
    answer: _GivenAnswer
    fact: _Fact | None


class _Failure(Struct, frozen=True):
    type: str
    cause: str
    remedy: str


class _Failed(_Outcome, frozen=True):
    error: _Failure


class _NamedMoment(_Shape, frozen=True):
    name: str
    log: str
    step: int


class _Note(_Shape, frozen=True):
    on: int
    text: str

    def referred(self) -> tuple[int | None, ...]:
        return (self.on,)


class _Retracted(_Shape, frozen=True):
    entry: int
    why: str

    def referred(self) -> tuple[int | None, ...]:
        return (self.entry,)


class _Accepted(_Shape, frozen=True):
    log: str
    step: int
    mismatch: str
    why: str


class _Noticed(_Shape, frozen=True):
    about: str
    found: tuple[str, ...]


class _Attested(_Shape, frozen=True):
    log: str
    name: str
    sha256: str | None
    signature: str | None
    algorithm: str | None
    key: str | None


class _Compared(_Shape, frozen=True):
    log: str
    sha256: str
    verdict: LogVerdict
    result: LogComparison


class _Studied(_Shape, frozen=True):
    wanted: Request
    log: str
    step: int
    keyframe: str | None
    accepted: int | None
    settings: _Limits
    result: dict[str, Any]
    statement: str

    def referred(self) -> tuple[int | None, ...]:
        return self.accepted, self.wanted.entry if isinstance(self.wanted, ExplanationRequest) else None


class _Retitled(_Shape, frozen=True):
    title: str


class _Archived(_Shape, frozen=True):
    why: str


class _Anchored(_Shape, frozen=True):
    entries: int
    hash: str
    time: str
    authority: str
    nonce: str | None
    response: str
    certificates: tuple[str, ...]

    def referred(self) -> tuple[int | None, ...]:
        return (self.entries,)


_SHAPES: Final[dict[EntryKind, type[_Shape]]] = {
    EntryKind.OPENED: _OpenedCase,
    EntryKind.ASKED: _AskedQuestion,
    EntryKind.ANSWERED: _Answered,
    EntryKind.FAILED: _Failed,
    EntryKind.KEYFRAME: _NamedMoment,
    EntryKind.NOTE: _Note,
    EntryKind.RETRACTED: _Retracted,
    EntryKind.ACCEPTED: _Accepted,
    EntryKind.NOTICED: _Noticed,
    EntryKind.ATTESTED: _Attested,
    EntryKind.COMPARED: _Compared,
    EntryKind.STUDIED: _Studied,
    EntryKind.RENAMED: _Retitled,
    EntryKind.ARCHIVED: _Archived,
    EntryKind.ANCHORED: _Anchored,
}


def misfit(number: int, kind: EntryKind, payload: Mapping[str, Any]) -> str:
    """What is wrong with a payload, to be read after "entry 3"; empty if nothing is.

    >>> misfit(3, EntryKind.NOTE, {"on": 1, "text": "hm"})
    ''
    >>> misfit(3, EntryKind.NOTE, {"on": "first", "text": "hm"})
    'does not hold what an entry of its kind, note, holds: Expected `int`, got `str` - at `$.on`'
    >>> misfit(3, EntryKind.NOTE, {"on": 4, "text": "hm"})
    'refers to entry 4, which is none before it'
    """
    if (number == 1) != (kind is EntryKind.OPENED):
        return "does not open the case" if number == 1 else "opens the case once more"
    try:
        shape = convert(payload, _SHAPES[kind])
    except ValidationError as error:
        return f"does not hold what an entry of its kind, {kind.value}, holds: {error}"
    later = [one for one in shape.referred() if one is not None and not 1 <= one < number]
    return f"refers to entry {later[0]}, which is none before it" if later else ""
