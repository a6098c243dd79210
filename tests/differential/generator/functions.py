"""The functions a program's entry calls: each maker writes one function and says how to call it.

A function may call only those written before it, so calls cannot recurse except where a depth bounds them.
"""

from __future__ import annotations

from collections.abc import Callable

from .draft import ArrayPlace, Body, Draft, Expr, Place, StructPlace, bare
from .expressions import assignable, condition, integer, literal, small_integer
from .guards import arithmetic, index
from .memory import struct_local
from .model import Port, PortKind
from .scalars import BOOL, INT32, INTEGERS, UINT8, UINT16, UINT32, UINT64, CType, TypeKind, bits_of
from .statements import declare_local, some_statements

__all__ = ["write_functions"]


def _new_body(draft: Draft, returns: CType | None) -> Body:
    body = Body(draft, returns)
    body.places.extend(draft.globals)
    return body


def _finish(draft: Draft, header: str, body: Body) -> None:
    draft.file_scope += [f"static {header}", "{", *body.lines, "}", ""]


def _call(body: Body, name: str, parameters: list[CType], returns: CType, depth: int) -> Expr:
    arguments = ", ".join(assignable(body, p, depth).text for p in parameters)
    return _result(f"{name}({arguments})", returns)


def _result(text: str, returns: CType) -> Expr:
    return Expr(text, returns) if returns.is_float else Expr(text, returns, returns.low, returns.high)


def _scalar_function(draft: Draft) -> None:
    """`static float weigh(int8_t a, double b)`: a few statements and a result."""
    returns = draft.scalar_type()
    parameters = [draft.scalar_type() for _ in range(draft.between(1, 3))]
    name = draft.symbol(draft.pick(("weigh", "rate", "adjust", "classify", "blend")))
    body = _new_body(draft, returns)
    names = [draft.name(draft.pick(("a", "b", "c"))) for _ in parameters]
    for parameter, ctype in zip(names, parameters, strict=True):
        body.add(parameter, ctype, writable=True)
    some_statements(body, draft.between(1, 2))
    body.emit(f"return {bare(assignable(body, returns, 2).text)};")
    spelled = ", ".join(f"{t.name} {n}" for t, n in zip(parameters, names, strict=True))
    _finish(draft, f"{returns.name} {name}({spelled})", body)
    draft.calls.append(lambda caller, depth: _call(caller, name, parameters, returns, depth))


def _pointer_function(draft: Draft) -> None:
    """`static void nudge(float *where, int16_t by)`: works through its pointer."""
    target, amount = draft.scalar_type(), draft.scalar_type()
    name = draft.symbol(draft.pick(("nudge", "settle", "track")))
    where, by = draft.name("where"), draft.name("by")
    body = _new_body(draft, None)
    body.add(f"(*{where})", target, writable=True)
    body.add(by, amount, writable=True)
    body.emit(f"*{where} = {assignable(body, target, 1).text};")
    some_statements(body, draft.between(1, 2))
    _finish(draft, f"void {name}({target.name} *{where}, {amount.name} {by})", body)

    def act(caller: Body) -> None:
        places = [p for p in caller.targets() if p.ctype == target]
        place = draft.pick(places) if places else declare_local(caller, target)
        draft.note("pointer_argument")
        caller.emit(f"{name}(&{place.text}, {assignable(caller, amount, 1).text});")

    draft.actions.append(act)


def _struct_function(draft: Draft) -> None:
    """`static int32_t gauge(const struct pose *at)`: reads a struct behind a pointer."""
    if not draft.structs:
        return
    struct, returns = draft.pick(draft.structs), draft.scalar_type()
    name, parameter = draft.symbol("gauge"), draft.name("from")
    body = _new_body(draft, returns)
    body.add_struct(StructPlace(parameter, struct, writable=False, through=True))
    some_statements(body, draft.between(1, 2))
    body.emit(f"return {bare(assignable(body, returns, 2).text)};")
    _finish(draft, f"{returns.name} {name}(const {struct.name} *{parameter})", body)

    def call(caller: Body, depth: int) -> Expr:
        boxes = [b for b in caller.boxes if b.struct == struct]
        if not boxes:
            return integer(caller, min(depth, 0))
        draft.note("struct_pointer_argument")
        return _result(f"{name}({draft.pick(boxes).address})", returns)

    draft.calls.append(call)


