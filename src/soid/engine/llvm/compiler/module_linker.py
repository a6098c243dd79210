"""LLVM through `llvmlite`: it reads bitcode or text of any version, checks, links and prints modules.

The printed text is canonical: it has one syntax for every compiler, LLVM's verifier has checked it, and old forms
(typed pointers, debugging intrinsics) are updated. `reader/` reads it.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from soid.engine.llvm.compiler.toolchain import installed_version
from soid.errors import ProgramError

if TYPE_CHECKING:
    from llvmlite.binding import ModuleRef


def llvm_version() -> str:
    """Which llvmlite prints the text; part of the cache's key."""
    return f"llvmlite {installed_version('llvmlite')}"


def canonical_text(modules: Sequence[bytes]) -> str:
    """Link modules, bitcode or text each, into one; check it and print it.

    >>> print(canonical_text([b"define i32 @f() { ret i32 1 }"]).splitlines()[-3])
    define i32 @f() {
    """
    # imported here: a program found in the cache needs no LLVM, and loading it takes time
    from llvmlite import binding

    # A fresh context each time; in a shared one struct names get suffixes.
    context = binding.create_context()
    try:
        first, *others = [_parse(data, context) for data in modules]
        for other in others:
            first.link_in(other)
        first.verify()
    except RuntimeError as error:
        raise ProgramError(
            f"LLVM refuses the program: {str(error).strip()}",
            "if the IR was given ready-made, make it with a clang no newer than the LLVM of the llvmlite package",
        ) from error
    return str(first)


def defined_symbols(data: bytes, *, inline: bool) -> frozenset[str]:
    """The functions and variables that a module defines and that are not static; without or with inline ones."""
    from llvmlite import binding

    module = _parse(data, binding.create_context())
    static = {binding.Linkage.internal, binding.Linkage.private}
    hidden = static if inline else {*static, binding.Linkage.linkonce_odr}
    things = (*module.functions, *module.global_variables)
    return frozenset(one.name for one in things if not one.is_declaration and one.linkage not in hidden)


def undefined_variables(data: bytes) -> frozenset[str]:
    """The variables that a module uses and does not define."""
    from llvmlite import binding

    module = _parse(data, binding.create_context())
    return frozenset(one.name for one in module.global_variables if one.is_declaration)


def _parse(data: bytes, context: object) -> ModuleRef:
    from llvmlite import binding

    if data[:4] in (b"BC\xc0\xde", b"\xde\xc0\x17\x0b"):
        return binding.parse_bitcode(data, context)
    try:
        text = data.decode()
    except UnicodeDecodeError as error:
        raise ProgramError(f"neither LLVM bitcode nor LLVM text: {error}") from error
    return binding.parse_assembly(text, context)
