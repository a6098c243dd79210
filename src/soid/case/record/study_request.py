"""Requests for studies that a record keeps: the causes of what happened, a map, the explanation of an answer.

A request says what is studied, at a moment that its entry names. It stands beside the result, so that the study can be
made and checked again.

>>> wanted = request_of({"kind": "map", "over": "x is anything", "by": None, "resolution": 256})
>>> wanted.over, wanted.document["kind"]
('x is anything', 'map')
"""

from __future__ import annotations

from typing import Annotated, Any, Final, final

from msgspec import Meta, Struct, convert

from soid.documents import json_of

_AtLeastOne = Annotated[int, Meta(ge=1, le=4096)]


class StudyRequest(Struct, frozen=True, tag_field="kind"):
    """What is studied."""

    @property
    def document(self) -> dict[str, Any]:
        return json_of(self)


@final
class CausesRequest(StudyRequest, frozen=True, tag="causes"):
    """The actual causes of what happened."""

    question: str  # the `would` whose counterexamples they are
    hold: tuple[tuple[str, int], ...]  # variables and later steps that may be held as they were
    size: _AtLeastOne
    agents: dict[str, tuple[str, ...]]  # which variables belong to each agent


@final
class MapRequest(StudyRequest, frozen=True, tag="map"):
    """What happens where, along one or two variables."""

    over: str
    by: str | None
    resolution: _AtLeastOne


@final
class ExplanationRequest(StudyRequest, frozen=True, tag="explanation"):
    """What mattered to an answer of the record, or what its proof needed."""

    entry: int  # the answer
    question: str  # to which it is the answer
    others: Annotated[int, Meta(ge=0, le=4096)]


Request = CausesRequest | MapRequest | ExplanationRequest

#: what the study of each kind of request is called
CALLED: Final = {CausesRequest: "causes", MapRequest: "map", ExplanationRequest: "explanation"}


def request_of(written: Any) -> Request:
    """The request of an entry; msgspec.ValidationError if it is none."""
    found: Request = convert(written, Request)
    return found
