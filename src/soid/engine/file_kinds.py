"""What a file is, in words, for the message that no engine reads it."""

from __future__ import annotations

from typing import Final

HEAD: Final = 1024  # bytes of a file that are enough to tell its kind

#: other than tabs, ends of lines and pages, and the beginning of a terminal's or an older encoding's sequence
_CONTROLS: Final = bytes({*range(0x20), 0x7F} - {*b"\t\n\v\f\r\x1b"})
_FEW: Final = 8

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
    ".onnx": "called a model in ONNX, but does not begin as one",
    ".txt": "text",
}


def kind_of(ending: str, head: bytes) -> str:
    """What a file is, by how it begins and by the ending of its name.

    >>> kind_of("", b"\\x7fELF\\x02"), kind_of(".rs", b"fn main"), kind_of(".odd", b"")
    ('machine code (an executable, a library or an object file)', 'a program in Rust', 'a file of the kind .odd')
    """
    by_ending = _ENDINGS.get(ending) or (f"a file of the kind {ending}" if ending else "a file without an ending")
    return _by_beginning(head) or by_ending


def why_no_text(data: bytes) -> str:
    """What a file is that cannot be a source text; empty if it can be one."""
    return "" if is_text(data) else _by_beginning(data) or "a file with bytes that no text has"


def _by_beginning(head: bytes) -> str:
    return next((words for beginning, words in _BEGINNINGS if head.startswith(beginning)), "")


def is_text(data: bytes) -> bool:
    r"""Whether a file, or its beginning, can be a source text.

    A text has no zero byte, and few other controls; what its letters are encoded in is not known.

    >>> is_text(b"/* caf\xe9 \x1b$B */\r\n\fint a;\n" * 3), is_text(b"int a;\0"), is_text(b"\x01\x02\x83" * 40)
    (True, False, False)
    """
    controls = len(data) - len(data.translate(None, _CONTROLS))
    return b"\0" not in data and controls <= max(_FEW, len(data) // 100)
