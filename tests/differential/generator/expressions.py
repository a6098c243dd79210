"""Random expressions over what is in scope: integers, floats, conditions, and values of a wanted type."""

from __future__ import annotations

from .draft import Body, Expr, Place
from .guards import arithmetic, cast, converted, divide, element, float_to_int, index, negate, shift
from .scalars import (
    DOUBLE,
    FLOAT,
    INT32,
    INT64,
    INTEGERS,
    UINT32,
    UINT64,
    CType,
    TypeKind,
    arithmetic_type,
    promoted,
)

__all__ = ["assignable", "condition", "floating", "integer", "integer_literal", "literal", "small_integer"]

_UNARY_MATH = ("sqrt", "fabs", "floor", "ceil", "trunc", "rint", "round")
_BINARY_MATH = ("fmod", "copysign", "fmin", "fmax")
_REALS = ("0.0", "0.5", "1.0", "1.5", "2.0", "3.25", "0.1", "10.0", "100.0", "-1.0", "-0.75", "1e-3", "1e6")


def integer_literal(body: Body) -> Expr:
    """A literal with the type C gives it."""
    draft = body.draft
    value = draft.pick((0, 1, 2, 3, 5, 7, 8, 10, 15, 31, 64, 100, 127, 128, 255, 256, 1000, 32767, 65535, 1 << 20))
    if draft.chance(0.2):
        return Expr(f"(-{value})", INT32, -value, -value, constant=True)
    ctype, suffix = draft.pick(((INT32, ""), (INT32, ""), (UINT32, "u"), (INT64, "l"), (UINT64, "ul")))
    return Expr(f"{value}{suffix}", ctype, value, value, constant=True)


def literal(body: Body, ctype: CType) -> str:
    """A constant expression of the type, fit for an initialiser at file scope."""
    draft = body.draft
    if ctype.is_float:
        return draft.pick(_REALS) + ("f" if ctype is FLOAT else "")
    if ctype.kind is TypeKind.ENUM:
        return draft.pick(ctype.labels)
    if ctype.kind is TypeKind.BOOL:
        return draft.pick(("true", "false"))
    return str(draft.between(max(ctype.low, -500), min(ctype.high, 500)))


def _int_place(body: Body) -> Place | None:
    found = [p for p in body.places if not p.ctype.is_float]
    return body.draft.pick(found) if found else None


def _integer_leaf(body: Body) -> Expr:
    draft = body.draft
    roll = draft.rng.random()
    if roll < 0.12:
        found = _stored(body, wants_float=False)
        if found is not None:
            return found
    place = _int_place(body)
    if place is None or roll > 0.93:
        return integer_literal(body)
    return place.expr


def small_integer(body: Body) -> Expr:
    """An integer expression for an index or a loop bound: a place, now and then with a small offset."""
    place = _int_place(body)
    if place is None:
        return integer_literal(body)
    if body.draft.chance(0.3):
        step = body.draft.between(1, 3)
        return arithmetic(body, body.draft.pick("+-"), place.expr, Expr(str(step), INT32, step, step, constant=True))
    return place.expr


def _stored(body: Body, *, wants_float: bool) -> Expr | None:
    """An element of an array or of a constant table."""
    draft = body.draft
    options = [("array", a) for a in body.arrays if a.element.is_float is wants_float]
    options += [("table", t) for t in draft.tables if t.element.is_float is wants_float]
    if draft.chance(0.3):
        return _record_field(body, wants_float) or _grid_cell(body, wants_float)
    if not options:
        return None
    what, array = draft.pick(options)
    draft.note("array_load" if what == "array" else "constant_table")
    return _typed(element(body, array, small_integer(body)), array.element)


def _typed(text: str, ctype: CType) -> Expr:
    return Expr(text, ctype) if ctype.is_float else Expr(text, ctype, ctype.low, ctype.high)


def _grid_cell(body: Body, wants_float: bool) -> Expr | None:
    grids = [g for g in body.draft.grids if g[1].is_float is wants_float]
    if not grids:
        return None
    name, ctype, rows, columns = body.draft.pick(grids)
    body.draft.note("table_2d")
    row = index(body, small_integer(body), rows)
    return _typed(f"{name}[{row.text}][{index(body, small_integer(body), columns).text}]", ctype)


def _record_field(body: Body, wants_float: bool) -> Expr | None:
    options = [
        (name, member.name, member.ctype, length)
        for name, struct, length in body.draft.records
        for member in struct.fields
        if isinstance(member.ctype, CType) and not member.length and member.ctype.is_float is wants_float
    ]
    if not options:
        return None
    name, member, ctype, length = body.draft.pick(options)
    body.draft.note("table_of_structs")
    return _typed(f"{name}[{index(body, small_integer(body), length).text}].{member}", ctype)


