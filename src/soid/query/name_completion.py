"""Completion of variables in IPython and Jupyter: `v.world.agents[1].<TAB>`, `project.variables["wor<TAB>`.

Neither of IPython's own ways to complete a name calls a `__getattr__` or a `__getitem__` that it does not know, so both
see the first names only. This one does, for `Variables` alone: reading a part of those runs no more than a search.

>>> from soid.program.interface import Interface, Role, Variable
>>> from soid.program.types import BoolType
>>> agents = (Variable(f"agents[{number}].moves", Role.ENVIRONMENT, BoolType()) for number in range(2))
>>> completions("would(v.agents[1].mo", {"v": Variables(Interface(tuple(agents)))})
('mo', ['moves'])
"""

from __future__ import annotations

import re
import sys
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Final

from soid.errors import SoidError
from soid.query.python import Formula
from soid.query.variables import Variables

if TYPE_CHECKING:
    from IPython.core.completer import CompletionContext, SimpleMatcherResult

#: what stands before the cursor: a name, the parts that follow it, and the begin of another attribute or key
_TYPED: Final = re.compile(
    r"([^\W\d]\w*)((?:\.[^\W\d]\w*|\[(?:\d+|\"[^\"]*\"|'[^']*')\])*)(?:\.(?P<attribute>\w*)|\[[\"'](?P<key>[^\"']*))$"
)
_PART: Final = re.compile(r"\.(\w+)|\[(\d+)\]|\[[\"'](.*?)[\"']\]")


def offer_names() -> None:
    """Let the IPython that runs this, if one does, complete the names of variables."""
    interactive = sys.modules.get("IPython")
    completer = getattr(interactive.get_ipython(), "Completer", None) if interactive is not None else None
    known = getattr(completer, "custom_matchers", None)
    if completer is None or known is None or any(each.__module__ == __name__ for each in known):
        return
    from IPython.core.completer import SimpleCompletion, context_matcher

    def variables_matcher(context: CompletionContext) -> SimpleMatcherResult:
        begun, names = completions(context.text_until_cursor, completer.namespace)
        found = [SimpleCompletion(text=name, type="variable") for name in names]
        return {"completions": found, "matched_fragment": begun, "suppress": bool(found)}

    known.append(context_matcher()(variables_matcher))


def completions(line: str, names: Mapping[str, Any]) -> tuple[str, list[str]]:
    """The begin of the name that a line ends with, and what it may become; nothing if that is no variable's."""
    typed = _TYPED.search(line)
    part = _reached(typed[1], typed[2], names) if typed is not None else None
    if typed is None or part is None:
        return "", []
    begun, proposed = typed["attribute"], dir(part)
    if begun is None:
        begun = typed["key"]
        proposed = part._ipython_key_completions_() if isinstance(part, Variables) else []
    return begun, [name for name in proposed if name.startswith(begun) and not name.startswith("_")]


def _reached(root: str, parts: str, names: Mapping[str, Any]) -> Variables | Formula | None:
    """What the parts lead to, from a name of the notebook; None if that is nothing of a program's."""
    found = names.get(root)
    rest = list(_PART.finditer(parts))
    if rest and rest[0][1] == "variables" and type(found).__module__.startswith("soid."):
        found, rest = getattr(found, "variables", None), rest[1:]
    try:
        for each in rest:
            if not isinstance(found, Variables):
                return None
            found = found[int(each[2]) if each[2] else each[1] or each[3]]
    except SoidError:
        return None
    return found if isinstance(found, Variables | Formula) else None
