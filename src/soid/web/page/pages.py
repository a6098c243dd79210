"""The addresses of the pages, the styles that every page loads, and the order of the panels on the page of a case."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from pathlib import Path
from typing import Final

from fastapi import FastAPI, Request
from fastapi.middleware.gzip import GZipMiddleware
from fastapi.responses import Response
from nicegui import Client, run, ui
from nicegui import app as pages_app

from soid.case.case_script import HeldScript
from soid.errors import NotOnDesk, SoidError
from soid.examples import simulations
from soid.examples.simulation import Simulation
from soid.explanation.ways import ways_svg
from soid.mapping import map_palette
from soid.mapping.bars import bars_svg
from soid.scene import log_svg
from soid.scene.vector import style as scene_style
from soid.scene.vector.style import Theme
from soid.visible_text import visible
from soid.web.desk import Desk
from soid.web.desk_service import DeskService
from soid.web.nicegui_patches import patch_nicegui
from soid.web.page import parts
from soid.web.page.abstraction_page import AbstractionPage
from soid.web.page.address import keep_address, open_at
from soid.web.page.answer_panel import AnswerPanel
from soid.web.page.ask_panel import AskPanel
from soid.web.page.case_header import CaseHeader, Notices
from soid.web.page.case_notes import CaseNotes
from soid.web.page.compare_panel import compare_moments, compare_programs
from soid.web.page.comparison_panel import ComparisonPanel
from soid.web.page.draft_storage import store_draft
from soid.web.page.facts_panel import FactsPanel
from soid.web.page.guided_panel import GuidedPanel
from soid.web.page.help_page import help_page
from soid.web.page.index_page import IndexPage
from soid.web.page.map_panel import MapPanel
from soid.web.page.new_case_page import NewCasePage
from soid.web.page.run_draft import RunDraft
from soid.web.page.scene_panel import ScenePanel
from soid.web.page.scripts_panel import ScriptsPanel
from soid.web.page.session import Session
from soid.web.page.simulation_page import SimulationPage, run_title
from soid.web.page.story_panel import StoryPanel
from soid.web.page.sweep_panel import SweepPanel
from soid.web.page.text_question_panel import TextQuestionPanel
from soid.web.page.told_error import told_error
from soid.web.page.tour import QUERY
from soid.web.page.variable_editor import VariableEditor
from soid.web.page.verify_page import VerifyPage
from soid.web.page.what_if_panel import WhatIfPanel
from soid.web.user import UserRole

_STATIC: Final = Path(__file__).with_name("static")
_ADDRESS: Final = "/page-files"
_THEMES: Final[tuple[Theme, Theme]] = ("light", "dark")
_ICON: Final = (
    '<svg viewBox="0 0 32 32" xmlns="http://www.w3.org/2000/svg"><rect width="32" height="32" rx="6" fill="#1d4f8c"/>'
    '<path d="M9 17l5 5l9-11" fill="none" stroke="#fff" stroke-width="3.4" stroke-linecap="round"/></svg>'
)


def add_pages(app: FastAPI, desk: Desk) -> None:
    """Add the pages to a server; a process can do this once."""
    patch_nicegui()
    styles = {
        "scene.css": scene_style.style,
        "map.css": map_palette.style,
        "log.css": log_svg.style,
        "bars.css": bars_svg.style,
        "ways.css": ways_svg.style,
    }
    for name in ("page.css", *styles):  # one for the page, others for its drawings
        ui.add_head_html(f'<link rel="stylesheet" href="{_ADDRESS}/{name}">', shared=True)
    pages_app.add_static_file(local_file=_STATIC / "page.css", url_path=f"{_ADDRESS}/page.css", max_cache_age=0)
    for name, style in styles.items():
        pages_app.add_api_route(f"{_ADDRESS}/{name}", partial(_drawing_style, style), response_model=None)

    @ui.page("/", title="Cases · soid")
    def index(request: Request) -> None:
        IndexPage(_of_user(desk, request))

    @ui.page("/case/{case_id}", title="soid", response_timeout=60.0)
    async def case(case_id: str, request: Request) -> None:
        own = _of_user(desk, request)
        try:
            session = await run.io_bound(lambda: _session(own, case_id, dict(request.query_params)))
            assert session is not None
            scripts = await run.io_bound(session.service.scripts)
        except SoidError as error:
            ui.context.client.status_code = 404 if isinstance(error, NotOnDesk) else 409
            _refused(error)
            return
        ui.page_title(visible(f"{session.case.title or case_id} · soid"))
        _case_page(session, scripts or (), toured=QUERY in request.query_params)

    @ui.page("/case/{case_id}/abstraction", title="Abstraction · soid", response_timeout=60.0)
    async def abstraction(case_id: str, request: Request) -> None:
        try:
            opened = await run.io_bound(partial(_of_user(desk, request).open, case_id))
            assert opened is not None
        except SoidError as error:
            ui.context.client.status_code = 404 if isinstance(error, NotOnDesk) else 409
            _refused(error)
            return
        AbstractionPage(opened)

    @ui.page("/verify", title="Check evidence · soid")
    def verify(request: Request) -> None:
        own = _of_user(desk, request)
        try:
            own.user.require(UserRole.ASK)
            VerifyPage(own)
        except SoidError as error:
            _refused(error)

    _add_help(desk)

    @pages_app.exception_handler(404)
    def lost(request: Request, error: Exception) -> Response:
        with Client(ui.page("", title="soid"), request=request) as client:
            _refused(NotOnDesk("there is no such page", "The list of cases leads to all that there are."))
        return client.build_response(request, 404)

    for simulation in simulations():
        _add_simulation(desk, simulation)

    @ui.page("/new", title="New case · soid")
    def new_case(request: Request) -> None:
        try:
            NewCasePage(_of_user(desk, request))
        except SoidError as error:
            _refused(error)

    # The secrets of a page, a nonce and an id, are new each time, so its length after compression betrays none of them.
    pages_app.add_middleware(GZipMiddleware, compresslevel=6)
    ui.run_with(
        app,
        title="soid",
        favicon=_ICON,
        dark=False,
        language="en-US",
        tailwind=False,
        gzip_middleware_factory=None,  # it has no say in the level, nor is it there while tests run
        show_welcome_message=False,
        reconnect_timeout=30.0,
    )


def _of_user(desk: Desk, request: Request) -> DeskService:
    """The desk for the user whose token the gate has seen."""
    return DeskService(desk, request.state.user)


def _session(desk: DeskService, case_id: str, said: Mapping[str, str]) -> Session:
    """A session that shows what the address says."""
    session = Session(desk, desk.open(case_id))
    open_at(session, said)
    return session


def _add_help(desk: Desk) -> None:
    @ui.page("/help", title="Help · soid")
    def page(request: Request) -> None:
        cases = [card.id for card in _of_user(desk, request).cases() if not card.problem]
        asked = request.query_params.get("case")
        help_page(asked if asked in cases else next(iter(cases), None))


def _add_simulation(desk: Desk, simulation: Simulation) -> None:
    @ui.page(f"/{simulation.example}", title=f"{run_title(simulation)} · soid", response_timeout=120.0)
    async def page(request: Request) -> None:
        draft = await run.io_bound(partial(RunDraft, simulation))  # the first one compiles the example's program
        assert draft is not None
        SimulationPage(_of_user(desk, request), draft)


def _case_page(session: Session, scripts: tuple[HeldScript, ...], *, toured: bool) -> None:
    """The panels. Each takes the session, subscribes to the changes that it needs, and knows no other panel."""
    parts.link("Skip to the question", "#ask", "skip")
    with parts.box("div", "workbench"):
        CaseHeader(session)
        Notices(session)
        keep_address(session)
        store_draft(session)
        StoryPanel(session, toured=toured)
        with parts.box("div", "main case"):
            GuidedPanel(session, has_scripts=bool(scripts))
            with parts.box("div", "column what-happened"):
                ScenePanel(session)
                MapPanel(session)
            with parts.box("div", "column questions"):
                VariableEditor(session)
                with parts.box("div", "composer"):
                    WhatIfPanel(session)
                    AskPanel(session)
                    TextQuestionPanel(session)
                    if session.interface.programs:
                        parts.link("Compare the programs, side by side ▾", "#programs", "button")
            with parts.box("div", "column record"):
                AnswerPanel(session)
                with parts.box("div", "kept"):
                    FactsPanel(session)
                    CaseNotes(session)
                    ComparisonPanel(session)
    with parts.box("div", "main whole"):  # as wide as all columns, below them
        if scripts:
            ScriptsPanel(session, scripts)
        if session.interface.programs:
            compare_programs(session)
        if len(session.trace) > 1:
            compare_moments(session)
            SweepPanel(session)


def _drawing_style(style: Callable[[Theme], str]) -> Response:
    """A drawing's colours: light, or dark if the system or the reader prefers it; on paper always light."""
    light, dark = (style(theme).removeprefix("<style>").removesuffix("</style>") for theme in _THEMES)
    preferred = f"@media screen and (prefers-color-scheme: dark) {{ html:not([data-theme=light]) {{ {dark} }} }}\n"
    chosen = f"@media screen {{ html[data-theme=dark] {{ {dark} }} }}\n"
    return Response(light + preferred + chosen, media_type="text/css")


def _refused(error: SoidError) -> None:
    with parts.box("div", "main index"), parts.box("section", "card"):
        parts.text("This cannot be opened", tag="h1")
        told = told_error(error)
        parts.text(told.cause, tag="p")
        parts.text(told.remedy, "dim", tag="p")
        parts.link("To the list of cases", "/")
