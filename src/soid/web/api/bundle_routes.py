"""Bundles that others have made: they are uploaded, verified, and opened as cases."""

from __future__ import annotations

from fastapi import APIRouter, Request, Response
from starlette.concurrency import run_in_threadpool

from soid.web.api.dependencies import OnDesk, PathName
from soid.web.api.models import BundleView, JobView, RestoreBody, VerifyBody

router = APIRouter(prefix="/bundles", tags=["bundles"])


@router.put(
    "/{name}",
    status_code=201,
    summary="A bundle to be verified: its bytes are the body",
    openapi_extra={"requestBody": {"required": True, "content": {"application/octet-stream": {"schema": {}}}}},
)
async def put(name: PathName, request: Request, desk: OnDesk) -> BundleView:
    data = await request.body()
    return BundleView.model_validate(await run_in_threadpool(desk.keep_bundle, name, data))


@router.delete("/{bundle}", status_code=204, summary="Put a bundle away", response_class=Response)
def end(bundle: PathName, desk: OnDesk) -> Response:
    desk.end_bundle(bundle)
    return Response(status_code=204)


@router.post("/{bundle}/verification", status_code=202, summary="Verify it: derive, prove and run everything anew")
def verify(bundle: PathName, given: VerifyBody, desk: OnDesk) -> JobView:
    return JobView.model_validate(desk.verify(bundle, key=given.key))


@router.post("/{bundle}/case", status_code=202, summary="Make a case of it, with its whole record")
def restore(bundle: PathName, given: RestoreBody, desk: OnDesk) -> JobView:
    return JobView.model_validate(desk.restore(bundle, name=given.name))
