"""Random statements: declarations, assignments, branches, early exits; `some_statements` picks among all kinds."""

from __future__ import annotations

from collections.abc import Callable

from .draft import Body, Expr, Place, bare
from .expressions import assignable, condition, floating, integer
from .guards import arithmetic, divide, shift
from .loops import LOOPS, backward_goto, forward_goto, leave_loop
from .memory import MEMORY
from .scalars import CType, TypeKind

__all__ = ["declare_local", "some_statements"]

Statement = Callable[[Body], None]
_VOCABULARY = ("level", "margin", "gap", "score", "delta", "bias", "risk", "trend", "flag", "phase", "limit", "step")


def declare_local(body: Body, ctype: CType | None = None) -> Place:
    """A local, initialised: nothing uninitialised is ever read."""
    draft = body.draft
    ctype = ctype or draft.scalar_type()
    value = assignable(body, ctype, 2)
    name = draft.name(draft.pick(_VOCABULARY))
    body.emit(f"{ctype.name} {name} = {bare(value.text)};")
    return body.add(name, ctype, writable=True)


def _assign(body: Body) -> None:
    targets = body.targets()
    if not targets:
        declare_local(body)
        return
    place = body.draft.pick(targets)
    body.emit(f"{place.text} = {bare(assignable(body, place.ctype, 2).text)};")


def _compound(body: Body) -> None:
    """`x op= e`, which computes in the promoted type and converts back."""
    draft = body.draft
    numbers = body.targets(TypeKind.INT) + body.targets(TypeKind.FLOAT)
    if not numbers:
        declare_local(body)
        return
    place = draft.pick(numbers)
    draft.note("compound_assignment")
    if place.ctype.is_float:
        value = floating(body, 1) if draft.chance(0.8) else integer(body, 1)
        body.emit(f"{place.text} {draft.pick('+-*/')}= {bare(value.text)};")
        return
    _compound_integer(body, place)


def _compound_integer(body: Body, place: Place) -> None:
    draft = body.draft
    op = draft.pick(("+", "-", "*", "/", "%", "&", "|", "^", ">>"))
    right = integer(body, 1)
    if op in "&|^":
        body.emit(f"{place.text} {op}= {bare(right.text)};")
        return
    if op == ">>":
        right = right if not right.constant else Expr(str(draft.between(0, 7)), right.ctype, 0, 7)
        whole = shift(body, op, place.expr, right)
    else:
        whole = arithmetic(body, op, place.expr, right) if op in "+-*" else divide(body, op, place.expr, right)
    plain = f"({place.text} {op} "
    # Where the operation stood unguarded, or only its right operand was guarded, the short form means the same.
    if whole.text.startswith(plain):
        body.emit(f"{place.text} {op}= {bare(whole.text[len(plain) : -1])};")
    else:
        body.emit(f"{place.text} = {bare(whole.text)};")


def _step(body: Body) -> None:
    """`x++` and friends; on int and wider signed types only below a bound, unless the guard is left out."""
    draft = body.draft
    numbers = body.targets(TypeKind.INT)
    if not numbers:
        declare_local(body)
        return
    place = draft.pick(numbers)
    text = draft.pick((f"{place.text}++", f"{place.text}--", f"++{place.text}", f"--{place.text}"))
    draft.note("increment")
    if not place.ctype.signed or place.ctype.bits < 32 or draft.drops_guard("overflow"):
        body.emit(f"{text};")
        return
    bound = f"{place.text} < 1000" if "++" in text else f"{place.text} > -1000"
    with body.block(f"if ({bound}) {{"):
        body.emit(f"{text};")


def _branch(body: Body) -> None:
    draft = body.draft
    draft.note("if")
    tests = [condition(body, 2) for _ in range(draft.pick((1, 1, 2)))]
    has_else = draft.chance(0.5)
    for i, test in enumerate(tests):
        closes = i == len(tests) - 1 and not has_else
        with body.block(f"if ({test}) {{" if i == 0 else f"}} else if ({test}) {{", "}" if closes else None):
            some_statements(body, draft.between(1, 2))
    if has_else:
        draft.note("else")
        with body.block("} else {"):
            some_statements(body, draft.between(1, 2))


