"""`soid map`: draw what the program does along one or two variables, as characters, as JSON and as a picture."""

from __future__ import annotations

from contextlib import closing
from functools import partial
from pathlib import Path
from typing import Final

from soid.cli.command_line.question_options import MapOptions
from soid.cli.commands.ask_command import opened, settings_of
from soid.cli.output import print_json, write_file
from soid.cli.terminal.progress import watched
from soid.cli.terminal.terminal import Terminal
from soid.mapping import map_words
from soid.mapping.decision_map import DecisionMap
from soid.mapping.map_svg import svg
from soid.mapping.map_text import rows, signs
from soid.mapping.partition import Fineness
from soid.solver.chain import chain

#: a region of more boxes has no simple shape, and its boxes are not listed
_LISTED: Final = 6


def draw_map(options: MapOptions) -> int:
    with closing(chain()) as solver:
        project = opened(options, settings_of(options), solver)
        wanted = partial(project.map, options.over, by=options.by, fineness=Fineness(resolution=options.resolution))
        made = watched(lambda cancel, report: wanted(cancel=cancel, progress=report), about="map: ")
    if options.svg is not None:
        write_file(options.svg, svg(made, caption=f"{project.program.name}, {project.keyframe.called}"))
    if options.as_json:
        print_json(made.document, svg=str(options.svg) if options.svg is not None else None)
    else:
        show_map(Terminal.stdout(), made, f"{project.program.name}, {project.keyframe.called}", options.svg)
    return 0


def show_map(terminal: Terminal, made: DecisionMap, where: str, picture: Path | None = None) -> None:
    terminal.rule(map_words.heading(made), where)
    terminal.prose(made.supposed)
    terminal.prose(f"if {made.over}", style="dim")
    terminal.blank()
    if made.is_empty:
        terminal.prose(map_words.settled_text(made))
        terminal.prose(f'To learn which of them conflict: soid ask "might decides if {made.over}".', style="dim")
        return
    for row in rows(made, min(terminal.width - 2, 80)):
        terminal.line((f"  {row.name}  ", "dim"), (row.signs.rstrip(), ""))
    terminal.blank()
    _list_regions(terminal, made)
    terminal.blank()
    terminal.prose(map_words.fact_text(made), indent=5, first=("  @", "bold"))
    terminal.prose(map_words.settled_text(made))
    terminal.prose(map_words.measure_text(made), style="dim")
    if picture is not None:
        terminal.prose(f"The picture is in {picture}.")


def _list_regions(terminal: Terminal, made: DecisionMap) -> None:
    for sign, region in zip(signs(made.regions), made.regions, strict=True):
        terminal.prose(
            f"{region.label.words} ({map_words.region_share(made, region)})", indent=5, first=(f"  {sign}", "bold")
        )
        told = map_words.boxes_told(made.axes, region.boxes)
        if len(told) > _LISTED:
            told = [f"{len(region.boxes)} boxes: --json lists them"]
        for each in told:
            terminal.prose(each, indent=7, style="dim")
