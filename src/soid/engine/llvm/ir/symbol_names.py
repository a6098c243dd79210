"""Symbol names: C++ names demangled, and files of the standard library recognised.

>>> demangled("_ZN3car6decideERKNS_5WorldEi"), demangled("_ZTISt13runtime_error"), demangled("decide")
('car::decide(car::World const&, int)', 'typeinfo for std::runtime_error', 'decide')
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Final

_VERSIONED: Final = re.compile(r"std::__\d+::|\[abi:\w+\]")


def in_library(file: str) -> bool:
    """Whether a file is a header of the C++ standard library, which does not count as part of a program.

    >>> in_library("/opt/zig/lib/libcxx/include/vector"), in_library("include/vector.h")
    (True, False)
    """
    return "/libcxx/include/" in file or "/include/c++/" in file


@lru_cache(maxsize=4096)
def demangled(name: str) -> str:
    """A C++ name as in the source; any other name, and one that cannot be demangled, stays as it is."""
    if not name.startswith("_Z"):
        return name
    # imported here: programs in C have no such names
    from itanium_demangler import parse

    try:
        found = parse(name)
    except (NotImplementedError, ValueError, IndexError, KeyError, AttributeError, RecursionError):
        found = None
    if found is None:
        return name
    return _VERSIONED.sub(lambda part: "std::" if part[0].startswith("std") else "", str(found))
