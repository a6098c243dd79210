"""All tricks."""

from __future__ import annotations

from tests.escape.corpus import (
    assembly,
    bombs,
    calls,
    formulas,
    inclusion,
    linker,
    loader,
    manifests,
    memory,
    ready_made,
    symbols,
    words,
)
from tests.escape.trick import Trick, Variant, Way

TRICKS = (
    *loader.TRICKS,
    *symbols.TRICKS,
    *linker.TRICKS,
    *inclusion.TRICKS,
    *assembly.TRICKS,
    *calls.TRICKS,
    *memory.TRICKS,
    *manifests.TRICKS,
    *ready_made.TRICKS,
    *formulas.TRICKS,
    *words.TRICKS,
    *bombs.TRICKS,
)
#: what `make test` runs: trick, variant, way in
QUICK = (
    ("loader: pragma section data .preinit_array", Variant.TRAPPING, Way.VERIFY),
    ("loader: pragma section relro .preinit_array", Variant.PLAIN, Way.UPLOAD),
    ("loader: pragma section data .preinit_array", Variant.TWIN, Way.ASK),
    ("loader: section .preinit_array", Variant.TRAPPING, Way.VERIFY),
    ("loader: ifunc resolver", Variant.TRAPPING, Way.UPLOAD),
    ("loader: target_clones with its own __cpu_indicator_init", Variant.TRAPPING, Way.VERIFY),
    ("symbols: defines __libc_start_main", Variant.TRAPPING, Way.ASK),
    ("linker: pragma comment(lib) of a secret", Variant.PLAIN, Way.VERIFY),
    ("linker: llvm.dependent-libraries", Variant.TEXT, Way.VERIFY),
    ("inclusion: include after // /*", Variant.PLAIN, Way.UPLOAD),
    ("inclusion: include after a string with /*", Variant.UNLISTED, Way.VERIFY),
    ("inclusion: embed after // /*", Variant.UNLISTED, Way.VERIFY),
    ("inclusion: __has_include", Variant.PLAIN, Way.UPLOAD),
    ("assembly: include of /etc/passwd", Variant.PLAIN, Way.VERIFY),
    ("assembly: incbin", Variant.TRAPPING, Way.UPLOAD),
    ("assembly: preinit_array by pushsection", Variant.TRAPPING, Way.ASK),
    ("calls: fork and execve", Variant.TRAPPING, Way.ASK),
    ("memory: machine code in mapped memory", Variant.TRAPPING, Way.ASK),
    ("memory: control characters in an assertion", Variant.TRAPPING, Way.ASK),
    ("manifest: database with -include @SECRET@", Variant.PLAIN, Way.VERIFY),
    ("ready-made: prologue data", Variant.TEXT, Way.ASK),
    ("ready-made: bitcode with turned bits, 15", Variant.BITCODE, Way.ASK),
    ("bombs: LLVM text: deep types", Variant.TEXT, Way.VERIFY),
    ("formulas: regular-output-channel", Variant.PLAIN, Way.VERIFY),
)
#: what `make test` runs without confinement: at least one for each kind of trace that a test can afford
QUICK_CONTROLS = (
    ("loader: constructor", Variant.PLAIN),  # file, connections, signal, process
    ("inclusion: include after // /*", Variant.PLAIN),  # a secret, by the compiler
    ("linker: pragma comment(lib) of a secret", Variant.PLAIN),  # a secret, by the linker
    ("inclusion: __has_include", Variant.PLAIN),  # a word
    ("memory: control characters in an assertion", Variant.PLAIN),  # control characters
    ("ready-made: bitcode with turned bits, 15", Variant.BITCODE),  # a crash
    ("formulas: regular-output-channel", Variant.PLAIN),  # a file, by a solver
)


def trick_named(name: str) -> Trick:
    return next(trick for trick in TRICKS if trick.id == name)
