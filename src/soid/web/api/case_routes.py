"""Routes to the cases: the list, each case, its program and its logs."""

from __future__ import annotations

from fastapi import APIRouter, Response

from soid.documents import json_of
from soid.errors import NotOnDesk
from soid.examples import NAMES
from soid.program.interface import Interface
from soid.program.types import json_value
from soid.scenario.trace import Keyframe, Step
from soid.scene.picture import of_keyframe
from soid.scene.scene_svg import svg
from soid.web.api.dependencies import CountQuery, FirstQuery, LogQuery, OfCase, OnDesk, PathName, StepQuery, ThemeQuery
from soid.web.api.models import (
    CardView,
    CaseView,
    ExampleBody,
    JobView,
    Json,
    NamedMoment,
    StepView,
    VariableView,
    VersionView,
)

router = APIRouter(tags=["cases"])


@router.get("/cases", summary="All cases, the one that changed last first")
def list_cases(desk: OnDesk) -> list[CardView]:
    return [CardView.model_validate(card) for card in desk.cases()]


@router.get("/examples", summary="The examples that a case can be made of")
def list_examples() -> list[str]:
    return list(NAMES)


@router.post("/cases/example", status_code=202, summary="A new case on one of the examples")
def create_from_example(given: ExampleBody, desk: OnDesk) -> JobView:
    job = desk.create_from_example(given.example, name=given.name, title=given.title, who=given.who)
    return JobView.model_validate(job)


@router.get("/cases/{case_id}", summary="A case")
def show_case(service: OfCase) -> CaseView:
    case = service.case
    entries, moment = case.entries, case.moment()
    return CaseView(
        id=service.id,
        title=case.title,
        program=case.first.program.name,
        logs=list(case.logs),
        attested=[json_of(entry.document) for entry in case.attested],
        keyframes=[NamedMoment(name=name, log=each.log, step=each.step) for name, each in case.keyframes.items()],
        version=len(entries),
        facts=[fact.number for fact in case.facts],
        retracted=sorted(case.retracted),
        unanswered=[entry.number for entry in case.unanswered],
        warnings=list(case.warnings),
        head=entries[-1].hash,
        scene=case.scene is not None,
        step=moment.step,
        log=moment.log,
    )


@router.get("/cases/{case_id}/custody", summary="Who signed what, time stamps, where logs come from; all checked again")
def show_custody(service: OfCase) -> Json:
    return json_of(service.case.custody())


@router.get("/cases/{case_id}/version", summary="A number that grows with every entry of the case")
def show_version(service: OfCase) -> VersionView:
    return VersionView(version=len(service.case.entries))


@router.get("/cases/{case_id}/interface", summary="What the program is given, what it remembers, what it decides")
def show_interface(service: OfCase) -> list[VariableView]:
    return [VariableView.model_validate(variable.document) for variable in service.case.interface]


@router.get("/cases/{case_id}/steps", summary="A part of a log, step by step")
def list_steps(
    service: OfCase, log: LogQuery = None, first: FirstQuery = None, count: CountQuery = 1000
) -> list[StepView]:
    trace = service.case.project_at(log=log).trace
    start = 0 if first is None else trace.place(first)
    return [_step(step, step.time, trace.interface) for step in trace.steps[start : start + count]]


@router.get("/cases/{case_id}/steps/{step}", summary="One step of a log")
def show_step(service: OfCase, step: PathName, log: LogQuery = None) -> StepView:
    keyframe = service.case.project_at(step, log).keyframe
    return _step(keyframe, keyframe.step, keyframe.interface)


@router.get("/cases/{case_id}/picture", summary="A moment as a picture", response_class=Response)
def draw_step(service: OfCase, step: StepQuery = None, log: LogQuery = None, theme: ThemeQuery = "auto") -> Response:
    scene = service.case.scene
    if scene is None:
        raise NotOnDesk("the project does not say how a moment is drawn", "Add a [scene] to its soid.toml.")
    picture = of_keyframe(scene, service.case.project_at(step, log).keyframe)
    return Response(svg(picture, theme=theme), media_type="image/svg+xml")


def _step(step: Step | Keyframe, number: int, interface: Interface) -> StepView:
    outputs = {output.name: output.variable for output in interface.outputs}
    return StepView(
        step=number,
        inputs={path: json_value(interface.variable(path).type, bits) for path, bits in step.inputs.items()},
        decisions={name: json_value(outputs[name].type, bits) for name, bits in step.decisions.items()},
    )
