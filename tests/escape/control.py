"""The controls: the same tricks without soid around them, to show that they would leave their traces."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path

from soid.jail.launcher import packaged_zig
from tests.escape.project import flags_of, lay_out
from tests.escape.traces import Surroundings, now, was_signalled
from tests.escape.trick import Trace, Trick, Variant

_CALLER = "extern int decide(int); int main(void) { return decide(5); }\n"
_PATIENCE = 20.0  # seconds


_PATIENCE = 5.0  # seconds


def unconfined(trick: Trick, variant: Variant) -> frozenset[Trace]:
    """What the trick leaves if its program is compiled, and run, as any other."""
    with tempfile.TemporaryDirectory(prefix="soid-escape-", dir="/tmp") as base:
        bystander = subprocess.Popen(["sleep", "1000"])
        around = Surroundings(Path(base), os.geteuid(), bystander.pid)
        try:
            lay_out(trick, variant, around)
            if trick.prepare is not None:
                trick.prepare(around, b"")
            since = now()
            said, found = _without_soid(trick, variant, around)
            shutil.rmtree(around.project)
            traces = around.left(said, since) | found
            patience = time.monotonic() + _PATIENCE
            while (
                not traces >= set(trick.leaves) and time.monotonic() < patience
            ):  # its child may only be about to begin
                time.sleep(0.05)
                traces |= around.left(said, since)
            if was_signalled(bystander):
                traces.add(Trace.SIGNAL)
            return frozenset(traces)
        finally:
            bystander.kill()
            bystander.wait()
            around.close()


#: LLVM's reader in a process of its own, as soid calls it
_READER = """
import sys
from llvmlite import binding
data = open(sys.argv[1], "rb").read()
module = binding.parse_bitcode(data) if data[:2] == b"BC" else binding.parse_assembly(data.decode())
module.verify()
str(module)
"""
_SOLVER = "import sys, z3; print(z3.Z3_eval_smtlib2_string(z3.main_ctx().ref(), open(sys.argv[1]).read()))"


def _without_soid(trick: Trick, variant: Variant, around: Surroundings) -> tuple[bytes, set[Trace]]:
    """What is said, and what is left, where the same files are given to the tools alone."""
    name = {Variant.CPLUSPLUS: "p.cpp", Variant.TEXT: "p.ll", Variant.BITCODE: "p.bc"}.get(variant, "p.c")
    if trick.control in ("read", "solve"):
        text, file = (_READER, name) if trick.control == "read" else (_SOLVER, "formula.smt2")
        return _ran([sys.executable, "-c", text, file], around)
    traps = ("-fsanitize=undefined", "-fsanitize-trap=undefined") if variant is Variant.TRAPPING else ()
    level = ("-O0",) if variant is Variant.TWIN else ()
    flags = [*flags_of(trick, variant), *level, *(traps or ("-fno-sanitize=all",)), "-fno-stack-protector"]
    defines = [around.fill(f"-D{define}") for define in trick.defines]
    (around.project / "caller.c").write_text(_CALLER)
    runs = trick.control == "run"
    # without the compiler's own libraries, which a new machine compiles first, for half a minute
    linking = ("-Wl,--no-gc-sections", "-nostdlib", "-lm", "-lc")
    more = (name, "caller.o", *linking, "-o", "program") if runs else ("-c", name, "-o", "program")
    compiler = [str(packaged_zig()), "cc", "-target", "x86_64-linux-gnu", "-Wno-override-module"]
    said = b""
    found: set[Trace] = set()
    for words in ([*compiler, "-c", "caller.c"], [*compiler, *flags, *defines, *more]):
        out, left = _ran(words, around)
        said, found = said + out, found | left
    program = around.project / "program"
    if program.exists() and around.secret.encode() in program.read_bytes():
        found.add(Trace.SECRET)
    if runs and program.exists():
        out, left = _ran(["./program"], around)
        said, found = said + out, found | left
    return said, found


def _ran(words: Sequence[str], around: Surroundings) -> tuple[bytes, set[Trace]]:
    """A command's output, and whether it came to an end."""
    output = around.place / "said"
    with output.open("wb") as file:
        process = subprocess.Popen(
            words, cwd=around.project, stdin=subprocess.DEVNULL, stdout=file, stderr=subprocess.STDOUT
        )
        try:
            status = process.wait(_PATIENCE)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()
            return b"", {Trace.HANG}
    said = output.read_bytes()
    output.unlink()
    return said, {Trace.CRASH} if status < 0 else set()
