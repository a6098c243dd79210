"""The key of the person who works with soid: every entry that this account adds to a case is signed with it.

It is made on first use and kept outside of every project: in `soid/key.pem` of XDG_CONFIG_HOME (`~/.config`), or in the
file that SOID_KEY names; SOID_KEY=none leaves entries unsigned. It may be protected by a passphrase. The passphrase
comes from SOID_KEY_PASSPHRASE, or from the file that SOID_KEY_PASSPHRASE_FILE names, or from a person at a terminal.
Only commands ask for it (`ask`); a server never does.
"""

from __future__ import annotations

import os
import secrets
import stat
from collections.abc import Callable
from pathlib import Path
from typing import Final, final

from msgspec import Struct

from soid.case.custody.ed25519 import UNLOCK, SigningKey, new_key, signing_key
from soid.errors import CaseError, InputError, LockedKey

VARIABLE: Final = "SOID_KEY"
UNSIGNED: Final = "none"
PASSPHRASE: Final = "SOID_KEY_PASSPHRASE"
PASSPHRASE_FILE: Final = "SOID_KEY_PASSPHRASE_FILE"

#: asks a person for the passphrase of a key file
Ask = Callable[[Path], str]


@final
class AuthorKey(Struct, frozen=True):
    """The key that entries are signed with."""

    key: SigningKey | None  # None: entries stay unsigned
    file: Path | None = None
    made: bool = False  # just now
    warning: str = ""  # what the person should know about it


def key_file() -> Path | None:
    """Where the key is, or will be; None if entries are to stay unsigned."""
    named = os.environ.get(VARIABLE, "").strip()
    if named:
        return None if named == UNSIGNED else Path(named)
    base = os.environ.get("XDG_CONFIG_HOME")
    return (Path(base) if base else Path.home() / ".config") / "soid" / "key.pem"


def author_key(ask: Ask | None = None) -> AuthorKey:
    """Read the key, or make it; without `ask`, a passphrase that the environment does not give is a LockedKey."""
    try:
        file = key_file()
    except RuntimeError:  # an account without a home
        return _without("this account has no home folder to keep a key in")
    if file is None:
        return AuthorKey(None)
    try:
        made = not file.exists()
        if made:
            _make(file)
    except OSError as error:
        if os.environ.get(VARIABLE, "").strip():
            problem = f"the key {file} cannot be made: {error.strerror or error}"
            raise CaseError(problem, f"Name another file with {VARIABLE}, or {UNSIGNED}: without a key.") from error
        return _without(f"no key can be kept in {file}: {error.strerror or error}")
    return AuthorKey(opened(file, ask), file, made, _seen_by_others(file))


def opened(file: Path, ask: Ask | None, *, error: type[InputError] = CaseError) -> SigningKey:
    """The key of a file; the passphrase is looked for only if there is one."""
    try:
        return signing_key(file, error=error)
    except LockedKey:
        passphrase = given_passphrase()
        if passphrase is None and ask is not None:
            passphrase = ask(file).encode()
        return signing_key(file, passphrase, error=error)


def protect(file: Path, key: SigningKey, passphrase: str) -> None:
    """Encrypt the key file with another passphrase; with none if it is empty."""
    draft = file.with_name(f".{file.name}.{secrets.token_hex(8)}")
    try:
        _write(draft, key.pem(passphrase.encode() or None))
        draft.replace(file)
    except OSError as error:
        raise CaseError(f"the key {file} cannot be written: {error.strerror or error}", "It is as it was.") from error
    finally:
        draft.unlink(missing_ok=True)


def given_passphrase() -> bytes | None:
    """The passphrase from the environment; None if it gives none."""
    if direct := os.environ.get(PASSPHRASE):
        return direct.encode()
    file = os.environ.get(PASSPHRASE_FILE)
    if not file:
        return None
    try:
        lines = Path(file).read_bytes().splitlines()
    except OSError as error:
        raise CaseError(f"{PASSPHRASE_FILE}: {file}: {error.strerror or error}", UNLOCK) from error
    return lines[0] if lines and lines[0] else None


def _without(why: str) -> AuthorKey:
    return AuthorKey(None, warning=f"entries are not signed: {why}; name a file for your key with {VARIABLE}")


def _make(file: Path) -> None:
    """Make a new key; if another process makes one at the same time, the first one counts."""
    file.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    draft = file.with_name(f".{file.name}.{secrets.token_hex(8)}")
    try:
        _write(draft, new_key().pem(given_passphrase()))
        try:
            os.link(draft, file)
        except FileExistsError:
            pass
        except OSError:  # a file system without links
            draft.rename(file)
    finally:
        draft.unlink(missing_ok=True)


def _write(file: Path, data: bytes) -> None:
    handle = os.open(file, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    with os.fdopen(handle, "wb") as opened_file:
        opened_file.write(data)
        opened_file.flush()
        os.fsync(handle)


def _seen_by_others(file: Path) -> str:
    mode = file.stat().st_mode
    if stat.S_IMODE(mode) & 0o077:
        return f"others on this machine may read your key {file}: `chmod 600` it"
    return ""
