"""Arrays of bytes, as symbolic executors write memory, turned into bit-vectors and table look-ups.

    (declare-fun x () (Array (_ BitVec 32) (_ BitVec 8)))
    (assert (bvult (concat (select x (_ bv1 32)) (select x (_ bv0 32))) #x0100))

becomes `(bvult x #x0100)` over one variable x of 16 bits; byte i is in its bits 8i to 8i+7. Only the whole script tells
how many bytes an array has and which bytes assertions fix. Until then a variable stands for each byte, and for each
read at an index that is not constant; `ArrayMemory.settle` replaces these variables.

A read at an index that is not constant becomes a look-up if every byte is known: fixed by unnamed assertions such as
`(= (select table (_ bv0 32)) (_ bv7 8))`, or by stores. SMT-LIB leaves the value past the known bytes open, so an
obligation says that the index lies among them. The reader refuses all other reads and names the array.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, field
from typing import Final, final

from msgspec import Struct

from soid.formula import build
from soid.formula import operators as ops
from soid.formula.constant_table import ConstantTable
from soid.formula.operators import CONST
from soid.formula.passes import flatten_and, substitute
from soid.formula.smtlib.sexpr import SmtLibText
from soid.formula.sorts import BOOL, BitVec
from soid.formula.term import Term

BYTE: Final = BitVec(8)
MAX_BYTES: Final = 1 << 20  # of one array
_KLEE_CONSTANT: Final = "const_arr"  # prefix of KLEE's arrays that hold a program's constants


@final
@dataclass(slots=True, eq=False)
class Array:
    """A declared or a constant array, and the bytes stored to it one after the other."""

    index: BitVec  # sort of the index
    name: str | None  # of the declared array before all stores
    default: Term | None = None  # every byte of the constant array before all stores
    below: Array | None = None  # the array before the last store
    stored: tuple[int, Term] | None = None  # the last store: index and byte
    _contents: dict[int, Term] | None = field(default=None, repr=False)

    @property
    def title(self) -> str:
        return self.name or "the constant array"

    def store(self, at: int, value: Term) -> Array:
        return Array(self.index, self.name, self.default, self, (at, value))

    def contents(self) -> dict[int, Term]:
        """The stored bytes; the last store to a place counts. They are cached, because reads come in groups."""
        if self._contents is None:
            chain: list[Array] = [self]
            while chain[-1].below is not None and chain[-1]._contents is None:
                chain.append(chain[-1].below)
            result = dict(chain[-1]._contents or {})
            result.update(array.stored for array in reversed(chain) if array.stored is not None)
            self._contents = result
        return self._contents


@final
class _Read(Struct, frozen=True):
    """A read at an index that is not constant, until the bytes of the array are known."""

    value: Term  # the variable that stands for the byte
    bound: Term  # the variable that stands for "the index lies among the known bytes"
    array: Array
    index: Term
    at: int  # offset in the text


@final
class ArrayMemory:
    """All arrays of one script."""

    def __init__(self, source: SmtLibText, sizes: Mapping[str, int], constants: Collection[str]) -> None:
        self._source = source
        self._given = sizes
        self._constants = constants
        self._declared: list[str] = []
        self._bytes: dict[Term, tuple[str, int]] = {}  # by the variable of a byte: its array and its number
        self._used: dict[str, int] = {}  # the largest index read of each array
        self._reads: list[_Read] = []
        self.sizes: dict[str, int] = {}  # bytes of each declared array, after settle()
        self.fixed: dict[str, bytes] = {}  # arrays that turned out to be constants, after settle()

    # --- while the script is being read -------------------------------------------------------------------------

    def declare(self, name: str, index: BitVec) -> Array:
        self._declared.append(name)
        return Array(index, name)

    def select(self, array: Array, index: Term, at: int) -> tuple[Term, Term]:
        """The byte, and the obligation of this read."""
        if index.op is CONST:
            return self._byte(array, index.value, at), build.TRUE
        number = len(self._reads)
        read = _Read(build.var(f"\0read.{number}", BYTE), build.var(f"\0bound.{number}", BOOL), array, index, at)
        self._reads.append(read)
        return read.value, read.bound

    def _byte(self, array: Array, number: int, at: int) -> Term:
        stored = array.contents().get(number, array.default)
        if stored is not None:
            return stored
        name = array.name
        assert name is not None
        limit = self._given.get(name, MAX_BYTES)
        if number >= limit:
            raise self._source.error(
                at,
                f"{name} is read at byte {number}, but has {limit} bytes",
                "Give the array's true size." if name in self._given else "Larger arrays are not read.",
            )
        self._used[name] = max(number, self._used.get(name, 0))
        variable = build.var(f"\0byte.{number}.{name}", BYTE)
        self._bytes[variable] = (name, number)
        return variable

    # --- when it is complete ------------------------------------------------------------------------------------

    def settle(self, unnamed: Iterable[Term], terms: list[Term]) -> list[Term]:
        """The terms over whole variables; `unnamed` are the assertions that always hold."""
        if not self._declared and not self._reads:
            return terms
        facts = self._facts(unnamed)
        known = self._eliminated(facts)
        for read in self._reads:
            index = substitute([read.index], known)[0]
            known[read.value], known[read.bound] = self._lookup(read, index, facts, known)
        terms = substitute(terms, known)
        return substitute(terms, self._variables())

    def _facts(self, unnamed: Iterable[Term]) -> dict[str, dict[int, Term]]:
        """The bytes that assertions fix. The first assertion counts; a later, different one remains an assertion."""
        facts: dict[str, dict[int, Term]] = {}
        for term in flatten_and(unnamed):
            if term.op is ops.EQ:
                for one, other in (term.args, term.args[::-1]):
                    if one in self._bytes and other.op is CONST:
                        name, number = self._bytes[one]
                        facts.setdefault(name, {}).setdefault(number, other)
        return facts

    def _eliminated(self, facts: Mapping[str, Mapping[int, Term]]) -> dict[Term, Term]:
        """Values for all bytes of the arrays that are constants of the program, so that these have no variables."""
        loose = {name for name, number in self._bytes.values() if number not in facts.get(name, {})}
        for name, row in facts.items():
            constant = name.startswith(_KLEE_CONSTANT) or name in self._constants
            if constant and name not in loose:
                self.fixed[name] = bytes(row[i].value if i in row else 0 for i in range(max(row) + 1))
        return {v: facts[name][i] for v, (name, i) in self._bytes.items() if name in self.fixed}

    def _lookup(
        self, read: _Read, index: Term, facts: Mapping[str, Mapping[int, Term]], known: dict[Term, Term]
    ) -> tuple[Term, Term]:
        """The value of a read, and the condition on its index under which this is the value."""
        array = read.array
        if index.op is CONST:
            byte = self._byte(array, index.value, read.at)
            name, number = self._bytes.get(byte, ("", 0))
            if name in self.fixed:
                byte = self._fixed_byte(read, facts[name], number)
            return substitute([byte], known)[0], build.TRUE
        rows: dict[int, Term] = dict(facts.get(array.name, {})) if array.name is not None else {}
        contents = array.contents()
        rows.update(zip(contents, substitute(contents.values(), known), strict=True))
        default = array.default if array.default is None else substitute([array.default], known)[0]
        size = max(rows, default=-1) + 1
        self._check_complete(read, rows, size, default)
        value = self._rows_and_default(index, rows, size, default)
        for number, byte in rows.items():
            if byte.op is not CONST:
                value = build.ite(build.eq(index, build.const(index.sort, number)), byte, value)
        return value, build.TRUE if default is not None else _below(index, size)

    def _fixed_byte(self, read: _Read, facts: Mapping[int, Term], number: int) -> Term:
        if number not in facts:
            raise self._source.error(
                read.at,
                f"{read.array.title} is read at byte {number}, which no assertion fixes",
                "Fix it as the array's other bytes are fixed.",
            )
        return facts[number]

    @staticmethod
    def _rows_and_default(index: Term, rows: Mapping[int, Term], size: int, default: Term | None) -> Term:
        """The look-up without the stored bytes that are not constant."""
        outside = default if default is not None else build.const(BYTE, 0)
        filler = outside.value if outside.op is CONST else 0
        values = [rows[i].value if i in rows and rows[i].op is CONST else filler for i in range(size)]
        found = build.lookup(ConstantTable.of(BYTE, values), index)
        if outside.op is CONST and outside.value == 0:
            return found  # past its end a table reads 0
        return build.ite(_below(index, size), found, outside)

    def _check_complete(self, read: _Read, rows: Mapping[int, Term], size: int, default: Term | None) -> None:
        array = read.array
        if size > MAX_BYTES:
            raise self._source.error(read.at, f"{array.title} is stored to at byte {size - 1}: too large an array")
        if default is not None:
            # A hole between the stores reads the default, which a table can only hold if it is a constant.
            complete = default.op is CONST or len(rows) == size
        else:
            complete = size > 0 and len(rows) == size
        if not complete:
            raise self._source.error(
                read.at,
                f"{array.title} is read at an index that is not constant, and not all of its bytes are",
                "Let the symbolic executor resolve the index (one path for each value), or fix every byte by an "
                "assertion (= (select array index) value) without a name.",
            )

    def _variables(self) -> dict[Term, Term]:
        """The variable of each byte, and the part of its array's variable that replaces it."""
        for name in self._declared:
            size = self._given.get(name, self._used.get(name, -1) + 1)
            if size > 0 and name not in self.fixed:
                self.sizes[name] = size
        return {
            byte: build.extract(self.variable(name), 8 * number + 7, 8 * number)
            for byte, (name, number) in self._bytes.items()
            if name not in self.fixed
        }

    def variable(self, name: str) -> Term:
        """The variable that replaces a declared array."""
        return build.var(name, BitVec(8 * self.sizes[name]))


def _below(index: Term, size: int) -> Term:
    assert isinstance(index.sort, BitVec)
    if size >> index.sort.width:
        return build.TRUE
    return build.bvult(index, build.const(index.sort, size))
