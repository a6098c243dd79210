"""What was uploaded, and what was said of it: no name leads elsewhere, no text ends a line, no limit is passed."""

import re
import resource
import subprocess
import sys
import tomllib

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from soid.errors import InputError, ManifestError, NotOnDesk, TooMuch
from soid.web import staging
from soid.web.declaring import Declared, value_text
from soid.web.staging import Staging, safe_name
from soid.web.work.confining import confined

TEXT = st.text(st.characters(codec="utf-8"), max_size=20)
VALUES = st.recursive(
    st.booleans() | st.integers(-(2**63), 2**63 - 1) | st.floats(allow_nan=False) | TEXT,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(TEXT, inner, max_size=3),
    max_leaves=6,
)


@settings(max_examples=40)
@given(TEXT, st.dictionaries(TEXT, st.dictionaries(TEXT, VALUES, max_size=3), max_size=3), st.lists(TEXT, max_size=3))
def test_whatever_is_said_is_read_back_as_it_was_said(name, variables, texts):
    said = Declared(name, tuple(texts), name or "log.csv", 3, name, tuple(texts), tuple(texts), variables=variables)
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


@settings(max_examples=60)
@given(st.text(max_size=200), st.sampled_from([".c", ".H", ".csv", ".jsonl"]))
def test_a_name_is_one_safe_part_of_a_path(name, ending):
    try:
        kept = safe_name(name + ending)
    except InputError:
        return
    assert re.fullmatch(r"[A-Za-z0-9][A-Za-z0-9_.+-]*\.[a-z]+", kept) and len(kept) < 100


def test_areas_are_few_and_the_forgotten_ones_go(tmp_path, monkeypatch):
    places = Staging(tmp_path)
    areas = [places.begin() for _ in range(staging.AREAS)]
    with pytest.raises(TooMuch):
        places.begin()
    monkeypatch.setattr(staging, "_FORGOTTEN", -1.0)
    places.begin()
    with pytest.raises(NotOnDesk):
        places.area(areas[0].id)
    assert len(list(tmp_path.iterdir())) == 1


def test_files_are_few(tmp_path, monkeypatch):
    monkeypatch.setattr(staging, "MOST_FILES", 2)
    area = Staging(tmp_path).begin()
    for name in ("a.c", "b.c", "a.c"):  # a file may be put again
        area.put(name, b"")
    with pytest.raises(TooMuch):
        area.put("c.c", b"")


def test_limits_hold_for_what_is_started_and_are_lifted_afterwards(tmp_path):
    """In a process of its own: a limit of processor time would be one for the tests too."""
    script = """
import resource, subprocess, sys
from soid.web.work import confining
confining.SECONDS, confining.MEMORY, confining.WRITTEN = 1, 1 << 30, 1 << 20
def ended(code):
    return subprocess.run([sys.executable, "-c", code], stderr=subprocess.DEVNULL).returncode
before = [resource.getrlimit(each) for each in (resource.RLIMIT_AS, resource.RLIMIT_CPU, resource.RLIMIT_FSIZE)]
with confining.confined():
    assert ended("pass") == 0
    assert ended("while True: pass") < 0
    assert ended("bytearray(6 << 30)") != 0
    assert ended("open('too-large', 'wb').write(bytes(2 << 20))") != 0
assert before == [resource.getrlimit(each) for each in (resource.RLIMIT_AS, resource.RLIMIT_CPU, resource.RLIMIT_FSIZE)]
print("held")
"""
    ran = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=False, cwd=tmp_path)
    assert ran.stdout == "held\n", ran.stderr


def test_limits_are_lifted_when_the_work_fails():
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    with pytest.raises(KeyError), confined():
        _ = {True: "no limit"}[resource.getrlimit(resource.RLIMIT_FSIZE) == before]
    assert resource.getrlimit(resource.RLIMIT_FSIZE) == before
