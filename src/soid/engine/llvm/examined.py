"""What a program reads and writes, kept: finding it out takes longer than reading the program."""

from __future__ import annotations

import json

from soid.cache import cache_folder, digest, keep, kept
from soid.engine.code_version import this_soid
from soid.engine.llvm.program import LoadedProgram
from soid.engine.llvm.roles import Examined, examine


def examined(loaded: LoadedProgram, inputs_from: frozenset[str] = frozenset()) -> Examined:
    """What `examine` finds; the same program is looked at once."""
    if not loaded.digest:
        return examine(loaded, inputs_from)
    regions = repr((loaded.entry.name, loaded.places.regions))
    name = digest(this_soid(), loaded.digest, regions, *sorted(inputs_from))
    place = cache_folder() / "examined" / f"{name}.json"
    content = kept(place)
    if content is not None:
        read, written, reached = json.loads(content)
        return Examined(dict(read), dict(written), frozenset(reached))
    found = examine(loaded, inputs_from)
    parts = [list(found.read.items()), list(found.written.items()), sorted(found.reached)]
    keep(place, json.dumps(parts).encode())
    return found
