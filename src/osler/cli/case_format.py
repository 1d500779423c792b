"""The --format option for cases; kept apart because only the importers know the format names."""

from __future__ import annotations

from typing import Annotated

import typer

from osler.cases.importers import formats

Format = Annotated[str, typer.Option("--format", help=f"auto, {', '.join(formats())}.")]
