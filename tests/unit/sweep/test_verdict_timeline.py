"""What stands out in a sweep, and in which order."""

from soid.oracle.answer import Verdict
from soid.sweep.sweep_row import SweepRow
from soid.sweep.verdict_timeline import lanes, standing_out

YES, NO = Verdict.YES, Verdict.NO


def row(log, step, verdict, *changed, question="q"):
    return SweepRow(log, step, question, verdict, "", changed, {}, 0.0)


def found(rows):
    return [(each.log, each.step, each.why.value) for each in standing_out(rows)]


def test_a_verdict_turns_within_its_log_and_its_question_alone():
    rows = [row("a", 1, YES), row("b", 1, NO), row("a", 2, NO, question="p"), row("a", 7, YES), row("b", 2, YES)]
    assert found(rows) == [("b", 2, "turn")]


def test_the_nearest_scenarios_stand_out_only_among_others():
    assert found([row("a", 1, YES, "x"), row("a", 2, YES, "y")]) == []
    assert found([row("a", 1, YES, "x", "z"), row("a", 2, YES, "y"), row("a", 3, YES)]) == [("a", 2, "nearest")]
    unknown = row("a", 2, Verdict.UNKNOWN, "y")  # what an unknown shows is no scenario of an answer
    assert ("a", 2, "nearest") not in found([row("a", 1, YES, "x", "z"), unknown, row("a", 3, YES, "x", "z")])


def test_a_log_that_could_not_be_read_is_in_no_lane():
    assert lanes([row("a", None, Verdict.ERROR)]) == () and standing_out([row("a", None, Verdict.ERROR)]) == ()


def test_stretches_of_a_lane_have_each_row_once():
    (lane,) = lanes([row("a", step, YES) for step in range(1000)])
    for most in (1, 7, 320, 1000, 5000):
        cells = lane.cells(most)
        assert len(cells) == min(most, 1000)
        assert [each.step for cell in cells for each in cell] == list(range(1000))
