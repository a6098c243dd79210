"""Uploaded bundles before anything has looked into them."""

import pytest

from soid.errors import InputError, NotOnDesk, TooMuch
from soid.web import bundle_shelf
from soid.web.bundle_shelf import BundleShelf


def test_a_name_leads_nowhere_and_is_kept(tmp_path):
    shelf = BundleShelf(tmp_path / "shelf")
    kept = shelf.put("../../ev <b> dence.zip", b"PK\x03\x04")
    assert kept.name == "ev <b> dence.zip" and kept.file.parent == tmp_path / "shelf"
    assert list(tmp_path.iterdir()) == [tmp_path / "shelf"]


def test_what_cannot_be_one_is_refused_at_once(tmp_path, monkeypatch):
    shelf = BundleShelf(tmp_path)
    with pytest.raises(InputError, match="no bundle"):
        shelf.put("random.zip", bytes(50 << 20))
    monkeypatch.setattr(bundle_shelf, "LARGEST", 10)
    with pytest.raises(TooMuch, match="too large"):
        shelf.put("large.zip", b"PK\x03\x04" + bytes(10))
    assert list(tmp_path.iterdir()) == []


def test_the_oldest_make_room(tmp_path, monkeypatch):
    monkeypatch.setattr(bundle_shelf, "MOST", 30)
    shelf = BundleShelf(tmp_path)
    first, second, third = (shelf.put(f"{each}.zip", b"PK\x03\x04" + bytes(8)) for each in range(3))
    with pytest.raises(NotOnDesk):
        shelf.bundle(first.id)
    assert shelf.bundle(second.id) == second
    shelf.end(second.id)
    shelf.end(second.id)
    assert [file.name for file in tmp_path.iterdir()] == [third.file.name]
