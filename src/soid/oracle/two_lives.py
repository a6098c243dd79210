"""A question about pairs is answered as one about two programs, which are the same one."""

from __future__ import annotations

from msgspec.structs import replace

from soid.engine.product.product_engine import ProductEngine
from soid.engine.product.product_replayer import ProductReplayer
from soid.engine.protocol import Engine
from soid.engine.replay import Replayer
from soid.oracle.inquiry import Context
from soid.program.interface import Interface
from soid.query.lives import Lives
from soid.scenario.trace import Keyframe


def lived(lives: Lives, keyframe: Keyframe, context: Context) -> tuple[Keyframe, Context]:
    """The moment as a pair, and what its questions are answered with: the program in both lives."""
    engine, replayer = in_both(lives, keyframe.interface, context.engine, context.replayer)
    return lives.moment(keyframe), replace(context, engine=engine, replayer=replayer, summaries=None)


def in_both(
    lives: Lives, interface: Interface, engine: Engine, replayer: Replayer | None
) -> tuple[Engine, Replayer | None]:
    """What explores and runs the program in both lives; the interface is the program's own."""
    members = lives.members(interface)
    both = None if replayer is None else ProductReplayer([(each, replayer) for each in members])
    return ProductEngine([(each, engine) for each in members]), both
