"""Where commands and helpers meet: a folder that its user alone may enter, and in it a socket for each helper.

This is loaded by every command before anything else, and so imports next to nothing: `_socket` is what Python's module
`socket` is made of, which would take as long to load as all the rest.
"""

from __future__ import annotations

import _socket
import os
import stat
import sys
from binascii import crc32

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Final

RESIDENT: Final = "soid.cli.helper.resident"

#: the environment variable that switches helpers off, or says after how many idle minutes they end
VARIABLE: Final = "SOID_HELPER"
IDLE_MINUTES: Final = 10.0

#: a file that switches helpers off for the user: `soid helper off`
_OFF: Final = "helper-off"

_PEER: Final = 12  # bytes of SO_PEERCRED: the process, its user, its group


def folder() -> str:
    """The folder of this user's sockets; it need not exist."""
    runtime = os.environ.get("XDG_RUNTIME_DIR")
    return f"{runtime}/soid" if runtime else f"/tmp/soid-{os.geteuid()}"


def is_private(path: str) -> bool:
    """Whether this is a folder of this user's, which no one else may enter."""
    try:
        found = os.lstat(path)
    except OSError:
        return False
    return stat.S_ISDIR(found.st_mode) and found.st_uid == os.geteuid() and not found.st_mode & 0o077


def socket_name(state: bytes) -> str:
    """The name of the socket of the helper with this state; the helper compares the state itself."""
    return f"{crc32(state):08x}.socket"


def peer(connection: _socket.socket) -> tuple[int, int]:
    """The process at the other end and its user, as the kernel knows them."""
    found = connection.getsockopt(_socket.SOL_SOCKET, _socket.SO_PEERCRED, _PEER)
    process, user = (int.from_bytes(found[at : at + 4], sys.byteorder) for at in (0, 4))
    return process, user


def idle_minutes() -> float:
    """The minutes after which an idle helper ends; 0: the user wants none."""
    said = os.environ.get(VARIABLE, "")
    if said in ("off", "no", "0") or os.environ.get("CI") or _is_switched_off():
        return 0.0
    try:
        return max(0.0, float(said))
    except ValueError:
        return IDLE_MINUTES


def switch_file() -> str:
    """The file that is there while helpers are switched off."""
    configuration = os.environ.get("XDG_CONFIG_HOME") or os.path.expanduser("~/.config")  # noqa: PTH111
    return f"{configuration}/soid/{_OFF}"


def _is_switched_off() -> bool:
    return os.path.exists(switch_file())  # noqa: PTH110
