"""Where a function's loops go round: what the window counts.

    for (i = 0; i < n; i++) body          do body while (c);             again: body; if (c) goto again;

    cond:  br (i < n), body, end          body:  ...                     again: ...
    body:  ...                            cond:  br c, body, end         then:  br again        counted
    inc:   br cond        counted                 counted

A round counts once, when it has been completed: `for` and `while` loops go back then to test, and a `do` loop tests
then whether to go back. One that is left in the middle (break, return, goto) does not count its last round.
"""

from __future__ import annotations

from soid.engine.llvm import instructions as ir
from soid.engine.llvm.ir import Function


def round_ends(function: Function) -> frozenset[int]:
    """The blocks from whose end the function goes back, or may.

    An edge goes back if it leads to a block on the way from the entry to where it starts: the order in which the
    blocks are written down does not matter.
    """
    found: set[int] = set()
    seen, on_the_way = {0}, [0]
    waiting = [iter(successors(function, 0))]
    within = {0}
    while waiting:
        target = next(waiting[-1], None)
        if target is None:
            waiting.pop()
            within.discard(on_the_way.pop())
        elif target in within:
            found.add(on_the_way[-1])
        elif target not in seen:
            seen.add(target)
            within.add(target)
            on_the_way.append(target)
            waiting.append(iter(successors(function, target)))
    return frozenset(found)


def successors(function: Function, block: int) -> tuple[int, ...]:
    """Where a function goes on from a block; nowhere where it ends."""
    last = function.blocks[block].instructions[-1]
    match last:
        case ir.Br():
            return (last.target,)
        case ir.CondBr():
            return (last.then, last.otherwise)
        case ir.Switch():
            return (*(target for _, target in last.cases), last.default)
        case ir.Invoke():
            return (last.normal, last.unwind)
        case _:
            return ()
