"""Which questions cannot be explained, and why: what mattered is told against what was in fact, which must be known."""

from __future__ import annotations

from typing import Final

from soid.errors import QueryError
from soid.query.query import Query, QueryKind
from soid.query.words import listed
from soid.scenario.course import Course
from soid.scenario.future import usual_future
from soid.scenario.input_names import all_called
from soid.scenario.supposition import freed
from soid.scenario.trace import Keyframe

_NAMED: Final = 2  # of many inputs that are not known so many are named


def refusal(query: Query, keyframe: Keyframe) -> QueryError | None:
    """Why a question about a moment is not explained; None: it is."""
    if query.lives is not None:
        return QueryError(
            "a question about pairs is not explained: it is about no fact", "Its answer shows the pair that settles it."
        )
    query = query.going(usual_future(keyframe.interface))
    if query.kind is QueryKind.DID:
        return None
    course = query.course(keyframe)
    supposed = freed(course.interface, course.suppositions)
    if unknown := [path for path in supposed if path in course.assumed]:
        return _not_known(unknown, course, keyframe)
    if ending := [each.path for each in course.untils if each.matters]:
        names = listed(_told(ending, course, keyframe))
        return QueryError(
            f"{names} ends in another step in each scenario, and what was in fact is not the same in all steps",
            "Name its last step: `from step A to step B`. Or put the question without explaining it.",
        )
    return None


def _not_known(unknown: list[str], course: Course, keyframe: Keyframe) -> QueryError:
    """What is supposed is not known in fact: at the moment itself, or in later steps."""
    here = [path for path in unknown if path in keyframe.assumed]
    names, when = _told(here or unknown, course, keyframe), "at this moment" if here else "in fact"
    if len(names) > _NAMED:
        names = [*names[:_NAMED], f"{len(names) - _NAMED} more"]
    remedy = "Put the question without explaining it, or suppose nothing of it."
    if here:
        remedy += f" {keyframe.underived}".rstrip()
    else:
        remedy += " Fewer steps may all be logged; with `held` no later step is needed."
    are = "is" if len(names) == 1 else "are"
    return QueryError(
        f"what mattered is told against what was in fact, and {listed(names)} {are} not known {when}", remedy
    )


def _told(paths: list[str], course: Course, keyframe: Keyframe) -> list[str]:
    return all_called(paths, {path: course.told(path, keyframe.step) for path in paths})
