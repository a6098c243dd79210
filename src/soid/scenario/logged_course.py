"""The course of what was: an input that is logged rounded, or is not known, has every value that it may have had."""

from __future__ import annotations

import dataclasses

from msgspec.structs import replace

from soid.program.interface import Role, Variable
from soid.scenario.course import Course, marked
from soid.scenario.origin import is_constant
from soid.scenario.supposition import (
    Anything,
    Supposition,
    supposition_text,
)
from soid.scenario.trace import Keyframe, Step


def logged_course(keyframe: Keyframe, following: tuple[Step, ...]) -> Course | None:
    """What may have been: every input that is logged rounded or is not known varies; None: the log says all."""
    perceived = [v for v in keyframe.interface.inputs if v.role is Role.ENVIRONMENT]
    here = {v.path: _possible(v, keyframe) for v in keyframe.interface.inputs}
    first = {path: made for path, made in here.items() if made is not None}
    later: dict[str, Variable] = {}
    fact, environments = dict(keyframe.inputs), []
    for step in following:
        seen: dict[str, int | Variable] = {}
        for variable in perceived:
            seen[variable.path] = step.inputs[variable.path]
            if (made := _possible(variable, step)) is not None:
                made = marked(made, f"@{step.time}")
                seen[variable.path] = later[made.path] = made
                fact[made.path] = step.inputs[variable.path]
        environments.append(seen)
    if not first and not later:
        return None
    variables = (*(first.get(v.path, v) for v in keyframe.interface.variables), *later.values())
    interface = dataclasses.replace(keyframe.interface, variables=variables)
    rounded = [path for path in first if path in keyframe.rounded]
    rounded += [f"{path}@{step.time}" for step in following for path in step.rounded if f"{path}@{step.time}" in later]
    free: tuple[Supposition, ...] = tuple(map(Anything, rounded))
    unknown = frozenset((*first, *later)).difference(rounded)
    given = interface, fact, free, tuple(map(supposition_text, free)), tuple(environments)
    return Course(*given, {}, {}, unknown, following, len(following) + 1)


def _possible(variable: Variable, there: Keyframe | Step) -> Variable | None:
    """An input with the domain of what it may have been in a step; None: it is known."""
    if (rounded := there.rounded.get(variable.path)) is not None:
        return replace(variable, domain=rounded)
    if isinstance(there, Keyframe):
        return variable if variable.path in there.assumed else None
    return variable if variable.path in there.unlogged and not is_constant(variable) else None
