"""Random scripts, as the formatter leaves them."""

from __future__ import annotations

from collections.abc import Callable
from random import Random
from typing import Any

from hypothesis import strategies as st

from soid.query.behavior import Behavior
from soid.query.language.script import nodes
from soid.query.language.script.nodes import WORDS, Indexes, On, Remarks, Script, ScriptBlock, Statement, VerdictBranch
from soid.scenario.expression import And, Identical, Literal, Name, Not, Or
from soid.scenario.expression_text import RESERVED
from tests.unit.query.queries import expressions, paths, queries, steps, suppositions, times

Draw = Callable[[st.SearchStrategy[Any]], Any]

names = st.from_regex(r"[a-zA-Z_é]\w{0,8}", fullmatch=True).filter(lambda name: name not in RESERVED | WORDS)
texts = st.text(max_size=12)
numbers = st.integers(-5, 10**6)
written = numbers | times
logs = st.none() | names
supposed = st.lists(suppositions, min_size=1, max_size=3).map(tuple)

comments = st.text(st.characters(exclude_characters="\n"), max_size=10).map(lambda text: f"#{text}".rstrip())
remark_lines = st.lists(comments | st.just(""), max_size=3)

# Some variables are named like words of scripts.
behaviors = st.builds(Behavior, expressions | st.sampled_from(sorted(WORDS)).map(Name))
conditions = queries | st.builds(nodes.Cause, behaviors, supposed, steps)

indexes = st.builds(lambda path, low, more: Indexes(path, low, low + more), paths, st.integers(0, 9), st.integers(0, 9))
places = st.lists(paths | indexes, min_size=1, max_size=3)
numbered = st.tuples(numbers, st.integers(0, 9)).map(lambda pair: (pair[0], sum(pair)))
ranges = st.lists(numbered | st.tuples(times, written), min_size=1, max_size=3)


called = names.map(Name) | st.integers(1, 99).map(lambda number: Literal(str(number)))
verdicts: st.SearchStrategy[Any] = st.recursive(
    st.builds(Identical, called, st.sampled_from(On).map(lambda on: Name(on.value))),
    lambda inner: (
        st.builds(Not, inner)
        | st.builds(And, st.lists(inner, min_size=2, max_size=3).map(tuple))
        | st.builds(Or, st.lists(inner, min_size=2, max_size=3).map(tuple))
    ),
    max_leaves=5,
)


def tidy(lines: list[str], *, first: bool = False, last: bool = False) -> tuple[str, ...]:
    """No two blank lines in a row, none at the beginning of a block, none at the end of one."""
    kept: list[str] = []
    for line in lines:
        if line or (kept[-1] if kept else not first):
            kept.append(line)
    return tuple(kept[:-1] if last and kept and not kept[-1] else kept)


def remarks(draw: Draw, *, first: bool) -> Remarks:
    return Remarks(tidy(draw(remark_lines), first=first), draw(st.just("") | comments))


def block(draw: Draw, depth: int) -> ScriptBlock:
    count = draw(st.integers(1, 3))
    lines = tuple(statement(draw, depth, first=number == 0) for number in range(count))
    return ScriptBlock(lines, tidy(draw(remark_lines), last=True))


def statement(draw: Draw, depth: int, *, first: bool) -> Statement:
    kinds = ["let", "question", "witness", "causes", "map", "explain", "family", "step", "keyframe", "ask", "conclude"]
    kind = draw(st.sampled_from([*kinds, "when", "verdicts", "places", "steps", "keyframes"] if depth else kinds))
    if kind == "when":
        handled = draw(st.lists(st.sampled_from(sorted(set(On) - {On.YES}, key=str)), unique=True))
        branches = [
            VerdictBranch(on, block(draw, depth - 1), remarks=remarks(draw, first=first and on is On.YES))
            for on in (On.YES, *handled)
        ]
        return nodes.When(draw(conditions), tuple(branches))
    if kind == "verdicts":
        formulas = [*draw(st.lists(verdicts, min_size=1, max_size=3)), *draw(st.sampled_from([(), (None,)]))]
        arms = [
            nodes.VerdictArm(formula, block(draw, depth - 1), remarks=remarks(draw, first=first and not number))
            for number, formula in enumerate(formulas)
        ]
        return nodes.WhenVerdicts(tuple(arms))
    said = remarks(draw, first=first)
    match kind:
        case "question":
            return nodes.NamedQuestion(draw(names), draw(conditions), remarks=said)
        case "witness":
            return nodes.LetWitness(draw(names), draw(names | st.integers(1, 99).map(str)), remarks=said)
        case "causes":
            return nodes.StudyCauses(draw(behaviors), draw(supposed), remarks=said)
        case "map":
            return nodes.StudyMap(draw(supposed), draw(st.none() | behaviors), remarks=said)
        case "explain":
            return nodes.StudyExplanation(draw(names | st.integers(1, 99).map(str)), remarks=said)
        case "let":
            return nodes.Let(draw(names), draw(expressions), remarks=said)
        case "family":
            return nodes.FamilyDefinition(draw(names), draw(supposed), remarks=said)
        case "step":
            return nodes.AtStep(draw(written), draw(logs), remarks=said)
        case "keyframe":
            return nodes.AtKeyframe(draw(names), remarks=said)
        case "ask":
            return nodes.Ask(draw(conditions), remarks=said)
        case "conclude":
            return nodes.Conclude(draw(texts), remarks=said)
        case "places":
            over = draw(places.map(tuple))
            return nodes.EachPlace(draw(names), over, block(draw, depth - 1), remarks=said)
        case "steps":
            return nodes.EachStep(tuple(draw(ranges)), draw(logs), block(draw, depth - 1), remarks=said)
        case _:
            several = draw(st.lists(names, min_size=1, max_size=3).map(tuple))
            return nodes.EachKeyframe(several, block(draw, depth - 1), remarks=said)


