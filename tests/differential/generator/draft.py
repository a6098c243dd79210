"""A program while it is being written: its file-scope things (Draft) and one function of it (Body).

Expressions carry the interval of values they can take. That is what makes SAFE programs safe by construction while
still reading like ordinary C: `count + 1` needs no guard where the interval shows that it cannot overflow.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import TypeVar

from .model import Mode, Port
from .scalars import BOOL, CHAR, DOUBLE, FLOAT, HALF, INTEGERS, CType, TypeKind

__all__ = ["ArrayPlace", "Body", "Draft", "Expr", "Field", "Place", "StructPlace", "StructType", "bare", "spelled"]

T = TypeVar("T")

GUARD_LEFT_OUT = 0.3  # chance for each guard of a FAULTY program
MOST_FAULT_SITES = 6  # more, and hardly an input would come through


@dataclass(frozen=True, slots=True)
class Expr:
    """An expression without side effects that could upset its own guards."""

    text: str
    ctype: CType
    low: int = 0  # interval of an integer expression; unused for floats
    high: int = 0
    constant: bool = False  # a literal: kept from meeting only literals, which compilers fold and warn about


@dataclass(frozen=True, slots=True)
class Place:
    """A scalar object in scope."""

    text: str
    ctype: CType
    low: int
    high: int
    writable: bool

    @property
    def expr(self) -> Expr:
        """Its value."""
        return Expr(self.text, self.ctype, self.low, self.high)


@dataclass(frozen=True, slots=True)
class ArrayPlace:
    """An array object in scope, by its name or by a pointer to its first element."""

    text: str
    element: CType
    length: int
    writable: bool
    is_pointer: bool = False  # reached through a bare pointer: the compiler's bounds trap cannot see its length
    before: int = 0  # elements that the pointer leaves behind it, reachable by a negative index
    alone: bool = False  # the array is a whole object, so that leaving it by a pointer is leaving the object


@dataclass(frozen=True, slots=True)
class Field:
    """A struct's member; length 0 is a scalar or struct, otherwise an array of scalars."""

    name: str
    ctype: CType | StructType
    length: int = 0


@dataclass(frozen=True, slots=True)
class StructType:
    """A struct of the program."""

    tag: str
    fields: tuple[Field, ...]

    @property
    def name(self) -> str:
        """As written in a declaration."""
        return f"struct {self.tag}"

    def leaves(self, prefix: str) -> Iterator[tuple[str, CType]]:
        """Every scalar in it: `prefix.pos.x`, `prefix.hist[1]`."""
        for member in self.fields:
            path = f"{prefix}.{member.name}"
            if isinstance(member.ctype, StructType):
                yield from member.ctype.leaves(path)
            elif member.length:
                for i in range(member.length):
                    yield f"{path}[{i}]", member.ctype
            else:
                yield path, member.ctype

    def declaration(self) -> list[str]:
        """Its definition at file scope."""
        rows = [f"    {spelled(f.ctype, f.name, f.length)};" for f in self.fields]
        return [f"{self.name} {{", *rows, "};"]


@dataclass(frozen=True, slots=True)
class StructPlace:
    """A struct object in scope."""

    text: str  # as an lvalue: box, (*p) is written p-> by `member`
    struct: StructType
    writable: bool
    through: bool = False  # text is a pointer to it

    def member(self, name: str) -> str:
        """The lvalue of a member."""
        return f"{self.text}{'->' if self.through else '.'}{name}"

    @property
    def value(self) -> str:
        """The whole struct as an lvalue."""
        return f"*{self.text}" if self.through else self.text

    @property
    def address(self) -> str:
        """A pointer to it."""
        return self.text if self.through else f"&{self.text}"


def spelled(ctype: CType | StructType, name: str, length: int = 0) -> str:
    """A declarator: `int8_t hist[4]`."""
    return f"{ctype.name} {name}[{length}]" if length else f"{ctype.name} {name}"


def bare(text: str) -> str:
    """The text without parentheses that enclose all of it: `(a + b)` is `a + b`, `(a) + (b)` stays."""
    if not text.startswith("("):
        return text
    depth = 0
    for position, letter in enumerate(text):
        depth += (letter == "(") - (letter == ")")
        if depth == 0:
            return text[1:-1] if position == len(text) - 1 else text
    return text


