"""Facts by number: one a statement, whatever is asked again; and what else came of the same question."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pytest

from soid.case.case import Case
from soid.case.numbered_facts import NumberedFact, fact_numbers, numbered_facts, read_question
from soid.case.record.entry import GENESIS, Entry, EntryKind
from soid.case.report.fact_words import doubts, follows, repetitions, tally
from soid.oracle.answer import Verdict

WHEN = "2030-01-02T03:04:05.000Z"
MIGHT = "might action == CANCEL if heat is anything"


class Chain:
    """Entries as a record has them, without what numbers do not depend on."""

    def __init__(self) -> None:
        self.entries: list[Entry] = []
        self.add(EntryKind.OPENED, title="")

    def add(self, kind: EntryKind, **payload: Any) -> int:
        number = len(self.entries) + 1
        self.entries.append(Entry.make(number, kind, "ada", WHEN, payload, GENESIS))
        return number

    def answer(
        self,
        question: str,
        verdict: str,
        *,
        step: int = 3,
        relies_on: Sequence[str] = (),
        windows: Sequence[str] = (),
        accepted: int | None = None,
        version: str | None = None,
        scenario: object = None,
    ) -> int:
        about = {"question": question, "log": "log.jsonl", "step": step, "keyframe": None}
        asked = self.add(EntryKind.ASKED, **about, **({} if version is None else {"soid": version}))
        assumptions = [{"id": each, "text": each} for each in relies_on]
        assumptions += [{"id": "window", "text": each} for each in windows]
        answer: dict[str, Any] = {
            "verdict": verdict,
            "relies_on": assumptions,
            "reason": "for a reason",
            "bits": {},
            "settled": None,
        }
        fact = {"statement": f"{question}: {verdict}", "scenario": scenario} if verdict in ("yes", "no") else None
        return self.add(EntryKind.ANSWERED, **about, asked=asked, accepted=accepted, answer=answer, fact=fact)

    @property
    def facts(self) -> tuple[NumberedFact, ...]:
        return numbered_facts(self.entries)

    @property
    def listed(self) -> list[tuple[int, list[int]]]:
        return [(each.number, [entry.number for entry in each.entries]) for each in self.facts]


def test_the_same_question_asked_again_is_no_new_fact():
    chain = Chain()
    first = chain.answer("would a if b is anything", "yes")
    other = chain.answer("did a", "yes")
    again = chain.answer("would a if b is anything", "yes")
    assert chain.listed == [(1, [first, again]), (2, [other])]
    assert tally(chain.facts) == "2 FACTS are established, by 3 answers"


def test_seven_askings_are_one_fact():
    chain = Chain()
    numbers = [chain.answer("did a", "yes") for _ in range(7)]
    assert chain.listed == [(1, numbers)]
    assert tally(chain.facts) == "1 FACT is established, by 7 answers"


def test_the_order_of_what_is_supposed_makes_no_other_question():
    chain = Chain()
    one = chain.answer("would a if b is anything and c > 2", "yes")
    other = chain.answer("would a if c > 2 and b is anything", "yes")
    assert chain.listed == [(1, [one, other])]


@pytest.mark.parametrize(
    "other",
    [
        "would a if b is anything and c > 3",
        "would a if b is any bits and c > 2",
        "would not a if b is anything and c > 2",
        "might a if b is anything and c > 2",
        "would a within 2 steps if b is anything and c > 2",
        "would a within 2 steps held if b is anything and c > 2",
        "would a if b is anything",
        "would a if b is anything and (c > 2 or d)",
    ],
)
def test_another_question_is_another_fact(other):
    chain = Chain()
    chain.answer("would a if b is anything and c > 2", "yes")
    chain.answer(other, "yes")
    assert len(chain.facts) == 2


def test_what_is_said_of_steps_keeps_its_order():
    one, other = "b == X from step 3 and b == Y from step 5", "b == Y from step 5 and b == X from step 3"
    assert read_question(f"would a within 9 steps held if {one}") != read_question(
        f"would a within 9 steps held if {other}"
    )


def test_another_moment_is_another_fact():
    chain = Chain()
    chain.answer("did a", "yes", step=3)
    chain.answer("did a", "yes", step=4)
    assert len(chain.facts) == 2


def test_an_answer_that_relies_on_less_is_a_fact_of_its_own_and_one_that_relies_on_more_is_not():
    chain = Chain()
    first = chain.answer("did a", "yes", relies_on=("heap",))
    more = chain.answer("did a", "yes", relies_on=("heap", "window"))
    less = chain.answer("did a", "yes", relies_on=())
    other = chain.answer("did a", "yes", relies_on=("window",))
    assert chain.listed == [(1, [first, more]), (2, [less, other])]
    assert "it also relies on this: window" in "".join(repetitions(chain.facts[0], chain.entries))


def test_what_another_compiler_makes_is_another_program():
    chain = Chain()
    chain.answer("did a", "yes")
    chain.add(EntryKind.NOTICED, about="compiler", found=["it makes something else"])
    chain.answer("did a", "yes")
    chain.add(EntryKind.NOTICED, about="compiler", found=[])
    back = chain.answer("did a", "yes")
    assert [number for number, _ in chain.listed] == [1, 2]
    assert back in [each.number for each in chain.facts[0].again]


def test_a_number_stays_with_its_statement():
    chain = Chain()
    first, second = chain.answer("did a", "yes"), chain.answer("did b", "yes")
    chain.add(EntryKind.RETRACTED, entry=first, why="the wrong one")
    assert chain.listed == [(2, [second])]
    again = chain.answer("did a", "yes")
    assert chain.listed == [(1, [again]), (2, [second])]
    assert fact_numbers(chain.entries) == {first: 1, second: 2, again: 1}


def test_a_fact_stands_as_long_as_one_of_its_answers_does():
    chain = Chain()
    first, again = chain.answer("did a", "yes"), chain.answer("did a", "yes")
    chain.add(EntryKind.RETRACTED, entry=first, why="the wrong one")
    assert chain.listed == [(1, [again])]
    chain.add(EntryKind.RETRACTED, entry=again, why="this too")
    assert chain.listed == []


def test_an_answer_that_rests_on_a_retracted_acceptance_is_none():
    chain = Chain()
    accepted = chain.add(EntryKind.ACCEPTED, log="log.jsonl", step=3, mismatch="they differ", why="so be it")
    chain.answer("did a", "yes", accepted=accepted)
    other = chain.answer("did a", "no")
    assert [each.number for each in chain.facts[0].others] == [other]
    chain.add(EntryKind.RETRACTED, entry=accepted, why="it was not so")
    assert chain.listed == [(2, [other])]
    assert not chain.facts[0].others


def test_unknown_and_then_yes_is_told():
    chain = Chain()
    unknown = chain.answer("did a", "unknown")
    chain.answer("did a", "yes")
    later = chain.answer("did a", "unknown")
    (fact,) = chain.facts
    assert fact.otherwise == [unknown, later] and not fact.denied_by
    before, after = doubts(fact, chain.entries)
    assert before.startswith("Asked before by ada") and f"(entry {unknown}), the answer is unknown" in before
    assert after.startswith("Asked again by ada") and "CONTRADICTION" not in before + after


@pytest.mark.parametrize("other", ["no", "vacuous"])
def test_another_verdict_is_a_contradiction_that_is_told_loudly(other):
    chain = Chain()
    chain.answer("did a", "yes", relies_on=("heap",))
    chain.answer("did a", other)
    said = next(iter(doubts(chain.facts[0], chain.entries)))
    assert said.startswith("CONTRADICTION: ") and f"the answer is {other}. Both cannot be true" in said
    assert said.endswith("What only one of the two relies on: heap.")


def test_with_another_window_both_may_be_true():
    """A program that does not decide within ten rounds may do so within forty."""
    chain = Chain()
    for verdict, told in (("no", "10"), ("yes", "40")):
        chain.answer("would a if b is anything", verdict, windows=(told,))
    for fact, order in zip(chain.facts, ("again", "before"), strict=True):
        (said,) = doubts(fact, chain.entries)
        assert said.startswith(f"Asked {order} with another window by ada on ") and not fact.denied_by
    chain.answer("would a if b is anything", "yes", windows=("10",))
    assert any(said.startswith("CONTRADICTION: ") for said in doubts(chain.facts[0], chain.entries))


def test_a_repetition_says_in_what_it_is_not_the_same():
    chain = Chain()
    chain.answer("might a if b is anything", "yes", version="0.1", scenario={"b": 1})
    chain.answer("might a if b is anything", "yes", version="0.1", scenario={"b": 1})
    chain.answer("might a if b is anything", "yes", version="0.2", scenario={"b": 2})
    plain, other = repetitions(chain.facts[0], chain.entries)
    assert plain == "Asked again by ada on 2 January 2030, 03:04:05 UTC (entry 5): the same answer."
    assert other.endswith("it shows another scenario; computed by another version of soid, 0.2.")


def test_a_question_that_cannot_be_read_is_compared_as_it_is_written():
    assert read_question("was it so, once upon a time") == "was it so, once upon a time"


def test_a_case_says_what_follows(opened):
    with opened() as case:
        case.ask(MIGHT)
        case.ask("would action == CANCEL if heat == false")
        case.ask(MIGHT)
        first, second = case.numbered_facts
        # there is one such scenario: that it might cancel is that it always would
        assert (first.follows_from, second.same_as, first.repeated) == (None, 1, [7])
        assert follows(first) == "" and "fact 1" in follows(second)
        assert case.numbered_facts is case.numbered_facts  # computed once for a record
        case.retract(second.answer, "not needed")
        assert [each.follows_from for each in case.numbered_facts] == [None]


def test_where_the_program_cannot_be_opened_the_facts_are_told_all_the_same(oven, monkeypatch):
    from soid.errors import CaseError

    def refuse(*_: object) -> None:
        raise CaseError("there is no compiler here", "Install one.")

    with Case.open(oven, who="ben") as case:
        case.ask(MIGHT)
        monkeypatch.setattr(Case, "project_at", refuse)
        monkeypatch.setattr(Case, "recall", refuse)
        assert [each.number for each in case.numbered_facts] == [1]
        assert case.warnings[-1] == "which facts follow from others was not looked at: there is no compiler here"


def test_verdicts_that_deny():
    chain = Chain()
    chain.answer("did a", "yes")
    chain.answer("did a", "error")
    assert [each.verdict for each in chain.facts[0].others] == [Verdict.ERROR]
    assert not chain.facts[0].denied_by
