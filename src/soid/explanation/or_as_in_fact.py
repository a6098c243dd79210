"""Suppositions that allow for the fact.

In a scenario of a cause all else is as it was. So what is supposed says to which values a fact may change, and never
that it must:

    in fact  lightning, match     over  lightning == false and match == false
    read as  (lightning == false or lightning as in fact) and (match == false or match as in fact)
"""

from __future__ import annotations

from msgspec.structs import replace

from soid.errors import QueryError
from soid.formula import softfloat as sf
from soid.formula.passes import evaluate_all
from soid.program.interface import Interface, Variable
from soid.program.types import BoolType, FloatType
from soid.query.query import Query
from soid.scenario import expression as ex
from soid.scenario.course import Course
from soid.scenario.free_conditions import InputScope, condition
from soid.scenario.supposition import During, Satisfies, Supposition, mentioned
from soid.scenario.trace import Keyframe


def or_as_in_fact(query: Query, keyframe: Keyframe) -> Query:
    """The question, in which each supposition that the fact does not satisfy allows for it too."""
    course = query.course(keyframe)
    pairs = zip(query.suppositions, course.suppositions, strict=False)  # the rest are later values that are free
    allowing = tuple(_allowing(each, there, keyframe.interface, course) for each, there in pairs)
    return replace(query, suppositions=allowing)


def check_fact(course: Course) -> None:
    """Refuse a fact that no scenario can have, though in it all else is as in fact."""
    family = course.family()
    values = {course.interface.variable(path).symbol: course.fact[path] for path in family.freed}
    outside = [each.label for each in family.conjuncts if not all(evaluate_all([each.term], values))]
    if outside:
        floats = [path for path in family.freed if _is_odd(course.interface.variable(path), course.fact[path])]
        remedy = f"add `{floats[0]} is any bits`" if floats else "mend the log, or `domain` in the manifest"
        raise QueryError(
            f"what was in fact is not possible: {'; '.join(outside)}", f"Causes are told against the fact: {remedy}."
        )


def _is_odd(variable: Variable, bits: int) -> bool:
    """Whether it is NaN or infinite, which no domain of floats has."""
    return isinstance(variable.type, FloatType) and not sf.is_finite(variable.type.format, bits)


def _allowing(supposition: Supposition, there: Supposition, interface: Interface, course: Course) -> Supposition:
    supposed = supposition.supposed if isinstance(supposition, During) else supposition
    if not isinstance(supposed, Satisfies) or not isinstance(there, Satisfies) or _holds(there, course):
        return supposition
    named = zip(mentioned(interface, supposed), mentioned(course.interface, there), strict=True)
    inputs = [pair for own, marked in named for pair in zip(own.sources, marked.sources, strict=True)]
    as_it_was = tuple(_as_it_was(own, course.fact[marked.path]) for own, marked in dict.fromkeys(inputs))
    fact = as_it_was[0] if len(as_it_was) == 1 else ex.And(as_it_was)
    allowed = replace(supposed, formula=ex.Or((supposed.formula, fact)))
    return replace(supposition, supposed=allowed) if isinstance(supposition, During) else allowed


def _holds(supposition: Satisfies, course: Course) -> bool:
    scope = InputScope(course.interface, course.fact, course.fact)
    return all(evaluate_all([condition(supposition.formula, scope)], {}))


def _as_it_was(variable: Variable, bits: int) -> ex.Expression:
    name = ex.Name(variable.path)
    if isinstance(variable.type, BoolType):
        return ex.Compare(name, ((ex.Comparison.EQ, ex.Literal("true" if bits else "false")),))
    return ex.Identical(name, ex.Literal(f"bits({bits:#x})"))
