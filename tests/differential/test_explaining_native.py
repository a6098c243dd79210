"""Explanations of generated C programs against native runs: every state of a family, and both sides of each flip."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import pytest

from soid.explanation.explainer import Explanation, explain
from soid.explanation.flips import Flip
from soid.explanation.study import OCCURS
from soid.oracle.encoding import FAILS, OTHERWISE
from soid.oracle.inquiry import Context, Settings
from soid.query.query import QueryKind
from soid.scenario.trace import Keyframe
from soid.solver.chain import chain
from soid.solver.protocol import Solver
from tests.differential.engine_runs import Opened, open_batch
from tests.differential.families import Question, fact_of, holds, questions
from tests.differential.generator import Mode, Vector, generate
from tests.differential.generator.native import NativeRun, run_programs

SEEDS, QUESTIONS = (5019, 5022, 5026, 5029), 6  # of programs that show flips and all ways of parting
PATIENT = Settings(seconds=200.0, witness_seconds=100.0)

#: what is met in any good number of programs
EXPECTED = {"flips", "counterfactual", "proof", "parted at branch", "parted at data", "parted at end"}


@pytest.fixture(scope="module")
def solver() -> Iterator[Solver]:
    made = chain()
    yield made
    made.close()


@dataclass(frozen=True)
class Told:
    """A question to a program, how the answer was explained, and what happens natively in each state."""

    opened: Opened
    question: Question
    given: Explanation
    happens: Mapping[tuple[int, ...], str]  # by the bits of the free variables

    def key(self, state: Mapping[str, int]) -> tuple[int, ...]:
        return tuple(state[name] for name in free(self.opened))

    @property
    def fact(self) -> Mapping[str, int]:
        return fact_of(self.opened)

    @property
    def context(self) -> str:
        return f"{self.opened.program.name}: {self.given.answer.text}"


def free(opened: Opened) -> list[str]:
    """The variables that vary, in the interface's order."""
    names = {opened.names[path] for path in opened.program.domains if path in opened.names}
    return [variable.path for variable in opened.interface.inputs if variable.path in names]


def native(opened: Opened, question: Question, run: NativeRun) -> str:
    if holds(opened, question.query.behavior.expression, run) is True:
        return OCCURS
    return FAILS if run.fault is not None else OTHERWISE


def told(opened: Opened, states: Sequence[Vector], runs: Sequence[NativeRun], solver: Solver) -> Iterator[Told]:
    ports = {opened.names[path]: path for path in opened.program.domains if path in opened.names}
    keyframe = Keyframe(0, fact_of(opened), {}, opened.interface)
    for question in questions(opened, states, runs, QUESTIONS):
        if question.query.kind is QueryKind.DID or question.expected == "vacuous":
            continue
        happens = {
            tuple(state[ports[name]] for name in free(opened)): native(opened, question, run)
            for state, run in zip(states, runs, strict=True)
        }
        context = Context(opened.engine, solver, settings=PATIENT)
        given = explain(question.query.checked(opened.interface), keyframe, context, others=100)
        yield Told(opened, question, given, happens)


def agree(one: Told) -> None:
    if one.given.mattered is not None:
        _agree_on_sets(one)
    else:
        _agree_on_variables(one)


def _agree_on_sets(one: Told) -> None:
    matter = one.given.mattered
    assert matter is not None
    names, fact = free(one.opened), one.key(one.fact)

    def changed(state: tuple[int, ...]) -> tuple[int, ...]:
        return tuple(place for place, bits in enumerate(state) if bits != fact[place])

    giving = {changed(state) for state, what in one.happens.items() if what == matter.happens and state != fact}
    minimal = sorted(
        (each for each in giving if not any(set(other) < set(each) for other in giving)),
        key=lambda each: (len(each), each),
    )
    assert [each.variables for each in matter.sets] == [tuple(names[n] for n in each) for each in minimal], one.context
    assert all(each.smallest for each in matter.sets) and matter.complete, one.context
    for each in matter.sets:
        assert one.happens[one.key(each.scenario.state)] == matter.happens, one.context


