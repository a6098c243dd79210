"""What an answer over several steps must be: the logic is run again and again, its state fed back."""

from __future__ import annotations

import random
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from tests.differential.logics.expectation import FEW, State, freed_variables, scenarios, settled
from tests.differential.logics.formulas import Moment, Three
from tests.differential.logics.kinds import json_of, plain
from tests.differential.logics.logic import DECIDES, FAILS, UNDECIDED, UNEXPLORED, Logic, Outcome
from tests.differential.logics.questions import Question

AFTER, WITHIN, THROUGHOUT = "after", "within", "throughout"


@dataclass(frozen=True)
class Course:
    """A logic's way through the steps, as far as it came."""

    states: tuple[State, ...]
    outcomes: tuple[Outcome, ...]

    @property
    def ending(self) -> str:
        return self.outcomes[-1].ending


@dataclass(frozen=True)
class Over:
    """Of which steps the behavior speaks."""

    word: str
    count: int

    @property
    def text(self) -> str:
        return f"{self.word} {self.count} step{'s' * (self.count != 1)}"

    def truth(self, question: Question, course: Course, fact: Mapping[str, int], *, to_the_end: bool = True) -> Three:
        """Kleene's truth; steps that are not reached have none. Without the end: if how it ended were not known."""
        truths: list[Three] = [None] * self.count
        for number, (state, outcome) in enumerate(zip(course.states, course.outcomes, strict=True)):
            unknown = outcome.ending == UNEXPLORED or (outcome.ending != DECIDES and not to_the_end)
            if not unknown and (outcome.ending == DECIDES or question.behavior.endings):
                truths[number] = question.behavior.holds(Moment(state, outcome, fact))
        if self.word == AFTER:
            return truths[-1]
        decisive = self.word == WITHIN
        if decisive in truths:
            return decisive
        return None if None in truths else not decisive


def follow(logic: Logic, state: Mapping[str, int], environments: Sequence[Mapping[str, int]]) -> Course:
    """The steps from a state on; one more for each environment."""
    states, outcomes = [dict(state)], [logic.outcome(state)]
    for environment in environments:
        if outcomes[-1].ending != DECIDES:
            break
        left = {v.name: outcomes[-1].outputs[f"{v.name}'"] for v in logic.inputs if v.role == "state"}
        states.append({**states[-1], **environment, **left})
        outcomes.append(logic.outcome(states[-1]))
    return Course(tuple(states), tuple(outcomes))


@dataclass(frozen=True)
class Expected:
    verdict: str
    shows: str = ""
    witness: State | None = None
    throughout: bool = False  # what the witness shows is so in the whole family


def expect(
    logic: Logic, question: Question, over: Over, most: int = FEW, logged: Sequence[State] | None = None
) -> Expected:
    """The answer to a counterfactual question, by trying every state.

    The environment is held; with `logged` it is that, but for what is freed.
    """
    freed = {v.name for v in freed_variables(logic, question)}
    kept = [{name: bits for name, bits in step.items() if name not in freed} for step in logged or ()]
    environments = kept if logged is not None else [{}] * (over.count - 1)

    def is_fact(state: State) -> bool:
        later = [{name: state[name] for name in step if name in freed} for step in logged or ()]
        return state == logic.fact and all(
            step[name] == bits for step, own in zip(logged or (), later, strict=True) for name, bits in own.items()
        )

    family = [state for state in scenarios(logic, question, most) if not is_fact(state)]
    if not family:
        return Expected("vacuous")
    facts = {**logic.fact, **logic.known()}
    groups: dict[str, list[State]] = {name: [] for name in ("true", "otherwise", FAILS, UNDECIDED, UNEXPLORED)}
    for state in family:
        course = follow(logic, state, environments)
        truth = over.truth(question, course, facts)
        early = over.truth(question, course, facts, to_the_end=False)
        if truth is True:
            groups["true"].append(state)
        elif course.ending == DECIDES or early is False:
            groups["otherwise"].append(state)
        else:
            groups[course.ending].append(state)
    verdict, shows, goal = _settles(question.kind, groups, family)
    apart = {name for name, states in groups.items() if states}
    alike = apart == {"true"} or not apart & {"true", UNEXPLORED}
    witness = settled(logic, freed_variables(logic, question), goal) if goal else None
    return Expected(verdict, shows, witness, alike and shows in ("example", "counterexample"))


def _settles(kind: str, groups: Mapping[str, list[State]], family: list[State]) -> tuple[str, str, list[State]]:
    if kind == "might" and groups["true"]:
        return "yes", "example", groups["true"]
    if kind == "would":
        for name in ("otherwise", FAILS, UNDECIDED):
            if groups[name]:
                return "no", "counterexample", groups[name]
    if groups[UNEXPLORED]:
        return "unknown", "", []
    return "yes" if kind == "would" else "no", "member", family


# --- logs -----------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Log:
    """Several steps as they were logged."""

    text: str  # JSON lines
    environments: tuple[State, ...]  # of the second step and on
    wrong: int | None  # the step whose log does not agree with the logic; the first being 0


def log(rng: random.Random, logic: Logic, count: int) -> Log:
    """A log of so many steps from the fact on: mostly the truth, as far as there is one."""
    environments = [
        {v.name: rng.choice(v.logged) for v in logic.inputs if v.role == "environment"} for _ in range(count - 1)
    ]
    course = follow(logic, logic.fact, environments)
    lie = rng.randrange(count) if rng.random() < 0.15 else None
    lines, wrong = [], None
    for number, environment in enumerate([{}, *environments]):
        reached = number < len(course.states)
        state = course.states[number] if reached else {**logic.fact, **environment}
        outcome = course.outcomes[min(number, len(course.outcomes) - 1)]
        said = dict(outcome.outputs) if reached and outcome.ending == DECIDES else {}
        if lie == number and said and outcome.ending == DECIDES:
            lied = _lie(rng, logic, said)
            wrong = number if lied != said else wrong
            said = lied
        kept = {name: bits for name, bits in said.items() if wrong == number or rng.random() < 0.7}
        lines.append(_line(logic, number, state, kept))
    return Log("".join(lines), tuple(environments), wrong)


def _lie(rng: random.Random, logic: Logic, said: Mapping[str, int]) -> dict[str, int]:
    name = rng.choice(list(said))
    kind = logic.outputs[name].kind
    other = rng.choice([number & kind.mask for _, number in kind.labels] or range(2**kind.width))
    return {**said, name: other if plain(kind, other) != said[name] else said[name]}


def _line(logic: Logic, number: int, state: Mapping[str, int], said: Mapping[str, int]) -> str:
    cells = [f'"step": {7 + number}']
    cells += [f'"{v.name}": {json_of(v.kind, state[v.name])}' for v in logic.inputs]
    cells += [f'"{name}": {json_of(logic.outputs[name].kind, bits)}' for name, bits in said.items()]
    return "{" + ", ".join(cells) + "}\n"
