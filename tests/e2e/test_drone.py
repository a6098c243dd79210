"""The drone example: what its recorder kept, and what the program does from the state that it did not keep."""

from __future__ import annotations

import csv
import ctypes
import shutil
from collections.abc import Iterable
from fractions import Fraction
from pathlib import Path

import pytest

from soid.case.facts import fact_of
from soid.case.project import Project
from soid.documents import json_of
from soid.errors import QueryError
from soid.examples import folder
from soid.examples.drone import logs
from soid.examples.drone.logs import MODES, SWITCHES, Flight, Gps, Sensors
from soid.formula.softfloat import bits32_to_float
from soid.oracle.reason import ReasonCode
from soid.scenario.origin import Origin
from soid.scenario.typed_step import step_of

DRONE = folder("drone")
LOG = list(csv.DictReader((DRONE / "recorder.csv").read_text().splitlines()))
DECIDED = [f"MODE_{row['mode']}" for row in LOG]
FOOT = 0.3048  # m
LANDS = 237
LANDS_AFTER_TWO = "might return.mode == MODE_LAND after 2 steps if s.pilot in {PILOT_HOLD, PILOT_RTH}"


def perceived(step: int, *, pilot: str | None = None) -> Sensors:
    """What the log says of a step, with the pilot's switch elsewhere if it is given."""
    row = LOG[step]
    floats = float(row["batt_v"]), float(row["alt_ft"]) * FOOT, float(row["home_m"])
    switch = SWITCHES.index(pilot or f"PILOT_{row['switch']}")
    return Sensors(Gps(int(row["sats"]), float(row["hdop"])), *floats, switch, int(row["link_pct"]))


def modes(ticks: Iterable[Sensors], *, after: int = 0) -> list[str]:
    """What the compiled program decides at these ticks, after it has seen so many steps of the log."""
    flight = Flight()
    for step in range(after):
        flight.step(perceived(step))
    return [MODES[flight.step(s).mode] for s in ticks]


# --- what was recorded ----------------------------------------------------------------------------------------


def test_the_log_is_what_flying_writes_and_it_comes_down() -> None:
    flown = logs.fly()
    assert flown.recorder == (DRONE / "recorder.csv").read_text()
    assert flown.altitude == 0


def test_the_manifest_says_what_the_recorder_s_columns_are() -> None:
    """By the program's names and in its units: what was perceived, or all that the recorder writes alike."""
    trace = Project.open(DRONE).trace
    assert trace.warnings == () and [step.time for step in trace] == list(range(logs.STEPS))
    for step, s, row in zip(trace, logs.fly().perceived, LOG, strict=True):
        whole = {"s.gps.sats": s.gps.sats, "s.pilot": s.pilot, "s.link": s.link}
        assert {path: step.inputs[path] for path in whole} == whole
        assert step.decisions == {"return.mode": MODES.index(f"MODE_{row['mode']}")}
        floats = {
            "s.gps.hdop": (s.gps.hdop, float(row["hdop"]), 0.01),
            "s.battery": (s.battery, float(row["batt_v"]), 0.01),
            "s.altitude": (s.altitude, float(row["alt_ft"]) * FOOT, 0.01 * FOOT),
            "s.distance_home": (s.distance_home, float(row["home_m"]), 0.01),
        }
        assert step.rounded.keys() == floats.keys()
        for path, (exact, logged, width) in floats.items():
            around = step.rounded[path]
            low, high = bits32_to_float(around.low), bits32_to_float(around.high)
            assert low <= exact <= high and high - low <= width
            assert bits32_to_float(step.inputs[path]) == ctypes.c_float(logged).value


def test_the_lost_digits_change_no_decision_and_no_alarm() -> None:
    exact = logs.fly().perceived
    flight = Flight()
    flown = [flight.step(s) for s in exact]
    flight = Flight()
    seen = [flight.step(perceived(step)) for step in range(len(LOG))]
    assert [(c.mode, c.alarm) for c in seen] == [(c.mode, c.alarm) for c in flown]
    assert [MODES[c.mode] for c in seen] == DECIDED


