"""What is said to follow is held to every scenario: a small program, random questions, and verdicts by trying all."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Mapping, Sequence
from random import Random

import pytest
from msgspec.structs import replace

from soid.case import implications
from soid.case.implications import Implications, StatedFact, follows_throughout, implied_verdict, stated
from soid.case.numbered_facts import NumberedFact
from soid.case.record.entry import GENESIS, Entry, EntryKind
from soid.engine.summary import Decided, Ending, Failed, PathSummary
from soid.formula.build import TRUE
from soid.oracle.answer import Answer, Verdict
from soid.oracle.encoding import FactualMoment, concrete_path, encode
from soid.oracle.reason import ReasonCode, VerdictReason
from soid.program.domain import Range
from soid.program.interface import Interface, Role, Variable
from soid.program.types import BoolType, EnumType, IntType
from soid.query.language.query_parser import parse
from soid.query.query import Query, QueryKind
from soid.scenario.trace import Keyframe

SMALL = IntType(8, signed=False)
LIGHT = EnumType("light", 8, False, (("RED", 0), ("AMBER", 1), ("GREEN", 2)))
ACT = EnumType("act", 8, False, (("GO", 0), ("STAY", 1), ("WAIT", 2)))
INTERFACE = Interface(
    (
        Variable("light", Role.ENVIRONMENT, LIGHT),
        Variable("wet", Role.ENVIRONMENT, BoolType()),
        Variable("gap", Role.ENVIRONMENT, SMALL, Range(0, 5)),
        Variable("calm", Role.STATE, BoolType()),
        Variable("act", Role.DECISION, ACT),
        Variable("brake", Role.DECISION, BoolType()),
    )
)
STATES = [
    dict(zip(("light", "wet", "gap", "calm"), values, strict=True))
    for values in itertools.product(range(3), (0, 1), range(6), (0, 1))
]

ATOMS = (
    "act == GO", "act == STAY", "WAIT == act", "act != GO", "act in {GO, STAY}", "brake", "not brake", "calm'",
    "not calm'", "gap > 2", "wet", "fails", "decides", "act == fact(act)", "brake == true", "light == RED",
)  # fmt: skip
SUPPOSED = (
    "light is anything", "light == GREEN", "light in {RED, GREEN}", "light != RED", "wet is anything", "wet", "not wet",
    "gap is anything", "1 <= gap <= 3", "gap within 1 of fact", "gap > 2", "gap != 4", "gap in {0, 2, 4}", "calm",
    "calm is anything", "(wet or gap > 3)", "(not wet implies gap < 2)", "light == fact(light)",
)  # fmt: skip


def decided(state: Mapping[str, int]) -> tuple[dict[str, int], Ending]:
    """The program: it fails where the gap is three in the wet, and calms down where it stays."""
    if state["wet"] and state["gap"] == 3:
        return {}, Failed("division by zero")
    act = 0 if state["light"] == 2 and (state["gap"] > 1 or state["calm"]) else 1 if state["light"] == 0 else 2
    brake = int(act == 1 or (act == 2 and state["wet"] == 1))
    return {"act": act, "brake": brake, "calm'": int(act == 1 or (state["calm"] and not state["wet"]))}, Decided()


def occurs(query: Query, state: Mapping[str, int], fact: Mapping[str, int]) -> bool:
    """Whether the behavior is true in one scenario."""
    steps, now = [], dict(state)
    for _ in range(query.period.count):
        outputs, ending = decided(now)
        steps.append(outputs)
        if isinstance(ending, Failed):
            break
        now["calm"] = outputs["calm'"]
    path = concrete_path("only", ending, steps, INTERFACE)
    facts = FactualMoment(INTERFACE, fact, decided(fact)[0], state)
    return encode(PathSummary((path,)), query.behavior, facts, query.period).shows is TRUE


def behavior(random: Random, atoms: Sequence[str], depth: int = 2) -> str:
    shape = random.random()
    if depth == 0 or shape < 0.4:
        return random.choice(atoms)
    if shape < 0.5:
        return f"not ({behavior(random, atoms, depth - 1)})"
    joined = " and " if shape < 0.75 else " or "
    return f"({joined.join(behavior(random, atoms, depth - 1) for _ in range(random.randint(2, 3)))})"


def questions(random: Random) -> Iterator[str]:
    """Questions that have much in common, so that some of them follow from others."""
    atoms, supposed = random.sample(ATOMS, 4), random.sample(SUPPOSED, 6)
    steps = random.choice(("within", "throughout", "after"))
    while True:
        kind = random.choice(("would", "might", "would", "might", "did"))
        if kind == "did":
            yield f"did {behavior(random, atoms)}"
            continue
        period = random.choice(("", "", f" {steps} 2 steps held"))
        family = " and ".join(random.sample(supposed, random.randint(1, 3)))
        yield f"{kind} {behavior(random, atoms, 1)}{period} if {family}"


def facts_about(fact: Mapping[str, int], texts: Iterator[str], wanted: int) -> Iterator[StatedFact]:
    """Questions with the verdicts that trying every scenario gives; those about no scenario are left out."""
    keyframe = Keyframe(7, dict(fact), decided(fact)[0], INTERFACE)
    number = 0
    while number < wanted:
        text = next(texts)
        query = parse(text, INTERFACE)
        course = query.course(keyframe)
        if query.kind is QueryKind.DID:
            members = [dict(fact)]
        else:
            family = course.family()
            members = [state for state in STATES if family.contains(state)]
        if not members:
            continue
        found = [occurs(query, state, fact) for state in members]
        verdict = Verdict.YES if (any(found) if query.kind is QueryKind.MIGHT else all(found)) else Verdict.NO
        number += 1
        shown_alone = len({*found}) == 1 and query.kind is not QueryKind.DID and not is_proof(query, verdict)
        reason = VerdictReason(ReasonCode.UNCODED, ("tried",))
        answer = Answer(query, text, 7, verdict, reason, throughout=reason if shown_alone else None)
        yield stated(NumberedFact(number, entry(number, text, verdict)), answer, course)


def is_proof(query: Query, verdict: Verdict) -> bool:
    """Whether the verdict by itself says what is so in all scenarios."""
    return (query.kind is QueryKind.WOULD) is (verdict is Verdict.YES)


def entry(number: int, text: str, verdict: Verdict, relies_on: tuple[str, ...] = ()) -> Entry:
    answer = {"verdict": verdict.value, "relies_on": [{"id": each, "text": each} for each in relies_on]}
    payload = {"question": text, "log": "log.jsonl", "step": 7, "answer": answer, "fact": {"statement": text}}
    return Entry.make(number, EntryKind.ANSWERED, "ada", "2030-01-02T03:04:05.000Z", payload, GENESIS)


def related(made: Sequence[StatedFact]) -> tuple[NumberedFact, ...]:
    by_number = {each.fact.number: each for each in made}
    return Implications(lambda fact: by_number[fact.number]).related([each.fact for each in made])


@pytest.mark.parametrize("seed", range(10))
def test_nothing_follows_that_is_not_so(seed):
    random = Random(seed)
    fact = random.choice([state for state in STATES if isinstance(decided(state)[1], Decided)])
    made = list(facts_about(fact, questions(random), 80))
    said = 0
    for one, other in itertools.permutations(made, 2):
        verdict = implied_verdict(one, other)
        assert verdict in (None, other.answer.verdict), f"{one.answer.text}: {one.answer.verdict}; {other.answer.text}"
        said += verdict is not None
    assert said > 50
    for each in related(made):
        assert not each.contradicts
    for one, other in itertools.permutations(made, 2):
        # what is not so in all of its scenarios follows from nothing
        if other.answer.throughout is None and not is_proof(other.answer.query, other.answer.verdict) and other.family:
            lie = replace(other.answer, throughout=other.answer.why)
            forged = stated(other.fact, lie, other.course)
            assert implied_verdict(one, forged) is None or not follows_throughout(one, forged)


def told(*texts: str) -> dict[str, NumberedFact]:
    """Some questions about one moment, and what is said of each."""
    fact = {"light": 0, "wet": 0, "gap": 2, "calm": 0}
    found = related(list(facts_about(fact, iter(texts), len(texts))))
    return {str(each.entry.question): each for each in found}


def test_a_proof_over_a_wider_family_implies_the_narrower_one():
    wide, narrow = "would not act == GO if calm is anything and gap is anything", "would not act == GO if 1 <= gap <= 2"
    found = told(narrow, wide)
    assert (found[narrow].follows_from, found[wide].follows_from) == (2, None)


def test_a_scenario_of_a_narrower_family_is_one_of_the_wider():
    narrow, wide = "might act == GO if light == GREEN", "might act in {GO, STAY} if light is anything"
    assert told(narrow, wide)[wide].follows_from is None  # that a set contains a label is not looked at
    wide = "might (act == GO or brake) if light is anything"
    assert told(narrow, wide)[wide].follows_from == 1


def test_always_implies_ever_and_another_label_never():
    always, ever, never = (
        f"{asks} if light == GREEN" for asks in ("would act == GO", "might act == GO", "might act == STAY")
    )
    found = told(ever, never, always)
    # that it might is said of all its scenarios, and so is the same
    assert (found[ever].same_as, found[never].follows_from, found[always].same_as) == (None, 1, 1)
    wide = "might act == GO if light is anything"
    assert told(wide, always)[wide].follows_from == 2


def test_the_same_in_other_words_is_said_of_the_later_one():
    one, other = "would brake if light == AMBER and wet", "would brake if wet and light in {AMBER}"
    found = told(one, other)
    assert (found[one].same_as, found[one].follows_from) == (None, None)
    assert (found[other].same_as, found[other].follows_from) == (1, None)


def test_what_one_scenario_shows_and_is_so_in_all_is_said_of_all():
    would, might = "would act == GO if light == AMBER", "might act == GO if light == AMBER"
    found = told(would, might)
    assert [each.entry.verdict for each in found.values()] == [Verdict.NO, Verdict.NO]
    assert (found[might].same_as, found[would].follows_from) == (1, None)
    one = "would act == GO if light is anything"  # not in all: it goes where the light is green
    assert told(one, might)[might].follows_from is None
    assert told(might, one)[one].follows_from == 1


def test_another_label_is_what_a_denial_says():
    one, other = "did act == STAY", "did not (act == GO)"
    found = told(one, other)
    assert (found[other].follows_from, found[one].follows_from) == (1, None)


def test_the_strongest_is_named():
    far, near, nearest = (f"would not act == GO if gap within {each} of fact" for each in (3, 2, 1))
    found = told(nearest, near, far)
    assert [found[each].follows_from for each in (nearest, near, far)] == [3, 3, None]


def test_a_behavior_that_is_silent_of_failures_is_not_compared_with_one_that_speaks_of_them():
    """Where it fails `fails and gap > 2` is true, and `gap > 2` is neither true nor false."""
    speaks, silent = (f"might {each} if wet and gap == 3" for each in ("(fails and gap > 2)", "gap > 2"))
    found = told(speaks, silent)
    assert found[speaks].entry.verdict is Verdict.YES and found[silent].entry.verdict is Verdict.NO
    assert not found[silent].contradicts and found[silent].follows_from is None


def test_what_relies_on_more_implies_nothing():
    texts = "would not act == GO if gap is anything", "would not act == GO if gap == 1"
    fact = {"light": 0, "wet": 0, "gap": 2, "calm": 0}
    wide, narrow = facts_about(fact, iter(texts), 2)
    costly = NumberedFact(1, entry(1, texts[0], Verdict.YES, ("heap",)))
    assert related([wide, narrow])[1].follows_from == 1
    assert related([stated(costly, wide.answer, wide.course), narrow])[1].follows_from is None
    of_domain = NumberedFact(1, entry(1, texts[0], Verdict.YES, ("domain",)))  # a condition of the family as it is
    assert related([stated(of_domain, wide.answer, wide.course), narrow])[1].follows_from == 1


def test_what_cannot_both_be_true_is_said_of_both():
    texts = "would not act == GO if gap is anything", "might act == GO if gap == 1"
    fact = {"light": 0, "wet": 0, "gap": 2, "calm": 0}
    wide, narrow = facts_about(fact, iter(texts), 2)
    assert narrow.answer.verdict is Verdict.NO
    lie = Answer(narrow.answer.query, texts[1], 7, Verdict.YES, narrow.answer.why)
    forged = stated(NumberedFact(2, entry(2, texts[1], Verdict.YES)), lie, narrow.course)
    assert [each.contradicts for each in related([wide, forged])] == [(2,), (1,)]


def test_another_moment_another_compiler_another_number_of_steps_another_window():
    text = "would not act == GO if gap is anything"
    fact = {"light": 0, "wet": 0, "gap": 2, "calm": 0}
    one, same, longer = facts_about(
        fact, iter((text, text, "would not act == GO throughout 2 steps held if gap is anything")), 3
    )
    assert implied_verdict(one, same) is Verdict.YES
    assert implied_verdict(one, longer) is None
    other = NumberedFact(2, same.fact.entry, compiled=("it makes something else",))
    assert implied_verdict(one, stated(other, same.answer, same.course)) is None
    windowed = NumberedFact(2, entry(2, text, Verdict.YES, ("window",)))
    assert implied_verdict(one, stated(windowed, same.answer, same.course)) is None


def test_with_one_more_fact_only_its_own_pairs_are_compared(monkeypatch):
    compared: list[tuple[int, int]] = []

    def comparing(one: StatedFact, other: StatedFact) -> Verdict | None:
        compared.append((one.fact.number, other.fact.number))
        return implied_verdict(one, other)

    monkeypatch.setattr(implications, "implied_verdict", comparing)
    fact = {"light": 0, "wet": 0, "gap": 2, "calm": 0}
    texts = [f"would not act == GO if {gap}" for gap in ("gap is anything", "gap <= 4", "gap <= 3", "gap <= 1")]
    made = {each.fact.number: each for each in facts_about(fact, iter(texts), 4)}
    record = Implications(lambda fact: made[fact.number])
    facts = [each.fact for each in made.values()]
    record.related(facts[:3])
    compared.clear()
    assert record.related(facts) == Implications(lambda fact: made[fact.number]).related(facts)
    assert set(compared[:6]) == {(1, 4), (2, 4), (3, 4), (4, 1), (4, 2), (4, 3)} and len(compared) == 6 + 12


def test_within_some_steps_it_may_do_one_after_the_other():
    """In the wet it calms down no more: it goes, and waits in the next step."""
    fact = {"light": 0, "wet": 1, "gap": 1, "calm": 1}
    texts = (f"would act == {each} within 2 steps held if light == GREEN" for each in ("GO", "WAIT"))
    found = related(list(facts_about(fact, texts, 2)))
    assert [each.entry.verdict for each in found] == [Verdict.YES, Verdict.YES]
    assert not any(each.contradicts for each in found)
