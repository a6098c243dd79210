"""An entry whose hash fits and whose payload has another shape is refused in words, whatever was written into it."""

from __future__ import annotations

from collections.abc import Iterator
from copy import deepcopy
from typing import Any

import pytest

from soid.case import validity
from soid.case.record.entry import GENESIS, Entry, EntryKind
from soid.case.record.payload_shapes import misfit
from soid.cli.terminal.entries import ABOUT
from soid.errors import BundleError
from soid.evidence.bundled_record import read_chain, read_facts, written

_MOMENT = {"question": "did moves", "log": "log.jsonl", "step": 3, "keyframe": None}
_FACT = {"about": "fact", "behavior": "moves", "occurs": "yes", "instead": "", "statement": "It moved."}
_ANSWER = {"question": "did moves", "step": 3, "verdict": "yes", "reason": "it did"}
_UNLOGGED = {"missing": 3, "derived": 2, "since": "step 1", "changed": 1, "changes": [{"step": 1, "value": 2}]}
_COMPARISON = {
    "log": "log.jsonl",
    "steps": 3,
    "compared": 3,
    "fits": 1,
    "possible": 1,
    "unlinked": 0,
    "differs": 1,
    "open": 0,
    "explored": 1,
    "values": 3,
    "gaps": 0,
    "cut": None,
    "partings": [{"step": 2, "words": "it moved", "source": "log.jsonl:3"}],
    "decisions": [{"name": "return", **_UNLOGGED}],
    "state": [{"name": "n", **_UNLOGGED}],
    "causes": [{"cause": "unit", "explains": True, "words": "with feet"}],
}
_ENTRIES: tuple[tuple[EntryKind, dict[str, Any]], ...] = (
    (
        EntryKind.OPENED,
        {
            "title": "A car",
            "program": "car",
            "manifest": "car/soid.toml",
            "logs": ["log.jsonl"],
            "files": [{"path": "log.jsonl", "sha256": "ab", "size": 3}],
            "folders": ["."],
            "compiled": None,
        },
    ),
    (EntryKind.KEYFRAME, {"name": "impact", "log": "log.jsonl", "step": 3}),
    (EntryKind.ACCEPTED, {"log": "log.jsonl", "step": 3, "mismatch": "it moved", "why": "known"}),
    (EntryKind.ASKED, {**_MOMENT, "continues": None, "settings": {"window": 4}}),
    (
        EntryKind.ANSWERED,
        {**_MOMENT, "asked": 4, "accepted": 3, "answer": _ANSWER, "fact": {**_FACT, "suppositions": ["a"]}},
    ),
    (EntryKind.ASKED, {**_MOMENT, "continues": 4, "settings": {"window": None}}),
    (
        EntryKind.FAILED,
        {**_MOMENT, "asked": 6, "accepted": None, "error": {"type": "ProgramError", "cause": "no", "remedy": "yes"}},
    ),
    (EntryKind.NOTE, {"on": 5, "text": "conclusion of car.soid: it is so"}),
    (EntryKind.RETRACTED, {"entry": 2, "why": "wrong name"}),
    (EntryKind.RENAMED, {"title": "Moss v. Oven"}),
    (EntryKind.ARCHIVED, {"why": "settled"}),
    (EntryKind.NOTICED, {"about": "compiler", "found": ["another"]}),
    (
        EntryKind.ATTESTED,
        {"log": "log.jsonl", "name": "log.jsonl", "sha256": "ab", "signature": None, "algorithm": None, "key": None},
    ),
    (
        EntryKind.STUDIED,
        {
            **{name: _MOMENT[name] for name in ("log", "step", "keyframe")},
            "accepted": 3,
            "wanted": {"kind": "explanation", "entry": 5, "question": "did move", "others": 3},
            "settings": {"window": None},
            "result": {},
            "statement": "it moved",
        },
    ),
    (EntryKind.COMPARED, {"log": "log.jsonl", "sha256": "ab", "verdict": "differs", "result": _COMPARISON}),
    (
        EntryKind.ANCHORED,
        {
            "entries": 4,
            "hash": "ab",
            "time": "2030-01-01",
            "authority": "A",
            "nonce": None,
            "response": "",
            "certificates": ["x"],
        },
    ),
)
_OTHERS: tuple[Any, ...] = (None, True, -1, 0, 7, 10**30, 0.5, "", "x", [], [[]], {}, {"x": None})


def _chain(payloads: list[dict[str, Any]]) -> bytes:
    made: list[Entry] = []
    for number, ((kind, _), payload) in enumerate(zip(_ENTRIES, payloads, strict=True), start=1):
        previous = made[-1].hash if made else GENESIS
        made.append(Entry.make(number, kind, "ada", "2030-01-02T03:04:05.000Z", payload, previous))
    return written(made)


def _used(data: bytes) -> None:
    """Use a chain in each of the ways that rest on its payloads."""
    entries = read_chain(data)
    read_facts(entries)
    validity.unanswered(entries)
    validity.conclusions(entries)
    validity.keyframes(entries)
    for entry in entries:
        validity.notes_on(entries, entry.number)
        assert entry.told(ABOUT)
        _ = entry.verdict


def _altered(value: Any) -> Iterator[Any]:
    """The value with one thing in it removed, or made something else."""
    keys = list(value) if isinstance(value, dict) else range(len(value)) if isinstance(value, list) else ()
    for key in keys:
        less = deepcopy(value)
        del less[key]
        yield less
        for other in (*_OTHERS, *_altered(value[key])):
            new = deepcopy(value)
            new[key] = other
            yield new


def test_every_kind_of_entry_has_a_shape_that_its_entries_fit():
    assert {kind for kind, _ in _ENTRIES} == set(EntryKind)
    assert [misfit(number, *entry) for number, entry in enumerate(_ENTRIES, start=1)] == [""] * len(_ENTRIES)
    _used(_chain([payload for _, payload in _ENTRIES]))


@pytest.mark.parametrize(
    "at", range(len(_ENTRIES)), ids=[f"{n + 1} {kind.value}" for n, (kind, _) in enumerate(_ENTRIES)]
)
def test_an_entry_of_another_shape_is_refused_in_words_or_does_no_harm(at):
    payloads = [payload for _, payload in _ENTRIES]
    refused = []
    for changed in _altered(payloads[at]):
        try:
            _used(_chain([*payloads[:at], changed, *payloads[at + 1 :]]))
        except BundleError as error:
            refused.append(error.cause)
    assert refused
    assert [cause for cause in refused if not cause.startswith("entry ")] == []


def test_only_the_first_entry_opens_a_case():
    (kind, opened), (_, note) = _ENTRIES[0], _ENTRIES[7]
    assert misfit(2, kind, opened) and misfit(1, EntryKind.NOTE, note)
