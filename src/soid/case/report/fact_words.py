"""What is said beside a numbered fact: that it was asked for again, what it follows from, what speaks against it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from soid.case.numbered_facts import NumberedFact, relied_on, window_of
from soid.case.record.entry import Entry
from soid.case.report.phrases import moment_in_time, sentence_of
from soid.case.stored_answer import reason_of
from soid.query.words import counted, listed


def tally(facts: Sequence[NumberedFact]) -> str:
    """How many facts there are, and how many answers establish them.

    >>> tally(())
    'no FACTS are established'
    """
    answers = sum(len(fact.entries) for fact in facts)
    text = f"{counted(len(facts), 'FACT is', 'FACTS are')} established"
    return f"{text}, by {answers} answers" if answers > len(facts) else text


def follows(fact: NumberedFact) -> str:
    """Which fact implies it, as a sentence; empty if none does."""
    if fact.same_as is not None:
        return f"It says the same as fact {fact.same_as}."
    return f"It follows from fact {fact.follows_from}." if fact.follows_from is not None else ""


def repetitions(fact: NumberedFact, entries: Sequence[Entry]) -> Iterator[str]:
    """The answers that say the same again, in a sentence each."""
    for again in fact.again:
        asked = entries[(again.asked or again.number) - 1]
        told = f"Asked again by {asked.who} on {moment_in_time(asked.when)} (entry {again.number}): the same answer"
        yield "; ".join([told, *_besides(fact.entry, again, entries)]) + "."


def _besides(first: Entry, again: Entry, entries: Sequence[Entry]) -> Iterator[str]:
    """In what a repetition is not as the first answer."""
    if first.fact is not None and again.fact is not None and first.fact["scenario"] != again.fact["scenario"]:
        yield "it shows another scenario"
    if more := relied_on(again) - relied_on(first):
        yield f"it also relies on this: {listed(sorted(map(str, more)))}"
    version = _version(again, entries)
    if version and version != _version(first, entries):
        yield f"computed by another version of soid, {version}"


def _version(entry: Entry, entries: Sequence[Entry]) -> str:
    """The version of soid that answered; empty for one that did not write it down."""
    return str(entries[(entry.asked or entry.number) - 1].payload.get("soid", ""))


def doubts(fact: NumberedFact, entries: Sequence[Entry]) -> Iterator[str]:
    """What speaks against a fact, loudest first: contradictions, then answers to its question that are none."""
    if fact.contradicts:
        others = listed([f"fact {number}" for number in fact.contradicts])
        yield f"CONTRADICTION: this and {others} cannot both be true. Rely on none of them before it is clear which."
    for other in fact.others:
        yield _otherwise(fact, other, entries)


def _otherwise(fact: NumberedFact, other: Entry, entries: Sequence[Entry]) -> str:
    """What another answer to the same question says."""
    asked = entries[(other.asked or other.number) - 1]
    order = "Asked again" if other.number > fact.answer else "Asked before"
    if other.fact is not None and window_of(other) != window_of(fact.entry):
        order += " with another window"
    said = other.verdict.value if other.verdict is not None else ""
    told = f"{order} by {asked.who} on {moment_in_time(asked.when)} (entry {other.number}), the answer is {said}"
    if other not in fact.denied_by:
        return sentence_of(f"{told}: {_why(other)}")
    rests = sorted(map(str, relied_on(fact.entry) ^ relied_on(other)))
    differ = f" What only one of the two relies on: {listed(rests)}." if rests else ""
    return f"CONTRADICTION: {told}. Both cannot be true: rely on neither before it is clear why.{differ}"


def _why(entry: Entry) -> str:
    if entry.answer is None:
        return str(entry.payload["error"]["cause"])
    return str(reason_of(entry.answer))
