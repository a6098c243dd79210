"""Routes to the cases: the list, each case, its program and its logs."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import islice
from typing import Annotated

from fastapi import APIRouter, Query, Request, Response

from soid.case.moment_picture import moment_svg
from soid.documents import json_of
from soid.errors import InputError
from soid.examples import NAMES
from soid.program.interface import Interface
from soid.program.types import json_value
from soid.query.logged_condition import LoggedCondition
from soid.scenario.log_document import overview_document
from soid.scenario.log_overview import overview_of
from soid.scenario.log_series import check_names
from soid.scenario.origin import NOT_KNOWN, NOT_LOGGED, Origin, is_constant
from soid.scenario.trace import Keyframe, Step, Trace
from soid.web.api.dependencies import (
    CaseId,
    FromQuery,
    LogQuery,
    OfCase,
    OnDesk,
    PathName,
    StepQuery,
    ThemeQuery,
    ToQuery,
)
from soid.web.api.models import (
    ArchiveBody,
    CardView,
    CaseView,
    DeletedView,
    ExampleBody,
    FactView,
    JobView,
    Json,
    NamedMoment,
    StepTimeView,
    StepView,
    TitleBody,
    VariableView,
    VersionView,
)

router = APIRouter(tags=["cases"])

LimitQuery = Annotated[int, Query(ge=1, le=10_000, description="At most so many steps; `Link` leads to the others.")]
CellsQuery = Annotated[int, Query(ge=1, le=5000, description="Among how many cells the steps of a curve are divided.")]
WhereQuery = Annotated[
    str | None, Query(max_length=10_000, description="Only steps at which this condition holds: `speed > 3`.")
]
_PART = 1000  # steps that are looked at at once
NamesQuery = Annotated[
    tuple[str, ...], Query(alias="name", max_length=1000, description="Variables, or structs of them; all by default.")
]


@router.get("/cases", summary="All cases, the one that changed last first")
def list_cases(desk: OnDesk) -> list[CardView]:
    return [CardView.model_validate(card) for card in desk.cases()]


@router.get("/examples", summary="The examples that a case can be made of")
def list_examples() -> list[str]:
    return list(NAMES)


@router.post("/cases/example", status_code=202, summary="A new case on one of the examples")
def create_from_example(given: ExampleBody, desk: OnDesk) -> JobView:
    job = desk.create_from_example(given.example, name=given.name, title=given.title)
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
        facts=[FactView.model_validate(json_of(fact.document)) for fact in case.numbered_facts],
        retracted=sorted(case.retracted),
        unanswered=[entry.number for entry in case.unanswered],
        warnings=list(case.warnings),
        head=entries[-1].hash,
        archived=case.archived is not None,
        scene=case.scene is not None,
        step=moment.step,
        log=moment.log,
    )


@router.post("/cases/{case_id}/title", status_code=201, summary="Give a case another title")
def rename(service: OfCase, given: TitleBody) -> Json:
    return json_of(service.rename(given.title).document)


@router.post(
    "/cases/{case_id}/archive", status_code=201, summary="Lay a case aside; nothing is added until it is brought back"
)
def archive(service: OfCase, given: ArchiveBody) -> Json:
    return json_of(service.archive(given.why).document)


@router.delete("/cases/{case_id}/archive", summary="Bring a case back that was laid aside")
def unarchive(service: OfCase) -> Json:
    return json_of(service.unarchive().document)


@router.delete("/cases/{case_id}", summary="Delete a case; `name` is what it is called, to confirm")
def delete_case(case_id: CaseId, desk: OnDesk, name: Annotated[str, Query(max_length=500)]) -> DeletedView:
    return DeletedView.model_validate(desk.delete(case_id, name))


@router.get("/deleted", summary="The cases that were deleted: by whom, when, and their last hashes")
def list_deleted(desk: OnDesk) -> list[DeletedView]:
    return [DeletedView.model_validate(each) for each in desk.deleted()]


@router.get("/cases/{case_id}/custody", summary="Who signed what, time stamps, where logs come from; all checked again")
def show_custody(service: OfCase) -> Json:
    return json_of(service.case.custody())


@router.get("/cases/{case_id}/version", summary="A number that grows with every entry of the case")
def show_version(service: OfCase) -> VersionView:
    return VersionView(version=len(service.case.entries))


@router.get("/cases/{case_id}/interface", summary="What the program is given, what it remembers, what it decides")
def show_interface(service: OfCase) -> list[VariableView]:
    return [VariableView.model_validate(variable.document) for variable in service.case.interface]


@router.get("/cases/{case_id}/steps", summary="A log, step by step: those that `from` and `to` name, at most `limit`")
def list_steps(
    service: OfCase,
    request: Request,
    response: Response,
    log: LogQuery = None,
    first: FromQuery = None,
    last: ToQuery = None,
    limit: LimitQuery = 1000,
    where: WhereQuery = None,
) -> list[StepView]:
    trace = service.case.project_at(log=log).trace
    begin = 0 if first is None else trace.place(first)
    end = len(trace) if last is None else trace.place(last + 1)
    steps = list(islice(_holding(trace, begin, end, where), limit + 1))
    if len(steps) > limit:
        rest = request.url.include_query_params(**{"from": steps.pop().time})
        response.headers["link"] = f'<{rest.path}?{rest.query}>; rel="next"'
    return [_step(step, step.time, trace.interface, _unlogged(step, trace.interface)) for step in steps]


def _holding(trace: Trace, begin: int, end: int, where: str | None) -> Iterator[Step]:
    """The steps from a place to a place, or those of them at which a condition holds."""
    condition = None if where is None else LoggedCondition(where, trace.interface)
    for place in range(begin, end, _PART):
        steps = trace.steps[place : min(end, place + _PART)]
        yield from (step for step in steps if condition is None or condition.holds(step))


@router.get(
    "/cases/{case_id}/overview", summary="What variables did over many steps of a log, as `soid log show --json`"
)
def show_overview(
    service: OfCase,
    desk: OnDesk,
    log: LogQuery = None,
    names: NamesQuery = (),
    first: FromQuery = None,
    last: ToQuery = None,
    cells: CellsQuery = 200,
) -> Json:
    project = service.case.project_at(log=log)
    trace = project.trace
    reading = desk.shelf.around(trace, project.logged.step if first is None else first)
    read = reading.series()
    start, stop = read.numbers[0], read.numbers[-1]
    ends = trace.steps[0].time if first is None else first, trace.steps[-1].time if last is None else last
    if not reading.is_whole and not start <= ends[0] <= ends[1] <= stop:
        problem = f"the log has {len(trace):,} steps, and at most {len(read.numbers):,} are read at once"
        raise InputError(problem, "Name a part of it: ?from=N&to=M.")
    check_names(trace.interface, names)
    return json_of(overview_document(overview_of(read, names, first=first, last=last, cells=cells)))


@router.get("/cases/{case_id}/steps/{step}", summary="One step of a log")
def show_step(service: OfCase, step: PathName, log: LogQuery = None) -> StepView:
    keyframe = service.derived(step, log)
    origins = {path: keyframe.origin(path).value for path in keyframe.unlogged}
    for name in keyframe.open_outputs:
        origin = keyframe.output_origin(name)
        origins[name] = NOT_KNOWN if origin is None else origin.value
    view = _step(keyframe, keyframe.step, keyframe.interface, origins)
    return view.model_copy(update={"decisions": {**view.decisions, **_followed(keyframe)}})


def _followed(keyframe: Keyframe) -> Json:
    """The outputs that are not logged: null unless they follow."""
    found = {name: keyframe.output(name) for name in keyframe.open_outputs}
    kind = keyframe.interface.output_type
    return {name: None if bits is None else json_value(kind(name), bits) for name, bits in found.items()}


@router.get("/cases/{case_id}/picture", summary="A moment as a picture", response_class=Response)
def draw_step(service: OfCase, step: StepQuery = None, log: LogQuery = None, theme: ThemeQuery = "auto") -> Response:
    drawn = moment_svg(service.case.scene, service.derived(step, log), theme)
    return Response(drawn, media_type="image/svg+xml")


def _unlogged(step: Step, interface: Interface) -> dict[str, str]:
    """The inputs that a step does not have; nothing is derived for a list of steps, but what is always the same."""
    constant = {path for path in step.unlogged if is_constant(interface.variable(path))}
    return {path: Origin.DERIVED.value if path in constant else NOT_LOGGED for path in step.unlogged}


def _step(step: Step | Keyframe, number: int, interface: Interface, origins: Mapping[str, str]) -> StepView:
    outputs = {output.name: output.variable for output in interface.outputs}
    unknown = {path for path, origin in origins.items() if origin != Origin.DERIVED.value}
    return StepView(
        step=number,
        time=None if step.when is None else StepTimeView.model_validate(step.when.document),
        inputs={
            path: None if path in unknown else json_value(interface.variable(path).type, bits)
            for path, bits in step.inputs.items()
        },
        decisions={name: json_value(outputs[name].type, bits) for name, bits in step.decisions.items()},
        origins=dict(origins),
    )
