"""The search over cells against brute force: small random forests, every cell of their thresholds tried by hand.

A failure names the seed; `FORESTS=1:<seed> pytest -m fuzz` runs that forest alone.
"""

from __future__ import annotations

import itertools
import math
import os
import random
from collections.abc import Iterator, Sequence

import numpy as np
import pytest

from soid.budget import UNLIMITED, Cancellation
from soid.engine.learned.evaluation import ModelEvaluation, Trees
from soid.engine.learned.forest import Forest
from soid.engine.learned.link_function import LinkFunction
from soid.engine.learned.model import MISSING, UNSEEN, LearnedModel, Link, ModelFeature, TreeSum
from soid.engine.learned.sum_functions import TreeFunction
from soid.engine.learned.trees_builder import TreesBuilder
from soid.formula import build, intervals
from soid.formula import softfloat as sf
from soid.formula.operators import signed
from soid.formula.passes import evaluate_all, flatten_and
from soid.formula.sorts import FLOAT32, FLOAT64, BitVec
from soid.formula.term import Term
from soid.solver.box_conditions import BoxFunction, Size, lay_out
from soid.solver.cell_search import search_cells, settled_cells

FORESTS = 12
QUESTIONS = 3  # about each of them
PLAIN = 6  # conditions that the search settles; of two variables that are compared in a cell there may be too many
CUTS = (-1.5, 0.0, 3.0)
CODES_IN_FILE = (4, 5, 9)
FEATURES = (*map(ModelFeature, "xyz"), ModelFeature("c", "category", (("A", 4), ("B", 5), ("C", 9))))

#: at thresholds and beside them, both zeros, ends of ranges, and not a number
NUMBERS = sorted({end for cut in CUTS for end in (cut, math.nextafter(cut, 9))} | {-4.0, 4.0})
VALUES = [*NUMBERS, -0.0, math.inf, math.nan]
CODES = [UNSEEN, MISSING, 0, 1, 2]  # the labels are 0, 1 and 2 in terms

X = [build.var(each.name, BitVec(32 if each.kind == "category" else 64)) for each in FEATURES]
SCORE = build.var("score of step 1", FLOAT32)
PROBABILITY = build.var("probability of step 1", FLOAT32)


def forest(seed: str) -> LearnedModel:
    luck, trees = random.Random(seed), TreesBuilder()

    def grow(depth: int) -> int:
        if depth == 0 or (depth < 4 and luck.random() < 0.15):
            return trees.leaf([luck.choice((-0.0, 0.0, *(float(np.float32(luck.uniform(-1, 1))) for _ in range(8))))])
        feature, left = luck.randrange(len(FEATURES)), luck.random() < 0.5
        if feature == 3:
            codes = luck.sample([UNSEEN, *CODES_IN_FILE], luck.randint(1, 3))
            node = trees.code_test(feature, codes, missing_left=left)
        else:
            cut = luck.choice((*CUTS, *CUTS, math.inf, math.nan))  # all numbers go left, none does
            node = trees.number_test(feature, cut, missing_left=left)
        trees.children(node, grow(depth - 1), grow(depth - 1))
        return node

    for _ in range(luck.randint(1, 7)):
        trees.root()
        grow(4)
    link = Link("probability", "sigmoid", ("score",), 32, exact=True)
    start = luck.choice((0.0, 0.1))
    return LearnedModel(
        "none", "", "trees", FEATURES, (trees.done(),), (TreeSum("score", 0, precision=32, start=start),), (link,)
    )


def functions(model: LearnedModel) -> list[BoxFunction]:
    used = Forest.of(Trees(model.trees[0]), FEATURES)
    (one,) = model.sums
    assert isinstance(one, TreeSum)
    score, probability = TreeFunction(used, one), LinkFunction(model.links[0], [SCORE])
    arguments = tuple(X[3] if number == 3 else build.fp_from_bits(FLOAT64, X[number]) for number in used.used)
    return [
        BoxFunction(SCORE, arguments, score.over, score.value, score.bulk),
        BoxFunction(PROBABILITY, (SCORE,), probability.over, probability.value),
    ]


