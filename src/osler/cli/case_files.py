"""The cases that a command names: its argument, their format, and the one case among them.

Kept apart from the other options because only the importers know the names of the formats.
"""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from osler.cases.file_source import LIBRARY
from osler.cases.importers import Images, formats
from osler.cases.model import Case
from osler.cases.sources import CaseSource, open_source
from osler.cli.options import ImageFiles
from osler.cli.output import SHOWN, say
from osler.errors import BadInput
from osler.text.hostile import safe

Format = Annotated[str, typer.Option("--format", help=f"auto, {', '.join(formats())}.")]
CaseName = Annotated[
    str, typer.Argument(metavar="CASE", help="A library case's id, or FILE#ID (also FILE:ID).")
]


def opened(cases: str, format: str, pictured: ImageFiles) -> CaseSource:
    """Open the source of cases that a command names."""
    return open_source(cases, format, Images(pictured.images, without=pictured.without_images))


def find_case(spec: str, format: str, pictured: ImageFiles) -> tuple[str, Case]:
    """The source and the case that `spec` names. Raises BadInput listing the cases that exist."""
    cases, _, wanted = spec.partition("#")
    if not wanted and not Path(spec).exists():
        file, _, ident = spec.rpartition(":")
        # The generator's own name holds two colons.
        if file and (Path(file).exists() or file == LIBRARY or file.count(":") == 2):
            cases, wanted = file, ident
    if not wanted:
        library = {case.id: case for case in open_source("library")}
        if spec in library:
            return spec, library[spec]
    ids = []
    source = opened(cases, format, pictured)
    for case in source:
        ids.append(case.id)
        if case.id == wanted:
            return cases, case
    if len(ids) == 1 and not wanted:
        return cases, next(iter(opened(cases, format, pictured)))
    if not ids:
        why = source.report.reasons[0].reason if source.report and source.report.reasons else ""
        raise BadInput(f"no case could be read: {why}" if why else "no case could be read", where=cases)
    shown = ", ".join(ids[:10]) + (" ..." if len(ids) > 10 else "")
    raise BadInput(
        f"there are {len(ids)} cases and none is named" if not wanted else f"no case has the id {wanted!r}",
        where=cases,
        hint=f"write {cases}#ID with one of: {shown}",
    )


def say_rejected(source: CaseSource) -> int:
    """Report the records of a source that could not be read, after a full pass; return their number."""
    if source.report is None or not source.report.rejected:
        return 0
    for reason in source.report.reasons[:SHOWN]:
        if reason.kind == "rejected":
            say(safe(f"record {reason.record} rejected: {reason.reason}"))
    return source.report.rejected
