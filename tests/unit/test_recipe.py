"""Recipes: what they leave out, what is said of them, and that they say the same as each other."""

from __future__ import annotations

import pytest

from soid.errors import InputError
from soid.recipe import MECHANISMS, PAPER, RECIPES, SOID, recipe


def test_the_default_uses_everything_and_the_paper_nothing() -> None:
    assert SOID.mechanisms.off == ()
    assert PAPER.mechanisms.off == MECHANISMS
    assert PAPER.solvers == ("z3",)
    assert {name: recipe(name) for name in RECIPES} == RECIPES


@pytest.mark.parametrize("name", MECHANISMS)
def test_each_mechanism_can_be_switched_off_by_name(name: str) -> None:
    without = recipe("soid", [name])
    assert without.mechanisms.off == (name,)
    assert str(without) == f"soid without {name}"
    assert recipe("paper", [name]) == PAPER


def test_recipes_are_called_by_their_names() -> None:
    assert [str(each) for each in RECIPES.values()] == ["soid", "paper"]
    assert str(SOID.without("bounds", "cache")) == "soid without bounds, cache"


def test_what_there_is_not_is_an_error_that_says_what_there_is() -> None:
    with pytest.raises(InputError) as caught:
        recipe("pepper")
    assert caught.value.remedy == "The recipes are: soid, paper."
    with pytest.raises(InputError) as caught:
        recipe("soid", ["bonds"])
    assert "bonds" in caught.value.cause
    assert all(name in caught.value.remedy for name in MECHANISMS)
