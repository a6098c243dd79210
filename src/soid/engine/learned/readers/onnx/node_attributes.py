"""The attributes of an operation, with the types that the operator has; what is not known is refused by name."""

from __future__ import annotations

from typing import Any, final

from soid.engine.learned.model import ModelRefused
from soid.engine.learned.readers.onnx.onnx_messages import OnnxNode
from soid.engine.learned.readers.onnx.onnx_tensors import OnnxTensor
from soid.engine.learned.readers.onnx.protobuf_wire import broken


@final
class NodeAttributes:
    """Attributes by name; what is absent is empty, or the default."""

    def __init__(self, node: OnnxNode, known: str) -> None:
        self._node = node
        unknown = node.attributes.keys() - set(known.split())
        if unknown:
            raise ModelRefused(f"The attribute {min(unknown)} of {node.name} is not modelled.")

    def integer(self, name: str, default: int) -> int:
        found: int = self._typed(name, int, default)
        return found

    def flag(self, name: str, default: bool = False) -> bool:
        """0 or 1: what a runtime makes of another number is not known."""
        found = self.integer(name, int(default))
        if found not in (0, 1):
            raise broken(f"the attribute {name} of {self._node.name} is {found}")
        return found == 1

    def number(self, name: str, default: float) -> float:
        found: float = self._typed(name, float, default)
        return found

    def text(self, name: str, default: str) -> str:
        return _text(self._typed(name, bytes, default.encode()))

    def tensor(self, name: str) -> OnnxTensor | None:
        found: OnnxTensor | None = self._typed(name, OnnxTensor, None)
        return found

    def integers(self, name: str) -> list[int]:
        return self._list(name, int)

    def numbers(self, name: str) -> list[float]:
        return self._list(name, float)

    def texts(self, name: str) -> list[str]:
        return [_text(each) for each in self._list(name, bytes)]

    def _typed(self, name: str, kind: type, default: Any) -> Any:
        if name not in self._node.attributes:
            return default
        found = self._node.attributes[name]
        if type(found) is not kind:
            raise broken(f"the attribute {name} of {self._node.name} has another type")
        return found

    def _list(self, name: str, kind: type) -> list[Any]:
        found = self._typed(name, list, [])
        if found and type(found[0]) is not kind:
            raise broken(f"the attribute {name} of {self._node.name} has another type")
        return list(found)


def _text(written: bytes) -> str:
    try:
        return written.decode()
    except UnicodeDecodeError as error:
        raise broken("a text is not UTF-8") from error
