"""A bundle has one form; everything else is refused by name, and never by a traceback."""

from __future__ import annotations

import io
import stat
import struct
import zipfile

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from soid.errors import BundleError
from soid.evidence import archive
from soid.evidence.archive import pack, unpack

FILES = {"a/b.txt": b"one", "b.txt": b"two", "c/ü.txt": b""}


def test_what_is_packed_is_unpacked():
    assert unpack(pack(FILES)) == FILES
    assert unpack(pack({})) == {}


def test_equal_contents_give_equal_bytes():
    assert pack(dict(reversed(FILES.items()))) == pack(FILES)


def test_any_zip_program_opens_it():
    with zipfile.ZipFile(io.BytesIO(pack(FILES))) as opened:
        assert opened.testzip() is None
        assert {name: opened.read(name) for name in opened.namelist()} == FILES


def zipped(name: str, data: bytes = b"x", **fields: object) -> bytes:
    """A zip file as Python writes it, with fields of its one entry set."""
    method = fields.pop("method", zipfile.ZIP_STORED)
    info = zipfile.ZipInfo(name)
    info.create_system = 3
    for field, value in fields.items():
        setattr(info, field, value)
    into = io.BytesIO()
    with zipfile.ZipFile(into, "w", method) as made:  # type: ignore[call-overload]
        made.writestr(info, data, compress_type=method)
    return into.getvalue()


@pytest.mark.parametrize(
    ("data", "named"),
    [
        (zipped("/etc/passwd"), "is absolute"),
        (zipped("C:/x"), "is absolute"),
        (zipped("a\\..\\b"), "is absolute"),
        (zipped("../x"), "climbs out"),
        (zipped("a/../../x"), "climbs out"),
        (zipped("a//b"), "another one on some machines"),
        (zipped("a/./b"), "another one on some machines"),
        (zipped("a. /b"), "another one on some machines"),
        (zipped("nul.txt"), "is a device"),
        (zipped("a\u202eb"), "invisible"),
        (zipped("a\u200bb"), "invisible"),
        (zipped("e\u0301"), "combining"),
        (zipped("x" * 300), "too long"),
        (zipped("d/", b""), "no plain file"),
        (zipped("link", b"/etc/passwd", external_attr=(stat.S_IFLNK | 0o777) << 16), "link is a link"),
        (zipped("fifo", b"", external_attr=(stat.S_IFIFO | 0o777) << 16), "no plain file"),
        (zipped("big", bytes(100_000), method=zipfile.ZIP_DEFLATED), "big is compressed"),
        (zipped("big", bytes(100_000), method=zipfile.ZIP_LZMA), "big is compressed"),
        (zipped("x", extra=b"\x01\x00\x00\x00"), "extra fields"),
        (zipped("x", comment=b"hm"), "extra fields"),
        (b"", "no bundle"),
        (b"PK\x05\x06" + bytes(18) + b"!", "no bundle"),
        (b"#!/bin/sh\n" + pack(FILES), "directory does not lie where it says"),
    ],
)
def test_oddities_are_refused_by_name(data, named):
    with pytest.raises(BundleError, match=named):
        unpack(data)


@pytest.mark.filterwarnings("ignore:Duplicate name")
@pytest.mark.parametrize(
    ("names", "named"),
    [
        (("x", "x"), "is there twice"),
        (("readme", "README"), "is README on some machines|is readme on some machines"),
        (("\ufb01le", "file"), "on some machines"),
        (("a", "a/b"), "leads through the file"),
        (("a/b", "a"), "leads through the file"),
    ],
)
def test_names_that_meet_are_refused(names, named):
    into = io.BytesIO()
    with zipfile.ZipFile(into, "w") as made:
        for name in names:
            made.writestr(zipfile.ZipInfo(name), b"x")
    with pytest.raises(BundleError, match=named):
        unpack(into.getvalue())


def test_an_encrypted_entry_is_refused():
    data = bytearray(pack({"x": b"y"}))
    data[data.index(b"PK\x01\x02") + 8] |= 1
    with pytest.raises(BundleError, match="x is encrypted"):
        unpack(bytes(data))


def test_sizes_that_lie_are_refused():
    data = bytearray(pack({"x": b"y"}))
    struct.pack_into("<2L", data, data.index(b"PK\x01\x02") + 20, 1 << 31, 1 << 31)
    with pytest.raises(BundleError, match="a bomb"):
        unpack(bytes(data))


def test_more_files_than_a_bundle_has_are_refused(monkeypatch):
    monkeypatch.setattr(archive, "MOST_FILES", 2)
    with pytest.raises(BundleError, match="too much"):
        pack(FILES)
    monkeypatch.undo()
    data = pack(FILES)
    monkeypatch.setattr(archive, "MOST_FILES", 2)
    with pytest.raises(BundleError, match="it has 3 files"):
        unpack(data)


def test_two_entries_for_the_same_bytes_are_refused():
    data = pack({"a": b"same", "b": b"same"})
    start = data.index(b"PK\x01\x02")
    second = data.index(b"PK\x01\x02", start + 1)
    with pytest.raises(BundleError, match=r"b does not lie|before b"):
        unpack(data[: second + 42] + struct.pack("<L", 0) + data[second + 46 :])


def test_every_changed_byte_is_noticed():
    data = pack(FILES)
    for place in range(len(data)):
        with pytest.raises(BundleError):
            unpack(data[:place] + bytes([data[place] ^ 1]) + data[place + 1 :])


NAMES = st.one_of(
    st.sampled_from(["manifest.json", "../x", "/x", "case/chain.jsonl", "a", "A", "a/b", "project/soid.toml"]),
    st.text(max_size=12),
)


@st.composite
def archives(draw: st.DrawFn) -> bytes:
    """Hostile zip files: odd names, modes, methods; cut, joined and with bytes changed."""
    into = io.BytesIO()
    with zipfile.ZipFile(into, "w") as made:
        for _ in range(draw(st.integers(0, 4))):
            info = zipfile.ZipInfo(draw(NAMES) or "x")
            info.external_attr = draw(st.sampled_from([0, 0o100644 << 16, 0o120777 << 16, 0o40755 << 16, 16]))
            info.compress_type = draw(st.sampled_from([zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED]))
            made.writestr(info, draw(st.binary(max_size=40)))
        made.comment = draw(st.sampled_from([b"", b"hm"]))
    data = bytearray(into.getvalue() if draw(st.booleans()) else pack(draw(canonical_files())))
    for _ in range(draw(st.integers(0, 3))):
        place = draw(st.integers(0, len(data) - 1))
        data[place] = draw(st.integers(0, 255))
    cut = draw(st.integers(0, len(data))) if draw(st.integers(0, 9)) == 0 else len(data)
    return draw(st.sampled_from([b"", b"", b"", b"junk"])) + bytes(data[:cut])


def canonical_files() -> st.SearchStrategy[dict[str, bytes]]:
    contents = st.one_of(
        st.binary(max_size=60), st.sampled_from([b"{}\n", b"[]", b'{\n "format": "soid bundle 1"\n}\n'])
    )
    names = st.sampled_from(["manifest.json", "case/chain.jsonl", "signature.json", "project/p/soid.toml", "x", "y/z"])
    return st.dictionaries(names, contents, max_size=5)


def refused_or_read(data: bytes) -> None:
    try:
        files = unpack(data)
    except BundleError:
        return
    assert pack(files) == data


@given(data=archives())
@settings(max_examples=100)
@pytest.mark.filterwarnings("ignore:Duplicate name")
def test_an_archive_is_read_or_refused(data):
    refused_or_read(data)
