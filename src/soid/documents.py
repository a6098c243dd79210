"""Documents: what `--json`, the API and a case file show of a record, as docs/json.md describes it.

A document is a Struct: its fields are the fields of the JSON object, in their order. A record whose own fields have
that shape is its own document. Any other record gives its document as the property `document`.

>>> class Place(Struct):
...     x: int
...     tags: tuple[str, ...] = ()
>>> json_of(Place(1, ("a", "b")))
{'x': 1, 'tags': ['a', 'b']}
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Self

from msgspec import Struct, to_builtins

#: a value of a program's variable in JSON: text for a label, and for a float that JSON has no number for
JsonValue = bool | int | float | str


class Document(Struct, frozen=True):
    """A document that is made from the attributes of its record."""

    @classmethod
    def of(cls, record: object) -> Self:
        """Each field is the record's attribute of the same name, itself as a document where it has one."""
        return cls(**{name: _shown(getattr(record, name)) for name in cls.__struct_fields__})


def json_of(document: Struct | Mapping[str, object]) -> dict[str, Any]:
    """A document, or an object with documents in it, as JSON values: dicts, lists, texts, numbers, bools and None."""
    found = _listed(to_builtins(document))
    assert isinstance(found, dict)
    return found


def _shown(value: Any) -> Any:
    if isinstance(value, list | tuple):
        return [_shown(each) for each in value]
    return getattr(value, "document", value)


def _listed(value: Any) -> Any:
    """JSON has lists only; msgspec keeps tuples."""
    if isinstance(value, Mapping):
        return {name: _listed(each) for name, each in value.items()}
    return [_listed(each) for each in value] if isinstance(value, list | tuple) else value
