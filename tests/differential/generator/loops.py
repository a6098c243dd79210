"""Loops and jumps, all bounded: at most eight rounds each, the counter out of reach of every other statement."""

from __future__ import annotations

from collections.abc import Callable

from .draft import Body, Expr, Place, bare
from .expressions import assignable, condition, small_integer
from .guards import element, index, pointer_index
from .scalars import INT32, UINT8, TypeKind

__all__ = ["LOOPS", "backward_goto", "forward_goto", "leave_loop"]

_ROUNDS = 8


def _fill(body: Body, count: int) -> None:
    from .statements import some_statements  # statements contain loops and loops contain statements

    some_statements(body, count)


def _bound(body: Body) -> Expr:
    """How many rounds: a number, or an input brought below the limit."""
    draft = body.draft
    if draft.chance(0.35):
        count = draft.between(2, 5)
        return Expr(str(count), INT32, count, count)
    draft.note("loop_with_input_bound")
    rounds = draft.between(2, _ROUNDS if body.loops == 0 else 3)
    value = small_integer(body)
    if value.low >= 0 and value.high < rounds:
        return body.temporary(value, "rounds")
    # Never left unguarded: a runaway loop is no finding, it only costs time.
    kept = f"({value.text} & {rounds - 1})" if rounds & (rounds - 1) == 0 else f"((uint32_t){value.text} % {rounds}u)"
    return body.temporary(Expr(f"(int32_t){kept}", INT32, 0, rounds - 1), "rounds")


def _counter(body: Body, name: str, high: int) -> None:
    body.places.append(Place(name, INT32, 0, high, writable=False))


def _for_loop(body: Body) -> None:
    draft = body.draft
    bound, name = _bound(body), draft.name(draft.pick(("i", "j", "k")))
    draft.note("for")
    header = f"for (int32_t {name} = 0; {name} < {bound.text}; {name}++) {{"
    if draft.chance(0.25):
        header = f"for (int32_t {name} = {bound.text} - 1; {name} >= 0; {name}--) {{"
    with body.block(header, loop=True):
        _counter(body, name, max(bound.high - 1, 0))
        _fill(body, draft.between(1, 2))


def _while_loop(body: Body) -> None:
    """The counter moves first, so that `continue` cannot skip it."""
    draft = body.draft
    bound, name = _bound(body), draft.name("left")
    draft.note("while")
    body.emit(f"int32_t {name} = {bound.text};")
    test = f"{name} > 0" if draft.chance(0.5) else f"{name} > 0 && ({condition(body, 1)})"
    with body.block(f"while ({test}) {{", loop=True):
        body.emit(f"{name}--;")
        _counter(body, name, bound.high)
        _fill(body, draft.between(1, 2))


def _do_loop(body: Body) -> None:
    draft = body.draft
    bound, name = _bound(body), draft.name("turn")
    draft.note("do_while")
    body.emit(f"int32_t {name} = 0;")
    test = f"{name} < {bound.text}" if draft.chance(0.5) else f"{name} < {bound.text} && ({condition(body, 1)})"
    with body.block("do {", f"}} while ({test});", loop=True):
        body.emit(f"{name}++;")
        _counter(body, name, max(bound.high, 1))
        _fill(body, draft.between(1, 2))


def _sweep(body: Body) -> None:
    """A loop over an array: sum, search or update by index."""
    draft = body.draft
    arrays = [a for a in body.arrays if a.element.kind in (TypeKind.INT, TypeKind.FLOAT)]
    if not arrays:
        _for_loop(body)
        return
    array, name = draft.pick(arrays), draft.name("n")
    draft.note("array_sweep", "for")
    # One round too many is the classic stray access; here it depends on the inputs.
    stray = not array.is_pointer and draft.drops_guard("bounds")
    rounds = f"{array.length} + ({condition(body, 1)})" if stray else str(array.length)
    counter = Expr(name, INT32, 0, array.length - 1)
    found = draft.name("found")
    body.emit(f"{array.element.name} {found} = 0;")
    with body.block(f"for (int32_t {name} = 0; {name} < {rounds}; {name}++) {{", loop=True):
        item = f"{array.text}[{name}]" if stray else element(body, array, counter)
        with body.block(f"if ({item} {draft.pick('<>')} {found}) {{"):
            body.emit(f"{found} = {item};")
            if draft.chance(0.3):
                draft.note("break")
                body.emit("break;")
    body.add(found, array.element, writable=True)


def leave_loop(body: Body) -> None:
    """`break` or `continue` under a condition; inside a switch, `break` ends the switch, which is as well."""
    word = body.draft.pick(("break", "continue"))
    body.draft.note(word)
    with body.block(f"if ({condition(body, 1)}) {{"):
        body.emit(f"{word};")


def forward_goto(body: Body) -> None:
    """Out of a block to the label behind it: no declaration is jumped over."""
    draft = body.draft
    label = draft.name("done")
    draft.note("goto")
    with body.block("{"):
        _fill(body, 1)
        body.emit(f"if ({condition(body, 1)}) goto {label};")
        _fill(body, 1)
    body.emit(f"{label}: ;")


def backward_goto(body: Body) -> None:
    """A retry: back to the label a bounded number of times."""
    draft = body.draft
    label, tries = draft.name("again"), draft.name("tries")
    draft.note("goto")
    body.emit(f"{UINT8.name} {tries} = 0;")
    body.emit(f"{label}: ;")
    with body.block("{"):
        body.emit(f"{tries}++;")
        _fill(body, 1)
        body.emit(f"if (({condition(body, 1)}) && {tries} < {draft.between(2, 4)}) goto {label};")


def _indexed_by_guard(body: Body) -> None:
    """The guard as people write it: `if (i >= 0 && i < 4) x = xs[i];`."""
    draft = body.draft
    arrays = [a for a in body.arrays + draft.tables if a.element.kind is TypeKind.INT and not a.is_pointer]
    places = [p for p in body.places if p.ctype.kind is TypeKind.INT]
    targets = body.targets(TypeKind.INT)
    if not arrays or not places or not targets:
        _for_loop(body)
        return
    array, at, target = draft.pick(arrays), draft.pick(places), draft.pick(targets)
    draft.note("guarded_index")
    with body.block(f"if ({at.text} >= 0 && {at.text} < {array.length}) {{"):
        body.emit(f"{target.text} = {array.text}[{at.text}];")


def _store(body: Body) -> None:
    """A computed store into an array."""
    draft = body.draft
    arrays = [a for a in body.arrays if a.writable]
    if not arrays:
        _for_loop(body)
        return
    array = draft.pick(arrays)
    draft.note("array_store")
    value = draft.name("put")  # bound first, so that value and index fail in the same order everywhere
    body.emit(f"const {array.element.name} {value} = {bare(assignable(body, array.element, 1).text)};")
    if not array.is_pointer:
        body.emit(f"{array.text}[{index(body, small_integer(body), array.length).text}] = {value};")
        return
    at, check = pointer_index(body, array, small_integer(body))
    if check is not None:
        body.emit(f"{check};")
    body.emit(f"{array.text}[{at.text}] = {value};")


LOOPS: tuple[tuple[Callable[[Body], None], int], ...] = (
    (_for_loop, 3),
    (_while_loop, 2),
    (_do_loop, 2),
    (_sweep, 3),
    (_indexed_by_guard, 2),
    (_store, 3),
)
