"""A log of text, JSON lines or a table. A large one is indexed by byte offsets and read in pieces.

The index counts the records of each piece and converts none of them. In a table a line may end inside of quotes: a
piece with quotes ends where their number is even, and is counted row by row: it is refused if it ends within a row.
"""

from __future__ import annotations

import codecs
import io
import os
import re
import stat
from collections.abc import Iterator, Sequence
from functools import cached_property
from io import BufferedReader
from pathlib import Path
from typing import Final, NoReturn, final

from msgspec import Struct

from soid.allowance import LOOKS, MORE_TIME, look
from soid.errors import TraceError
from soid.scenario.log_formats import (
    BLANKS,
    LogRecord,
    TableHeader,
    fail,
    flat_objects,
    json_records,
    plain_columns,
    row_count,
    table_header,
    table_records,
)
from soid.scenario.logs.cell_columns import CellColumns, of_objects, of_texts

#: characters of one line of a log
MAX_LINE: Final = 1 << 26
#: bytes from which on a log is large
LARGE: Final = 1 << 24
#: lines from which on it is large too: a line that is read takes more memory than one that is written
MANY: Final = 1 << 17
#: bytes of a piece
PIECE: Final = 1 << 18

_BLANK_START: Final = re.compile(f"\n[{BLANKS}]".encode())  # of a line that may have nothing but blanks in it


@final
class _TextPiece(Struct, frozen=True):
    start: int  # byte
    end: int
    line: int  # the number of its first line
    count: int  # of records


@final
class TextLog:
    """A file of JSON lines, or a table."""

    def __init__(self, path: Path, ignore: frozenset[str], *, table: bool, large: int | None = None) -> None:
        self.name = str(path)
        self._path, self._ignore, self._table = path, ignore, table
        with opened(path) as file:
            self._state = file_state(file)
            self.is_large = self._state[0] > (LARGE if large is None else large) or _has_many(file, self._state[0])

    @property
    def sizes(self) -> Sequence[int]:
        return [piece.count for piece in self._index]

    def records(self, piece: int) -> Iterator[LogRecord]:
        if not self.is_large:
            lines = _lines(self._path, "" if self._table else "\n")
            return table_records(self.name, lines) if self._table else json_records(self.name, lines, self._ignore)
        known = self._index[piece]
        with opened(self._path, self._state) as file:
            text = self._text(file, known)
        if not self._table:
            return json_records(self.name, text, self._ignore, known.line)
        if piece == 0:
            return table_records(self.name, text)
        return table_records(self.name, text, self._header, known.line)

    def cells(self, piece: int) -> CellColumns | None:
        known = self._index[piece]
        if piece == 0:  # it has the header
            return None
        with opened(self._path, self._state) as file:
            text = self._decoded(file, known)
        if self._table:
            columns = plain_columns(text, self._header)
            return None if columns is None else of_texts(columns)
        objects = flat_objects(io.StringIO(text, "\n"), self._ignore)
        return None if objects is None else of_objects(objects, self._ignore)

    def _text(self, file: BufferedReader, piece: _TextPiece) -> Iterator[str]:
        return iter(io.StringIO(self._decoded(file, piece), "" if self._table else "\n"))

    def _decoded(self, file: BufferedReader, piece: _TextPiece) -> str:
        file.seek(piece.start)
        data = file.read(piece.end - piece.start)
        try:
            return data.decode("utf-8" if piece.start else "utf-8-sig")
        except UnicodeDecodeError:
            _refuse_encoding(self._path)

    @cached_property
    def _header(self) -> TableHeader:
        with opened(self._path) as file:
            return table_header(self.name, self._text(file, self._index[0]))[0]

    @cached_property
    def _index(self) -> list[_TextPiece]:
        found: list[_TextPiece] = []
        delimiter = ""
        with opened(self._path) as file:
            line = 1
            while data := file.read(PIECE):
                _look(file.tell(), self._state[0])
                data += self._rest(file, data, line)
                plain = data if found else data.removeprefix(codecs.BOM_UTF8)
                heading = self._table and not found
                if heading:
                    header = table_header(self.name, _text(plain))[0]
                    while not header.names and (more := file.read(len(data))):  # what is empty is looked through twice
                        more += self._rest(file, more, line)
                        data, plain = data + more, plain + more
                        header = table_header(self.name, _text(plain))[0]
                    delimiter, heading = header.delimiter, bool(header.names)
                count = self._counted(plain, line, delimiter) - heading
                found.append(_TextPiece(file.tell() - len(data), file.tell(), line, count))
                line += data.count(b"\n") + (_lone_returns(data) if self._table else 0)
        return found

    def _rest(self, file: BufferedReader, data: bytes, line: int) -> bytes:
        """What is left of the last record of a piece."""
        rest = b"" if data.endswith(b"\n") else file.readline(MAX_LINE)
        odd = self._table and (data.count(b'"') + rest.count(b'"')) % 2 == 1
        while len(rest) < MAX_LINE and odd and (more := file.readline(MAX_LINE)):
            rest += more
            odd ^= more.count(b'"') % 2 == 1
        if len(rest) >= MAX_LINE:
            problem = f"a line after this one has {MAX_LINE:,} characters or more"
            fail(self.name, line, problem, "Give each step a line of its own.")
        return rest

    def _counted(self, data: bytes, line: int, delimiter: str) -> int:
        """The number of records of a piece, and of a header if it has one."""
        if not self._table or (b'"' not in data and not _lone_returns(data)):
            if data[:1].strip(BLANKS.encode()) and not _BLANK_START.search(data):  # no line is blank
                return data.count(b"\n") + (not data.endswith(b"\n"))
            blanks = BLANKS.replace(delimiter, "").encode() if self._table else BLANKS.encode()
            return sum(1 for line in data.split(b"\n") if line.strip(blanks))
        return row_count(self.name, _text(data), delimiter, line)


