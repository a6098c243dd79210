"""The bundle as a zip file in one canonical form; any other form is refused.

>>> data = pack({"b.txt": b"two", "a/b.txt": b"one"})
>>> unpack(data)
{'a/b.txt': b'one', 'b.txt': b'two'}
>>> unpack(data + b" ")
Traceback (most recent call last):
soid.errors.BundleError: this is no bundle: it does not end as a zip file without a comment does
...

In canonical form the entries are sorted by name and stored uncompressed, one after the other; there are no folders,
comments, extra fields or gaps; every date is the first one that a zip can have. So equal contents give equal bytes on
every machine, and no file can expand beyond its stored size. Any zip program opens it. Reading trusts nothing: it
checks each field of the central directory, refuses what is odd with an error that names it, and requires at the end
that the contents pack to exactly the same bytes.
"""

from __future__ import annotations

import stat
import struct
import unicodedata
import zlib
from collections.abc import Mapping
from typing import Final, final

from msgspec import Struct

from soid.errors import BundleError

MOST_FILES: Final = 20_000
MOST_BYTES: Final = 512 << 20
LONGEST_NAME: Final = 240

_END: Final = struct.Struct("<4s4H2LH")  # signature, disks, entries twice, size and place of the directory, comment
_CENTRAL: Final = struct.Struct("<4s6H3L5H2L")
_LOCAL: Final = struct.Struct("<4s5H3L2H")
_VERSION: Final = 20
_MADE_BY: Final = 3 << 8 | _VERSION  # Unix, so that the mode below has a meaning
_MODE: Final = (stat.S_IFREG | 0o644) << 16
_DATE: Final = 1 << 5 | 1  # 1 January 1980, midnight
_UTF8: Final = 1 << 11
_ENCRYPTED: Final = 1 | 1 << 6 | 1 << 13
_REMEDY: Final = "Ask for the bundle again, as `soid bundle` has written it."

#: Unicode categories that a name must not contain: control, format, private, unassigned, surrogates, separators
_INVISIBLE: Final = frozenset({"Cc", "Cf", "Co", "Cn", "Cs", "Zl", "Zp"})
_RESERVED: Final = frozenset(
    {"con", "prn", "aux", "nul", *(f"{port}{n}" for port in ("com", "lpt") for n in range(10))}
)


def pack(files: Mapping[str, bytes]) -> bytes:
    names = sorted(files)
    _refuse_names(names)
    if len(names) > MOST_FILES or sum(map(len, files.values())) > MOST_BYTES:
        raise BundleError("there is too much to put into one bundle", f"It has room for {MOST_BYTES >> 20} MiB.")
    return _packed({name: files[name] for name in names})


def _packed(files: Mapping[str, bytes]) -> bytes:
    body, directory = bytearray(), bytearray()
    for name, data in files.items():
        raw, place = name.encode("utf-8"), len(body)
        common = _common(name, raw, data)
        body += _LOCAL.pack(b"PK\x03\x04", _VERSION, *common, 0) + raw + data
        directory += _CENTRAL.pack(b"PK\x01\x02", _MADE_BY, _VERSION, *common, 0, 0, 0, 0, _MODE, place) + raw
    count = len(files)
    return bytes(body + directory) + _END.pack(b"PK\x05\x06", 0, 0, count, count, len(directory), len(body), 0)


def _common(name: str, raw: bytes, data: bytes) -> tuple[int, ...]:
    """The fields that both headers of a file share: flags, method, time, date, checksum, sizes."""
    return 0 if name.isascii() else _UTF8, 0, 0, _DATE, zlib.crc32(data), len(data), len(data), len(raw)


def unpack(data: bytes) -> dict[str, bytes]:
    """The files by name; a BundleError names anything that is odd."""
    entries = _directory(data)
    _refuse_names([entry.name for entry in entries])
    if sum(entry.size for entry in entries) > min(MOST_BYTES, len(data)):
        raise _refused("its files are said to be larger than it is: a bomb")
    files = {entry.name: _stored(data, entry) for entry in entries}
    if _packed(files) != data:
        raise _refused("it is not in canonical form: something is out of order, hidden between its files, or added")
    return files


@final
class _Entry(Struct, frozen=True):
    """One file in the central directory."""

    name: str
    place: int
    size: int
    checksum: int


