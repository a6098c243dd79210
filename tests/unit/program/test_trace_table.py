"""The table [trace] of a manifest: what its keys mean, and what is refused with the line."""

from __future__ import annotations

from fractions import Fraction
from pathlib import Path

import pytest

from soid.errors import ManifestError
from soid.program.toml_table import open_toml
from soid.program.trace_table import JoinedLog, LogClock, LogMapping, MappedColumn, read_mapping


def mapping(folder: Path, text: str) -> LogMapping:
    file = folder / "soid.toml"
    file.write_text(f"[trace]\n{text}")
    (folder / "gps.csv").touch()
    table = open_toml(file).table("trace")
    assert table is not None
    found = read_mapping(table, folder)
    table.close()
    return found


def test_every_key(tmp_path: Path) -> None:
    text = """
    time = { column = "t", unit = "ms", period = 0.1 }
    topic = "/decide"
    missing = ["NA"]
    empty = "missing"
    columns."s->alt" = { column = "Alt(ft)", unit = "feet", decimals = 2 }
    columns.on = { column = "ON", labels = { 0 = false, 1 = true, 2 = "true", 3 = 1 } }
    columns.x = "X"
    columns."mode'" = { labels = { a = "A" } }
    join = [{ file = "gps.csv", as = "gps", time = "stamp", within = 2, topic = "/gps" }]
    """
    labels = {"0": "false", "1": "true", "2": "true", "3": "1"}
    assert mapping(tmp_path, text) == LogMapping(
        columns=(
            MappedColumn("s.alt", "Alt(ft)", "feet", decimals=2),
            MappedColumn("on", "ON", labels=labels),
            MappedColumn("x", "X"),
            MappedColumn("mode'", "mode'", labels={"a": "A"}),
        ),
        clock=LogClock("t", "ms", Fraction(1, 10)),
        joined=(JoinedLog(tmp_path / "gps.csv", LogClock("stamp"), "gps.", Fraction(2), "/gps"),),
        topic="/decide",
        missing=frozenset({"NA"}),
        empty_is_missing=True,
    )
    assert mapping(tmp_path, "") == LogMapping()


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ('empty = "zero"', "'zero' is not what an empty cell can stand for"),
        ('time = { unit = "ms" }', "column is missing"),
        ('time = { column = "t", unit = "m" }', "m is no unit of time"),
        ('time = { column = "t", unit = "jiffy" }', 'there is no unit "jiffy"'),
        ('time = { column = "t", period = 0 }', "0.0 is no number of seconds"),
        ('time = { column = "t", period = 1e300 }', "is no number of seconds"),
        ('time = { column = "t", period = "fast" }', "expected a number"),
        ('time = { column = "t", zone = "UTC" }', "there is no such key"),
        ("columns.x = 3", "expected a table"),
        ("columns.s.x = 'X'", "a path with dots needs quotes"),
        ('columns.x = { column = "X", unit = "fathom" }', 'there is no unit "fathom"'),
        ('columns.x = { column = "X", labels = ["A"] }', "expected a table of what the log writes"),
        ('columns.x = { column = "X", labels = { A = [1] } }', "a label stands for a value of the program"),
        ('columns.x = { column = "X", decimals = -1 }', "-1 is no number of decimals"),
        ('columns.x = { column = "X", scale = 2 }', "there is no such key"),
        ('columns."a->x" = "X"\ncolumns."a.x" = "Y"', "a.x is mapped twice"),
        ('join = [{ file = "lost.csv" }]', "there is no log"),
        ('join = [{ time = "t" }]', "file is missing"),
        ('join = [{ file = "gps.csv", time = { column = "t", period = 1 } }]', "a joined file numbers no steps"),
        ('join = "gps.csv"', "expected a list of tables"),
        ("missing = 3", "expected a list of texts"),
    ],
)
def test_what_is_refused(tmp_path: Path, text: str, message: str) -> None:
    with pytest.raises(ManifestError) as caught:
        mapping(tmp_path, text)
    assert message in str(caught.value)
    assert caught.value.cause.startswith(f"{tmp_path}/soid.toml:")
