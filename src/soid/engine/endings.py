"""How a path ended, as JSON and back."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, assert_never

from soid.engine.summary import Decided, Ending, Failed, Location, Undecided, Unexplored


def ending_json(ending: Ending) -> dict[str, Any]:
    match ending:
        case Decided():
            return {"is": "decided"}
        case Failed(kind, where):
            return {"is": "failed", "text": kind, "where": _place_json(where)}
        case Undecided(detail, window):
            return {"is": "undecided", "text": detail, "window": window}
        case Unexplored(reason, where, late):
            return {"is": "unexplored", "text": reason, "where": _place_json(where), "out_of_time": late}
        case _:
            assert_never(ending)


def ending_of(kept: Mapping[str, Any]) -> Ending:
    match kept["is"]:
        case "failed":
            return Failed(kept["text"], _place(kept["where"]))
        case "undecided":
            return Undecided(kept["text"], kept["window"])
        case "unexplored":
            return Unexplored(kept["text"], _place(kept["where"]), kept.get("out_of_time", False))
        case "decided":
            return Decided()
        case other:
            raise ValueError(f"no path ends like this: {other}")


def _place_json(where: Location | None) -> list[Any] | None:
    return None if where is None else [where.file, where.line]


def _place(kept: list[Any] | None) -> Location | None:
    return None if kept is None else Location(kept[0], kept[1])
