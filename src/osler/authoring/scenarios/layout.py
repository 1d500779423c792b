"""The published layout of a scenario: safe names, and the four role folders that a source may hold already.

<case_id>/<scenarioN>/{examinee,sp_actor,environment_controller,evaluator}/*.md
"""

from __future__ import annotations

import os
import re
import unicodedata
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Final, Literal, get_args

from osler.cases.file_source import natural
from osler.errors import BadInput

LONGEST: Final = 60
_CASE_ID: Final = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,99}")
# Device names on Windows, whatever the suffix.
_DEVICES: Final = re.compile(r"(?:con|prn|aux|nul|com\d|lpt\d)(?:-|$)")


def slug(text: str) -> str:
    """A path-safe slug of small letters, digits and hyphens; `x` where nothing is left."""
    plain = unicodedata.normalize("NFKD", text).encode("ascii", "ignore").decode().lower()
    name = re.sub(r"[^a-z0-9]+", "-", plain).strip("-")[:LONGEST].strip("-") or "x"
    return f"x-{name}" if _DEVICES.match(name) else name


def case_id_of(given: str | None, folder_name: str) -> str:
    """The case id: the one given, else one from the folder's name. Raises BadInput for an invalid one."""
    if given is None:
        return slug(folder_name)
    if not _CASE_ID.fullmatch(given) or ".." in given or given.endswith("."):
        raise BadInput(
            "cannot be a case's id",
            where="--case-id",
            hint="use letters, digits, '.', '_' and '-', beginning with a letter or a digit, at most 100",
        )
    return given


Role = Literal["examinee", "sp_actor", "environment_controller", "evaluator"]
ROLES: Final[tuple[Role, ...]] = get_args(Role)
PLAYED: Final[tuple[Role, ...]] = ROLES[:3]
CALLED: Final[dict[str, Role]] = {
    **{role: role for role in ROLES},
    "sp": "sp_actor",
    "environment": "environment_controller",
}
_SCENARIO: Final = re.compile(r"scenario[ _-]?(\d{1,4})", re.IGNORECASE)
_MAX_BYTES: Final = 2_000_000
ByRole = Mapping[str, Mapping[Role, list[int]]]
"""The indexes of each role's files in a sorted source, by scenario and role."""
Material = Mapping[Role, Mapping[str, str]]
"""The texts of each role by file name, in natural order."""


def sorted_by_role(names: Sequence[str]) -> dict[str, dict[Role, list[int]]]:
    """Scenario folders (`scenario1` ...) and the indexes of their files by role, for the paths of a source.

    Empty where no path runs through role folders; files outside them belong to no role. A folder that is
    called `scenario4` keeps its number.
    """
    parents: dict[tuple[str, ...], dict[Role, list[int]]] = {}
    for place, name in enumerate(names):
        *folders, _ = name.split("/")
        at = next((n for n, folder in enumerate(folders) if folder.lower() in CALLED), None)
        if at is not None:
            roles = parents.setdefault(tuple(folders[:at]), {})
            roles.setdefault(CALLED[folders[at].lower()], []).append(place)
    whole = {parent: roles for parent, roles in parents.items() if len(roles) > 1}
    result: dict[str, dict[Role, list[int]]] = {}
    numbers = [int(m[1]) if p and (m := _SCENARIO.fullmatch(p[-1])) else None for p in whole]
    free = (n for n in range(1, 10_000) if n not in numbers)
    for number, roles in zip(numbers, whole.values(), strict=True):
        own = number is not None and f"scenario{number}" not in result
        result[f"scenario{number if own else next(free)}"] = roles
    return dict(sorted(result.items(), key=lambda item: natural(item[0])))


def material_in(folder: Path) -> dict[Role, dict[str, str]]:
    """The Markdown files of a scenario's folder, by role. Raises BadInput where one cannot be read."""
    return {role: dict(_files(folder / role)) for role in ROLES}


def _files(folder: Path) -> list[tuple[str, str]]:
    pairs = []
    for at, folders, files in os.walk(folder):
        folders[:] = [name for name in folders if not name.startswith(".")]
        for name in files:
            path = Path(at, name)
            if name.startswith(".") or path.suffix.lower() not in (".md", ".markdown", ".txt"):
                continue
            pairs.append((path.relative_to(folder).as_posix(), _text(path)))
    return sorted(pairs, key=lambda item: natural(item[0]))


def _text(path: Path) -> str:
    try:
        if path.is_symlink() or path.stat().st_size > _MAX_BYTES:
            raise BadInput("is a link, or far too large for a role's material", where=str(path))
        return path.read_text(encoding="utf-8-sig")
    except (OSError, UnicodeDecodeError) as error:
        reason = "not UTF-8" if isinstance(error, UnicodeDecodeError) else error.strerror or str(error)
        raise BadInput(f"cannot be read: {reason}", where=str(path)) from None
