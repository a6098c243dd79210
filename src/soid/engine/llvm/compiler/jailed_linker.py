"""What `module_linker` does, in a jailed process: LLVM's reader is not made for modules that mean harm.

A crafted module may crash it, or worse. The process sees Python, its packages and the modules, and nothing else.
"""

from __future__ import annotations

import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Final

import msgspec

from soid.engine.llvm.compiler import module_linker
from soid.engine.llvm.compiler.tool_process import run_tool
from soid.errors import ProgramError
from soid.jail.cell import left_behind
from soid.jail.python_cell import module_path, python_cell

_ANSWER: Final = "answer"
_START: Final = """
import sys
sys.path[:] = sys.argv[2].split(":")
from soid.engine.llvm.compiler.jailed_linker import main
main(sys.argv[1], sys.argv[3:])
"""


def canonical_text(modules: Sequence[bytes]) -> str:
    return msgspec.msgpack.decode(_asked("canonical_text", modules), type=str)


def defined_symbols(data: bytes, *, inline: bool) -> frozenset[str]:
    asked = "defined_with_inline" if inline else "defined_without_inline"
    return msgspec.msgpack.decode(_asked(asked, [data]), type=frozenset[str])


def undefined_variables(data: bytes) -> frozenset[str]:
    return msgspec.msgpack.decode(_asked("undefined_variables", [data]), type=frozenset[str])


def _asked(function: str, modules: Sequence[bytes]) -> bytes:
    with tempfile.TemporaryDirectory() as scratch:
        folder = Path(scratch)
        names = [f"module{number}" for number in range(len(modules))]
        for name, data in zip(names, modules, strict=True):
            (folder / name).write_bytes(data)
        path = module_path("llvmlite")
        command = [sys.executable, "-I", "-S", "-B", "-c", _START, function, ":".join(path), *names]
        done = run_tool(command, folder, {}, python_cell(path, folder))
        try:
            fine, answer = msgspec.msgpack.decode(left_behind(folder / _ANSWER), type=tuple[bool, bytes])
        except (OSError, msgspec.DecodeError):
            raise ProgramError(
                f"LLVM broke down over the program (status {done.returncode})", "Give the program as source."
            ) from None
    if fine:
        return answer
    cause, remedy = msgspec.msgpack.decode(answer, type=tuple[str, str])
    raise ProgramError(cause, remedy)


# --- in the jail


def main(function: str, names: Sequence[str]) -> None:
    """Read the modules in the present folder, and write the answer there."""
    modules = [Path(name).read_bytes() for name in names]
    try:
        match function:
            case "canonical_text":
                found: object = module_linker.canonical_text(modules)
            case "undefined_variables":
                found = module_linker.undefined_variables(modules[0])
            case _:
                found = module_linker.defined_symbols(modules[0], inline=function == "defined_with_inline")
        answer = (True, msgspec.msgpack.encode(found))
    except ProgramError as error:
        answer = (False, msgspec.msgpack.encode((error.cause, error.remedy)))
    Path(_ANSWER).write_bytes(msgspec.msgpack.encode(answer))
