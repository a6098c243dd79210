"""The bundle shelf: uploaded bundles that are to be verified, or to become cases. They may be hostile.

Nothing here looks into them: a worker does. The size of each, and of all together, is bounded; the oldest make room.
"""

from __future__ import annotations

import re
import secrets
import threading
from collections import OrderedDict
from pathlib import Path
from typing import Final, final

from msgspec import Struct

from soid.errors import InputError, NotOnDesk, TooMuch

LARGEST: Final = 64 << 20  # bytes of one bundle
MOST: Final = 256 << 20  # bytes of all
BUNDLES: Final = 16
ENDING: Final = ".zip"
_LONGEST: Final = 200  # characters of a name
_ZIP: Final = b"PK\x03\x04"  # every bundle has at least one file


@final
class UploadedBundle(Struct, frozen=True):
    """A bundle, as it was sent."""

    id: str
    name: str  # that its sender gave it, which is never used as a path
    file: Path
    size: int  # bytes


@final
class BundleShelf:
    """All of them; any thread may use it."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._lock = threading.Lock()
        self._bundles: OrderedDict[str, UploadedBundle] = OrderedDict()

    def put(self, name: str, data: bytes) -> UploadedBundle:
        """Keep a bundle; it is refused where its beginning says already that it is none."""
        called = original_name(name)
        if len(data) > LARGEST:
            remedy = f"Here it may have {LARGEST >> 20} MiB; `soid verify` checks larger ones."
            raise TooMuch(f"{called!r} is too large", remedy)
        if not data.startswith(_ZIP):
            raise InputError(f"{called!r} is no bundle: it does not begin as one", "Send one made by `soid bundle`.")
        bundle_id = secrets.token_hex(8)
        place = self._folder / f"{bundle_id}{ENDING}"
        self._folder.mkdir(parents=True, exist_ok=True)
        place.write_bytes(data)
        kept = UploadedBundle(bundle_id, called, place, len(data))
        with self._lock:
            self._bundles[bundle_id] = kept
            while len(self._bundles) > BUNDLES or sum(each.size for each in self._bundles.values()) > MOST:
                self._drop(next(iter(self._bundles)))
        return kept

    def bundle(self, bundle_id: str) -> UploadedBundle:
        with self._lock:
            found = self._bundles.get(bundle_id)
        if found is None:
            raise NotOnDesk(f"there is no bundle {bundle_id}", "It had to make room: send it anew.")
        return found

    def end(self, bundle_id: str) -> None:
        with self._lock:
            if bundle_id in self._bundles:
                self._drop(bundle_id)

    def _drop(self, bundle_id: str) -> None:
        self._bundles.pop(bundle_id).file.unlink(missing_ok=True)


def original_name(name: str) -> str:
    r"""The name that a file was given by its sender, without folders; to be shown, never to be opened.

    >>> original_name(r"C:\\cases\\My log (2).CSV"), original_name("../../evidence.zip"), original_name("")
    ('My log (2).CSV', 'evidence.zip', 'without a name')
    """
    return re.split(r"[/\\]", name)[-1].strip()[:_LONGEST] or "without a name"
