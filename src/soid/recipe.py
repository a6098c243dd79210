"""Recipes: what settles a question before a solver is asked, and which solvers are asked then.

    soid    every mechanism, and all solvers
    paper   the published method: each branch forks, Z3 checks both of its sides, and Z3 is asked once at the end

A mechanism saves work and decides nothing by itself: with any of them switched off the verdicts are the same, where
the time is enough. Loader, terms and interpreter are the same in all recipes; values that depend on no freed input are
computed as plain numbers, as every symbolic executor does.

>>> SOID.without("bounds").mechanisms.off
('bounds',)
>>> PAPER.mechanisms.path_models
False
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final, final

from msgspec import Struct
from msgspec.structs import replace

from soid.errors import InputError


@final
class Mechanisms(Struct, frozen=True):
    """Each by its name; all are on unless they are switched off."""

    pinning: bool = True  # what the suppositions leave one value is run as a value, not as a symbol
    path_models: bool = True  # a path carries a model: the side of a branch that its model takes costs nothing
    bounds: bool = True  # what a path knows of compared values settles the other side
    intervals: bool = True  # what values can be at all under the suppositions settles it
    merging: bool = True  # where there are many paths, those that meet again go on as one
    glances: bool = True  # a side that is hard to settle is followed unsettled after a share of the time
    folding: bool = True  # constants, contradictions, and equalities that fix everything, need no solver
    apart: bool = True  # conditions that share no variable are asked about apart, and each once
    cache: bool = True  # nor does what was asked before
    model_reuse: bool = True  # nor does what a recent model still satisfies
    boxes: bool = True  # nor does what a few boxes, of one to three variables, settle
    summaries: bool = True  # a family inside one that was explored before is not explored again
    paving: bool = True  # what is left open in the end is settled box by box, and how much of it is told
    settling: bool = True  # the scenario shown is brought near to the fact, which asks solvers many times more

    @property
    def off(self) -> tuple[str, ...]:
        """The names of those that are switched off."""
        return tuple(name for name in MECHANISMS if not getattr(self, name))


#: the names of all mechanisms
MECHANISMS: Final = Mechanisms.__struct_fields__


@final
class Recipe(Struct, frozen=True):
    """A way to answer questions."""

    name: str
    mechanisms: Mechanisms = Mechanisms()
    solvers: tuple[str, ...] = ()  # by name, in the order in which they are asked; none: all that there are

    def without(self, *names: str) -> Recipe:
        """The same with mechanisms switched off."""
        for name in names:
            if name not in MECHANISMS:
                raise InputError(
                    f"there is no mechanism called {name}", f"The mechanisms are: {', '.join(MECHANISMS)}."
                )
        return replace(self, mechanisms=replace(self.mechanisms, **dict.fromkeys(names, False)))

    def __str__(self) -> str:
        usual = RECIPES.get(self.name, SOID).mechanisms.off
        missing = [name for name in self.mechanisms.off if name not in usual]
        return f"{self.name} without {', '.join(missing)}" if missing else self.name


SOID: Final = Recipe("soid")
PAPER: Final = Recipe("paper", Mechanisms(*(False for _ in MECHANISMS)), ("z3",))

RECIPES: Final = {recipe.name: recipe for recipe in (SOID, PAPER)}


def recipe(name: str, without: Iterable[str] = ()) -> Recipe:
    """The recipe of a name, with mechanisms switched off."""
    if name not in RECIPES:
        raise InputError(f"there is no recipe called {name}", f"The recipes are: {', '.join(RECIPES)}.")
    return RECIPES[name].without(*without)