def _agree_on_variables(one: Told) -> None:
    proof = one.given.proof
    assert proof is not None
    fact, might = one.key(one.fact), one.question.query.kind is QueryKind.MIGHT
    broken = {state for state, what in one.happens.items() if (what == OCCURS) is might}
    assert broken <= {fact}, one.context
    for place, each in enumerate(proof.variables):
        values = {state[place] for state in one.happens}
        moved = {
            (*state[:place], bits, *state[place + 1 :]) for state in one.happens if state != fact for bits in values
        }
        assert each.irrelevant is not bool(moved & broken), f"{one.context}\n{each.variable.path}"


def _is_open(given: Explanation) -> bool:
    """Whether something of it is not settled, but for what stood in the way: that is looked for in all inputs."""
    beyond = given.hindrance is not None and given.hindrance.why is not None
    return len(given.unsettled) > beyond


def check(mode: Mode, seeds: Iterable[int], folder: Path, solver: Solver) -> Counter[str]:
    """Explain answers about programs of these seeds, and hold everything to native runs; what was seen."""
    programs = [generate(seed, mode) for seed in seeds]
    families = [list(program.family()) for program in programs]
    runs = run_programs(programs, folder, families)
    seen: Counter[str] = Counter()
    flips: list[list[tuple[Told, Flip]]] = []
    for number, opened in enumerate(open_batch(programs, folder)):
        found: list[tuple[Told, Flip]] = []
        for one in told(opened, families[number], runs[number], solver):
            if _is_open(one.given):  # some arithmetic is beyond the solvers, and then that is said
                seen["not settled"] += 1
            else:
                agree(one)
            sets = one.given.mattered.sets if one.given.mattered is not None else ()
            found += [(one, each) for each_set in sets for each in each_set.flips if isinstance(each, Flip)]
            seen["counterfactual" if one.given.mattered else "proof"] += 1
            seen[f"parted at {one.given.parting.at.value}" if one.given.parting else "no parting"] += 1
        flips.append(found)
    seen["flips"] = _agree_on_flips(programs, flips, folder)
    return seen


def _agree_on_flips(programs: Sequence[object], flips: Sequence[Sequence[tuple[Told, Flip]]], folder: Path) -> int:
    """Both sides of each flip, run natively: neighbours, and different outcomes."""
    sides: tuple[Callable[[Flip], Mapping[str, int]], ...] = (lambda f: f.last.state, lambda f: f.first.state)
    vectors = [[_vector(one, side(flip)) for one, flip in found for side in sides] for found in flips]
    kept = [number for number, found in enumerate(flips) if found]
    (folder / "flips").mkdir()
    runs = run_programs([programs[n] for n in kept], folder / "flips", [vectors[n] for n in kept])  # type: ignore[misc]
    for number, outcomes in zip(kept, runs, strict=True):
        for place, (one, flip) in enumerate(flips[number]):
            last, first = (native(one.opened, one.question, run) for run in outcomes[2 * place : 2 * place + 2])
            assert (last, first) == (flip.last.happens, flip.first.happens), f"{one.context}\n{flip}"
            assert last != first, f"{one.context}\n{flip}"
            keys = [flip.variable.order.place_of(bits) for bits in flip.values]
            assert not flip.neighbours or abs(keys[0] - keys[1]) == 1, f"{one.context}\n{flip}"
    return sum(map(len, flips))


def _vector(one: Told, state: Mapping[str, int]) -> Vector:
    program = one.opened.program
    ports = {path: one.opened.names[path] for path in program.vectors[0] if path in one.opened.names}
    return {**program.vectors[0], **{path: state[name] for path, name in ports.items() if name in state}}


def test_explanations_hold_on_the_compiled_programs(solver: Solver, tmp_path: Path) -> None:
    seen = check(Mode.FAULTY, SEEDS, tmp_path, solver)
    assert set(+seen) >= EXPECTED and not seen["not settled"], seen


@pytest.mark.fuzz
@pytest.mark.timeout(0)
def test_many_more_programs(solver: Solver, tmp_path: Path) -> None:
    """`PROGRAMS=2000:6000` tries that many of each kind from that seed on."""
    count, _, first = os.environ.get("PROGRAMS", "600:6000").partition(":")
    seen: Counter[str] = Counter()
    for start in range(int(first or 0), int(first or 0) + int(count), 30):
        for mode in Mode:
            folder = tmp_path / f"{mode.value}-{start}"
            folder.mkdir()
            seen += check(mode, range(start, start + 30), folder, solver)
    assert set(+seen) >= EXPECTED, seen
