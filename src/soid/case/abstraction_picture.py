"""The abstraction as a picture: what each question visited, and the abstract states and transitions that result.

A graph in columns, one for each call of the program; a state is beside its successors. States that several questions
share have a thick edge and the marks of all of them; states that the solvers did not settle have a dashed edge. No
information is in colour alone.
"""

from __future__ import annotations

import functools
from collections.abc import Iterable, Mapping, Sequence
from typing import Final, final

from msgspec import Struct, field

from soid.case.abstraction import REST, Abstraction, AbstractState
from soid.case.inside_visit import InsideVisit, Stretch, named_values
from soid.case.state_words import StateWords
from soid.case.visited_states import SymbolicState, Visit
from soid.engine.inside import InsideState
from soid.program.interface import Interface
from soid.query.words import sentence
from soid.scene.vector.elements import label, sheet, tag, title, wrapped

_label: Final = functools.partial(label, family="sa")  # a prefix of its own: the page around it may have other styles

_MARGIN: Final = 24.0  # px
_BOX: Final = 340.0  # width of a state
_BETWEEN: Final = 80.0  # two columns, for the arrows
_APART: Final = 14.0  # two states above each other
_LINE: Final = 16.0
_PAD: Final = 9.0
_SIZE: Final = 12.0
_LARGE: Final = 16.0
_MOST_LINES: Final = 9  # in a box
_MOST: Final = 30  # states of one question that are drawn

_COLOURS: Final = ("#1d5a9e", "#a34b12", "#2e6b34", "#6f3a9e", "#0b6868", "#8a1f4d")

_STYLE: Final = """
.sa-text { font: 12px system-ui, "Segoe UI", Roboto, "Helvetica Neue", "DejaVu Sans", sans-serif; fill: #1b1f24 }
.sa-large { font-size: 16px; font-weight: 600 }
.sa-bold { font-weight: 600 }
.sa-dim { fill: #565d66 }
.sa-on { fill: #ffffff; font-weight: 600; font-size: 11px }
.sa-paper { fill: #ffffff }
.sa-box { fill: #f6f6f3; stroke: #8b9199; stroke-width: 1 }
.sa-shared { fill: #fdf6e3; stroke: #1b1f24; stroke-width: 2.2 }
.sa-open { stroke-dasharray: 5 3 }
.sa-inside { fill: #eef3fa; stroke: #8b9199; stroke-width: 1 }
.sa-rest { fill: none; stroke: #8b9199; stroke-width: 1; stroke-dasharray: 2 3 }
.sa-way { fill: none; stroke: #565d66; stroke-width: 1.2 }
.sa-head { fill: #565d66 }
.sa-rule { stroke: #c8ccd1; stroke-width: 1 }
"""


@final
class _Box(Struct):
    """A state to be drawn."""

    key: int  # its number
    column: int
    name: str
    lines: tuple[str, ...]
    exact: tuple[str, ...]  # the same as questions write it
    marks: tuple[int, ...] = ()  # the questions that visited it
    remark: str = ""  # at the right of its name
    style: str = "sa-box"
    y: float = 0.0

    @property
    def height(self) -> float:
        return 2 * _PAD + _LINE * (1 + len(self.lines))

    @property
    def x(self) -> float:
        return _MARGIN + self.column * (_BOX + _BETWEEN)

    @property
    def middle(self) -> float:
        return self.y + self.height / 2


_Graph = tuple[list[_Box], list[tuple[int, int]]]  # states, and the ways between them by their keys


@final
class _Sheet(Struct):
    """The parts drawn so far, and the lowest y used."""

    width: float
    parts: list[str] = field(default_factory=list)
    down: float = _MARGIN

    def write(self, text: str, style: str = "", *, x: float = _MARGIN, anchor: str = "start") -> None:
        self.parts.append(_label(text, x, self.down, style, anchor=anchor))

    def rule(self) -> None:
        self.down += 1.6 * _LINE
        ends = {"x1": _MARGIN, "x2": self.width - _MARGIN, "y1": self.down, "y2": self.down}
        self.parts.append(tag("line", **ends, class_="sa-rule"))


