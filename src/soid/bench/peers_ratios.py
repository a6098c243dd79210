"""How many times as long other tools take, for each group of questions, against soid from nothing and soid loaded.

The ratio of a tool that was stopped is a lower bound. A tool without an answer has no ratio.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Self, final

from msgspec import Struct

from soid.bench.peers import FreedGroup, Peer, PeerRow, Timed


@final
class PeerRatio(Struct, frozen=True, order=True):
    """A ratio of times, or a lower bound of one."""

    times: float
    more: bool = False  # a lower bound, because the other tool was stopped

    def __str__(self) -> str:
        """The ratio with three digits at most.

        >>> print(PeerRatio(0.842), PeerRatio(12.34), PeerRatio(1234.5, more=True), sep="; ")
        0.84; 12.3; more than 1,234
        """
        digits = 2 if self.times < 10 else 1 if self.times < 100 else 0
        return f"{'more than ' if self.more else ''}{self.times:,.{digits}f}"


@final
class PeerSpread(Struct, frozen=True):
    """The least, the median and the most of several ratios."""

    least: PeerRatio
    median: PeerRatio
    most: PeerRatio

    @classmethod
    def of(cls, ratios: Sequence[PeerRatio]) -> Self:
        """The spread; a figure is a lower bound if a ratio that is a lower bound could move it.

        The least ratio depends on itself, the median on all ratios up to it, and the most on all.

        >>> spread = PeerSpread.of([PeerRatio(2.0), PeerRatio(9.0, more=True), PeerRatio(4.0)])
        >>> print(spread.least, spread.median, spread.most, sep="; ")
        2.00; 4.00; more than 9.00
        >>> print(PeerSpread.of([PeerRatio(3.0, more=True), PeerRatio(4.0), PeerRatio(5.0)]).median)
        more than 4.00
        """
        ordered = sorted(ratios)
        middle = len(ordered) // 2
        below = middle if len(ordered) % 2 else middle - 1
        median = (ordered[below].times + ordered[middle].times) / 2
        return cls(
            PeerRatio(ordered[0].times, ordered[0].more),
            PeerRatio(median, any(each.more for each in ordered[: middle + 1])),
            PeerRatio(ordered[-1].times, any(each.more for each in ordered)),
        )


@final
class Compared(Struct, frozen=True):
    """One tool compared with soid, over the rows of a group."""

    peer: str
    group: FreedGroup
    rows: int
    answered: int
    stopped: int
    first: PeerSpread | None  # against soid from nothing; None: there is nothing to compare
    again: PeerSpread | None  # against soid with the program loaded


def ratio(other: Timed, soid: Timed) -> PeerRatio | None:
    """The ratio of two times; None if soid has no answer, or if the other tool has none and was not stopped."""
    if not soid.is_answer or not (other.is_answer or other.ended):
        return None
    return PeerRatio(other.seconds / soid.seconds, other.ended)


def compared(peers: Sequence[Peer], rows: Sequence[PeerRow]) -> Iterator[Compared]:
    """Each tool that has rows, group by group."""
    for peer in peers:
        for group in FreedGroup:
            here = [row for row in rows if row.group is group and peer.name in row.peers]
            if here:
                yield _compared(peer.name, group, here)


def _compared(name: str, group: FreedGroup, rows: Sequence[PeerRow]) -> Compared:
    others = [row.peers[name] for row in rows]
    first = [found for row in rows if (found := ratio(row.peers[name], row.first)) is not None]
    again = [found for row in rows if (found := ratio(row.peers[name], row.again)) is not None]
    return Compared(
        name,
        group,
        len(rows),
        sum(each.is_answer for each in others),
        sum(each.ended for each in others),
        PeerSpread.of(first) if first else None,
        PeerSpread.of(again) if again else None,
    )
