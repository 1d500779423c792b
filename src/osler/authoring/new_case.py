"""The template for a case written by hand: a file with every section and a note on what belongs there.

Each place still to be filled in holds "TO WRITE" (see `osler.cases.lint`), so the linter lists what
is left.
"""

from __future__ import annotations

import re
from contextlib import suppress
from importlib import resources
from pathlib import Path
from typing import Final

from osler.errors import BadInput

_ID: Final = re.compile(r"[a-z0-9][a-z0-9_-]{0,99}")
_ID_STANDS: Final = "CASE-ID"


def new_case_text(id: str) -> str:
    """The template's text for a case called `id`. Raises BadInput for an invalid id."""
    if not _ID.fullmatch(id):
        raise BadInput(
            "cannot be a case's id",
            where=repr(id[:100]),
            hint="use lower-case letters, digits, - and _, at most 100, starting with a letter or a digit",
        )
    text = resources.files(__package__).joinpath("new_case.yaml").read_text(encoding="utf-8")
    return text.replace(_ID_STANDS, id)


def write_new_case(id: str, folder: Path) -> Path:
    """Write `<folder>/<id>.yaml` and return its path. Raises BadInput where that file exists already."""
    text = new_case_text(id)
    path = folder / f"{id}.yaml"
    try:
        folder.mkdir(parents=True, exist_ok=True)
        with path.open("x", encoding="utf-8") as file:
            file.write(text)
    except FileExistsError:
        raise BadInput(
            "exists already and is not overwritten",
            where=str(path if path.exists() else folder),
            hint="choose another id or another folder with --out",
        ) from None
    except OSError as error:
        with suppress(OSError):
            path.unlink()  # what there is of it
        raise BadInput(f"cannot be written: {error.strerror or error}", where=str(path)) from None
    return path