def integer(body: Body, depth: int) -> Expr:
    """An integer expression."""
    draft = body.draft
    if depth <= 0 or draft.chance(0.1):
        return _integer_leaf(body)
    roll = draft.rng.random()
    if roll < 0.35:
        draft.note("integer_arithmetic")
        return arithmetic(body, draft.pick("+-*"), *_pair(body, depth))
    if roll < 0.45:
        draft.note("integer_division")
        return divide(body, draft.pick("/%"), *_pair(body, depth))
    if roll < 0.56:
        return _bitwise(body, *_pair(body, depth))
    if roll < 0.66:
        return _shifted(body, depth)
    return _other_integer(body, depth)


def _pair(body: Body, depth: int) -> tuple[Expr, Expr]:
    """Two operands, not both literals and seldom the same text."""
    left, right = integer(body, depth - 1), integer(body, depth - 1)
    for _ in range(3):
        if left.text != right.text and not (left.constant and right.constant):
            return left, right
        left = _integer_leaf(body)
    if left.constant and right.constant:  # hardly anything is in scope: a cast keeps the compiler from folding early
        left = Expr(f"({left.ctype.name}){left.text}", left.ctype, left.low, left.high)
    return left, right


def _shifted(body: Body, depth: int) -> Expr:
    left, right = _pair(body, depth)
    op = body.draft.pick(("<<", ">>"))
    body.draft.note("shift_left" if op == "<<" else "shift_right")
    if right.constant:  # a compiler error where it is too large, and dull otherwise
        right = Expr(str(body.draft.between(0, promoted(left.ctype).bits - 1)), INT32, 0, 7, constant=True)
    return shift(body, op, left, right)


def _bitwise(body: Body, left: Expr, right: Expr) -> Expr:
    op = body.draft.pick("&|^")
    body.draft.note("bitwise")
    ctype = arithmetic_type(left.ctype, right.ctype)
    low, high = ctype.low, ctype.high
    if left.low >= 0 and right.low >= 0:
        top = min(left.high, right.high) if op == "&" else (1 << max(left.high, right.high).bit_length()) - 1
        low, high = 0, min(top, ctype.high)
    return Expr(f"({left.text} {op} {right.text})", ctype, low, high)


def _other_integer(body: Body, depth: int) -> Expr:
    draft = body.draft
    roll = draft.rng.random()
    if roll < 0.25 and draft.calls and body.loops < 2:
        called = draft.pick(draft.calls)(body, depth - 1)
        if not called.ctype.is_float:
            draft.note("call")
            return called
    if roll < 0.4:
        draft.note("ternary")
        return _choice(body, depth)
    if roll < 0.55:
        draft.note("float_to_int")
        return float_to_int(body, floating(body, depth - 1), draft.pick(INTEGERS))
    if roll < 0.75:
        draft.note("int_cast")
        return cast(integer(body, depth - 1), draft.pick(INTEGERS))
    if roll < 0.85:
        text, ctype = condition(body, depth - 1), INT32
        return Expr(f"({text})", ctype, 0, 1)
    operand = integer(body, depth - 1)
    if draft.chance(0.5):
        return negate(body, operand)
    ctype = promoted(operand.ctype)
    return Expr(f"(~({ctype.name}){operand.text})", ctype, ctype.low, ctype.high)


def _choice(body: Body, depth: int) -> Expr:
    test = condition(body, depth - 1)
    left, right = _pair(body, depth)
    ctype = arithmetic_type(left.ctype, right.ctype)
    bounds = [converted(left, ctype), converted(right, ctype)]
    return Expr(f"({test} ? {left.text} : {right.text})", ctype, min(b[0] for b in bounds), max(b[1] for b in bounds))


def floating(body: Body, depth: int) -> Expr:
    """A floating expression of any format."""
    draft = body.draft
    if depth <= 0 or draft.chance(0.1):
        return _floating_leaf(body)
    roll = draft.rng.random()
    if roll < 0.45:
        draft.note("float_arithmetic")
        left, right = floating(body, depth - 1), floating(body, depth - 1)
        op = draft.pick(("+", "-", "*", "/"))
        return Expr(f"({left.text} {op} {right.text})", arithmetic_type(left.ctype, right.ctype))
    if roll < 0.65:
        return _math(body, depth)
    if roll < 0.75:
        draft.note("int_to_float")
        return cast(integer(body, depth - 1), draft.float_type())
    if roll < 0.82:
        draft.note("float_cast")
        return cast(floating(body, depth - 1), draft.float_type())
    if roll < 0.9:
        draft.note("ternary")
        left, right = floating(body, depth - 1), floating(body, depth - 1)
        test = condition(body, depth - 1)
        return Expr(f"({test} ? {left.text} : {right.text})", arithmetic_type(left.ctype, right.ctype))
    operand = floating(body, depth - 1)
    return Expr(f"(-{operand.text})", operand.ctype)


def _floating_leaf(body: Body) -> Expr:
    draft = body.draft
    roll = draft.rng.random()
    if roll < 0.15:
        found = _stored(body, wants_float=True)
        if found is not None:
            return found
    if roll < 0.25 and draft.calls and body.loops < 2:
        called = draft.pick(draft.calls)(body, 0)
        if called.ctype.is_float:
            draft.note("call")
            return called
    places = [p for p in body.places if p.ctype.is_float]
    if places and roll < 0.85:
        return draft.pick(places).expr
    number = _int_place(body)
    if number is not None and roll < 0.92:
        draft.note("int_to_float")
        return cast(number.expr, draft.pick((FLOAT, DOUBLE)))
    ctype = draft.pick((FLOAT, DOUBLE))
    return Expr(f"({literal(body, ctype)})", ctype, constant=True)


