"""Questions that reuse what earlier ones have explored give the answers that they would have given on their own."""

from __future__ import annotations

import random
from collections.abc import Iterator
from pathlib import Path

import pytest
from msgspec.structs import replace

from soid.case.project import Project
from soid.documents import json_of
from soid.engine.registry import kept_summaries
from soid.engine.summary_cache.summaries import Summaries
from soid.oracle.answer import Answer
from soid.recipe import SOID

PROGRAM = """
#ifndef LIMIT
#define LIMIT 15
#endif

struct seen { signed char speed, gap; unsigned char kind; _Bool wet; float grip; };

static int steps;

int decide(const struct seen *seen) {
    steps++;
    if (seen->kind == 7) return 100 / (seen->gap - 3);
    int brake = seen->speed > 20 ? seen->speed - seen->gap : 0;
    if (seen->wet) brake *= 2;
    for (int i = 0; i < (seen->kind & 3); i++) brake += i;
    if (seen->grip * 2.0f < 0.5f) brake += 10;
    return brake > LIMIT ? 2 : brake > 5;
}
"""

MANIFEST = """
[program]
name = "rule"
engine = "c"
sources = ["rule.c"]
entry = "decide"
defines = [{defines}]

[trace]
file = "log.jsonl"
"""

LOG = """
{"step": 0, "seen": {"speed": 30, "gap": 25, "kind": 1, "wet": false, "grip": 0.75}, "steps": 4}
{"step": 1, "seen": {"speed": 10, "gap": 25, "kind": 1, "wet": false, "grip": 0.75}, "steps": 5}
"""

RANGES = {"seen.speed": (-10, 60), "seen.gap": (0, 40), "seen.kind": (0, 9), "steps": (0, 9)}
FREE = {"seen.wet": "seen.wet is anything", "seen.grip": "-0.5 <= seen.grip <= 1.0"}
BEHAVIORS = ("return == 0", "return >= 1", "return == 2 or fails", "decides", "steps' > fact(steps')", "fails")


def project(folder: Path, defines: str = "") -> Path:
    folder.mkdir()
    (folder / "rule.c").write_text(PROGRAM)
    (folder / "soid.toml").write_text(MANIFEST.replace("{defines}", defines))
    (folder / "log.jsonl").write_text(LOG.lstrip())
    return folder


@pytest.fixture(scope="module")
def rule(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Project]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("SOID_CACHE", str(tmp_path_factory.mktemp("cache")))
        case = Project.open(project(tmp_path_factory.mktemp("projects") / "rule"))
        yield case
        case.solver.close()


def some(rng: random.Random) -> str:
    """A family: a few inputs freed, over their ranges or part of them."""
    chosen = rng.sample([*RANGES, *FREE], rng.randint(1, 3))
    suppositions = []
    for path in chosen:
        if path in FREE:
            suppositions.append(FREE[path])
            continue
        low, high = RANGES[path]
        first = rng.randint(low, high)
        last = rng.randint(first, high)
        wide = rng.random() < 0.3
        suppositions.append(f"{low} <= {path} <= {high}" if wide else f"{first} <= {path} <= {last}")
    return " and ".join(suppositions)


def told(answer: Answer) -> dict[str, object]:
    """All of an answer but what it took, and what it relies on: of a wider family that may be more."""
    left_out = ("seconds", "settled_by", "solver", "relies_on")
    return {name: value for name, value in json_of(answer.document).items() if name not in left_out}


def test_answers_are_those_of_a_question_on_its_own(rule: Project, tmp_path: Path) -> None:
    rng = random.Random(7)
    alone = replace(rule, settings=replace(rule.settings, recipe=SOID.without("summaries")), summaries=None)
    assert rule.summaries is not None
    everything = " and ".join(f"{low} <= {path} <= {high}" for path, (low, high) in RANGES.items())
    rule.ask(f"might return == 2 if {everything} and {' and '.join(FREE.values())}")
    reused = 0
    for number in range(60):
        asked = replace(rule.at(number % 2), replayer=None)  # what is replayed is the same, and takes most of the time
        steps = rng.choice(("", "", " after 2 steps held", " within 2 steps held"))
        question = f"{rng.choice(('would', 'might'))} {rng.choice(BEHAVIORS)}{steps} if {some(rng)}"
        answer = asked.ask(question)
        assert told(answer) == told(replace(alone, replayer=None).at(number % 2).ask(question)), question
        reused += answer.settled_by.get("summaries", 0)
    assert reused > 60  # the fact nearly always, the family often


def test_a_poisoned_folder_changes_nothing(rule: Project, tmp_path: Path) -> None:
    question = "would return >= 1 if 21 <= seen.speed <= 60 and 0 <= seen.gap <= 40"
    identity = rule.engine.identity
    assert identity is not None
    expected = told(replace(rule, summaries=Summaries(identity, rule.program.interface, tmp_path)).ask(question))
    files = {path: path.read_bytes() for path in tmp_path.iterdir()}
    assert len(files) == 2
    for change in (lambda b: b.replace(b'"is":"decided"', b'"is":"failed"'), lambda b: b[::-1], lambda b: b"{}"):
        for path, content in files.items():
            path.write_bytes(change(content))
        fresh = replace(rule, summaries=Summaries(identity, rule.program.interface, tmp_path))
        answer = fresh.ask(question)
        assert told(answer) == expected and "summaries" not in answer.settled_by
    first, second = files
    first.write_bytes(files[second])  # the one's under the other's name
    second.unlink()
    fresh = replace(rule, summaries=Summaries(identity, rule.program.interface, tmp_path))
    assert told(fresh.ask(question)) == expected


def test_another_program_is_another_one(rule: Project, tmp_path: Path) -> None:
    same = Project.open(project(tmp_path / "same"))
    other = Project.open(project(tmp_path / "other", '"LIMIT=16"'))
    entries = [each.engine.identity for each in (rule, same, other)]
    assert entries[0] == entries[1] != entries[2]
    question = "might return == 2 if 0 <= seen.gap <= 40"
    rule.ask(question)
    again = replace(same, summaries=kept_summaries(same.program, same.engine)).ask(question)
    assert again.settled_by["summaries"] == 2
