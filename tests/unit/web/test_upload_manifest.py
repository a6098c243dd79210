"""What is said of uploaded files is read back as it was said: no text ends a line."""

import tomllib

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from soid.errors import ManifestError
from soid.program.toml_text import value_text
from soid.web.upload_manifest import UploadManifest

TEXT = st.text(st.characters(codec="utf-8"), max_size=20)
VALUES = st.recursive(
    st.booleans() | st.integers(-(2**63), 2**63 - 1) | st.floats(allow_nan=False) | TEXT,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(TEXT, inner, max_size=3),
    max_leaves=6,
)


@settings(max_examples=40)
@given(TEXT, st.dictionaries(TEXT, st.dictionaries(TEXT, VALUES, max_size=3), max_size=3), st.lists(TEXT, max_size=3))
def test_whatever_is_said_is_read_back_as_it_was_said(name, variables, texts):
    said = UploadManifest(
        name, tuple(texts), name or "log.csv", 3, name, tuple(texts), tuple(texts), variables=variables
    )
    read = tomllib.loads(said.toml(name))
    assert read["program"]["name"] == read["program"]["entry"] == name
    assert read["program"]["sources"] == texts
    assert read.get("variables", {}) == variables
    assert read["trace"]["file"] == (name or "log.csv")
    assert set(read) <= {"program", "trace", "variables"}


@settings(max_examples=40)
@given(VALUES)
def test_a_value_stays_on_its_line(value):
    assert "\n" not in value_text(value) and "\r" not in value_text(value)


def test_half_a_character_is_refused():
    with pytest.raises(ManifestError):
        value_text("\ud800")
