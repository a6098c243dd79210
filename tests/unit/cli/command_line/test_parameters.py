from pathlib import Path

import pytest
from msgspec import NODEFAULT

from soid.cli.command_line.command_table import COMMANDS, record_of
from soid.cli.command_line.parameters import CommandOptions, Option, Positional, parameters


@pytest.mark.parametrize("record", [*map(record_of, COMMANDS)], ids=COMMANDS)
def test_every_field_of_a_command_is_declared(record: type[CommandOptions]) -> None:
    declared = parameters(record)
    assert record.__doc__
    assert [each.name for each in declared] == list(record.__struct_fields__)
    assert all(isinstance(each.declared, Option | Positional) and each.declared.help for each in declared)
    names = [name for each in declared if isinstance(each.declared, Option) for name in each.declared.names.split()]
    assert len(set(names)) == len(names) and "--json" in names


def test_a_field_is_read_as_the_type_of_one_value() -> None:
    found = {each.name: each for each in parameters(record_of("inspect"))}
    assert (found["sources"].kind, found["sources"].repeated, found["sources"].default) == (Path, True, ())
    assert (found["step"].kind, found["step"].repeated, found["step"].default) == (str, False, None)
    assert parameters(record_of("map"))[0].default is NODEFAULT
