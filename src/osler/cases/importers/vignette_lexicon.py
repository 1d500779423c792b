"""The cues of `vignette.yaml`, compiled: whose a clause is, and what an examination or a result is called."""

from __future__ import annotations

import re
from functools import cache
from importlib import resources
from typing import Any, Final, Literal, NamedTuple, get_args

import yaml

from osler.errors import BadInput

Role = Literal["opening", "history", "examination", "test", "management", "question", "withheld"]
"""Whom a clause belongs to: everybody, the patient, the examination service (two ways), or nobody (three)."""
Section = Literal["examinations_first", "examinations", "tests"]
ROLES: Final[tuple[Role, ...]] = get_args(Role)


class Cue(NamedTuple):
    """What counts for a role, and how much."""

    role: Role
    weight: int
    pattern: re.Pattern[str]


@cache
def cues() -> tuple[Cue, ...]:
    """All cues of roles. Raises BadInput where the file names a role that there is not."""
    found = []
    for entry in _source()["roles"]:
        if entry["role"] not in ROLES:
            raise BadInput(f"there is no role {entry['role']!r}", where="vignette.yaml")
        found.append(Cue(entry["role"], int(entry["weight"]), _compiled(entry["cue"])))
    return tuple(found)


@cache
def measured() -> re.Pattern[str]:
    """What a laboratory value or a vital sign looks like."""
    return _compiled(_source()["measured"])


@cache
def named(section: Section) -> tuple[tuple[str, re.Pattern[str]], ...]:
    """Names and what they are known by, in the order in which they are looked for."""
    return tuple((name, _compiled(cue)) for name, cue in _source()[section].items())


@cache
def _source() -> dict[str, Any]:
    text = resources.files("osler.cases.importers").joinpath("vignette.yaml").read_text(encoding="utf-8")
    source: dict[str, Any] = yaml.safe_load(text)
    return source


def _compiled(cue: str) -> re.Pattern[str]:
    for name, part in _source()["parts"].items():
        cue = cue.replace(f"<{name}>", part)
    return re.compile(cue.replace("\n", ""), re.IGNORECASE)
