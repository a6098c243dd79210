"""From sources and a recorder's file to a proved counterfactual, with `soid init --yes` and the questions it ends with.

What the answers say is compared with the compiled programs: they are called here by ctypes, with what the recorder
wrote read by this file, and with the counters that they really have at the step.
"""

from __future__ import annotations

import csv
import ctypes
import json
import re
import shlex
import shutil
import tomllib
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, Final, final

import pytest
from msgspec import Struct

from soid.cli import main
from soid.examples import folder
from soid.examples.drone.logs import MODES, SWITCHES, Flight, Gps, Sensors
from tests.projects import recorders
from tests.projects.recorders import INFUSION, RAILWAY, Approach, Inputs, Outputs

Values = Mapping[str, Any]
_KPA: Final = 0.133322387415  # a mmHg
_QUESTION: Final = re.compile(
    r"(?P<verb>did|would|might) (?P<name>\S+) == (?P<value>\S+)(?: within (?P<count>\d+) steps)?"
    r"(?: if (?P<input>\S+) (?:== (?P<given>\S+)|is (?P<free>anything))(?: from step (?P<start>\d+))?)?"
)


@final
class Native(Struct, frozen=True):
    """A project, and its compiled program."""

    name: str
    sources: Path
    log: str
    steps: tuple[Values, ...]  # what the program perceives, by the program's names
    start: Callable[[], Callable[[Values], Values]]  # the program from its first call on: inputs -> decisions

    def run(self, first: int, inputs: Sequence[Values]) -> list[Values]:
        """What it decides from a step on, after the logged steps before it."""
        call = self.start()
        for step in self.steps[:first]:
            call(step)
        return [call(each) for each in inputs]


def rows(file: Path, separator: str) -> Iterator[dict[str, str]]:
    with file.open(newline="") as opened:
        yield from csv.DictReader(opened, delimiter=separator)


def drone() -> Native:
    def start() -> Callable[[Values], Values]:
        flight = Flight()

        def call(s: Values) -> Values:
            floats = s["s.battery"], s["s.altitude"], s["s.distance_home"]
            switch = SWITCHES.index(s["s.pilot"])
            given = flight.step(Sensors(Gps(s["s.gps.sats"], s["s.gps.hdop"]), *floats, switch, s["s.link"]))
            return {"return.mode": MODES[given.mode], "return.alarm": bool(given.alarm)}

        return call

    steps = tuple(
        {
            "s.gps.sats": int(row["sats"]),
            "s.gps.hdop": float(row["hdop"]),
            "s.battery": float(row["batt_v"]),
            "s.altitude": float(row["alt_ft"]) * 0.3048,
            "s.distance_home": float(row["home_m"]),
            "s.pilot": f"PILOT_{row['switch']}",
            "s.link": int(row["link_pct"]),
        }
        for row in rows(folder("drone") / "recorder.csv", ",")
    )
    return Native("drone", folder("drone"), "recorder.csv", steps, start)


def infusion() -> Native:
    def start() -> Callable[[Values], Values]:
        tick = recorders.compiled(INFUSION, "pump_tick", "pump_tick")

        def call(s: Values) -> Values:
            names = "in.door_open", "in.volume_done", "in.temperature", "in.pressure", "in.bubble"
            out = Outputs()
            tick(ctypes.byref(Inputs(*(s[name] for name in names))), ctypes.byref(out))
            action = ("PUMP_STOP", "PUMP_KEEP_OPEN", "PUMP_INFUSE")[out.action]
            alarm = ("ALARM_NONE", "ALARM_DOOR", "ALARM_AIR", "ALARM_OCCLUSION", "ALARM_HOT")[out.alarm]
            return {"out.action": action, "out.alarm": alarm, "out.heater": out.heater}

        return call

    events = [json.loads(line) for line in (INFUSION / "events.jsonl").read_text().splitlines()]
    steps = tuple(
        {
            "in.door_open": event["door"] == "OPEN",
            "in.volume_done": event["dose"] == "DONE",
            "in.temperature": event["sensors"]["fluid_temp_c"],
            "in.pressure": event["sensors"]["line_mmhg"] * _KPA,
            "in.bubble": event["sensors"]["bubble_ul"],
        }
        for event in events
    )
    return Native("infusion", INFUSION, "events.jsonl", steps, start)


