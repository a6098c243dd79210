"""Reads a category of a model, or the class that it chose, from what a log has for it.

A log is evidence, and tells what the library was given: what is spelled like none of the labels is a category that
training has not seen, and the type's value for these (`EnumType.other`) stands for it. That is so only if the log can
mean nothing else. What may be missing (`nan`), or be a label as another type writes it (`3.0` for the text 3), is
refused; the manifest can say what it is.

>>> from soid.program.types import show
>>> job = EnumType("job", 32, True, (("clerk", 0), ("OTHER", -2)), (("clerk", 0),), other=-2, written="text")
>>> [show(job, category_bits(job, text)) for text in ("clerk", "pilot")]
['clerk', 'OTHER']
>>> decision = EnumType("class", 32, True, (("class_0", 0), ("class_1", 1)), (("0", 0), ("1", 1)))
>>> [show(decision, category_bits(decision, value)) for value in ("1.0", False)]
['class_1', 'class_0']
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from soid.program.types import EnumType, VariableType, from_python
from soid.scenario.log_formats import quoted
from soid.scenario.logs.written_number import same_number, whole_number

_MISSING: Final = frozenset(("nan", "none", "null", "na", "n/a", "nat", "<na>", "-nan", "?"))  # as tables write it
_MOST: Final = 1 << 24  # codes from here on no library takes
_SHOWN: Final = 12  # labels that a message has


def category_bits(kind: EnumType, literal: bool | str) -> int:
    """The bits of a value. A ValueError says what was found and what was expected."""
    for text in (str(literal), str(literal).strip()):  # a label may begin with a blank
        if (number := kind.number(text)) is not None:
            return number & (1 << kind.width) - 1
    alike = [label for label, _ in kind.spellings if _is_alike(text, label)]
    if len(alike) == 1 and kind.written != "text":
        return from_python(kind, alike[0])
    if isinstance(literal, str) and is_unseen(kind, text):
        assert kind.other is not None
        return kind.other & (1 << kind.width) - 1
    if kind.other is None:
        return from_python(kind, text)
    doubt = f", and it may be {alike[0]} or another one" if alike else ", nor certainly one that training has not seen"
    other = next(label for label, number in kind.labels if number == kind.other)
    remedy = f'the manifest can say what it is: labels = {{ "{quoted(text)}" = "{other}" }}'
    raise ValueError(f"{quoted(text)} is none of {_shown(kind)}{doubt}; {remedy}")


def is_unseen(kind: EnumType, text: str) -> bool:
    """Whether a text can only be a category that training has not seen."""
    labels = (label for label, _ in kind.spellings)
    if kind.other is None or kind.number(text) is not None or any(_is_alike(text, label) for label in labels):
        return False
    if kind.written == "text":
        return text.lower() not in _MISSING
    value = whole_number(text)
    return kind.written == "number" and value is not None and 0 <= value < _MOST


def _is_alike(text: str, label: str) -> bool:
    """Whether a text may be a label in another form: as another type, or without the blanks that tables drop."""
    return text == label.strip() or same_number(text, label)


def beside_own(kind: VariableType, labels: Mapping[str, int]) -> tuple[bool, bool]:
    """Whether labels of a manifest are beside those of the program, and whether they translate some of these.

    Those of a model are, unless one of them has another meaning: then the log has a code of its own. Where one is a
    translation, a text without one is not taken for a category that the model has not seen.
    """
    if not isinstance(kind, EnumType) or not kind.spellings:
        return False, False
    own = {text: number & (1 << kind.width) - 1 for text, number in (*kind.labels, *kind.spellings)}
    special = {None if each is None else each & (1 << kind.width) - 1 for each in (kind.missing, kind.other)}
    adds = all(own.get(text, bits) == bits for text, bits in labels.items())
    return adds, any(text not in own and bits not in special for text, bits in labels.items())


def _shown(kind: EnumType) -> str:
    labels = [quoted(label) for label, _ in kind.spellings]
    more = f" and {len(labels) - _SHOWN} more" if len(labels) > _SHOWN else ""
    return f"{', '.join(labels[:_SHOWN])}{more}"
