"""Parameters that routes share: the desk for the user of the request, and the case that an address names."""

from __future__ import annotations

from typing import Annotated, Literal

from fastapi import Depends, Path, Query, Request

from soid.web.case_service import CaseService
from soid.web.desk_service import DeskService


def _desk(request: Request) -> DeskService:
    return DeskService(request.app.state.desk, request.state.user)


OnDesk = Annotated[DeskService, Depends(_desk)]
CaseId = Annotated[str, Path(max_length=80, description="A case, by its id.")]
LogQuery = Annotated[str | None, Query(max_length=500, description="Of the case's logs, another than the first.")]
StepQuery = Annotated[str | None, Query(max_length=200, description="A step's number, a keyframe's name, or a time.")]
FromQuery = Annotated[int | None, Query(alias="from", ge=-(2**63), lt=2**63, description="The first step's number.")]
ToQuery = Annotated[int | None, Query(alias="to", ge=-(2**63), lt=2**63, description="The last step's number.")]
ThemeQuery = Literal["auto", "light", "dark"]
PathName = Annotated[str, Path(max_length=200)]
EntryNumber = Annotated[int, Path(ge=0, lt=2**63)]


def _case(case_id: CaseId, desk: OnDesk) -> CaseService:
    return desk.open(case_id)


OfCase = Annotated[CaseService, Depends(_case)]
