"""Models with a score for each of several classes against brute force: moment after moment in one process.

Each class has trees over some of the features only, so where few features are free some scores vary and others are
constants, which are other ones at the next moment. What functions keep from question to question must not mix these up.
A failure names the seed; `SCORES=1:<seed> pytest -m fuzz` runs that model alone.
"""

from __future__ import annotations

import itertools
import math
import os
import random
from collections import Counter
from contextlib import closing
from typing import NamedTuple

import numpy as np
import pytest

from soid.engine.learned.evaluation import Evaluated, ModelEvaluation
from soid.engine.learned.model import ClassRule, Greatest, LearnedModel, Link, ModelFeature, NamedNumber, TreeSum
from soid.engine.learned.trees_builder import TreesBuilder
from soid.formula import softfloat as sf
from soid.oracle.answer import Verdict
from soid.oracle.inquiry import Context, Settings
from soid.oracle.pipeline import answer
from soid.query.language.query_parser import parse_checked
from soid.scenario.trace import Keyframe
from soid.solver.chain import chain
from tests.unit.engine.learned.test_learned_engine import engine_of

MODELS = (0, 4, 5)  # two of them have shares of which the last bits are not known
MOMENTS = 8  # of each of them
CUTS = (-1.5, 0.0, 0.75, 3.0)
NAMES = "xyz"

#: a number of every cell: at each cut, after it, and after the last one. No fact has one of them, so what is asked
#: about other scenarios than the fact leaves every cell a number.
NUMBERS = sorted({end for cut in CUTS for end in (cut, math.nextafter(cut, 9.0))})
FACTS = (-2.25, -0.5, 0.25, 1.25, 3.5)


class Question(NamedTuple):
    """A behavior, and where it occurs among some rows of a model."""

    text: str
    number: str  # empty: it is about the class
    than: float | str | int  # what the number is compared with: a bound, or another number; or the class


def model(luck: random.Random) -> LearnedModel:
    """Three or four classes; the trees of each test one or two of the features, in most models x for one class only."""
    classes = range(luck.choice((3, 3, 4)))
    grown, alone = [], luck.choice((None, *classes))
    for each in classes:
        trees, tested = TreesBuilder(), luck.sample(range(len(NAMES)), luck.choice((1, 1, 2)))
        if alone is not None:
            tested = [0] if each == alone else [number for number in tested if number] or [1, 2]
        for _ in range(luck.randint(1, 3)):
            trees.root()
            grow(trees, luck, tested, 3)
        grown.append(trees.done())
    scores = tuple(f"score_{each}" for each in classes)
    plain, exact = luck.random() < 0.5, luck.random() < 0.5
    links = tuple(
        Link(f"share_{each}", "softmax" if plain else "softmax_in_order", (scores[each], *scores), 32, exact=exact)
        for each in classes
    )
    return LearnedModel(
        "xgboost",
        "",
        "trees",
        tuple(map(ModelFeature, NAMES)),
        tuple(grown),
        tuple(TreeSum(name, each, precision=32, start=0.5) for each, name in enumerate(scores)),
        links,
        ClassRule(tuple(f"c{each}" for each in classes), Greatest(scores)),
        tuple(NamedNumber(name, name) for name in (*scores, *(link.name for link in links))),
    )


def grow(trees: TreesBuilder, luck: random.Random, tested: list[int], depth: int) -> int:
    if depth == 0 or (depth < 3 and luck.random() < 0.2):
        return trees.leaf([float(np.float32(luck.uniform(-1.5, 1.5)))])
    node = trees.number_test(luck.choice(tested), luck.choice(CUTS), missing_left=luck.random() < 0.5)
    trees.children(node, grow(trees, luck, tested, depth - 1), grow(trees, luck, tested, depth - 1))
    return node


