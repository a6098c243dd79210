"""What a file is, in words, for the message that no engine reads it."""

from __future__ import annotations

from typing import Final

HEAD: Final = 1024  # bytes of a file that are enough to tell its kind

_BEGINNINGS: Final = (
    (b"\x7fELF", "machine code (an executable, a library or an object file)"),
    (b"MZ", "machine code (an executable or a library for Windows)"),
    (b"\xcf\xfa\xed\xfe", "machine code (an executable, a library or an object file)"),
    (b"!<arch>", "a library of object files"),
    (b"PK\x03\x04", "a zip archive"),
    (b"\x80", "a pickled Python object"),
    (b"#!", "a script"),
)
_ENDINGS: Final = {
    ".h": "a header and no source file",
    ".hh": "a header and no source file",
    ".hpp": "a header and no source file",
    ".o": "an object file",
    ".so": "a library",
    ".a": "a library of object files",
    ".py": "a program in Python",
    ".rs": "a program in Rust",
    ".java": "a program in Java",
    ".go": "a program in Go",
    ".js": "a program in JavaScript",
    ".s": "assembly",
    ".S": "assembly",
    ".pkl": "a pickled Python object",
    ".onnx": "a model in ONNX",
    ".txt": "text",
}


def kind_of(ending: str, head: bytes) -> str:
    """What a file is, by how it begins and by the ending of its name.

    >>> kind_of("", b"\\x7fELF\\x02"), kind_of(".rs", b"fn main"), kind_of(".odd", b"")
    ('machine code (an executable, a library or an object file)', 'a program in Rust', 'a file of the kind .odd')
    """
    by_head = next((words for beginning, words in _BEGINNINGS if head.startswith(beginning)), "")
    return by_head or _ENDINGS.get(ending) or (f"a file of the kind {ending}" if ending else "a file without an ending")


def is_text(head: bytes) -> bool:
    """Whether a file can be a source text: a text has no zero byte."""
    return b"\0" not in head
