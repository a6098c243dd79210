"""What is supposed `until` something, against brute force: every scenario is run on the compiled program, step by step.

A scenario is what is perceived in each step, and that follows from its own decisions. The factual one is left out.
"""

from __future__ import annotations

import ctypes
import itertools
import random
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import pytest

from tests.differential.test_futures_native import (
    FIRST,
    GPS,
    LOGS,
    PILOT,
    Pair,
    folder,
    holds,
    library,
    logged,
    ran,
)

__all__ = ["folder", "library"]  # fixtures
QUESTIONS = 12


@dataclass(frozen=True)
class SupposedUntil:
    """One supposition: which values of which variable from which step on, until what."""

    variable: int  # 0: gps, 1: pilot
    values: tuple[int, ...]
    first: int  # the first step of the question being 0
    until: tuple[str, int, bool]  # the output, a value, and whether it is to have it or not
    text: str

    def is_met(self, outputs: tuple[int, int, int]) -> bool:
        name, value, equal = self.until
        return (outputs[("return", "bad'", "mode'").index(name)] == value) is equal


def supposed(rng: random.Random, start: int, count: int) -> SupposedUntil:
    variable = rng.randrange(2)
    name, domain = ("gps", GPS) if variable == 0 else ("pilot", PILOT)
    values = tuple(sorted(rng.sample(domain, rng.randint(1, len(domain)))))
    text = f"{name} is anything" if values == domain else f"{name} in {{{', '.join(map(str, values))}}}"
    first = rng.choice((0, 0, rng.randrange(count)))
    begins = f" from step {start + first}" if first or rng.random() < 0.5 else ""
    output = rng.choice(("return", "return", "bad'", "mode'"))
    until = (output, rng.randrange(3 if output == "bad'" else 5), rng.random() < 0.7)
    text += f"{begins} until {output} {'==' if until[2] else '!='} {until[1]}"
    return SupposedUntil(variable, values, first, until, text)


def course(
    library: ctypes.CDLL,
    state: Pair,
    world: Sequence[Pair],
    each: Sequence[SupposedUntil],
    values: Sequence[int],
) -> tuple[Pair, ...]:
    """What is perceived in each step; `world` is perceived where nothing is supposed, or no longer."""
    over: set[int] = set()
    made: list[Pair] = []
    for step, (gps, pilot) in enumerate(world):
        now = [gps, pilot]
        for number, (one, value) in enumerate(zip(each, values, strict=True)):
            if step >= one.first and number not in over:
                now[one.variable] = value
        made.append((now[0], now[1]))
        outputs = ran(library, *state, made)[-1]
        over |= {number for number, one in enumerate(each) if step >= one.first and one.is_met(outputs)}
    return tuple(made)


def worlds(future: str, log: Sequence[Pair], count: int) -> Iterator[tuple[Pair, ...]]:
    """What may be perceived where nothing is supposed; the first is what is taken for the fact."""
    if future != "anything":
        yield tuple(log[step] if future == "as logged" else log[0] for step in range(count))
    else:
        yield tuple(log[:count])
        for later in itertools.product(itertools.product(GPS, PILOT), repeat=count - 1):
            yield (log[0], *later)


@pytest.mark.parametrize("seed", range(LOGS))
def test_a_verdict_is_that_of_all_scenarios(seed: int, folder: Path, library: ctypes.CDLL) -> None:
    rng = random.Random(f"until {seed}")
    project, given, run = logged(rng, folder, library)
    seen: Counter[str] = Counter()
    for _ in range(QUESTIONS):
        number, count = rng.randrange(3), rng.randint(2, 4)
        future, kind = rng.choice(("as logged", "as logged", "held", "anything")), rng.choice(("would", "might"))
        count = min(count, 3) if future == "anything" else count
        each = [supposed(rng, FIRST + number, count) for _ in range(rng.choice((1, 1, 2)))]
        if len({one.variable for one in each}) < len(each):
            continue
        over, wanted = rng.choice(("after", "within", "throughout")), rng.randrange(5)
        bad, mode = run[number - 1][1:] if number else (0, 0)
        states = sorted(rng.sample(range(3), 2)) if rng.random() < 0.2 else [bad]
        texts = [one.text for one in each] + ([f"bad in {{{states[0]}, {states[1]}}}"] if len(states) > 1 else [])
        asked = "return" if rng.random() < 0.8 else "pilot"
        question = f"{kind} {asked} == {wanted} {over} {count} steps {future} if {' and '.join(texts)}"
        log = given[number:]
        fact = next(worlds(future, log, count))
        scenarios = {
            (state, course(library, (state, mode), world, each, values))
            for state in states
            for world in worlds(future, log, count)
            for values in itertools.product(*(one.values for one in each))
        } - {(bad, fact)}
        occurs = []
        for state, perceived in scenarios:
            seen_there = tuple((pilot, 0, 0) for _, pilot in perceived)  # in the form of a run
            outputs = ran(library, state, mode, perceived) if asked == "return" else seen_there
            occurs.append(holds(over, wanted, outputs))
        verdict = ("yes" if (all if kind == "would" else any)(occurs) else "no") if occurs else "vacuous"
        answer = project.at(FIRST + number).ask(question)
        assert answer.verdict.value == verdict, f"{question}\n{given}\n{answer.verdict} instead of {verdict}"
        seen[f"{future} {verdict}"] += 1
        if answer.witness is not None:
            assert "by running the compiled program" in answer.witness.replayed
    assert len(seen) > 3, seen
