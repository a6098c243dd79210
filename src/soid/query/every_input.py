"""`every input`: what is said of it is said of each variable that the program perceives, one by one.

would move == 1 if every input within 1 % of fact
would move be the same if every input differs by at most 1 %
"""

from __future__ import annotations

from collections.abc import Container, Iterable, Iterator, Sequence
from typing import Any, Final, TypeVar

from msgspec.structs import replace

from soid.program.interface import Interface, Role
from soid.scenario.expression import error_at
from soid.scenario.supposition import Anything, During, Keep, Supposition, Within

EVERY_INPUT: Final = "every input"  # no path: one with a blank is never read from a program

T = TypeVar("T", bound=Any)


def of_each_input(said: Sequence[Supposition], interface: Interface) -> tuple[Supposition, ...]:
    """The same suppositions, one for each input that is not kept."""
    kept = {each.path for each in said if isinstance(each, Keep)}
    found: list[Supposition] = []
    for one in said:
        if isinstance(one, During) and isinstance(one.supposed, Anything | Within):
            found += [replace(one, supposed=each) for each in spread([one.supposed], interface, kept)]
        else:
            found += spread([one], interface, kept) if isinstance(one, Anything | Within) else [one]
    return tuple(found)


def spread(said: Iterable[T], interface: Interface, kept: Container[str] = ()) -> Iterator[T]:
    """What is said of variables, each with a path."""
    for one in said:
        if one.path != EVERY_INPUT or EVERY_INPUT in interface:
            yield one
            continue
        inputs = [each.path for each in interface.variables if each.role is Role.ENVIRONMENT and not each.parts]
        paths = [path for path in inputs if path not in kept]
        if not paths:
            raise error_at(one.span, "there is no input that may differ", "Name a variable.")
        for path in paths:
            yield replace(one, path=path)
