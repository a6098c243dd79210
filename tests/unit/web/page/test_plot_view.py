"""What a plot of the log shows: variables, steps, jumps."""

from __future__ import annotations

from functools import partial
from xml.etree import ElementTree as ET

from hypothesis import given
from hypothesis import strategies as st

from soid.program.interface import Interface, Role, Variable
from soid.program.types import BoolType, IntType
from soid.query.words import called
from soid.scenario.log_series import read_series
from soid.scenario.trace import Step, Trace
from soid.web.page.plot_view import PlotView

INTERFACE = Interface(
    (
        Variable("x", Role.ENVIRONMENT, IntType(16, signed=True), unit="m", label="the <way>"),
        Variable("still", Role.ENVIRONMENT, BoolType()),
        Variable("stop", Role.DECISION, BoolType()),
    )
)


def log(count: int = 100, apart: int = 1, start: int = 0) -> Trace:
    steps = (Step(start + apart * at, {"x": at, "still": 1}, {"stop": int(at % 40 >= 20)}) for at in range(count))
    return Trace(INTERFACE, tuple(steps))


def view(**given: int) -> PlotView:
    return PlotView(read_series(log(**given)))


def test_what_changes_is_chosen_first_and_what_was_chosen_before_is_kept() -> None:
    assert view().names == ("stop", "x")
    kept = PlotView(read_series(log()), ["still", "gone"])
    assert kept.names == ("still",) and "still = true, steps 0 to 99" in kept.figure({}, 500.0)  # it never changes
    kept.choose("stop", shown=True)
    kept.choose("still", shown=False)
    assert kept.names == ("stop",) and "still" not in kept.figure({}, 500.0)


actions = st.lists(
    st.tuples(st.just("show"), st.integers(-50, 400), st.integers(-50, 400))
    | st.tuples(st.just("zoom"), st.sampled_from([0.5, 2.0]), st.integers(0, 300))
    | st.tuples(st.just("follow"), st.integers(-50, 400), st.just(0)),
    max_size=8,
)


@given(actions, st.integers(1, 100), st.integers(1, 3))
def test_the_view_stays_within_the_log_and_a_step_that_is_followed_is_in_it(given, count: int, apart: int) -> None:
    shown = view(count=count, apart=apart)
    for what, one, other in given:
        if what == "show":
            shown.show(one, other)
        elif what == "zoom":
            inside = min(max(other, shown.first), shown.last)
            shown.zoom(one, other)
            assert shown.first <= inside <= shown.last
        else:
            span = shown.last - shown.first
            moved = shown.follow(one)
            assert shown.last - shown.first == span
            assert (shown.first <= one <= shown.last) is shown.has(one) or not moved
        assert 0 <= shown.first <= shown.last <= (count - 1) * apart


def test_zooming_in_and_out_again_shows_everything() -> None:
    shown = view()
    for _ in range(10):
        shown.zoom(0.5, 70)
    assert 4 <= shown.last - shown.first + 1 <= 12 and shown.first <= 70 <= shown.last
    for _ in range(10):
        shown.zoom(2.0, 70)
    assert shown.is_whole


def test_changes_are_found_in_both_directions() -> None:
    shown = view()
    assert [shown.change(["stop"], at, forward=True) for at in (0, 20, 39, 99)] == [20, 40, 40, None]
    assert [shown.change(["stop"], at, forward=False) for at in (99, 40, 20, 0)] == [80, 20, None, None]


def test_the_drawing_is_as_wide_as_there_is_room_and_its_words_are_text() -> None:
    shown = view()
    shown.show(10, 59)
    drawn = ET.fromstring(shown.figure({30: "it <stops>", 99: "later"}, 500.0, partial(called, interface=INTERFACE)))
    assert drawn.get("width") == "500"
    words = "".join(drawn.itertext())
    assert "the <way>" in words and "30 it <stops>" in words and "later" not in words
    frame = next(each for each in drawn.iter() if each.get("data-first") is not None)
    assert (frame.get("data-first"), frame.get("data-last"), frame.get("data-left")) == ("10", "59", "10")
    assert [each.get("data-now") for each in drawn.iter() if each.get("data-now")] == ["stop", "x"]
    assert len(view(count=40_000).figure({}, 500.0)) < 1.2 * len(view(count=20_000).figure({}, 500.0))