@dataclass(slots=True)
class Draft:
    """The program as far as it is written."""

    rng: random.Random
    mode: Mode
    half: bool  # whether _Float16 may occur
    enums: list[CType] = field(default_factory=list)
    structs: list[StructType] = field(default_factory=list)  # inner ones: copied, passed, pointed to
    file_scope: list[str] = field(default_factory=list)  # finished lines of source
    symbols: list[str] = field(default_factory=list)  # file-scope names
    features: set[str] = field(default_factory=set)
    fault_sites: list[str] = field(default_factory=list)
    calls: list[Callable[[Body, int], Expr]] = field(default_factory=list)  # expression makers of finished functions
    actions: list[Callable[[Body], None]] = field(default_factory=list)  # statement makers of finished functions
    tables: list[ArrayPlace] = field(default_factory=list)
    grids: list[tuple[str, CType, int, int]] = field(default_factory=list)  # name, element, rows, columns
    records: list[tuple[str, StructType, int]] = field(default_factory=list)  # constant arrays of structs
    globals: list[Place] = field(default_factory=list)
    local_statics: list[tuple[Port, int]] = field(default_factory=list)  # with the bits of the initialiser
    _used: dict[str, int] = field(default_factory=dict)

    def chance(self, probability: float) -> bool:
        """True with this probability."""
        return self.rng.random() < probability

    def pick(self, items: Sequence[T]) -> T:
        """One of them."""
        return items[self.rng.randrange(len(items))]

    def between(self, low: int, high: int) -> int:
        """An integer of the closed interval."""
        return self.rng.randint(low, high)

    def note(self, *features: str) -> None:
        """Record that the program has these features."""
        self.features.update(features)

    def name(self, base: str) -> str:
        """A name no other thing of the program has, so that nothing shadows and renaming is safe."""
        count = self._used.get(base, 0)
        self._used[base] = count + 1
        return base if count == 0 else f"{base}_{count + 1}"

    def symbol(self, base: str) -> str:
        """A fresh name at file scope."""
        name = self.name(base)
        self.symbols.append(name)
        return name

    def drops_guard(self, kind: str, probability: float = GUARD_LEFT_OUT) -> bool:
        """Whether this guard is left out; if so, the site is on record."""
        if self.mode is Mode.SAFE or len(self.fault_sites) >= MOST_FAULT_SITES or not self.chance(probability):
            return False
        self.fault_sites.append(kind)
        return True

    def scalar_type(self) -> CType:
        """A random scalar type, ordinary ones more often."""
        roll = self.rng.random()
        if roll < 0.5:
            return self.pick(INTEGERS)
        if roll < 0.6:
            return self.pick((BOOL, CHAR))
        if roll < 0.7 and self.enums:
            return self.pick(self.enums)
        return self.float_type()

    def float_type(self) -> CType:
        """A random floating type."""
        if self.half and self.chance(0.15):
            return HALF
        return self.pick((FLOAT, DOUBLE))


@dataclass(slots=True)
class Body:
    """One function's body while it is being written."""

    draft: Draft
    returns: CType | None
    places: list[Place] = field(default_factory=list)
    arrays: list[ArrayPlace] = field(default_factory=list)
    boxes: list[StructPlace] = field(default_factory=list)
    lines: list[str] = field(default_factory=list)
    indent: int = 1
    loops: int = 0  # loops around the current point
    nesting: int = 0  # compound statements around the current point

    def emit(self, line: str) -> None:
        """Append a line at the current indentation."""
        self.lines.append("    " * self.indent + line)

    @contextmanager
    def block(self, opening: str, closing: str | None = "}", *, loop: bool = False) -> Iterator[None]:
        """A compound statement: what is declared inside goes out of scope at its end. No closing: an else follows."""
        self.emit(opening)
        marks = len(self.places), len(self.arrays), len(self.boxes)
        self.indent += 1
        self.nesting += 1
        self.loops += loop
        yield
        self.loops -= loop
        self.nesting -= 1
        self.indent -= 1
        del self.places[marks[0] :], self.arrays[marks[1] :], self.boxes[marks[2] :]
        if closing is not None:
            self.emit(closing)

    def add(self, text: str, ctype: CType, *, writable: bool) -> Place:
        """Bring a scalar into scope."""
        place = Place(text, ctype, *((0, 0) if ctype.is_float else (ctype.low, ctype.high)), writable)
        self.places.append(place)
        return place

    def add_struct(self, box: StructPlace, *, whole: bool = True) -> None:
        """Bring a struct with all its members into scope."""
        if whole:
            self.boxes.append(box)
        for member in box.struct.fields:
            text = box.member(member.name)
            if isinstance(member.ctype, StructType):
                self.add_struct(StructPlace(text, member.ctype, box.writable))
            elif member.length:
                self.arrays.append(ArrayPlace(text, member.ctype, member.length, box.writable))
            else:
                self.add(text, member.ctype, writable=box.writable)

    def temporary(self, value: Expr, base: str = "t") -> Expr:
        """Bind a value to a fresh constant: guards may then name it twice."""
        name = self.draft.name(base)
        self.emit(f"const {value.ctype.name} {name} = {bare(value.text)};")
        return Expr(name, value.ctype, value.low, value.high)

    def targets(self, kind: TypeKind | None = None) -> list[Place]:
        """Scalars that may be assigned."""
        return [p for p in self.places if p.writable and (kind is None or p.ctype.kind is kind)]
