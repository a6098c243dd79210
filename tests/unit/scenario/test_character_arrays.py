from __future__ import annotations

from pathlib import Path

import pytest

from soid.errors import ManifestError, QueryError, TraceError
from soid.program.interface import Interface, Role, Variable
from soid.program.trace_table import LogMapping, MappedColumn
from soid.program.types import IntType
from soid.query.language.query_parser import parse
from soid.query.language.query_printer import to_text
from soid.query.python import did, fact, would
from soid.query.variables import Variables
from soid.query.words import sentence
from soid.scenario.expression import Characters, Compare
from soid.scenario.family import Family
from soid.scenario.trace_reader import read

SIZE = 6
CHAR = IntType(8, signed=True)
INTERFACE = Interface(
    (
        *(Variable(f"c.name[{i}]", Role.ENVIRONMENT, CHAR) for i in range(SIZE)),
        *(Variable(f"s.tag[{i}]", Role.STATE, CHAR) for i in range(3)),
        *(Variable(f"used[{i}]", Role.ENVIRONMENT, CHAR) for i in range(2)),
        Variable("move", Role.DECISION, IntType(8, signed=False)),
    ),
    untouched=frozenset({"used[2]", "used[3]"}),
)


def fact_of(name: bytes, tag: bytes = b"ab") -> dict[str, int]:
    named = {f"c.name[{i}]": each for i, each in enumerate(name.ljust(SIZE, b"\0"))}
    return {**named, **{f"s.tag[{i}]": each for i, each in enumerate(tag.ljust(3, b"\0"))}, "used[0]": 0, "used[1]": 0}


def family(text: str, name: bytes = b"Al") -> Family:
    return Family(INTERFACE, fact_of(name), parse(f"would move == 1 if {text}", INTERFACE).suppositions)


@pytest.mark.parametrize(
    ("text", "name", "inside"),
    [
        ('c.name == "Bob"', b"Bob\0", True),
        ('c.name == "Bob"', b"Bob\0zz", True),  # what is behind the zero is as in fact: see below
        ('c.name == "Bob"', b"Bobs", False),
        ('c.name == "Bob"', b"bob", False),
        ('c.name == "Robert"', b"Robert", True),  # it fills the array, so no zero follows
        ('c.name != "Bob"', b"Bo", True),
        ('c.name == ""', b"\0l", True),
        ('c.name in {"Bob", "Al", "Carla"}', b"Carla", True),
        ('c.name in {"Bob", "Al", "Carla"}', b"Carl", False),
        ('"Bob" == c.name', b"Bob", True),
        ('c.name is "Bob"', b"Bob", True),
        ('c.name == "é"', "é".encode(), True),
        ("c.name[0] == 'B'", b"Bl", True),
        ('c.name == "Bob" implies c.name[3] == 0', b"Bob", True),
    ],
)
def test_a_supposition_about_a_text(text: str, name: bytes, inside: bool) -> None:
    behind = b"\0\0\0\0zz" if name.endswith(b"zz") else b"Al"
    found = family(text, behind)
    assert found.contains(fact_of(name), punctured=False) is inside


def test_only_what_is_compared_is_freed() -> None:
    assert list(family('c.name == "Bob"').freed) == [f"c.name[{i}]" for i in range(4)]
    assert list(family('c.name in {"B", "Al"}').freed) == [f"c.name[{i}]" for i in range(3)]
    assert not family('c.name == "Bob"').contains(fact_of(b"Bob\0z"), punctured=False)


@pytest.mark.parametrize(
    "text",
    [
        'did c.name == "Bob"',
        'did s.tag\' == "b" and s.tag == "a"',
        'did fact(c.name) != "Bob"',
        'would c.name in {"Bob", "Al"} iff move == 1 if c.name == "a \\"b\\""',
    ],
)
def test_it_is_printed_as_it_was_written(text: str) -> None:
    query = parse(text, INTERFACE)
    assert to_text(query) == text
    assert parse(text, INTERFACE) == query == query.checked(INTERFACE).query


def test_the_behavior_speaks_of_the_elements() -> None:
    query = parse('did s.tag\' == "b"', INTERFACE)
    assert query.behavior.outcomes == {"s.tag[0]'", "s.tag[1]'"}
    assert isinstance(query.behavior.expression, Compare)
    assert isinstance(query.behavior.expression.first, Characters)


def test_words() -> None:
    query = parse('would move == 1 if c.name == "Bob"', INTERFACE)
    assert sentence(query, INTERFACE) == 'Would it always set move to 1, had name been "Bob"?'