def _math(body: Body, depth: int) -> Expr:
    """A call that IEEE 754 defines to the bit."""
    draft = body.draft
    ctype = draft.pick((FLOAT, DOUBLE))
    suffix = "f" if ctype is FLOAT else ""
    roll = draft.rng.random()
    first = floating(body, depth - 1)
    if roll < 0.55:
        name = draft.pick(_UNARY_MATH)
        draft.note(f"math_{name}")
        return Expr(f"{name}{suffix}({first.text})", ctype)
    second = floating(body, depth - 1)
    if roll < 0.65 and not draft.half:
        # _Float16 pulls in the compiler's own runtime, whose fma is wrong for subnormal numbers (ziglang 0.17).
        draft.note("math_fma")
        return Expr(f"fma{suffix}({first.text}, {second.text}, {floating(body, 0).text})", ctype)
    name = draft.pick(_BINARY_MATH)
    draft.note(f"math_{name}")
    if name == "copysign":  # a computed NaN's sign is anybody's guess: it must not become a visible sign
        sign = body.temporary(second, "sign")
        second = Expr(f"(isnan({sign.text}) ? 1.0 : {sign.text})", DOUBLE)
    called = f"{name}{suffix}({first.text}, {second.text})"
    if name in ("fmin", "fmax"):
        # Of opposite zeros the compiled code gives either, depending on what the back end knows about the operands
        # in that block (the two builds differ): adding +0.0 makes every zero +0.0 and changes nothing else.
        called = f"({called} + 0.0{suffix})"
    return Expr(called, ctype)


def condition(body: Body, depth: int) -> str:
    """A truth value without outer parentheses: fit for `if (...)` and before `?`, to be wrapped elsewhere."""
    draft = body.draft
    roll = draft.rng.random()
    if depth > 0 and roll < 0.25:
        draft.note("short_circuit")
        left, right = (_wrapped(condition(body, depth - 1)) for _ in range(2))
        return f"{left} {draft.pick(('&&', '||'))} {right}"
    if depth > 0 and roll < 0.3:
        return f"!({condition(body, depth - 1)})"
    enums = [p for p in body.places if p.ctype.kind is TypeKind.ENUM]
    if enums and roll < 0.42:
        place = draft.pick(enums)
        return f"{place.text} {draft.pick(('==', '!='))} {draft.pick(place.ctype.labels)}"
    flags = [p for p in body.places if p.ctype.kind is TypeKind.BOOL]
    if flags and roll < 0.5:
        return draft.pick(flags).text
    return _comparison(body, depth)


def _wrapped(test: str) -> str:
    return f"({test})" if " && " in test or " || " in test else test


def _comparison(body: Body, depth: int) -> str:
    draft = body.draft
    op = draft.pick(("<", "<=", ">", ">=", "==", "!="))
    if any(p.ctype.is_float for p in body.places) and draft.chance(0.45):
        draft.note("float_compare")
        left, right = floating(body, depth - 1), floating(body, 0)
        if draft.chance(0.08):
            draft.note("isnan")
            return f"isnan({left.text})"
        if not (left.constant and right.constant) and left.text != right.text:
            return f"{left.text} {op} {right.text}"
    draft.note("integer_compare")
    left, right = _pair(body, depth)
    return f"{left.text} {op} {right.text}"


def assignable(body: Body, ctype: CType, depth: int) -> Expr:
    """An expression that may be assigned to an object of the type."""
    draft = body.draft
    if ctype.kind is TypeKind.ENUM:
        return _enumerator(body, ctype, depth)
    if ctype.kind is TypeKind.BOOL:
        return Expr(condition(body, depth), ctype, 0, 1)
    if ctype.is_float:
        return floating(body, depth) if draft.chance(0.85) else integer(body, depth)
    return integer(body, depth)


def _enumerator(body: Body, ctype: CType, depth: int) -> Expr:
    """A valid enumerator: of a like object, a literal, a choice, or computed where the values are consecutive."""
    draft = body.draft
    same = [p for p in body.places if p.ctype == ctype]
    roll = draft.rng.random()
    if same and roll < 0.3:
        return draft.pick(same).expr
    if ctype.values == tuple(range(len(ctype.values))) and roll < 0.55:
        draft.note("int_to_enum")
        wide = cast(integer(body, 0), UINT32)
        return Expr(f"({ctype.name})({wide.text} % {len(ctype.values)}u)", ctype, ctype.low, ctype.high)
    if roll < 0.8:
        test = condition(body, depth - 1)
        return Expr(f"({test} ? {draft.pick(ctype.labels)} : {draft.pick(ctype.labels)})", ctype, ctype.low, ctype.high)
    return Expr(draft.pick(ctype.labels), ctype, ctype.low, ctype.high)
