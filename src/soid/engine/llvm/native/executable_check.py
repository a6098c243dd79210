"""Looks at an executable before it is run: nothing in it may run, or direct a loader, before the harness does.

The harness confines the process further and then starts the program. Each variant of a program is looked at as it was
linked, so it does not matter by which trick something came to be in it.
"""

from __future__ import annotations

from collections.abc import Iterator
from io import BytesIO
from typing import Any, Final

# (elftools is imported where it is used: most executables come from the cache)

START: Final = "soid_start"
#: by processor: the loader of the C library on Linux
_LOADERS: Final = {"EM_X86_64": "/lib64/ld-linux-x86-64.so.2", "EM_AARCH64": "/lib/ld-linux-aarch64.so.1"}
_LIBRARIES: Final = frozenset(  # glibc's own
    {"libc.so.6", "libm.so.6", "libpthread.so.0", "libdl.so.2", "librt.so.1", "libutil.so.1"}
    | {loader.rpartition("/")[2] for loader in _LOADERS.values()}
)
#: entries by which an executable tells its loader to run code, or to bring other files
_DIRECTIONS: Final = {
    "DT_PREINIT_ARRAY": "functions that the loader runs",
    "DT_INIT": "a function that the loader runs",
    "DT_RPATH": "a place for libraries",
    "DT_RUNPATH": "a place for libraries",
    "DT_AUDIT": "a library that watches the loader",
    "DT_DEPAUDIT": "a library that watches the loader",
    "DT_FILTER": "another library",
    "DT_AUXILIARY": "another library",
    "DT_CONFIG": "a configuration of the loader",
    "DT_TEXTREL": "code that the loader changes",
}
_RESOLVED_BY_CODE: Final = frozenset({37, 1032})  # R_X86_64_IRELATIVE, R_AARCH64_IRELATIVE
_WRITE: Final = 2
_RUN: Final = 1


def surprise(content: bytes) -> str:
    """What speaks against running an executable; empty if nothing does."""
    from elftools.common.exceptions import ELFError
    from elftools.elf.elffile import ELFFile

    try:
        return next(_surprises(ELFFile(BytesIO(content))), "")
    except (ELFError, ValueError, KeyError, IndexError, UnicodeDecodeError, RecursionError) as error:
        return f"it cannot be read ({error})"


def _surprises(elf: Any) -> Iterator[str]:
    yield from _entry(elf)
    loader = None
    for segment in elf.iter_segments():
        kind = segment["p_type"]
        if segment["p_flags"] & _WRITE and segment["p_flags"] & _RUN:
            yield f"memory can be written and run ({kind})"
        if kind == "PT_INTERP":
            loader = segment.get_interp_name()
    for segment in elf.iter_segments("PT_DYNAMIC"):
        yield from _directions(segment, loader)
    if loader is not None and loader != _LOADERS.get(elf["e_machine"]):
        yield f"it asks for the loader {loader!r:.80}"
    if loader is None and any(segment["p_type"] == "PT_TLS" for segment in elf.iter_segments()):
        yield "variables of its threads need a loader"
    yield from _relocations(elf)


def _entry(elf: Any) -> Iterator[str]:
    """It begins in the harness."""
    table = elf.get_section_by_name(".symtab")
    found = table.get_symbol_by_name(START) if table is not None else None
    if not found or len(found) != 1 or found[0]["st_value"] != elf["e_entry"]:
        yield "it does not begin in the harness"


def _directions(dynamic: Any, loader: str | None) -> Iterator[str]:
    for tag in dynamic.iter_tags():
        name = tag.entry.d_tag
        if name in _DIRECTIONS:
            yield f"it has {_DIRECTIONS[name]}"
        if name == "DT_NEEDED" and tag.needed not in _LIBRARIES:
            yield f"it asks for the library {tag.needed!r:.80}"
        if name == "DT_NEEDED" and loader is None:
            yield "it asks for a library, and for no loader"


def _relocations(elf: Any) -> Iterator[str]:
    from elftools.elf.relocation import RelocationSection

    for section in elf.iter_sections():
        if isinstance(section, RelocationSection):
            for relocation in section.iter_relocations():
                if relocation["r_info_type"] in _RESOLVED_BY_CODE:
                    yield "addresses in it are found by running its code"
