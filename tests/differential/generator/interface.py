"""The entry's interface: which parameters, globals and results a program has, in five shapes people write.

STRUCTS     void decide(const struct input *in, struct state *st, struct output *out)
WORLD       void decide(struct world *w)                  with w->seen, w->kept, w->done
SCALARS     int16_t decide(float speed, enum mode mode)   with state in file-scope statics
OUT_PARAMS  bool decide(const struct input *in, double *cmd)
GLOBALS     void decide(void)                             everything in globals
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from enum import Enum

from .draft import ArrayPlace, Body, Draft, Field, Place, StructPlace, StructType, bare
from .expressions import assignable, condition, floating, integer, literal
from .guards import arithmetic
from .model import Port, PortKind
from .scalars import CType, TypeKind

__all__ = ["Interface", "Shape", "build_interface", "inner_struct", "open_entry", "write_outputs"]

_SEEN = ("speed", "dist", "heading", "sensor", "request", "load", "rpm", "door", "lane", "battery", "heat", "slope")
_KEPT = ("mode", "timer", "history", "last", "streak", "armed", "estimate")
_DONE = ("brake", "throttle", "alarm", "command", "grant", "report", "torque")


class Shape(Enum):
    """How inputs and outputs reach the entry."""

    STRUCTS = "structs"
    WORLD = "world"
    SCALARS = "scalars"
    OUT_PARAMS = "out_params"
    GLOBALS = "globals"


@dataclass(slots=True)
class Interface:
    """The entry's interface while the program is written."""

    shape: Shape
    parameters: list[str] = field(default_factory=list)  # as declared
    arguments: list[str] = field(default_factory=list)  # as the harness passes them
    objects: list[str] = field(default_factory=list)  # the harness's declarations
    returns: CType | None = None
    inputs: list[Port] = field(default_factory=list)
    outputs: list[Port] = field(default_factory=list)
    places: list[Place] = field(default_factory=list)  # scalar parameters and out-parameters
    boxes: list[StructPlace] = field(default_factory=list)  # structs behind parameters, only read or read and written
    sinks: list[StructPlace] = field(default_factory=list)  # structs only written
    out_scalars: list[tuple[str, CType]] = field(default_factory=list)  # lvalues only written
    statics: list[Place] = field(default_factory=list)  # mutable file-scope state


def inner_struct(draft: Draft) -> StructType:
    """A small struct to nest, copy and pass about."""
    tag = draft.symbol(draft.pick(("pose", "wheel", "target", "zone")))
    fields = [Field(draft.name(draft.pick(("x", "y", "width", "kind", "rank"))), draft.scalar_type()) for _ in range(2)]
    if draft.chance(0.4):
        fields.append(Field(draft.name("marks"), draft.scalar_type(), draft.between(2, 4)))
    return StructType(tag, tuple(fields))


def _struct(draft: Draft, tag: str, words: tuple[str, ...], count: int) -> StructType:
    fields: list[Field] = []
    for _ in range(count):
        roll = draft.rng.random()
        name = draft.name(draft.pick(words))
        if roll < 0.2:
            draft.note("array_field")
            fields.append(Field(name, draft.scalar_type(), draft.between(2, 5)))
        elif roll < 0.4 and draft.structs:
            draft.note("nested_struct")
            fields.append(Field(name, draft.pick(draft.structs)))
        else:
            fields.append(Field(name, draft.scalar_type()))
    return StructType(draft.symbol(tag), tuple(fields))


def _ports(struct: StructType, name: str, kind: PortKind) -> list[Port]:
    return [Port(path, ctype, kind, f"arg_{path}") for path, ctype in struct.leaves(name)]


def _declare(draft: Draft, struct: StructType) -> None:
    draft.file_scope += [*struct.declaration(), ""]


