"""A moment, or an answer's scenario beside it, as one drawing: the project's scene, or else the inputs as bars."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from soid.case.known_flips import flips_of
from soid.mapping.bars import bars_svg
from soid.mapping.bars.input_bars import InputBars, of_moment, of_query
from soid.oracle.answer import Answer
from soid.scenario.trace import Keyframe
from soid.scene.picture import of_keyframe
from soid.scene.scene import Scene
from soid.scene.scene_svg import svg
from soid.scene.vector.style import Theme
from soid.witness.witness import Witness


def moment_svg(scene: Scene | None, keyframe: Keyframe, theme: Theme = "auto") -> str:
    """A logged step."""
    if scene is not None:
        return svg(of_keyframe(scene, keyframe), theme=theme)
    return bars_svg.svg(of_moment(keyframe), heading=keyframe.called.capitalize(), theme=theme)


def answer_svg(
    scene: Scene | None,
    keyframe: Keyframe,
    answer: Answer,
    witness: Witness,
    explanation: Mapping[str, Any] | None = None,
    theme: Theme = "auto",
) -> str:
    """One of an answer's scenarios beside the fact; of the `explanation` of the answer bars have where it flips."""
    if scene is not None:
        return svg(of_keyframe(scene, keyframe, decided=answer.fact, witness=witness), theme=theme)
    heading = answer.heading(witness)
    return bars_svg.svg(answer_bars(keyframe, answer, witness, explanation), heading=heading, theme=theme)


def answer_bars(
    keyframe: Keyframe, answer: Answer, witness: Witness | None, explanation: Mapping[str, Any] | None = None
) -> InputBars:
    """The inputs of an answer's question."""
    flips = flips_of(explanation, keyframe.interface) if explanation else {}
    return of_query(keyframe, answer.query, witness, flips)
