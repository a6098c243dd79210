"""The page of a case: its panels, in the order in which a person meets them.

A panel is a class that takes the Session. Each hears of what it needs and knows no other; to add one, write it here.
"""

from __future__ import annotations

from soid.web.page import parts
from soid.web.page.answering import Answering
from soid.web.page.asking import Asking
from soid.web.page.decision_map import DecisionMapPanel
from soid.web.page.editor import Editor
from soid.web.page.facts import Facts
from soid.web.page.header import Header
from soid.web.page.keeping import Keeping
from soid.web.page.notices import Notices
from soid.web.page.scene_panel import ScenePanel
from soid.web.page.session import Session
from soid.web.page.what_if import WhatIf


def case_page(session: Session) -> None:
    """All of it."""
    Header(session)
    Notices(session)
    Keeping(session)
    with parts.box("div", "main case" if session.scene is not None else "main case no-scene"):
        with parts.box("div", "column what-happened"):
            ScenePanel(session)
            Editor(session)
        with parts.box("div", "column questions"):
            WhatIf(session)
            Asking(session)
            Answering(session)
            DecisionMapPanel(session)
        with parts.box("div", "column record"):
            Facts(session)
