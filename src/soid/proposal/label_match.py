"""What a log's texts mean among the values of a type: `RTH` is PILOT_RTH, `fault` of `lamp_works` is false.

>>> pilot = EnumType("pilot_switch", 32, False, (("PILOT_MANUAL", 0), ("PILOT_HOLD", 1), ("PILOT_RTH", 2)))
>>> match_labels(pilot, ("MANUAL", "HOLD"), ()).labels
{'MANUAL': 'PILOT_MANUAL', 'HOLD': 'PILOT_HOLD', 'RTH': 'PILOT_RTH'}
>>> match_labels(BoolType(), ("OPEN", "CLOSED"), ("door", "open")).labels
{'OPEN': 'true', 'CLOSED': 'false'}
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Final, final

from msgspec import Struct
from msgspec.structs import replace

from soid.program.identifier import words_of
from soid.program.types import BoolType, EnumType
from soid.scenario.logs.category_text import category_bits, is_unseen

_TRUE: Final = frozenset(
    words_of("true t yes y on ok okay good valid active enabled set high up present locked armed done pass passed")
)
_FALSE: Final = frozenset(
    words_of(
        "false f no n off fault faulty bad invalid inactive disabled unset low down absent unlocked disarmed "
        "pending fail failed error none lost broken defect"
    )
)
_FEW: Final = 3  # labels of which every order is tried, if nothing tells which is which
_PLAIN: Final = frozenset(("true", "false", "0", "1"))  # what every log's reader takes for a bool


@final
class LabelMatch(Struct, frozen=True):
    """The meaning of a column's texts."""

    labels: dict[str, str]  # what the log writes -> the program's value; empty: they are the same
    share: float  # of the texts, those whose meaning their spelling shows
    guessed: tuple[str, ...] = ()  # texts whose meaning is what was left, or follows from common words alone
    named: bool = False  # a text is a word of the variable's name

    @property
    def as_numbers(self) -> LabelMatch:
        """The same for a number that is a flag."""
        return replace(self, labels={text: str(int(value == "true")) for text, value in self.labels.items()})


def match_labels(kind: BoolType | EnumType, texts: Sequence[str], words: Sequence[str]) -> LabelMatch | None:
    """What the texts mean; None if they cannot be the type's values. `words` are those of the variable's name."""
    return _of_enum(kind, texts) if isinstance(kind, EnumType) else _of_bool(texts, words)


def _of_enum(kind: EnumType, texts: Sequence[str]) -> LabelMatch | None:
    labels = [label for label, _ in kind.labels]
    if all(kind.number(text) is not None for text in texts):
        return LabelMatch({}, 1.0)
    if kind.spellings and all(_is_read(kind, text) for text in texts):
        share = 1 - sum(is_unseen(kind, text) for text in texts) / len(texts)
        return LabelMatch({}, share) if share else None
    if (unseen := _for_unseen(kind)) is not None:
        return _of_category(kind, texts, unseen)
    spellings = _spellings(labels)
    found: dict[str, str] = {}
    for text in texts:
        known = next((label for label in labels if words_of(text) in spellings[label]), None)
        if known is not None:
            found[text] = known
    left = [text for text in texts if text not in found]
    free = [label for label in labels if label not in found.values()]
    if not found and len(texts) == len(labels) <= _FEW:
        return LabelMatch(dict(zip(texts, labels, strict=True)), 0.0, tuple(texts))
    if len(left) > 1 or (left and (len(free) != 1 or not found)):
        return None
    share = len(found) / len(texts)
    if left:
        return LabelMatch({**found, left[0]: free[0]}, share, (left[0],))
    return LabelMatch({**found, **_unseen(found, free, labels)}, share)


def _for_unseen(kind: EnumType) -> str | None:
    """The label of a category that a model has not seen in training, if it takes such; None if it is no category."""
    known = {number for _, number in kind.spellings} | {kind.missing}
    return next((label for label, number in kind.labels if kind.spellings and number not in known), None)


def _of_category(kind: EnumType, texts: Sequence[str], unseen: str) -> LabelMatch | None:
    """A model's categories are spelt as in training; what is not, it has not seen."""
    others = tuple(text for text in texts if not _is_read(kind, text))
    known = sum(kind.number(text) is not None for text in texts)
    return LabelMatch(dict.fromkeys(others, unseen), known / len(texts), others) if known else None


def _is_read(kind: EnumType, text: str) -> bool:
    """Whether a log's reader knows what a text means; that true is class 1 nothing shows."""
    if text.lower() in ("true", "false") and kind.number(text) is None:
        return False
    try:
        category_bits(kind, text)
    except ValueError:
        return False
    return True


def _spellings(labels: Sequence[str]) -> dict[str, set[tuple[str, ...]]]:
    """The words by which a log may call each label: all of them, or without what all labels begin or end with."""
    words = {label: words_of(label) for label in labels}
    front, back = _common(words.values()), _common([each[::-1] for each in words.values()])
    return {
        label: {each, each[front:], each[: len(each) - back], each[front : len(each) - back]}
        for label, each in words.items()
    }


def _common(words: Iterable[tuple[str, ...]]) -> int:
    """How many words all begin with; one word of each is left over."""
    rows = list(words)
    if len(rows) < 2:
        return 0
    most = min(map(len, rows)) - 1
    return next((at for at in range(most) if len({row[at] for row in rows}) > 1), max(most, 0))


def _unseen(found: dict[str, str], free: Sequence[str], labels: Sequence[str]) -> dict[str, str]:
    """Labels that were not seen, as this log would write them: if all others are written in one way, so are they."""
    words = [words_of(label) for label in labels]
    start = len("_".join(words[0][: _common(words)])) + 1 if _common(words) else 0
    ways: tuple[Callable[[str], str], ...] = (str, str.upper, str.lower, str.capitalize)
    for way in ways:
        if all(way(label[start:]) == text for text, label in found.items()):
            return {way(label[start:]): label for label in free}
    return {}


def _of_bool(texts: Sequence[str], words: Sequence[str]) -> LabelMatch | None:
    if {text.lower() for text in texts} <= _PLAIN:
        return LabelMatch({}, 1.0)
    if not 1 <= len(texts) <= 2 or any(text.lstrip("+-").replace(".", "", 1).isdigit() for text in texts):
        return None
    named = [text for text in texts if set(words_of(text)) & set(words)]
    if len(named) == 1:
        return LabelMatch({text: "true" if text in named else "false" for text in texts}, 1.0, named=True)
    kinds = [(text.lower() in _TRUE, text.lower() in _FALSE) for text in texts]
    if all(yes != no for yes, no in kinds) and len({yes for yes, _ in kinds}) == len(texts):
        against = bool(_FALSE & set(words)) or bool({"not", "non", "un"} & set(words))  # lamp_broken: ok is false
        meanings = {text: "true" if yes != against else "false" for text, (yes, _) in zip(texts, kinds, strict=True)}
        return LabelMatch(meanings, 0.6, tuple(texts))
    return LabelMatch(dict(zip(texts, ("true", "false"), strict=False)), 0.0, tuple(texts))