@pytest.mark.parametrize("seed", range(8))
def test_a_sum_at_a_point_is_what_its_bounds_are_there(seed: int) -> None:
    """Two ways to a leaf: following each tree, and restricting all of them to a box."""
    score = functions(forest(f"point {seed}"))[0]
    luck = random.Random(seed)
    for _ in range(60):
        row = bits([*(luck.choice(VALUES) for _ in range(3)), luck.choice([*CODES, 3, 77])])
        values = tuple(evaluate_all(score.arguments, row))
        pairs = zip(values, score.arguments, strict=True)
        found = score.over(tuple(intervals.exactly(each.sort, value) for value, each in pairs))
        assert isinstance(found, intervals.Floats) and found.low == found.high
        assert score.value(values) == sf.from_ordinal(FLOAT32, found.low)


def bits(row: Sequence[float]) -> dict[Term, int]:
    codes = int(row[3]) & 0xFFFFFFFF
    return {term: codes if term is X[3] else sf.float_to_bits64(each) for term, each in zip(X, row, strict=True)}


def single(number: float) -> Term:
    return build.const(FLOAT32, sf.float_to_bits32(number))


def conditions(luck: random.Random, scores: Sequence[float]) -> Iterator[Term]:
    """What is asked of the score, of variables, and of several variables together."""
    bound = single(luck.choice(scores))
    yield luck.choice(
        (
            build.fp_lt(bound, SCORE),
            build.fp_leq(SCORE, bound),
            build.eq(SCORE, bound),
            build.fp_lt(single(0.5), PROBABILITY),
        )
    )
    for term in X[:3]:
        value, low, high = build.fp_from_bits(FLOAT64, term), *sorted(luck.sample(NUMBERS, 2))
        ends = [build.const(FLOAT64, sf.float_to_bits64(end)) for end in (low, high)]
        infinity = build.const(FLOAT64, FLOAT64.infinity)
        within = build.and_(build.fp_leq(ends[0], value), build.fp_leq(value, ends[1]))
        yield luck.choice(
            (
                within,
                build.not_(build.fp_lt(infinity, value)),
                build.or_(build.fp_is_nan(value), within),
                build.not_(within),
            )
        )
    labels = luck.sample(CODES, luck.randint(1, 5))
    yield build.any_of(build.eq(X[3], build.const(BitVec(32), code & 0xFFFFFFFF)) for code in labels)
    fact = bits([*(luck.choice(VALUES) for _ in range(3)), luck.choice(CODES)])
    yield build.any_of(build.not_(build.eq(term, build.const(term.sort, fact[term]))) for term in X)
    if luck.random() < 0.3:
        yield build.fp_lt(build.fp_from_bits(FLOAT64, X[0]), build.fp_from_bits(FLOAT64, X[1]))


