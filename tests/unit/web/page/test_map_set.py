"""Maps of several programs: one place in all, the same looks for the same decisions, what tells regions apart."""

from __future__ import annotations

from functools import partial
from pathlib import Path

import pytest

from soid.case.project import Project
from soid.errors import QueryError
from soid.mapping.claims import Outputs, by_text
from soid.mapping.map_palette import looks
from soid.web.page import map_set
from soid.web.page.map_set import MapSet
from tests.several_programs import several

EARLY = "int decide(int gap) { return gap < 20 ? 2 : gap < 60; }\n"
LATE = "int decide(int gap) { return 10 / gap > 0 ? gap < 60 : 7; }\n"
LOG = '{"gap": 30, "return": 1}\n'


@pytest.fixture
def project(tmp_path: Path) -> Project:
    return several(tmp_path, {"early": EARLY, "late": LATE}, LOG, variables="gap = { domain = [1, 100] }\n")


def drawn(project: Project, behavior: str = "", over: str = "gap is anything") -> MapSet:
    interface, made = project.program.interface, {}
    for program in ("early", "late"):
        text = map_set.by_of(behavior, program, interface)
        by, one = by_text(text, interface), project.map(over, by=text)
        made[program] = one.relabelled(partial(by.own_label, interface=interface)) if isinstance(by, Outputs) else one
    return MapSet(made)


def test_a_place_is_read_off_in_all_maps(project: Project) -> None:
    made = drawn(project)
    here = made.pointed((0.1, 0.5), project.program.interface)
    assert here.told == {"early": "it decides to return 2", "late": "it decides to return 7"}
    assert not here.alike and here.words.startswith(
        "gap 11: early: it decides to return 2; late: it decides to return 7. They do not"
    )
    there = made.pointed((0.9, 0.5), project.program.interface)
    assert there.told == {"early": "it decides to return 0", "late": "it decides to return 7"}
    beyond, edge = (made.pointed((across, 0.5), project.program.interface) for across in (2.0, 1.0))
    assert beyond.places == edge.places  # dragged beyond the edge


def test_programs_that_do_the_same_are_alike(project: Project) -> None:
    made = drawn(project, "return == 7 or return == 0 and gap > 90")
    assert made.pointed((0.99, 0.5), project.program.interface).alike
    assert not made.pointed((0.4, 0.5), project.program.interface).alike


def test_what_is_the_same_looks_the_same(project: Project) -> None:
    made = drawn(project, over="1 <= gap <= 15")
    for whole in (made, drawn(project)):
        styles = {}
        for program, one in whole.maps.items():
            known = whole.labels(program, made)
            by_label = dict(zip(known, looks(known), strict=True))
            assert {region.label for region in one.regions} <= by_label.keys()
            styles[program] = {region.label.text: by_label[region.label] for region in one.regions}
        shared = styles["early"].keys() & styles["late"].keys()
        assert all(styles["early"][each] == styles["late"][each] for each in shared)
        assert len({*styles["early"].values(), *styles["late"].values()}) == len({*styles["early"], *styles["late"]})


def test_a_behavior_is_asked_of_each_and_looks_the_same_in_each(project: Project) -> None:
    interface = project.program.interface
    assert map_set.by_of("", "late", interface) == "late"
    assert map_set.by_of("return == 1", "late", interface) == "late.return == 1"
    made = drawn(project, "return > 0")
    firsts = [[each.kind for each in made.labels(program, made)] for program in made.maps]
    assert firsts[0] == firsts[1]
    with pytest.raises(QueryError):
        map_set.by_of("return ==", "late", interface)


def test_the_choices_are_what_the_questions_are_about(project: Project) -> None:
    asked = ["did return == 2", "would return == 2 if gap is anything", "did decides", "would return if ("]
    wanted = [
        ("", "by what each decides"),
        ("return == 2", "by whether it decides to return 2"),
        ("decides", "by whether decides"),  # which cannot be asked of one beside others
    ]
    assert map_set.choices(asked, "late", project.program.interface) == wanted