def questions(luck: random.Random, of: LearnedModel, known: Evaluated) -> list[Question]:
    """The same for every moment: what is kept of their conditions meets other constants."""
    assert of.label is not None
    found = [Question(f"decision is c{each}", "", each) for each in range(len(of.label.classes))]
    for name, numbers in known.numbers.items():
        values = sorted(set(numbers.tolist()))
        for bound in luck.sample(values, min(len(values), 4 if name.startswith("share") else 1)):
            found.append(Question(f"{name} >= {bound!r}", name, bound))
    pairs = luck.sample(list(itertools.permutations([link.name for link in of.links], 2)), 3)
    return [*found, *(Question(f"{first} >= {second}", first, second) for first, second in pairs)]


def occurs(asked: Question, found: Evaluated) -> np.ndarray:
    if not asked.number:
        return np.asarray(found.labels == asked.than)
    other = found.numbers[asked.than] if isinstance(asked.than, str) else asked.than
    return np.asarray(found.numbers[asked.number] >= other)


def freed(luck: random.Random, fact: list[float]) -> tuple[str, np.ndarray]:
    """Suppositions, and a row of every cell that they leave."""
    words: list[str] = []
    sides = [[value] for value in fact]
    for number in luck.choice(((0,), (0,), (0,), (0,), (1,), (2,), (0, 1), (1, 2))):
        name, values = NAMES[number], NUMBERS
        if luck.random() < 0.4:
            low, high = sorted(luck.sample(range(len(NUMBERS)), 2))
            words.append(f"{NUMBERS[low]!r} <= {name} <= {NUMBERS[high]!r}")
            values = NUMBERS[low : high + 1]
        else:
            words.append(f"{name} is anything")
        sides[number] = values
    return " and ".join(words), np.array(list(itertools.product(*sides)))


def compare(seed: str) -> Counter[str]:
    luck = random.Random(seed)
    of = model(luck)
    engine, judge = engine_of(of), ModelEvaluation(of)
    asked = questions(luck, of, judge.of(np.array(list(itertools.product(NUMBERS, repeat=len(NAMES))))))
    met: Counter[str] = Counter()
    for moment in range(MOMENTS):
        fact = [luck.choice(FACTS) for _ in NAMES]
        inputs = {v.path: sf.float_to_bits64(fact[NAMES.index(v.path)]) for v in engine.interface.inputs}
        keyframe = Keyframe(moment, inputs, {}, engine.interface)
        words, rows = freed(luck, fact)
        if not all(name in inputs for name in NAMES if f"{name} " in f" {words} "):
            continue  # no tree uses it
        found = judge.of(rows)
        for each in luck.sample(asked, len(asked) // 2):
            for kind, truth in (("would", occurs(each, found).all()), ("might", occurs(each, found).any())):
                text = f"{kind} {each.text} if {words}"
                with closing(chain()) as solver:
                    context = Context(engine, solver, settings=Settings(seconds=20, witness_seconds=0.0))
                    verdict = answer(parse_checked(text, engine.interface), keyframe, context).verdict
                met[verdict.value] += 1
                if verdict.is_definite:
                    assert (verdict is Verdict.YES) == bool(truth), f"seed {seed}, moment {moment} {fact}: {text}"
                else:  # the last bits of a softmax are not known
                    inexact = each.number.startswith("share") and not of.links[0].exact
                    assert inexact or isinstance(each.than, str), f"seed {seed}, moment {moment} {fact}: {text}"
    return met


def test_verdicts_about_several_scores_are_those_of_brute_force() -> None:
    met: Counter[str] = Counter()
    for number in MODELS:
        met += compare(f"scores {number}")
    assert min(met["yes"], met["no"]) > 5 * met["unknown"] > 0


@pytest.mark.fuzz
@pytest.mark.timeout(3600)
def test_verdicts_of_more_models() -> None:
    count, _, first = os.environ.get("SCORES", "500").partition(":")
    for number in range(int(count)):
        compare(first or f"more {number}")
