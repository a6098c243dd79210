"""What a question is answered at many moments, in sentences.

"At 4,812 of 5,000 moments it would always fly home, whatever the pilot's switch had been. At 165 it would not in some
scenario. At 23 that is not known."
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Final, assert_never

from soid.query.query import Query, QueryKind
from soid.query.words.lists import counted
from soid.query.words.sentences import Words

#: by verdict, as in `soid.oracle.answer`
_NEITHER: Final = {
    "vacuous": "no scenario is as supposed",
    "unknown": "that is not known",
    "error": "there is no answer",
}


def tally(words: Words, query: Query, found: Mapping[str, int]) -> str:
    """How many moments have which verdict; `found` has those that some moment has."""
    said = [*_definite(words, query, found), *((verdict, _NEITHER[verdict]) for verdict in _NEITHER)]
    told = [(found[verdict], text) for verdict, text in said if found.get(verdict)]
    moments = sum(found.values())
    sentences = []
    for number, (count, text) in enumerate(told):
        among = f"{count:,} of {counted(moments, 'moment')}" if number == 0 else f"{count:,}"
        if count == moments:
            among = "the one moment" if moments == 1 else f"all {counted(moments, 'moment')}"
        sentences.append(f"At {among} {text}.")
    return " ".join(sentences)


def _definite(words: Words, query: Query, found: Mapping[str, int]) -> Iterator[tuple[str, str]]:
    """What yes and no say; the first in full, the second short if it only denies the first."""
    match query.kind:
        case QueryKind.DID:
            yield "yes", words.did(query, occurs=True)
            yield "no", "it did not" if found.get("yes") else words.did(query, occurs=False)
        case QueryKind.WOULD:
            always = _inside(words.of_all(query, occurs=True))
            yield "yes", always
            yield "no", "it would not in some scenario" if found.get("yes") else f"it is not so that {always}"
        case QueryKind.MIGHT:
            never = _inside(words.of_all(query, occurs=False))
            yield "yes", f"{_inside(words.would(query, occurs=True))} in some scenario"
            yield "no", never
        case _ as unreachable:
            assert_never(unreachable)


def _inside(sentence: str) -> str:
    """A sentence within another one."""
    return f"it{sentence[2:]}" if sentence.startswith("It ") else sentence
