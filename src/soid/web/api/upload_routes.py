"""New cases from uploaded files, step by step."""

from __future__ import annotations

from fastapi import APIRouter, Request, Response
from msgspec import convert
from starlette.concurrency import run_in_threadpool

from soid.web.api.dependencies import OnDesk, PathName
from soid.web.api.models import FileView, JobView, NewCaseBody, StagingView, UploadBody
from soid.web.upload_areas import Area
from soid.web.upload_manifest import UploadManifest

router = APIRouter(tags=["new cases"])


@router.post("/staging", status_code=201, summary="A place for the files of a new case")
def begin(desk: OnDesk) -> StagingView:
    return _view(desk.begin_upload())


@router.get("/staging/{area}", summary="The files of a new case")
def show(area: PathName, desk: OnDesk) -> StagingView:
    return _view(desk.area(area))


@router.delete("/staging/{area}", status_code=204, summary="Put the files of a new case away", response_class=Response)
def end(area: PathName, desk: OnDesk) -> Response:
    desk.end_upload(desk.area(area).id)
    return Response(status_code=204)


@router.put(
    "/staging/{area}/files/{name}",
    summary="A source, a header, a learned model or a log: its bytes are the body",
    openapi_extra={"requestBody": {"required": True, "content": {"application/octet-stream": {"schema": {}}}}},
)
async def put(area: PathName, name: PathName, request: Request, desk: OnDesk) -> FileView:
    data = await request.body()
    kept = await run_in_threadpool(desk.area(area).put, name, data)  # meanwhile, others are answered
    return FileView(name=kept, size=len(data), given=desk.area(area).given[kept])


@router.delete("/staging/{area}/files/{name}", status_code=204, summary="Leave a file out", response_class=Response)
def remove(area: PathName, name: PathName, desk: OnDesk) -> Response:
    desk.area(area).remove(name)
    return Response(status_code=204)


@router.post(
    "/staging/{area}/look",
    status_code=202,
    summary="What is in the files: functions, then, with an entry, variables, and whether the log fits them",
)
def look(area: PathName, given: UploadBody, desk: OnDesk) -> JobView:
    return JobView.model_validate(desk.look(area, _declared(given)))


@router.post("/staging/{area}/case", status_code=202, summary="Make a case of the files")
def make(area: PathName, given: NewCaseBody, desk: OnDesk) -> JobView:
    job = desk.create_from_files(area, _declared(given), name=given.name, title=given.title)
    return JobView.model_validate(job)


def _view(area: Area) -> StagingView:
    files = [FileView(name=name, size=size, given=area.given[name]) for name, size in area.files.items()]
    found = {"sources": list(area.sources), "models": list(area.models), "logs": list(area.logs)}
    return StagingView(id=area.id, files=files, **found)


def _declared(given: UploadBody) -> UploadManifest:
    variables = {path: variable.said() for path, variable in given.variables.items()}
    said = given.model_dump(include=set(UploadBody.model_fields), exclude_none=True)
    return convert({**said, "variables": variables}, UploadManifest)
