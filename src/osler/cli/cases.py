"""`osler cases`: import, list, show and lint cases."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer
import yaml
from rich.table import Table
from rich.text import Text

from osler.cases.importers import import_file
from osler.cases.lint import lint
from osler.cases.model import Case
from osler.cases.sources import open_source
from osler.cli.options import AsJson, Format
from osler.cli.output import NOTHING_DONE, command, out, result, say
from osler.cli.play import find_case
from osler.reports.transcript import harmless

app = typer.Typer(no_args_is_help=True, help="Import, list, show and lint cases.")
CASES = typer.Argument(help="`library`, or a file or folder in an importable format.")
SHOWN = 20
