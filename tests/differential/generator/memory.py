"""Statements about memory: arrays, pointers, structs, and the library's copies."""

from __future__ import annotations

from collections.abc import Callable

from .draft import ArrayPlace, Body, Field, StructPlace, StructType, bare
from .expressions import assignable, condition, integer, small_integer
from .guards import index
from .scalars import INT32, INTEGERS, CType, TypeKind

__all__ = ["MEMORY", "initialiser", "struct_local"]


def initialiser(body: Body, struct: StructType) -> str:
    """`{ .x = 1.0f, .hist = { 1, 2 } }`: members left out are zero, which every member's type allows."""
    parts: list[str] = []
    for member in struct.fields:
        if len(struct.fields) > 1 and body.draft.chance(0.2):
            continue
        parts.append(f".{member.name} = {_member_value(body, member)}")
    return "{ " + ", ".join(parts or ["0"]) + " }"


def _member_value(body: Body, member: Field) -> str:
    if isinstance(member.ctype, StructType):
        return initialiser(body, member.ctype)
    if member.length:
        return "{ " + ", ".join(assignable(body, member.ctype, 0).text for _ in range(member.length)) + " }"
    return assignable(body, member.ctype, 1).text


def _some_array(body: Body) -> None:
    _local_array(body, body.draft.scalar_type())


def _local_array(body: Body, element: CType) -> ArrayPlace:
    draft = body.draft
    length = draft.between(2, 5)
    values = ", ".join(assignable(body, element, 1).text for _ in range(draft.between(1, length)))
    name = draft.name(draft.pick(("window", "ring", "picks", "loads")))
    draft.note("local_array")
    body.emit(f"{element.name} {name}[{length}] = {{ {values} }};")
    array = ArrayPlace(name, element, length, writable=True, alone=True)
    body.arrays.append(array)
    return array


def _pointer_to_scalar(body: Body) -> None:
    """A pointer to a field or local, then a write through it."""
    draft = body.draft
    targets = body.targets()
    if not targets:
        return
    target = draft.pick(targets)
    pointer = draft.name("ptr")
    body.emit(f"{target.ctype.name} *{pointer} = &{target.text};")
    others = [p for p in targets if p.ctype == target.ctype and p.text != target.text]
    if others and draft.chance(0.5):
        draft.note("pointer_choice")
        with body.block(f"if ({condition(body, 1)}) {{"):
            body.emit(f"{pointer} = &{draft.pick(others).text};")
    draft.note("pointer_to_field" if "->" in target.text or "." in target.text else "pointer_to_local")
    body.emit(f"*{pointer} = {bare(assignable(body, target.ctype, 1).text)};")
    body.add(f"(*{pointer})", target.ctype, writable=True)


def _pointer_to_element(body: Body) -> None:
    """A pointer into an array, which then serves as a shorter array of its own."""
    draft = body.draft
    arrays = [a for a in body.arrays + draft.tables if not a.is_pointer]
    if not arrays:
        _some_array(body)
        return
    array = draft.pick(arrays)
    skip = draft.between(0, array.length - 1)
    pointer = draft.name("cursor")
    start = f"&{array.text}[{skip}]" if draft.chance(0.5) else f"{array.text} + {skip}"
    qualifier = "" if array.writable else "const "
    draft.note("pointer_to_element")
    body.emit(f"{qualifier}{array.element.name} *{pointer} = {start};")
    rest = array.length - skip
    body.arrays.append(ArrayPlace(pointer, array.element, rest, array.writable, True, before=skip, alone=array.alone))


