"""Every recipe says the same: all mechanisms, none of them, the paper's, and in the long run each switched off in turn.

A generated program, its small family, random questions, and what trying every state natively gives. A recipe may know
less in its time than another, and never something else.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

import pytest

from soid.engine.summary_cache.summaries import Summaries
from soid.query.language.query_printer import to_text
from soid.recipe import MECHANISMS, PAPER, SOID, Recipe
from soid.solver.chain import NAMES, Chain, chain
from tests.differential.conftest import LISTED
from tests.differential.engine_runs import open_batch
from tests.differential.families import ask, questions
from tests.differential.generator import Mode, generate
from tests.differential.generator.native import run_programs

BARE = SOID.without(*MECHANISMS)
UNKNOWN = "unknown"
ASKED = 3  # questions a program: one of each kind


@contextmanager
def solving(recipes: Sequence[Recipe]) -> Iterator[dict[Recipe, Chain]]:
    made = {recipe: chain(recipe.solvers or NAMES, mechanisms=recipe.mechanisms) for recipe in recipes}
    try:
        yield made
    finally:
        for solver in made.values():
            solver.close()


def said(seeds: Sequence[int], mode: Mode, recipes: Sequence[Recipe], folder: Path, seconds: float) -> Counter[str]:
    """How often each recipe gave each verdict; a definite one that is not what trying all states gives fails."""
    programs = [generate(seed, mode) for seed in seeds]
    families = [list(program.family()) for program in programs]
    native = run_programs(programs, folder, families)
    verdicts: Counter[str] = Counter()
    with solving(recipes) as solvers:
        for opened, states, runs in zip(open_batch(programs, folder), families, native, strict=True):
            some = list(opened.program.domains)[1:]
            inside = questions(opened, states, runs, ASKED, kept=some)  # what was explored before holds these states
            for question in (*questions(opened, states, runs, ASKED), *inside):
                for number, (recipe, solver) in enumerate(solvers.items()):
                    limit = seconds if recipe is PAPER else 200.0
                    kept = Summaries(opened.program.name, opened.interface, folder / f"kept {number}")  # as it was left
                    answer = ask(opened, question, solver, recipe, limit, kept)
                    context = f"{opened.program.name}, {recipe}: {to_text(question.query)}\n{answer.reason}"
                    assert answer.verdict.value in (question.expected, UNKNOWN), context
                    assert answer.solver["recipe"] == str(recipe)
                    verdicts[f"{recipe}: {answer.verdict.value}"] += 1
                    verdicts[f"{recipe}: summaries"] += answer.settled_by.get("summaries", 0)
    return verdicts


@pytest.mark.parametrize("mode", list(Mode), ids=lambda mode: mode.value)
def test_all_recipes_say_the_same(mode: Mode, tmp_path: Path) -> None:
    recipes = (SOID, BARE, PAPER)
    verdicts = said([2000, 2010], mode, recipes, tmp_path, seconds=10.0)
    for recipe in recipes:
        assert verdicts[f"{recipe}: yes"] and verdicts[f"{recipe}: no"], verdicts
    assert not verdicts[f"{SOID}: unknown"] and not verdicts[f"{BARE}: unknown"], verdicts
    assert verdicts[f"{SOID}: summaries"] and not verdicts[f"{BARE}: summaries"], verdicts


@pytest.mark.soak
@pytest.mark.timeout(900)  # the bare recipes may use all of their time on every question
@pytest.mark.parametrize("mode", list(Mode), ids=lambda mode: mode.value)
@pytest.mark.parametrize("seed", range(2100, 2250))
def test_all_recipes_say_the_same_of_three_hundred_programs(
    seed: int, mode: Mode, tmp_path: Path, record_property: Callable[[str, object], None]
) -> None:
    recipes = (SOID, *(SOID.without(name) for name in MECHANISMS), BARE, PAPER)
    verdicts = said([seed], mode, recipes, tmp_path, seconds=3.0)
    unknown = {name: count for name, count in verdicts.items() if name.endswith(UNKNOWN)}
    for name, count in unknown.items():
        record_property(LISTED, f"seed {seed}, {mode.value}, {name}: {count} of {2 * ASKED}")
    assert set(unknown) <= {f"{recipe}: {UNKNOWN}" for recipe in (BARE, PAPER)}, unknown
