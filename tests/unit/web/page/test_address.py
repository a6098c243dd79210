"""The address of a page: what it shows elsewhere is what was shown here, and no address does any harm."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from soid.case.case import Case
from soid.examples import folder
from soid.web.desk import Desk
from soid.web.page.address import address_of, follow, open_at, read_address
from soid.web.page.draft_storage import kept, restore
from soid.web.page.session import Session
from soid.web.page.supposition_draft import How
from tests.unit.web.conftest import page_on

QUESTION = "might action == CANCEL if heat is anything"


@pytest.fixture(scope="module")
def desk(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Desk]:
    place = tmp_path_factory.mktemp("desk")
    with Case.create(place / "oven.case", folder("microwave")) as case:
        case.ask(QUESTION, step=2)
    with Desk(place, cores=1) as opened:
        yield opened


@pytest.fixture
def session(desk: Desk) -> Session:
    return page_on(desk, "oven", "ada")


def elsewhere(desk: Desk, session: Session) -> Session:
    """The page that somebody else opens with the address of this one."""
    other = page_on(desk, "oven", "ben")
    open_at(other, read_address(f"?{address_of(session)}"))
    assert other.notices == ()
    assert address_of(other) == address_of(session)
    return other


def test_a_page_as_the_case_begins_has_no_more_than_its_case(session: Session) -> None:
    assert address_of(session) == ""


def test_a_draft_is_the_same_elsewhere(desk: Desk, session: Session) -> None:
    session.seek(1)
    session.paste('would action == "CANCEL" and 1 < 2 if heat is anything and (error or closed)')
    other = elsewhere(desk, session)
    assert other.draft.read().text == session.draft.read().text
    assert other.keyframe.step == session.keyframe.step == 1
    assert not other.history.can_undo  # it was composed elsewhere


def test_an_entry_is_shown_elsewhere_at_its_moment_with_its_question(desk: Desk, session: Session) -> None:
    session.open_entry(3)
    assert address_of(session) == "entry=3"
    other = elsewhere(desk, session)
    assert other.shown is not None and other.shown.entry.number == 3
    assert other.keyframe.step == 2 and other.draft.read().text == QUESTION


def test_back_and_forward(session: Session) -> None:
    session.paste(QUESTION)
    session.seek(1)
    before = address_of(session)
    session.open_entry(3)
    follow(session, read_address(f"?{before}"))
    assert session.shown is None and session.keyframe.step == 1 and address_of(session) == before


def test_what_cannot_be_asked_yet_is_not_in_the_address_and_comes_back_in_the_same_tab(
    desk: Desk, session: Session
) -> None:
    session.seek(1)
    session.draft.suppose("heat", How.ONE_OF)
    session.changed()
    stored = kept(session)
    other = page_on(desk, "oven", "ben")
    open_at(other, read_address(address_of(session)))
    assert other.draft.supposed == ()
    assert restore(other, stored) and other.draft.supposed == session.draft.supposed
    stale = page_on(desk, "oven", "ben")
    open_at(stale, {"entry": "3"})  # a link that leads elsewhere counts for more than what the tab has
    assert not restore(stale, stored)


@pytest.mark.parametrize(
    ("address", "told"),
    [
        ("entry=7", "no entry 7"),
        ("entry=1", "no answer"),
        ("entry=-1", "no number"),
        ("entry=3%00", "no number"),
        ("entry=" + "9" * 5000, "no number"),
        ("step=99", "99"),
        ("step=yesterday", "yesterday"),
        ("step=" + "9" * 6000, ""),
        ("log=../../etc/passwd", "passwd"),
        ("ask=would+action", "would"),
        ("ask=" + "x" * 30_000, "30000"),
        ("ask=%3Cscript%3E", "script"),
        ("ask=" + "(" * 10_000, ""),
        ("step=1&ask=nonsense", "nonsense"),
    ],
)
def test_what_is_stale_or_hostile_becomes_a_notice(session: Session, address: str, told: str) -> None:
    open_at(session, read_address(address))
    (notice,) = session.notices
    assert told in f"{notice.cause} {notice.remedy}"
    assert session.shown is None
    assert session.keyframe.step == (1 if "step=1&" in address else 3)


@settings(max_examples=200, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.dictionaries(st.sampled_from(["entry", "step", "log", "ask", "token"]), st.text(max_size=30), max_size=4))
def test_no_address_is_a_traceback(session: Session, said: dict[str, str]) -> None:
    open_at(session, said)
    assert read_address(address_of(session)) is not None


@given(st.text(max_size=60))
def test_whatever_an_address_is_it_is_read(text: str) -> None:
    assert isinstance(read_address(text), dict)
