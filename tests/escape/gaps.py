"""Tricks that succeed today, by reason: a line is removed when its gap is closed."""

from __future__ import annotations

from tests.escape.trick import Trick, Variant

_BUILDS = "plain trapping optimised twin c++"
_INCLUDED = "plain unlisted trapping optimised twin c++"
#: by reason, then by trick: the variants in which it succeeds
GAPS: dict[str, dict[str, str]] = {
    "the loader runs code before the filter is there, and only one build is looked at": {
        "loader: pragma section data .preinit_array": _BUILDS,
        "loader: pragma section relro .preinit_array": _BUILDS,
        "loader: section .preinit_array": "trapping twin",
        "loader: ifunc resolver": "trapping twin",
        "loader: target_clones with its own __cpu_indicator_init": "trapping twin",
        "loader: cpu_dispatch with its own __cpu_indicator_init": "trapping twin",
        "assembly: preinit_array by pushsection": "trapping twin",
    },
    "the linker opens the libraries that a program names, and its errors quote them": {
        "linker: pragma comment(lib) of a secret": f"{_INCLUDED} text",
        "linker: pragma comment(lib) of /etc/passwd": f"{_INCLUDED} text",
        "linker: _Pragma comment(lib)": _INCLUDED,
        "linker: llvm.dependent-libraries": "text",
    },
    "an #include is looked for by a pattern, which comments and strings mislead": {
        **{
            f"inclusion: include {how}": _INCLUDED
            for how in (
                *("after // /*", "after a string with /*", "after a character '/*'", "after a continued // comment"),
                *("from /etc/passwd", "by a way up", "by include_next", "by import", "after a form feed"),
                *("behind an #if 0 that never ends", "after a carriage return", "by /proc/self/root"),
                "in a file of its own",
            )
        },
        "inclusion: include after a trigraph's line end": "plain unlisted trapping optimised twin",
        "inclusion: include after a raw string": "c++",
        "inclusion: embed after // /*": _INCLUDED,
        "inclusion: embed with a limit": "plain unlisted trapping optimised twin",
    },
    "the preprocessor says whether a file exists": {
        "inclusion: __has_include": _INCLUDED,
        "inclusion: __has_include_next": _INCLUDED,
        "inclusion: __has_embed": _INCLUDED,
    },
    "the assembler reads what a program names, and only one build is looked at": {
        "assembly: incbin": "trapping twin",
        "assembly: include": _BUILDS,
        "assembly: include of /etc/passwd": "plain trapping optimised twin",
        "assembly: incbin inside of a function": "trapping twin",
        "assembly: include inside of a function": "trapping twin",
    },
    "what a stranger's file, or a replayed program, says of itself is shown as it is": {
        **{
            f"words: {what}": "plain"
            for what in (
                *("#error that turns its words", "file of a failure", "file of an error"),
                *("name of an undefined function", "name of a variable", "unknown key of the manifest"),
            )
        },
        "memory: control characters in an assertion": "trapping",
        "memory: forged status": "trapping",
    },
    "LLVM reads the program in soid's own process": {
        **{
            f"bombs: LLVM text: {what}": "text"
            for what in (
                *("deep types", "deep structs", "deep metadata", "deep constants", "deep pointers"),
                *("deep function types", "huge vector", "huge integer"),
            )
        },
        **{f"ready-made: bitcode with turned bits, {seed}": "bitcode" for seed in (15, 21, 22, 40, 43, 85)},
    },
    "nothing limits what loading and compiling take": {
        **{
            f"bombs: {what}": "plain"
            for what in (
                *("doubling macros", "include /dev/zero", "include /dev/random", "static array of 100 MB"),
                *("initialised array of 100 MB", "100,000 functions", "long chain of operators", "deep ifs"),
                *("else-if chain", "switch of 300,000 cases", "pragma clang __debug overflow_stack"),
            )
        },
        "bombs: templates that double": "c++",
        "bombs: constexpr loop": "c++",
        "case: entries that never end": "plain",
    },
}


def reason(trick: Trick, variant: Variant) -> str:
    """Why a trick succeeds in a variant; empty where it does not."""
    return next((why for why, known in GAPS.items() if variant.value in known.get(trick.id, "").split()), "")
