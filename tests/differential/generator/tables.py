"""Constant data at file scope: tables, grids, and arrays of structs, as learned models and calibrations have them."""

from __future__ import annotations

from .draft import ArrayPlace, Body, Draft, StructType
from .expressions import literal

__all__ = ["write_tables"]


def write_tables(draft: Draft) -> None:
    """None, one or two of them."""
    scratch = Body(draft, None)
    if draft.chance(0.6):
        _table(draft, scratch)
    if draft.chance(0.25):
        _grid(draft, scratch)
    if draft.chance(0.3) and draft.structs:
        _records(draft, scratch)


def _table(draft: Draft, scratch: Body) -> None:
    element, length = draft.scalar_type(), draft.between(3, 9)
    name = draft.symbol(draft.pick(("gains", "limits", "curve")))
    values = ", ".join(literal(scratch, element) for _ in range(length))
    draft.file_scope += [f"static const {element.name} {name}[{length}] = {{ {values} }};", ""]
    draft.tables.append(ArrayPlace(name, element, length, writable=False, alone=True))


def _grid(draft: Draft, scratch: Body) -> None:
    element, rows, columns = draft.scalar_type(), draft.between(2, 4), draft.between(2, 4)
    name = draft.symbol("grid")
    lines = ", ".join("{ " + ", ".join(literal(scratch, element) for _ in range(columns)) + " }" for _ in range(rows))
    draft.file_scope += [f"static const {element.name} {name}[{rows}][{columns}] = {{ {lines} }};", ""]
    draft.grids.append((name, element, rows, columns))


def _records(draft: Draft, scratch: Body) -> None:
    struct, length = draft.pick(draft.structs), draft.between(2, 4)
    name = draft.symbol("presets")
    rows = [f"    {_record(scratch, struct)}," for _ in range(length)]
    draft.file_scope += [f"static const {struct.name} {name}[{length}] = {{", *rows, "};", ""]
    draft.records.append((name, struct, length))


def _record(scratch: Body, struct: StructType) -> str:
    cells: list[str] = []
    for member in struct.fields:
        if isinstance(member.ctype, StructType):
            cells.append(_record(scratch, member.ctype))
        elif member.length:
            cells.append("{ " + ", ".join(literal(scratch, member.ctype) for _ in range(member.length)) + " }")
        else:
            cells.append(literal(scratch, member.ctype))
    return "{ " + ", ".join(cells) + " }"
