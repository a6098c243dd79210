"""Trees over signs: whether their leaves hold every run."""

from __future__ import annotations

import math
import random

import pytest

from soid.errors import BundleError
from soid.evidence.sign_trees import MOST_LEAVES, Sign, SignedLeaf, SignTree, check_trees


def leaf(*signs: Sign) -> SignedLeaf:
    return SignedLeaf(signs, ("00",))


def checked(*leaves: SignedLeaf) -> None:
    check_trees([SignTree("lead", "low", leaves)], ["lead"])


PLUS, MINUS = leaf((0, 1, 1, 0.5)), leaf((0, 1, -1, 0.0))


def test_leaves_with_both_sides_of_each_split_hold_every_run() -> None:
    checked(leaf())
    checked(PLUS, MINUS)
    first, second = (leaf((0, 1, 1, 0.5), (1, 1, sign, 2.0)) for sign in (1, -1))
    checked(MINUS, second, first)


@pytest.mark.parametrize(
    ("leaves", "why"),
    [
        ((), "one is missing"),
        ((PLUS,), "one is missing"),
        ((MINUS,), "one is missing"),
        ((PLUS, PLUS), "one is missing"),
        ((PLUS, MINUS, MINUS), "one is missing"),
        ((PLUS, leaf((0, 0, -1, 0.0))), "different elements"),
        ((PLUS, leaf((1, 1, -1, 0.0))), "different elements"),
        ((leaf(), PLUS, MINUS), "one is missing"),
        ((leaf((0, 1, 1, 0.5), (0, 0, 1, 0.5)), MINUS), "one is missing"),
        ((PLUS, leaf((0, 1, -1, -1e-9))), "below zero"),
        ((PLUS, leaf((0, 1, -1, math.nan))), "below zero"),
        ((PLUS, leaf((0, 1, -1, math.inf))), "below zero"),
        ((leaf((0, 1, 1, 0.5), (0, 1, 1, 1.0)), leaf((0, 1, 1, 0.5), (0, 1, -1, 1.0)), MINUS), "is known"),
        ((PLUS,) * (MOST_LEAVES + 1), "too often"),
    ],
)
def test_leaves_that_leave_a_run_out_are_refused(leaves: tuple[SignedLeaf, ...], why: str) -> None:
    with pytest.raises(BundleError, match=why):
        checked(*leaves)


def test_a_tree_is_of_a_number_that_the_cover_has() -> None:
    with pytest.raises(BundleError, match="does not have"):
        check_trees([SignTree("lead", "low", (leaf(),))], ["score"])


def grown(luck: random.Random, path: tuple[Sign, ...] = ()) -> list[SignedLeaf]:
    if len(path) > 4 or luck.random() < 0.3:
        return [leaf(*path)]
    sides: list[list[SignedLeaf]] = [grown(luck, (*path, (0, len(path), sign, 1.0))) for sign in (1, -1)]
    return [*sides[0], *sides[1]]


@pytest.mark.parametrize("seed", range(20))
def test_without_any_of_its_leaves_no_tree_holds_every_run(seed: int) -> None:
    luck = random.Random(seed)
    leaves = grown(luck)
    luck.shuffle(leaves)
    checked(*leaves)
    for place, one in enumerate(leaves):
        others = leaves[:place] + leaves[place + 1 :]
        with pytest.raises(BundleError):
            checked(*others)
        for at, (layer, element, sign, by) in enumerate(one.signs):
            turned: Sign = (layer, element, 1 if sign == -1 else -1, by)
            with pytest.raises(BundleError):
                checked(*others, leaf(*one.signs[:at], turned, *one.signs[at + 1 :]))
