"""A function's control-flow graph: where its loops go round, which the window counts, and where its branches meet.

    for (i = 0; i < n; i++) body          do body while (c);             again: body; if (c) goto again;

    cond:  br (i < n), body, end          body:  ...                     again: ...
    body:  ...                            cond:  br c, body, end         then:  br again        counted
    inc:   br cond        counted                 counted

A round counts once, when it is complete: `for` and `while` loops then go back to their test, and a `do` loop then tests
whether to go back. A loop that is left in the middle (break, return, goto) does not count its last round.
"""

from __future__ import annotations

from collections.abc import Sequence

from soid.engine.llvm.ir.instructions import successors
from soid.engine.llvm.ir.ir_module import Function


def round_ends(function: Function) -> frozenset[int]:
    """The blocks at whose end a back edge starts.

    An edge goes back if it leads to a block on the current way from the entry: the order in which the blocks are
    written down does not matter.
    """
    return frozenset(block for block, _ in _back_edges(function))


def loop_heads(function: Function) -> frozenset[int]:
    """The blocks to which back edges lead: a round of a loop begins with one."""
    return frozenset(target for _, target in _back_edges(function))


def _back_edges(function: Function) -> set[tuple[int, int]]:
    found: set[tuple[int, int]] = set()
    seen, within = {0}, {0}
    way = [(0, iter(successors(function.blocks[0].terminator)))]
    while way:
        block, rest = way[-1]
        target = next(rest, None)
        if target is None:
            way.pop()
            within.discard(block)
        elif target in within:
            found.add((block, target))
        elif target not in seen:
            seen.add(target)
            within.add(target)
            way.append((target, iter(successors(function.blocks[target].terminator))))
    return found


def postdominators(function: Function) -> list[int | None]:
    """The immediate postdominator of each block: the nearest block on every way to the function's end, or None.

    This is Cooper, Harvey and Kennedy's iteration on the reversed graph. The end counts as one more block.
    """
    end = len(function.blocks)
    following = [successors(function.blocks[block].terminator) or (end,) for block in range(end)]
    before: list[list[int]] = [[] for _ in range(end + 1)]
    for block, targets in enumerate(following):
        for target in targets:
            before[target].append(block)
    order = _postorder(end, before)
    rank = {block: place for place, block in enumerate(order)}
    nearest: dict[int, int] = {end: end}

    def common(one: int, other: int) -> int:
        while one != other:
            if rank[one] < rank[other]:
                one = nearest[one]
            else:
                other = nearest[other]
        return one

    changed = True
    while changed:
        changed = False
        for block in reversed(order[:-1]):
            found: int | None = None
            for target in following[block]:
                if target in nearest:
                    found = target if found is None else common(found, target)
            if found is not None and nearest.get(block) != found:
                nearest[block], changed = found, True
    return [None if nearest.get(block, end) == end else nearest[block] for block in range(end)]


def _postorder(start: int, edges: Sequence[Sequence[int]]) -> list[int]:
    order: list[int] = []
    seen, way = {start}, [(start, iter(edges[start]))]
    while way:
        block, rest = way[-1]
        target = next(rest, None)
        if target is None:
            order.append(block)
            way.pop()
        elif target not in seen:
            seen.add(target)
            way.append((target, iter(edges[target])))
    return order
