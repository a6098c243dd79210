"""The picture of a sweep says in titles what it shows, and is well-formed whatever the names are."""

import re
from xml.etree import ElementTree

from soid.oracle.answer import Verdict
from soid.sweep.sweep_row import SweepRow
from soid.sweep.timeline_svg import timeline_svg
from soid.sweep.verdict_timeline import lanes


def drawn(verdicts, log="a.csv"):
    rows = [SweepRow(log, at, "q", each, "", (), {}, 0.0) for at, each in enumerate(verdicts)]
    picture = timeline_svg(lanes(rows), {"q": "Did it <brake>?"}, heading="Sweep")
    ElementTree.fromstring(picture)
    return picture


def titles(picture):
    return re.findall(r"<title>(step[^<]*)</title>", picture)


def test_moments_with_one_verdict_beside_each_other_are_one_stretch():
    picture = drawn([Verdict.YES, Verdict.YES, Verdict.NO, Verdict.UNKNOWN])
    assert titles(picture) == ["steps 0 to 1: yes", "step 2: no", "step 3: unknown"]
    assert "Did it &lt;brake&gt;?" in picture and "2 yes, 1 no, 1 unknown" in picture


def test_many_moments_are_drawn_by_shares():
    picture = drawn([Verdict.YES, Verdict.NO] * 2000)
    assert len(titles(picture)) == 320 and titles(picture)[0] == "steps 0 to 11: 6 yes, 6 no"


def test_names_of_logs_are_texts():
    several = [SweepRow(log, 1, "q", Verdict.YES, "", (), {}, 0.0) for log in ("<x>.csv", "b & c.csv")]
    picture = timeline_svg(lanes(several), {}, heading="Sweep")
    ElementTree.fromstring(picture)
    assert "&lt;x&gt;.csv" in picture
