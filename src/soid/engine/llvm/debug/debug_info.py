"""Debug info: functions with parameters and locals, globals, with their names, C types and places in the source.

A static function or global may have another name in the IR (`counter.1`, or `f.limit` for a static local); the keys
here are the IR's names, `name` is the source's.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import cached_property
from pathlib import PurePosixPath
from types import MappingProxyType
from typing import Final, final

from msgspec import Struct
from msgspec.structs import replace

from soid.allowance import paced
from soid.engine.llvm.debug.c_type_reader import CTypeReader, qualified
from soid.engine.llvm.debug.c_types import CArray, CEnum, CFunction, CPointer, CStruct, CType, CUnion, strip
from soid.engine.llvm.debug.parameter_pieces import ParameterPiece, pieces_of
from soid.engine.llvm.ir.data_layout import DataLayout
from soid.engine.llvm.ir.instructions import SourcePosition
from soid.engine.llvm.ir.ir_module import Declare, Function, Module
from soid.engine.llvm.ir.ir_types import Ptr
from soid.engine.llvm.ir.metadata import Node, Ref
from soid.engine.llvm.ir.operands import Register, Value
from soid.engine.llvm.ir.symbol_names import demangled
from soid.engine.summary import Location
from soid.errors import ProgramError


@final
class CParameter(Struct, frozen=True):
    """A parameter in the source; the IR may pass it in none, one or two parameters."""

    name: str  # empty where the source gives none
    type: CType
    address: Value | None  # where the function stores it; None where it has no name or no memory
    pieces: tuple[ParameterPiece, ...]  # the IR parameters that carry it, and where; none if it is never used


@final
class CLocal(Struct, frozen=True):
    """A local variable."""

    name: str
    type: CType
    address: Value  # the register with its address; Poison where the compiler dropped it
    indirect: bool  # the address is itself kept at `address`
    loc: SourcePosition  # of its declaration


@final
class CFunctionInfo(Struct, frozen=True):
    """A function as the source has it."""

    name: str
    type: CFunction
    params: tuple[CParameter, ...]
    locals: tuple[CLocal, ...]  # in the order of the source, without those that the compiler made up
    loc: SourcePosition


@final
class CGlobal(Struct, frozen=True):
    """A global variable, or a static local one."""

    name: str
    type: CType
    function: str | None  # for a static local, the function it belongs to
    loc: SourcePosition
    whole: bool = True  # False: an optimiser keeps only a part of it, or a flag instead of it
    unit: str = ""  # the file that was compiled; `loc` may lie in a header
    file: str = ""  # what tells it from variables of the same name in other files
    block: str = ""  # what tells it from variables of the same name in other blocks of its function

    @property
    def path(self) -> str:
        """Its name in questions: `count`, `car::count`, `decide.calls` for a static variable of a function.

        Of several with one name: `motor::count` is the one in motor.c, `decide.L12.calls` the one at line 12.
        """
        parts = (self.function, self.block, self.name)
        return self.file + ".".join(part for part in parts if part)


#: the expression with which an optimiser describes a bool that it keeps as one bit
_BIT: Final = "DW_OP_deref_size, 1, DW_OP_constu, 1, DW_OP_mul, DW_OP_constu, 0, DW_OP_plus, DW_OP_stack_value"
_FRAGMENT: Final = "DW_OP_LLVM_fragment"


def _told_apart(variables: Mapping[str, CGlobal]) -> dict[str, CGlobal]:
    """Variables by their IR names, each with a path of its own: C allows statics of one name in two files or blocks."""
    groups: dict[str, dict[str, CGlobal]] = {}
    for name, variable in variables.items():
        groups.setdefault(variable.path, {})[name] = variable
    found: dict[str, CGlobal] = {}
    for group in groups.values():
        found |= group if len(group) == 1 else _renamed(group)
    return found


def _renamed(group: Mapping[str, CGlobal]) -> dict[str, CGlobal]:
    """Variables of one name, told apart by their files, their folders, their lines, or by all of that."""
    for parts, by_line in ((_FILE, False), (_FOLDERS, False), (_NOTHING, True), (_FOLDERS, True)):
        made = {name: _told(variable, parts, by_line) for name, variable in group.items()}
        if len({each.path for each in made.values()}) == len(made):
            return made
    return {name: replace(each, block=f"{each.block}_{number}") for number, (name, each) in enumerate(made.items(), 1)}


#: which parts of a file's path, its ending left out, tell variables apart
_FILE, _FOLDERS, _NOTHING = slice(-1, None), slice(None), slice(0)


def _told(variable: CGlobal, parts: slice, by_line: bool) -> CGlobal:
    unit = PurePosixPath(variable.unit).with_suffix("")
    file = "".join(f"{_identifier(part)}::" for part in unit.parts[parts])
    return replace(variable, file=file, block=f"L{variable.loc.location.line}" if by_line else "")


def _identifier(text: str) -> str:
    """A text as a name.

    >>> _identifier("left-motor.2")
    'left_motor_2'
    """
    name = re.sub(r"\W", "_", text, flags=re.ASCII)
    return f"_{name}" if name[:1].isdigit() else name


def _by_position(
    function: Function, index: int, signature: CFunction, layout: DataLayout
) -> tuple[ParameterPiece, ...]:
    """The IR parameter at the position of a C parameter, if they correspond one to one."""
    ours = [i for i, param in enumerate(function.params) if param.attributes.sret is None]
    if len(ours) != len(signature.params):
        return ()
    number, kind = ours[index - 1], strip(signature.params[index - 1])
    given = function.params[number].type
    if isinstance(kind, CStruct | CUnion | CArray):
        return (ParameterPiece(number, 0, by_address=isinstance(given, Ptr)),)
    fits = isinstance(given, Ptr) if isinstance(kind, CPointer) else layout.store_size(given) == kind.size
    return (ParameterPiece(number, 0, by_address=False),) if fits else ()


@final
class DebugInfo:
    """The debug info of a module, read on demand."""

    def __init__(self, module: Module, extern: Mapping[str, CType] = MappingProxyType({})) -> None:
        """`extern` are the types of variables that the module only declares, by their IR names."""
        self._module = module
        self._metadata = module.metadata
        self._types = CTypeReader(module.metadata)
        self._functions: dict[str, CFunctionInfo] = {}
        self._extern = extern

    def function(self, name: str) -> CFunctionInfo:
        """A defined function by its IR name."""
        known = self._functions.get(name)
        if known is None:
            function = self._module.function(name)
            if function.subprogram is None:
                raise ProgramError(f"function {name!r} has no debug info", "compile it with -g, or from source")
            known = self._functions[name] = self._read_function(function, self._metadata.node(function.subprogram))
        return known

    def declared(self, name: str) -> CFunction | None:
        """The type of a function by its IR name, also of one that is only declared; None without debug info."""
        function = self._module.functions.get(name)
        if function is None or function.subprogram is None:
            return None
        found = self._types.read(self._metadata.node(function.subprogram).ref("type"))
        return found if isinstance(found, CFunction) else None

    def unit_of(self, function: Function) -> str:
        """The source file with which a function was compiled; empty without debug info."""
        unit = None if function.subprogram is None else self._metadata.node(function.subprogram).ref("unit")
        return "" if unit is None else self._metadata.file_of(unit)

    @cached_property
    def globals(self) -> Mapping[str, CGlobal]:
        """Global variables by their IR name; string literals have no debug info and are not among them."""
        found = {}
        units = self._units()
        for variable in paced(self._module.globals.values(), "reading the program's debug info"):
            if variable.expressions:
                expression = self._metadata.node(variable.expressions[0])
                number = expression.ref("var")
                if number is not None:
                    kind = self._read_global(self._metadata.node(number))
                    operations = (expression.text("expr") or "").partition("(")[2].rstrip(")")
                    whole = not operations or (operations == _BIT and kind.type.size == 1)
                    whole = whole and len(variable.expressions) == 1
                    unit = units.get(variable.expressions[0], kind.loc.location.file)
                    found[variable.name] = replace(kind, whole=whole, unit=unit)
        variables = {name: kind for name, kind in found.items() if not self._module.globals[name].constant}
        nowhere = SourcePosition(Location("", 0), 0)
        extern = {name: CGlobal(demangled(name), kind, None, nowhere) for name, kind in self._extern.items()}
        return MappingProxyType({**found, **_told_apart(variables), **extern})

    @cached_property
    def enums(self) -> tuple[CEnum, ...]:
        """Every enumeration of which the program uses something, if only one of its labels."""
        units = (self._metadata.node(number) for number in self._metadata.named.get("llvm.dbg.cu", ()))
        nodes = (node for unit in units for node in self._metadata.listed(unit.ref("enums")))
        kinds = (self._types.read(node.number) for node in nodes)
        return tuple(dict.fromkeys(kind for kind in kinds if isinstance(kind, CEnum)))

    def _units(self) -> dict[int, str]:
        """The file that was compiled, for each description of a global."""
        found: dict[int, str] = {}
        for number in self._metadata.named.get("llvm.dbg.cu", ()):
            listed = self._metadata.node(number).ref("globals")
            items = self._metadata.node(listed).items if listed is not None else ()
            found |= {item.number: self._metadata.file_of(number) for item in items if isinstance(item, Ref)}
        return found

    def named(self, name: str) -> tuple[str, ...]:
        """The IR names of functions and globals with this name in the source; it may include namespace and class."""
        functions = (
            function.name
            for function in self._module.functions.values()
            if function.subprogram is not None and name in self._names(self._metadata.node(function.subprogram))
        )
        return (*functions, *(key for key, variable in self.globals.items() if variable.name == name))

    def _names(self, node: Node) -> tuple[str, ...]:
        """The names of a function: plain, with its namespaces and classes, and the linker's."""
        return (node.text("name") or "", qualified(self._metadata, node), node.text("linkageName") or "")

    def _read_function(self, function: Function, node: Node) -> CFunctionInfo:
        type_ = self._types.read(node.ref("type"))
        signature = type_ if isinstance(type_, CFunction) else CFunction(type_, (), False)
        declared = [(declare, self._metadata.node(declare.variable)) for declare in function.declares]
        return CFunctionInfo(
            name=node.text("name") or function.name,
            type=signature,
            params=self._params(function, node, signature, {n.number_of("arg"): (d, n) for d, n in declared}),
            locals=tuple(
                self._local(declare, variable)
                for declare, variable in declared
                if not variable.number_of("arg") and not variable.has_flag("DIFlagArtificial")
            ),
            loc=self._place(node),
        )

    def _params(
        self, function: Function, subprogram: Node, signature: CFunction, declared: Mapping[int, tuple[Declare, Node]]
    ) -> tuple[CParameter, ...]:
        """The parameters; `declared` has those with memory, by their numbers from 1."""
        # also those that the optimiser removed
        retained = self._metadata.listed(subprogram.ref("retainedNodes"))
        names = {node.number_of("arg"): node.text("name") or "" for node in retained}
        # then a parameter without a record may still be used
        is_optimised = "DISPFlagOptimized" in (subprogram.text("spFlags") or "")
        found = []
        for index, type_ in enumerate(signature.params, start=1):
            if index not in declared:
                pieces = self._in_registers(function, index)
                if not pieces and is_optimised:
                    pieces = _by_position(function, index, signature, self._module.layout)
                found.append(CParameter(names.get(index, ""), type_, None, pieces))
                continue
            declare, node = declared[index]
            pieces = pieces_of(function, declare.address, self._module.layout)
            if "DW_OP_deref" in declare.expression:  # memory holds the address of a copy: large structs on ARM
                pieces = tuple(ParameterPiece(piece.index, 0, by_address=True) for piece in pieces)
            found.append(CParameter(node.text("name") or "", type_, declare.address, pieces))
        return tuple(found)

    def _in_registers(self, function: Function, index: int) -> tuple[ParameterPiece, ...]:
        """The IR parameters of a C parameter without memory, by debug records."""
        found: dict[int, ParameterPiece] = {}
        for record in function.handed:
            node = self._metadata.node(record.variable)
            if node.number_of("arg") != index or node.ref("scope") != function.subprogram:
                continue
            assert isinstance(record.address, Register)
            words = record.expression
            at = int(words[words.index(_FRAGMENT) + 1]) // 8 if _FRAGMENT in words else 0
            found.setdefault(record.address.slot, ParameterPiece(record.address.slot, at, "DW_OP_deref" in words))
        return tuple(found.values())

    def _local(self, declare: Declare, node: Node) -> CLocal:
        return CLocal(
            name=node.text("name") or "",
            type=self._types.read(node.ref("type")),
            address=declare.address,
            indirect="DW_OP_deref" in declare.expression,
            loc=self._place(node),
        )

    def _read_global(self, node: Node) -> CGlobal:
        return CGlobal(
            name=qualified(self._metadata, node) or node.text("name") or "",
            type=self._types.read(node.ref("type")),
            function=self._function_around(node.ref("scope")),
            loc=self._place(node),
        )

    def _function_around(self, scope: int | None) -> str | None:
        while scope is not None:
            node = self._metadata.node(scope)
            if node.kind == "DISubprogram":
                return node.text("name")
            scope = node.ref("scope")
        return None

    def _place(self, node: Node) -> SourcePosition:
        location = Location(self._metadata.file_of(node.number), node.number_of("line"))
        return SourcePosition(location, node.number_of("column"))
