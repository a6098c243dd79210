"""A table of a TOML file, read key by key. Every mistake is a ManifestError with file, line, table and key.

`tomllib` gives lines only for syntax errors, so this module searches the text for the line of a key. If it does not
find the key, the message has no line, but still names table and key.

>>> table = TomlTable(TomlOrigin("soid.toml", "[trace]\\nkeyframe = 'x'"), ("trace",), {"keyframe": "x"})
>>> table.integer("keyframe")
Traceback (most recent call last):
    ...
soid.errors.ManifestError: soid.toml:2: [trace] keyframe: expected a whole number, found the text "x"
"""

from __future__ import annotations

import math
import re
import tomllib
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any, Final, NoReturn, final

from msgspec import Struct

from soid.errors import ManifestError, did_you_mean
from soid.visible_text import visible, visible_line

MOST_WORDS: Final = 200  # characters of a label, and of whatever else sentences are made of


@final
class Decimal(str):
    """A number with a point or an exponent, kept as text until its type is known, which decides how to round it."""

    __slots__ = ()


@final
class TomlOrigin(Struct, frozen=True):
    """The file that a table comes from."""

    file: str  # its name in messages
    text: str

    def line(self, table: tuple[str, ...], key: str) -> int | None:
        """The line of a key of a table; if the key is not there, the line where the table or its entry begins."""
        *outer, last = table or ("",)
        best = None
        current: tuple[str, ...] = ()
        listed: dict[tuple[str, ...], int] = {}  # number of tables so far, by the name of their list
        for count, line in enumerate(self.text.splitlines(), start=1):
            header, item = _HEADER.match(line), _ITEM.match(line)
            if item:
                parts = _parts(item[1])
                current = (*parts[:-1], f"{parts[-1]}[{listed.setdefault(parts, 0)}]") if parts else ()
                listed[parts] += 1
                if current == table:
                    best = count
            elif header:
                current = _parts(header[1])
                if current == (*table, key):
                    return count
                if current == table:
                    best = count
            elif current == table and _parts(line)[:1] == (key,):
                return count
            elif current == tuple(outer) and _parts(line)[:1] == (last,):
                best = count
        return best


_HEADER: Final = re.compile(r"\s*\[([^\[\]]*(?:\"[^\"]*\"|'[^']*')?[^\[\]]*)\]\s*(?:#.*)?$")
_ITEM: Final = re.compile(r"\s*\[\[([^\[\]]*)\]\]\s*(?:#.*)?$")
_PART: Final = re.compile(r"""\s*(?:"([^"]*)"|'([^']*)'|([A-Za-z0-9_-]+))\s*(\.?)""")


def _parts(text: str) -> tuple[str, ...]:
    """The parts of a dotted TOML key at the start of a text: `a."b.c" = 1` has a and b.c."""
    parts, position = [], 0
    while found := _PART.match(text, position):
        parts.append(next(part for part in found.groups()[:3] if part is not None))
        position = found.end()
        if not found[4]:
            break
    return tuple(parts)


def open_toml(path: Path) -> TomlTable:
    """The outermost table of a file."""
    try:
        text = path.read_bytes().decode("utf-8-sig")
    except FileNotFoundError:
        raise ManifestError(f"{path}: there is no such file", "Name a soid.toml, or the folder it is in.") from None
    except UnicodeDecodeError as error:
        raise ManifestError(f"{path}: byte {error.start} is not UTF-8", "Save the file as UTF-8.") from None
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or error
        raise ManifestError(f"{path}: cannot be read: {reason}", "Name a soid.toml that can be read.") from None
    return toml_of(path, text)


def toml_of(path: Path, text: str) -> TomlTable:
    """The outermost table of a text; `path` is what messages call it."""
    try:
        data = tomllib.loads(text, parse_float=lambda number: Decimal(number.replace("_", "")))
    except RecursionError:
        raise ManifestError(f"{path}: its lists or tables are nested too deeply", "Flatten them.") from None
    except ValueError as error:  # TOMLDecodeError, and int() on numbers of thousands of digits
        raise ManifestError(_syntax(path, str(error)), "Correct the TOML; https://toml.io shows its form.") from None
    return TomlTable(TomlOrigin(str(path), text), (), data)


def _syntax(path: Path, message: str) -> str:
    found = re.fullmatch(r"(.*) \(at line (\d+), column (\d+)\)", message, re.DOTALL)
    if found:
        return f"{path}:{found[2]}: column {found[3]}: not TOML: {found[1]}"
    return f"{path}: not TOML: {message}"