def _directory(data: bytes) -> list[_Entry]:
    if len(data) < _END.size or data[-_END.size :][:4] != b"PK\x05\x06" or data[-2:] != b"\0\0":
        raise BundleError("this is no bundle: it does not end as a zip file without a comment does", _REMEDY)
    _, disk, first_disk, here, count, size, place, _ = _END.unpack(data[-_END.size :])
    if disk or first_disk or here != count:
        raise _refused("it is one of several volumes")
    if count > MOST_FILES:
        raise _refused(f"it has {count} files, more than {MOST_FILES}")
    if place + size != len(data) - _END.size:
        raise _refused("its directory does not lie where it says")
    entries: list[_Entry] = []
    while place < len(data) - _END.size:
        entry, place = _entry(data, place, len(data) - _END.size)
        entries.append(entry)
    if len(entries) != count:
        raise _refused(f"its directory has {len(entries)} files, and says {count}")
    return entries


def _entry(data: bytes, place: int, end: int) -> tuple[_Entry, int]:
    """One entry of the central directory, and where the next one begins."""
    if place + _CENTRAL.size > end or data[place : place + 4] != b"PK\x01\x02":
        raise _refused("its directory is damaged")
    fields = _CENTRAL.unpack_from(data, place)
    _, made_by, _, flags, method, _, _, crc, packed, size, name_size, extra, comment, disk, _, mode, offset = fields
    start = place + _CENTRAL.size
    if start + name_size + extra + comment > end:
        raise _refused("its directory is damaged")
    raw = data[start : start + name_size]
    try:
        name = raw.decode("utf-8")
    except UnicodeDecodeError:
        raise _refused(f"a file's name is no UTF-8: {raw!r}") from None
    shown = _shown(name)
    if flags & _ENCRYPTED:
        raise _refused(f"{shown} is encrypted")
    if method != 0:
        raise _refused(f"{shown} is compressed (method {method}), as no bundle's file is")
    kind = stat.S_IFMT(mode >> 16) if made_by >> 8 == 3 else stat.S_IFREG
    if kind == stat.S_IFLNK:
        raise _refused(f"{shown} is a link")
    if kind not in (stat.S_IFREG, 0) or name.endswith("/"):
        raise _refused(f"{shown} is no plain file")
    if extra or comment or disk:
        raise _refused(f"{shown} has extra fields")
    if packed != size:
        raise _refused(f"{shown} has two sizes, {packed} and {size} bytes")
    return _Entry(name, offset, size, crc), start + name_size


def _stored(data: bytes, entry: _Entry) -> bytes:
    raw = entry.name.encode("utf-8")
    start = entry.place + _LOCAL.size + len(raw)
    if data[entry.place : entry.place + 4] != b"PK\x03\x04" or start + entry.size > len(data):
        raise _refused(f"{_shown(entry.name)} does not lie where the directory says")
    content = data[start : start + entry.size]
    if zlib.crc32(content) != entry.checksum:
        raise _refused(f"{_shown(entry.name)} is damaged: its checksum does not fit")
    header = _LOCAL.pack(b"PK\x03\x04", _VERSION, *_common(entry.name, raw, content), 0) + raw
    if data[entry.place : start] != header:
        raise _refused(f"what stands before {_shown(entry.name)} is not what the directory says")
    return content


def _refuse_names(names: list[str]) -> None:
    seen: dict[str, str] = {}
    for name in names:
        why = odd(name)
        if why:
            raise _refused(f"the name {_shown(name)} {why}")
        key = unicodedata.normalize("NFKC", name).casefold()
        if key in seen:
            same = "is there twice" if seen[key] == name else f"is {_shown(seen[key])} on some machines"
            raise _refused(f"the name {_shown(name)} {same}")
        seen[key] = name
    for key, name in seen.items():
        parts = key.split("/")
        for folder in ("/".join(parts[:count]) for count in range(1, len(parts))):
            if folder in seen:
                raise _refused(f"the name {_shown(name)} leads through the file {_shown(seen[folder])}")


def odd(name: str) -> str:
    """What is odd about a name; empty if nothing is."""
    if not name or len(name.encode("utf-8", "replace")) > LONGEST_NAME:
        return "is empty or too long"
    if any(unicodedata.category(sign) in _INVISIBLE for sign in name):
        return "has invisible characters"
    if unicodedata.normalize("NFC", name) != name:
        return "is written with combining characters"
    if name.startswith("/") or "\\" in name or ":" in name:
        return "is absolute, or is on some machines"
    parts = name.split("/")
    if ".." in parts:
        return "climbs out of the bundle"
    if any(part in ("", ".") or part != part.strip() or part.endswith(".") for part in parts):
        return "is another one on some machines"
    if any(part.partition(".")[0].casefold() in _RESERVED for part in parts):
        return "is a device on some machines"
    return ""


def _shown(name: str) -> str:
    """A name, escaped and shortened for a message."""
    shown = name.encode("unicode_escape").decode("ascii")
    return shown if len(shown) <= 80 else f"{shown[:77]}..."


def _refused(why: str) -> BundleError:
    return BundleError(f"the bundle is refused: {why}", _REMEDY)
