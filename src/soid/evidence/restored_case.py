"""A bundle as a case again: its record entry by entry, with the same hashes, and the files of the project.

What follows is the reader's own: a first note says what the case was made of.
"""

from __future__ import annotations

import hashlib
from pathlib import Path

from soid.case.case import Case
from soid.case.record.record import Record
from soid.evidence.verify import held_by


def restore(bundle: Path, file: Path, *, who: str | None = None, name: str = "") -> Case:
    """Make a case of a bundle whose form, hashes and chain are right; BundleError says why it is refused.

    Whether its facts are true is not looked at: `verify` does. Its program is a stranger's, as that of every case from
    elsewhere. `name` is what the bundle is called, if not as here.
    """
    entries, project = held_by(bundle)
    Record.restore(file, entries, {hashlib.sha256(data).hexdigest(): data for data in project.values()})
    case = Case.open(file, who=who)
    sealed = hashlib.sha256(bundle.read_bytes()).hexdigest()
    case.note_origin(name or bundle.name, sealed)
    return case
