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
    areas = [places.begin(f"user {number}") for number in range(upload_areas.AREAS)]
    with pytest.raises(TooMuch):
        places.begin("one more")
    later = Clock()
    later.now = time.monotonic() + 10**6
    monkeypatch.setattr(upload_areas, "time", later)
    places.begin("one more")
    with pytest.raises(NotOnDesk):
        places.area(areas[0].id)
    assert len(list(tmp_path.iterdir())) == 1


def test_who_begins_many_loses_the_oldest_of_their_own_and_takes_no_room_from_others(tmp_path):
    places = Staging(tmp_path)
    theirs, *own = [places.begin(who) for who in ("ben", *("ada",) * upload_areas.OWN_AREAS)]
    places.area(own[0].id)  # is in use
    for _ in range(upload_areas.AREAS - 1):
        places.begin("ada")
    assert places.area(theirs.id) is theirs and places.begin("cy").files == {}
    for gone in own:
        with pytest.raises(NotOnDesk):
            places.area(gone.id)
    assert len(list(tmp_path.iterdir())) == upload_areas.OWN_AREAS + 2


def test_files_are_few(tmp_path, monkeypatch):
    monkeypatch.setattr(upload_areas, "MOST_FILES", 2)
    area = Staging(tmp_path).begin("ada")
    for name in ("a.c", "b.c", "a.c"):  # a file may be put again
        area.put(name, b"")
    with pytest.raises(TooMuch):
        area.put("c.c", b"")


def test_the_name_that_a_file_was_sent_under_is_kept_and_leads_nowhere(tmp_path):
    area = Staging(tmp_path).begin("ada")
    for name in ("../../My log (2).CSV", "../../My log (2).CSV", "plain.c"):
        area.put(name, b"a\n")
    assert area.renamed == {"My_log_2_.csv": "My log (2).CSV"} and set(area.files) == {"My_log_2_.csv", "plain.c"}
    with pytest.raises(InputError, match="would have the same name here"):
        area.put("My log [2].csv", b"b\n")
    area.remove("My_log_2_.csv")
    area.put("My log [2].csv", b"b\n")
    assert area.renamed == {"My_log_2_.csv": "My log [2].csv"}
    assert {path.name for path in tmp_path.rglob("*") if path.is_file()} == {"My_log_2_.csv", "plain.c"}


@pytest.mark.parametrize("name", ["a.c", "a.h", "a.csv", "a.jsonl", "a.json", "a.tsv"])
@pytest.mark.parametrize("data", [b"PK\x03\x04\0\0" + bytes(range(256)), bytes(50 << 20)])
def test_what_is_no_text_is_refused_as_it_arrives(tmp_path, name, data):
    area = Staging(tmp_path).begin("ada")
    with pytest.raises(InputError, match=r"a zip archive, and no|no text has, and no") as refused:
        area.put(name, data)
    assert len(str(refused.value)) < 200 and area.files == {}