def svg(abstraction: Abstraction, interface: Interface, program: str) -> str:
    """The picture as a standalone SVG document."""
    words = StateWords(interface)
    graphs = [_visit_graph(visit, words, interface) for visit in abstraction.visits]
    columns = 1 + max((box.column for boxes, _ in graphs for box in boxes), default=0)
    drawn = _Sheet(2 * _MARGIN + columns * _BOX + (columns - 1) * _BETWEEN)
    asked = len(abstraction.visits)
    heading = f"What {'1 question has' if asked == 1 else f'{asked} questions have'} shown of {program}"
    drawn.down += _LARGE
    drawn.write(heading, "sa-large")
    for visit, graph in zip(abstraction.visits, graphs, strict=True):
        _draw_visit(drawn, visit, interface, graph)
    _draw_abstraction(drawn, abstraction, words)
    arrow = tag("path", d="M0 0 L8 4 L0 8 z", class_="sa-head")
    marker = tag("marker", arrow, id="sa-arrow", markerWidth=8, markerHeight=8, refX=2, refY=4, orient="auto")
    head, height = tag("style", _STYLE) + tag("defs", marker), drawn.down + _MARGIN
    return sheet(drawn.width, height, heading, _described(abstraction), "sa", head, *drawn.parts)


def _described(abstraction: Abstraction) -> str:
    shared = [state.name for state in abstraction.states if state.shared]
    told = f", of which {len(shared)} are shared by several questions: {', '.join(shared)}" if shared else ""
    return f"{len(abstraction.visited)} symbolic states visited, {len(abstraction.states)} abstract states{told}."


# --- what is drawn --------------------------------------------------------------------------------------------


def _draw_visit(sheet: _Sheet, visit: Visit, interface: Interface, graph: _Graph) -> None:
    answer = visit.answer
    sheet.rule()
    sheet.down += 1.5 * _LINE
    sheet.parts.append(_mark(visit.number, _MARGIN, sheet.down - 12))
    room = sheet.width - 2 * _MARGIN - 130
    lines = wrapped(sentence(answer.query, interface), room, _SIZE)
    sheet.write(f"{answer.verdict.value}, step {answer.step}", "sa-bold", x=sheet.width - _MARGIN, anchor="end")
    for number, line in enumerate(lines):
        sheet.down += _LINE if number else 0
        sheet.write(line, "sa-bold", x=_MARGIN + 34)
    sheet.down += 0.8 * _LINE
    _draw(sheet, *graph)
    left = [f"and {len(visit.states) - _MOST} more states"] if len(visit.states) > _MOST else []
    left += [] if visit.states else ["no scenario: nothing was visited"]
    left += [f"inside: {visit.inside.open}"] if visit.inside is not None and visit.inside.open else []
    for line in left:
        sheet.down += _LINE
        sheet.write(line, "sa-dim")


def _visit_graph(visit: Visit, words: StateWords, interface: Interface) -> _Graph:
    """What a question visits: the states before and after each call, and between them the ways inside, if one looked.

    Of several calls in a row the inside is left to the tables: the picture has one call after the other.
    """
    boxes = [_visited(state, visit, words) for state in visit.states[:_MOST]]
    inside = visit.inside
    if inside is None or not inside.leads_to or any(state.after > 1 for state in visit.states):
        return boxes, list(visit.transitions)
    stretches = inside.stretches
    if len(stretches) > _MOST:
        return boxes, list(visit.transitions)
    columns: list[int] = []
    ways, found = [], {box.key: box for box in boxes}
    for number, stretch in enumerate(stretches):
        columns.append(1 + (columns[stretch.before] if stretch.before is not None else 0))
        before = visit.states[0].number if stretch.before is None else _key(stretch.before)
        boxes.append(_stretch(_key(number), columns[-1], inside, stretch, words, interface))
        ways += [(before, _key(number)), *((_key(number), end) for end in stretch.ends)]
        for end in stretch.ends:
            if end in found:
                found[end].column = columns[-1] + 1
    return boxes, ways


