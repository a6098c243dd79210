"""A question about pairs is answered as one about two programs, which are the same one."""

from __future__ import annotations

from msgspec.structs import replace

from soid.engine.product.product_engine import ProductEngine
from soid.engine.product.product_replayer import ProductReplayer
from soid.oracle.inquiry import Context
from soid.query.lives import Lives
from soid.scenario.trace import Keyframe


def lived(lives: Lives, keyframe: Keyframe, context: Context) -> tuple[Keyframe, Context]:
    """The moment as a pair, and what its questions are answered with: the program in both lives."""
    members, replayer = lives.members(keyframe.interface), context.replayer
    engine = ProductEngine([(each, context.engine) for each in members])
    both = None if replayer is None else ProductReplayer([(each, replayer) for each in members])
    return lives.moment(keyframe), replace(context, engine=engine, replayer=both, summaries=None)
