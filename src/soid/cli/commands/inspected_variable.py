"""A variable beside a moment of the log: its values, where they come from, and what a rounded one stands for."""

from __future__ import annotations

from collections.abc import Iterator
from typing import final

from msgspec.structs import asdict, replace

from soid.documents import JsonValue
from soid.program.domain import described
from soid.program.interface import Variable, VariableDocument
from soid.program.manifest import Manifest
from soid.program.types import json_value, show
from soid.query.words import counted
from soid.scenario.origin import NOT_LOGGED, Origin
from soid.scenario.trace import Keyframe


@final
class InspectedVariableDocument(VariableDocument, frozen=True):
    """A variable and its factual values, as JSON."""

    fact: JsonValue | None = None
    fact_after: JsonValue | None = None
    origin: str | None = None
    origin_after: str | None = None
    since: str | None = None
    rounded: list[JsonValue] | None = None
    rounded_after: list[JsonValue] | None = None


def inspected(variable: Variable, keyframe: Keyframe | None, manifest: Manifest | None) -> InspectedVariableDocument:
    about = replace(variable.document, decimals=decimals(variable, manifest))
    if keyframe is None:
        return InspectedVariableDocument(**asdict(about))
    path, after = variable.path, after_call(variable)
    origin = keyframe.origin(path) if path in keyframe.inputs else None
    origin_after = keyframe.output_origin(after) if _is_output(variable, keyframe) else None
    return InspectedVariableDocument(
        **asdict(about),
        fact=_value(variable, keyframe.inputs[path] if origin not in (None, Origin.ASSUMED) else None),
        fact_after=_value(variable, keyframe.output(after)),
        origin=None if origin is None else origin.value,
        origin_after=None if origin_after is None else origin_after.value,
        since=keyframe.derived.get(path),
        rounded=_ends(variable, path, keyframe) if origin is not None else None,
        rounded_after=_ends(variable, after, keyframe),
    )


def fact_text(variable: Variable, keyframe: Keyframe, arrow: str) -> str:
    """The value at the step with its origin: of a decision, of an input; of state before the call and after it."""

    def text(bits: int) -> str:
        return show(variable.type, bits)

    path, known = variable.path, []
    if path in keyframe.inputs:
        known.append(keyframe.told(path, text(keyframe.inputs[path])))
    if _is_output(variable, keyframe):
        told = keyframe.told_output(after_call(variable), text)
        known += [] if known and told == NOT_LOGGED else [told]
    return f" {arrow} ".join(known)


def after_call(variable: Variable) -> str:
    """The name of its value after the call."""
    return f"{variable.path}'" if variable.is_input else variable.path


def roundings(variables: list[Variable], keyframe: Keyframe | None, manifest: Manifest | None) -> Iterator[str]:
    """Which variables the log has rounded, and at a moment what their values stand for."""
    for variable in variables:
        digits, unit = decimals(variable, manifest), _log_unit(variable, manifest)
        logged = f"{counted(digits, 'decimal')}{unit and f' in {unit}'}" if digits is not None else ""
        stands = [
            f"{show(variable.type, bits)} stands for {told}"
            for name in dict.fromkeys((variable.path, after_call(variable)))
            if keyframe is not None and name in keyframe.rounded
            for bits in (keyframe.inputs.get(name, keyframe.decisions.get(name)),)
            if bits is not None
            for told in (described(variable.type, keyframe.rounded[name], variable.measure),)
        ]
        if logged or stands:
            yield f"{variable.path}: {', '.join(filter(None, (logged, *(each.rstrip() for each in stands))))}"


def decimals(variable: Variable, manifest: Manifest | None) -> int | None:
    """How many decimals the log has for a variable; None: it is not rounded."""
    mapped = (each for each in manifest.mapping.columns if each.name == variable.path) if manifest is not None else ()
    return next((each.decimals for each in mapped if each.decimals is not None), variable.decimals)


def _log_unit(variable: Variable, manifest: Manifest | None) -> str:
    """The unit that the log has, if it is another one than the program's."""
    mapped = (each for each in manifest.mapping.columns if each.name == variable.path) if manifest is not None else ()
    return next((each.unit for each in mapped if each.unit and each.unit != variable.unit), "")


def _is_output(variable: Variable, keyframe: Keyframe) -> bool:
    return any(each.variable.path == variable.path for each in keyframe.interface.outputs)


def _value(variable: Variable, bits: int | None) -> JsonValue | None:
    return None if bits is None else json_value(variable.type, bits)


def _ends(variable: Variable, name: str, keyframe: Keyframe) -> list[JsonValue] | None:
    """The least and the greatest value that a rounded one may stand for."""
    found = keyframe.rounded.get(name)
    return None if found is None else [json_value(variable.type, end) for end in (found.low, found.high)]
