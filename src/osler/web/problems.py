"""Errors as the browser gets them: one form, `Problem`, whatever went wrong."""

from __future__ import annotations

from collections.abc import Mapping

from fastapi import FastAPI, Request
from fastapi.exceptions import RequestValidationError
from fastapi.responses import JSONResponse
from starlette.exceptions import HTTPException

from osler.core.permitted import NotPermitted
from osler.errors import BadInput, InfrastructureFault, NotAllowed, OslerError, Stale
from osler.web.paths import without_folders
from osler.web.schemas import Problem

_LATER_S = 5
_MOST_NAMED = 5


class NotFound(BadInput):
    """There is no such thing here, or not for this visitor (404)."""


class Gone(BadInput):
    """It was here and has been deleted (410)."""


class Unusable(BadInput):
    """A move or a form that can be read but not used as it is (422)."""


class TooMany(BadInput):
    """More than one visitor may have or do at once (429)."""


def answer(status: int, problem: Problem, headers: Mapping[str, str] | None = None) -> JSONResponse:
    """A problem as an answer."""
    return JSONResponse(problem.model_dump(), status, headers)


def answer_problems(app: FastAPI) -> None:
    """Let an application answer every error with a `Problem`."""
    app.add_exception_handler(OslerError, _ours)
    app.add_exception_handler(RequestValidationError, _unreadable)
    app.add_exception_handler(HTTPException, _plain)


def _status(error: Exception) -> int:
    match error:
        case NotAllowed() | NotPermitted():
            return 403
        case NotFound():
            return 404
        case Gone():
            return 410
        case Stale():
            return 409
        case Unusable():
            return 422
        case TooMany():
            return 429
        case BadInput():
            return 400
        case InfrastructureFault():
            return 503
    return 500


async def _ours(request: Request, error: Exception) -> JSONResponse:
    named = (str(getattr(error, name, "") or "") for name in ("what", "where", "hint"))
    what, where, mend = (_told(request, text) for text in named)
    status = _status(error)
    later = {"retry-after": str(_LATER_S)} if status in (429, 503) else None
    return answer(status, Problem(what=what or _told(request, str(error)), where=where, mend=mend), later)


def _told(request: Request, text: str) -> str:
    """The words of an error as a visitor may read them: from outside nobody learns where anything lies."""
    asking = request.scope.get("osler.visitor")
    if asking is not None and asking.here:
        return text
    label = request.app.state.house.store.label
    return "" if text == label else without_folders(text.replace(label, "the store"))


async def _unreadable(request: Request, error: Exception) -> JSONResponse:
    result = error.errors()[:_MOST_NAMED] if isinstance(error, RequestValidationError) else []
    where = ", ".join(".".join(map(str, one["loc"])) for one in result)
    what = "; ".join(str(one["msg"]) for one in result)
    return answer(422, Problem(what=what, where=where))


async def _plain(request: Request, error: Exception) -> JSONResponse:
    assert isinstance(error, HTTPException)
    return answer(error.status_code, Problem(what=str(error.detail)), error.headers)
