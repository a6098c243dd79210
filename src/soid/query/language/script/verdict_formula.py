"""Formulas over the verdicts of questions: `q is yes and not (r is no or 3 is unknown)`.

They are written in the grammar of formulas. A part may be open: its question was not asked. The formula is open only
where such a part matters (Kleene's logic).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import assert_never, final

from msgspec import Struct

from soid.errors import QueryError, did_you_mean
from soid.query.language.script.nodes import On
from soid.scenario import expression as ex
from soid.scenario.expression import Expression, TextSpan, error_at


@final
class VerdictIs(Struct, frozen=True):
    """`q is yes`"""

    order: int  # of the question, in the order of the text, from 1
    on: On
    called: str  # the question, as written here: its name, or its number


@final
class NotVerdict(Struct, frozen=True):
    """The operand does not hold."""

    operand: VerdictFormula


@final
class AllVerdicts(Struct, frozen=True):
    """All operands hold."""

    operands: tuple[VerdictFormula, ...]


@final
class AnyVerdict(Struct, frozen=True):
    """At least one operand holds."""

    operands: tuple[VerdictFormula, ...]


VerdictFormula = VerdictIs | NotVerdict | AllVerdicts | AnyVerdict

#: the order of the question of a name or a number; raises if there is none
FindQuestion = Callable[[str, TextSpan | None], int]


def verdicts_of(formula: Expression, find: FindQuestion) -> VerdictFormula:
    """The formula over verdicts that an expression stands for. Anything else is an error."""
    match formula:
        case ex.Identical(ex.Name(path, primed=False) | ex.Literal(path), value):
            on = _verdict(value)
            return VerdictIs(find(path, formula.operand.span), on, path)
        case ex.Not(operand):
            return NotVerdict(verdicts_of(operand, find))
        case ex.And(operands):
            return AllVerdicts(tuple(verdicts_of(each, find) for each in operands))
        case ex.Or(operands):
            return AnyVerdict(tuple(verdicts_of(each, find) for each in operands))
        case _:
            raise _no_verdict(formula)


def _verdict(value: Expression) -> On:
    verdicts = [on.value for on in On]
    text = value.path if isinstance(value, ex.Name) else getattr(value, "text", "")
    if isinstance(value, ex.Name) and text in verdicts:
        return On(text)
    remedy = did_you_mean(text.lower(), verdicts, f"The verdicts are {', '.join(verdicts)}.")
    raise error_at(value.span, f"{text} is no verdict", remedy)


def _no_verdict(formula: Expression) -> QueryError:
    if isinstance(formula, ex.Name):
        begun = "A question begins with did, would (always) or might (ever)"
        remedy = f"{begun}; a verdict is named: {formula.path} is yes."
    else:
        remedy = "Put it as a question: did, would (always) or might (ever). Verdicts are compared so: q is yes."
    return error_at(formula.span, "this is neither a question nor the verdict of one", remedy)


def truth(formula: VerdictFormula, holds: Callable[[VerdictIs], bool | None]) -> bool | None:
    """Whether a formula holds; None if it is open.

    >>> q, r = VerdictIs(1, On.YES, "q"), VerdictIs(2, On.YES, "r")
    >>> truth(AllVerdicts((q, r)), {q: None, r: False}.get), truth(AllVerdicts((q, r)), {q: None, r: True}.get)
    (False, None)
    """
    match formula:
        case VerdictIs():
            return holds(formula)
        case NotVerdict(operand):
            held = truth(operand, holds)
            return None if held is None else not held
        case AllVerdicts(operands):
            return _decided_by(False, operands, holds)
        case AnyVerdict(operands):
            return _decided_by(True, operands, holds)
        case _:
            assert_never(formula)


def _decided_by(
    value: bool,  # of one operand, that settles the whole
    operands: tuple[VerdictFormula, ...],
    holds: Callable[[VerdictIs], bool | None],
) -> bool | None:
    found = [truth(each, holds) for each in operands]
    if value in found:
        return value
    return None if None in found else not value


def parts(formula: VerdictFormula) -> Iterator[VerdictIs]:
    """All comparisons of a verdict in a formula."""
    match formula:
        case VerdictIs():
            yield formula
        case NotVerdict(operand):
            yield from parts(operand)
        case AllVerdicts(operands) | AnyVerdict(operands):
            for each in operands:
                yield from parts(each)
        case _:
            assert_never(formula)
