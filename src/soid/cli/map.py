"""`soid map`: what happens where, along one or two variables; as characters, as JSON and as a picture."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Final, final

from msgspec import Struct

from soid.budget import Cancellation
from soid.case.project import Project
from soid.cli.ask import Options as Asked
from soid.cli.terminal import Terminal
from soid.cli.watching import Report, watched
from soid.documents import json_of
from soid.errors import InputError
from soid.mapping import map_words
from soid.mapping.decision_map import DecisionMap
from soid.mapping.map_svg import svg
from soid.mapping.map_text import rows, signs
from soid.mapping.partition import Fineness
from soid.solver.chain import chain

#: a region of more boxes than this has no simple shape, and they are not listed
_LISTED: Final = 6


@final
class Options(Struct, frozen=True):
    """What the command line says of the map; the rest is as for a question."""

    asked: Asked
    over: str
    by: str | None = None
    svg: Path | None = None
    fineness: Fineness | None = None


def draw_map(options: Options) -> int:
    """Make the map, and show it."""
    asked = options.asked
    solver = chain()
    try:
        case = Project.open(asked.project, trace=asked.trace, step=asked.step, settings=asked.settings(), solver=solver)
        made = watched(_mapping(case, options), about="map: ", quiet=asked.quiet)
    finally:
        solver.close()
    if options.svg is not None:
        _write(options.svg, svg(made, caption=f"{case.program.name}, step {made.step}"))
    if asked.as_json:
        picture = str(options.svg) if options.svg is not None else None
        print(json.dumps({**json_of(made.document), "svg": picture}, ensure_ascii=False))
    else:
        _show(Terminal.stdout(), made, case, options.svg)
    return 0


def _mapping(case: Project, options: Options) -> Callable[[Cancellation, Report], DecisionMap]:
    def do(cancel: Cancellation, report: Report) -> DecisionMap:
        return case.map(options.over, by=options.by, fineness=options.fineness, cancel=cancel, progress=report)

    return do


def _write(file: Path, drawing: str) -> None:
    try:
        file.write_text(drawing, encoding="utf-8")
    except OSError as error:
        raise InputError(f"{file} cannot be written: {error.strerror or error}", "Name another file.") from error


def _show(terminal: Terminal, made: DecisionMap, case: Project, picture: Path | None) -> None:
    terminal.rule(map_words.heading(made), f"{case.program.name}, step {made.step}")
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
    terminal.prose(map_words.counting_text(made), style="dim")
    if picture is not None:
        terminal.prose(f"The picture is in {picture}.")


def _list_regions(terminal: Terminal, made: DecisionMap) -> None:
    for sign, region in zip(signs(made.regions), made.regions, strict=True):
        terminal.prose(
            f"{region.label.text} ({map_words.region_share(made, region)})", indent=5, first=(f"  {sign}", "bold")
        )
        if len(region.boxes) > _LISTED:
            terminal.prose(f"{len(region.boxes)} boxes: --json lists them", indent=7, style="dim")
            continue
        for box in region.boxes:
            terminal.prose(map_words.box_text(made.axes, box), indent=7, style="dim")
