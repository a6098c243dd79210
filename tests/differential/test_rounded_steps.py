"""A rounded log over several steps: what is definite about it must be so for the digits that were cut off.

A program with two counters and a mean runs on numbers with all their digits. One log has them, another has one decimal.
What follows from the second, and is answered definitely, is what the first one says.
"""

from __future__ import annotations

import json
import random
import struct

import pytest

from soid import Project, Settings

PROGRAM = """
static int streak, total;
static float mean;
int decide(float x, _Bool armed) {{
    int mode = 0;
    if (x > {bound}f) streak = streak + 1; else streak = 0;
    if (x * x < {square}f && armed) total = {total};
    mean = {mean};
    if (streak >= {most}) mode = 1;
    if (mean > {limit}f) mode = 2;
    if (total == 3) mode = 3;
    return mode;
}}
"""
MANIFEST = """
[program]
engine = "llvm"
sources = ["p.c"]
entry = "decide"
[trace]
file = "log.jsonl"
{start}
[variables]
x = {{ domain = [-5.0, 5.0]{decimals} }}
streak = {{ domain = [0, 100] }}
total = {{ domain = [0, 100] }}
mean = {{ domain = [-50.0, 50.0] }}
"""


@pytest.mark.parametrize("seed", [4, *(pytest.param(seed, marks=pytest.mark.fuzz) for seed in range(100) if seed != 4)])
def test_what_a_rounded_log_says_is_what_the_digits_say(seed, tmp_path):
    chance = random.Random(seed)
    text = PROGRAM.format(
        bound=chance.choice([0.25, 1.0, 1.05]),
        square=chance.choice([0.5, 2.0]),
        total=chance.choice(["total < 3 ? total + 1 : 3", "1 - total", "x < 0.0f ? 0 : 3"]),
        mean=chance.choice(["0.5f * mean + x", "x > 0.0f ? x : mean", "x > 1.0f ? 2.0f : mean"]),
        most=chance.choice([1, 2, 3]),
        limit=chance.choice([1.5, 2.5]),
    )
    start = "from_start = true" if chance.random() < 0.5 else ""
    values = [struct.unpack("f", struct.pack("f", chance.uniform(-1.5, 2.5)))[0] for _ in range(7)]
    armed = [chance.random() < 0.5 for _ in values]
    exact = _project(tmp_path / "exact", text, "from_start = true", "", [f"{x!r}" for x in values], armed, [])
    modes = [exact.at(step).ask("did return == 0").fact["return"] for step in range(len(values))]
    logged = [step for step in range(len(values)) if chance.random() < 0.4]
    decisions = [modes[step] if step in logged else None for step in range(len(values))]
    decimals = ", logged = { decimals = 1 }"
    rounded = _project(tmp_path / "rounded", text, start, decimals, [f"{x:.1f}" for x in values], armed, decisions)
    for step in chance.sample(range(len(values) - 2), 3):
        one, other = exact.at(step), rounded.at(step)
        for path in other.keyframe.derived:
            assert other.keyframe.inputs[path] == one.keyframe.inputs[path], (text, values, step, path)
        for mode in range(4):
            for period in ("", " within 3 steps", " throughout 2 steps", " after 3 steps"):
                question = f"did return == {mode}{period}"
                truth, answer = one.ask(question), other.ask(question)
                assert truth.verdict.is_definite
                if answer.verdict.is_definite:
                    assert answer.verdict is truth.verdict, (text, values, step, question, answer.reason)


def _project(folder, text, start, decimals, values, armed, decisions):
    folder.mkdir()
    (folder / "p.c").write_text(text)
    (folder / "soid.toml").write_text(MANIFEST.format(start=start, decimals=decimals))
    steps = [{"x": x, "armed": ready} for x, ready in zip(values, armed, strict=True)]
    for step, mode in zip(steps, decisions, strict=False):
        step |= {} if mode is None else {"return": mode}
    (folder / "log.jsonl").write_text("".join(_line(step) + "\n" for step in steps))
    return Project.open(folder, settings=Settings(seconds=3))


def _line(step):
    """JSON with the digits of a number as they are."""
    return json.dumps({**step, "x": "X"}).replace('"X"', step["x"])
