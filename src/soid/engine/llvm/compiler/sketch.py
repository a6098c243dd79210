"""Arduino sketches: C++ that becomes a source file as Arduino's own builder makes it.

    void loop() { pump(true); }           #include <Arduino.h>
    void pump(bool on) { ... }            #line 1 "garden.ino"
                                          void loop();
                                          void pump(bool on);
                                          #line 1 "garden.ino"
                                          void loop() { pump(true); } ...

The header of the board comes first, and every function is declared before the first one is defined.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Final

from soid.errors import CompileError

SKETCH: Final = ".ino"
HEADER: Final = "Arduino.h"
#: comments, texts, characters and preprocessor lines, which may contain brackets
_NO_CODE: Final = re.compile(
    r"//[^\n]*|/\*.*?\*/|\"(?:\\.|[^\"\\\n])*\"|'(?:\\.|[^'\\\n])*'|^[ \t]*#(?:[^\n\\]|\\.)*", re.DOTALL | re.MULTILINE
)
#: the head of a function that is defined at the top of a file, without default arguments
_HEAD: Final = re.compile(r"[A-Za-z_][\w\s*&<>,:]*[\s*&]([A-Za-z_]\w*)\s*\([^={};]*\)", re.ASCII)
_NO_FUNCTION: Final = re.compile(
    r"(?:struct|class|union|enum|namespace|template|typedef|extern|using)\b[^(]*$|template\b"
)


def parts_of_sketch(source: Path, sources: Iterable[Path], folder: Path) -> tuple[Path, ...]:
    """The files that are compiled as one with a sketch: those of its folder, the one that is called like it first.

    `sources` are all of the program's, relative to `folder`. Of the parts of a sketch only the first is compiled; for
    the others there is nothing left.
    """
    name = (folder / source).resolve().parent.name
    found = [each for each in sources if each.suffix == SKETCH and each.parent == source.parent]
    parts = tuple(sorted(found, key=lambda each: (each.stem != name, each.name)))
    return parts if parts[0] == source else ()


def as_source(parts: Sequence[tuple[str, str]]) -> str:
    """The C++ source of a sketch; each part has its name, for messages and debug info, and its text."""
    whole = "".join(f'#line 1 "{name}"\n{text}\n' for name, text in parts)
    heads = list(_heads(_NO_CODE.sub(_blank, whole)))
    if not heads:
        return f"#include <{HEADER}>\n{whole}"
    at = whole.rfind("\n", 0, heads[0][0]) + 1
    declared = "".join(f"{' '.join(head.split())};\n" for _, head in heads)
    part = whole[whole.rfind("#line 1 ", 0, at) : at].splitlines()
    name = part[0].removeprefix("#line 1 ")
    return f"#include <{HEADER}>\n{whole[:at]}{declared}#line {len(part)} {name}\n{whole[at:]}"


def refuse_without_header(sketch: Path, folders: Iterable[Path]) -> None:
    """Refuse a sketch if none of the folders has the header of a board."""
    if not any((folder / HEADER).is_file() for folder in folders):
        raise CompileError(
            f"{sketch} is an Arduino sketch, which includes {HEADER}, and no folder for #include has it",
            'Name the folder of the board\'s core: [program] include = ["cores/arduino"]; or write an Arduino.h that '
            "declares what the sketch uses.",
        )


def _blank(found: re.Match[str]) -> str:
    """Blanks of the same length, so that places in the text stay the same."""
    return re.sub(r"[^\n]", " ", found[0])


def _heads(code: str) -> Iterator[tuple[int, str]]:
    """Each function that is defined outside of all brackets: where its head begins, and its head."""
    depth = start = 0
    for sign in re.finditer(r"[{};]", code):
        if sign[0] == "{":
            head = code[start : sign.start()]
            if depth == 0 and _HEAD.fullmatch(head.strip()) and not _NO_FUNCTION.match(head.strip()):
                yield start + len(head) - len(head.lstrip()), head.strip()
            depth += 1
        elif sign[0] == "}":
            depth -= 1
        if depth == 0:
            start = sign.end()
