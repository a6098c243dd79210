"""Reads C types from metadata: `!DIDerivedType(tag: DW_TAG_pointer_type, baseType: !16, size: 64)` is a `CPointer`."""

from __future__ import annotations

from typing import Final, final

from soid.engine.llvm.debug.c_types import (
    CArray,
    CBase,
    CEnum,
    CField,
    CFunction,
    CPointer,
    CStruct,
    CType,
    CTypedef,
    CUnion,
    CUnknown,
    CVoid,
    Encoding,
)
from soid.engine.llvm.ir.metadata import MetadataTable, Node, Ref

_ENCODINGS: Final[dict[str, Encoding]] = {
    "DW_ATE_boolean": "bool",
    "DW_ATE_signed": "signed",
    "DW_ATE_unsigned": "unsigned",
    "DW_ATE_signed_char": "signed char",
    "DW_ATE_unsigned_char": "unsigned char",
    "DW_ATE_UTF": "unsigned",
    "DW_ATE_float": "float",
    "DW_ATE_complex_float": "complex",
}
_QUALIFIERS: Final = frozenset(
    {"DW_TAG_const_type", "DW_TAG_volatile_type", "DW_TAG_restrict_type", "DW_TAG_atomic_type"}
)
_TRANSPARENT: Final = _QUALIFIERS | {"DW_TAG_typedef", "DW_TAG_array_type"}
_POINTERS: Final = frozenset({"DW_TAG_pointer_type", "DW_TAG_reference_type", "DW_TAG_rvalue_reference_type"})
_RECORDS: Final = frozenset({"DW_TAG_structure_type", "DW_TAG_class_type", "DW_TAG_union_type"})
_MEMBERS: Final = frozenset({"DW_TAG_member", "DW_TAG_inheritance"})
_VOID: Final = CVoid()


def qualified(metadata: MetadataTable, node: Node) -> str:
    """The name of a type, function or variable, with its namespaces and classes."""
    declared = node.ref("declaration")
    if declared is not None:
        node = metadata.node(declared)
    parts = [node.text("name") or ""]
    scope = node.ref("scope")
    while parts[0] and scope is not None:
        outer = metadata.node(scope)
        if outer.kind not in ("DINamespace", "DICompositeType"):
            break
        hidden = outer.kind == "DINamespace" and (not outer.text("name") or outer.fields.get("exportSymbols") is True)
        if not hidden:
            parts.append(outer.text("name") or "")
        scope = outer.ref("scope")
    return "::".join(reversed(parts))


@final
class CTypeReader:
    """Reads types by the number of their metadata, each once."""

    __slots__ = ("_known", "_metadata")

    def __init__(self, metadata: MetadataTable) -> None:
        self._metadata = metadata
        self._known: dict[int, CType] = {}

    def read(self, number: int | None) -> CType:
        """The type; None stands for void."""
        if number is None:
            return _VOID
        found = self._known.get(number)
        if found is None:
            found = self._known[number] = self._read(self._metadata.node(number))
        return found

    def _const(self, number: int | None) -> bool:
        """Whether const is among the outermost qualifiers, also of a typedef's target and of an array's elements."""
        while number is not None:
            node = self._metadata.node(number)
            tag = node.text("tag")
            if tag == "DW_TAG_const_type":
                return True
            if tag not in _TRANSPARENT:
                return False
            number = node.ref("baseType")
        return False

    def _read(self, node: Node) -> CType:
        tag = node.text("tag") or ""
        if node.kind == "DIBasicType":
            name = node.text("name") or ""
            return CBase(name, _ENCODINGS.get(node.text("encoding") or "", "other"), node.number_of("size") // 8)
        if node.kind == "DISubroutineType":
            return self._function(node)
        if tag in _QUALIFIERS:
            return self.read(node.ref("baseType"))
        if tag == "DW_TAG_typedef":
            return CTypedef(node.text("name") or "", self.read(node.ref("baseType")))
        if tag in _POINTERS:
            return self._pointer(node)
        if tag == "DW_TAG_array_type":
            return self._array(node)
        if tag in _RECORDS:
            return self._record(node, tag)
        if tag == "DW_TAG_enumeration_type":
            return self._enum(node)
        return CUnknown(node.text("name") or tag or node.kind, node.number_of("size") // 8)

    def _pointer(self, node: Node) -> CPointer:
        target = node.ref("baseType")
        size = node.number_of("size") // 8
        reference = node.text("tag") != "DW_TAG_pointer_type"
        return CPointer(target or 0, size, self._const(target), lambda: self.read(target), reference)

    def _array(self, node: Node) -> CArray:
        dims = tuple(_count(each) for each in self._metadata.listed(node.ref("elements")))
        size = node.number_of("size") // 8 if None not in dims else None
        return CArray(self.read(node.ref("baseType")), dims, size)

    def _record(self, node: Node, tag: str) -> CStruct | CUnion:
        kind = CUnion if tag == "DW_TAG_union_type" else CStruct
        nodes = self._metadata.listed(node.ref("elements"))
        # a class also lists its functions, types and static members
        members = [each for each in nodes if each.text("tag") in _MEMBERS and not each.has_flag("DIFlagStaticMember")]
        fields = tuple(self._field(each) for each in members)
        complete = not node.has_flag("DIFlagFwdDecl")
        return kind(qualified(self._metadata, node), fields, node.number_of("size") // 8, complete, node.number)

    def _field(self, node: Node) -> CField:
        name, kind, offset = node.text("name") or "", self.read(node.ref("baseType")), node.number_of("offset")
        if node.text("tag") == "DW_TAG_inheritance":
            # the members of a base count as the class's own; the offset of a virtual base is known at run time only
            virtual = node.has_flag("DIFlagVirtual")
            return CField("", CUnknown("virtual base", 0), 0) if virtual else CField("", kind, offset)
        if name.startswith("_vptr$"):
            return CField(name, CUnknown("virtual functions", 8), offset)
        return CField(name, kind, offset, node.number_of("size") if node.has_flag("DIFlagBitField") else None)

    def _enum(self, node: Node) -> CEnum:
        labels = self._metadata.listed(node.ref("elements"))
        enumerators = tuple((label.text("name") or "", label.number_of("value")) for label in labels)
        underlying, size = self.read(node.ref("baseType")), node.number_of("size") // 8
        return CEnum(qualified(self._metadata, node), underlying, enumerators, size)

    def _function(self, node: Node) -> CFunction:
        list_ = node.ref("types")
        types = self._metadata.node(list_).items if list_ is not None else ()
        # the first is the returned type; a null at the end stands for the dots
        returns, params = types[:1], types[1:]
        varargs = bool(params) and params[-1] is None
        numbers = [item.number for item in params if isinstance(item, Ref)]
        returned = returns[0].number if returns and isinstance(returns[0], Ref) else None
        return CFunction(self.read(returned), tuple(map(self.read, numbers)), varargs)


def _count(dimension: Node) -> int | None:
    """The length of a dimension; LLVM writes -1 for a flexible member, a variable for a variable length."""
    count = dimension.fields.get("count")
    return count if isinstance(count, int) and count >= 0 else None
