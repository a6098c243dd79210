"""The server: API and pages behind one gate."""

from __future__ import annotations

from starlette.types import ASGIApp

from soid.web.access import Access
from soid.web.api.routes import api
from soid.web.desk import Desk
from soid.web.security import Gate


def make_app(desk: Desk, access: Access, *, pages: bool = True) -> ASGIApp:
    """What is served; without pages, the API alone. Pages can be made once a process."""
    app = api(desk)
    if pages:
        from soid.web.page.pages import add_pages

        add_pages(app, desk)
    return Gate(app, access)
