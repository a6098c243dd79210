"""New cases: from uploaded files, step by step; and from a run of the crash example."""

from __future__ import annotations

from fastapi import APIRouter, Request, Response

from soid.examples.crash.program import AGENTS, DRIVERS
from soid.web.api.models import CrashRun, FileView, JobView, NewCase, Said, StagingView
from soid.web.api.reaching import OnDesk, PathName
from soid.web.crash import CRASH, SIDES, STEPS, TURNS, CarPlan
from soid.web.declaring import Declared
from soid.web.staging import Area

router = APIRouter(tags=["new cases"])


@router.post("/staging", status_code=201, summary="A place for the files of a new case")
def begin(desk: OnDesk) -> StagingView:
    return _view(desk.staging.begin())


@router.get("/staging/{area}", summary="The files of a new case")
def show(area: PathName, desk: OnDesk) -> StagingView:
    return _view(desk.staging.area(area))


@router.delete("/staging/{area}", status_code=204, summary="Put the files of a new case away", response_class=Response)
def end(area: PathName, desk: OnDesk) -> Response:
    desk.staging.end(desk.staging.area(area).id)
    return Response(status_code=204)


@router.put(
    "/staging/{area}/files/{name}",
    summary="A source, a header or a log: its bytes are the body",
    openapi_extra={"requestBody": {"required": True, "content": {"application/octet-stream": {"schema": {}}}}},
)
async def put(area: PathName, name: PathName, request: Request, desk: OnDesk) -> FileView:
    data = await request.body()
    kept = desk.staging.area(area).put(name, data)
    return FileView(name=kept, size=len(data))


@router.delete("/staging/{area}/files/{name}", status_code=204, summary="Leave a file out", response_class=Response)
def remove(area: PathName, name: PathName, desk: OnDesk) -> Response:
    desk.staging.area(area).remove(name)
    return Response(status_code=204)


@router.post(
    "/staging/{area}/look",
    status_code=202,
    summary="What is in the files: functions, then, with an entry, variables, and whether the log fits them",
)
def look(area: PathName, given: Said, desk: OnDesk) -> JobView:
    return JobView(**desk.look(area, _declared(given)).to_json())


@router.post("/staging/{area}/case", status_code=202, summary="Make a case of the files")
def make(area: PathName, given: NewCase, desk: OnDesk) -> JobView:
    job = desk.create_from_files(area, _declared(given), name=given.name, title=given.title, who=given.who)
    return JobView(**job.to_json())


@router.get("/crash", summary="What may be chosen for a run of the crash example, and what happened in fact")
def show_crash() -> dict[str, object]:
    return {
        "drivers": list(DRIVERS),
        "sides": list(SIDES),
        "turns": list(TURNS),
        "most_cars": AGENTS,
        "steps": STEPS,
        "cars": [_car(car) for car in CRASH],
    }


@router.post("/crash", status_code=202, summary="Run the crash example's world; the log that comes out is a case")
def run_crash(given: CrashRun, desk: OnDesk) -> JobView:
    cars = [CarPlan(**car.model_dump()) for car in given.cars] if given.cars is not None else CRASH
    return JobView(**desk.run_crash(given.driver, cars, title=given.title, who=given.who).to_json())


def _view(area: Area) -> StagingView:
    return StagingView(**area.to_json())


def _car(car: CarPlan) -> dict[str, object]:
    return {name: getattr(car, name) for name in CarPlan.__struct_fields__}


def _declared(given: Said) -> Declared:
    return Declared(
        given.entry,
        tuple(given.sources),
        given.log,
        given.keyframe,
        given.step_column,
        tuple(given.ignore),
        tuple(given.defines),
        tuple(given.flags),
        given.lengths,
        {path: variable.said() for path, variable in given.variables.items()},
    )
