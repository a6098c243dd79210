"""The names of a program's variables as Python writes them: nested, by attributes and items.

>>> from soid.program.interface import Role, Variable
>>> from soid.program.types import BoolType
>>> paths = ("world.agents[0].moves", "world.agents[1].moves", "safe_to_enter()", "move")
>>> v = Variables(Interface(tuple(Variable(path, Role.ENVIRONMENT, BoolType()) for path in paths)))
>>> v
4 variables: world, safe_to_enter, move
>>> v.world.agents
2 variables of world.agents: [0], [1]
>>> v.world.agents[1].moves, v["world.agents[1]"]["moves"], v.safe_to_enter
(world.agents[1].moves, world.agents[1].moves, safe_to_enter())
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any, Final, NoReturn, SupportsIndex, final

from soid.errors import QueryError, UnknownVariableError, did_you_mean
from soid.program.interface import Interface, Variable, normal_path
from soid.query.python import TextHandle, VariableHandle

#: the first part of what is left of a path: an index, a name with what is called by it, or anything else
_PART: Final = re.compile(r"\.?(\[\d+\]|[^.\[\]]+(?:\(\))?)")
_SHOWN: Final = 12  # names in a line


@final
class Variables:
    """The variables of an interface, or those of one part of it: a structure, an array.

    `v.world.agents[1].signal` and `v["world.agents[1].signal"]` are the same; a name that is no word of Python's has
    the second form only. An array of characters is compared with a text: `v.c.degree == "PhD"`.
    """

    __slots__ = ("_interface", "_path")

    def __init__(self, interface: Interface, path: str = "") -> None:
        self._interface, self._path = interface, path

    def __getattr__(self, name: str) -> Any:  # which of the three it is, the program says
        if name.startswith("__") or name in self.__slots__:
            raise AttributeError(name)
        return self[name]

    def __getitem__(self, key: str | SupportsIndex) -> Any:
        return self._found(key)

    def _found(self, key: str | SupportsIndex) -> VariableHandle | TextHandle | Variables:
        path = self._join(key)
        for known in (path, f"{path}()"):
            if known in self._interface:
                return VariableHandle(self._interface.variable(known), self._interface)
        if self._interface.is_text(path):
            return TextHandle(path, self._interface)
        inner = Variables(self._interface, path)
        if key == "" or not len(inner):
            raise UnknownVariableError(f"there is no variable {path or repr(path)}", self._similar(key, path))
        return inner

    def _similar(self, key: str | SupportsIndex, path: str) -> str:
        """The remedy for a name that is not there: one beside it, or what the program has of that name elsewhere."""
        beside = did_you_mean(key, dir(self)) if isinstance(key, str) else ""
        return beside or self._interface.suggestion(path)

    def __setattr__(self, name: str, value: object) -> None:
        if name not in self.__slots__:
            self[name] = value
        super().__setattr__(name, value)

    def __setitem__(self, key: str | SupportsIndex, value: object) -> NoReturn:
        raise QueryError(
            f"nothing is assigned to {self._join(key)}: it is a variable of the program",
            "Suppose it in a question: would(...).given(v.x == 2).",
        )

    def _join(self, key: str | SupportsIndex) -> str:
        if not isinstance(key, str):
            if not isinstance(key, SupportsIndex):
                raise UnknownVariableError(f"{key!r} is no name of a variable", 'Write v["name"], or v.array[0].')
            return f"{self._path}[{key.__index__()}]"
        path = normal_path(key) if key not in self._interface else key
        return path if not self._path else f"{self._path}{path}" if path.startswith("[") else f"{self._path}.{path}"

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Variables) and (self._interface, self._path) == (other._interface, other._path)

    def __hash__(self) -> int:
        return hash((Variables, self._path, len(self._interface.variables)))

    def __contains__(self, key: object) -> bool:
        try:
            return isinstance(key, str | SupportsIndex) and self._found(key) is not None
        except UnknownVariableError:
            return False

    def __iter__(self) -> Iterator[VariableHandle]:
        return (VariableHandle(variable, self._interface) for variable in self._members())

    def __len__(self) -> int:
        return sum(1 for _ in self._members())

    def __dir__(self) -> list[str]:
        return [name for part in self._parts() if (name := part.removesuffix("()")).isidentifier()]

    def _ipython_key_completions_(self) -> list[str]:
        """What a notebook proposes between brackets."""
        begun = len(self._path)
        return [each.path[begun:].removeprefix(".") for each in self._members()]

    def __repr__(self) -> str:
        parts = [part.removesuffix("()") for part in self._parts()]
        shown = ", ".join(parts[:_SHOWN]) + (", ..." if len(parts) > _SHOWN else "")
        whose = f" of {self._path}" if self._path else ""
        return f"{len(self)} variable{'' if len(self) == 1 else 's'}{whose}: {shown}"

    def _members(self) -> Iterator[Variable]:
        inside = (f"{self._path}.", f"{self._path}[") if self._path else ("",)
        return (each for each in self._interface.nameable if each.path.startswith(inside))

    def _parts(self) -> list[str]:
        """The names that may follow, each once."""
        found = (_PART.match(each.path, len(self._path)) for each in self._members())
        return list(dict.fromkeys(part[1] for part in found if part is not None))
