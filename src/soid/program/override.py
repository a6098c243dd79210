"""Manifest entries for variables that an engine finds in the program itself.

    "world.agents[*].pos_x" = { unit = "m", domain = [0.0, 100.0], logged = { decimals = 3 } }
    "out.reason"            = { labels = { NONE = 0, TOO_CLOSE = 1 } }
    count                   = { role = "state", initial = 0 }

Every key may be left out; then the variable keeps what the engine found. A star stands for every index. Labels turn an
integer into an enumeration. A type is optional; if an entry has one, it must be the type that the program has.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import Final, final

from msgspec.structs import replace

from soid.program.interface import Role, Variable, covers
from soid.program.toml_table import TomlTable
from soid.program.types import EnumType, FloatType, IntType, VariableType
from soid.program.variable_table import (
    read_bits,
    read_decimals,
    read_domain,
    read_labels,
    read_path,
    read_role,
    read_says,
    read_type,
)

_PATH: Final = re.compile(r"\**[^\W\d]\w*(?:\(\))?(?:(?:\.|::?)[^\W\d]\w*(?:\(\))?|\[(?:[0-9]+|\*)\])*")
_KEYS: Final = ("role", "type", "labels", "width", "signed", "domain", "unit", "label", "says", "initial", "logged")


@final
@dataclass(frozen=True, slots=True)
class Declaration:
    """One entry of the [variables] of a program in C."""

    path: str  # of one variable, or with a star of several
    entry: TomlTable = field(compare=False, repr=False)

    @classmethod
    def read(cls, entry: TomlTable, path: str) -> Declaration:
        """The entry; this checks all that does not need the program."""
        kept = read_path(entry, path, _PATH)
        for key in _KEYS:
            entry.get(key)
        entry.close()
        return cls(kept, entry)

    def speaks_of(self, path: str) -> bool:
        """Whether the entry is for the variable of this path."""
        return covers(self.path, path)

    @property
    def stated_type(self) -> VariableType | None:
        """The type that the entry gives, if it gives one."""
        return read_type(self.entry) if "type" in self.entry else None

    def completed(self, found: Variable) -> Variable:
        """The variable that the engine found, with the changes of the entry."""
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
        words = {"unit": entry.words("unit") or found.unit, "label": entry.words("label") or found.label}
        return replace(made, **words, says=read_says(entry, role, kind) or found.says)

    def _type(self, found: VariableType) -> VariableType:
        """The type of the variable: the program's type, with labels if the entry has them."""
        entry = self.entry
        if entry.get("labels") is not None and entry.get("type") in (None, "enum"):
            return self._labelled(found)
        for key in ("labels", "width", "signed"):
            if key in entry:
                entry.fail(key, f"the program itself says what {self.path} is: {found}", f"Leave {key} out.")
        if entry.get("type") == "enum" and isinstance(found, EnumType):
            return found
        same = FloatType(found.format) if isinstance(found, FloatType) else found
        if "type" in entry and read_type(entry) != same:
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
        if isinstance(found, EnumType):
            return replace(found, labels=pairs)
        return EnumType("", found.width, found.signed, pairs)


def completed_by(variable: Variable, declarations: tuple[Declaration, ...]) -> Variable:
    """The variable with what the manifest says about it; of several entries the last one counts."""
    found = variable
    for each in declarations:
        if each.speaks_of(variable.path):
            found = each.completed(found)
            if (variable.role is Role.INTERNAL) != (found.role is Role.INTERNAL):
                each.entry.fail("role", f"{variable.path} cannot be {found.role.value}", "Leave the role out.")
    return found
