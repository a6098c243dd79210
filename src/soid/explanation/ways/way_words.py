"""The ways of the fact and of a scenario in words."""

from __future__ import annotations

from soid.explanation.ways.told_ways import BothWays, BranchWays, TreeWay, TreeWays, WayRow


def yes(holds: bool) -> str:
    return "yes" if holds else "no"


def signed(value: float) -> str:
    """A number with its sign, in four digits: what is added is rounded for reading.

    >>> signed(0.03432712), signed(-1.5), signed(0.0)
    ('+0.03433', '-1.5', '0')
    """
    text = f"{abs(value):.4g}"
    return text if value == 0 else f"{'+' if value > 0 else '-'}{text}"


def heading_of(ways: BothWays) -> str:
    if isinstance(ways, TreeWays):
        return "Through the tree" if ways.count == 1 else "Through the trees"
    return "Where the two ways part"


def summary(ways: BothWays) -> str:
    """What is drawn, in a sentence or two."""
    if isinstance(ways, BranchWays):
        if not ways.rows:
            return "Both take the same way; only their values differ."
        return "These are the places at which the fact and the scenario go different ways."
    fact, scenario = (f"about {each:.4g}" for each in ways.sums)
    if ways.count == 1:
        return f"The tree gives {fact} in fact and {scenario} in the scenario."
    if not ways.parted:
        return f"Both take the same way through all {ways.count} trees."
    return (
        f"The two part in {ways.parted} of {ways.count} trees, which together move the sum from {fact} in fact to "
        f"{scenario} in the scenario. Those that move it most come first."
    )


def rest_told(ways: BothWays) -> str:
    """What is not drawn."""
    if isinstance(ways, BranchWays):
        more = f"{ways.more} further places are not drawn. " if ways.more else ""
        return f"{more}{'Only the first branches of these long runs were compared.' if ways.is_cut else ''}".strip()
    left = ways.parted - len(ways.trees)
    return f"The other {left} trees in which they part move the sum by {signed(ways.rest)} together." if left else ""


def tree_heading(tree: TreeWay, ways: TreeWays) -> str:
    which = "" if ways.count == 1 else f"Tree {tree.number} of {ways.count}: "
    return f"{which}{signed(tree.leaves[0])} in fact, {signed(tree.leaves[1])} in the scenario"


def described(ways: BothWays) -> str:
    """All of it in words, for screen readers."""
    told = [_tree(each, ways) for each in ways.trees] if isinstance(ways, TreeWays) else list(map(_row, ways.rows))
    return " ".join(filter(None, (summary(ways), *told, rest_told(ways))))


def _tree(tree: TreeWay, ways: TreeWays) -> str:
    fact, scenario = map(yes, tree.holds)
    return (
        f"{tree_heading(tree, ways)}; they part where it is tested that {tree.test}: in fact {fact}, there {scenario}."
    )


def _row(row: WayRow) -> str:
    fact, scenario = (each or "not reached" for each in (row.fact, row.scenario))
    return f"{row.where}, {row.text}: in fact {fact}; in the scenario {scenario}."
