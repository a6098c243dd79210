"""What was uploaded: no name leads elsewhere, and no limit is passed."""

import re
import time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from soid.errors import InputError, NotOnDesk, TooMuch
from soid.web import upload_areas
from soid.web.upload_areas import Staging, safe_name
from tests.clock import Clock


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
    areas = [places.begin() for _ in range(upload_areas.AREAS)]
    with pytest.raises(TooMuch):
        places.begin()
    later = Clock()
    later.now = time.monotonic() + 10**6
    monkeypatch.setattr(upload_areas, "time", later)
    places.begin()
    with pytest.raises(NotOnDesk):
        places.area(areas[0].id)
    assert len(list(tmp_path.iterdir())) == 1


def test_files_are_few(tmp_path, monkeypatch):
    monkeypatch.setattr(upload_areas, "MOST_FILES", 2)
    area = Staging(tmp_path).begin()
    for name in ("a.c", "b.c", "a.c"):  # a file may be put again
        area.put(name, b"")
    with pytest.raises(TooMuch):
        area.put("c.c", b"")
