"""Logics whose state matters: a counter that moves on and a lamp that changes, and endings that depend on both."""

from __future__ import annotations

import random

from tests.differential.logics.kinds import BOOL, Kind
from tests.differential.logics.logic import DECIDES, FAILS, UNDECIDED, UNEXPLORED, Leaf, Logic, Variable
from tests.differential.logics.terms import Expr, negation

COUNT, INPUT = Kind("int", 3), Kind("int", 2)
_WORDS = {
    FAILS: ("fails: division by zero at counter.c:12", "fails: abort"),
    UNDECIDED: ("does not decide",),
    UNEXPLORED: ("unexplored: out of time",),
}


def machine(seed: str) -> Logic:
    """The machine of a seed, always the same; its log says what it does in fact."""
    rng = random.Random(seed)
    variables = (
        _variable("count", "state", COUNT),
        _variable("lit", "state", BOOL),
        _variable("input", "environment", INPUT),
        _variable("go", "decision", INPUT),
    )
    leaves: list[Leaf] = []

    def grow(guards: tuple[Expr, ...], depth: int) -> None:
        if depth:
            guard = _guard(rng)
            grow((*guards, guard), depth - 1)
            grow((*guards, negation(guard)), depth - 1)
        else:
            leaves.append(_leaf(rng, f"p{len(leaves)}", guards))

    grow((), rng.randint(1, 3))
    fact = {"count": rng.randrange(8), "lit": rng.randrange(2), "input": rng.randrange(4)}
    return Logic(seed, variables, tuple(leaves), fact, {}, one_file=False)


def _variable(name: str, role: str, kind: Kind) -> Variable:
    values = tuple(range(1 << kind.width))
    return Variable(name, role, kind, name, f"{name}'", False, "", values, values)


def _guard(rng: random.Random) -> Expr:
    bound = rng.randrange(1, 8)
    return rng.choice(
        [
            Expr("lit", lambda state: bool(state["lit"])),
            Expr(f"(bvult count (_ bv{bound} 3))", lambda state: state["count"] < bound),
            Expr(f"(= count (_ bv{bound} 3))", lambda state: state["count"] == bound),
            Expr(f"(bvult input (_ bv{bound // 2} 2))", lambda state: state["input"] < bound // 2),
        ]
    )


def _leaf(rng: random.Random, name: str, guards: tuple[Expr, ...]) -> Leaf:
    ending = rng.choices([DECIDES, FAILS, UNDECIDED, UNEXPLORED, ""], [72, 12, 9, 3, 4])[0]
    if not ending:
        return Leaf(name, guards, UNEXPLORED, "", written=False)
    if ending != DECIDES:
        return Leaf(name, guards, ending, rng.choice(_WORDS[ending]))
    return Leaf(name, guards, DECIDES, "", {"go": _go(rng), "count'": _count(rng), "lit'": _lit(rng)})


def _count(rng: random.Random) -> Expr:
    by = rng.choice([1, 1, 2, 7, 0])
    to = rng.randrange(8)
    wide = "((_ zero_extend 1) input)"
    return rng.choice(
        [
            Expr(f"(bvadd count (_ bv{by} 3))", lambda state: (state["count"] + by) % 8),
            Expr(f"(bvadd count (_ bv{by} 3))", lambda state: (state["count"] + by) % 8),
            Expr(f"(bvadd count {wide})", lambda state: (state["count"] + state["input"]) % 8),
            Expr(f"(_ bv{to} 3)", lambda _: to),
        ]
    )


def _lit(rng: random.Random) -> Expr:
    bound = rng.randrange(1, 8)
    return rng.choice(
        [
            Expr("lit", lambda state: bool(state["lit"])),
            Expr("(not lit)", lambda state: not state["lit"]),
            Expr(f"(bvult count (_ bv{bound} 3))", lambda state: state["count"] < bound),
            Expr("true", lambda _: True),
        ]
    )


def _go(rng: random.Random) -> Expr:
    to = rng.randrange(4)
    return rng.choice(
        [
            Expr(f"(_ bv{to} 2)", lambda _: to),
            Expr("((_ extract 1 0) count)", lambda state: state["count"] % 4),
            Expr("input", lambda state: state["input"]),
        ]
    )