@final
class TomlTable:
    """One table. It records which keys are read; `close` refuses all other keys."""

    __slots__ = ("_asked", "_data", "_name", "_origin")

    def __init__(self, origin: TomlOrigin, name: tuple[str, ...], data: Mapping[str, Any]) -> None:
        self._origin = origin
        self._name = name
        self._data = data
        self._asked: dict[str, None] = {}

    def __repr__(self) -> str:
        """Its content: what a program is told apart by, and kept under, has it in it."""
        return f"TomlTable({'.'.join(self._name)}: {self._data!r})"

    def fail(self, key: str, problem: str, remedy: str = "") -> NoReturn:
        """Raise the error for a mistake at a key; without a key, for a mistake in the whole table."""
        line = self._origin.line(self._name, key)
        place = f"{self._origin.file}:{line}" if line else self._origin.file
        name = f"[{self._name[0]}] {'.'.join(self._name[1:])}".strip() if self._name else ""
        where = " ".join(part for part in (name, key) if part)
        raise ManifestError(f"{place}: {where}: {problem}" if where else f"{place}: {problem}", remedy)

    def __iter__(self) -> Iterator[str]:
        return iter(self._data)

    def get(self, key: str) -> Any:
        """The value as tomllib reads it, or None."""
        self._asked[key] = None
        return self._data.get(key)

    def has_table(self, key: str) -> bool:
        """Whether the value is a table. This does not count as reading the key."""
        return isinstance(self._data.get(key), dict)

    def _get_if(self, fits: Callable[[Any], bool], key: str, expected: str) -> Any:
        value = self.get(key)
        if value is not None and not fits(value):
            self.fail(key, f"expected {expected}, found {found(value)}")
        return value

    def text(self, key: str) -> str | None:
        value: str | None = self._get_if(is_text, key, "text in quotes")
        if value is not None and not value.strip():
            self.fail(key, "the text is empty", f"Write something between the quotes, or leave {key} out.")
        return value

    def required(self, key: str, example: str) -> str:
        return self._there(self.text(key), key, example)

    def words(self, key: str) -> str | None:
        """A text that sentences and pictures are made of; with a line of its own it could pass for an answer."""
        value = self.text(key)
        if value is not None and (visible_line(value) != visible(value) or len(value) > MOST_WORDS):
            self.fail(key, "it is no short text of one line", f"Write one line with {MOST_WORDS} characters or fewer.")
        return value

    def required_words(self, key: str, example: str) -> str:
        return self._there(self.words(key), key, example)

    def _there(self, value: str | None, key: str, example: str) -> str:
        if value is None:
            self.fail("", f"{key} is missing", f"Add it, such as: {key} = {example}")
        return value

    def integer(self, key: str) -> int | None:
        value: int | None = self._get_if(is_whole, key, "a whole number")
        return value

    def number(self, key: str) -> float | None:
        value = self.get(key)
        return None if value is None else self._finite(key, value)

    def numbers(self, key: str, count: int) -> tuple[float, ...] | None:
        value = self.get(key)
        if value is None:
            return None
        if not isinstance(value, list) or len(value) != count:
            self.fail(key, f"expected a list of {count} numbers, found {found(value)}")
        return tuple(self._finite(key, item) for item in value)

    def _finite(self, key: str, value: Any) -> float:
        if isinstance(value, bool) or not isinstance(value, int | Decimal):
            self.fail(key, f"expected a number, found {found(value)}")
        try:
            number = float(value)
        except OverflowError:
            number = math.inf
        if not math.isfinite(number):
            self.fail(key, f"expected a finite number, found {value}")
        return number

    def flag(self, key: str) -> bool | None:
        value: bool | None = self._get_if(lambda value: isinstance(value, bool), key, "true or false")
        return value

    def texts(self, key: str) -> tuple[str, ...]:
        """A list of texts; empty if the key is absent."""
        value = self.get(key)
        if value is None:
            return ()
        if not isinstance(value, list):
            self.fail(key, f"expected a list of texts, found {found(value)}", f"Write {key} = [ ... ].")
        for item in value:
            if not is_text(item) or not item.strip():
                self.fail(key, f"expected a list of texts, found {found(item)} in it")
        return tuple(value)

    def table(self, key: str) -> TomlTable | None:
        value = self._get_if(lambda value: isinstance(value, dict), key, "a table")
        return None if value is None else self.inner(key, value)

    def tables(self, key: str) -> tuple[TomlTable, ...]:
        """A list of tables, as `[[name.key]]` writes them; empty if the key is absent."""
        value = self.get(key)
        if value is None:
            return ()
        if not isinstance(value, list) or not all(isinstance(item, dict) for item in value):
            name = ".".join((*self._name, key))
            self.fail(key, f"expected a list of tables, found {found(value)}", f"Write [[{name}]] above each.")
        return tuple(self.inner(f"{key}[{number}]", item) for number, item in enumerate(value))

    def inner(self, key: str, data: Mapping[str, Any]) -> TomlTable:
        return TomlTable(self._origin, (*self._name, key), data)

    def holding(self, data: Mapping[str, Any]) -> TomlTable:
        """The same table with other entries, such as some of its own."""
        return TomlTable(self._origin, self._name, data)

    def close(self) -> None:
        """Refuse the keys that were not read."""
        for key in self._data:
            if key not in self._asked:
                remedy = did_you_mean(key, self._asked, f"Known here: {', '.join(self._asked)}.")
                self.fail(key, "there is no such key", remedy)


def is_text(value: Any) -> bool:
    return isinstance(value, str) and not isinstance(value, Decimal)


def is_whole(value: Any) -> bool:
    return isinstance(value, int) and not isinstance(value, bool)


def found(value: Any) -> str:
    """A value of the file, in words."""
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, Decimal | int):
        return f"the number {value}"
    if isinstance(value, str):
        return f'the text "{value}"' if value else "empty text"
    if isinstance(value, list):
        return f"a list of {len(value)}"
    return "a table" if isinstance(value, dict) else f"the date or time {value}"