def _key(number: int) -> int:
    """The key of a stretch inside; states have positive ones."""
    return -1 - number


def _stretch(
    key: int, column: int, inside: InsideVisit, stretch: Stretch, words: StateWords, interface: Interface
) -> _Box:
    first, last = stretch.states[0], stretch.states[-1]
    name = f"inside {first + 1}" if first == last else f"inside {first + 1} to {last + 1}"
    parted = [words.condition(each) for each in inside.parted(first, interface)]
    told = [_point(inside.states[number], words) for number in (stretch.states if first == last else (first, last))]
    between = [f"… {len(stretch.states) - 2} more …"] if len(stretch.states) > 2 else []
    condition = [f"if {' and '.join(parted)}"] if parted else []
    lines = (*condition, *told[:1], *between, *told[1:])
    return _Box(key, column, name, _cut(lines), lines, style="sa-inside")


def _point(state: InsideState, words: StateWords) -> str:
    values = ", ".join(f"{name} {value}" for name, value in named_values(state, words.depends))
    return f"{state.point}: {values}" if values else str(state.point)


def _draw_abstraction(sheet: _Sheet, abstraction: Abstraction, words: StateWords) -> None:
    sheet.rule()
    sheet.down += 2 * _LINE
    sheet.write("The abstraction that results", "sa-large")
    sheet.down += 1.2 * _LINE
    sheet.write(
        "A state for each meet, and for what each visited state has for itself. Thick: shared by questions.", "sa-dim"
    )
    sheet.down += 0.8 * _LINE
    boxes = [_abstract(state, abstraction, words) for state in abstraction.states]
    ways = [way for way in abstraction.transitions if REST not in way]
    _draw(sheet, boxes, ways)
    _draw_rest(sheet, abstraction)


def _draw_rest(sheet: _Sheet, abstraction: Abstraction) -> None:
    sheet.down += 1.5 * _LINE
    unexplored = [one for one, other in abstraction.transitions if other == REST and one != REST]
    lines = ["no question has visited it: it may go anywhere"]
    if unexplored:
        names = {state.number: state.name for state in abstraction.states}
        lines.append(f"and so may {', '.join(names[number] for number in unexplored)}")
    box = _Box(REST, 0, "everything else", tuple(lines), tuple(lines), style="sa-rest", y=sheet.down)
    sheet.parts.append(_boxed(box))
    right, middle = box.x + _BOX, box.middle
    out, back = (f"{right + 42:g} {middle + way:g}" for way in (-26, 26))
    loop = f"M{right:g} {middle - 8:g} C{out} {back} {right + 6:g} {middle + 8:g}"
    sheet.parts.append(tag("path", d=loop, class_="sa-way", marker_end="url(#sa-arrow)"))
    sheet.down += box.height


def _visited(state: SymbolicState, visit: Visit, words: StateWords) -> _Box:
    remark = f"as asked: {state.occurs}" if state.occurs else ""
    lines, exact = words.told(state, visit), words.exact(state, visit)
    return _Box(state.number, state.after, state.name, _cut(lines), tuple(exact), remark=remark)


def _abstract(state: AbstractState, abstraction: Abstraction, words: StateWords) -> _Box:
    visits = {visit.number: visit for visit in abstraction.visits}
    members = [(member, visits[member.question]) for member in state.members]
    exact = [words.exact(*each) for each in members]
    # show the member with the fewest symbolic values; of what questions begin with, all
    best = min(range(len(exact)), key=lambda place: sum("depends on" in line for line in exact[place]))
    shown = members[best : best + 1] if state.after else members
    style = "sa-shared" if state.shared else "sa-box"
    return _Box(
        state.number,
        state.after,
        state.name,
        _cut(_each_once(words.told(*each) for each in shown)),
        _each_once(words.exact(*each) for each in shown),
        state.questions,
        style=style if state.settled else f"{style} sa-open",
    )


