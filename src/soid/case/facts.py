"""What an answer adds to FACTS: the CLEAR loop's rule (Algorithm 1 of the paper), case by case.

    did          the fact itself: what the program did at that moment
    would, yes   the whole family: in every scenario the behavior occurs
    would, no    the one scenario that was found, and what the program does there
    might, yes   the one scenario that was found
    might, no    the whole family: in no scenario does the behavior occur

Where it is proved besides that what the one scenario shows is so in all of them, the fact is about the whole family: it
is that of the sibling question, `might` for `would`, and has the scenario too.

`vacuous`, `unknown` and `error` add nothing. A scenario in which the program fails, or does not decide, refutes a
`would` and is recorded as what it is, "fails: division by zero at guard.c:12", never as "not the behavior".
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final, assert_never

from soid.case.family_statement import has_one_scenario, said_of_all
from soid.documents import json_of
from soid.engine.summary import PathSummary
from soid.errors import REPORT_QUESTION, InternalError
from soid.formula.build import TRUE
from soid.formula.smtlib.script_writer import script
from soid.oracle.answer import Answer, Verdict
from soid.oracle.encoding import FAILS, NEITHER, NO_VALUE, OTHERWISE, UNDECIDED, FactualMoment, concrete_path, encode
from soid.program.interface import Interface, Role
from soid.query.language.query_printer import behavior_text
from soid.query.lives import Lives, of_one_life, other_life
from soid.query.query import Query, QueryKind
from soid.query.remarks import no_numbers
from soid.query.words import Words, borders_of, listed, readable, whatever
from soid.scenario.future import Future
from soid.scenario.trace import Keyframe
from soid.witness.witness import Shows, Witness

#: what a fact is about
FACT: Final = "fact"  # what happened
SCENARIO: Final = "scenario"  # one counterfactual
FAMILY: Final = "family"  # all of them


def fact_of(answer: Answer, keyframe: Keyframe) -> dict[str, Any] | None:
    """What the answer adds to FACTS, in the form that docs/json.md describes; None if it adds nothing."""
    if not answer.verdict.is_definite:
        return None
    query, witness, keyframe = answer.query, answer.witness, answer.query.moment(keyframe)
    if witness is None:
        raise InternalError(f"a definite answer without a scenario: {answer.text}")
    about = _about(answer)
    by_scenario = witness.shows is not Shows.MEMBER
    instead = _instead(answer, witness, keyframe) if by_scenario else ""
    if len(answer.instead) > 1:  # the rounded log does not decide between them
        instead = " or ".join(answer.instead)
    steps = f" {query.steps}" if query.steps is not None else ""
    aside = no_numbers(query, keyframe.interface, {**keyframe.inputs, **answer.fact})
    return {
        "about": about,
        "behavior": behavior_text(query.behavior) + steps,
        "occurs": _occurs(answer.verdict, about, instead),
        "instead": instead,
        "statement": " ".join((_statement(answer, witness, keyframe, about, instead), *map(_sentence, aside))),
        "suppositions": list(answer.suppositions),
        "formula": _formula(answer, keyframe),
        "scenario": _scenario(witness) if by_scenario else None,
    }


def _sentence(text: str) -> str:
    return f"{text[:1].upper()}{text[1:]}."


def _about(answer: Answer) -> str:
    if answer.query.kind is QueryKind.DID:
        return FACT
    return FAMILY if answer.is_of_all else SCENARIO


def _occurs(verdict: Verdict, about: str, instead: str) -> str:
    """Whether the behavior occurs; "neither" if the program fails or does not decide."""
    if about == FAMILY:
        return "always" if verdict is Verdict.YES else "never"
    return {"": "yes", OTHERWISE: "no"}.get(instead, "neither")


def _instead(answer: Answer, witness: Witness, keyframe: Keyframe) -> str:
    """What the program does in the scenario instead of the behavior; empty if the behavior occurs.

    It is computed from the scenario's own outcome, and an InternalError if it contradicts the verdict.
    """
    query, interface = answer.query, witness.interface
    going_on = answer.course(keyframe)
    facts = FactualMoment(interface, going_on.fact, answer.fact, witness.inputs, going_on.environments)
    concrete = concrete_path(
        witness.path, witness.ending, (*witness.earlier, witness.outputs), interface, witness.between
    )
    encoding = encode(PathSummary((concrete,)), query.behavior, facts, query.period)
    found = [what for what, where in {"": encoding.shows, **encoding.refutes}.items() if where is TRUE]
    if len(found) != 1 or (found == [""]) is not (answer.verdict is Verdict.YES):
        raise InternalError(
            f"the scenario shown for '{answer.text}' does not bear out the verdict {answer.verdict.value}: {found}",
            REPORT_QUESTION,
        )
    return found[0]


def _scenario(witness: Witness) -> dict[str, Any]:
    """The concrete state and its outcome: the part of the witness that a fact needs."""
    shown = json_of(witness.contrast)
    told = ("inputs", "outputs", "steps", "between", "ending", "changed")
    return {name: shown[name] for name in told if name in shown}


def _formula(answer: Answer, keyframe: Keyframe) -> str:
    """The family's formula as SMT-LIB: domains and suppositions, the fact punctured out; empty for `did`."""
    if answer.query.kind is QueryKind.DID:
        return ""
    family = answer.course(keyframe).family()
    return script([family.precondition, family.puncture])


