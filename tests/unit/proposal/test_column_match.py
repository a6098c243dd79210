"""Columns and variables: other spellings, units, labels and types are seen through; what is not certain says so."""

from __future__ import annotations

from pathlib import Path

import pytest

from soid.formula.sorts import FLOAT32
from soid.program.interface import Interface, Role, Variable
from soid.program.types import BoolType, EnumType, FloatType, IntType
from soid.proposal.column_match import LogTarget, targets_of
from soid.proposal.source_comments import SourceComment
from tests.unit.proposal.conftest import Match, targets

REAL, WHOLE, BYTE, BOOL = FloatType(FLOAT32), IntType(32, signed=True), IntType(8, signed=False), BoolType()
PILOT = EnumType("pilot_switch", 32, False, (("PILOT_MANUAL", 0), ("PILOT_HOLD", 1), ("PILOT_RTH", 2)))
MODE = EnumType("flight_mode", 32, False, (("MODE_MANUAL", 0), ("MODE_HOLD", 1), ("MODE_LAND", 2)))


@pytest.mark.parametrize(
    ("column", "path"),
    [
        ("Altitude", "s.altitude"),
        ("alt", "s.altitude"),
        ("ALT_ft", "s.altitude"),
        ("alt (m)", "s.altitude"),
        ("altitudeM", "s.altitude"),
        ("nav.altitude", "s.altitude"),
        ("v [km/h]", "car.speed"),
        ("spd_mps", "car.speed"),
        ("hgt", "s.height"),
        ("batt_v", "s.battery"),
        ("distanceHome", "s.distance_home"),
        ("agents[1].pos_x", "world.agents[1].pos_x"),
        ("lane_2", "road.lanes[2]"),
    ],
)
def test_one_name_in_many_spellings(column: str, path: str, match: Match) -> None:
    known = targets({path: REAL, "s.rate": REAL})
    assert match({column: ["1.5", "2.5"]}, known)[column].target.name == path


def test_a_column_of_another_thing_has_no_variable(match: Match) -> None:
    assert match({"colour": ["1", "2"], "operator": ["3", "4"]}, targets({"s.altitude": REAL, "n": WHOLE})) == {}


def test_the_labels_tell_two_enumerations_apart_where_names_do_not(match: Match) -> None:
    known = targets({"s.pilot": PILOT}, {"return.mode": MODE})
    found = match({"switch": ["HOLD", "RTH"], "state": ["HOLD", "LAND"]}, known)
    assert found["switch"].target.name == "s.pilot"
    assert found["state"].target.name == "return.mode" and found["state"].labels is not None
    assert found["state"].labels.labels == {
        "HOLD": "MODE_HOLD",
        "LAND": "MODE_LAND",
        "MANUAL": "MODE_MANUAL",
    }


def test_types_and_ranges_exclude(match: Match) -> None:
    known = targets({"count": BYTE, "switch": BOOL, "level": WHOLE})
    assert match({"count": ["3", "300"]}, known) == {}
    assert match({"count": ["3", "-1"]}, known) == {}
    assert match({"level": ["1.5", "2"]}, known) == {}
    assert match({"switch": ["0", "2"]}, known) == {}
    assert match({"count": ["3", "255"]}, known)["count"].is_sure


def test_units_that_measure_something_else_exclude(match: Match) -> None:
    comments = {"line": SourceComment("", "kPa")}
    assert match({"line_ft": ["1", "2"]}, targets({"in.line": REAL}, comments=comments)) == {}
    found = match({"line_mmhg": ["1", "2"]}, targets({"in.line": REAL}, comments=comments))["line_mmhg"]
    assert (found.unit, found.ours, found.is_sure) == ("mmHg", "kPa", True)


def test_a_unit_that_the_program_does_not_tell_is_not_sure(match: Match) -> None:
    found = match({"height_ft": ["10", "20"]}, targets({"height": REAL}))["height_ft"]
    assert found.lacks_unit and not found.is_sure


def test_two_variables_of_one_name_are_rivals(match: Match) -> None:
    found = match({"speed": ["1", "2"]}, targets({"ours.speed": REAL, "theirs.speed": REAL}))["speed"]
    assert found.target.name == "ours.speed" and found.rivals == ("theirs.speed",) and not found.is_sure
    both = match(
        {"ours_speed": ["1", "2"], "theirs_speed": ["1", "2"]}, targets({"ours.speed": REAL, "theirs.speed": REAL})
    )
    assert {name: each.target.name for name, each in both.items()} == {
        "ours_speed": "ours.speed",
        "theirs_speed": "theirs.speed",
    }


