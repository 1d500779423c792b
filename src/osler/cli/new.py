"""`osler cases new`: start a case from a template."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer
from rich.text import Text

from osler.authoring.new_case import write_new_case
from osler.cli.options import AsJson
from osler.cli.output import command, result
from osler.text.hostile import safe


@command
def new(
    id: Annotated[str, typer.Argument(metavar="ID", help="A neutral name; it must not hint at the answer.")],
    out: Annotated[Path, typer.Option(help="The folder to write ID.yaml to.")] = Path("."),
    as_json: AsJson = False,
) -> None:
    """Create a case template: a file with every section, and comments that explain what goes there."""
    path = write_new_case(id, out)
    words = f"written: {path}\nFill in every TO WRITE. To see what is left: osler cases lint {path}"
    result(as_json, {"case": id, "file": str(path)}, Text(safe(words)))
