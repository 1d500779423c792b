"""Keys in a configuration: none may stand in it, and a value "env:NAME" names the variable of one."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any, Final

from osler.errors import BadInput
from osler.models.secret import looks_like_key, looks_like_name

NO_KEYS: Final = "put the key into an environment variable and its NAME into key_env"
_KEY_NAMES: Final = re.compile(
    r"(?:^|[_-])(?:api_?key|apikey|key|secret|token|password|authorization|bearer)$", re.IGNORECASE
)
_NOT_KEYS: Final = frozenset({"key_env", "eos_token", "pad_token", "bos_token", "stop_token"})
_IN_ENVIRONMENT: Final = re.compile(r"env:(.*)", re.DOTALL)


def check_no_keys(found: Mapping[str, Any], where: str) -> None:
    """Raise BadInput if a name or value in a table of settings looks like a key; it is not echoed."""
    for place, name, value in _leaves(found):
        if looks_like_key(place):
            raise BadInput("a name looks like a key", where=where, hint=NO_KEYS)
        if not isinstance(value, str) or (_access(place) and _IN_ENVIRONMENT.fullmatch(value)):
            continue  # a value "env:NAME" is checked where it is read
        if looks_like_key(value) or named_as_key(name):
            raise BadInput(f"{place} looks like a key", where=where, hint=NO_KEYS)


def named_as_key(name: str) -> bool:
    """Whether a setting's name says that its value is a key."""
    return name not in _NOT_KEYS and _KEY_NAMES.search(name) is not None


def _leaves(found: object, place: str = "", name: str = "") -> Iterator[tuple[str, str, object]]:
    """Every leaf value in the file, as (path, key, value)."""
    if isinstance(found, Mapping):
        for inner, value in found.items():
            yield from _leaves(value, f"{place}.{inner}" if place else str(inner), str(inner))
    elif isinstance(found, list):
        for value in found:
            yield from _leaves(value, place, name)
    else:
        yield place, name, found


def _access(place: str) -> bool:
    """Whether a place in the file is one whose values may name an environment variable."""
    return re.match(r"endpoints\.[^.]+\.(?:headers\.|query\.|proxy$)", place) is not None


def named_variable(value: str) -> str | None:
    """The NAME in a value "env:NAME"; `None` if it is no such value. Raises ValueError if it is no name."""
    match = _IN_ENVIRONMENT.fullmatch(value)
    if match is None:
        return None
    if not looks_like_name(match[1]):
        raise ValueError("env: must be followed by the NAME of an environment variable, in capitals")
    return match[1]