def test_it_holds_hovers_and_lands() -> None:
    changes = [(step, now) for step, (was, now) in enumerate(zip(["", *DECIDED], DECIDED, strict=False)) if was != now]
    assert changes[-2:] == [(logs.GPS_FAILS, "MODE_HOVER"), (LANDS, "MODE_LAND")]


# --- the truth, by running the program natively ---------------------------------------------------------------


@pytest.mark.parametrize("pilot", ["PILOT_HOLD", "PILOT_RTH"])
def test_one_step_before_it_lands_the_count_of_bad_fixes_decides(pilot: str) -> None:
    """`might return.mode == MODE_LAND after 2 steps` at step 236: yes, and no for a count that begins there."""
    held = [perceived(LANDS - 1, pilot=pilot)] * 2
    assert modes(held, after=LANDS - 1) == ["MODE_HOVER", "MODE_LAND"]
    assert modes(held) == ["MODE_HOVER", "MODE_HOVER"]


def test_where_the_count_of_bad_fixes_decides() -> None:
    """For the same question, by the count at step 236: yes from 11 on, which it was, and no below."""
    held = [perceived(LANDS - 1, pilot="PILOT_RTH")] * 2  # a bad fix: seen so often, the count is as much
    assert [modes(held[:1] * count + held)[-1] for count in range(14)] == ["MODE_HOVER"] * 11 + ["MODE_LAND"] * 3


def test_in_the_gust_the_count_of_low_voltages_decides() -> None:
    """`would return.mode == MODE_RTH after 5 steps` at step 141, the gust going on: yes, and no from zero."""
    held = [perceived(141, pilot="PILOT_HOLD")] * 5
    assert modes(held, after=141)[-1] == "MODE_RTH"
    assert modes(held)[-1] == "MODE_HOLD"


def test_from_step_220_the_world_and_the_count_decide() -> None:
    """Held, it never lands; as logged, it lands at 237, whatever the pilot wants but to fly; from zero, at 240."""
    assert "MODE_LAND" not in modes([perceived(220)] * 30, after=220)
    for pilot in ("PILOT_HOLD", "PILOT_RTH"):
        as_logged = [perceived(step, pilot=pilot) for step in range(220, 250)]
        assert 220 + modes(as_logged, after=220).index("MODE_LAND") == LANDS
        assert 220 + modes(as_logged).index("MODE_LAND") == LANDS + 3
    by_hand = [perceived(step, pilot="PILOT_MANUAL") for step in range(220, 250)]
    assert set(modes(by_hand, after=220)) == {"MODE_MANUAL"}


def modes_until(pilot: str, first: int, mode: str) -> list[str]:
    """What it decides from step 220 to 249 if the switch is so from a step on, until it decides a mode."""
    flight, decided, over = Flight(), [], False
    for step in range(220):
        flight.step(perceived(step))
    for step in range(220, 250):
        supposed = step >= first and not over
        decided.append(MODES[flight.step(perceived(step, pilot=pilot if supposed else None)).mode])
        over = over or (supposed and decided[-1] == mode)
    return decided


def test_a_step_has_the_recorder_s_time() -> None:
    """Against the file itself, at every step."""
    first = int(LOG[0]["time_ms"])
    for step, row in zip(Project.open(DRONE).trace, LOG, strict=True):
        assert step.when is not None
        assert step.when.written == row["time_ms"]
        assert step.when.since == Fraction(int(row["time_ms"]) - first, 1000)


# --- what soid says -------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def drone() -> Project:
    return Project.open(DRONE)


def test_a_moment_is_found_by_its_time(drone: Project) -> None:
    assert drone.trace.keyframe(220).describe().startswith("step 220, 44 s (")
    for text in ("44s", "44.19s", "0:44", "@1778338844000", "@1778338844199"):
        assert step_of(text, drone.trace, {}) == 220


@pytest.mark.parametrize(
    ("step", "question"),
    [
        (LANDS, "did return.mode == MODE_LAND"),
        (LANDS - 1, LANDS_AFTER_TWO),
    ],
)
def test_the_answer_is_that_of_the_counters_as_they_were(drone: Project, step: int, question: str) -> None:
    answer = drone.at(step).ask(question)
    assert answer.verdict.value == "yes"
    assert {"derived", "from-start"} <= {each.id for each in answer.relies_on}
    assert [each["variable"] for each in json_of(answer.document)["origins"]["derived"]] == [
        "bad_gps_ticks",
        "low_battery_ticks",
    ]