def _each_once(lines: Iterable[Sequence[str]]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(line for each in lines for line in each))


def _cut(lines: Sequence[str]) -> tuple[str, ...]:
    folded = [each for line in lines for each in wrapped(line, _BOX - 2 * _PAD, _SIZE)]
    if len(folded) > _MOST_LINES:
        return (*folded[: _MOST_LINES - 1], f"and {len(folded) - _MOST_LINES + 1} more lines")
    return tuple(folded)


# --- how it is drawn ------------------------------------------------------------------------------------------


def _draw(sheet: _Sheet, boxes: Sequence[_Box], ways: Iterable[tuple[int, int]]) -> None:
    """Draw a graph in columns, below the parts drawn so far."""
    known = {box.key: box for box in boxes}
    arrows = [(known[one], known[other]) for one, other in ways if one in known and other in known]
    _place(boxes, arrows, sheet.down)
    sheet.parts += [_arrow(one, other) for one, other in arrows]
    sheet.parts += [_boxed(box) for box in boxes]
    sheet.down = max((box.y + box.height for box in boxes), default=sheet.down)


def _place(boxes: Sequence[_Box], arrows: Sequence[tuple[_Box, _Box]], top: float) -> None:
    """Stack each column in the order of its predecessors; then move states beside their successors."""
    columns: dict[int, list[_Box]] = {}
    for box in boxes:
        columns.setdefault(box.column, []).append(box)
    for column in sorted(columns):
        columns[column].sort(key=lambda box: (_mean([one.y for one, other in arrows if other is box]), box.key))
        _stack(columns[column], {}, top)
    for column in sorted(columns, reverse=True)[1:]:
        wanted = {
            box.key: _mean([other.middle for one, other in arrows if one is box]) - box.height / 2
            for box in columns[column]
            if any(one is box for one, _ in arrows)
        }
        _stack(columns[column], wanted, top)


def _stack(boxes: Sequence[_Box], wanted: Mapping[int, float], top: float) -> None:
    """Put each box at its wanted height, but below the one before."""
    for box in boxes:
        box.y = max(top, wanted.get(box.key, top))
        top = box.y + box.height + _APART


def _mean(values: Sequence[float]) -> float:
    return sum(values) / len(values) if values else 0.0


def _boxed(box: _Box) -> str:
    parts = [
        title(f"{box.name}: {'; '.join(box.exact)}"),
        tag("rect", x=box.x, y=box.y, width=_BOX, height=box.height, rx=5, class_=box.style),
        _label(box.name, box.x + _PAD, box.y + _PAD + 11, "sa-bold"),
    ]
    if box.remark:
        parts.append(_label(box.remark, box.x + _BOX - _PAD, box.y + _PAD + 11, "sa-dim", anchor="end"))
    for place, question in enumerate(reversed(box.marks)):
        parts.append(_mark(question, box.x + _BOX - _PAD - 26 - 30 * place, box.y + _PAD - 1))
    for number, line in enumerate(box.lines, start=1):
        parts.append(_label(line, box.x + _PAD, box.y + _PAD + 11 + _LINE * number))
    return tag("g", *parts)


def _mark(question: int, x: float, y: float) -> str:
    colour = _COLOURS[(question - 1) % len(_COLOURS)]
    box = tag("rect", x=x, y=y, width=26, height=16, rx=8, fill=colour)
    return box + _label(f"q{question}", x + 13, y + 12, "sa-on", anchor="middle")


def _arrow(one: _Box, other: _Box) -> str:
    x1, y1, x2, y2 = one.x + _BOX, one.middle, other.x - 7, other.middle
    bend = (x2 - x1) / 2
    way = f"M{x1:g} {y1:g} C{x1 + bend:g} {y1:g} {x2 - bend:g} {y2:g} {x2:g} {y2:g}"
    return tag("path", d=way, class_="sa-way", marker_end="url(#sa-arrow)")
