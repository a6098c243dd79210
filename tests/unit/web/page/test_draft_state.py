"""What was composed can be undone and done again, in the steps in which it was meant."""

from __future__ import annotations

from msgspec.structs import replace

from soid.query.query import QueryKind
from soid.web.page.draft_state import DraftHistory, DraftState
from soid.web.page.supposition_draft import How, SuppositionDraft
from tests.clock import Clock

FIRST = DraftState(QueryKind.WOULD, "move")


def at(x: str, z: str = "2") -> DraftState:
    """A car that was put somewhere."""
    places = (SuppositionDraft(1, How.EXACTLY, "x", (x,)), SuppositionDraft(2, How.EXACTLY, "z", (z,)))
    return replace(FIRST, supposed=places)


def undone(history: DraftHistory) -> list[DraftState]:
    found = []
    while (state := history.undo()) is not None:
        found.append(state)
    return found


def test_what_is_typed_into_one_field_is_one_change() -> None:
    clock = Clock()
    history = DraftHistory(FIRST, clock.monotonic)
    for typed in ("not move", "not move o", "not move or", "not move or"):
        clock.forward(5.0)
        history.note(replace(FIRST, behavior=typed))
    clock.forward(5.0)
    history.note(replace(FIRST, behavior="brake"))  # pasted over it
    assert [state.behavior for state in undone(history)] == ["not move or", "not move", "move"]


def test_two_drags_are_two_changes_and_nudges_in_a_row_are_one() -> None:
    clock = Clock()
    history = DraftHistory(FIRST, clock.monotonic)
    for x in ("1.5", "2.125", "2.25", "2.375"):
        history.note(at(x))
        clock.forward(3.0 if x == "1.5" else 0.1)
    assert [state.supposed[0].values[0] for state in undone(history)[:-1]] == ["1.5"]
    history.redo()
    assert history.redo() == at("2.375") and history.redo() is None


def test_what_is_chosen_is_a_change_of_its_own() -> None:
    history = DraftHistory(FIRST, Clock().monotonic)
    history.note(might := replace(FIRST, kind=QueryKind.MIGHT))
    history.note(replace(might, behavior="not move"))
    history.note(replace(might, behavior="not move", count="3"))
    assert undone(history) == [replace(might, behavior="not move"), might, FIRST]


def test_what_was_undone_is_gone_after_another_change() -> None:
    history = DraftHistory(FIRST, Clock().monotonic)
    history.note(at("1.5"))
    history.undo()
    history.note(at("3.5"))
    assert not history.can_redo and undone(history) == [FIRST]
    assert not history.can_undo and history.can_redo


def test_only_so_many_are_kept() -> None:
    history = DraftHistory(FIRST, Clock(tick=2.0).monotonic)
    for number in range(100, 1000):
        history.note(at(f"{number}.25", z=f"{1000 - number}.5"))
    assert len(undone(history)) == 499
