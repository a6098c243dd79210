"""Functions that a program calls and does not define, as the manifest describes them: logged results, or ignored."""

from __future__ import annotations

from typing import Final

from soid.engine.llvm.c_source import CSource
from soid.engine.llvm.compiler.compilation import compile_declarations
from soid.engine.llvm.debug.c_types import CFunction, CPointer, CStruct, CType, strip
from soid.engine.llvm.debug.debug_info import DebugInfo
from soid.engine.llvm.ir.ir_module import Function, Module
from soid.engine.llvm.ir.ir_types import IntegerType, Ptr
from soid.engine.llvm.ir.symbol_names import demangled
from soid.engine.llvm.loaded_program import LoadedProgram
from soid.engine.llvm.reader.module_reader import read_module
from soid.engine.llvm.symbolic.library.external_functions import DescribedFunction
from soid.engine.llvm.symbolic.values.held_values import FORMATS
from soid.engine.llvm.variables.variable_layout import parts_of, variable_type
from soid.errors import ManifestError, ProgramError
from soid.program.interface import Role, Variable
from soid.program.override import Declaration, completed_by
from soid.program.types import BoolType, FloatType, IntType, VariableType


def described_functions(source: CSource, loaded: LoadedProgram) -> tuple[DescribedFunction, ...]:
    """The functions that the program calls and does not define, and of which the manifest says what they do."""
    if not source.inputs_from and not source.ignore:
        return ()
    declared = DebugInfo(read_module(compile_declarations(loaded.build)))
    logged = (_logged(source, loaded.module, declared, function) for function in source.inputs_from)
    return (*logged, *(_ignored(loaded.module, declared, function) for function in source.ignore))


def _ignored(module: Module, declared: DebugInfo, function: str) -> DescribedFunction:
    called = _called(module, function, "[program] ignore")
    return DescribedFunction(called.name, (), True, _fills(called, declared.declared(called.name)))


def _logged(source: CSource, module: Module, declared: DebugInfo, function: str) -> DescribedFunction:
    name = source.inputs_from[function]
    called = _called(module, function, "[inputs_from]")
    length = source.lengths.get(name)
    paths = [name] if length is None else [f"{name}[{i}]" for i in range(length)]
    signature = declared.declared(called.name)
    returns = strip(signature.returns) if signature is not None else None
    if isinstance(returns, CStruct):
        return _logged_struct(source, called, signature, returns, paths, length is None)
    if signature is not None:
        kind = _returned(strip(signature.returns), function)
    else:
        kind = _stated(source.declarations, called, function, paths[0])
    variables = [completed_by(Variable(path, Role.ENVIRONMENT, kind), source.declarations) for path in paths]
    return DescribedFunction(called.name, tuple(variables), length is None, _fills(called, signature))


def _logged_struct(
    source: CSource, called: Function, signature: CFunction | None, kind: CStruct, paths: list[str], repeats: bool
) -> DescribedFunction:
    """A function that returns a struct: each of its parts is logged."""
    try:
        parts = [parts_of(kind, path) for path in paths]
    except ProgramError as error:
        raise ManifestError(f"[inputs_from] {called.name}: it returns {error.cause}", _NUMBERS) from error
    variables = [
        completed_by(Variable(place.path, Role.ENVIRONMENT, place.type), source.declarations)
        for group in parts
        for place in group
    ]
    fills = tuple(n for n in _fills(called, signature) if called.params[n].attributes.sret is None)
    return DescribedFunction(called.name, tuple(variables), repeats, fills, tuple(parts[0]), kind.size)


def _called(module: Module, name: str, table: str) -> Function:
    """The function of this name that the program calls and does not define; in C++ by its name in the source."""
    known = module.functions.get(name)
    found = [known] if known else [f for f in module.functions.values() if demangled(f.name).partition("(")[0] == name]
    if len(found) == 1 and not found[0].defined:
        return found[0]
    why = "the program never calls it"
    if found:
        why = "the program defines it" if len(found) == 1 else f"there are {len(found)} functions of that name"
    raise ManifestError(f"{table} {name}: {why}", "Name functions that the program calls and does not define.")


def _fills(called: Function, signature: CFunction | None) -> tuple[int, ...]:
    """The parameters through which a function may write: pointers to what is not const."""
    declared = signature.params if signature is not None else ()
    kinds = [strip(kind) for kind in declared] if len(declared) == len(called.params) else [None] * len(called.params)
    pointers = [number for number, param in enumerate(called.params) if isinstance(param.type, Ptr)]
    return tuple(n for n in pointers if not (isinstance(kind := kinds[n], CPointer) and kind.const))


def _returned(kind: CType, function: str) -> VariableType:
    """The type that an external function is declared to return."""
    try:
        return variable_type(kind, function)
    except ProgramError as error:
        raise ManifestError(
            f"[inputs_from] {function}: it returns {kind}, which is no plain number", _NUMBERS
        ) from error


def _stated(declarations: tuple[Declaration, ...], called: Function, function: str, path: str) -> VariableType:
    """The type of a function without a declaration in a source: the manifest says what the IR leaves open."""
    kind = called.type.returns
    stated = next((each.stated_type for each in reversed(declarations) if each.speaks_of(path)), None)
    format = FORMATS.get(kind)
    if format is not None:
        return FloatType(format)
    if not isinstance(kind, IntegerType):
        raise ManifestError(f"[inputs_from] {function}: it returns {kind}, which is no plain number", _NUMBERS)
    if kind.width == 1:
        return BoolType()
    if "zeroext" in called.returns or "signext" in called.returns:
        return IntType(kind.width, signed="signext" in called.returns)
    if stated is None or stated.width != kind.width:
        raise ManifestError(
            f"[inputs_from] {function}: the IR says {kind}, and not whether that is signed",
            f'Say it: [variables] "{path}" = {{ type = "uint{kind.width}" }}, or "int{kind.width}".',
        )
    return stated


_NUMBERS: Final = "Integers, floats, bools and enums can be given from the log."
