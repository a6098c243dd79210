"""Reading VNN-LIB: cases, numbers as they are written, and refusals with their lines."""

from __future__ import annotations

import itertools
import random
from collections.abc import Callable
from fractions import Fraction

import pytest

from soid.errors import SmtLibError
from soid.query.vnnlib import Condition, LinearRelation, NetworkProperty, read_vnnlib

DECLARED = "(declare-const X_0 Real)\n(declare-fun X_1 () Real)\n(declare-const Y_0 Real)\n(declare-const Y_1 Real)\n"

Values = dict[tuple[str, int], Fraction]


def holds(condition: Condition, values: Values) -> bool:
    if isinstance(condition, LinearRelation):
        total = sum(values[letter, number] * factor for letter, number, factor in condition.terms)
        return total <= condition.bound if condition.comparison == "<=" else total < condition.bound
    return (all if condition.every else any)(holds(each, values) for each in condition.parts)


def satisfied(found: NetworkProperty, values: Values) -> bool:
    return any(all(holds(each, values) for each in case.box) and holds(case.sought, values) for case in found.cases)


def random_text(luck: random.Random, depth: int) -> tuple[str, Callable[[Values], bool]]:
    """A condition as text, and what it means as a function of values."""
    kind = luck.choice(("and", "or", "not", "relation")) if depth else "relation"
    if kind == "relation":
        letter, number = luck.choice("XY"), luck.randrange(2)
        bound, comparison = luck.choice(("0.5", "-1", "1e-1", "-2.5E0", "0")), luck.choice(("<=", "<", ">=", ">", "="))
        left = f"(- {letter}_{number})" if luck.random() < 0.3 else f"(* 2.0 {letter}_{number})"
        factor = Fraction(-1) if left.startswith("(-") else Fraction(2)
        compared = {"<=": "__le__", "<": "__lt__", ">=": "__ge__", ">": "__gt__", "=": "__eq__"}[comparison]
        mean = lambda v: getattr(v[letter, number] * factor, compared)(Fraction(bound))  # noqa: E731
        return f"({comparison} {left} {bound})", mean
    parts = [random_text(luck, depth - 1) for _ in range(1 if kind == "not" else luck.randint(1, 3))]
    text = f"({kind} {' '.join(each for each, _ in parts)})"
    if kind == "not":
        return text, lambda v: not parts[0][1](v)
    return text, lambda v: (all if kind == "and" else any)(mean(v) for _, mean in parts)


def test_cases_mean_what_the_assertions_mean():
    luck = random.Random(20)
    grid = [Fraction(each, 20) for each in (-50, -20, -5, 0, 1, 2, 5, 10)]
    for _ in range(60):
        made = [random_text(luck, 3) for _ in range(luck.randint(1, 3))]
        found = read_vnnlib(DECLARED + "\n".join(f"(assert {text})" for text, _ in made), "p.vnnlib")
        for numbers in itertools.islice(itertools.product(luck.sample(grid, 4), repeat=4), 0, 256, 5):
            values = dict(zip((("X", 0), ("X", 1), ("Y", 0), ("Y", 1)), numbers, strict=True))
            assert satisfied(found, values) == all(mean(values) for _, mean in made), [text for text, _ in made]


def test_or_over_outputs_stays_one_case():
    found = read_vnnlib(DECLARED + "(assert (or (<= Y_0 Y_1) (>= Y_0 3)))(assert (<= X_0 1))(assert (>= X_1 0))", "p")
    assert len(found.cases) == 1 and len(found.cases[0].box) == 2


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("(assert (<= X_0 Y_0))", "p.vnnlib:5:13: this relates an input"),
        ("(assert (<= (+ X_0 X_1) 1))", "p.vnnlib:5:13: this relates an input"),
        ("(assert (<= (* Y_0 Y_1) 1))", "p.vnnlib:5:13: * is no linear expression"),
        ("(assert (<= (/ 1 Y_0) 1))", "p.vnnlib:5:13: / is no linear expression"),
        ("(assert (<= Y_7 1))", "p.vnnlib:5:13: Y_7 is not declared"),
        ("(assert (<= Z 1))", "p.vnnlib:5:13: Z is no number"),
        ("(assert (=> (<= Y_0 1) (<= Y_1 1)))", "p.vnnlib:5:9: => is no condition"),
        ("(assert Y_0)", "p.vnnlib:5:9: Y_0 is no condition"),
        ("(check-sat)", "p.vnnlib:5:1: check-sat is no command"),
        ("(declare-const X_0 Int)", "p.vnnlib:5:1: this declares no input"),
        ("(declare-const X_3 Real)", "p.vnnlib: the variables X_0, X_1, ... are not all declared"),
        ("(assert (<= Y_0 1)", "p.vnnlib:5:1: this parenthesis is never closed"),
        ("(assert " + "(not " * 5000 + "(<= Y_0 1)" + ")" * 5001, "nested too deeply"),
        ("".join(f"(assert (or (<= X_0 {n}) (<= X_1 {n})))" for n in range(13)), "more than 4096 boxes"),
    ],
)
def test_what_is_no_property_is_refused_with_its_line(text, told):
    with pytest.raises(SmtLibError) as raised:
        read_vnnlib(DECLARED + text, "p.vnnlib")
    assert told in str(raised.value) and raised.value.remedy
