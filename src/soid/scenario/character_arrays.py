"""Arrays of characters in a question: `c.degree == "PhD"`, where the program has variables c.degree[0], c.degree[1] ...

The array's name becomes its first characters, as many as the comparison looks at: those of the longest text, and the
zero behind it. These are what a supposition frees. The rest of the array keeps its values: C does not read it as text.

>>> from soid.program.interface import Role, Variable
>>> from soid.program.types import IntType
>>> interface = Interface(tuple(Variable(f"degree[{i}]", Role.ENVIRONMENT, IntType(8, signed=True)) for i in range(16)))
>>> written = ex.Compare(ex.Name("degree"), ((ex.Comparison.EQ, ex.Label("PhD")),))
>>> len(with_characters(written, interface).first.elements)
4
"""

from __future__ import annotations

import itertools
from typing import Any, TypeVar

from soid.errors import UnknownVariableError
from soid.program.interface import Interface, normal_path
from soid.scenario import expression as ex
from soid.scenario.expression import Located, children, placed, rebuilt, walk

N = TypeVar("N", bound=Located)


def with_characters(node: N, interface: Interface) -> N:
    """An expression, a behavior or a supposition with the elements of each array that is compared with texts."""
    return _with_characters(node, interface) if any(isinstance(each, ex.Label) for each in walk(node)) else node


def _with_characters(node: N, interface: Interface) -> N:
    made: N = rebuilt(node, lambda part: _with_characters(part, interface))
    if not isinstance(made, ex.Compare | ex.Member | ex.Identical):
        return made
    texts = [part.text for part in children(made) if isinstance(part, ex.Label)]
    if not texts:
        return made
    count = max(len(text.encode()) for text in texts) + 1
    found: N = rebuilt(made, lambda part: _characters(part, count, interface))
    return found


def _characters(node: Any, count: int, interface: Interface) -> Any:
    if not isinstance(node, ex.Name | ex.FactOf) or node.path in interface or not interface.is_text(node.path):
        return node
    length = text_length(node.path, interface)
    elements = tuple(_element(node, index) for index in range(min(count, length)))
    for each in elements:
        if each.path not in interface:
            used = f"{node.path}[*]"
            error = UnknownVariableError(
                f"the program does nothing with {each.path}, so it is not known which text {node.path} is",
                f'To speak of all of it: [variables] "{used}" = {{}} in soid.toml; or compare single characters.',
            )
            raise placed(error, node.span)
    return ex.Characters(elements, count >= length, span=node.span)


def _element(array: ex.Name | ex.FactOf, index: int) -> ex.Name | ex.FactOf:
    return type(array)(f"{normal_path(array.path)}[{index}]", array.primed, span=array.span)


def text_length(path: str, interface: Interface) -> int:
    """How many elements an array has, those included that the program does not use."""
    path = normal_path(path)
    return next(
        index
        for index in itertools.count()
        if f"{path}[{index}]" not in interface and f"{path}[{index}]" not in interface.untouched
    )