def build_interface(draft: Draft, shape: Shape) -> Interface:
    """Decide on the interface and write its types and globals at file scope."""
    draft.note(f"shape_{shape.value}")
    made = Interface(shape)
    if shape is Shape.STRUCTS:
        _pointer_parameter(draft, made, "in", _SEEN, PortKind.ENVIRONMENT, draft.between(2, 5))
        _pointer_parameter(draft, made, "st", _KEPT, PortKind.STATE, draft.between(1, 3))
        _pointer_parameter(draft, made, "out", _DONE, PortKind.DECISION, draft.between(1, 3))
    elif shape is Shape.WORLD:
        _world(draft, made)
    elif shape is Shape.SCALARS:
        _scalars(draft, made, draft.between(2, 5))
        made.returns = draft.scalar_type()
    elif shape is Shape.OUT_PARAMS:
        _pointer_parameter(draft, made, "in", _SEEN, PortKind.ENVIRONMENT, draft.between(2, 4))
        _out_parameters(draft, made)
        made.returns = draft.scalar_type() if draft.chance(0.5) else None
    else:
        _globals(draft, made)
    if shape in (Shape.SCALARS, Shape.GLOBALS) or draft.chance(0.2):
        _file_statics(draft, made)
    if made.returns is not None:
        draft.note("return_value")
        made.outputs.append(Port("return", made.returns, PortKind.RETURN, "result_value"))
    return made


_TAGS = {"in": "input", "st": "state", "out": "output"}


def _pointer_parameter(
    draft: Draft, made: Interface, name: str, words: tuple[str, ...], kind: PortKind, count: int
) -> None:
    struct = _struct(draft, _TAGS[name], words, count)
    _declare(draft, struct)
    made.objects.append(f"{struct.name} arg_{name};")
    made.arguments.append(f"&arg_{name}")
    made.parameters.append(f"{'const ' if kind is PortKind.ENVIRONMENT else ''}{struct.name} *{name}")
    box = StructPlace(name, struct, writable=kind is not PortKind.ENVIRONMENT, through=True)
    _place_box(made, box, _ports(struct, name, kind), kind)


def _place_box(made: Interface, box: StructPlace, ports: list[Port], kind: PortKind) -> None:
    if kind is not PortKind.DECISION:
        made.inputs += ports
        made.boxes.append(box)
    else:
        made.sinks.append(box)
    if kind is not PortKind.ENVIRONMENT:
        made.outputs += ports


def _world(draft: Draft, made: Interface) -> None:
    """All three parts nested in one struct behind one pointer."""
    parts = (
        ("seen", _struct(draft, "input", _SEEN, draft.between(2, 4)), PortKind.ENVIRONMENT),
        ("kept", _struct(draft, "state", _KEPT, draft.between(1, 2)), PortKind.STATE),
        ("done", _struct(draft, "output", _DONE, draft.between(1, 2)), PortKind.DECISION),
    )
    for _, struct, _ in parts:
        _declare(draft, struct)
    world = StructType(draft.symbol("world"), tuple(Field(name, struct) for name, struct, _ in parts))
    _declare(draft, world)
    made.objects.append(f"{world.name} arg_w;")
    made.arguments.append("&arg_w")
    made.parameters.append(f"{world.name} *w")
    for name, struct, kind in parts:
        box = StructPlace(f"w->{name}", struct, writable=kind is not PortKind.ENVIRONMENT)
        _place_box(made, box, _ports(struct, f"w.{name}", kind), kind)


def _scalars(draft: Draft, made: Interface, count: int) -> None:
    for _ in range(count):
        name, ctype = draft.name(draft.pick(_SEEN)), draft.scalar_type()
        made.objects.append(f"{ctype.name} arg_{name};")
        made.arguments.append(f"arg_{name}")
        made.parameters.append(f"{ctype.name} {name}")
        made.inputs.append(Port(name, ctype, PortKind.PARAMETER, f"arg_{name}"))
        made.places.append(_place(name, ctype, writable=True))


def _out_parameters(draft: Draft, made: Interface) -> None:
    for _ in range(draft.between(1, 2)):
        name, ctype = draft.name(draft.pick(_DONE)), draft.scalar_type()
        made.objects.append(f"{ctype.name} arg_{name};")
        made.arguments.append(f"&arg_{name}")
        made.parameters.append(f"{ctype.name} *{name}")
        made.outputs.append(Port(f"*{name}", ctype, PortKind.OUT_PARAMETER, f"arg_{name}"))
        made.out_scalars.append((f"*{name}", ctype))


def _globals(draft: Draft, made: Interface) -> None:
    """Globals with external linkage: some only read, some only written."""
    for _ in range(draft.between(2, 4)):
        name, ctype = draft.symbol("g_" + draft.pick(_SEEN)), draft.scalar_type()
        draft.file_scope.append(f"{ctype.name} {name};")
        made.inputs.append(Port(name, ctype, PortKind.GLOBAL, name))
        draft.globals.append(_place(name, ctype, writable=False))
    for _ in range(draft.between(1, 2)):
        name, ctype = draft.symbol("g_" + draft.pick(_DONE)), draft.scalar_type()
        draft.file_scope.append(f"{ctype.name} {name};")
        made.outputs.append(Port(name, ctype, PortKind.GLOBAL, name))
        made.out_scalars.append((name, ctype))
    draft.file_scope.append("")


