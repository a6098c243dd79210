"""The pages, added to the application that serves the API: what is at which address."""

from __future__ import annotations

from fastapi import FastAPI
from nicegui import ui

from soid.web.desk import Desk
from soid.web.nonces import use_nonces


def add_pages(app: FastAPI, desk: Desk) -> None:
    """Serve the pages of a desk; once a process, because NiceGUI has one application."""
    use_nonces()

    @ui.page("/")
    def index() -> None:
        for card in desk.cases():
            ui.link(card.title, f"/cases/{card.id}")

    ui.run_with(app, title="soid", dark=None, tailwind=False, show_welcome_message=False)
