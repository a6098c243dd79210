"""An Answer on the terminal: the question in words, the verdict, what changed, what the program did, what it rests on.

Question ────────────────────────────────────────────────────────────── step 3
  Would it always decide action == CANCEL, had error been true?
  would action == CANCEL if error == true

  ✘ NO  in the scenario shown it decides otherwise
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import partial
from typing import Final

from soid.allowance import MAY_SETTLE
from soid.case.family_statement import said_of_all
from soid.case.report.phrases import (
    assumptions_told,
    is_left_by_world,
    shown_outcomes,
    stepped_outcomes,
    told_in_fact,
    world_besides,
)
from soid.case.shown_pair import ONE, OTHER, PairRow, ShownPair, shown_pair
from soid.cli.terminal.terminal import Terminal
from soid.engine.summary import Decided
from soid.oracle.answer import Answer, GivenInput, Verdict
from soid.oracle.reason import ReasonCode
from soid.program.interface import Interface, Variable
from soid.program.types import show
from soid.query.lives import of_one_life
from soid.query.query import Query
from soid.query.words import Words, borders_of, readable, readable_number, sentence
from soid.scenario.input_names import NO_STEPS, all_called, called
from soid.scenario.origin import NOT_LOGGED, Origin
from soid.scenario.trace import Keyframe
from soid.surface import Advice
from soid.witness.witness import Shows, Witness, outcome_text

#: sign, the same in ASCII, style; sign and word tell verdicts apart without colour, and only errors are red
SIGNS: Final = {
    Verdict.YES: ("✔", "+", "bold green"),
    Verdict.NO: ("✘", "-", "bold blue"),
    Verdict.VACUOUS: ("∅", "0", "bold yellow"),
    Verdict.UNKNOWN: ("?", "?", "bold magenta"),
    Verdict.ERROR: ("!", "!", "bold red"),
}

#: the head of the names that a question has for variables; other columns call them as people do
TYPED: Final = "in questions"

UNFOLDED: Final = 8  # so many unchanged inputs, at most, are shown without --verbose
FOLDED: Final = 4  # so many of the things that an answer relies on are shown without --verbose
_MORE: Final = Advice(command=" (--verbose shows them)", python="")
_ALL: Final = Advice(command=": --verbose", python=": answer.relies_on")
_LARGER: Final = Advice(
    command="A larger window may let it decide: --window, in rounds of loops and calls.",
    python="A larger window may let it decide: soid.Settings(window=1000), in rounds of loops and calls.",
)
_ACCEPTING: Final = Advice(
    command="`soid log check` tests why. To go on all the same, on the record: --accept-log-mismatch; in a case, "
    "`soid case accept`.",
    python="project.compare_log() tests why. To go on all the same: soid.Settings(accept_log_mismatch=True); in a "
    "case, case.accept_log_mismatch(why).",
)
_LABEL: Final = 12  # columns of the labels in the figures below an answer


def show_answer(
    terminal: Terminal,
    answer: Answer,
    keyframe: Keyframe,
    *,
    heading: str = "Question",
    verbose: bool = False,
    exact: bool = False,
) -> None:
    """Show the question, the verdict, the witness and the figures.

    `exact` shows all digits of numbers, and `verbose` all that there is.
    """
    keyframe = answer.query.moment(keyframe)
    terminal.rule(heading, keyframe.called)
    show_question(terminal, answer.query, answer.text, keyframe)
    show_verdict(terminal, answer, keyframe)
    if answer.verdict is Verdict.UNKNOWN:
        from soid.cli.terminal.unknown_answers import show_unknown  # seldom needed

        show_unknown(terminal, answer)
    for remark in answer.remarks:
        terminal.prose(remark, indent=4, first=(f"  {terminal.either('·', '-')} ", "dim"), style="dim")
    for witness in (answer.witness, answer.contrast):
        if witness is not None:
            show_witness(terminal, answer, witness, keyframe, verbose=verbose, exact=exact)
    _figures(terminal, answer, keyframe, verbose=verbose)


def show_question(terminal: Terminal, query: Query, text: str, keyframe: Keyframe) -> None:
    """Show a question in words, and as it was put."""
    terminal.prose(sentence(query, keyframe.interface, log=keyframe.trace), style="bold")
    terminal.prose(text, style="dim")
    terminal.blank()


def show_verdict(terminal: Terminal, answer: Answer, keyframe: Keyframe) -> None:
    """Show the verdict with its reason, what is so in all scenarios, and what can be done about a missing verdict."""
    indent = show_reason(terminal, answer.verdict, answer.obstacle or answer.reason)
    if answer.obstacle:
        terminal.prose("; ".join((answer.because, *answer.settled_besides)), indent=indent, style="dim")
    if answer.throughout is not None:
        terminal.prose(f"{said_of_all(answer, answer.query.moment(keyframe))}.", indent=indent)
    terminal.prose(answer.harm, indent=indent)
    terminal.prose(_hint(answer), indent=indent)


def show_reason(terminal: Terminal, verdict: Verdict, reason: str) -> int:
    """Show the verdict with its reason; return how far the reason is indented."""
    sign, plain, style = SIGNS[verdict]
    opening = f"  {terminal.either(sign, plain)} {verdict.value.upper()}  "
    terminal.prose(reason, indent=len(opening), first=(opening, style))
    return len(opening)


def _hint(answer: Answer) -> str:
    """What can be done about an answer that is neither yes nor no."""
    hints = []
    if answer.verdict is Verdict.UNKNOWN:
        hints.append("That is neither a yes nor a no.")
        if answer.why.out_of_time and not answer.resumable:
            hints.append(str(MAY_SETTLE))
    if answer.why.code is ReasonCode.DOES_NOT_DECIDE:
        hints.append(str(_LARGER))
    hints.append(answer.wanting)
    if answer.why.awaits_acceptance:
        hints.append(str(_ACCEPTING))
    return " ".join(filter(None, hints))


# --- the witness ----------------------------------------------------------------------------------------------


def show_witness(
    terminal: Terminal,
    answer: Answer,
    witness: Witness,
    keyframe: Keyframe,
    *,
    verbose: bool = False,
    exact: bool = False,
) -> None:
    """Show what differs from the fact in one of an answer's scenarios, then what the program did there."""
    terminal.blank()
    terminal.line((f"  {answer.heading(witness)}", "bold"))
    pair = shown_pair(answer, witness)
    if pair is not None:
        _pair(terminal, answer, witness, pair, verbose=verbose)
        return
    name = _names(witness.interface, answer.steps(keyframe))
    if witness.changed:
        rows = [
            (name(c.variable.path), c.told(text(c.before)), text(c.after), c.variable.measure)
            for c in answer.told(witness)
            for text in (_numbers(terminal, answer, c.variable, (c.before, c.after), exact=exact or verbose),)
        ]
        terminal.table(("changed", "in fact", "in the scenario", "unit"), rows, indent=4, wraps=("changed",))
    if verbose:
        terminal.blank()
        rows = [
            (name(v.path), show(v.type, witness.inputs[v.path]), v.measure, v.path.partition("@")[0])
            for v in witness.interface.inputs
        ]
        terminal.table(("input", "value", "unit", TYPED), rows, indent=4, wraps=("input",))
        for each in answer.given(witness):
            if each.origin is Origin.DERIVED:
                terminal.prose(f"{name(each.variable.path)}: {each.how}", indent=4, style="dim")
    else:
        terminal.prose(_unchanged(answer, witness), indent=4, style="dim")
    terminal.prose(answer.taken(witness), indent=4, style="dim")
    terminal.blank()
    _outcome(terminal, answer, witness, keyframe, verbose=verbose, exact=exact or verbose)
    _nearness(terminal, answer, witness, exact=exact or verbose)


