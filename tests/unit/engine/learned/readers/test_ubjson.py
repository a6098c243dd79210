"""UBJSON: what XGBoost writes is read as its JSON; what is hostile is refused at once."""

from __future__ import annotations

import json
import struct
from typing import Any

import pytest

from soid.engine.learned.readers.ubjson import decoded
from soid.errors import ProgramError
from tests.xgboost_models import as_ubjson, saved


def length(number: int) -> bytes:
    return b"L" + struct.pack(">q", number)


def as_singles(value: Any) -> Any:
    """JSON's floats as the float32 numbers that XGBoost stores."""
    if isinstance(value, dict):
        return {key: as_singles(each) for key, each in value.items()}
    if isinstance(value, list):
        return [as_singles(each) for each in value]
    return struct.unpack(">f", struct.pack(">f", value))[0] if isinstance(value, float) else value


@pytest.mark.parametrize("name", ["labels of categories", "dart", "linear"])
def test_a_model_is_the_same_as_in_json(name: str) -> None:
    assert decoded(as_ubjson(saved(name))) == as_singles(json.loads(saved(name)))


def test_values() -> None:
    assert decoded(b"Z") is None
    assert decoded(b"[TFZ]") == [True, False, None]
    assert decoded(b"[#U\x02i\xffU\xff") == [-1, 255]
    assert decoded(b"[I\x01\x00l\x00\x00\x00\x02L" + struct.pack(">q", -3) + b"]") == [256, 2, -3]
    assert decoded(b"[d" + struct.pack(">f", 0.5) + b"D" + struct.pack(">d", 0.1) + b"]") == [0.5, 0.1]
    assert decoded(b"[$d#i\x02" + struct.pack(">ff", 1.5, -2.0)) == [1.5, -2.0]
    assert decoded(b"[$l#i\x00") == []
    assert decoded(b"{}") == {}
    assert decoded(b"{i\x01aSi\x02\xc3\xa9i\x01b[]}") == {"a": "é", "b": []}
    assert decoded(b"[[][{}]Cx]") == [[], [{}], "x"]


@pytest.mark.parametrize(
    ("content", "named"),
    [
        (b"", "too early"),
        (b"{", "too early"),
        (b"{}{}", "goes on"),
        (b"x", "begins no value"),
        (b"[" * 1_000_000, "nested"),
        (b"{i\x01a" * 1_000_000, "nested"),
        (b"[#" + length(2**62), "too early"),
        (b"[$L#" + length(2**62), "too early"),
        (b"[$d#" + length(2**60), "too early"),
        (b"[$Z#" + length(10**12), "type"),
        (b"[$S#" + length(1), "type"),
        (b"[$d]", "without its length"),
        (b"[#" + length(-1), "below 0"),
        (b"S" + length(-1), "below 0"),
        (b"S" + length(2**62), "too early"),
        (b"SZ", "begins no length"),
        (b"Si\x02\xc3\xc3", "UTF-8"),
        (b"{i\x01aZi\x01aZ}", "twice"),
        (b"{Z", "begins no length"),
    ],
)
def test_what_is_broken(content: bytes, named: str) -> None:
    with pytest.raises(ProgramError, match=named):
        decoded(content)