def _has_many(file: BufferedReader, size: int) -> bool:
    """Whether a file that is not large by its size has many lines."""
    feeds = returns = 0  # a line may end in both
    while size > MANY and max(feeds, returns) <= MANY and (data := file.read(PIECE)):
        feeds, returns = feeds + data.count(b"\n"), returns + data.count(b"\r")
    return max(feeds, returns) > MANY


#: how packed files begin
_ZIP: Final = b"PK\x03\x04"
_GZIP: Final = b"\x1f\x8b"


def _lone_returns(data: bytes) -> int:
    """How many lines of a table end as on old machines."""
    return data.count(b"\r") - data.count(b"\r\n")


def _text(data: bytes) -> Iterator[str]:
    """The lines of a part of a table, as far as they are needed to count them."""
    return iter(io.StringIO(data.decode("utf-8", "replace"), ""))


def file_state(file: BufferedReader) -> tuple[int, int]:
    """What is another one if the file was changed."""
    found = os.fstat(file.fileno())
    return found.st_size, found.st_mtime_ns


def _lines(path: Path, newline: str) -> Iterator[str]:
    """The file's lines with their ends, without a byte order mark; a long log is read bit by bit.

    `newline` says what ends a line, as for `open`.
    """
    with opened(path) as file, io.TextIOWrapper(file, encoding="utf-8-sig", newline=newline) as text:
        _refuse_packed(path, file.peek(len(_ZIP)))
        size = os.fstat(file.fileno()).st_size
        count = 0
        try:
            while line := text.readline(MAX_LINE):
                if count % LOOKS == 0:
                    _look(file.tell(), size)
                count += 1
                if len(line) == MAX_LINE:
                    problem = f"the line has {MAX_LINE:,} characters or more"
                    fail(str(path), count, problem, "Give each step a line of its own.")
                yield line
        except UnicodeDecodeError:
            _refuse_encoding(path)


def _refuse_packed(path: Path, begins: bytes) -> None:
    """Refuse an archive that is called like a log: it would be read as a table with strange lines."""
    packed = {_ZIP: "a ZIP archive", _GZIP: "compressed by gzip"}
    for magic, what in packed.items():
        if begins.startswith(magic):
            raise TraceError(f"{path}: this is {what}, and no log", "Unpack it, and name the log that is in it.")


def opened(path: Path, state: tuple[int, int] | None = None) -> BufferedReader:
    """The file, opened for reading; only a plain file has an end. `state` is what it was before."""
    try:
        if not stat.S_ISREG(path.stat().st_mode) and not path.is_dir():
            raise TraceError(f"{path}: this is no plain file", "Write the log into a file, and name that.")
        file = path.open("rb")
    except FileNotFoundError:
        raise TraceError(f"{path}: there is no such log", "Name the log's file.") from None
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or error
        raise TraceError(f"{path}: cannot be read: {reason}", "Name a log that can be read.") from None
    if state is not None and file_state(file) != state:
        file.close()
        raise TraceError(f"{path}: it changed while it was read", "Open it again when it is complete.")
    return file


def _look(read: int, size: int) -> None:
    share = f"{100 * read / size:.1f} % of it was read. " if size else ""
    look("reading the log", f"{share}{MORE_TIME} Or give the part of the log that the questions are about.")


def _refuse_encoding(path: Path) -> NoReturn:
    """Say where the first byte is that is not UTF-8."""
    at = 0
    with opened(path) as file:
        for count, line in enumerate(file, start=1):
            try:
                line.decode()
            except UnicodeDecodeError as error:
                where = at + error.start
                fail(str(path), count, f"byte {where} of the file is not UTF-8", "Save the log as UTF-8.")
            at += len(line)
    raise TraceError(f"{path}: it changed while it was read", "Give a log that is complete.")