# --- in words -------------------------------------------------------------------------------------------------


def _statement(answer: Answer, witness: Witness, keyframe: Keyframe, about: str, instead: str) -> str:
    if answer.query.lives is not None:
        return _of_pairs(answer.query.lives, answer, witness)
    words = Words(keyframe.interface)  # the fact's other fields have the paths
    unknown = [words.called(path) for path in witness.assumed]
    if about == FACT:
        did = f"{_when(answer, witness, instead)} {_did(words, answer, witness, instead)}"
        return f"{did}, {whatever(unknown)}." if unknown else f"{did}."
    if about == SCENARIO or (witness.shows is not Shows.MEMBER and has_one_scenario(answer, keyframe)):
        return _of_one(words, answer, witness, keyframe, instead)
    told = f"{said_of_all(answer, keyframe)}; {_all_else(answer, None)}{f', {whatever(unknown)}' if unknown else ''}."
    # that something is so in none of them does not say that the program fails there
    return told if instead in ("", OTHERWISE) else f"{told} {_of_one(words, answer, witness, keyframe, instead)}"


def _of_one(words: Words, answer: Answer, witness: Witness, keyframe: Keyframe, instead: str) -> str:
    """What is so in the scenario shown."""
    text = f"{_would(words, answer, witness, instead)}, {_had(answer, witness, words, keyframe)}"
    told = f"{text}; {_all_else(answer, witness)}"
    return f"{told}, {_taken(witness, words)}." if witness.assumed else f"{told}."


def _of_pairs(lives: Lives, answer: Answer, witness: Witness) -> str:
    """What was found of pairs: of all of them, or of the one that is shown."""
    words = Words(of_one_life(witness.interface))
    if answer.is_of_all:
        return f"{words.of_pairs(lives, occurs=answer.verdict is Verdict.YES)}."
    life = other_life(witness.interface)
    told = [
        f"{words.called(path)}, {_both(answer.query, witness.interface, path, life, witness.inputs)}"
        for path in dict.fromkeys(each.path for each in lives.changes)
    ]
    decided = [
        f"{words.called(each.path)} is {_both(answer.query, witness.interface, name, life, witness.outputs)}"
        for each in lives.outcome
        for name in (f"{each.path}'" if each.primed else each.path,)
    ]
    return f"There are two that differ in nothing but {listed(told)}: {listed(decided)}."


def _both(query: Query, interface: Interface, name: str, life: str, values: Mapping[str, int]) -> str:
    """The values of a variable in two lives: "34 years for the one and 35 years for the other"."""
    kind = interface.variable(name.removesuffix("'"))
    one, other = (values.get(each) for each in (name, f"{life}.{name}"))
    apart = borders_of(query, kind, *(bits for bits in (one, other) if bits is not None))
    first, second = ("none" if bits is None else readable(kind, bits, apart) for bits in (one, other))
    return f"{first} for the one and {second} for the other"


def _taken(witness: Witness, words: Words) -> str:
    """What a scenario has for the inputs that are not known, and that it is not the only one."""
    known = [(path, witness.interface.variable(path)) for path in witness.assumed]
    values = [f"{words.called(path)} at {readable(v, witness.inputs[path])}" for path, v in known]
    one = len(values) == 1
    return (
        f"with {listed(values)}, which {'is' if one else 'are'} not known: "
        f"for every value that {'it' if one else 'they'} may have had there is such a scenario"
    )


