"""Recipes: the mechanisms that save solver calls, and the solvers.

    soid    all mechanisms and all solvers
    paper   the published method: each branch forks, Z3 checks both of its sides, and Z3 is asked once at the end

Without a mechanism the verdicts are the same, given enough time. Loader, terms and interpreter are the same in all
recipes; values that depend on no freed input are computed as plain numbers, as in every symbolic executor.

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
    """The mechanisms by name; all are on by default."""

    pinning: bool = True  # an input with one possible value is a constant, not a symbol
    path_models: bool = True  # a path carries a model, which shows one side of a branch to be satisfiable
    bounds: bool = True  # bounds from the path condition settle the other side
    intervals: bool = True  # interval evaluation under the suppositions settles it
    merging: bool = True  # where there are many paths, those that meet again are merged
    glances: bool = True  # a side that is hard to check is followed unchecked after a share of the time
    folding: bool = True  # constant folding: constants, contradictions, equalities that fix every variable
    apart: bool = True  # independence: conditions that share no variable are solved separately
    cache: bool = True  # query cache: questions asked before
    model_reuse: bool = True  # model cache: a recent model still satisfies the question
    monotone: bool = True  # lemmas: rounded results of floats rise or fall with their arguments
    boxes: bool = True  # branch and bound over a few variables settles the question
    summaries: bool = True  # a family inside one that was explored before is not explored again, nor is a moment
    runs: bool = True  # where solvers take long, the program is run on single scenarios, on all of them if they are few
    paving: bool = True  # an open question is settled box by box in the end, or its settled share is reported
    settling: bool = True  # the witness shown is moved near to the fact, which takes many more solver calls

    @property
    def off(self) -> tuple[str, ...]:
        return tuple(name for name in MECHANISMS if not getattr(self, name))


#: the names of all mechanisms
MECHANISMS: Final = Mechanisms.__struct_fields__


@final
class Recipe(Struct, frozen=True):
    """Mechanisms and solvers under a name."""

    name: str
    mechanisms: Mechanisms = Mechanisms()
    solvers: tuple[str, ...] = ()  # by name, in the order in which they are asked; empty: all

    def without(self, *names: str) -> Recipe:
        """The same recipe with mechanisms switched off."""
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
    if name not in RECIPES:
        raise InputError(f"there is no recipe called {name}", f"The recipes are: {', '.join(RECIPES)}.")
    return RECIPES[name].without(*without)
