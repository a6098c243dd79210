"""Where the values at a moment come from: they were logged, they follow from the log, or they are not known.

>>> Origin("derived") is Origin.DERIVED
True
"""

from __future__ import annotations

from enum import Enum
from typing import Final, final

from msgspec import Struct

from soid.program.interface import Role, Variable

#: in `Keyframe.derived`: the value is the one that the program starts with
NEVER_WRITTEN: Final = "its start: the program never writes it"
#: in `Keyframe.derived`: the program ran over the log from its first step on
FIRST_CALL: Final = "its first call"
#: in place of a value that is neither logged nor derived
NOT_KNOWN: Final = "not known"
#: in place of a value that may follow, and was not looked for
NOT_LOGGED: Final = "not logged"


def is_constant(variable: Variable) -> bool:
    """Whether a variable has the value that the program starts with in every step that does not log another one."""
    return variable.role is not Role.STATE and variable.initial is not None


@final
class Origin(Enum):
    """Where the value of an input at a moment comes from."""

    LOGGED = "logged"
    DERIVED = "derived"  # it follows from the program and the rest of the log
    ASSUMED = "assumed"  # it is not known: a question about the moment is answered for every value


@final
class DerivedInput(Struct, frozen=True):
    """An input that the log does not have, and that follows from it."""

    variable: Variable
    bits: int
    since: str  # what it follows from: the program ran over the log since then

    @property
    def how(self) -> str:
        """How the value is known, in words."""
        if self.since == NEVER_WRITTEN:
            return "not logged: as the program starts, which never writes it"
        return f"not logged: derived by running the program over its log since {self.since}"


@final
class AssumedInput(Struct, frozen=True):
    """An input that is not known."""

    variable: Variable
    bits: int  # one of the values that it may have had


@final
class Supplied(Struct, frozen=True):
    """What is taken for the inputs that the log does not have at a moment."""

    derived: tuple[DerivedInput, ...] = ()
    assumed: tuple[AssumedInput, ...] = ()
    underived: str = ""  # why state that is not known does not follow, in sentences
