"""The page of a case: the order of its panels.

A panel is a class that takes the Session. It subscribes to the changes that it needs and knows no other panel.
"""

from __future__ import annotations

from soid.web.page import parts
from soid.web.page.answer_panel import AnswerPanel
from soid.web.page.ask_panel import AskPanel
from soid.web.page.case_header import CaseHeader, Notices
from soid.web.page.draft_storage import store_draft
from soid.web.page.facts_panel import FactsPanel
from soid.web.page.map_panel import MapPanel
from soid.web.page.scene_panel import ScenePanel
from soid.web.page.session import Session
from soid.web.page.variable_editor import VariableEditor
from soid.web.page.what_if_panel import WhatIfPanel


def case_page(session: Session) -> None:
    """Build the panels."""
    CaseHeader(session)
    Notices(session)
    store_draft(session)
    with parts.box("div", "main case" if session.scene is not None else "main case no-scene"):
        with parts.box("div", "column what-happened"):
            ScenePanel(session)
            VariableEditor(session)
        with parts.box("div", "column questions"):
            WhatIfPanel(session)
            AskPanel(session)
            AnswerPanel(session)
            MapPanel(session)
        with parts.box("div", "column record"):
            FactsPanel(session)
