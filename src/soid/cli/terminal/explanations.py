"""An Explanation on the terminal: what mattered, where it flips, where the ways part; or what a proof needed."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from soid.cli.terminal.answers import show_question, show_verdict
from soid.cli.terminal.explained_terms import ExplainedTerms
from soid.cli.terminal.mattered_changes import show_mattered
from soid.cli.terminal.terminal import Terminal
from soid.explanation.document_words import supposed
from soid.explanation.explainer import Explanation
from soid.explanation.hindrance_words import HEADING, told
from soid.explanation.proof_needs import Proof
from soid.oracle.answer import Verdict
from soid.query.query import QueryKind
from soid.query.words import listed
from soid.scenario.trace import Keyframe
from soid.witness.witness import Change, Witness

_NEEDED: Final = {True: "needed", False: "not needed", None: "not settled"}


def show_explanation(terminal: Terminal, explanation: Explanation, keyframe: Keyframe, heading: str) -> None:
    """Show the answer, then what mattered or what its proof needed, and what was not settled."""
    answer, terms = explanation.answer, ExplainedTerms(terminal, explanation, keyframe)
    terminal.rule(heading, keyframe.called)
    show_question(terminal, answer.query, answer.text, keyframe)
    show_verdict(terminal, answer, keyframe)
    if explanation.fact_depends:
        terms.heading("What happened in fact")
        terminal.prose(explanation.fact_depends, indent=4)
    if explanation.hindrance is not None:
        terms.heading(HEADING)
        for line in told(explanation.hindrance.document, answer.query, keyframe.interface):
            terminal.prose(line, indent=6, first=(f"    {terminal.either('•', '-')} ", "dim"))
    if explanation.mattered is not None and not explanation.is_like_fact:
        show_mattered(terms, explanation.mattered)
    if explanation.proof is not None:
        _proof(terms, explanation.proof)
    if explanation.mattered is None and explanation.proof is None and not explanation.unsettled:
        terminal.blank()
        terminal.prose(_nothing(explanation))
    if explanation.unsettled:
        terms.heading("Not settled")
        for text in explanation.unsettled:
            terminal.prose(text, indent=6, first=(f"    {terminal.either('•', '-')}", ""))
        if explanation.out_of_time:
            terminal.prose("More time may settle it: --seconds 600.", indent=4, style="dim")


def _nothing(explanation: Explanation) -> str:
    answer = explanation.answer
    if answer.verdict.is_definite and answer.query.kind is QueryKind.DID:
        return "That is what happened. To learn what mattered to it, ask what might or would have happened otherwise."
    if answer.verdict is Verdict.VACUOUS:
        return "There is no scenario, so there is nothing to explain."
    return "Nothing was concluded, so there is nothing to explain."


# --- a proof --------------------------------------------------------------------------------------------------


def _proof(terms: ExplainedTerms, proof: Proof) -> None:
    if proof.suppositions:
        terms.heading("What the proof needed")
        for need in proof.suppositions:
            terms.labelled(_NEEDED[need.needed], supposed(need.supposition, terms.keyframe.interface))
            if need.needed:
                terms.labelled("", f"without it, for example, {_scenario(need.witness, terms)}", style="dim")
    terms.heading("Which variables matter")
    free = [each.variable.path for each in proof.variables if each.irrelevant]
    if free:
        terms.labelled("can be anything", ", ".join(terms.all_called(free)))
        terms.labelled("", _together(free, proof, terms.explanation), style="dim")
    for each in proof.variables:
        if each.irrelevant is False:
            terms.labelled("matters", terms.called(each.variable.path))
            assert each.scenario is not None
            with_ = f" with {taken}" if (taken := terms.taken(each.scenario.witness)) else ""
            shown = f"{_scenario(each.scenario.witness, terms)}{with_}: there {terms.outcome(each.scenario.happens)}"
            terms.labelled("", shown, style="dim")
    open_ = [each.variable.path for each in proof.variables if each.irrelevant is None]
    if open_:
        terms.labelled("not settled", ", ".join(terms.all_called(open_)))


def _together(free: Sequence[str], proof: Proof, explanation: Explanation) -> str:
    same = ", and stays so," if set(free) & set(explanation.lasting) else ","
    if len(free) == 1:
        return f"whatever it is{same} the answer is the same: proved"
    if proof.together:
        return f"whatever they are{same.replace('stays', 'stay')} the answer is the same: proved"
    return "each by itself: proved" + ("; not all of them at once" if proof.together is False else "")


def _scenario(witness: Witness | None, terms: ExplainedTerms) -> str:
    if witness is None:
        return ""
    if not witness.changed:
        return "the fact itself"
    return listed(_instead(change, terms) for change in witness.changed)


def _instead(change: Change, terms: ExplainedTerms) -> str:
    name, before, after, unit = terms.row(change)
    return f"{name} {after} {unit}".rstrip() + f" instead of {before}"
