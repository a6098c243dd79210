"""What a manifest says of a variable that is found in the program itself.

    "world.agents[*].pos_x" = { unit = "m", domain = [0.0, 100.0], logged = { decimals = 3 } }
    "out.reason"            = { labels = { NONE = 0, TOO_CLOSE = 1 } }
    count                   = { role = "state", initial = 0 }

Everything may be left out, and what is left out stays as it was found. A star stands for every index. Labels make an
enumeration of an integer. A type is not needed; where it is given, it must be the one that the program has.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import Final, final

from msgspec.structs import replace

from soid.program.interface import Variable, normal_path
from soid.program.toml_table import TomlTable
from soid.program.types import EnumType, IntType, VariableType
from soid.program.variable_table import (
    read_bits,
    read_decimals,
    read_domain,
    read_labels,
    read_role,
    read_type,
    refuse_unquoted_path,
)

_PATH: Final = re.compile(r"\**[A-Za-z_]\w*(?:\(\))?(?:[.:][A-Za-z_]\w*|\[(?:\d+|\*)\])*", re.ASCII)
_KEYS: Final = ("role", "type", "labels", "width", "signed", "domain", "unit", "label", "initial", "logged")


@final
@dataclass(frozen=True, slots=True)
class Declaration:
    """One entry of the [variables] of a program in C."""

    path: str  # of a variable, or of several: a star stands for every index
    entry: TomlTable = field(compare=False, repr=False)

    @classmethod
    def read(cls, entry: TomlTable, path: str) -> Declaration:
        """The entry, checked as far as it can be without the program."""
        kept = normal_path(path)
        if not _PATH.fullmatch(kept):
            entry.fail("", f"{path!r} is no path", 'Write it as the program does: speed, "world.agents[1].pos_x".')
        refuse_unquoted_path(entry, path)
        for key in _KEYS:
            entry.get(key)
        entry.close()
        return cls(kept, entry)

    def speaks_of(self, path: str) -> bool:
        """Whether it is about the variable of this path.

        >>> from soid.program.toml_table import TomlOrigin
        >>> entry = TomlTable(TomlOrigin("soid.toml", ""), (), {})
        >>> Declaration("a[*].x", entry).speaks_of("a[12].x"), Declaration("a[*].x", entry).speaks_of("a[1].xs")
        (True, False)
        """
        if "[*]" not in self.path:
            return self.path == path
        pattern = re.escape(self.path).replace(re.escape("[*]"), r"\[\d+\]")
        return re.fullmatch(pattern, path) is not None

    def completed(self, found: Variable) -> Variable:
        """The variable as it was found, with what the entry says of it."""
        entry = self.entry
        role = read_role(entry) if "role" in entry else found.role
        kind = self._type(found.type)
        domain = read_domain(entry, role, kind) if "domain" in entry else found.domain
        initial = entry.get("initial")
        decimals = read_decimals(entry, kind) if "logged" in entry else found.decimals
        made = replace(found, role=role, type=kind, domain=domain, decimals=decimals)
        if initial is not None:
            if not made.is_input:
                entry.fail("initial", f"a variable of role {role.value} has no initial value", "Only inputs have one.")
            made = replace(made, initial=read_bits(entry, "initial", kind, initial))
        return replace(made, unit=entry.text("unit") or found.unit, label=entry.text("label") or found.label)

    def _type(self, found: VariableType) -> VariableType:
        """The type of the variable: the program's, perhaps with labels for its numbers."""
        entry = self.entry
        if entry.get("labels") is not None and entry.get("type") in (None, "enum"):
            return self._labelled(found)
        for key in ("labels", "width", "signed"):
            if key in entry:
                entry.fail(key, f"the program itself says what {self.path} is: {found}", f"Leave {key} out.")
        if entry.get("type") == "enum" and isinstance(found, EnumType):
            return found
        if "type" in entry and read_type(entry) != found:
            entry.fail("type", f"in the program it is {found}", "Leave the type out, or correct it.")
        return found

    def _labelled(self, found: VariableType) -> EnumType:
        entry = self.entry
        if not isinstance(found, IntType | EnumType):
            entry.fail("labels", f"labels are for integers, and in the program it is {found}", "Leave them out.")
        if entry.integer("width") not in (None, found.width):
            entry.fail("width", f"in the program it is {found.width} bits wide", "Leave the width out.")
        if entry.flag("signed") not in (None, found.signed):
            entry.fail("signed", f"in the program it is {'' if found.signed else 'not '}signed", "Leave it out.")
        pairs = read_labels(entry, entry.get("labels"))
        holder = IntType(found.width, found.signed)
        for label, number in pairs:
            if not holder.least <= number <= holder.greatest:
                entry.fail("labels", f"{label} = {number} does not fit {holder}", "Give the numbers that it can have.")
        return EnumType(found.name if isinstance(found, EnumType) else "", found.width, found.signed, pairs)
