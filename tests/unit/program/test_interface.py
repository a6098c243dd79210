"""The interface: inputs, outputs, and suggestions for unknown paths."""

from __future__ import annotations

import pytest

from soid.errors import ManifestError, UnknownVariableError
from soid.formula.sorts import BOOL, FLOAT32, BitVec
from soid.program.domain import Range
from soid.program.interface import LISTED, Interface, Role, Variable, normal_path
from soid.program.types import BoolType, FloatType, IntType

INTERFACE = Interface(
    (
        Variable("world.agents[1].pos_x", Role.ENVIRONMENT, FloatType(FLOAT32), Range(0, 0x3F800000), unit="m"),
        Variable("go", Role.DECISION, BoolType()),
        Variable("count", Role.STATE, IntType(8, signed=False)),
        Variable("closest", Role.INTERNAL, IntType(32, signed=True)),
    )
)


def test_roles() -> None:
    assert [variable.path for variable in INTERFACE] == ["world.agents[1].pos_x", "go", "count", "closest"]
    assert [variable.path for variable in INTERFACE.inputs] == ["world.agents[1].pos_x", "count"]
    assert [variable.path for variable in INTERFACE.decisions] == ["go"]
    assert [output.name for output in INTERFACE.outputs] == ["go", "count'"]
    assert INTERFACE.outputs[1].variable.path == "count"


def test_variables_as_terms() -> None:
    position = INTERFACE.variable("world->agents[ 1 ].pos_x")
    assert position.symbol.sort == BitVec(32)
    assert position.reading.sort == FLOAT32
    assert position.domain_text == "0.0 to 1.0"
    assert INTERFACE.variable("go").symbol.sort == BOOL
    assert position.symbol is position.symbol


@pytest.mark.parametrize(
    ("path", "expected"),
    [
        ("world.agents[1].posx", "Did you mean world.agents[1].pos_x?"),
        ("pos_x", "Did you mean world.agents[1].pos_x?"),
        ("cuont", "Did you mean count?"),
        ("temperature", str(LISTED)),
    ],
)
def test_an_unknown_variable_suggests_the_one_that_was_meant(path: str, expected: str) -> None:
    assert path not in INTERFACE
    with pytest.raises(UnknownVariableError) as caught:
        INTERFACE.variable(path)
    assert path in caught.value.cause
    assert caught.value.remedy == expected


def test_one_path_one_variable() -> None:
    with pytest.raises(ManifestError, match="the variable go is declared twice"):
        Interface((Variable("go", Role.DECISION, BoolType()), Variable("go", Role.STATE, BoolType())))


@pytest.mark.parametrize(
    ("written", "kept"),
    [
        ("speed", "speed"),
        (" world -> agents[ 1 ] . pos_x ", "world.agents[1].pos_x"),
        ("a->b->c", "a.b.c"),
        ("started '", "started'"),
    ],
)
def test_paths_as_they_are_kept(written: str, kept: str) -> None:
    assert normal_path(written) == kept
    assert normal_path(kept) == kept
