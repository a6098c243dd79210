"""Logs as tables: a header with the paths, then one row for each step (CSV as in RFC 4180; tabs in a .tsv file).

    step,error,world.agents[0].pos_x
    3,true,1.376

The separator is the one of `,`, `;` and tab that the header contains: paths contain none of them. An empty cell is a
value that is not logged.
"""

from __future__ import annotations

import csv
import io
from collections.abc import Iterator

from soid.scenario.formats.log_record import Literal, LogRecord, fail, quoted


def records(file: str, text: str) -> Iterator[LogRecord]:
    """The records of a text."""
    rows = _rows(file, text)
    header_line, header = next(rows, (1, []))
    for position, name in enumerate(header, start=1):
        if not name:
            fail(file, header_line, f"column {position} has no name", "Name every column, or remove it.")
        if header.count(name) > 1:
            fail(file, header_line, f"there are two columns {quoted(name)}", "Give each variable one column.")
    for line, row in rows:
        if len(row) != len(header):
            problem = f"the row has {len(row)} cells, and the header has {len(header)}"
            fail(file, line, problem, "Give each row one cell a column; put a cell with a separator in quotes.")
        cells: dict[str, Literal] = {name: cell for name, cell in zip(header, row, strict=True) if cell}
        yield LogRecord(line, cells, header_line)


def _rows(file: str, text: str) -> Iterator[tuple[int, list[str]]]:
    """The rows that are not blank, each with the line where it begins."""
    stream = io.StringIO(text, newline="")
    reader = csv.reader(stream, delimiter=_delimiter(text), skipinitialspace=True, strict=True)
    while True:
        line = reader.line_num + 1
        try:
            row = next(reader)
        except StopIteration:
            return
        except csv.Error as error:
            fail(file, line, f"not CSV: {error}", "Write cells as RFC 4180 has them: quotes around, doubled inside.")
        cells = [cell.strip() for cell in row]
        if cells not in ([], [""]):
            yield line, cells


def _delimiter(text: str) -> str:
    header = text.lstrip().partition("\n")[0]
    return next((sign for sign in ",;\t" if sign in header), ",")
