"""The option that names the format of cases; apart from the others, since only importers know their names."""

from __future__ import annotations

from typing import Annotated

import typer

from osler.cases.importers import formats

Format = Annotated[str, typer.Option("--format", help=f"auto, {', '.join(formats())}.")]
