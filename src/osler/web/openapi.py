"""The contract with the browser: the application's OpenAPI document, with every event of ours in it.

The front end's types are generated from it (`python -m osler.web.contract` writes it to a file).
"""

from __future__ import annotations

import json
from typing import Any, Final

from fastapi import FastAPI
from fastapi.openapi.utils import get_openapi
from fastapi.routing import APIRoute
from pydantic.json_schema import models_json_schema

from osler.core.events import EVENTS, Event
from osler.core.registry import OURS, protocol_named
from osler.web.schemas import Problem

_REFS: Final = "#/components/schemas/"


def operation(route: APIRoute) -> str:
    """The id of an operation: the name of its function, unique over all rooms (a test sees to it)."""
    name: str = route.name
    return name


def describe(app: FastAPI) -> None:
    """Let an application describe itself with the events of ours, and with `Problem` for every error."""

    def described() -> dict[str, Any]:
        if app.openapi_schema is None:
            openapi = get_openapi(title=app.title, version="1", routes=app.routes)
            app.openapi_schema = _with_problems(_with_events(openapi))
        schema: dict[str, Any] = app.openapi_schema
        return schema

    app.__dict__["openapi"] = described  # FastAPI's way of replacing it


def _with_problems(document: dict[str, Any]) -> dict[str, Any]:
    schemas = document.setdefault("components", {}).setdefault("schemas", {})
    schemas["Problem"] = Problem.model_json_schema(mode="serialization")
    for name in ("HTTPValidationError", "ValidationError"):
        schemas.pop(name, None)
    said = {
        "description": "An error",
        "content": {"application/json": {"schema": {"$ref": f"{_REFS}Problem"}}},
    }
    for methods in document["paths"].values():
        for one in methods.values():
            one["responses"].pop("422", None)
            one["responses"]["default"] = said
    return document


def _with_events(document: dict[str, Any]) -> dict[str, Any]:
    """The document with every kind of event, told apart by `kind`, as what a `LogItem` holds."""
    classes = dict(sorted(_events().items()))
    refs, defined = models_json_schema(
        [(one, "serialization") for one in classes.values()], ref_template=f"{_REFS}Event{{model}}"
    )
    schemas = document.setdefault("components", {}).setdefault("schemas", {})
    schemas.update({f"Event{name}": _whole(one) for name, one in defined["$defs"].items()})
    by_kind = {kind: refs[one, "serialization"]["$ref"] for kind, one in classes.items()}
    schemas["Event"] = {
        "oneOf": [{"$ref": ref} for ref in by_kind.values()],
        "discriminator": {"propertyName": "kind", "mapping": by_kind},
    }
    if item := schemas.get("LogItem"):
        title = item["properties"]["event"].get("title", "Event")
        item["properties"]["event"] = {
            "title": title,
            "anyOf": [{"$ref": f"{_REFS}Event"}, {"type": "null"}],
        }
    return document


def _events() -> dict[str, type[Event]]:
    """The classes of the events that we ship, by kind."""
    for name in OURS:
        protocol_named(name)
    return {kind: one for kind, one in EVENTS.kinds.items() if one.__module__.startswith("osler.")}


def _whole(schema: dict[str, Any]) -> dict[str, Any]:
    """A schema whose properties are all present: events are sent with their defaults."""
    if "properties" in schema:
        return {**schema, "required": [*schema["properties"]]}
    return schema


def written(app: FastAPI) -> str:
    """The document as the text of a file."""
    return json.dumps(app.openapi(), indent=1, ensure_ascii=False) + "\n"
