"""The token file of a folder of cases: who may come in, and what they may do.

It has no token, only what recognises one: a hash of a proof that is computed from the token. A browser that has shown
its token keeps the proof as its cookie. So neither the file nor a cookie gives the token, and the file gives no cookie.

>>> import tempfile
>>> scratch = tempfile.TemporaryDirectory()
>>> tokens = TokenFile.at(Path(scratch.name))
>>> token = tokens.make("ada", UserRole.COMMENT)
>>> user = tokens.user(proof_of(token))
>>> user.name, user.role.value, user.key == key_of(proof_of(token)), tokens.user("guessed")
('ada', 'comment', True, None)
>>> tokens.revoke("ada"), tokens.user(proof_of(token))
(('ada',), None)
>>> scratch.cleanup()
"""

from __future__ import annotations

import fcntl
import hashlib
import hmac
import json
import os
import re
import secrets
import stat
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Final, Self, final

from msgspec import Struct, ValidationError, convert, to_builtins

from soid.errors import InputError
from soid.web.user import User, UserRole

FILE_NAME: Final = "soid-tokens.json"
_FORMAT: Final = "soid tokens 1"
_NAME: Final = re.compile(r"[^\W_][\w .@+-]{0,59}")
_SPARED: Final = "Make it anew, or go back to a copy: nobody comes in by this file as it is."

#: what tells that a file is another one than before; None: there is none
_Mark = tuple[int, int, int] | None


@final
class KnownToken(Struct, frozen=True):
    """A token, by what recognises it."""

    name: str  # of the person who has it
    role: UserRole
    key: str  # its id, which entries of its owner carry
    proof: str  # the hash of its proof
    made: str  # when, in UTC

    @property
    def user(self) -> User:
        return User(self.name, self.role, self.key)


def new_token() -> str:
    return secrets.token_urlsafe(24)


def proof_of(token: str) -> str:
    """What a browser keeps of a token; the token cannot be computed from it."""
    return hmac.new(token.encode("utf-8", "surrogateescape"), b"soid cookie", hashlib.sha256).hexdigest()


def recognised_by(proof: str) -> str:
    """What the file has of a token; the proof cannot be computed from it."""
    return hashlib.sha256(b"soid proof " + proof.encode("utf-8", "surrogateescape")).hexdigest()


def key_of(proof: str) -> str:
    """The id of a token: with the token one can show that an entry carries its id."""
    return hashlib.sha256(b"soid key " + proof.encode("utf-8", "surrogateescape")).hexdigest()[:10]


@final
class TokenFile:
    """The tokens of a folder. A server reads the file again whenever it has changed; any thread may use it."""

    def __init__(self, file: Path) -> None:
        self.file = file
        self._lock = threading.Lock()
        self._mark: _Mark = None
        self._has_existed = False
        self._known: tuple[KnownToken, ...] = ()

    @classmethod
    def at(cls, folder: Path) -> Self:
        return cls(folder / FILE_NAME)

    @property
    def is_in_use(self) -> bool:
        """Whether a server on this folder demands a token. One that has seen the file does so from then on.

        A file that is moved away for a moment must not let everybody in.
        """
        self._has_existed = self._has_existed or os.path.lexists(self.file)
        return self._has_existed

    @property
    def known(self) -> tuple[KnownToken, ...]:
        """All tokens; InputError if the file cannot be trusted."""
        with self._lock:
            mark = self._marked()
            if mark != self._mark:
                self._known, self._mark = (() if mark is None else self._read()), mark
            return self._known

    def user(self, proof: str | None) -> User | None:
        """The user of a proof; None if there is none, or if the file cannot be trusted."""
        if proof is None:
            return None
        try:
            known = self.known
        except InputError:
            return None
        shown = recognised_by(proof)
        found = [each for each in known if hmac.compare_digest(each.proof, shown)]
        return found[0].user if found else None

    def has(self, key: str) -> bool:
        """Whether the token with this id lets its owner in; not if the file cannot be trusted."""
        try:
            return any(each.key == key for each in self.known)
        except InputError:
            return False

    def make(self, name: str, role: UserRole) -> str:
        """Add a token for a person; it is shown this once."""
        if not _NAME.fullmatch(name) or name != name.strip():
            raise InputError(f"{name!r:.80} is no name for a token", "Use letters, digits, blanks and . @ + - _ in it.")
        token = new_token()
        proof = proof_of(token)
        when = f"{datetime.now(UTC):%Y-%m-%dT%H:%M:%SZ}"
        self._change(lambda known: (*known, KnownToken(name, role, key_of(proof), recognised_by(proof), when)))
        return token

    def revoke(self, which: str) -> tuple[str, ...]:
        """Remove the token with this id, or all of a name; returns the names."""
        gone = [each for each in self.known if which in (each.name, each.key)]
        if not gone:
            raise InputError(f"there is no token of {which!r:.80}", "`soid token list` has those that there are.")
        self._change(lambda known: tuple(each for each in known if which not in (each.name, each.key)))
        return tuple(each.name for each in gone)

    # --- the file

    def _marked(self) -> _Mark:
        try:
            found = self.file.stat()
        except FileNotFoundError:
            return None
        except OSError as error:
            raise InputError(f"{self.file} cannot be read: {error.strerror or error}", _SPARED) from error
        return found.st_ctime_ns, found.st_size, found.st_ino

    def _read(self) -> tuple[KnownToken, ...]:
        try:
            handle = os.open(self.file, os.O_RDONLY | os.O_NOFOLLOW)
            with os.fdopen(handle, "rb") as opened:
                found = os.fstat(handle)
                if found.st_uid not in (os.geteuid(), 0) or stat.S_IMODE(found.st_mode) & 0o077:
                    raise InputError(f"others on this machine may use {self.file}", f"`chmod 600 {self.file}`.")
                return _parsed(self.file, opened.read())
        except FileNotFoundError:
            return ()
        except OSError as error:
            raise InputError(f"{self.file} cannot be read: {error.strerror or error}", _SPARED) from error

    def _change(self, change: Callable[[tuple[KnownToken, ...]], tuple[KnownToken, ...]]) -> None:
        """Write the file anew; two commands at once take turns."""
        with self._alone():
            listed = [to_builtins(each) for each in change(self._read())]
            draft = self.file.with_name(f".{self.file.name}.{secrets.token_hex(8)}")
            try:
                handle = os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
                with os.fdopen(handle, "w", encoding="utf-8") as opened:
                    json.dump({"format": _FORMAT, "tokens": listed}, opened, indent=1)
                    opened.flush()
                    os.fsync(handle)
                draft.replace(self.file)
            except OSError as error:
                raise InputError(
                    f"{self.file} cannot be written: {error.strerror or error}", "It is as it was."
                ) from error
            finally:
                draft.unlink(missing_ok=True)

    @contextmanager
    def _alone(self) -> Iterator[None]:
        try:
            folder = os.open(self.file.parent, os.O_RDONLY)
        except OSError as error:
            problem = f"{self.file.parent} cannot be opened: {error.strerror or error}"
            raise InputError(problem, "Name the folder with the cases.") from error
        try:
            fcntl.flock(folder, fcntl.LOCK_EX)
            yield
        finally:
            os.close(folder)


def _parsed(file: Path, data: bytes) -> tuple[KnownToken, ...]:
    try:
        content: Any = json.loads(data)
        if not isinstance(content, dict) or content.get("format") != _FORMAT:
            raise ValueError
        return convert(content.get("tokens"), tuple[KnownToken, ...])
    except (ValueError, ValidationError, RecursionError):
        raise InputError(f"{file} is no file of tokens as soid writes it", _SPARED) from None
