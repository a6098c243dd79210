"""Simulations of the examples: what may be chosen for a run, and a run, each under the example's name."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any

from fastapi import APIRouter
from pydantic import BaseModel, Field, create_model

from soid.examples import simulations
from soid.examples.simulation import ChoiceSetting, NumberSetting, Setting, Setup, Simulation
from soid.web.api.dependencies import OnDesk
from soid.web.api.models import Finite, JobView, Name, Number, RequestBody

router = APIRouter(tags=["new cases"])


def _field(setting: Setting) -> tuple[Any, Any]:
    kind: Any = bool
    if isinstance(setting, ChoiceSetting):
        kind = Name
    elif isinstance(setting, NumberSetting):
        kind = Number if setting.whole else Finite
    return kind, ... if setting.default is None else setting.default


def _body(simulation: Simulation) -> type[BaseModel]:
    """What a program sends for a run."""
    fields: dict[str, Any] = {setting.name: _field(setting) for setting in simulation.actor_settings(1, {})}
    words = f"A {simulation.actor} at the start of a run."
    actor: Any = create_model(simulation.actor.capitalize(), __base__=RequestBody, __doc__=words, **fields)
    run: dict[str, Any] = {setting.name: _field(setting) for setting in simulation.settings}
    run[f"{simulation.actor}s"] = (Annotated[list[actor], Field(max_length=100)] | None, None)
    words = f"A run of the {simulation.example} example; without {simulation.actor}s as it was."
    name = f"{simulation.example.capitalize()}Run"
    return create_model(name, __base__=RequestBody, __doc__=words, **run, title=(Name, ""))


def _add(simulation: Simulation) -> None:
    example, actors = simulation.example, f"{simulation.actor}s"

    @router.get(
        f"/{example}", summary=f"What may be chosen for a run of the {example} example, and what happened in fact"
    )
    def show() -> Mapping[str, Any]:
        return simulation.choices()

    def run(given: Any, desk: OnDesk) -> JobView:
        sent = given.model_dump()
        chosen = {setting.name: sent[setting.name] for setting in simulation.settings}
        setup = Setup(chosen, simulation.fact.actors if sent[actors] is None else tuple(sent[actors]))
        return JobView.model_validate(desk.simulate(simulation, setup, title=given.title))

    run.__annotations__["given"] = _body(simulation)  # FastAPI reads the type of the body from here
    router.post(
        f"/{example}",
        status_code=202,
        summary=f"Run the {example} example's world; the log that comes out is a case",
    )(run)


for _simulation in simulations():
    _add(_simulation)
