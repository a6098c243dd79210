"""Conversion of an Answer to the JSON of the record, and back.

`keep` gives the JSON that docs/json.md describes, and the bits of the scenario: decimal text cannot distinguish NaNs.
`recall` makes the same Answer of it, on any machine, without asking again.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Final

from msgspec import convert, to_builtins

from soid.assumptions import stored
from soid.documents import json_of
from soid.engine.summary import Ending
from soid.oracle.answer import Answer, Verdict, freed_by
from soid.oracle.next_step import NextStep
from soid.oracle.reason import ReasonCode, VerdictReason
from soid.oracle.settled_share import SettledDocument, SettledShare
from soid.oracle.settled_steps import SettledSteps
from soid.query.language.query_parser import parse
from soid.scenario.course import Course
from soid.scenario.origin import AssumedInput, DerivedInput, Supplied
from soid.scenario.trace import Keyframe
from soid.witness.witness import Ends, Shows, Witness, changes

#: fields that answers kept by earlier versions lack
LATER: Final = frozenset(
    {
        "reason_code",
        "throughout",
        "settled",
        "settled_steps",
        "tried",
        "settled_by",
        "future",
        "origins",
        "remarks",
        "resumable",
        "before",
        "obstacle",
        "next_steps",
        "error",
    }
)


def keep(answer: Answer) -> dict[str, Any]:
    bits = {
        "why": to_builtins(answer.why),
        "fact": _written(answer.fact),
        **({"fact_ends": _ends_written(answer.fact_ends)} if answer.fact_ends else {}),
        "witness": _witness_bits(answer.witness),
        "contrast": _witness_bits(answer.contrast),
        "instead": list(answer.instead),
        "supplied": _supplied_bits(answer.supplied),
        "everywhere": [_written(scenario) for scenario in answer.everywhere],
    }
    if answer.throughout is not None:
        bits["throughout"] = to_builtins(answer.throughout)
    if answer.lasted:
        bits["lasted"] = dict(answer.lasted)
    return json_of(answer.document) | {"bits": bits}


def document_of(kept: Mapping[str, Any]) -> dict[str, Any]:
    """The JSON of an answer that was kept: what `json_of(answer.document)` makes, without making it again."""
    return {name: value for name, value in kept.items() if name != "bits"}


def moment_bits(keyframe: Keyframe) -> dict[str, Any]:
    """What `moment_of` reads of a moment, with the outputs that follow."""
    return {"supplied": _supplied_bits(keyframe.supplied), "followed": _written(keyframe.followed or {})}


def _supplied_bits(supplied: Supplied) -> dict[str, Any]:
    return {
        "derived": [[each.variable.path, f"{each.bits:#x}", each.since] for each in supplied.derived],
        "assumed": [[each.variable.path, f"{each.bits:#x}"] for each in supplied.assumed],
        **({"underived": supplied.underived} if supplied.underived else {}),
    }


def _witness_bits(witness: Witness | None) -> dict[str, Any] | None:
    if witness is None:
        return None
    return {
        "inputs": _written(witness.inputs),
        "outputs": _written(witness.outputs),
        "earlier": [_written(step) for step in witness.earlier],
        "ending": to_builtins(witness.ending),
        **({"nearest": _written(witness.nearest)} if witness.nearest else {}),
        **({"between": [_ends_written(step) for step in witness.between]} if witness.between else {}),
    }


def recall(kept: Mapping[str, Any], keyframe: Keyframe) -> Answer:
    """The answer that was recorded; `keyframe` is the moment that it is about."""
    query, about = parse(kept["question"], keyframe.interface), keyframe
    keyframe = moment_of(kept, query.moment(keyframe))
    lasted = convert(kept["bits"].get("lasted", {}), dict[str, int])
    going_on = query.course(keyframe).lasting_as(lasted)
    return Answer(
        query=query,
        text=kept["question"],
        step=kept["step"],
        verdict=Verdict(kept["verdict"]),
        why=reason_of(kept),
        witness=_witness(kept, "witness", going_on),
        contrast=_witness(kept, "contrast", going_on),
        throughout=convert(kept["bits"].get("throughout"), VerdictReason | None),
        instead=tuple(kept["bits"]["instead"]),
        settled=settled_of(kept),
        settled_steps=convert(kept.get("settled_steps"), SettledSteps | None),
        tried=kept.get("tried", 0),
        fact=_read(kept["bits"]["fact"]),
        fact_ends=_ends_read(kept["bits"].get("fact_ends", ())),
        freed=freed_by(going_on.family()) if kept["freed"] else (),
        suppositions=tuple(kept["suppositions"]),
        remarks=tuple(kept.get("remarks", ())),
        relies_on=tuple(stored(each) for each in kept["relies_on"]),
        paths=kept["paths"],
        solver=kept["solver"],
        settled_by=kept.get("settled_by", {}),  # older records lack it
        seconds=kept["seconds"],
        supplied=keyframe.supplied,
        everywhere=tuple(map(_read, kept["bits"].get("everywhere", ()))),
        lasted=lasted,
        resumable=kept.get("resumable", False),
        before=kept.get("before"),
        next_steps=convert(kept.get("next_steps", ()), tuple[NextStep, ...]),
        keyframe=moment_of(kept, about) if query.lives is None else about,
    )


def moment_of(kept: Mapping[str, Any], keyframe: Keyframe) -> Keyframe:
    """The moment that an answer is about, with what it took for inputs that are not logged.

    Answers kept by earlier versions do not say: they took the values that the program starts with.
    """
    variable = keyframe.interface.variable
    if "supplied" not in kept["bits"]:
        return keyframe
    supplied = kept["bits"]["supplied"]
    derived, assumed = supplied["derived"], supplied["assumed"]
    found = keyframe.supplied_with(
        Supplied(
            tuple(DerivedInput(variable(path), int(bits, 16), since) for path, bits, since in derived),
            tuple(AssumedInput(variable(path), int(bits, 16)) for path, bits in assumed),
            supplied.get("underived", ""),
        )
    )
    followed = kept["bits"].get("followed")  # an answer has none: it has the fact
    return found if followed is None else found.giving(_read(followed))


def reason_of(kept: Mapping[str, Any]) -> VerdictReason:
    """The reason for the verdict of a recorded answer.

    Older records have a sentence without a code. Of these, two kinds are recognised by their first words: those that
    the investigator can accept.
    """
    if "why" in kept["bits"]:
        return convert(kept["bits"]["why"], VerdictReason)
    sentence = kept["reason"].removesuffix(f"; {settled_of(kept)}")
    for code in (ReasonCode.LOG_MISMATCH, ReasonCode.LOG_UNCHECKED):
        opening = str(VerdictReason(code, ("",)))
        if sentence.startswith(opening):
            return VerdictReason(code, (sentence.removeprefix(opening),))
    return VerdictReason(ReasonCode.UNCODED, (sentence,))


def settled_of(kept: Mapping[str, Any]) -> SettledShare | None:
    """How much of an unknown is settled; None for other answers, and where nothing is."""
    return convert(kept["settled"], SettledDocument).settled if kept.get("settled") else None


def _witness(kept: Mapping[str, Any], which: str, going_on: Course) -> Witness | None:
    shown, bits = kept[which], kept["bits"][which]
    if shown is None:
        return None
    inputs = _read(bits["inputs"])
    shows, unknown = Shows(shown["shows"]), tuple(each.path for each in going_on.family().undetermined)
    compared = going_on.interface, {**going_on.fact, **{path: inputs[path] for path in unknown}}, inputs
    varied = going_on.assumed.difference(unknown)
    return Witness(
        shows=shows,
        interface=going_on.interface,
        inputs={variable.path: inputs[variable.path] for variable in going_on.interface.inputs},
        changed=() if shows is Shows.FACT else changes(*compared, going_on.recorded, varied),
        outputs=_read(bits["outputs"]),
        ending=convert(bits["ending"], Ending),
        path=shown["path"],
        replayed=shown["replayed"],
        earlier=tuple(_read(step) for step in bits["earlier"]),
        settled=shown["settled"],
        nearest=_read(bits.get("nearest", [])),
        unlogged=varied,
        assumed=unknown,
        between=tuple(_ends_read(step) for step in bits.get("between", ())),
    )


# as pairs, because JSON objects have no order; bits as text, because JSON numbers lose precision in some languages


def _written(values: Mapping[str, int]) -> list[list[str]]:
    return [[name, f"{bits:#x}"] for name, bits in values.items()]


def _read(pairs: list[list[str]]) -> dict[str, int]:
    return {name: int(bits, 16) for name, bits in pairs}


def _ends_written(values: Mapping[str, Ends]) -> list[list[str]]:
    return [[name, f"{low:#x}", f"{high:#x}"] for name, (low, high) in values.items()]


def _ends_read(written: Iterable[Sequence[str]]) -> dict[str, Ends]:
    return {name: (int(low, 16), int(high, 16)) for name, low, high in written}
