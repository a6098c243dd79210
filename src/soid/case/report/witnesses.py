"""A scenario of an answer: the changes against the fact, the picture, and the program's outcome."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import partial
from typing import Any

from soid.case.known_flips import recorded_explanation
from soid.case.moment_picture import answer_bars
from soid.case.record.entry import Entry
from soid.case.report.contents import Contents
from soid.case.report.markup import Html, digits, element, paragraphs, table, together
from soid.case.report.narrative import figure
from soid.case.report.phrases import (
    amount,
    called,
    fact_amount,
    in_both_ways,
    is_left_by_world,
    logged_amount,
    outcome_amount,
    output_called,
    sentence_of,
    shown_outcomes,
    stepped_outcomes,
    world_besides,
)
from soid.case.shown_pair import ONE, OTHER, PairRow, ShownPair, shown_pair
from soid.engine.summary import Decided
from soid.mapping.bars import bars_svg
from soid.oracle.answer import Answer
from soid.query.words import RoundedText, counted
from soid.scenario.origin import Origin
from soid.scenario.trace import Keyframe
from soid.scene.picture import of_keyframe
from soid.scene.scene import Scene
from soid.witness.witness import Shows, Witness, outcome_text

_DRAWN = "The scenario beside the fact"


def recorded_scenarios(contents: Contents, entry: Entry) -> Html:
    """The scenarios of an answer on record."""
    explanation = recorded_explanation(contents.entries, entry.number)
    return scenarios(contents.answer(entry), contents.keyframe(entry), contents.scene, explanation)


def scenarios(
    answer: Answer, keyframe: Keyframe, scene: Scene | None, explanation: Mapping[str, Any] | None = None
) -> Html:
    """The scenarios of an answer: one, or two if the log allows both outcomes."""
    moment = answer.query.moment(keyframe)
    shown = [each for each in (answer.witness, answer.contrast) if each is not None]
    return together(*(_scenario(scene, explanation, answer, each, moment) for each in shown))


def _scenario(
    scene: Scene | None,
    explanation: Mapping[str, Any] | None,
    answer: Answer,
    witness: Witness,
    keyframe: Keyframe,
) -> Html:
    pair = shown_pair(answer, witness)
    if pair is not None:
        return _pair(answer, witness, pair)
    return element(
        "section",
        element("h4", answer.heading(witness)) if witness.shows is not Shows.FACT else "",
        _changed(answer, witness, keyframe),
        paragraphs(sentence_of(answer.taken(witness)), class_="small"),
        _picture(scene, explanation, answer, witness, keyframe),
        _outcome(answer, witness, keyframe),
        _checked(answer, witness),
        class_="scenario",
    )


def _pair(answer: Answer, witness: Witness, pair: ShownPair) -> Html:
    """Two lives side by side."""
    same = f"Everything else is in both as it was in fact: {counted(len(pair.given), 'further input')}."
    return element(
        "section",
        element("h4", answer.heading(witness)),
        _lives("The two, side by side", (*pair.differing, *pair.shared)),
        paragraphs(same if pair.given else "", sentence_of(answer.taken(witness)), class_="small"),
        _lives("What the program then decides", pair.outcomes) if pair.outcomes else "",
        paragraphs(*pair.ends),
        _checked(answer, witness),
        class_="scenario",
    )


def _lives(caption: str, rows: Iterable[PairRow]) -> Html:
    shown = []
    for row in rows:
        text = partial(amount, row.variable)
        shown.append((called(row.variable, after=row.is_left), row.told(row.one, text), row.told(row.other, text)))
    return table(caption, ("what", ONE, OTHER), shown, class_="changed")


def _changed(answer: Answer, witness: Witness, keyframe: Keyframe) -> str:
    if witness.shows is Shows.FACT:
        return ""
    steps = answer.steps(keyframe)
    rows = []
    for change in answer.told(witness):
        texts = in_both_ways(answer.query, change.variable, (change.before, change.after))
        before, after = (RoundedText(*(text(bits) for text in texts)) for bits in (change.before, change.after))
        known = RoundedText(change.told(before.read), change.told(before.exact))
        rows.append((called(change.variable, steps=steps), digits(known), digits(after)))
    if not rows:
        return paragraphs("Everything is as it was logged.", class_="small")
    given = [each for each in answer.given(witness) if each.origin is not Origin.ASSUMED]
    derived = sum(each.origin is Origin.DERIVED for each in given)
    marked = f" ({derived} of them not logged, and derived)" if derived else ""
    same = f"Everything else is as it was in fact: {counted(len(given), 'further input')}{marked}." if given else ""
    different = table("What is different", ("what", "in fact", "in the scenario"), rows, class_="changed")
    return together(different, paragraphs(same, class_="small"))


def _picture(
    scene: Scene | None,
    explanation: Mapping[str, Any] | None,
    answer: Answer,
    witness: Witness,
    keyframe: Keyframe,
) -> str:
    """A picture, if a change belongs to an actor that is drawn; without a scene the inputs that differ as bars."""
    if scene is None:
        if not witness.changed:
            return ""
        made = answer_bars(keyframe, answer, witness, explanation)
        return element("figure", Html(bars_svg.svg(made, heading=_DRAWN)))
    drawn = of_keyframe(scene, keyframe, decided=answer.fact, witness=witness)
    return figure(drawn) if any(each.actor is not None for each in drawn.differences) else ""


def _outcome(answer: Answer, witness: Witness, keyframe: Keyframe) -> Html:
    parts = [_step_by_step(witness, keyframe)] if witness.earlier else []
    if not isinstance(witness.ending, Decided):
        when = f"In step {witness.step_number(len(witness.earlier), keyframe.step)} the" if witness.earlier else "The"
        parts.append(element("p", f"{when} program ", element("strong", str(witness.ending)), "."))
    elif not witness.earlier:
        parts.append(_compared(answer, witness, keyframe))
    return together(*parts)


def _compared(answer: Answer, witness: Witness, keyframe: Keyframe) -> Html:
    rows = []
    outcomes, interface, asked = witness.outcomes[-1], witness.interface, answer.query.behavior.names
    for program, name in _in_order(shown_outcomes(interface, outcomes)):
        if is_left_by_world(name, interface, asked):
            continue
        row = (output_called(name, interface), *map(digits, _cells(name, answer, witness, keyframe)))
        rows.append((program, *row) if interface.programs else row)
    caption, headers = "What the program then decides", ("what", "in fact", "in the scenario")
    if witness.shows is Shows.FACT:
        caption, headers = "What the program does on the logged inputs", ("what", "the log says", "the program gives")
    shown = table(caption, ("program", *headers) if interface.programs else headers, rows, class_="changed")
    besides = world_besides(outcomes, interface, asked)
    return together(shown, paragraphs(sentence_of(besides), class_="small")) if besides else shown


def _cells(name: str, answer: Answer, witness: Witness, keyframe: Keyframe) -> Iterator[RoundedText]:
    """An outcome in fact, and in the scenario."""
    variable, outcome = witness.interface.variable(name.removesuffix("'")), witness.outcomes[-1][name]
    in_fact = answer.in_fact(name)
    ends = [bits for each in (outcome, in_fact) if each is not None for bits in (each.low, each.high)]
    between = outcome.low != outcome.high  # its ends differ in the last digits alone
    texts = in_both_ways(answer.query, variable, ends)
    texts = texts if not between else (texts[1], texts[1])
    if witness.shows is Shows.FACT:
        yield RoundedText(*(logged_amount(name, keyframe, text) for text in texts))
    else:
        yield RoundedText(*(fact_amount(name, answer, keyframe, text) for text in texts))
    yield RoundedText(*(outcome_text(outcome, variable.type, text) for text in texts))


def _in_order(outcomes: Sequence[tuple[str, str]]) -> list[tuple[str, str]]:
    """What a program decides before what it remembers."""
    programs = list(dict.fromkeys(program for program, _ in outcomes))
    return sorted(outcomes, key=lambda each: (programs.index(each[0]), each[1].endswith("'")))


def _step_by_step(witness: Witness, keyframe: Keyframe) -> Html:
    interface = witness.interface
    stepped = stepped_outcomes(interface, witness.outcomes)
    names = [name for _, name in _in_order([(interface.program_of(name), name) for name in stepped])]
    rows = [
        (
            number,
            *(outcome_amount(name, step[name], interface, done.get(name)) if name in step else "" for name in names),
        )
        for number, step, done in witness.step_rows(keyframe.step)
    ]
    heads = (output_called(name, interface) for name in names)
    return table("What the program decides, step by step", ("step", *heads), rows, class_="values")


def _checked(answer: Answer, witness: Witness) -> Html:
    """The result of the replay, and whether there are scenarios nearer to the fact."""
    replay, nearer = paragraphs(f"Replay: {witness.replayed}.", class_="small"), answer.nearness(witness)
    return together(element("p", digits(nearer), class_="small") if nearer is not None else "", replay)
