"""The beginning of a case written by hand: a file with every section and what belongs there.

Each place that is still to be filled holds "TO WRITE" (see `osler.cases.unfinished`), so the linter says
what is left.
"""

from __future__ import annotations

import re
from importlib import resources
from pathlib import Path
from typing import Final

from osler.errors import BadInput

_ID: Final = re.compile(r"[a-z0-9][a-z0-9_-]{0,99}")
_ID_STANDS: Final = "CASE-ID"


def new_case_text(id: str) -> str:
    """The file's text for a case called `id`. Raises BadInput where no case can be called so."""
    if not _ID.fullmatch(id):
        raise BadInput(
            "cannot be a case's id",
            where=repr(id[:100]),
            mend="use small letters, digits, - and _, beginning with a letter or a digit, 100 at most",
        )
    text = resources.files(__package__).joinpath("new_case.yaml").read_text(encoding="utf-8")
    return text.replace(_ID_STANDS, id)


def write_new_case(id: str, folder: Path) -> Path:
    """Write `<folder>/<id>.yaml` and return its path. Raises BadInput where a file stands there already."""
    text = new_case_text(id)
    path = folder / f"{id}.yaml"
    try:
        folder.mkdir(parents=True, exist_ok=True)
        with path.open("x", encoding="utf-8") as file:
            file.write(text)
    except FileExistsError:
        raise BadInput(
            "stands there already and is not overwritten",
            where=str(path if path.exists() else folder),
            mend="choose another id or another folder with --out",
        ) from None
    except OSError as error:
        raise BadInput(f"cannot be written: {error.strerror or error}", where=str(path)) from None
    return path