def test_what_a_call_left_is_known_by_its_name(match: Match) -> None:
    known = targets_of(Interface((Variable("count", Role.STATE, WHOLE, initial=0),)), {})
    found = match({"count": ["1", "2"], "count'": ["2", "3"]}, known)
    assert {name: each.target.name for name, each in found.items()} == {"count": "count", "count'": "count'"}
    assert match({"new_count": ["1", "2"]}, known)["new_count"].target.name == "count'"


def test_a_comment_beside_the_declaration_counts(match: Match, tmp_path: Path) -> None:
    comments = {"track": SourceComment("the circuit of the crossing itself", None)}
    track = EnumType("Track", 32, True, (("Clear", 0), ("Occupied", 1)))
    found = match({"circuit": ["free", "occupied"]}, targets({"approach.track": track}, comments=comments))["circuit"]
    assert found.labels is not None and found.labels.guessed == ("free",) and not found.is_sure


def test_a_whole_number_may_be_logged_in_another_unit(match: Match) -> None:
    found = match({"temperature_f": ["68.0", "89.6"]}, targets({"in.tempC": WHOLE}))["temperature_f"]
    assert (found.target.name, found.unit, found.ours, found.is_sure) == ("in.tempC", "degF", "degC", True)
    for column, path in (("temp_c", "in.tempC"), ("temp", "in.tempC"), ("temperature_f", "in.temp")):
        assert match({column: ["68.5", "89.6"]}, targets({path: WHOLE})) == {}, column


def test_a_whole_number_may_be_a_flag(match: Match) -> None:
    found = match({"valve": ["open", "closed"], "pump": ["on", "off"]}, targets({"valveOpen": BYTE, "pump": BYTE}))
    assert found["valve"].labels is not None and found["valve"].labels.labels == {"open": "1", "closed": "0"}
    assert found["pump"].labels is not None and found["pump"].labels.labels == {"on": "1", "off": "0"}
    assert found["valve"].is_sure and not found["pump"].is_sure
    assert (
        match({"pump": ["left", "right", "left"], "valve": ["a", "b", "c"]}, targets({"valve": BYTE, "pump": BYTE}))
        == {}
    )


NAMES = ("größe", "grüße", "a b", "a.b", "score", "v [km/h]")
PATHS = dict(zip(NAMES, ("gr_e", "gr_e_2", "a_b_2", "a_b_3", "score_2", "v_km_h"), strict=True))


def features(*others: str) -> list[LogTarget]:
    """A model's features, which questions call otherwise than its file, and its number."""
    given = [Variable(path, Role.ENVIRONMENT, REAL) for path in (*PATHS.values(), *others)]
    interface = Interface((*given, Variable("score", Role.DECISION, REAL)), spellings=PATHS)
    return targets_of(interface, {}, exact=True)


@pytest.mark.parametrize("turned", [False, True])
def test_a_feature_is_the_column_that_its_file_calls_so(match: Match, turned: bool) -> None:
    names = [*NAMES][:: -1 if turned else 1]
    found = match({name: ["1", "2"] for name in names}, features("a_b"))
    assert {name: each.target.name for name, each in found.items()} == PATHS
    assert all(each.is_sure and each.is_named for each in found.values())


def test_the_name_in_questions_comes_after_the_name_in_the_file(match: Match) -> None:
    both = match({"a_b_2": ["1", "2"], "a b": ["1", "2"]}, features())
    assert both["a b"].target.name == "a_b_2" and "a_b_2" not in both
    alone = match({"a_b_2": ["1", "2"]}, features())["a_b_2"]
    assert alone.target.name == "a_b_2" and alone.is_sure


def test_a_feature_is_the_column_of_its_name_whatever_is_in_it(match: Match) -> None:
    found = match({"größe": ["1", "tall"], "grösse": ["1", "2"]}, features())
    assert found["größe"].target.name == "gr_e" and found["größe"].is_sure


def test_a_column_of_zeros_and_ones_is_no_number_of_a_model(match: Match) -> None:
    """It may be its class; rounded to no decimals, a probability would be the same."""
    label = EnumType("class", 32, True, (("class_0", 0), ("class_1", 1)), (("0", 0), ("1", 1)))
    variables = [Variable(name, Role.DECISION, REAL) for name in ("score", "probability")]
    interface = Interface((Variable("decision", Role.DECISION, label), *variables))
    known = targets_of(interface, {}, exact=True)
    found = match({"pred": ["0", "1", "1"], "prob": ["0.1", "0.8", "0.75"]}, known)
    assert {name: each.target.name for name, each in found.items()} == {"pred": "decision", "prob": "probability"}
    assert all(each.is_sure for each in found.values())
