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
from soid.program.interface import Interface, Role, normal_path
from soid.scenario import expression as ex
from soid.scenario.expression import Located, children, error_at, placed, rebuilt, walk

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
    paths = [f"{normal_path(node.path)}[{index}]" for index in range(min(count, length))]
    for path in paths:
        if path not in interface:
            error = UnknownVariableError(
                f"the program does nothing with {path}, so it is not known which text {node.path} is",
                f'To speak of all of it: [variables] "{node.path}[*]" = {{}}; or compare single characters.',
            )
            raise placed(error, node.span)
    primes = _primes(node, [interface.variable(path).role for path in paths])
    elements = tuple(type(node)(path, primed, span=node.span) for path, primed in zip(paths, primes, strict=True))
    return ex.Characters(elements, count >= length, node.primed, span=node.span)


def _primes(array: ex.Name | ex.FactOf, roles: list[Role]) -> list[bool]:
    """Which elements take a prime: of an array after the call, its state; the call itself gives or leaves the rest."""
    if array.primed:
        return [role is Role.STATE for role in roles] if Role.STATE in roles else [True] * len(roles)
    if Role.DECISION in roles and len(set(roles)) > 1:
        raise error_at(
            array.span,
            f"some of {array.path} is what the program was given, and some what the call itself gives",
            f"Write {array.path}' for the text after the call.",
        )
    return [False] * len(roles)


def text_length(path: str, interface: Interface) -> int:
    """How many elements an array has, those included that the program does not use."""
    path = normal_path(path)
    return next(
        index
        for index in itertools.count()
        if f"{path}[{index}]" not in interface and f"{path}[{index}]" not in interface.untouched
    )
