"""Arrays of bytes, as symbolic executors write memory, turned into bit-vectors and table look-ups.

    (declare-fun x () (Array (_ BitVec 32) (_ BitVec 8)))
    (assert (bvult (concat (select x (_ bv1 32)) (select x (_ bv0 32))) #x0100))

becomes `(bvult x #x0100)` over one variable x of 16 bits, byte i in its bits 8i to 8i+7. How many bytes an array has
is known only when the whole script has been read, and so is whether its bytes are fixed by assertions. Until then
each byte is a variable of its own, and so is each read whose index is not constant; `ArrayMemory.settle` replaces them.

A read at an index that is not constant is a look-up where every byte is known: fixed by unnamed assertions such as
`(= (select table (_ bv0 32)) (_ bv7 8))`, or by stores. Past the known bytes SMT-LIB leaves the value open, so
that the index lies among them becomes an obligation. Anything else is refused, with the array's name.
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
_KLEE_CONSTANT: Final = "const_arr"  # what KLEE calls the arrays that hold a program's constants


@final
@dataclass(slots=True, eq=False)
class Array:
    """A declared array, or a constant one, with bytes stored over it one after the other."""

    index: BitVec  # sort of the index
    name: str | None  # of the declared array underneath
    default: Term | None = None  # every byte of a constant array underneath
    below: Array | None = None  # what the last store was made to
    stored: tuple[int, Term] | None = None  # the last store: where and what
    _contents: dict[int, Term] | None = field(default=None, repr=False)

    @property
    def title(self) -> str:
        return self.name or "the constant array"

    def store(self, at: int, value: Term) -> Array:
        return Array(self.index, self.name, self.default, self, (at, value))

    def contents(self) -> dict[int, Term]:
        """The stored bytes, the last store to a place winning; kept, since reads come in groups."""
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
    """A read at an index that is not constant, until it is known what the array holds."""

    value: Term  # the variable that stands for what is read
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
        self._declared: dict[str, int] = {}  # where each array was declared
        self._bytes: dict[Term, tuple[str, int]] = {}  # the variable that stands for a byte: which byte
        self._used_at: dict[str, tuple[int, int]] = {}  # the largest index read and where
        self._reads: list[_Read] = []
        self.sizes: dict[str, int] = {}  # bytes of each declared array, after settle()
        self.fixed: dict[str, bytes] = {}  # arrays that turned out to be constants, after settle()

    # --- while the script is being read -------------------------------------------------------------------------

    def declare(self, name: str, index: BitVec, at: int) -> Array:
        self._declared[name] = at
        return Array(index, name)

    def select(self, array: Array, index: Term, at: int) -> tuple[Term, Term]:
        """What is read, and the obligation that comes with it."""
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
        if number >= self._used_at.get(name, (-1, 0))[0]:
            self._used_at[name] = (number, at)
        variable = build.var(f"\0byte.{number}.{name}", BYTE)
        self._bytes[variable] = (name, number)
        return variable

    # --- when it is complete ------------------------------------------------------------------------------------

    def settle(self, unnamed: Iterable[Term], terms: list[Term]) -> list[Term]:
        """The terms over whole variables, given the assertions that hold everywhere in the script."""
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
        """The bytes that assertions fix; the first one counts, and a second that differs stays an assertion."""
        facts: dict[str, dict[int, Term]] = {}
        for term in flatten_and(unnamed):
            if term.op is ops.EQ:
                for one, other in (term.args, term.args[::-1]):
                    if one in self._bytes and other.op is CONST:
                        name, number = self._bytes[one]
                        facts.setdefault(name, {}).setdefault(number, other)
        return facts

    def _eliminated(self, facts: Mapping[str, Mapping[int, Term]]) -> dict[Term, Term]:
        """The bytes of arrays that are constants of the program, so that no variable is left of them."""
        loose = {name for name, number in self._bytes.values() if number not in facts.get(name, {})}
        for name, row in facts.items():
            constant = name.startswith(_KLEE_CONSTANT) or name in self._constants
            if constant and name not in loose:
                self.fixed[name] = bytes(row[i].value if i in row else 0 for i in range(max(row) + 1))
        return {v: facts[name][i] for v, (name, i) in self._bytes.items() if name in self.fixed}

    def _lookup(
        self, read: _Read, index: Term, facts: Mapping[str, Mapping[int, Term]], known: dict[Term, Term]
    ) -> tuple[Term, Term]:
        """What a read gives, and whether its index is one for which that is so."""
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
        """Each byte's variable as a part of its array's."""
        for name in self._declared:
            used = self._used_at.get(name, (-1, 0))[0] + 1
            size = self._given.get(name, used)
            if size > 0 and name not in self.fixed:
                self.sizes[name] = size
        return {
            byte: build.extract(self.variable(name), 8 * number + 7, 8 * number)
            for byte, (name, number) in self._bytes.items()
            if name not in self.fixed
        }

    def variable(self, name: str) -> Term:
        """The variable that a declared array has become."""
        return build.var(name, BitVec(8 * self.sizes[name]))


def _below(index: Term, size: int) -> Term:
    assert isinstance(index.sort, BitVec)
    if size >> index.sort.width:
        return build.TRUE
    return build.bvult(index, build.const(index.sort, size))