def _pointer_walk(body: Body) -> None:
    """`for (p = xs; p != end; p++)`, and how far it came as a pointer difference."""
    draft = body.draft
    arrays = [a for a in body.arrays + draft.tables if a.element.kind in (TypeKind.INT, TypeKind.FLOAT)]
    if not arrays:
        _some_array(body)
        return
    array = draft.pick(arrays)
    walker, end, count = draft.name("walk"), draft.name("end"), draft.name("count")
    kind = f"const {array.element.name} *"
    draft.note("pointer_walk", "pointer_compare", "break")
    body.emit(f"{kind}{walker} = {array.text};")
    body.emit(f"{kind}const {end} = {array.text} + {array.length};")
    comparison = draft.pick(("!=", "<"))
    with body.block(f"while ({walker} {comparison} {end}) {{"):
        body.emit(f"if (*{walker} {draft.pick(('<', '>', '=='))} {draft.between(0, 20)}) break;")
        body.emit(f"{walker}++;")
    draft.note("pointer_difference")
    body.emit(f"int32_t {count} = (int32_t)({walker} - {array.text});")
    body.add(count, INT32, writable=True)


def _maybe_null(body: Body) -> None:
    """A pointer that is null for some inputs, tested before use unless the guard is left out."""
    draft = body.draft
    sources = [p for p in body.places if p.ctype.kind in (TypeKind.INT, TypeKind.FLOAT)]
    targets = [p for p in body.targets() if p.ctype.is_float]
    if not sources or not targets:
        return
    source, target = draft.pick(sources), draft.pick(targets)
    pointer = draft.name("maybe")
    draft.note("null_pointer")
    body.emit(f"const {source.ctype.name} *{pointer} = ({condition(body, 1)}) ? &{source.text} : NULL;")
    if draft.drops_guard("null", 0.5):
        body.emit(f"{target.text} = *{pointer};")
        return
    with body.block(f"if ({pointer} != NULL) {{"):
        body.emit(f"{target.text} = *{pointer};")


def _struct_local(body: Body) -> None:
    if body.draft.structs:
        struct_local(body, body.draft.pick(body.draft.structs))


def struct_local(body: Body, struct: StructType) -> StructPlace:
    """A local struct: by copy, by memcpy, zeroed, or by initialiser."""
    draft = body.draft
    name = draft.name(draft.pick(("spot", "unit", "frame")))
    same = [b for b in body.boxes if b.struct == struct]
    if same and draft.chance(0.65):
        source = draft.pick(same)
        if draft.chance(0.5):
            draft.note("struct_copy")
            body.emit(f"{struct.name} {name} = {source.value};")
        else:
            draft.note("memcpy")
            body.emit(f"{struct.name} {name};")
            body.emit(f"memcpy(&{name}, {source.address}, sizeof {name});")
    elif draft.chance(0.3):
        draft.note("memset")
        body.emit(f"{struct.name} {name};")
        body.emit(f"memset(&{name}, 0, sizeof {name});")
    else:
        draft.note("struct_initialiser")
        body.emit(f"{struct.name} {name} = {initialiser(body, struct)};")
    place = StructPlace(name, struct, writable=True)
    body.add_struct(place)
    return place


def _struct_store(body: Body) -> None:
    """A whole struct overwritten: by a compound literal, another struct, or zero bytes."""
    draft = body.draft
    boxes = [b for b in body.boxes if b.writable]
    if not boxes:
        _struct_local(body)
        return
    box = draft.pick(boxes)
    others = [b for b in body.boxes if b.struct == box.struct and b.text != box.text]
    roll = draft.rng.random()
    if others and roll < 0.5:
        draft.note("struct_copy")
        body.emit(f"{box.value} = {draft.pick(others).value};")
    elif roll < 0.8:
        draft.note("compound_literal")
        body.emit(f"{box.value} = ({box.struct.name}){initialiser(body, box.struct)};")
    else:
        draft.note("memset")
        body.emit(f"memset({box.address}, 0, sizeof({box.struct.name}));")


