"""Objects as skops saves them, looked at one attribute at a time: what no reader asks for is not looked at.

A node of the schema says of which class an object was and how to find its content. The same object is written wherever
it occurs, with the same `__id__`; as in skops, the first that is met stands for all of them.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any, Final, final

import numpy as np
from msgspec import Struct
from numpy.typing import NDArray

from soid.engine.learned.model import ModelRefused
from soid.engine.learned.readers.skops.skops_archive import SkopsArchive, broken, parsed

Floats = NDArray[np.float64]

_PROTOCOLS: Final = (0, 1, 2)


@final
class _File(Struct, frozen=True):
    archive: SkopsArchive
    first: dict[int, dict[str, Any]]  # the node that stands for all with its id


@final
class Saved:
    """One object of the file."""

    def __init__(self, node: Any, file: _File, path: str) -> None:
        if isinstance(node, dict) and isinstance(number := node.get("__id__"), int):
            node = file.first.get(number, node)
        if not isinstance(node, dict) or not all(isinstance(node.get(key), str) for key in _NODE_KEYS):
            raise broken(f"{path} is no saved object")
        self._node: dict[str, Any] = node
        self._file = file
        self.path = path
        self.loader: str = node["__loader__"]
        self.module: str = node["__module__"]
        self.name: str = node["__class__"]

    def __getitem__(self, attribute: str) -> Saved:
        """An attribute of an object, or an entry of a dict."""
        found = self._attributes().get(attribute)
        if found is None:
            raise broken(f"{self.path} has no {attribute}")
        return Saved(found, self._file, f"{self.path}.{attribute}")

    def get(self, attribute: str) -> Saved | None:
        """The same; None if there is none, or if it is None."""
        if attribute not in self._attributes():
            return None
        found = self[attribute]
        return None if found.is_none else found

    def _attributes(self) -> dict[str, Any]:
        content = self._node.get("content")
        if self.loader not in ("DictNode", "SliceNode") and isinstance(content, dict):
            content = content.get("content")  # of an object: its dict
        if not isinstance(content, dict):
            raise broken(f"{self.path} has no attributes")
        return content

    @property
    def is_none(self) -> bool:
        return self.loader == "JsonNode" and self._node.get("content") == "null"

    @property
    def is_object(self) -> bool:
        return self.loader in ("ObjectNode", "TreeNode", "LossNode")

    def items(self) -> list[Saved]:
        """The items of a list or a tuple, or of an array of objects."""
        content = self._node.get("content")
        if self.loader not in ("ListNode", "TupleNode", "NdArrayNode") or not isinstance(content, list):
            raise broken(f"{self.path} is no list")
        return [Saved(each, self._file, f"{self.path}[{place}]") for place, each in enumerate(content)]

    def value(self) -> Any:
        """A text, a number, a flag or None, or what JSON has as a whole."""
        if self.loader == "JsonNode":
            content = self._node.get("content")
            if not isinstance(content, str):
                raise broken(f"{self.path} is no value")
            return parsed(content, self.path)
        if self.loader == "NdArrayNode":
            found = self.array()
            if found.ndim == 0:
                return found.item()
        raise broken(f"{self.path} is no single value, but {self.name}")

    def text(self) -> str:
        found = self.value()
        if not isinstance(found, str):
            raise broken(f"{self.path} is no text")
        return found

    def flag(self) -> bool:
        found = self.value()
        if not isinstance(found, bool):
            raise broken(f"{self.path} is no flag")
        return found

    def integer(self) -> int:
        found = self.value()
        if isinstance(found, bool) or not isinstance(found, int):
            raise broken(f"{self.path} is no integer")
        return found

    def number(self) -> float:
        """A finite number."""
        found = self.value()
        if isinstance(found, bool) or not isinstance(found, int | float):
            raise broken(f"{self.path} is no number")
        return float(finite(np.array(found, np.float64), self.path))

    def array(self) -> NDArray[Any]:
        """An array whose items are not objects."""
        name = self._node.get("file")
        if self.loader != "NdArrayNode" or not isinstance(name, str):
            raise broken(f"{self.path} is no array")
        return self._file.archive.array(name)

    def floats(self, *shape: int) -> Floats:
        """An array of finite float64 numbers in this shape; -1 is any length."""
        found = self.array()
        if found.dtype.kind not in "fiu" or found.dtype.itemsize > 8:
            raise broken(f"{self.path} is no array of numbers")
        if len(shape) != found.ndim or any(
            asked not in (-1, real) for asked, real in zip(shape, found.shape, strict=True)
        ):
            raise broken(f"{self.path} has the shape {found.shape}")
        return finite(found.astype(np.float64), self.path)

    def dtype(self) -> np.dtype[Any]:
        """A kind of number, which skops saves as an empty array of it."""
        content = self._node.get("content")
        if self.loader != "DTypeNode":
            raise broken(f"{self.path} is no dtype")
        empty = Saved(content, self._file, self.path)
        return np.dtype(object) if empty.is_array_of_objects else empty.array().dtype

    @property
    def is_array_of_objects(self) -> bool:
        return self.loader == "NdArrayNode" and self._node.get("type") == "json"

    def labels(self) -> list[Any]:
        """The items of a flat array of texts, numbers or flags."""
        if self.is_array_of_objects:
            return [each.value() for each in self.items()]
        found = self.array()
        if found.ndim != 1 or found.dtype.kind not in "biufU":
            raise broken(f"{self.path} is no row of labels")
        return list(found.tolist())


_NODE_KEYS: Final = ("__class__", "__module__", "__loader__")


def finite(found: Floats, path: str) -> Floats:
    if not np.isfinite(found).all():
        raise broken(f"{path} has a number that is not finite")
    return found


def opened(content: bytes) -> Saved:
    """The object that the file holds."""
    archive = SkopsArchive(content)
    schema = archive.schema()
    protocol = schema.get("protocol")
    if not isinstance(protocol, int) or isinstance(protocol, bool):
        raise broken("it does not say its protocol")
    if protocol not in _PROTOCOLS:
        raise ModelRefused(
            f"the skops file has protocol {protocol}", f"soid knows protocols {_PROTOCOLS[0]} to {_PROTOCOLS[-1]}."
        )
    return Saved(schema, _File(archive, _first_of_each(schema)), "model")


def _first_of_each(schema: dict[str, Any]) -> dict[int, dict[str, Any]]:
    """The first node with each id, in the order in which skops comes to them; none of them may hold itself."""
    known: dict[int, dict[str, Any]] = {}
    inside: set[int] = set()
    waiting: list[Any] = [schema]
    while waiting:
        node = waiting.pop()
        if isinstance(node, int):  # the end of the node that has this id
            inside.discard(node)
            continue
        number = node.get("__id__")
        if isinstance(number, int) and number:
            if number in inside:
                raise broken(f"the object with the id {number} holds itself")
            if number in known:
                continue
            known[number] = node
            inside.add(number)
            waiting.append(number)
        waiting += reversed(_children(node))
    return known


def _children(node: dict[str, Any]) -> list[dict[str, Any]]:
    """The nodes right inside of a node, in skops's order."""
    parts = [node.get("content"), node.get("__reduce__"), node.get("shape"), node.get("attrs")]
    if node.get("__loader__") == "DictNode":
        parts.insert(0, node.get("key_types"))
    found: list[dict[str, Any]] = []
    for part in parts:
        if isinstance(part, dict) and "__loader__" not in part:  # names, with a node each
            found += [each for each in part.values() if isinstance(each, dict)]
        elif isinstance(part, dict):
            found.append(part)
        elif isinstance(part, list):
            found += [each for each in part if isinstance(each, dict)]
    return found


def as_category(value: Any) -> Any:
    """A label of categories: a text, a flag, a number, or None if it stands for what is missing."""
    if value is None or (isinstance(value, float) and math.isnan(value)):
        return None
    if isinstance(value, float) and value.is_integer():
        return int(value)
    return value


def texts(values: Sequence[Any], path: str) -> tuple[str, ...]:
    """Labels as texts; no two of them may read the same."""
    found = tuple(str(each) for each in values)
    if len(set(found)) < len(found):
        raise broken(f"two labels of {path} read the same")
    return found
