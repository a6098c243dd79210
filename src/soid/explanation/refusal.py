"""Which questions cannot be explained, and why: what mattered is told against what was in fact, which must be known."""

from __future__ import annotations

from soid.errors import QueryError
from soid.explanation.input_names import all_called
from soid.query.query import Query, QueryKind
from soid.query.words import listed
from soid.scenario.course import Course
from soid.scenario.future import Future
from soid.scenario.supposition import freed
from soid.scenario.trace import Keyframe


def refusal(query: Query, keyframe: Keyframe) -> QueryError | None:
    """Why a question about a moment is not explained; None: it is."""
    query = query.going(Future.AS_LOGGED)
    if query.kind is QueryKind.DID:
        return None
    course = query.course(keyframe)
    supposed = freed(course.interface, course.suppositions)
    if unknown := [path for path in supposed if path in course.assumed]:
        return _not_known(unknown, course, keyframe)
    if ending := [each.path for each in course.untils if each.matters]:
        return QueryError(
            f"whether {listed(_told(ending, course, keyframe))} is as in fact depends on when that is, because the "
            "log has several values of it or is not used",
            "Name its last step: `from step A to step B`. Or put the question without explaining it.",
        )
    return None


def _not_known(unknown: list[str], course: Course, keyframe: Keyframe) -> QueryError:
    """What is supposed is not known in fact: at the moment itself, or in later steps."""
    here = [path for path in unknown if path in keyframe.assumed]
    names, when = listed(_told(here or unknown, course, keyframe)), "at this moment" if here else "in fact"
    remedy = "Put the question without explaining it, or suppose nothing of it."
    if here:
        remedy += " If the log begins with the program's first call, say so: [trace] from_start = true."
    else:
        remedy += " Fewer steps may all be logged, and with `held` nothing later is asked for."
    return QueryError(f"what mattered is told against what was in fact, and {names} is not known {when}", remedy)


def _told(paths: list[str], course: Course, keyframe: Keyframe) -> list[str]:
    return all_called(paths, {path: course.told(path, keyframe.step) for path in paths})
