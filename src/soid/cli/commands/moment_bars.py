"""What `soid scene` draws where the project declares no scene: the inputs as bars."""

from __future__ import annotations

from typing import Any

from soid.case.moment_picture import answer_bars
from soid.case.project import Project
from soid.cli import exits
from soid.cli.command_line.question_options import SceneOptions
from soid.cli.output import print_json, write_file
from soid.cli.terminal.answers import show_question, show_verdict
from soid.cli.terminal.terminal import Terminal
from soid.mapping.bars.bars_svg import svg
from soid.mapping.bars.bars_text import lines
from soid.mapping.bars.input_bars import InputBar, InputBars, of_moment
from soid.oracle.answer import Answer
from soid.program.types import json_value
from soid.query.words import sentence


def has_scene(project: Project) -> bool:
    """Whether a scene is declared; it may be wrong."""
    return project.manifest is not None and project.manifest.scene is not None


def draw_bars(project: Project, answer: Answer | None, options: SceneOptions) -> int:
    """Draw the moment; with a question, the exit status is that of its answer."""
    if answer is None:
        made, heading, caption = of_moment(project.keyframe), project.program.name, project.keyframe.called
    else:
        keyframe = project.keyframe.supplied_with(answer.supplied)
        made = answer_bars(keyframe, answer, answer.witness)
        heading, caption = sentence(answer.query, project.program.interface, log=project.trace), answer.because
    if options.svg is not None:
        write_file(options.svg, svg(made, heading=heading, caption=[caption]))
    if options.as_json:
        print_json(_to_json(project, made, answer, options))
    else:
        _show(Terminal.stdout(), project, made, answer, options)
    return 0 if answer is None else exits.of_answers([answer.verdict.value])


def _show(terminal: Terminal, project: Project, made: InputBars, answer: Answer | None, options: SceneOptions) -> None:
    terminal.rule(project.program.name, project.keyframe.called)
    if answer is not None:
        show_question(terminal, answer.query, answer.text, project.keyframe)
        show_verdict(terminal, answer, project.keyframe)
        if not made.has_scenario:
            terminal.prose("There is no scenario to draw beside the fact.", style="dim")
        terminal.blank()
    for line in lines(made, terminal.width, ascii_only=terminal.either("", "ASCII") == "ASCII"):
        terminal.line((line, ""))
    if options.svg is not None:
        terminal.blank()
        terminal.prose(f"drawn in {options.svg}", style="dim")


def _to_json(project: Project, made: InputBars, answer: Answer | None, options: SceneOptions) -> dict[str, Any]:
    return {
        "program": project.program.name,
        "step": project.keyframe.step,
        "inputs": [_bar(each) for each in (*made.shown, *made.folded)],
        "answer": answer.document if answer is not None else None,
        "svg": str(options.svg) if options.svg is not None else None,
    }


def _bar(bar: InputBar) -> dict[str, Any]:
    kind, axis = bar.variable.type, bar.axis
    return {
        "variable": bar.variable.path,
        "name": bar.name,
        "unit": bar.variable.unit,
        "drawn": [axis.json(axis.low), axis.json(axis.high)],
        "scale": axis.scale,
        "fact": None if bar.fact is None else json_value(kind, bar.fact),
        "scenario": None if bar.scenario is None else json_value(kind, bar.scenario),
        "supposed": [[axis.json(low), axis.json(high)] for low, high in bar.supposed],
        "flips": [json_value(kind, each) for each in bar.flips],
    }
