"""A log of a model's categories: a value that is not modelled is no reason to refuse the rows beside it."""

from __future__ import annotations

from pathlib import Path
from typing import Literal

import pytest

from soid.errors import TraceError
from soid.program.interface import Interface, Role, Variable
from soid.program.trace_table import LogMapping
from soid.program.types import BoolType, EnumType, show
from soid.scenario.logs import text_log
from soid.scenario.trace import Trace
from soid.scenario.trace_reader import read

LOG = "k,ok\nu,true\nzzz,false\n,true\nv,true\nyyy,true\n"


def logged(folder: Path, other: int | None, text: str = LOG, written: Literal["text", ""] = "text") -> Trace:
    labels = (("u", 0), ("v", 1), ("MISSING", -1), *((("OTHER", other),) if other is not None else ()))
    kind = EnumType("k", 32, True, labels, (("u", 0), ("v", 1)), -1, other, written)
    interface = Interface((Variable("k", Role.ENVIRONMENT, kind), Variable("ok", Role.DECISION, BoolType())))
    (folder / "log.csv").write_text(text)
    return read(folder / "log.csv", interface, mapping=LogMapping(empty_is_missing=True))


def test_labels_that_training_has_not_seen_are_read_and_told(tmp_path: Path) -> None:
    trace = logged(tmp_path, -2)
    kind = trace.interface.variable("k").type
    assert [show(kind, step.inputs["k"]) for step in trace] == ["u", "OTHER", "MISSING", "v", "OTHER"]
    assert [step.decisions["ok"] for step in trace] == [1, 0, 1, 1, 1]
    (told,) = trace.warnings
    assert told.startswith("k is none of its labels in 2 steps, first at ")
    assert told.endswith("log.csv:3 (zzz, yyy): it is read as one that training has not seen")


@pytest.mark.parametrize("large", [False, True])
def test_a_row_that_is_not_modelled_is_the_only_one_that_cannot_be_asked_about(
    tmp_path: Path, large: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(text_log, "LARGE", 0 if large else text_log.LARGE)
    trace = logged(tmp_path, None)
    kind = trace.interface.variable("k").type
    assert [show(kind, trace.keyframe(step).inputs["k"]) for step in (0, 2, 3)] == ["u", "MISSING", "v"]
    with pytest.raises(TraceError, match=r"log.csv:3: k: expected one of u, v, MISSING, found 'zzz'") as caught:
        trace.keyframe(1)
    assert "Other steps can be asked about" in caught.value.remedy
    with pytest.raises(TraceError, match="found 'zzz'"):
        trace.keyframe(0).following(1)
    refused = trace.steps[1]
    assert refused.unlogged == ("k",) and not refused.decisions  # nothing is compared with a value that it has not had
    assert (trace.first, trace.last) == (0, 3)
    (told,) = trace.warnings[-1:]
    assert told.startswith("k is no category that is modelled in 2 steps, first at ") and "found 'zzz'" in told


def test_a_log_none_of_whose_rows_is_modelled_is_refused(tmp_path: Path) -> None:
    """Then the column is another one, or the manifest lacks its labels."""
    with pytest.raises(TraceError, match="found 'clerk'"):
        logged(tmp_path, None, "k,ok\nclerk,true\nnurse,false\n")
    with pytest.raises(TraceError, match="clerk is none of u, v"):
        logged(tmp_path, -2, "k,ok\nclerk,true\nnurse,false\n", written="")
