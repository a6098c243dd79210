"""Errors as the API sends them: a cause, a remedy and a status."""

from __future__ import annotations

import traceback
from typing import Any, Final

from fastapi import FastAPI, Request
from fastapi.exceptions import RequestValidationError
from fastapi.responses import JSONResponse
from pydantic import BaseModel
from starlette.exceptions import HTTPException

from soid.errors import (
    USAGE,
    CaseError,
    ChainError,
    CompileError,
    DeskBusy,
    EnvironmentalError,
    InputError,
    InternalError,
    KeyframeError,
    LimitError,
    NotAllowed,
    NotOnDesk,
    SoidError,
    TooMuch,
)

#: the first class that fits an error gives its status
_STATUS: Final[tuple[tuple[type[SoidError], int], ...]] = (
    (NotAllowed, 403),
    (NotOnDesk, 404),
    (KeyframeError, 404),
    (TooMuch, 413),
    (ChainError, 409),
    (CaseError, 409),
    (CompileError, 422),
    (InputError, 422),
    (DeskBusy, 429),
    (LimitError, 422),
    (EnvironmentalError, 503),
    (InternalError, 500),
)


class ErrorView(BaseModel):
    """What went wrong, and what to do about it."""

    cause: str
    remedy: str = ""
    kind: str = ""  # the error's class
    code: str = ""  # the same for programs, in all versions


#: the errors that every route can answer with
PROBLEMS: Final[dict[int | str, dict[str, Any]]] = {
    status: {"model": ErrorView, "description": said}
    for status, said in (
        (400, "The request itself is not right."),
        (401, "The token is missing."),
        (403, "The request comes from another site, or without its mark; or its token does not allow it."),
        (404, "There is no such thing."),
        (405, "The address does not know this method; a `?` in an id that is not escaped leads to another one."),
        (409, "The record does not allow it."),
        (413, "It is too large."),
        (422, "What was given is not right."),
        (429, "Too much is waiting already."),
    )
}


def handle_errors(app: FastAPI) -> None:
    """Turn every error into a response with cause and remedy."""

    @app.exception_handler(SoidError)
    async def _soid(_: Request, error: SoidError) -> JSONResponse:
        status = next(status for kind, status in _STATUS if isinstance(error, kind))
        return problem(status, error.cause, error.remedy, error.code, type(error).__name__)

    @app.exception_handler(RequestValidationError)
    async def _invalid(_: Request, error: RequestValidationError) -> JSONResponse:
        cause = "; ".join(map(_complaint, error.errors()[:5]))
        return problem(422, cause, "The API's description says what fits.", USAGE)

    @app.exception_handler(HTTPException)
    async def _http(_: Request, error: HTTPException) -> JSONResponse:
        known = {404: "there is no such address", 405: "the address does not know this method"}
        cause = known.get(error.status_code, str(error.detail))
        answer = problem(error.status_code, cause, "The API's description is in /api/openapi.json.", USAGE)
        answer.headers.update(error.headers or {})
        return answer

    @app.exception_handler(Exception)
    async def _bug(_: Request, error: Exception) -> JSONResponse:
        traceback.print_exception(error)
        cause = f"this is a bug in soid: {type(error).__name__}"
        remedy = "What `soid serve` wrote on its terminal says where. Please file it."
        return problem(500, cause, remedy, InternalError.code)


def problem(status: int, cause: str, remedy: str, code: str, kind: str = "") -> JSONResponse:
    return JSONResponse({"cause": cause, "remedy": remedy, "kind": kind, "code": code}, status_code=status)


def _complaint(one: Any) -> str:
    place = ".".join(str(part) for part in one["loc"] if part != "body")
    return f"{place}: {one['msg']}" if place else str(one["msg"])