def _struct_by_value(draft: Draft) -> None:
    """`static struct pose shifted(struct pose base, float by)`: takes and returns a struct."""
    if not draft.structs:
        return
    struct, amount = draft.pick(draft.structs), draft.scalar_type()
    name, base, by = draft.symbol("shifted"), draft.name("base"), draft.name("by")
    body = _new_body(draft, None)
    body.add_struct(StructPlace(base, struct, writable=True))
    body.add(by, amount, writable=True)
    _update_member(body, base, struct.fields[0].name)
    body.emit(f"return {base};")
    _finish(draft, f"{struct.name} {name}({struct.name} {base}, {amount.name} {by})", body)

    def act(caller: Body) -> None:
        boxes = [b for b in caller.boxes if b.struct == struct]
        if not boxes:
            boxes = [struct_local(caller, struct)]
        draft.note("struct_by_value")
        value = f"{name}({draft.pick(boxes).value}, {assignable(caller, amount, 1).text})"
        writable = [b for b in boxes if b.writable]
        if writable and draft.chance(0.5):
            caller.emit(f"{draft.pick(writable).value} = {value};")
            return
        fresh = draft.name("moved")
        caller.emit(f"{struct.name} {fresh} = {value};")
        caller.add_struct(StructPlace(fresh, struct, writable=True))

    draft.actions.append(act)


def _update_member(body: Body, base: str, member: str) -> None:
    places = [p for p in body.places if p.text.startswith(f"{base}.{member}")]
    for place in places or body.targets()[:1]:
        body.emit(f"{place.text} = {assignable(body, place.ctype, 1).text};")


def _array_function(draft: Draft) -> None:
    """`static int64_t total(const int16_t *xs, uint8_t n)`: a loop over as many elements as it is told."""
    element = draft.pick(_number_elements(draft) or [*INTEGERS, draft.float_type()])
    sum_type = element if element.is_float else draft.pick((UINT32, UINT64))
    name, xs, n = draft.symbol("total"), draft.name("xs"), draft.name("n")
    walk, total = draft.name("i"), draft.name("sum")
    body = _new_body(draft, sum_type)
    body.emit(f"{sum_type.name} {total} = 0;")
    with body.block(f"for (uint8_t {walk} = 0; {walk} < {n}; {walk}++) {{", loop=True):
        item = draft.pick((f"{xs}[{walk}]", f"*({xs} + {walk})", f"*{xs}++"))
        if draft.chance(0.4) and not item.endswith("++"):
            draft.note("continue")
            body.emit(f"if ({item} > {draft.between(1, 100)}) continue;")
        body.emit(f"{total} += ({sum_type.name}){item};")
    body.emit(f"return {total};")
    _finish(draft, f"{sum_type.name} {name}(const {element.name} *{xs}, uint8_t {n})", body)

    def call(caller: Body, depth: int) -> Expr:
        arrays: list[ArrayPlace] = [a for a in caller.arrays + draft.tables if a.element == element]
        if not arrays:
            return integer(caller, min(depth, 0))
        array = draft.pick(arrays)
        draft.note("array_argument")
        count = index(caller, small_integer(caller), array.length + 1, None)
        return _result(f"{name}({array.text}, {count.text})", sum_type)

    draft.calls.append(call)


def _number_elements(draft: Draft) -> list[CType]:
    """What the program's tables and struct members are arrays of: there will be something to pass."""
    members = [f for s in draft.structs for f in s.fields if f.length]
    found = [t.element for t in draft.tables] + [f.ctype for f in members if isinstance(f.ctype, CType)]
    return [t for t in found if t.kind in (TypeKind.INT, TypeKind.FLOAT)]