def scored(model: LearnedModel, rows: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Score and probability as the evaluator gives them, which knows categories by their codes."""
    codes = {MISSING: math.nan, **dict(enumerate(CODES_IN_FILE))}
    given = rows.copy()
    given[:, 3] = [codes.get(int(label), 77.0) for label in rows[:, 3]]  # 77: training has not seen it
    found = ModelEvaluation(model).of(given).numbers
    return found["score"], found["probability"]


def row_of(model: dict[Term, bool | int]) -> list[float]:
    numbers = [sf.bits64_to_float(int(model.get(term, 0))) for term in X[:3]]
    return [*numbers, float(signed(int(model.get(X[3], 0)), 32))]


def compare(seed: str) -> list[str]:
    """Several questions to the same functions, which keep what they know of conditions."""
    model, luck = forest(seed), random.Random(f"{seed} asked")
    rows = np.array(list(itertools.product(VALUES, VALUES, VALUES, CODES)))
    scores, probabilities = scored(model, rows)
    known, bounds = functions(model), sorted(set(scores.tolist()))
    found = []
    for _ in range(QUESTIONS):
        conjuncts = list(conditions(luck, bounds))
        if luck.random() < 0.5:
            conjuncts.append(build.fp_lt(SCORE, single(luck.choice(bounds))))
        found.append(compare_one(seed, model, conjuncts, known, (rows, scores, probabilities)))
    return found


def compare_one(
    seed: str,
    model: LearnedModel,
    conjuncts: Sequence[Term],
    known: Sequence[BoxFunction],
    tried: tuple[np.ndarray, np.ndarray, np.ndarray],
) -> str:
    rows, scores, probabilities = tried
    answer = search_cells(conjuncts, known, UNLIMITED.started(), Cancellation())
    if answer is None:
        assert len(conjuncts) > PLAIN, f"seed {seed}: the search ended early"
        return "open"
    if answer:
        assert all(evaluate_all(conjuncts, answer)), f"seed {seed}: {answer} is no model"
        score, probability = scored(model, np.array([row_of(answer)]))
        results = {SCORE: sf.float_to_bits32(score[0]), PROBABILITY: sf.float_to_bits32(probability[0])}
        assert all(answer[symbol] == results[symbol] for symbol in results.keys() & answer.keys()), f"seed {seed}"
        assert SCORE in answer
        return "a model"
    for row, score, probability in zip(rows.tolist(), scores, probabilities, strict=True):
        results = {SCORE: sf.float_to_bits32(score), PROBABILITY: sf.float_to_bits32(probability)}
        if all(evaluate_all(conjuncts[:1], results)):
            satisfied = all(evaluate_all(conjuncts, {**bits(row), **results}))
            assert not satisfied, f"seed {seed}: {row} is a model, and the search found none"
    return "none"


def test_the_search_and_brute_force_agree():
    met = [each for number in range(FORESTS) for each in compare(f"forest {number}")]
    assert min(met.count("a model"), met.count("none")) > QUESTIONS * FORESTS // 6


def compare_open(seed: str) -> int:
    """How many states outside of the open boxes of a search that ends early were tried: none of them is a model."""
    model, luck = forest(seed), random.Random(f"{seed} asked")
    rows = np.array(list(itertools.product(VALUES[::3], VALUES, VALUES[::2], CODES)))
    scores, probabilities = scored(model, rows)
    conjuncts = list(conditions(luck, sorted(set(scores.tolist()))))
    laid_out = lay_out(flatten_and(conjuncts), Size(16, 1_000), symbols=X, functions=functions(model))
    assert laid_out is not None
    found = settled_cells(laid_out, UNLIMITED.started(), Cancellation(), widely=True, most=luck.randint(1, 6))
    assert found is not None
    if found.model is not None:
        return 0
    orders = [variable.order for variable in laid_out.variables]
    left = [*found.open, *found.waiting]
    settled = 0
    for row, score, probability in zip(rows.tolist(), scores, probabilities, strict=True):
        state = {**bits(row), SCORE: sf.float_to_bits32(score), PROBABILITY: sf.float_to_bits32(probability)}
        places = [order.place_of(state[term]) for order, term in zip(orders, X, strict=True)]
        if not any(all(low <= at <= high for at, (low, high) in zip(places, box, strict=True)) for box in left):
            settled += 1
            assert not all(evaluate_all(conjuncts, state)), f"seed {seed}: {row} is a model outside of the open boxes"
    return settled


def test_a_search_that_ends_early_leaves_every_model_in_an_open_box():
    assert sum(compare_open(f"forest {number}") > 0 for number in range(FORESTS // 2)) > FORESTS // 8


@pytest.mark.fuzz
def test_more_forests():
    count, _, first = os.environ.get("FORESTS", "2000").partition(":")
    for number in range(int(count)):
        compare(first or f"more {number}")
        compare_open(first or f"more {number}")
