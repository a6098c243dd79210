"""A moment is given as people who work with data have it: each means the step in force then, or says why it cannot."""

from __future__ import annotations

import shutil
from datetime import UTC, date, datetime, timedelta
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import soid
from soid.errors import KeyframeError
from soid.scenario.moment_value import typed_moment

START = pd.Timestamp("2026-05-09T15:00:44.25", tz="UTC")


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The microwave, with a log that says when its five steps were logged: 1.5 s apart."""
    place = tmp_path_factory.mktemp("oven") / "oven"
    shutil.copytree(soid.example("microwave"), place)
    manifest = (place / "soid.toml").read_text().replace("[trace]", '[trace]\ntime = { column = "t", unit = "iso" }')
    (place / "soid.toml").write_text(manifest)
    frame = pd.read_json(place / "log.jsonl", lines=True)
    frame["t"] = START + pd.to_timedelta(frame["step"] * 1.5, unit="s")
    frame.to_json(place / "log.jsonl", orient="records", lines=True, date_format="iso", date_unit="ns")
    return place


@pytest.fixture(scope="module")
def timed(folder: Path) -> soid.Project:
    return soid.open(folder)


@pytest.mark.parametrize(
    "moment",
    [
        2,
        np.int64(2),
        "3.2s",
        3.2,
        np.float32(3.0),
        timedelta(seconds=3),
        pd.Timedelta("3.2s"),
        np.timedelta64(3_000_000_001, "ns"),
        np.timedelta64(3200, "ms"),
        pl.Series([timedelta(seconds=4)])[0],
        START + pd.Timedelta("3s"),
        (START + pd.Timedelta("3s")).to_pydatetime(),
        (START + pd.Timedelta("4s")).tz_convert("Asia/Tokyo"),
        pl.Series([(START + pd.Timedelta("3s")).to_pydatetime()])[0],
    ],
    ids=repr,
)
def test_every_form_means_the_step_in_force_then(moment: Any, timed: soid.Project) -> None:
    assert timed.at(moment).logged.step == 2


@pytest.mark.parametrize("zone", [None, "Asia/Tokyo"])
def test_what_a_data_frame_has_finds_the_step_again(folder: Path, zone: str | None) -> None:
    """The log is a table, whose timestamps are seconds since 1970, and its own times are the moments."""
    manifest = (folder / "soid.toml").read_text().replace('unit = "iso"', 'unit = "s"')
    (folder / "table.toml").write_text(manifest)
    frame = pd.read_json(folder / "log.jsonl", lines=True)
    frame["t"] = pd.to_datetime(frame["t"]).dt.tz_convert(zone)
    project = soid.open(folder / "table.toml", trace=frame, step=frame["t"].iloc[4])
    assert project.logged.step == 4
    for times in (frame["t"], frame["t"].to_numpy(), (frame["t"] - frame["t"].iloc[0]).to_numpy()):
        assert [project.at(each).logged.step for each in times] == [0, 1, 2, 3, 4]


def test_a_case_and_a_question_take_them_too(folder: Path, tmp_path: Path) -> None:
    with soid.Case.create(tmp_path / "oven.case", folder) as case:
        assert case.ask("did heat", step=timedelta(seconds=3.1)).entry.step == 2
        assert case.keyframe(1.6, "soon").payload["step"] == 1
        with pytest.raises(KeyframeError, match="is no step"):
            case.moment([])  # type: ignore[arg-type]
    v = soid.open(folder).variables
    asked = soid.might(v.action == "CLOSE", steps=soid.within(3)).given(soid.at_step(timedelta(minutes=1), v.error))
    assert repr(asked) == "Query('might action == CLOSE within 3 steps if error at 60s')"


@pytest.mark.parametrize(
    ("moment", "problem", "remedy"),
    [
        (7.25, "has no step at 7.25s", "Its times go from 0 s to 6 s since its first row"),
        (-0.5, "-0.5 s is before the log's first row", "Give the time since that row"),
        (float("nan"), "nan is no step", "a timedelta, a datetime, or seconds"),
        (float("inf"), "inf is no step", "a timedelta, a datetime, or seconds"),
        (pd.NaT, "@NaT: expected a date", "Write it as the log does: @2026-05-09T15:00:44.25"),
        (date(2026, 5, 9), "datetime.date(2026, 5, 9) is no step", "a timedelta"),
        (np.timedelta64(5, "ps"), "is no step", "a timedelta"),
        ([3], "[3] is no step", "Give a step's number"),
        (datetime(2026, 5, 9, 15, 0, 47), "cannot be compared with the dates of the log", "as the log does"),
        (datetime(2025, 5, 9, tzinfo=UTC), "has no step at", "Its times go from"),
    ],
    ids=repr,
)
def test_what_is_no_moment_of_the_log_says_why(moment: Any, problem: str, remedy: str, timed: soid.Project) -> None:
    with pytest.raises(KeyframeError) as raised:
        timed.at(moment)
    assert problem in raised.value.cause and remedy in raised.value.remedy


@pytest.mark.parametrize("moment", [2.0, timedelta(seconds=2), datetime(2026, 5, 9, tzinfo=UTC)], ids=repr)
def test_a_log_without_times_says_so(moment: Any) -> None:
    with pytest.raises(KeyframeError, match="does not say when its steps were logged") as raised:
        soid.open(soid.example("microwave"), step=moment)
    assert "Give the number of a step" in raised.value.remedy


@settings(max_examples=30)
@given(st.integers(0, 10**15))
def test_a_timedelta_of_pandas_is_exact(nanoseconds: int) -> None:
    text = typed_moment(pd.Timedelta(nanoseconds, "ns"))
    assert isinstance(text, str) and Fraction(text.removesuffix("s")) == Fraction(nanoseconds, 10**9)
