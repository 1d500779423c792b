"""`python -m osler.web.contract [FILE]`: the OpenAPI document, from which the front end's types are made."""

from __future__ import annotations

import sys
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Final

from osler.store.store import open_store
from osler.web.app import application
from osler.web.house import House
from osler.web.openapi import written

COMMITTED: Final = Path("web/openapi.json")
"""The file in the repository, seen from its top folder."""


def contract() -> str:
    """The text of the document, which needs no store of anybody."""
    with TemporaryDirectory() as folder, open_store(Path(folder) / "empty.db") as store:
        return written(application(House(store)))


if __name__ == "__main__":
    path = Path(sys.argv[1]) if len(sys.argv) > 1 else COMMITTED
    path.write_text(contract(), encoding="utf-8", newline="\n")