@pytest.mark.parametrize("step", [0, 141, LANDS - 1])
def test_the_counters_are_derived_as_the_program_had_them(drone: Project, step: int) -> None:
    """A drone that has flown so far has counted as much."""
    keyframe, flight = drone.at(step).keyframe, Flight()
    for before in range(step):
        flight.step(perceived(before))
    for path in ("bad_gps_ticks", "low_battery_ticks"):
        assert keyframe.origin(path) is Origin.DERIVED
    held = [perceived(LANDS - 1, pilot="PILOT_RTH")] * 14  # a bad fix: what is missing to the limit is what was counted
    decided = [MODES[flight.step(s).mode] for s in held]
    assert decided.index("MODE_LAND") + 1 == max(13 - keyframe.inputs["bad_gps_ticks"], 1)


@pytest.fixture(scope="module")
def in_the_middle(tmp_path_factory: pytest.TempPathFactory) -> Project:
    """The drone one step before it lands, its log not said to begin with the first call."""
    made = tmp_path_factory.mktemp("middle") / "drone"
    shutil.copytree(DRONE, made)
    lines = (made / "soid.toml").read_text().splitlines(keepends=True)
    (made / "soid.toml").write_text("".join(line for line in lines if not line.startswith("from_start")))
    return Project.open(made, step=LANDS - 1)


def test_without_the_start_the_answer_depends_on_what_is_not_known(in_the_middle: Project) -> None:
    answer = in_the_middle.ask(LANDS_AFTER_TWO)
    assert (answer.verdict.value, answer.reason_code) == ("unknown", ReasonCode.DEPENDS)
    assert "it depends on the count of bad fixes" in answer.reason
    assert answer.reason.endswith("yes from 11 on, no up to 10")  # `test_where_the_count_of_bad_fixes_decides`
    assert [each.path for each in answer.assumed] == ["bad_gps_ticks"]
    assert "from-start" not in {each.id for each in answer.relies_on}
    for witness, lands in ((answer.witness, True), (answer.contrast, False)):
        assert witness is not None
        counted = witness.inputs["bad_gps_ticks"]
        pilot = SWITCHES[witness.inputs["s.pilot"]]
        bad = [perceived(LANDS - 1, pilot=pilot)] * 2
        assert "by running the compiled program" in witness.replayed
        assert (modes(bad[:1] * counted + bad)[-1] == "MODE_LAND") is lands is (counted >= 11)
        assert "bad_gps_ticks" not in {change.variable.path for change in witness.changed}
        assert answer.taken(witness) == f"taken here: the count of bad fixes {counted}; it is not known"
        assert answer.heading(witness).startswith(f"If the count of bad fixes was {counted}: ")


def test_nothing_is_derived_across_rows_that_are_missing(tmp_path: Path) -> None:
    """Two rows of the recorder are lost while it counts bad fixes: over the others, the count would be too low."""
    shutil.copytree(DRONE, tmp_path / "drone")
    log = tmp_path / "drone" / "recorder.csv"
    rows = log.read_text().splitlines(keepends=True)
    log.write_text("".join(rows[:231] + rows[233:]))
    question = "might return.mode == MODE_LAND within 2 steps held if s.pilot in {PILOT_HOLD, PILOT_RTH}"
    project = Project.open(tmp_path / "drone", step=LANDS - 3)  # the number of the step without two before it
    assert project.keyframe.origin("bad_gps_ticks") is Origin.ASSUMED
    answer = project.ask(question)
    assert answer.reason_code is ReasonCode.DEPENDS and answer.reason.endswith("yes from 11 on, no up to 10")
    assert "Calls may be missing between step 229 and step 230, which were logged 0.6 s apart" in answer.wanting
    manifest = tmp_path / "drone" / "soid.toml"
    manifest.write_text(manifest.read_text().replace("[trace]\n", "[trace]\nevery_call = true\n"))
    stated = Project.open(tmp_path / "drone", step=LANDS - 3).ask(question)  # it would be no, were it not for step 235
    assert stated.reason_code is ReasonCode.DEPENDS and "does not give what is logged at step 235" in stated.wanting


