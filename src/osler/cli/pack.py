"""`osler cases pack`: a case as one printable file for an OSCE station."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer
from rich.text import Text

from osler.cli.case_format import Format
from osler.cli.options import AsJson
from osler.cli.output import command, result, say
from osler.cli.play import find_case
from osler.text.hostile import safe


@command
def pack(
    case: Annotated[str, typer.Argument(metavar="CASE", help="A library case's id, or FILE#ID.")],
    out: Annotated[Path, typer.Option(help="The HTML file to write; an existing one is replaced.")],
    format: Format = "auto",
    as_json: AsJson = False,
) -> None:
    """Write a printable station pack: candidate's page, patient brief, cards, mark sheet, teaching notes."""
    # Imported here because drawing loads Pillow, which other commands do not need.
    from osler.authoring.station_pack import station_pack  # noqa: PLC0415 - import time

    _, found = find_case(case, format)
    pictures = sum(finding.picture is not None for finding in found.findings)
    text = station_pack(found).encode()
    out.write_bytes(text)
    say("For education and research only. Hand out only the candidate's page: the rest has the answer.")
    value = {"case": found.id, "out": str(out), "bytes": len(text), "pictures": pictures}
    result(as_json, value, Text(safe(f"written: {out}")))
