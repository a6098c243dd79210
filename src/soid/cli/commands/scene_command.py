"""`soid scene`: draw a moment, and beside it the scenario that answers a question.

Where the project declares no scene, the inputs are drawn as bars (`moment_bars`).
"""

from __future__ import annotations

from contextlib import closing
from pathlib import Path
from typing import Any

from soid.case.filmed import filmed, told_of
from soid.case.project import Project
from soid.cli import exits
from soid.cli.command_line.question_options import SceneOptions
from soid.cli.commands.ask_command import opened, put, settings_of
from soid.cli.commands.moment_bars import draw_bars, has_scene
from soid.cli.output import print_json, write_file
from soid.cli.terminal.answers import show_question, show_verdict
from soid.cli.terminal.scene_panels import show_legend, show_panels
from soid.cli.terminal.terminal import Terminal
from soid.oracle.answer import Answer
from soid.program.types import json_value
from soid.scene.film_svg import film_svg
from soid.scene.handles import Handle, handles
from soid.scene.picture import DrawnActor, Picture, of_keyframe
from soid.scene.scene import scene_of
from soid.scene.scene_svg import svg
from soid.solver.chain import chain


def scene(options: SceneOptions) -> int:
    """Draw the moment; with a question, the exit status is that of its answer."""
    with closing(chain()) as solver:
        project = opened(options, settings_of(options), solver)
        shown = scene_of(project.manifest) if has_scene(project) else None
        answer = put(project, options.question, about="question: ") if options.question is not None else None
        if shown is None:
            return draw_bars(project, answer, options)
        caption = f"{project.program.name}, {project.keyframe.called}"
        decided, witness = (answer.fact, answer.witness) if answer is not None else (None, None)
        picture = of_keyframe(shown, project.keyframe, decided=decided, witness=witness, caption=caption)
        moving = filmed(project, answer) if answer is not None and options.svg is not None else None
    if options.svg is not None:
        drawn = svg(picture) if answer is None or moving is None else film_svg(moving, told_of(project, answer))
        write_file(options.svg, drawn)
    if options.as_json:
        print_json(_to_json(project, picture, answer, options.svg))
    else:
        _show(Terminal.stdout(), project, picture, answer, options.svg)
    return 0 if answer is None else exits.of_answers([answer.verdict.value])


def _show(terminal: Terminal, project: Project, picture: Picture, answer: Answer | None, file: Path | None) -> None:
    terminal.rule(f"{picture.scene.title}: {project.program.name}", project.keyframe.called)
    if answer is not None:
        show_question(terminal, answer.query, answer.text, project.keyframe)
        show_verdict(terminal, answer, project.keyframe)
        if picture.ghost is None:
            terminal.prose("There is no scenario to draw beside the fact.", style="dim")
        terminal.blank()
    show_panels(terminal, picture)
    terminal.blank()
    show_legend(terminal, picture)
    if file is not None:
        terminal.blank()
        terminal.prose(f"drawn in {file}", style="dim")


# --- for a script ---------------------------------------------------------------------------------------------


def _to_json(project: Project, picture: Picture, answer: Answer | None, file: Path | None) -> dict[str, Any]:
    frame = picture.scene.frame
    return {
        "title": picture.scene.title,
        "program": project.program.name,
        "step": project.keyframe.step,
        "unit": picture.scene.unit,
        "left_to_right": [frame.left, frame.right],
        "top_to_bottom": [frame.top, frame.bottom],
        "actors": [_actor(figure) for figure in picture.fact],
        "outcome": picture.outcome,
        "scenario": _scenario(picture, picture.ghost) if picture.ghost is not None else None,
        "handles": [_handle(handle) for handle in handles(picture)],
        "answer": answer.document if answer is not None else None,
        "svg": str(file) if file is not None else None,
    }


def _actor(figure: DrawnActor) -> dict[str, Any]:
    actor = figure.actor
    return {
        "mark": actor.mark,
        "name": actor.name,
        "kind": actor.look.value,
        "role": actor.part.value,
        "size": list(actor.size),
        "present": figure.present,
        "x": figure.x,
        "y": figure.y,
        "direction": figure.direction,
        "blinking": figure.blinking.value if figure.blinking is not None else None,
        "values": {
            v.path: None if v.path in figure.unknown else json_value(v.type, figure.values[v.path])
            for v in actor.variables
        },
    }


def _scenario(picture: Picture, ghost: tuple[DrawnActor, ...]) -> dict[str, Any]:
    return {
        "actors": [_actor(figure) for figure in ghost],
        "outcome": picture.ghost_outcome,
        "differences": [
            {
                "mark": each.actor.mark if each.actor is not None else None,
                "variable": each.variable.path,
                "fact": json_value(each.variable.type, each.before) if each.is_known else None,
                "scenario": json_value(each.variable.type, each.after),
                "unit": each.variable.unit,
            }
            for each in picture.differences
        ],
    }


def _handle(handle: Handle) -> dict[str, Any]:
    limits = [{"variable": each.variable.path, "low": each.low, "high": each.high} for each in handle.limits]
    return {"mark": handle.actor.mark, "grip": handle.grip.value, "limits": limits}
