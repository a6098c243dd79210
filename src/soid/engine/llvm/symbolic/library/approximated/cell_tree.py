"""A box of arguments divided into cells by a tree of cuts: few comparisons find the cell of an argument."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import TypeAlias, final

from msgspec import Struct
from msgspec.structs import replace

from soid.engine.llvm.symbolic.library.approximated import ordinals
from soid.engine.llvm.symbolic.library.approximated.ordinals import Box
from soid.formula import build
from soid.formula.term import Term


@final
class Leaf(Struct, frozen=True):
    """A cell."""

    box: Box


@final
class Cut(Struct, frozen=True):
    """A box in two parts."""

    box: Box
    argument: int  # which argument is cut
    at: int  # the first ordinal of the upper part
    lower: Tree
    upper: Tree


Tree: TypeAlias = Leaf | Cut


def grown(box: Box, cuts: Sequence[Sequence[int]]) -> Tree:
    """The tree of a box with ordered cuts for each argument; it starts in the middle of the argument with the most."""
    argument = max(range(len(box)), key=lambda i: len(cuts[i]))
    if not cuts[argument]:
        return Leaf(box)
    middle = len(cuts[argument]) // 2
    at = cuts[argument][middle]
    low, high = box[argument]

    def part(span: tuple[int, int], kept: Sequence[int]) -> Tree:
        inner = (*box[:argument], span, *box[argument + 1 :])
        return grown(inner, [*cuts[:argument], kept, *cuts[argument + 1 :]])

    below, above = cuts[argument][:middle], cuts[argument][middle + 1 :]
    return Cut(box, argument, at, part((low, at - 1), below), part((at, high), above))


def leaves(tree: Tree) -> Iterator[Box]:
    """The cells."""
    if isinstance(tree, Leaf):
        yield tree.box
    else:
        yield from leaves(tree.lower)
        yield from leaves(tree.upper)


def parted(tree: Tree, place: Sequence[int], finer: Callable[[Box], Tree]) -> Tree:
    """The tree with the cell of a point replaced; a point outside the box changes nothing."""
    if not all(low <= at <= high for at, (low, high) in zip(place, tree.box, strict=True)):
        return tree
    if isinstance(tree, Leaf):
        return finer(tree.box)
    if place[tree.argument] < tree.at:
        return replace(tree, lower=parted(tree.lower, place, finer))
    return replace(tree, upper=parted(tree.upper, place, finer))


def read(tree: Tree, arguments: Sequence[Term], of: Callable[[Box], Term]) -> Term:
    """One term that selects the term of the cell in which the arguments lie."""
    if isinstance(tree, Leaf):
        return of(tree.box)
    lower, upper = read(tree.lower, arguments, of), read(tree.upper, arguments, of)
    return build.ite(ordinals.below(arguments[tree.argument], tree.at), lower, upper)
