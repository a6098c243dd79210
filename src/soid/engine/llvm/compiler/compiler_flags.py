"""Which of the user's compiler flags are passed on, and which are refused, by name and with a remedy.

A flag is never ignored: it reaches the compiler, so the analysed code and the replayed code both obey it, or the
build stops here. Refused are the flags that would change what floating-point code computes, instrument, or take over
what soid itself has to decide.

>>> check_flags(("-std=c99", "-fwrapv", "-Wall", "-ffp-contract=off"))
>>> check_flags(("-ffast-math",))
Traceback (most recent call last):
soid.errors.CompileError: the flag -ffast-math is refused: it lets the compiler change floating-point results
analyse the program without it; the replay is then compiled without it too
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final

from soid.errors import CompileError

_WITHOUT: Final = "analyse the program without it; the replay is then compiled without it too"
_OWN: Final = "leave it out: soid chooses it"
_FAST: Final = (
    r"-ffast-math|-ffp-contract=(?!off$).*|-ffp-model=.*|-Ofast|-funsafe-math-optimizations"
    r"|-fassociative-math|-freciprocal-math|-fno-signed-zeros|-ffinite-math-only|-fno-honor-nans"
    r"|-fno-honor-infinities|-fapprox-func|-fcx-(limited-range|fortran-rules)|-fcomplex-arithmetic=.*"
)
_OUTPUT: Final = (
    r"-o.*|-c|-S|-E|-M\w*|-emit-llvm|-shared|-static|-f(?:no-)?lto.*|-x.*|-###|-v|--version|-fsyntax-only"
    r"|-save-temps.*|-ftime-.*|--analyze"
)
_ENVIRONMENT: Final = (
    r"-frounding-math|-ftrapping-math|-ffp-exception-behavior=(?!ignore$).*|-fdenormal-fp-math.*"
    r"|-mdaz-ftz|-ffp-eval-method=(?!source$).*|-fexcess-precision=.*|-mfpmath=(?!sse$).*|-mno-sse.*|-mlong-double-\d+"
)


#: families of flags that are refused: pattern, why, remedy
_REFUSALS: Final = (
    (_FAST, "it lets the compiler change floating-point results", _WITHOUT),
    (_ENVIRONMENT, "it changes how floating-point numbers are rounded or kept", _WITHOUT),
    (r"-O(?![0123sgz]?\Z).*", "soid knows no such level of optimisation", "use -O0 to -O3, -Os, -Oz or -Og"),
    (
        r"-fsanitize.*|-fno-sanitize.*|-fprofile.*|-fcoverage.*|--coverage|-pg|-finstrument.*|-ftrapv.*",
        "it instruments the code that is analysed",
        _OWN,
    ),
    (
        r"-m(?:arch|cpu|tune)=native",
        "the code would depend on the machine it is compiled on",
        "name the processor, or leave it out for the target's baseline",
    ),
    (r"-target|--target(?:=.*)?|-m(?:32|64|x32)", "the target is a setting of its own", "set `target` in soid.toml"),
    (_OUTPUT, "it changes what the compiler puts out", _OWN),
    (
        r"-Xclang|-Xpreprocessor|-Xassembler|-mllvm|-cc1|-W[pal],.*|-Xlinker|-fplugin.*|-fpass-plugin.*|@.*",
        "soid cannot tell what it does",
        "use the plain form of the flag",
    ),
    (
        r"-l(?!m$).*|-L.*",
        "code in libraries is not analysed",
        "leave it out, and map what it defines to logged inputs, or add its source",
    ),
    (r"-fopenmp.*|-pthread|-fcoroutines.*", "programs with threads are not analysed", _WITHOUT),
)


def level_of(flags: Sequence[str]) -> str:
    """The level of optimisation; where several are named, the last one counts.

    >>> level_of(("-Wall",)), level_of(("-O2", "-O1")), level_of(("-O",))
    ('-O0', '-O1', '-O1')
    """
    named = [flag for flag in flags if re.fullmatch(r"-O[0123sgz]?", flag)]
    return {"-O": "-O1"}.get(named[-1], named[-1]) if named else "-O0"


def check_flags(flags: Sequence[str]) -> None:
    """Raise `CompileError` for the first flag that is refused."""
    for flag in flags:
        if not flag.startswith(("-", "@")):
            continue  # the value of the flag before it, as in `-include config.h`
        for pattern, why, remedy in _REFUSALS:
            if re.match(rf"(?:{pattern})\Z", flag):
                raise CompileError(f"the flag {flag} is refused: {why}", remedy)
