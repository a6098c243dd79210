"""What goes over the pipe between the desk and a worker: JSON, so that nothing that comes out of it is ever run."""

from __future__ import annotations

import json
from collections.abc import Mapping
from multiprocessing.connection import Connection
from typing import Any

from msgspec import to_builtins

from soid.oracle.inquiry import Settings
from soid.recipe import Mechanisms, Recipe

Message = Mapping[str, Any]


def send(connection: Connection, message: Message) -> None:
    connection.send_bytes(json.dumps(message).encode("ascii"))


def receive(connection: Connection) -> dict[str, Any] | None:
    """The next message; None: nobody is at the other end."""
    try:
        message = json.loads(connection.recv_bytes())
    except (EOFError, OSError):
        return None
    assert isinstance(message, dict)
    return message


def settings_json(settings: Settings) -> dict[str, Any]:
    """What questions may cost, on its way to a worker.

    >>> settings_from(settings_json(Settings(seconds=7.0))) == Settings(seconds=7.0)
    True
    """
    written = to_builtins(settings)
    assert isinstance(written, dict)
    return written


def settings_from(given: Message) -> Settings:
    recipe = given["recipe"]
    mechanisms = Mechanisms(**recipe["mechanisms"])
    return Settings(**{**given, "recipe": Recipe(recipe["name"], mechanisms, tuple(recipe["solvers"]))})
