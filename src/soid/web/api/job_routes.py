"""Routes to the jobs: their progress, once or as a stream; cancelling them; the files that they wrote."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import AsyncIterator
from typing import Annotated, Final

from fastapi import APIRouter, Path, Query
from fastapi.responses import FileResponse, StreamingResponse

from soid.errors import NotOnDesk
from soid.web.api.dependencies import OnDesk
from soid.web.api.models import JobView
from soid.web.work.job import Job

router = APIRouter(prefix="/jobs", tags=["jobs"])

_SIGN_OF_LIFE: Final = 10.0  # seconds of silence after which a stream sends a comment

_TYPES: Final = {".html": "text/html; charset=utf-8", ".pdf": "application/pdf"}  # of files, by their endings

JobId = Annotated[str, Path(max_length=32)]
OfCase = Annotated[str | None, Query(max_length=80, description="Only those about this case.")]


@router.get("", summary="All jobs that are known, in the order in which they were given; without their results")
def list_jobs(desk: OnDesk, case: OfCase = None) -> list[JobView]:
    return [JobView.model_validate(job).model_copy(update={"result": None, "events": []}) for job in desk.jobs(case)]


@router.get("/{job_id}", summary="A job")
def show_job(job_id: JobId, desk: OnDesk) -> JobView:
    return JobView.model_validate(desk.job(job_id))


@router.delete("/{job_id}", status_code=202, summary="Call a job off; what it asked stays on the record")
def cancel_job(job_id: JobId, desk: OnDesk) -> JobView:
    job = desk.job(job_id)
    desk.cancel(job)
    return JobView.model_validate(job)


@router.get("/{job_id}/file", summary="What a job wrote: a report, a bundle", response_class=FileResponse)
def download(job_id: JobId, desk: OnDesk) -> FileResponse:
    file = desk.job(job_id).file
    if file is None or not file.is_file():
        raise NotOnDesk(f"the job {job_id} has written nothing", "Only a report and a bundle are files, once done.")
    return FileResponse(file, media_type=_TYPES.get(file.suffix, "application/octet-stream"), filename=file.name)


@router.get(
    "/{job_id}/events",
    summary="A job's changes as they come, as server-sent events; the last one says what came of it",
    response_class=StreamingResponse,
    responses={200: {"content": {"text/event-stream": {}}}},
)
async def follow(job_id: JobId, desk: OnDesk) -> StreamingResponse:
    return StreamingResponse(_events(desk.job(job_id)), media_type="text/event-stream")


async def _events(job: Job) -> AsyncIterator[str]:
    """An event for each change; changes that come faster than they can be sent share one event."""
    loop, changed = asyncio.get_running_loop(), asyncio.Event()

    def heard(_: Job) -> None:
        with contextlib.suppress(RuntimeError):  # the server has ended its loop
            loop.call_soon_threadsafe(changed.set)

    forget = job.subscribe(heard)
    try:
        while True:
            changed.clear()
            over = job.state.is_final
            yield f"event: job\ndata: {JobView.model_validate(job).model_dump_json()}\n\n"
            if over:
                return
            while not changed.is_set():
                try:
                    await asyncio.wait_for(changed.wait(), _SIGN_OF_LIFE)
                except TimeoutError:
                    yield ": still at it\n\n"
    finally:
        forget()
