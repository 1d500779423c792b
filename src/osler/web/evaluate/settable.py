"""The settings of a run that a visitor from another machine may choose."""

from __future__ import annotations

from collections.abc import Iterator
from types import NoneType
from typing import Any, Final, Literal, get_args, get_origin

from pydantic import BaseModel

from osler.core.config import Config

_PLAIN: Final = frozenset({bool, int, float})


def settable(config: type[Config]) -> frozenset[str]:
    """The settings of a configuration, by dotted name, that can be chosen from another machine: numbers,
    switches, choices of a list, and the names that the protocol looks up. Free text is none of them, so that
    no setting can be a path."""
    return frozenset((*_choices(config, ""), *config.looked_up))


def _choices(model: type[BaseModel], before: str) -> Iterator[str]:
    for name, field in model.model_fields.items():
        types = _types(field.annotation)
        inner = [one for one in types if isinstance(one, type) and issubclass(one, BaseModel)]
        for one in inner:
            yield from _choices(one, f"{before}{name}.")
        if all(one in _PLAIN or get_origin(one) is Literal for one in types):
            yield f"{before}{name}"


def _types(annotation: Any) -> list[Any]:
    """The types that a field may have, without `None`."""
    if annotation is None or annotation is NoneType:
        return []
    if (
        annotation in _PLAIN
        or get_origin(annotation) in (Literal, tuple, list, dict)
        or not get_args(annotation)
    ):
        return [annotation]
    return [one for part in get_args(annotation) for one in _types(part)]
