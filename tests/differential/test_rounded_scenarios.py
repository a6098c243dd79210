"""Other scenarios of a log that has lost digits: a definite verdict is that of the values that were there.

The program runs in Python on the true values, which the oracle never sees: its log has one decimal. The truth of a
question is found by enumeration of what it supposes, with all else as it truly was.
"""

from __future__ import annotations

import itertools
import json
import random

import pytest

from soid import Project

PROGRAM = """
static int on, hot;
int decide(double t, int en) {
    if (t > 20.25) { on = 1; if (hot < 3) hot++; } else if (t < 19.75) { on = 0; hot = 0; }
    return en ? on + (hot == 3) : 2 + (t >= 20.0);
}
"""
MANIFEST = """
[program]
engine = "llvm"
sources = ["p.c"]
entry = "decide"
[trace]
file = "log.jsonl"
from_start = true
[variables]
t = { domain = [19.0, 21.0], logged = { decimals = 1 } }
en = { domain = [0, 1] }
"""
LEVELS = (
    19.44,
    19.54,
    19.74,
    19.76,
    19.96,
    19.98,
    20.02,
    20.04,
    20.24,
    20.26,
    20.49,
)  # logged as 19.7, 20.0, 20.2, ...
STEPS, QUESTIONS = 7, 14
Pair = tuple[float, int]


def decisions(given: list[Pair]) -> list[int]:
    on = hot = 0
    found = []
    for t, en in given:
        if t > 20.25:
            on, hot = 1, min(hot + 1, 3)
        elif t < 19.75:
            on = hot = 0
        found.append(on + (hot == 3) if en else 2 + (t >= 20.0))
    return found


def truth(kind: str, value: int, true: list[Pair], at: int, count: int, supposed: range, *, held: bool) -> str:
    """`en` is anything in the supposed steps, with one value in all of them."""
    rest = [true[at]] * count if held else true[at : at + count]
    found = []
    for en in (0, 1):
        course = [(t, en if number in supposed else was) for number, (t, was) in enumerate(rest)]
        if course != rest:
            found.append(decisions([*true[:at], *course])[-1] == value)
    return "yes" if (all if kind == "would" else any)(found) else "no"


@pytest.mark.parametrize("seed", range(4))
def test_definite_verdicts_are_those_of_what_was_there(seed, tmp_path):
    chance = random.Random(seed)
    true = [(chance.choice(LEVELS), chance.choice((0, 1))) for _ in range(STEPS)]
    lines = [{"t": round(t, 1), "en": en} for t, en in true]
    for line, decision in zip(lines, decisions(true), strict=True):
        if chance.random() < 0.4:
            line["return"] = decision
    (tmp_path / "p.c").write_text(PROGRAM)
    (tmp_path / "soid.toml").write_text(MANIFEST)
    (tmp_path / "log.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines))
    asked = itertools.product(("would", "might"), range(4), range(STEPS), (1, 2, 3), (True, False))
    verdicts = set()
    for kind, value, at, count, held in chance.sample(list(asked), QUESTIONS):
        if at + count > STEPS:
            continue
        first = chance.randrange(count)
        steps = f" after {count} steps {'held' if held else 'as logged'}" if count > 1 else ""
        since = f" from step {at + first}" if count > 1 else ""
        text = f"{kind} return == {value}{steps} if en is anything{since}"
        answer = Project.open(tmp_path, step=at).ask(text)
        verdicts.add(answer.verdict.value)
        expected = truth(kind, value, true, at, count, range(first, count), held=held)
        assert answer.verdict.value in (expected, "unknown"), (true, at, text, answer.reason)
        if answer.throughout is not None:
            sibling = {"would": "might", "might": "would"}[kind]
            assert truth(sibling, value, true, at, count, range(first, count), held=held) == expected, (true, at, text)
    assert verdicts & {"yes", "no"}