def railway() -> Native:
    tracks, barriers, orders = ("Clear", "Occupied"), ("Open", "Closing", "Closed"), ("Raise", "Lower", "Warn")

    def start() -> Callable[[Values], Values]:
        control = recorders.compiled(RAILWAY, "railway::control", "_ZN7railway7controlERKNS_8ApproachE")

        def call(s: Values) -> Values:
            track, barrier = tracks.index(s["approach.track"]), barriers.index(s["approach.barrier"])
            numbers = s["approach.speed"], s["approach.distance"]
            return {
                "return": orders[control(ctypes.byref(Approach(*numbers, track, barrier, s["approach.lamp_works"])))]
            }

        return call

    steps = tuple(
        {
            "approach.speed": float(row["v [km/h]"]) / 3.6,
            "approach.distance": float(row["distance [m]"]),
            "approach.track": "Occupied" if row["circuit"] == "occupied" else "Clear",
            "approach.barrier": row["barrier"].capitalize(),
            "approach.lamp_works": row["lamp"] == "ok",
        }
        for row in rows(RAILWAY / "recorder.csv", ";")
    )
    return Native("railway", RAILWAY, "recorder.csv", steps, start)


@pytest.fixture(params=[drone, infusion, railway], ids=lambda made: str(made.__name__))
def native(request: pytest.FixtureRequest) -> Native:
    made: Native = request.param()
    return made


@pytest.fixture
def vendor(native: Native, tmp_path: Path) -> Path:
    """What a vendor hands over: sources and one file of the recorder, in an otherwise empty folder."""
    given = tmp_path / native.name
    given.mkdir()
    for file in native.sources.iterdir():
        if file.suffix in (".c", ".h", ".cpp", ".hpp") or file.name == native.log:
            shutil.copy(file, given)
    return given


def parsed(text: str, like: Any) -> Any:
    return text == "true" if isinstance(like, bool) else type(like)(text)


def truths(native: Native, step: int, text: str, domains: Mapping[str, Any]) -> Iterator[bool]:
    """Whether the behavior occurs, in the scenario that a question supposes, or in many that it ranges over."""
    asked = _QUESTION.fullmatch(text)
    assert asked is not None, text
    count, name = int(asked["count"] or 1), asked["input"]
    logged = native.steps[step : step + count]
    if name is None:
        given: list[Any] = [None]
    elif asked["free"]:
        low, high = domains[name]["domain"]
        given = [type(logged[0][name])(low + (high - low) * at / 80) for at in range(81)]
    else:
        given = [parsed(asked["given"], logged[0][name])]
    for value in given:
        start = int(asked["start"] or step)
        changed = {} if name is None else {name: value}
        inputs = [{**each, **(changed if step + at >= start else {})} for at, each in enumerate(logged)]
        decided = [each[asked["name"]] for each in native.run(step, inputs)]
        yield any(each == parsed(asked["value"], each) for each in decided)


@pytest.mark.slow
def test_two_commands_to_a_proved_counterfactual(
    native: Native, vendor: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(vendor)
    assert main(["init", "--yes", "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert (found["compared"], found["agreeing"], found["problem"]) == (len(native.steps), len(native.steps), None)
    assert len(found["questions"]) == 3 and any(" within " in each["question"] for each in found["questions"])
    text = (vendor / "soid.toml").read_text()
    assert "PROPOSALS, rounded out from the values in the log" in text
    columns = text.partition("[trace.columns]")[2].partition("[variables]")[0]
    assert columns.count("GUESSED") == len(found["guesses"]) == {"drone": 0, "infusion": 2, "railway": 2}[native.name]
    domains = tomllib.loads(text)["variables"]
    for each in found["questions"]:
        words = shlex.split(each["command"])
        assert words[:1] == ["soid"]
        status = main([*words[1:], "--json"])
        answer = json.loads(capsys.readouterr().out)
        assert answer["verdict"] == each["verdict"] and status == ("yes", "no").index(answer["verdict"])
        occurs = list(truths(native, each["step"], each["question"], domains))
        expected = any(occurs) if each["question"].startswith("might") else all(occurs)
        assert (answer["verdict"] == "yes") == expected, each
