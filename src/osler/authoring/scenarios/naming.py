"""Safe names for files and folders, independent of what a source or a model calls things."""

from __future__ import annotations

import re
import unicodedata
from typing import Final

from osler.errors import BadInput

LONGEST: Final = 60
_CASE_ID: Final = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,99}")
_NUMBER: Final = re.compile(r"(\d+)")
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
            mend="use letters, digits, '.', '_' and '-', beginning with a letter or a digit, at most 100",
        )
    return given


def natural(name: str) -> list[tuple[int, int, str]]:
    """A natural sort key that puts 2 before 10."""
    parts = _NUMBER.split(name)
    return [(1, int(part), "") if part.isdecimal() else (0, 0, part) for part in parts]