def _file_statics(draft: Draft, made: Interface) -> None:
    draft.note("file_static")
    scratch = Body(draft, None)
    for _ in range(draft.between(1, 2)):
        name, ctype = draft.symbol("s_" + draft.pick(_KEPT)), draft.scalar_type()
        draft.file_scope.append(f"static {ctype.name} {name} = {literal(scratch, ctype)};")
        port = Port(name, ctype, PortKind.FILE_STATIC, name)
        made.inputs.append(port)
        made.outputs.append(port)
        place = _place(name, ctype, writable=True)
        made.statics.append(place)
        draft.globals.append(place)
    draft.file_scope.append("")


def _place(text: str, ctype: CType, *, writable: bool) -> Place:
    return Place(text, ctype, *((0, 0) if ctype.is_float else (ctype.low, ctype.high)), writable)


def open_entry(body: Body, made: Interface) -> None:
    """Bring the inputs into scope and give every output a value, so that any later return is a decision."""
    body.places += [*body.draft.globals, *made.places]
    for box in made.boxes:
        body.add_struct(box, whole=False)
    for lvalue, ctype in made.out_scalars:
        body.emit(f"{lvalue} = {literal(body, ctype)};")
    for sink in made.sinks:
        if body.draft.chance(0.5):
            body.draft.note("memset")
            body.emit(f"memset({sink.address}, 0, sizeof({sink.struct.name}));")
        else:
            body.draft.note("compound_literal")
            body.emit(f"{sink.value} = ({sink.struct.name}){{ 0 }};")


def write_outputs(body: Body, made: Interface) -> None:
    """The end of the entry: state is updated from itself, outputs are computed, a result is returned."""
    for box in made.boxes:
        if box.writable:
            _update_struct(body, box)
    for place in made.statics:
        _update(body, place)
    for lvalue, ctype in _output_lvalues(body, made):
        body.emit(f"{lvalue} = {bare(assignable(body, ctype, 2).text)};")
    if made.returns is not None:
        body.emit(f"return {bare(assignable(body, made.returns, 2).text)};")


def _output_lvalues(body: Body, made: Interface) -> Iterator[tuple[str, CType]]:
    yield from made.out_scalars
    for sink in made.sinks:
        for path, ctype in sink.struct.leaves("@"):
            yield path.replace("@.", sink.member(""), 1), ctype


def _update_struct(body: Body, box: StructPlace) -> None:
    for member in box.struct.fields:
        text = box.member(member.name)
        if isinstance(member.ctype, StructType):
            _update_struct(body, StructPlace(text, member.ctype, writable=True))
        elif member.length:
            _push(body, ArrayPlace(text, member.ctype, member.length, writable=True))
        else:
            _update(body, _place(text, member.ctype, writable=True))


def _push(body: Body, array: ArrayPlace) -> None:
    """A history moves along by one."""
    name = body.draft.name("i")
    body.draft.note("for", "array_store")
    with body.block(f"for (int32_t {name} = {array.length - 1}; {name} > 0; {name}--) {{"):
        body.emit(f"{array.text}[{name}] = {array.text}[{name} - 1];")
    body.emit(f"{array.text}[0] = {bare(assignable(body, array.element, 1).text)};")


def _update(body: Body, place: Place) -> None:
    """`place` set from its old value: what is written back is read as well, so it is state beyond doubt."""
    draft = body.draft
    if place.ctype.is_float:
        value = f"{place.text} {draft.pick('+-*')} {floating(body, 1).text}"
    elif place.ctype.kind is TypeKind.ENUM:
        value = f"({condition(body, 1)}) ? {place.text} : {draft.pick(place.ctype.labels)}"
    elif place.ctype.kind is TypeKind.BOOL:
        value = f"{place.text} != ({condition(body, 1)})"
    elif draft.chance(0.3):
        value = f"{place.text} ^ {integer(body, 1).text}"
    else:
        value = arithmetic(body, draft.pick("+-"), place.expr, integer(body, 1)).text
    body.emit(f"{place.text} = {bare(value)};")
