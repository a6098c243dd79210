"""What documents of explanations say of outcomes and suppositions, as clauses in words.

An outcome names the deed: "it would drive on", "it would not drive on", "the program fails". "The program does it"
would be read as what a question denies.
"""

from __future__ import annotations

from collections.abc import Iterable

from soid.explanation.study import DOES_NOT, IN_WORDS, OCCURS
from soid.oracle.encoding import OTHERWISE
from soid.program.interface import Interface
from soid.query.language.query_parser import parse_suppositions
from soid.query.query import Query
from soid.query.words import Words, listed


def outcome(happens: str, query: Query, interface: Interface) -> str:
    """What the program does, as a clause; `happens` is one of the values of `IN_WORDS`."""
    words = Words(interface)
    if happens == IN_WORDS[OCCURS]:
        return words.would(query, occurs=True, begins=False)
    if happens == IN_WORDS[OTHERWISE]:
        return words.would(query, occurs=False, begins=False)
    if happens == IN_WORDS[DOES_NOT]:
        return f"it is not so that {words.would(query, occurs=True, begins=False)}"
    return f"the program {happens}"


def supposed(text: str, interface: Interface) -> str:
    """Suppositions as they are written, in words: "had the error light been true, whatever the heater had been"."""
    return ", ".join(Words(interface).family(parse_suppositions(text, interface)))


def clauses(texts: Iterable[str], interface: Interface) -> str:
    """What is held, in words: "the signal is LEFT at step 3"."""
    words = Words(interface)
    return listed(words.clause(each) for text in texts for each in parse_suppositions(text, interface))