def test_python() -> None:
    v = Variables(INTERFACE)
    assert to_text(did(v.c.name == "Bob")) == 'did c.name == "Bob"'
    assert to_text(would(v.move == 1).given(v.c.name.any_of("Bob", "Al"))) == (
        'would move == 1 if c.name in {"Bob", "Al"}'
    )
    assert to_text(did(fact(v.c.name) == "Bob")) == 'did fact(c.name) == "Bob"'
    assert to_text(did(v["c.name"][0] == 66)) == "did c.name[0] == 66"


@pytest.mark.parametrize(
    ("text", "cause", "remedy"),
    [
        ('did c.name == "Roberta"', "has room for 6 characters, and this text has 7", "shorter"),
        ('did c.name < "Bob"', "has no order", "== or !="),
        ("did c.name == 3", "no variable c.name", 'c.name == "abc"'),
        ("did c.name == Bob", "no variable c.name", 'c.name == "abc"'),
        ("did c.name == c.name", "no variable c.name", 'c.name == "abc"'),
        ('did used == "abc"', "does nothing with used[2]", '"used[*]" = {}'),
        (r'did c.name == "a\0b"', "ends where it has a zero", "before it"),
        ('did c.nam == "abc"', "no variable c.nam", ""),
    ],
)
def test_mistakes(text: str, cause: str, remedy: str) -> None:
    with pytest.raises(QueryError) as caught:
        parse(text, INTERFACE)
    assert cause in caught.value.cause and remedy in caught.value.remedy


def test_of_an_array_that_is_used_in_part_what_is_used_can_be_compared() -> None:
    assert parse('did used == "a"', INTERFACE).behavior.names == {"used[0]", "used[1]"}


# --- in logs ----------------------------------------------------------------------------------------------------


def logged(folder: Path, text: str, suffix: str = "jsonl", mapping: LogMapping = LogMapping()) -> dict[str, int]:  # noqa: B008
    (step,) = read(written(folder, text, suffix), INTERFACE, mapping=mapping).steps
    return dict(step.inputs)


def written(folder: Path, text: str, suffix: str = "jsonl") -> Path:
    file = folder / f"log.{suffix}"
    file.write_text(text)
    return file


def test_a_cell_with_a_text_gives_the_elements(tmp_path: Path) -> None:
    line = '{"c": {"name": "Al"}, "s": {"tag": "abc"}, "used": "x"}\n'
    assert logged(tmp_path, line) == {**fact_of(b"Al", b"abc"), "used[0]": ord("x")}
    table = "c.name,s.tag,used\nAl,abc,x\n"
    assert logged(tmp_path, table, "csv") == {**fact_of(b"Al", b"abc"), "used[0]": ord("x")}
    numbers = '{"c": {"name": [65, 108, 0, 0, 0, 0]}, "s": {"tag": "abc"}, "used": "x"}\n'
    assert logged(tmp_path, numbers) == {**fact_of(b"Al", b"abc"), "used[0]": ord("x")}


def test_a_cell_that_looks_like_a_number_is_a_text_only_if_the_manifest_says_so(tmp_path: Path) -> None:
    line = '{"c": {"name": 123}, "s": {"tag": "a"}, "used": ""}\n'
    with pytest.raises(TraceError, match=r'If its cells are texts: \[trace.columns\] "c.name" = "c.name"'):
        logged(tmp_path, line)
    with pytest.raises(TraceError, match="may be a number"):
        read(written(tmp_path, f"{line.replace('123', chr(34) + 'Al' + chr(34))}{line}"), INTERFACE)
    told = LogMapping(columns=(MappedColumn("c.name", "c.name"),))
    assert logged(tmp_path, line, mapping=told) == fact_of(b"123", b"a")


def test_a_text_must_fit(tmp_path: Path) -> None:
    with pytest.raises(TraceError, match="has 7 bytes, and the array has room for 6"):
        logged(tmp_path, '{"c": {"name": "Roberta"}, "s": {"tag": "a"}, "used": ""}\n')
    with pytest.raises(TraceError, match=r"c.name\[0\] is given twice"):
        logged(tmp_path, '{"c.name": "A", "c.name[0]": 3, "s": {"tag": "a"}, "used": ""}\n')
    with pytest.raises(ManifestError, match="is no variable that is logged"):
        logged(tmp_path, "{}\n", mapping=LogMapping(columns=(MappedColumn("c.nam", "x"),)))