def _struct_pointer(body: Body) -> None:
    """A pointer to one of the structs in scope."""
    draft = body.draft
    boxes = [b for b in body.boxes if not b.through]
    if not boxes:
        _struct_local(body)
        return
    box = draft.pick(boxes)
    same = [b for b in boxes if b.struct == box.struct and b.writable == box.writable]
    name = draft.name("link")
    start = box.address
    if len(same) > 1 and draft.chance(0.6):
        start = f"({condition(body, 1)}) ? {box.address} : {draft.pick(same).address}"
    draft.note("struct_pointer")
    body.emit(f"{'' if box.writable else 'const '}{box.struct.name} *{name} = {start};")
    body.add_struct(StructPlace(name, box.struct, box.writable, through=True))


def _bytes(body: Body) -> None:
    """memset, memcpy and memmove of arrays of integers."""
    draft = body.draft
    wanted = [a for a in body.arrays if a.writable and not a.is_pointer and a.element.kind is TypeKind.INT]
    array = draft.pick(wanted) if wanted else _local_array(body, draft.pick(INTEGERS))
    others = [a for a in body.arrays if a.element == array.element and a.text != array.text]
    if others and draft.chance(0.5):
        other = draft.pick(others)
        # Through a pointer it may be the same memory, and memcpy does not allow an overlap.
        distinct = not other.is_pointer and "->" not in array.text + other.text
        copy = "memcpy" if distinct else "memmove"
        draft.note(copy)
        count = min(array.length, other.length)
        body.emit(f"{copy}({array.text}, {other.text}, {count} * sizeof({array.element.name}));")
        return
    size = f"sizeof({array.element.name})"
    if draft.chance(0.6):
        draft.note("memmove")
        body.emit(f"memmove({array.text} + 1, {array.text}, {array.length - 1} * {size});")
        return
    draft.note("memset")
    body.emit(f"memset({array.text}, {draft.pick((0, 1, 0x5A, 0xFF))}, {array.length} * {size});")


def _bit_fields(body: Body) -> None:
    """A local struct of bit-fields; they have no address, so they are read back into locals at once."""
    draft = body.draft
    widths = draft.rng.sample(range(1, 12), 2)
    name, back = draft.name("packed"), draft.name("field")
    signed = draft.chance(0.4)
    kind = "int32_t" if signed else "uint32_t"
    draft.note("bit_field")
    body.emit(f"struct {{ {kind} lo : {widths[0] + signed}; {kind} hi : {widths[1] + signed}; }} {name} = {{ 0, 1 }};")
    body.emit(f"{name}.lo = {bare(integer(body, 1).text)};")
    body.emit(f"{name}.hi ^= {name}.lo;")
    body.emit(f"int32_t {back} = {name}.{draft.pick(('lo', 'hi'))};")
    body.add(back, INT32, writable=True)


def _swap(body: Body) -> None:
    """Two elements exchanged through a pointer pair."""
    draft = body.draft
    arrays = [a for a in body.arrays if a.writable and not a.is_pointer and isinstance(a.element, CType)]
    if not arrays:
        _some_array(body)
        return
    array = draft.pick(arrays)
    first, second, kept = draft.name("one"), draft.name("two"), draft.name("kept")
    draft.note("pointer_to_element")
    # Always guarded: the address one past the end is fine, so no trap would see what is read there afterwards.
    spots = [index(body, small_integer(body), array.length, None).text for _ in range(2)]
    for name, spot in zip((first, second), spots, strict=True):
        body.emit(f"{array.element.name} *{name} = &{array.text}[{spot}];")
    body.emit(f"const {array.element.name} {kept} = *{first};")
    body.emit(f"*{first} = *{second};")
    body.emit(f"*{second} = {kept};")


MEMORY: tuple[tuple[Callable[[Body], None], int], ...] = (
    (_some_array, 2),
    (_pointer_to_scalar, 2),
    (_pointer_to_element, 2),
    (_pointer_walk, 1),
    (_maybe_null, 1),
    (_struct_local, 2),
    (_struct_store, 2),
    (_struct_pointer, 1),
    (_bytes, 3),
    (_bit_fields, 1),
    (_swap, 1),
)
