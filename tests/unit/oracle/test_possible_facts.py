"""A moment of which not everything is known: what may have been is judged, also where the log was not checked."""

from __future__ import annotations

import dataclasses
import json
from pathlib import Path

from msgspec.structs import replace

from soid import Project, Verdict
from soid.oracle.pipeline import answer
from soid.oracle.reason import ReasonCode

PROGRAM = "static int bad; int decide(int gps) { bad = gps < 4 ? bad + 1 : 0; return bad < 0 ? 2 : gps > 1; }"
MANIFEST = """
[program]
engine = "c"
sources = ["p.c"]
entry = "decide"
[trace]
file = "log.jsonl"
[variables]
bad = { domain = [0, 20] }
"""


def test_a_log_that_was_not_checked_can_be_accepted(tmp_path: Path) -> None:
    (tmp_path / "p.c").write_text(PROGRAM)
    (tmp_path / "soid.toml").write_text(MANIFEST)
    (tmp_path / "log.jsonl").write_text(json.dumps({"gps": 3}) + "\n")
    project = Project.open(tmp_path)
    moment = dataclasses.replace(project.keyframe, unchecked="there was no time")
    assert moment.assumed == ("bad",)
    asked, context = project.checked("did return == 1"), project.context()
    withheld = answer(asked, moment, context)
    assert (withheld.verdict, withheld.reason_code) == (Verdict.UNKNOWN, ReasonCode.LOG_UNCHECKED)
    accepting = replace(context, settings=replace(context.settings, accept_log_mismatch=True))
    given = answer(asked, moment, accepting)
    assert (given.verdict, given.reason_code) == (Verdict.YES, ReasonCode.ASSUMED_ALIKE)
    assert given.witness is not None and given.heading(given.witness) == "What may have happened"