def _switch(body: Body) -> None:
    """A switch over an enum, each enumerator valid: in SAFE programs a default that aborts is unreachable."""
    draft = body.draft
    enums = [p for p in body.places if p.ctype.kind is TypeKind.ENUM]
    if not enums:
        _switch_integer(body)
        return
    place = draft.pick(enums)
    draft.note("switch_enum")
    shown = list(place.ctype.labels)
    if draft.chance(0.4):
        shown.pop(draft.between(0, len(shown) - 1))
    with body.block(f"switch ({place.text}) {{"):
        for label in shown:
            _case(body, f"case {label}")
        if len(shown) == len(place.ctype.labels) and draft.chance(0.8):
            draft.note("unreachable_abort")
            body.emit("default: abort();")
        else:
            _case(body, "default")


def _switch_integer(body: Body) -> None:
    draft = body.draft
    value = integer(body, 1)
    modulus = draft.between(3, 6)
    draft.note("switch_integer")
    with body.block(f"switch ({value.text} % {modulus}) {{"):
        for number in draft.rng.sample(range(modulus), 2):
            _case(body, f"case {number}", fallthrough=draft.chance(0.3))
        _case(body, "default")


def _case(body: Body, label: str, *, fallthrough: bool = False) -> None:
    with body.block(f"{label}: {{"):
        some_statements(body, 1)
        if fallthrough:
            body.draft.note("switch_fallthrough")
        else:
            body.emit("break;")


def _early_return(body: Body) -> None:
    draft = body.draft
    test = condition(body, 1)
    draft.note("early_return")
    with body.block(f"if ({test}) {{"):
        if body.returns is None:
            body.emit("return;")
        else:
            body.emit(f"return {bare(assignable(body, body.returns, 1).text)};")


def _guarded_division(body: Body) -> None:
    """The guard as people write it: a branch around the division."""
    draft = body.draft
    numbers = [p for p in body.places if p.ctype.kind is TypeKind.INT]
    targets = body.targets(TypeKind.INT)
    if not numbers or not targets:
        return
    below, target = draft.pick(numbers), draft.pick(targets)
    above = body.temporary(integer(body, 1), "whole")  # first: a call in it could change what the test looked at
    draft.note("guarded_division")
    test = f"{below.text} > 0" if below.ctype.signed else f"{below.text} != 0"
    with body.block(f"if ({test}) {{"):
        body.emit(f"{target.text} = {above.text} {draft.pick('/%')} {below.text};")


def _check(body: Body) -> None:
    """An assertion or an abort: provably idle in SAFE programs, a real one where a FAULTY program drops the guard."""
    draft = body.draft
    kind = draft.pick(("assert", "abort"))
    if draft.drops_guard(kind, 0.8):
        draft.note(kind)
        if kind == "assert":
            body.emit(f"assert({condition(body, 1)});")
            return
        with body.block(f"if ({condition(body, 1)}) {{"):
            body.emit("abort();")
    else:
        number = body.temporary(integer(body, 1), "seen")
        modulus = draft.between(2, 9)
        draft.note("assert")
        body.emit(f"assert({number.text} % {modulus} < {modulus});")


def _act(body: Body) -> None:
    if body.draft.actions and body.loops < 2:
        body.draft.note("call")
        body.draft.pick(body.draft.actions)(body)
    else:
        _assign(body)


def _declare(body: Body) -> None:
    declare_local(body)


_SIMPLE: tuple[tuple[Statement, int], ...] = (
    (_assign, 5),
    (_compound, 4),
    (_step, 1),
    (_declare, 2),
    (_guarded_division, 1),
    (_check, 1),
    (_act, 4),
    *MEMORY,
)
_NESTED: tuple[tuple[Statement, int], ...] = (
    (_branch, 5),
    (_switch, 4),
    (_early_return, 1),
    (forward_goto, 1),
    (backward_goto, 1),
    *LOOPS,
)


def some_statements(body: Body, count: int) -> None:
    """This many statements; compound ones only near the surface, so that programs stay small."""
    draft = body.draft
    for _ in range(count):
        if body.loops and draft.chance(0.12):
            leave_loop(body)
            continue
        kinds = _SIMPLE + (_NESTED if body.nesting < 2 else ())
        chosen = draft.rng.choices([k for k, _ in kinds], [w for _, w in kinds])[0]
        chosen(body)
