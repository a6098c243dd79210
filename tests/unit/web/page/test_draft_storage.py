"""The question under way, kept and given back: what fits, and what does not."""

from __future__ import annotations

import json
from collections.abc import Iterator

import pytest

from soid.case.case import Case
from soid.examples import folder
from soid.query.query import QueryKind
from soid.query.steps import Over
from soid.scenario.future import Future
from soid.web.desk import Desk
from soid.web.page.draft_steps import SpanKind, StepSpan
from soid.web.page.draft_storage import kept, restore
from soid.web.page.session import Session
from soid.web.page.supposition_draft import How
from tests.unit.web.conftest import page_on


@pytest.fixture(scope="module")
def desk(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Desk]:
    place = tmp_path_factory.mktemp("desk")
    Case.create(place / "oven.case", folder("microwave")).close()
    with Desk(place, cores=1) as opened:
        yield opened


@pytest.fixture
def session(desk: Desk) -> Session:
    return page_on(desk, "oven", "ada")


def test_what_is_kept_comes_back(desk: Desk, session: Session) -> None:
    session.draft.kind, session.draft.behavior = QueryKind.WOULD, "action == CANCEL"
    session.draft.suppose("heat", How.ANYTHING)
    session.draft.suppose("", How.FORMULA, "error or closed")
    session.seek(1)
    again = page_on(desk, "oven", "ben")
    assert restore(again, kept(session))
    assert again.draft.read().text == session.draft.read().text != ""
    assert again.keyframe.step == session.keyframe.step == 1
    assert kept(again) == kept(session)


def test_steps_and_the_world_come_back(desk: Desk, session: Session) -> None:
    draft = session.draft
    draft.over, draft.count, draft.future = Over.WITHIN, "3", Future.HELD
    draft.kind, draft.behavior = QueryKind.MIGHT, "action == CANCEL"
    draft.time(draft.suppose("error", How.ANYTHING).id, StepSpan(SpanKind.FROM_TO, "4", "5"))
    again = page_on(desk, "oven", "ben")
    assert restore(again, kept(session)) and kept(again) == kept(session)
    wanted = "might action == CANCEL within 3 steps held if error is anything from step 4 to step 5"
    assert again.draft.read().text == wanted


def test_a_did_that_leaves_something_out_comes_back_as_one(desk: Desk, session: Session) -> None:
    session.draft.suppose("heat", How.ANYTHING)
    session.draft.kind = QueryKind.DID
    again = page_on(desk, "oven", "ben")
    assert restore(again, kept(session)) and again.draft.kind is QueryKind.DID


def _state(**other: object) -> str:
    fitting = {"log": "microwave/log.jsonl", "step": 3, "kind": "might", "behavior": "decides", "supposed": []}
    return json.dumps({**fitting, "over": None, "count": "", "future": "as logged", **other})


def test_what_does_not_fit_changes_nothing(session: Session) -> None:
    before = kept(session)
    log = session.log
    heat = {"how": "anything", "path": "heat", "values": [], "span": ["", "", "", "", "==", ""]}
    wrong = [
        "",
        "{",
        "[]",
        "null",
        "[" * 50_000,
        7,
        None,
        {"log": log},
        "x" * 200_000,
        _state(log="another.jsonl"),
        _state(log=log, step=99),
        _state(log=log, step="3"),
        _state(log=log, kind="maybe"),
        _state(log=log, behavior=7),
        _state(log=log, supposed=[{**heat, "path": "nobody"}]),
        _state(log=log, supposed=[{**heat, "how": "eval"}]),
        _state(log=log, supposed=[{**heat, "values": [7]}]),
        _state(log=log, supposed=[{**heat, "path": ""}]),
        _state(log=log, supposed=7),
        _state(log=log, supposed=[{**heat, "span": ["at", 3, "", "", "==", ""]}]),
        _state(log=log, supposed=[{**heat, "span": ["during", "3", "", "", "==", ""]}]),
        _state(log=log, supposed=[{**heat, "span": ["until", "", "", "action", "=", "CANCEL"]}]),
        _state(log=log, supposed=[{**heat, "span": ["until", "", "", "action", "==", 3]}]),
        _state(log=log, supposed=[{**heat, "span": []}]),
        _state(log=log, over="during"),
        _state(log=log, over="within", count=2),
        _state(log=log, future="likely"),
    ]
    for text in wrong:
        assert not restore(session, text), text
        assert kept(session) == before
    assert restore(session, _state(log=log, supposed=[heat]))
    assert session.draft.read().text == "might decides if heat is anything"