def _pair(terminal: Terminal, answer: Answer, witness: Witness, pair: ShownPair, *, verbose: bool) -> None:
    """Show two lives side by side: what differs between them, what both share, and what the program did of each."""
    rows, name = [*pair.differing, *pair.shared], _names(witness.interface)
    _lives(terminal, "variable", rows, witness, verbose=verbose)
    if verbose:
        terminal.blank()
        given = [
            (name(each.variable.path), show(each.variable.type, each.bits), each.variable.measure, each.variable.path)
            for each in pair.given
        ]
        terminal.table(("both as in fact", "value", "unit", TYPED), given, indent=4, wraps=("both as in fact",))
    else:
        terminal.prose(_unchanged(answer, witness, pair.given), indent=4, style="dim")
    terminal.prose(answer.taken(witness), indent=4, style="dim")
    terminal.blank()
    _lives(terminal, "outcome", pair.outcomes, witness)
    for each in pair.ends:
        terminal.prose(each, indent=4)
    _nearness(terminal, answer, witness, exact=verbose)


def _nearness(terminal: Terminal, answer: Answer, witness: Witness, *, exact: bool) -> None:
    if (told := answer.nearness(witness)) is not None:
        terminal.prose(told.exact if exact else told.read, indent=4, style="dim")


def _lives(terminal: Terminal, what: str, rows: Iterable[PairRow], witness: Witness, *, verbose: bool = False) -> None:
    name = _names(witness.interface)
    table = [
        (name(row.name), row.told(row.one), row.told(row.other), row.variable.measure, row.name if verbose else "")
        for row in rows
    ]
    terminal.table((what, ONE, OTHER, "unit", TYPED), table, indent=4, wraps=(what,))


