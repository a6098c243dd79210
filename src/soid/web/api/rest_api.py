"""The API, assembled from its routes."""

from __future__ import annotations

from fastapi import FastAPI

from soid.web.api import bundle_routes, case_routes, job_routes, record_routes, simulation_routes, upload_routes
from soid.web.api.error_responses import PROBLEMS, handle_errors
from soid.web.desk import Desk

_ABOUT = """
What `soid serve` does, for programs. Whatever takes a while is a job: its address says how far it is, its events
(`/api/jobs/{id}/events`) follow it. Whatever changes something is sent with the header `x-soid: 1`. Where the server
demands a token, it is sent as a bearer token.
"""


def api(desk: Desk) -> FastAPI:
    """An application that serves the API, to be mounted under /api."""
    app = FastAPI(
        title="soid",
        summary="Puts decision programs on the stand: did it, would it, might it? Answered with proof.",
        description=_ABOUT,
        openapi_url="/openapi.json",
        docs_url=None,  # it loads scripts from another server, and soid works offline
        redoc_url=None,
    )
    app.state.desk = desk
    handle_errors(app)
    for part in (case_routes, upload_routes, simulation_routes, record_routes, bundle_routes, job_routes):
        app.include_router(part.router, responses=PROBLEMS)
    for router in (record_routes.asking, record_routes.files):
        app.include_router(router, responses=PROBLEMS)
    return app