def _all_else(answer: Answer, scenario: Witness | None) -> str:
    """What was not supposed to differ; where no future is written, in the words of the versions that knew none.

    In one scenario of `anything`, what is not said to differ is as recorded, or as at the moment if nothing is.
    """
    first, period = answer.step, answer.query.period
    last, future = first + period.count - 1, period.future if period.count > 1 else None
    if future is Future.ANYTHING and scenario is not None:
        if any("@" in path for path in scenario.unlogged):
            return f"all else as it was recorded from step {first} on, and as at step {first} where nothing is"
        future = Future.AS_LOGGED
    match future:
        case None:
            return f"all else as at step {first}"
        case Future.AS_LOGGED:
            recorded = f"all else as it was recorded from step {first} to step {last}"
            return f"{recorded}, which does not react to what the program would have done"
        case Future.HELD:
            return f"all else as at step {first}, and what it perceives staying so until step {last}"
        case Future.CLOSED_LOOP:
            return f"all else as at step {first}, and the world going on from what is decided until step {last}"
        case Future.ANYTHING:
            return f"all else as at step {first}, and whatever it had perceived from then until step {last}"
        case _ as unreachable:
            assert_never(unreachable)


def _when(answer: Answer, witness: Witness, instead: str) -> str:
    """The moment of the statement; if the program ended in one of several steps, that step."""
    if not witness.earlier or instead not in (FAILS, UNDECIDED):
        return f"At step {answer.step}"
    if answer.freed:  # the log is rounded and does not determine the step
        return f"In {answer.query.period.count} steps from step {answer.step} on"
    return f"At step {answer.step + len(witness.earlier)}"


def _did(words: Words, answer: Answer, witness: Witness, instead: str) -> str:
    query = answer.query
    if len(answer.instead) > 1:
        return f"{words.did(query, occurs=False, decided=False)}: it {instead}, which of these the log leaves open"
    # a rounded log does not determine where and why either: only the kind of ending is proved
    where = answer.taken_values(witness) if witness.assumed else "on the logged values"
    ended = f"{instead} ({where} it {witness.ending})" if answer.freed else str(witness.ending)
    return {
        "": words.did(query, occurs=True),
        OTHERWISE: words.did(query, occurs=False),
        FAILS: f"the program {ended}",
        UNDECIDED: f"the program {ended}",
        NEITHER: f"{words.subject(query)} never came to where it shows whether {words.speaks_of(query)}",
        NO_VALUE: f"there is no saying whether {words.speaks_of(query)}, for something in it had no value",
    }[instead]


def _would(words: Words, answer: Answer, witness: Witness, instead: str) -> str:
    query = answer.query
    program = f"In step {len(witness.earlier) + 1} the program" if query.period.count > 1 else "The program"
    if answer.future is not None and query.period.future is not None:
        program = f"At step {witness.step_number(len(witness.earlier), answer.step)} the program"
    return {
        "": words.would(query, occurs=True),
        OTHERWISE: words.would(query, occurs=False),
        FAILS: f"{program} {witness.ending}",
        UNDECIDED: f"{program} {witness.ending}",
        NEITHER: f"{words.opening(query)} would never come to where it shows whether {words.speaks_of(query)}",
        NO_VALUE: f"There would be no saying whether {words.speaks_of(query)}, for something in it would have no value",
    }[instead]


def _had(answer: Answer, witness: Witness, words: Words, keyframe: Keyframe) -> str:
    """How the scenario differs from the fact."""
    changed, going_on = [], answer.course(keyframe)
    untils = {each.path: each.supposed for each in going_on.untils}
    for change in answer.told(witness):
        variable = change.variable
        if variable in witness.acts:
            continue
        borders = borders_of(answer.query, variable, *(change.before,) * change.is_known)
        now = readable(variable, change.after, borders)
        then = change.told(readable(variable, change.before, borders_of(answer.query, variable, change.after)))
        called, lasts = words.called(variable.path), ""
        if (supposed := untils.get(variable.path)) is not None and supposed.until is not None:
            called, lasts = words.called(variable.path.partition("@")[0]), f" {words.until(supposed, supposed.until)}"
        elif variable.role is Role.ENVIRONMENT and "@" not in variable.path and not variable.parts:
            lasts = f" {going_on.told(variable.path, keyframe.step)}".rstrip()
        instead = f" instead of {then}" if change.is_known else ""
        changed.append(f"{called} been {now}{lasts}{instead}")
    # what is done is said even if it is what was decided in fact: in this scenario something else may be decided
    changed += [words.acted(each.path, readable(each, witness.inputs[each.path])) for each in witness.acts]
    # where nothing is recorded, a scenario may be as at the moment
    return f"had {listed(changed)}" if changed else "with nothing different from what is logged"
