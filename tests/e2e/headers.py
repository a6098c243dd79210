"""Which headers a small program needs: reading all of them takes longer than most of what is asked about it.

    included("int f(int x) { return abs(x); }", ("stdio", "stdlib"))     "\\n#include <stdlib.h>\\n"

What is missing here is no silent gap: a name without its header is an error of the compiler.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final

#: what tells that a header is needed
_NAMES: Final = {
    "ctype": r"\b(is[a-z]+|to(upper|lower))\(",
    "errno": r"\berrno\b",
    "fenv": r"\bfe[a-z]+\(|\bFE_",
    "math": r"\b(l?l?r(ound|int)|sqrt|pow|exp|log|sin|cos|fma|fmod|hypot|signbit|is(nan|inf|finite)|f?abs|floor)[fl]?\("
    r"|\b(NAN|INFINITY|HUGE_VAL)\b",
    "pthread": r"\bpthread_",
    "setjmp": r"jmp",
    "stdatomic": r"atomic|_Atomic",
    "stddef": r"\b(NULL|size_t|ptrdiff_t|offsetof)\b",
    "stdint": r"int(ptr|\d+)_t\b|\bU?INT\w*_(MAX|MIN)\b",
    "stdio": r"print|puts|putchar|scanf|\bFILE\b",
    "stdlib": r"alloc|\bfree\b|\bl?l?abs\(|\b(abort|exit|atoi|atol|atof|rand|strto\w+|getenv|qsort)\(",
    "string": r"\b(mem|str)[a-z]+\(",
}


def included(source: str, headers: Sequence[str]) -> str:
    """A line for each header, empty where the source does not need it."""
    return "".join(f"#include <{name}.h>\n" if re.search(_NAMES[name], source) else "\n" for name in headers)