def _names(interface: Interface, steps: Mapping[str, str] = NO_STEPS) -> Callable[[str], str]:
    """The words for variables by their paths; those of a pair are called as in one life."""
    words, alone = Words(of_one_life(interface)), of_one_life(interface)

    def name(path: str) -> str:
        if path.partition("@")[0].removesuffix("'") in alone:
            return words.called(path)
        return f"{words.called(path.partition('.')[2])} of {OTHER}"

    return lambda path: called(path, steps, name)


def _unchanged(answer: Answer, witness: Witness, given: Sequence[GivenInput] | None = None) -> str:
    """The inputs that are as in fact: their values if they are few, else how many there are."""
    known = [each for each in (answer.given(witness) if given is None else given) if each.origin is not Origin.ASSUMED]
    name = _names(witness.interface)
    if len(known) > UNFOLDED:
        derived = [name(each.variable.path) for each in known if each.origin is Origin.DERIVED]
        told = f", of which {', '.join(derived)} derived" if derived else ""
        return f"{len(known)} inputs as in fact{told}{_MORE}"
    seen = [each for each in answer.seen(witness) if each.before == each.after and each.is_known]
    values = [(each.variable, each.bits, each.origin) for each in known]
    values += [(each.variable, each.after, each.origin) for each in seen]
    shown = ", ".join(
        f"{name(v.path)} {readable(v, bits)}" + (" (derived)" if origin is Origin.DERIVED else "")
        for v, bits, origin in values
    )
    if not known:
        return ""
    return f"given: {shown}" if witness.shows is Shows.FACT else f"as in fact: {shown}"


def _numbers(
    terminal: Terminal, answer: Answer, variable: Variable, apart: Iterable[int], *, exact: bool
) -> Callable[[int], str]:
    """The words for values of a variable, rounded for reading unless `exact`; some values are told apart."""
    if exact:
        return partial(show, variable.type)
    others, about = set(apart), terminal.either("≈ ", "~ ")

    def text(bits: int) -> str:
        return readable_number(variable, bits, borders_of(answer.query, variable, *others - {bits}), about)

    return text


def _outcome(
    terminal: Terminal, answer: Answer, witness: Witness, keyframe: Keyframe, *, verbose: bool, exact: bool
) -> None:
    """Show what the program did there, beside what it did in fact; over several steps, step by step."""
    if witness.earlier:
        _step_by_step(terminal, answer, witness, keyframe, verbose=verbose)
    if not isinstance(witness.ending, Decided):
        when = f"in step {witness.step_number(len(witness.earlier), keyframe.step)} " if witness.earlier else ""
        terminal.line((f"    {when}the program ", ""), (str(witness.ending), "bold"))
        return
    if witness.earlier:
        return
    rows, outcomes, asked, words = [], witness.outcomes[-1], answer.query.behavior.names, _names(witness.interface)
    for program, name in shown_outcomes(witness.interface, outcomes):
        if not verbose and is_left_by_world(name, witness.interface, asked):
            continue
        variable = witness.interface.variable(name.removesuffix("'"))
        outcome = outcomes[name]
        in_fact = answer.in_fact(name)
        apart = [bits for each in (outcome, in_fact) if each is not None for bits in (each.low, each.high)]
        between = outcome.low != outcome.high  # its ends differ in the last digits alone
        text = _numbers(terminal, answer, variable, apart, exact=exact or between)
        if witness.shows is Shows.FACT:
            known = text(keyframe.decisions[name]) if name in keyframe.decisions else f"({NOT_LOGGED})"
        else:
            known = told_in_fact(name, answer, keyframe, text)
        there = outcome_text(outcome, variable.type, text)
        rows.append((program, words(name), known, there, variable.measure))
    heads = ("the log says", "the program gives") if witness.shows is Shows.FACT else ("in fact", "in the scenario")
    terminal.table(("program", "outcome", *heads, "unit"), rows, indent=4, wraps=("outcome",))
    if not verbose and (besides := world_besides(outcomes, witness.interface, asked)):
        terminal.prose(f"{besides}{_MORE}", indent=4, style="dim")


