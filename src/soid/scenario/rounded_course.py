"""The course of a question in which what it leaves as logged has every value that is logged so.

A log has few digits, or a unit that the program does not have: then the fact is one of several values. What a question
supposes is supposed whatever that was; all else that is rounded varies here as what is not known does.
"""

from __future__ import annotations

import dataclasses

from msgspec.structs import replace

from soid.formula import build
from soid.formula.passes import free_variables
from soid.formula.term import Term
from soid.program.interface import Variable
from soid.program.perception import PerceivedValue
from soid.scenario.course import Course, marked
from soid.scenario.supposition import freed
from soid.scenario.trace import Keyframe


def rounded_course(course: Course, keyframe: Keyframe) -> Course | None:
    """The course with all values of what is logged rounded and is not supposed; None: there is none."""
    if not keyframe.rounded and not course.environments:
        return None
    supposed = freed(course.interface, course.suppositions)
    first = {
        variable.path: replace(variable, domain=keyframe.rounded[variable.path])
        for variable in keyframe.interface.inputs
        if variable.path in keyframe.rounded and variable.path not in supposed
    }
    later: dict[str, Variable] = {}
    fact, environments = dict(course.fact), []
    for number, perceived in enumerate(course.environments):
        seen: dict[str, PerceivedValue] = dict(perceived)
        # after the log's end all is supposed; what is held is what it was at the moment
        step = course.following[number] if number < len(course.following) else keyframe
        mark = f"@{keyframe.step + 1 + number}" if course.following else f"@{keyframe.step + 1}.."
        for path, value in perceived.items():
            if isinstance(value, int) and path in step.rounded and f"{path}{mark}" not in course.interface:
                made = replace(marked(keyframe.interface.variable(path), mark), domain=step.rounded[path])
                seen[path] = later[made.path] = made
                fact[made.path] = value
        environments.append(seen)
    if not first and not later:
        return None
    variables = (*(first.get(v.path, v) for v in course.interface.variables), *later.values())
    return dataclasses.replace(
        course,
        interface=dataclasses.replace(course.interface, variables=variables),
        fact=fact,
        environments=tuple(environments),
        assumed=course.assumed.union(first, later),
    )


def fitting_course(course: Course, consistent: Term) -> Course:
    """The course with those values only with which the program gives what is logged, as a formula says.

    If it speaks of an input of which something is supposed, it is of no use: what was logged is not known there.
    """
    supposed = freed(course.interface, course.suppositions)
    known = {course.interface.variable(path).symbol for path in course.assumed if path not in supposed}
    if not free_variables([consistent]) <= known:
        return course
    return dataclasses.replace(course, fitting=build.and_(course.fitting, consistent))
