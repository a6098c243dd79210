"""Simulations of the examples: what may be chosen for a run, a run step by step, and a run that becomes a case."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any

import msgspec
from fastapi import APIRouter
from pydantic import BaseModel, Field, create_model

from soid.examples import simulations
from soid.examples.simulation import (
    ChoiceSetting,
    Intervention,
    Setting,
    Setup,
    Simulation,
    TickSetting,
)
from soid.web.api.dependencies import OnDesk
from soid.web.api.models import Finite, JobView, Name, Number, RequestBody

router = APIRouter(tags=["new cases"])

_MOST_CHANGES = 1000  # of a run


def _kind(setting: Setting) -> Any:
    if isinstance(setting, TickSetting):
        return bool
    if isinstance(setting, ChoiceSetting):
        return Name
    return Number if setting.whole else Finite


def _field(setting: Setting) -> tuple[Any, Any]:
    return _kind(setting), ... if setting.default is None else setting.default


def _body(simulation: Simulation) -> type[BaseModel]:
    """What a program sends for a run."""
    actor_name, actors = simulation.actor.capitalize(), f"{simulation.actor}s"
    fields: dict[str, Any] = {setting.name: _field(setting) for setting in simulation.actor_settings(1, {})}
    words = f"A {simulation.actor} at the start of a run."
    actor: Any = create_model(actor_name, __base__=RequestBody, __doc__=words, **fields)
    changed: dict[str, Any] = {
        setting.name: (_kind(setting) | None, None) for setting in simulation.actor_settings(1, {}, 1)
    }
    words = f"What is changed by hand of a {simulation.actor} before a step; `removed`: it is taken away."
    number: dict[str, Any] = {"step": (Number, ...), simulation.actor: (Number, ...), "removed": (bool, False)}
    number |= changed
    change: Any = create_model(f"Changed{actor_name}", __base__=RequestBody, __doc__=words, **number)
    run: dict[str, Any] = {setting.name: _field(setting) for setting in simulation.settings}
    run[actors] = (Annotated[list[actor], Field(max_length=100)] | None, None)
    run["changes"] = (Annotated[list[change], Field(max_length=_MOST_CHANGES)], [])
    run["moment"] = (Number | None, None)
    words = f"A run of the {simulation.example} example; without {actors} as it was."
    name = f"{simulation.example.capitalize()}Run"
    return create_model(name, __base__=RequestBody, __doc__=words, **run, title=(Name, ""))


def _setup(simulation: Simulation, given: Any) -> Setup:
    sent = given.model_dump()
    chosen = {setting.name: sent[setting.name] for setting in simulation.settings}
    actors = sent[f"{simulation.actor}s"]
    changes = tuple(_intervention(simulation, each) for each in sent["changes"])
    return Setup(chosen, simulation.fact.actors if actors is None else tuple(actors), changes, sent["moment"])


def _intervention(simulation: Simulation, sent: dict[str, Any]) -> Intervention:
    step, actor, removed = sent.pop("step"), sent.pop(simulation.actor), sent.pop("removed")
    values = {name: value for name, value in sent.items() if value is not None}
    return Intervention(step, actor, None if removed else values)


def _add(simulation: Simulation) -> None:
    example, body = simulation.example, _body(simulation)

    @router.get(
        f"/{example}", summary=f"What may be chosen for a run of the {example} example, and what happened in fact"
    )
    def show() -> Mapping[str, Any]:
        return simulation.choices()

    def run(given: Any, desk: OnDesk) -> JobView:
        return JobView.model_validate(desk.simulate(simulation, _setup(simulation, given), title=given.title))

    def course(given: Any, desk: OnDesk) -> Mapping[str, Any]:
        told: Mapping[str, Any] = msgspec.to_builtins(desk.course(simulation, _setup(simulation, given)))
        return told

    for function in (run, course):
        function.__annotations__["given"] = body  # FastAPI reads the type of the body from here
    router.post(
        f"/{example}",
        status_code=202,
        summary=f"Run the {example} example's world; the log that comes out is a case",
    )(run)
    router.post(f"/{example}/course", summary="The same run step by step, for a look at it: no case is made")(course)


for _simulation in simulations():
    _add(_simulation)
