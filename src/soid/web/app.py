"""The server: API and pages behind one gate."""

from __future__ import annotations

from fastapi import FastAPI
from starlette.types import ASGIApp

from soid.web.access import Access
from soid.web.api.failing import handle_errors
from soid.web.api.routes import api
from soid.web.desk import Desk
from soid.web.security import Gate


def make_app(desk: Desk, access: Access, *, pages: bool = True) -> ASGIApp:
    """What is served; without pages, the API alone. Pages can be made once a process."""
    app = FastAPI(openapi_url=None)
    handle_errors(app)
    app.mount("/api", api(desk))  # on its own, so that what it does not know is refused in its own words
    if pages:
        from soid.web.page.pages import add_pages
        from soid.web.signatures import remember_signatures

        remember_signatures()
        add_pages(app, desk)
    return Gate(app, access)
