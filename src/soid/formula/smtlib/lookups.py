"""Look-ups in SMT-LIB: a function of the index whose body is a tree of conditions over the index's bits.

    (define-fun soid.table.0 ((soid.i (_ BitVec 2))) (_ BitVec 8)
      (ite (= ((_ extract 1 1) soid.i) #b1)
        (ite (= ((_ extract 0 0) soid.i) #b1) #x07 #x05)
        (ite (= ((_ extract 0 0) soid.i) #b1) #x03 #x02)))

is the table of the rows 2, 3, 5, 7. `definition` writes it, and `restore` gets the rows back. Equal halves are written
once, in a let. If the index is wider than the table needs, the first condition is that its upper bits are zero.
"""

from __future__ import annotations

from typing import Final

from soid.formula import operators as ops
from soid.formula.constant_table import ConstantTable
from soid.formula.operators import CONST
from soid.formula.smtlib.symbols import bits_literal, literal
from soid.formula.sorts import BitVec, Float
from soid.formula.term import Term

PREFIX: Final = "soid.table."
_INDEX: Final = "soid.i"
_MAX_ROWS: Final = 1 << 20  # limit of `restore`; a tree over more bits stays a tree

_Node = tuple[int, int] | str  # the nodes for bit = 1 and bit = 0, or a row


def definition(symbol: str, table: ConstantTable, width: int) -> str:
    """The define-fun of a table for an index of some width."""
    zero = literal(table.sort, 0)
    bits = min(width, (len(table.rows) - 1).bit_length()) if table.rows else 0
    body = _body(table, bits)
    if bits < width and body != zero:
        upper = bits_literal(0, width - bits)
        body = f"(ite (= ((_ extract {width - 1} {bits}) {_INDEX}) {upper}) {body} {zero})"
    return f"(define-fun {symbol} (({_INDEX} (_ BitVec {width}))) {table.sort.smtlib} {body})"


def _body(table: ConstantTable, bits: int) -> str:
    nodes: dict[_Node, int] = {}
    level = [nodes.setdefault(literal(table.sort, table.at(row)), len(nodes)) for row in range(1 << bits)]
    starts = [len(nodes)]  # where each level's nodes begin
    for _ in range(bits):
        pairs = zip(level[1::2], level[::2], strict=True)
        level = [one if one == zero else nodes.setdefault((one, zero), len(nodes)) for one, zero in pairs]
        starts.append(len(nodes))
    return _written(list(nodes), starts, level[0])


def _written(nodes: list[_Node], starts: list[int], root: int) -> str:
    """Nodes as text, level by level. A let around the levels above binds the nodes that are used more than once."""
    uses = [0] * len(nodes)
    for node in nodes:
        if not isinstance(node, str):
            uses[node[0]] += 1
            uses[node[1]] += 1
    texts: list[str] = []
    lets: list[str] = []
    for bit, (start, end) in enumerate(zip([0, *starts], starts, strict=False), -1):
        bound: list[str] = []
        for number in range(start, end):
            node = nodes[number]
            if isinstance(node, str):
                texts.append(node)
                continue
            texts.append(f"(ite (= ((_ extract {bit} {bit}) {_INDEX}) #b1) {texts[node[0]]} {texts[node[1]]})")
            if uses[number] > 1:
                bound.append(f"(soid.n{number} {texts[number]})")
                texts[number] = f"soid.n{number}"
        if bound:
            lets.append(f"(let ({' '.join(bound)}) ")
    return "".join(lets) + texts[root] + ")" * len(lets)


def restore(body: Term, index: Term) -> ConstantTable | None:
    """The table that a tree of conditions over an index stands for; None if it is no such tree."""
    assert isinstance(index.sort, BitVec)
    sort, width = body.sort, index.sort.width
    if not isinstance(sort, BitVec | Float):
        return None
    split = _upper_bits(body, index)
    if split is not None:
        body, width = split
    if 1 << min(width, 64) > _MAX_ROWS:
        return ConstantTable.of(sort, []) if body.op is CONST and body.value == 0 else None
    rows = [0] * (1 << width)
    todo = [(body, width, 0)]  # a subtree, the number of index bits that it may test, and its first row
    while todo:
        node, bits, first = todo.pop()
        if node.op is CONST:
            rows[first : first + (1 << bits)] = [node.value] * (1 << bits)
            continue
        bit = _tested_bit(node, index)
        if bit is None or bit >= bits:
            return None
        # Both halves are equal for the bits between `bit` and `bits`, so the tree does not test these.
        step = 1 << bit
        for start in range(first, first + (1 << bits), 2 * step):
            todo.append((node.args[1], bit, start + step))
            todo.append((node.args[2], bit, start))
    return ConstantTable.of(sort, rows)


def _upper_bits(body: Term, index: Term) -> tuple[Term, int] | None:
    """The tree below `(ite (= ((_ extract high low) index) 0) tree 0)`, and its number of bits."""
    assert isinstance(index.sort, BitVec)
    if body.op is not ops.ITE or body.args[0].op is not ops.EQ:
        return None
    bits, value = body.args[0].args
    if bits.op is ops.EXTRACT and bits.args[0] is index:
        high, low = bits.params
    elif bits is index:
        high, low = index.sort.width - 1, 0
    else:
        return None
    zeros = all(term.op is CONST and term.value == 0 for term in (value, body.args[2]))
    return (body.args[1], low) if zeros and high == index.sort.width - 1 else None


def _tested_bit(node: Term, index: Term) -> int | None:
    """The bit that `(ite (= ((_ extract bit bit) index) #b1) ...)` tests."""
    if node.op is not ops.ITE or node.args[0].op is not ops.EQ:
        return None
    bit, value = node.args[0].args
    if value.op is not CONST or value.sort != BitVec(1) or value.value != 1:
        return None
    if bit is index:
        return 0
    if bit.op is ops.EXTRACT and bit.args[0] is index:
        return int(bit.params[0])
    return None
