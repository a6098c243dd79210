"""A user of the server: a name, and what the server lets them do.

>>> ada = User("ada", UserRole.COMMENT, "3f9a2c1d04")
>>> ada.author, ada.may(UserRole.READ), ada.may(UserRole.ASK)
('ada (token 3f9a2c1d04)', True, False)
"""

from __future__ import annotations

import enum
import re
from collections.abc import Callable
from functools import wraps
from typing import Any, Final, TypeVar, cast, final

from msgspec import Struct

from soid.errors import NotAllowed


@final
class UserRole(enum.Enum):
    """What a user may do; each role may do what those before it may."""

    READ = "read"  # cases and what was found, reports and bundles
    COMMENT = "comment"  # besides, say something about an entry
    ASK = "ask"  # everything

    @property
    def words(self) -> str:
        return _WORDS[self]


_WITH_TOKEN: Final = re.compile(r"[^()]+ \(token (?P<key>[0-9a-f]+)\)")

_WORDS: Final = {
    UserRole.READ: "read the cases",
    UserRole.COMMENT: "read the cases and comment on them",
    UserRole.ASK: "ask, and do everything else",
}


@final
class User(Struct, frozen=True):
    """Who makes a request. A page has the user that opened it."""

    name: str
    role: UserRole = UserRole.ASK
    key: str = ""  # the id of the token that was shown; empty on a server that needs none

    @property
    def author(self) -> str:
        """The name under which entries are recorded. No name of a token has parentheses, so none looks like this."""
        return f"{self.name} (token {self.key})" if self.key else self.name

    @staticmethod
    def key_in(author: str) -> str:
        """The id of the token in an author's name; empty if it was recorded without one.

        >>> User.key_in(User("ada", key="3f9a2c1d04").author), User.key_in("ada")
        ('3f9a2c1d04', '')
        """
        found = _WITH_TOKEN.fullmatch(author)
        return found["key"] if found else ""

    def may(self, role: UserRole) -> bool:
        order = list(UserRole)
        return order.index(self.role) >= order.index(role)

    def require(self, role: UserRole) -> None:
        """Raise NotAllowed unless the user may do what this role may."""
        if not self.may(role):
            problem = f"{self.name} may {self.role.words}, and no more"
            raise NotAllowed(problem, f"Come in with a token that lets you {role.words}.")


Operation = TypeVar("Operation", bound=Callable[..., Any])

_NEEDED: Final[dict[Any, UserRole]] = {}


def needs(role: UserRole) -> Callable[[Operation], Operation]:
    """Mark an operation of an object that has a `user` with the role that it needs; it is refused to other users.

    API and pages reach cases through such operations alone, so this is the one place that decides.
    """

    def marked(do: Operation) -> Operation:
        @wraps(do)
        def checked(self: Any, *given: Any, **named: Any) -> Any:
            self.user.require(role)
            return do(self, *given, **named)

        _NEEDED[checked] = role
        return cast(Operation, checked)

    return marked


def needed(operation: Any) -> UserRole | None:
    """The role that an operation needs; None if it was not marked."""
    return _NEEDED.get(operation)
