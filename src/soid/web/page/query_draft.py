"""The draft of a query: the converse of reading a draft.

A supposition that the page has fields for goes into these; any other one is a formula, word by word. What is put
together so is compared with the query that it came from: a draft asks that very question, or there is none.

>>> from soid.case.project import Project
>>> from soid.examples import folder
>>> from soid.query.language.query_parser import parse as parse_query
>>> oven = Project.open(folder("microwave"))
>>> draft = QuestionDraft(oven.keyframe)
>>> state = draft_of(parse_query("might action == CANCEL if heat is anything and (error or closed)"), draft)
>>> [(each.how.value, each.path, each.values) for each in state.supposed]
[('anything', 'heat', ()), ('a formula', '', ('error or closed',))]
>>> draft.become(state)
>>> draft.read().text
'might action == CANCEL if heat is anything and (error or closed)'
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import suppress

from msgspec.structs import replace

from soid.errors import QueryError
from soid.program.interface import Interface, Variable
from soid.program.types import MISSING, EnumType, FloatType, IntType, parse, show
from soid.query.language.query_printer import behavior_text, suppositions_text
from soid.query.query import Query
from soid.query.steps import ONE
from soid.scenario.expression import (
    Between,
    Compare,
    Comparison,
    Expression,
    FactOf,
    Identical,
    Label,
    Literal,
    Member,
    Name,
    Not,
    rebuilt,
)
from soid.scenario.number_terms import exact
from soid.scenario.supposition import AnyBits, Anything, During, Keep, Satisfies, Supposition, Within
from soid.scenario.written_step import WrittenStep, WrittenTime
from soid.web.page.draft_state import DraftState
from soid.web.page.draft_steps import SpanKind, StepSpan, UntilDraft
from soid.web.page.question_draft import QuestionDraft
from soid.web.page.supposition_draft import How, SuppositionDraft, choices, made


def draft_of(query: Query, draft: QuestionDraft) -> DraftState | None:
    """A checked query as it would be composed in this draft; None if there are no fields for it, as of pairs."""
    if query.lives is not None:
        return None
    fields = tuple(_fields(query.suppositions, draft.interface))
    formulas = tuple((_formula(each), (each,)) for each in query.suppositions)
    for found in (fields, formulas):
        supposed = tuple(replace(each, id=number) for number, (each, _) in enumerate(found, start=draft.last_id + 1))
        wanted = replace(query, suppositions=tuple(each for _, meant in found for each in meant))
        for state in _states(query, supposed, draft):
            if _asks(state, wanted, draft):
                return state
    return None


def _states(query: Query, supposed: tuple[SuppositionDraft, ...], draft: QuestionDraft) -> Iterator[DraftState]:
    """The steps in their fields, or else behind the behavior."""
    behavior, steps = behavior_text(query.behavior), query.steps
    plain = DraftState(query.kind, behavior, future=draft.future, supposed=supposed)
    if steps is None or (steps == ONE and draft.usual is not None):
        yield plain
    else:
        future = steps.future or draft.future
        yield replace(plain, over=steps.over, count=str(steps.count), future=future)
        yield replace(plain, behavior=f"{behavior} {steps}")


def _asks(state: DraftState, wanted: Query, draft: QuestionDraft) -> bool:
    """Whether a draft of this state asks the wanted question."""
    trial = QuestionDraft(draft.keyframe, steps=draft.usual)
    trial.become(state)
    with suppress(QueryError):
        return trial.meant == wanted
    return False


# --- suppositions ---------------------------------------------------------------------------------------------


def _fields(
    suppositions: Sequence[Supposition], interface: Interface
) -> Iterator[tuple[SuppositionDraft, tuple[Supposition, ...]]]:
    """A draft for each, with the fields that there are, and what it means; one for `x < y and keep y`."""
    kept: set[str] = set()  # variables that are kept as such a comparison says
    rest = list(suppositions)
    while rest:
        first, following = rest.pop(0), rest[0] if rest else None
        if isinstance(first, Satisfies) and (beside := _beside(first.formula, interface)) is not None:
            (other,) = beside.values
            if isinstance(following, Keep) and following.path == other:
                kept.add(other)
                yield beside, (first, rest.pop(0))
                continue
            if other in kept:
                yield beside, (first,)
                continue
        normal = _normal(first, interface)
        tried = (each for each in _ways(normal, interface) if _means(each, normal, interface))
        found = next(tried, None)
        yield (found, (normal,)) if found is not None else (_formula(first), (first,))


def _means(supposed: SuppositionDraft, wanted: Supposition, interface: Interface) -> bool:
    with suppress(QueryError):
        return made(supposed, interface) == (wanted,)
    return False


def _formula(supposed: Supposition) -> SuppositionDraft:
    return SuppositionDraft(0, How.FORMULA, "", (suppositions_text((supposed,)),))


def _beside(formula: Expression, interface: Interface) -> SuppositionDraft | None:
    """A variable that is less or more than another one: x < y."""
    match formula:
        case Compare(Name(path, False), ((Comparison.LT | Comparison.GT as op, Name(other, False)),)):
            if path in interface and other in interface:
                return SuppositionDraft(0, How.BELOW if op is Comparison.LT else How.ABOVE, path, (other,))
    return None


def _ways(supposed: Supposition, interface: Interface) -> Iterator[SuppositionDraft]:
    """The fields that may mean it."""
    match supposed:
        case During(plain):
            with suppress(QueryError):
                for each in _ways(plain, interface):
                    yield replace(each, span=_span(supposed, interface))
        case Anything(path) if path in interface:
            yield SuppositionDraft(0, How.ANYTHING, path)
        case AnyBits(path) if path in interface:
            yield from _offered(interface, path, How.ANY_BITS)
        case Within(path, distance) if path in interface:
            yield from _offered(interface, path, How.WITHIN, distance)
        case Satisfies(formula):
            yield from _compared(formula, interface)
        case _:
            return


def _offered(interface: Interface, path: str, how: How, *values: str) -> Iterator[SuppositionDraft]:
    """The draft of a way that the page offers for the variable."""
    if how in choices(interface.variable(path)):
        yield SuppositionDraft(0, how, path, values)


def _compared(formula: Expression, interface: Interface) -> Iterator[SuppositionDraft]:
    match formula:
        case Compare(Name(path), ((Comparison.EQ, value),)) if path in interface:
            yield SuppositionDraft(0, How.EXACTLY, path, (_text(value),))
        case Compare(low, ((Comparison.LE, Name(path)), (Comparison.LE, high))) if path in interface:
            yield from _offered(interface, path, How.BETWEEN, _text(low), _text(high))
        case Compare(Name(path), ((Comparison.GE | Comparison.LE as op, FactOf()),)) if path in interface:
            yield from _offered(interface, path, How.RISING if op is Comparison.GE else How.FALLING)
        case Member(Name(path), items) if path in interface:
            yield from _offered(interface, path, How.ONE_OF, *map(_item, items))
        case Identical(Name(path), Name(value)) if path in interface and value == MISSING:
            yield from _offered(interface, path, How.MISSING)
        case Identical(Name(path), value) if path in interface:
            variable = interface.variable(path)
            way = How.ONE_OF if isinstance(variable.type, EnumType) else How.EXACTLY
            with suppress(ValueError):
                yield SuppositionDraft(0, way, path, (show(variable.type, parse(variable.type, _text(value))),))
        case _:
            return


def _item(item: Expression | Between) -> str:
    return f"{_text(item.low)}..{_text(item.high)}" if isinstance(item, Between) else _text(item)


def _text(value: Expression) -> str:
    """A constant as it is typed into a field; empty if it is none."""
    match value:
        case Literal(text) | Label(text):
            return text
        case Name(path, False):
            return path
        case _:
            return ""


# --- steps ----------------------------------------------------------------------------------------------------


def _span(during: During, interface: Interface) -> StepSpan:
    first, last = _step(during.first), _step(during.last)
    if during.until is not None:
        kind = SpanKind.UNTIL if during.first is None else SpanKind.FROM_UNTIL
        return StepSpan(kind, first, "", _until(during.until, interface))
    if during.last is None:
        return StepSpan(SpanKind.FROM, first)
    return StepSpan(SpanKind.AT, first) if during.first == during.last else StepSpan(SpanKind.FROM_TO, first, last)


def _step(step: WrittenStep | None) -> str:
    return "" if step is None else step.text if isinstance(step, WrittenTime) else str(step)


def _until(condition: Expression, interface: Interface) -> UntilDraft:
    match condition:
        case Name(path, primed):
            return UntilDraft(_output(path, primed, interface), Comparison.EQ, "true")
        case Not(Name(path, primed)):
            return UntilDraft(_output(path, primed, interface), Comparison.EQ, "false")
        case Compare(Name(path, primed), ((op, value),)):
            return UntilDraft(_output(path, primed, interface), op, _text(value))
        case _:
            raise QueryError("this end has no fields", "Write it as a formula.")


def _output(path: str, primed: bool, interface: Interface) -> str:
    name = f"{path}'" if primed else path
    if name not in {output.name for output in interface.outputs}:
        raise QueryError(f"{name} is nothing that is decided", "Write it as a formula.")
    return name


# --- numbers as fields have them ------------------------------------------------------------------------------


def _normal(supposed: Supposition, interface: Interface) -> Supposition:
    """The same, with numbers as fields write them: 1 <= x <= 1.5 is 1.0 <= x <= 1.5 of a float."""
    match supposed:
        case During(plain):
            normal = _normal(plain, interface)
            assert not isinstance(normal, Keep | During)
            return replace(supposed, supposed=normal)
        case Within(path, distance) if path in interface and supposed.share is None:
            return replace(supposed, distance=_number(distance, interface.variable(path)))
        case Satisfies(Compare() | Member() as formula):
            variable = _only(formula, interface)
            return supposed if variable is None else Satisfies(_renumbered(formula, variable), span=supposed.span)
        case _:
            return supposed


def _only(formula: Compare | Member, interface: Interface) -> Variable | None:
    """The variable that alone is compared with constants."""
    operands: tuple[Expression | Between, ...]
    match formula:
        case Compare(first, rest):
            operands = (first, *(operand for _, operand in rest))
        case Member(operand, items):
            operands = (operand, *items)
    names = {each.path for each in operands if isinstance(each, Name) and each.path in interface}
    return interface.variable(names.pop()) if len(names) == 1 else None


def _renumbered(formula: Expression, variable: Variable) -> Expression:
    def change(node: Expression | Between) -> Expression | Between:
        if isinstance(node, Literal) and node.is_number:
            return replace(node, text=_number(node.text, variable))
        return Between(change(node.low), change(node.high)) if isinstance(node, Between) else node  # type: ignore[arg-type]

    found: Expression = rebuilt(formula, change)
    return found


def _number(text: str, variable: Variable) -> str:
    """A number as the variable's type shows it, if that is the very same number."""
    kind = variable.type
    if not isinstance(kind, IntType | FloatType):
        return text
    with suppress(ValueError):
        shown = show(kind, parse(kind, text))
        if (value := exact(text)) is not None and exact(shown) == value:
            return shown
    return text