def _recursive_function(draft: Draft) -> None:
    """`static uint32_t descend(uint32_t acc, uint8_t depth)`: recursion bounded by its depth."""
    returns = draft.pick((UINT8, UINT16, UINT32, UINT64, INT32, draft.float_type()))
    name, acc, depth = draft.symbol("descend"), draft.name("acc"), draft.name("depth")
    body = _new_body(draft, returns)
    body.add(acc, returns, writable=True)
    body.places.append(Place(depth, UINT8, 0, 6, writable=False))
    with body.block(f"if ({depth} == 0) {{"):
        body.emit(f"return {bare(assignable(body, returns, 0).text)};")
    if draft.chance(0.5):
        with body.block(f"if ({condition(body, 1)}) {{"):
            body.emit(f"return {name}({assignable(body, returns, 1).text}, {depth} / 2);")
    inner = _result(f"{name}({assignable(body, returns, 1).text}, {depth} - 1)", returns)
    if returns.is_float:
        body.emit(f"return {inner.text} {draft.pick('+-*')} {acc};")
    else:
        outer = arithmetic(body, draft.pick("+-*"), inner, _result(acc, returns))
        body.emit(f"return {bare(outer.text)};")
    _finish(draft, f"{returns.name} {name}({returns.name} {acc}, uint8_t {depth})", body)

    def call(caller: Body, level: int) -> Expr:
        draft.note("recursion")
        count = index(caller, small_integer(caller), draft.between(3, 6), None)
        return _result(f"{name}({assignable(caller, returns, level).text}, {count.text})", returns)

    draft.calls.append(call)


def _function_table(draft: Draft) -> None:
    """Two or three functions of one signature behind a constant table of pointers."""
    ctype = draft.pick((INT32, UINT32, UINT16, draft.float_type()))
    names = [draft.symbol(base) for base in ("cautious", "normal", "eager")[: draft.between(2, 3)]]
    for name in names:
        body = _new_body(draft, ctype)
        parameters = [draft.name(base) for base in ("x", "y")]
        for parameter in parameters:
            body.add(parameter, ctype, writable=True)
        body.emit(f"return {bare(assignable(body, ctype, 2).text)};")
        _finish(draft, f"{ctype.name} {name}({', '.join(f'{ctype.name} {p}' for p in parameters)})", body)
    table = draft.symbol("policies")
    row = ", ".join(names)
    draft.file_scope += [f"static {ctype.name} (*const {table}[])({ctype.name}, {ctype.name}) = {{ {row} }};", ""]

    def call(caller: Body, depth: int) -> Expr:
        draft.note("function_pointer")
        chosen = f"{table}[{index(caller, small_integer(caller), len(names)).text}]"
        if draft.chance(0.4):
            chosen = f"({condition(caller, 0)} ? {names[0]} : {names[1]})"
        return _call(caller, chosen, [ctype, ctype], ctype, depth)

    draft.calls.append(call)


def _ticking_function(draft: Draft) -> None:
    """A function that remembers: a static local, which starts from its initialiser in every run."""
    ctype = draft.pick((UINT8, UINT16, UINT32, UINT64, BOOL))
    name, kept = draft.symbol("tick"), draft.name("ticks")
    body = _new_body(draft, ctype)
    start = literal(body, ctype)
    body.emit(f"static {ctype.name} {kept} = {start};")
    body.add(kept, ctype, writable=True)
    update = f"{kept} = {assignable(body, ctype, 1).text};"
    body.emit(update if ctype.kind is TypeKind.BOOL else f"{kept} += {integer(body, 1).text};")
    body.emit(f"return {kept};")
    _finish(draft, f"{ctype.name} {name}(void)", body)
    value = {"true": 1, "false": 0}.get(start)
    bits = bits_of(ctype, int(start) if value is None else value)
    draft.local_statics.append((Port(f"{name}.{kept}", ctype, PortKind.LOCAL_STATIC, ""), bits))

    def call(caller: Body, depth: int) -> Expr:
        draft.note("local_static")
        return _result(f"{name}()", ctype)

    draft.calls.append(call)


_MAKERS: tuple[tuple[Callable[[Draft], None], int], ...] = (
    (_scalar_function, 5),
    (_pointer_function, 3),
    (_struct_function, 3),
    (_struct_by_value, 4),
    (_array_function, 3),
    (_recursive_function, 3),
    (_function_table, 3),
    (_ticking_function, 2),
)


def write_functions(draft: Draft) -> None:
    """One to three functions; more would make the program too long to read."""
    makers, weights = [m for m, _ in _MAKERS], [w for _, w in _MAKERS]
    for maker in draft.rng.choices(makers, weights, k=draft.pick((1, 2, 2, 3))):
        maker(draft)