def test_without_the_start_what_holds_for_every_count_is_definite(in_the_middle: Project) -> None:
    project = in_the_middle
    said = {}
    for question in (
        "did return.mode == MODE_LAND after 2 steps",
        "would return.mode == MODE_HOVER if s.link is anything",
        "might return.mode == MODE_MANUAL if s.pilot is anything",
        "might return.mode == MODE_LAND if bad_gps_ticks > 5",
    ):
        answer = project.ask(question)
        assert answer.verdict.value == "yes"
        fact = fact_of(answer, project.keyframe)
        assert fact is not None
        said[question] = f"{answer.reason} | {fact['statement']}"
    did, would, might, varied = said.values()
    assert did.startswith("whatever the count of bad fixes was, it is so: ")
    assert did.endswith("in the last of 2 steps, whatever the count of bad fixes was.")
    assert "proved over all of them, whatever the count of bad fixes was |" in would
    assert would.endswith("all else as at step 236, whatever the count of bad fixes was.")
    assert "there is one for every value that the count of bad fixes may have had |" in might
    assert might.endswith("which is not known: for every value that it may have had there is such a scenario.")
    assert varied.endswith("had the count of bad fixes been 12; all else as at step 236.")


def test_without_the_start_no_fact_is_made_up(in_the_middle: Project) -> None:
    project = in_the_middle
    assert project.keyframe.assumed == ("bad_gps_ticks",)
    assert "bad_gps_ticks = not known" in project.keyframe.describe()
    assert "low_battery_ticks = 0 (derived)" in project.keyframe.describe()
    assert project.ask("did bad_gps_ticks' == fact(bad_gps_ticks) + 1").reason_code is ReasonCode.FACT_ASSUMED
    found = project.map("s.pilot is anything", by="return.mode")
    labels = [region.label.text for region in found.regions]
    assert (found.assumed, found.depending, found.open) == (("bad_gps_ticks",), 0, 0)
    assert labels == ["return.mode = MODE_HOVER", "return.mode = MODE_MANUAL"]  # whatever the counter was
    explained = project.explain("would return.mode == MODE_HOVER if s.link is anything")
    assert explained.proof is not None and [each.irrelevant for each in explained.proof.variables] == [True]
    with pytest.raises(QueryError, match="bad_gps_ticks is not known"):
        project.explain("would return.mode == MODE_HOVER if bad_gps_ticks == 3")


def test_a_value_that_was_logged_later_is_not_told_as_that_of_the_moment(drone: Project) -> None:
    """At step 220 the log has 1.90, as the scenario has; what differs is what was logged afterwards."""
    answer = drone.at(220).ask("might return.mode == MODE_LAND within 30 steps if s.gps.hdop is anything")
    assert answer.witness is not None
    assert [str(change) for change in answer.told(answer.witness)] == ["s.gps.hdop: 1.92 (in a later step) -> 1.9"]


@pytest.mark.parametrize(
    ("pilot", "first", "mode"),
    [
        ("PILOT_RTH", 220, "MODE_LAND"),
        ("PILOT_RTH", 220, "MODE_RTH"),
        ("PILOT_RTH", 225, "MODE_HOVER"),
        ("PILOT_MANUAL", 222, "MODE_LAND"),
        ("PILOT_MANUAL", 230, "MODE_MANUAL"),
    ],
)
def test_until_it_decides_something(pilot: str, first: int, mode: str, drone: Project) -> None:
    decided = modes_until(pilot, first, mode)
    begins = f" from step {first}" if first > 220 else ""
    lasts = f"if s.pilot == {pilot}{begins} until return.mode == {mode}"
    answer = drone.at(220).ask(f"would return.mode == MODE_LAND within 30 steps {lasts}")
    assert answer.verdict.value == ("yes" if "MODE_LAND" in decided else "no")
    assert answer.witness is not None and "by running the compiled program" in answer.witness.replayed
    assert [json_of(each)["return.mode"] for each in json_of(answer.document)["witness"]["steps"]] == decided