@st.composite
def scripts(draw: Draw, depth: int = 2) -> Script:
    """Headings, then any lines."""
    files = st.lists(texts, min_size=1, max_size=3).map(tuple)
    heads: list[Callable[[Remarks], Statement]] = []
    if draw(st.booleans()):
        heads.append(lambda said: nodes.Title(draw(texts), remarks=said))
    if draw(st.booleans()):
        program = draw(st.builds(nodes.Sources, files, names) | st.builds(nodes.ProjectDeclaration, texts))
        heads.append(lambda said: _with(program, said))
    if draw(st.booleans()):
        heads.append(
            lambda said: nodes.LogDeclaration(draw(texts), draw(logs), draw(st.none() | written), remarks=said)
        )
    if draw(st.booleans()):
        heads.append(lambda said: nodes.LogDeclaration(draw(texts), draw(names), remarks=said))
    for name in draw(st.lists(names, unique=True, max_size=2)):
        heads.append(lambda said, name=name: nodes.KeyframeDefinition(name, draw(written), draw(logs), remarks=said))  # type: ignore[misc]
    lines = [head(remarks(draw, first=number == 0)) for number, head in enumerate(heads)]
    for _ in range(draw(st.integers(0, 3))):
        lines.append(statement(draw, depth, first=not lines))
    return Script(tuple(lines), tidy(draw(remark_lines), first=not lines, last=True))


def _with(line: nodes.Sources | nodes.ProjectDeclaration, said: Remarks) -> Statement:
    if isinstance(line, nodes.Sources):
        return nodes.Sources(line.files, line.entry, remarks=said)
    return nodes.ProjectDeclaration(line.folder, remarks=said)


# --- anything at all --------------------------------------------------------------------------------------------

EXAMPLE = """\
# A crash at a crossing.
case "Broadside"  # the title
program "car.c", "brake.c" entry decide
trace "crash.jsonl" at step 11
trace "night.jsonl" as night
keyframe approach = step 9 of night
let other = world.agents[1]
family any_signal = other.signal is anything and other.x within 0.1 of fact

did   move
move within 5 steps because other.signal == RIGHT and keep other.x
when might not move if any_signal and 1.0 <= other.x <= 1.5:
    conclude "reasonable"
otherwise:
    at approach
    for each car in {world.agents[1..2], world.agents[0]}:
        when would not move
                if car.signal == STRAIGHT:
            conclude "pathological"
        when unknown:
            did fails
    for each step in {10..12, 3} of night:
        did `waited` is not 3
    # the end
when vacuous:
    conclude "nothing to ask about"
let heeds = would move if any_signal
when heeds is yes and not (1 is no or 3 is unknown):
    conclude "it heeds"
otherwise when heeds is not yes:
    did move
otherwise:
    did fails
"""

SIGNS = "x other a.b[1] LEFT ' ( ) { } , .. + - * / == <= < != = : 1 0.5 3 1e999 [1..3] & é \0 \\ \" `"
BREAKS = ["\n", "\n", "\n    ", "\n  ", "\n        ", ":\n    ", "\t", "#", "# c", '"a"', "`b`"]
PIECES = [*sorted(RESERVED | WORDS), *SIGNS.split(" "), *BREAKS]


def anything(random: Random) -> str:
    """Random words, or a script with pieces removed, doubled, inserted or swapped."""
    if random.random() < 0.4:
        return "".join(random.choice(PIECES) + random.choice(["", " ", " "]) for _ in range(random.randrange(20)))
    head, body = EXAMPLE.split("\n\n")
    text = random.choice([head, body, body, EXAMPLE])
    for _ in range(random.randrange(1, 4)):
        text = spoiled(text, random)
    return text


def spoiled(text: str, random: Random) -> str:
    at, to = sorted(random.randrange(len(text) + 1) for _ in range(2))
    to = min(to, at + random.choice([1, 5, 80]))
    match random.randrange(4):
        case 0:
            return text[:at] + text[to:]
        case 1:
            other = random.randrange(len(text) + 1)
            return text[:other] + text[at:to] + text[other:]
        case 2:
            return text[:at] + random.choice(PIECES) + text[to:]
        case _:
            return text[:at] + chr(random.choice([9, 10, 13, 32, 34, 39, 96, 133, 0x2028, 0x1F600])) + text[at:]