def _step_by_step(terminal: Terminal, answer: Answer, witness: Witness, keyframe: Keyframe, *, verbose: bool) -> None:
    interface, asked = witness.interface, answer.query.behavior.names
    names = stepped_outcomes(interface, witness.outcomes)
    told = (name for name in names if verbose or not is_left_by_world(name, interface, asked))
    kinds = {name: interface.output_type(name) for name in told}
    numbers, columns = [], {name: list[str]() for name in kinds}
    for number, step, done in witness.step_rows(keyframe.step):
        numbers.append(number)
        for name, kind in kinds.items():
            text = outcome_text(step[name], kind, partial(show, kind), done.get(name)) if name in step else ""
            columns[name].append(text)
    steady = {name: texts[0] for name, texts in columns.items() if len(set(texts)) == 1 and not verbose}
    moving = {name: texts for name, texts in columns.items() if name not in steady}
    words = _names(witness.interface)
    if moving:
        heads = [words(name) for name in moving]
        terminal.table(("step", *heads), list(zip(numbers, *moving.values(), strict=True)), indent=4, wraps=heads)
    if steady:
        same = ", ".join(f"{words(name)} {text}" for name, text in steady.items())
        terminal.prose(f"in each step of {numbers[0]} to {numbers[-1]}: {same}", indent=4)
    if len(kinds) < len(names):
        besides = f"{len(names) - len(kinds)} values of the world change besides{_MORE}"
        terminal.prose(besides, indent=4, style="dim")


# --- the figures ----------------------------------------------------------------------------------------------


def _figures(terminal: Terminal, answer: Answer, keyframe: Keyframe, *, verbose: bool) -> None:
    """Show how the answer was found and what it rests on."""
    terminal.blank()
    if answer.witness is not None:
        path = f" (path {answer.witness.path})" if answer.paths else ""  # a learned model has none
        _figure(terminal, "replayed", f"{answer.witness.replayed}{path}")
    if verbose:
        for number, supposition in enumerate(answer.suppositions):
            _figure(terminal, "" if number else "supposed", supposition)
    _figure(terminal, "freed", _freed(answer, keyframe))
    particular = [each for each in answer.relies_on if not each.is_standing]
    particular.sort(key=lambda each: not each.comes_first)
    shown = answer.relies_on if verbose else particular[:FOLDED]
    for number, text in enumerate(assumptions_told(shown, of_one_life(keyframe.interface))):
        _figure(terminal, "" if number else "relies on", text)
    if 0 < len(shown) < len(answer.relies_on):
        _figure(terminal, "", f"and {len(answer.relies_on) - len(shown)} more{_ALL}")
    _figure(terminal, "paths", ", ".join(f"{count} {ending}" for ending, count in answer.paths.items() if count))
    if verbose:
        settled = (f"{name.replace('_', ' ')} {count}" for name, count in answer.settled_by.items())
        _figure(terminal, "settled by", ", ".join(settled))
        _figure(terminal, "solver", ", ".join(f"{count} {what}" for what, count in answer.solver.items()))
    _figure(terminal, "seconds", _seconds(answer))


def _figure(terminal: Terminal, label: str, text: str) -> None:
    if text:
        terminal.prose(text, indent=2 + _LABEL, style="dim", first=(f"  {label}", "dim"))


def _freed(answer: Answer, keyframe: Keyframe) -> str:
    """What was freed, with its steps in words; variables that range over the same values stand together."""
    name, steps = _names(keyframe.interface), answer.steps(keyframe)
    together: dict[str, list[str]] = {}
    for freed in answer.freed:
        together.setdefault(freed.told, []).append(freed.variable.path)
    return "; ".join(f"{', '.join(all_called(paths, steps, name))} over {over}" for over, paths in together.items())


def _seconds(answer: Answer) -> str:
    stages = {stage: seconds for stage, seconds in answer.seconds.items() if stage != "total" and seconds >= 0.005}
    total = answer.seconds.get("total", 0.0)
    parts = ", ".join(f"{stage} {seconds:.2f}" for stage, seconds in stages.items())
    return f"{total:.2f}" + (f" ({parts})" if parts else "")
