"""LLVM IR between the harness and a program: loads the entry's arguments and calls it as its compiler does.

    struct result decide(struct odd o, _Bool flag, const float *p)      i64 @decide(i48, i1 zeroext, ptr)

    define void @soid_call(ptr %regions) {
      %r0 = load ptr, ptr %regions                   where the harness has put region 0, the struct
      %a0 = load i48, ptr %r0, align 1               as much of it as the register takes
      ...
      %result = call i64 @decide(i48 %a0, i1 zeroext %a1, ptr %r2)
      store i64 %result, ptr %r3, align 1

It is part of the program's own module, so it can use static functions and variables. The calling convention, which C
types alone do not determine, is the one that the compiler has written in the module.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from soid.engine.llvm.ir.instructions import Attributes
from soid.engine.llvm.ir.ir_module import Function
from soid.engine.llvm.ir.ir_types import VOID
from soid.engine.llvm.loaded_program import LoadedProgram
from soid.engine.llvm.symbolic.library.external_functions import DescribedFunction
from soid.engine.llvm.variables.variable_layout import RETURN, MemoryRegion

_ABI: Final[tuple[str, ...]] = ("zeroext", "signext", "inreg", "nest")
_MACHINE: Final = ("target-cpu", "target-features", "frame-pointer")


def symbol(name: str) -> str:
    r"""A name in LLVM's text.

    >>> print(symbol("decide.calls"), symbol('a"b'))
    @"decide.calls" @"a\22b"
    """
    shown = (chr(byte) if 32 <= byte < 127 and byte not in b'"\\' else f"\\{byte:02X}" for byte in name.encode())
    return f'@"{"".join(shown)}"'


def trampoline(loaded: LoadedProgram) -> str:
    """The functions that the harness calls: where globals are, what runs once before, and the call of the entry."""
    machine = [f'"{key}"="{value}"' for key, value in loaded.entry.attributes.strings if key in _MACHINE]
    attributes = " ".join(["noinline", *machine])
    located = []
    for number, region in enumerate(loaded.places.regions):
        if region.variable is not None:
            located += [_slot(number), f"  store ptr {symbol(region.variable)}, ptr %s{number}"]
    return "\n".join(
        [
            *("", f"define void @soid_globals(ptr %regions) {attributes} {{", *located, "  ret void", "}"),
            *(f"define void @soid_pointers(ptr %regions) {attributes} {{", *_chosen(loaded), "  ret void", "}"),
            *(
                f"define void @soid_numbers(ptr %regions) {attributes} {{",
                *_chosen(loaded, back=True),
                "  ret void",
                "}",
            ),
            *(f"define void @soid_setup() {attributes} {{", *_setup(loaded.setup), "  ret void", "}"),
            *(f"define void @soid_call(ptr %regions) {attributes} {{", *_call(loaded), "  ret void", "}", ""),
        ]
    )


def _chosen(loaded: LoadedProgram, *, back: bool = False) -> list[str]:
    """Code that turns the numbers of function pointers into addresses, or back; it leaves all others as they are."""
    lines = []
    for number, place in enumerate(place for place in loaded.places.places if place.functions):
        kind, name = f"i{8 * place.size}", f"%f{number}"
        lines += [
            f"  {name}.s = getelementptr ptr, ptr %regions, i64 {place.region}",
            f"  {name}.r = load ptr, ptr {name}.s",
            f"  {name}.p = getelementptr i8, ptr {name}.r, i64 {place.offset}",
            f"  {name}.v0 = load {kind}, ptr {name}.p, align 1",
        ]
        for i, function in enumerate(place.functions, start=1):
            address = f"ptrtoint (ptr {symbol(function)} to {kind})"
            old, new = (address, str(i)) if back else (str(i), address)
            lines.append(f"  {name}.c{i} = icmp eq {kind} {name}.v0, {old}")
            lines.append(f"  {name}.v{i} = select i1 {name}.c{i}, {kind} {new}, {kind} {name}.v{i - 1}")
        lines.append(f"  store {kind} {name}.v{len(place.functions)}, ptr {name}.p, align 1")
    return lines


def _setup(function: Function | None) -> list[str]:
    if function is None:
        return []
    convention = "" if function.convention == "ccc" else function.convention
    kind = (
        function.type.returns
        if function.type.returns == VOID
        else f"{_passing(function.returns)} {function.type.returns}"
    )
    return [f"  call {convention} {kind} {symbol(function.name)}()"]


def _slot(number: int) -> str:
    return f"  %s{number} = getelementptr ptr, ptr %regions, i64 {number}"


def _call(loaded: LoadedProgram) -> list[str]:
    entry, lines = loaded.entry, []
    arguments = [f"{param.type} {_passing(param.attributes)} zeroinitializer" for param in entry.params]
    returned = ""
    for number, region in enumerate(loaded.places.regions):
        lines += [_slot(number), f"  %r{number} = load ptr, ptr %s{number}"]
        if region.name == RETURN:
            returned = f"%r{number}"
        elif region.parameter is not None:
            lines += _pass(loaded, number, region, arguments)
    for index, param in enumerate(entry.params):
        if param.attributes.sret is not None:
            arguments[index] = f"ptr {_passing(param.attributes)} {returned}"
    convention = "" if entry.convention == "ccc" else entry.convention
    kind = str(entry.type) if entry.varargs else str(entry.type.returns)
    call = f"call {convention} {_passing(entry.returns)} {kind} {symbol(entry.name)}({', '.join(arguments)})"
    if entry.type.returns == VOID:
        return [*lines, f"  {call}"]
    return [*lines, f"  %result = {call}", f"  store {entry.type.returns} %result, ptr {returned}, align 1"]


def _pass(loaded: LoadedProgram, number: int, region: MemoryRegion, arguments: list[str]) -> list[str]:
    """Put a region, or what is in it, into the arguments that carry it; gives what must be done before."""
    assert region.parameter is not None
    lines = []
    for piece in loaded.info.params[region.parameter].pieces:
        param = loaded.entry.params[piece.index]
        how = f"{param.type} {_passing(param.attributes)}"
        if not region.by_value or piece.by_address:
            arguments[piece.index] = f"{how} %r{number}"
            continue
        value = f"%a{piece.index}"
        lines.append(f"  {value}.at = getelementptr i8, ptr %r{number}, i64 {piece.offset}")
        lines.append(f"  {value} = load {param.type}, ptr {value}.at, align 1")
        arguments[piece.index] = f"{how} {value}"
    return lines


def _passing(attributes: Attributes) -> str:
    """The attributes that decide how something is passed."""
    found = [flag for flag in _ABI if flag in attributes.flags]
    if attributes.byval is not None:
        found.append(f"byval({attributes.byval})")
    if attributes.sret is not None:
        found.append(f"sret({attributes.sret})")
    if attributes.align is not None and (attributes.byval is not None or attributes.sret is not None):
        found.append(f"align {attributes.align}")
    return " ".join(found)


# --- what the program uses and does not define ----------------------------------------------------------------------


def stand_ins(loaded: LoadedProgram, feeds: Sequence[DescribedFunction], undefined: Sequence[str]) -> str:
    """A module with the functions whose results are logged, and with stand-ins for undefined functions.

    Callers pass the arguments and remove them again, so a stand-in need not declare them.
    """
    lines = [
        f'target datalayout = "{loaded.module.layout.text}"',
        f'target triple = "{loaded.module.triple}"',
        "@soid_regions = external global ptr",
        "declare void @soid_undefined(i64)",
        "declare void @soid_not_logged(i64)",
        "declare void @llvm.memcpy.p0.p0.i64(ptr, ptr, i64, i1)",
    ]
    if undefined:
        lines += ["declare ptr @malloc(i64)", "declare ptr @aligned_alloc(i64, i64)", "declare void @free(ptr)"]
    logged = [feed for feed in feeds if feed.variables]
    counters = [f"  store i64 0, ptr @soid_calls_{number}" for number in range(len(logged))]
    lines += ["define void @soid_begin_step() {", *counters, "  ret void", "}"]
    for feed in feeds:
        if not feed.variables:
            lines += _ignored(loaded.module.function(feed.function))
    for number, feed in enumerate(logged):
        lines += _fed(number, loaded, feed)
    for number, name in enumerate(undefined):
        lines += _undefined(loaded, number, name)
    return "\n".join([*lines, ""])


def _allocating(name: str) -> list[str]:
    takes, call = "i64", "@malloc(i64 %0)"
    if name.endswith("align_val_t"):
        takes, call = "i64, i64", "@aligned_alloc(i64 %1, i64 %0)"
    return [f"define ptr {symbol(name)}({takes}) {{", f"  %made = call ptr {call}", "  ret ptr %made", "}"]


_NEW: Final = [f"_Zn{kind}m{how}" for kind in "wa" for how in ("", "St11align_val_t")]
_DELETE: Final = [f"_Zd{kind}Pv{size}{how}" for kind in "la" for size in ("", "m") for how in ("", "St11align_val_t")]

#: the parts of the C++ run-time library that work without building that library
_SUPPLIED: Final = {
    **{name: _allocating(name) for name in _NEW},
    **{n: [f"define void {symbol(n)}(ptr) {{", "  call void @free(ptr %0)", "  ret void", "}"] for n in _DELETE},
    "__cxa_guard_acquire": [
        "define i32 @__cxa_guard_acquire(ptr) {",
        *("  %done = load i8, ptr %0", "  %open = icmp eq i8 %done, 0", "  %r = zext i1 %open to i32"),
        *("  ret i32 %r", "}"),
    ],
    "__cxa_guard_release": ["define void @__cxa_guard_release(ptr) {", "  store i8 1, ptr %0", "  ret void", "}"],
}


def result_size(loaded: LoadedProgram, feed: DescribedFunction) -> int:
    """How many bytes one logged result takes: those of its struct, or of the registers that return it."""
    kind = loaded.module.function(feed.function).type.returns
    return max(feed.size, loaded.module.layout.size(kind) if kind != VOID else 0)


def _fed(number: int, loaded: LoadedProgram, feed: DescribedFunction) -> list[str]:
    """A function that gives the first logged value when it is first called in a step, then the second ..."""
    function, region = loaded.module.function(feed.function), len(loaded.places.regions) + number
    kind, which = function.type.returns, "0" if feed.repeats else "%calls"
    size = result_size(loaded, feed)
    given = [f"  %value = load {kind}, ptr %at, align 1", f"  ret {kind} %value"]
    taken = ""
    if kind == VOID:  # the caller says where it wants the struct
        taken = f"ptr sret([{feed.size} x i8]) %0"
        given = [f"  call void @llvm.memcpy.p0.p0.i64(ptr %0, ptr %at, i64 {feed.size}, i1 false)", "  ret void"]
    return [
        f"@soid_calls_{number} = internal global i64 0",
        f"define {_passing(function.returns)} {kind} {symbol(feed.function)}({taken}) {{",
        f"  %calls = load i64, ptr @soid_calls_{number}",
        "  %more = add i64 %calls, 1",
        f"  store i64 %more, ptr @soid_calls_{number}",
        f"  %logged = icmp ult i64 {which}, {feed.calls}",
        "  br i1 %logged, label %yes, label %no",
        "yes:",
        f"  %slot = getelementptr ptr, ptr @soid_regions, i64 {region}",
        "  %values = load ptr, ptr %slot",
        f"  %at = getelementptr [{size} x i8], ptr %values, i64 {which}",
        *given,
        "no:",
        f"  call void @soid_not_logged(i64 {number})",
        "  unreachable",
        "}",
    ]


def _ignored(function: Function) -> list[str]:
    """A function that does nothing. The engine knows nothing of its result, so no proof depends on it."""
    kind = function.type.returns
    result = "ret void" if kind == VOID else f"ret {kind} zeroinitializer"
    return [f"define {_passing(function.returns)} {kind} {symbol(function.name)}() {{", f"  {result}", "}"]


def _undefined(loaded: LoadedProgram, number: int, name: str) -> list[str]:
    if name in _SUPPLIED:
        return _SUPPLIED[name]
    variable = loaded.module.globals.get(name)
    if variable is not None:
        size = loaded.module.layout.size(variable.type)
        return [f"{symbol(name)} = global [{size} x i8] zeroinitializer, align 16"]
    return [f"define void {symbol(name)}() {{", f"  call void @soid_undefined(i64 {number})", "  unreachable", "}"]
