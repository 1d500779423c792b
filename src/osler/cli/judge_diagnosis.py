"""`osler judge diagnosis`: match answers to reference diagnoses, and the agreement with labels."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Annotated, Any, Final

import typer
import yaml
from pydantic import ValidationError
from rich.text import Text

from osler.cases.importers.reading import read_records
from osler.cases.importers.report import Rejected
from osler.cli.options import AsJson
from osler.cli.output import command, result
from osler.errors import BadInput
from osler.judging.diagnosis.judged import CONVENTION
from osler.judging.diagnosis.labelled import Labelled, Pairs, agreement_with
from osler.text.hostile import safe

_SHOWN: Final = 5
_WIDEST: Final = 120


@command
def judge_diagnosis(
    file: Annotated[
        Path,
        typer.Argument(
            metavar="FILE",
            help="JSON lines: reference and answers, if known also labels and the text of the case.",
        ),
    ],
    explain: Annotated[bool, typer.Option("--explain", help="Explain each verdict in a line.")] = False,
    labelled_by: Annotated[
        str | None,
        typer.Option(
            metavar="WHO",
            help="Show the entry of measured.yaml for these labels, given by WHO.",
        ),
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Match answers to reference diagnoses by the rules that judge episodes; no model is asked."""
    pairs = _read(file, _rows(file))
    labelled = agreement_with(pairs)
    if labelled_by is not None:
        if not labelled.labelled:
            raise BadInput("no answer has a label", where=file.name, hint="give labels for the answers")
        entry = labelled.measured(file.stem, labelled_by)
        result(as_json, entry, Text(safe(yaml.safe_dump(entry, sort_keys=False, width=1000))))
        return
    result(as_json, labelled.plain(), Text(_words(pairs, labelled, explain)))


def _rows(file: Path) -> list[tuple[int, Any]]:
    rows: list[tuple[int, Any]] = []
    bad: list[str] = []
    for record in read_records(file):
        if isinstance(record, Rejected):
            bad.append(f"line {record.record}: {record.reason}")
        else:
            rows.append((record.number, record.value))
            if not isinstance(record.value, dict):
                bad.append(f"line {record.number}: not an object with reference and answers")
    _refuse(file, bad)
    return rows


def _read(file: Path, rows: Sequence[tuple[int, Any]]) -> list[Pairs]:
    """The lines of a file, all valid; raises BadInput with the numbers of invalid ones."""
    items: list[Pairs] = []
    bad: list[str] = []
    for number, row in rows:
        try:
            items.append(Pairs.model_validate(row))
        except ValidationError as error:
            bad.append(f"line {number}: {_reason(error)}")
    _refuse(file, bad)
    return items


def _refuse(file: Path, bad: Sequence[str]) -> None:
    if bad:
        more = f"; and {len(bad) - _SHOWN} more" if len(bad) > _SHOWN else ""
        raise BadInput("; ".join(bad[:_SHOWN]) + more, where=file.name, hint="fix or remove these lines")


def _reason(error: ValidationError) -> str:
    first = error.errors()[0]
    place = " ".join(str(part) for part in first["loc"])
    words = first["msg"].removeprefix("Value error, ")
    return f"{place}: {words}" if place else words


def _words(items: Sequence[Pairs], found: Labelled, explain: bool) -> str:
    lines = []
    for number, (item, row) in enumerate(zip(items, found.verdicts, strict=True), 1):
        for answer, verdict in zip(item.answers, row, strict=True) if explain else ():
            names = f"{answer[:_WIDEST]!r} for {item.reference[:_WIDEST]!r}"
            lines.append(safe(f"{number}: {names}: {verdict.verdict}: {verdict.why}"))
    right = sum(verdict.right for row in found.verdicts for verdict in row)
    answers = sum(map(len, found.verdicts))
    lines.append(f"{len(items)} references, {answers} answers, {right} right ({CONVENTION})")
    told = found.counts
    if told:
        lines.append(", ".join(f"{count} {word}" for word, count in told.items()))
    if not found.labelled:
        return "\n".join([*lines, "no labels to compare with"])
    for name, one in (("right or wrong", found.on_right), ("the verdict", found.on_verdict)):
        if one.value is not None and one.low is not None and one.high is not None:
            reach = f"95 % interval {one.low:.3f} to {one.high:.3f}"
            lines.append(f"agrees with the labels on {name} in {one.value:.3f} of {one.n} ({reach})")
    lines.append(f"wrong answers taken as right: {found.taken} of {found.wrong}")
    lines.append(f"right answers refused: {found.refused} of {found.rights}")
    lines.extend(safe(f"taken wrongly: {one}") for one in found.taken_wrongly[:_SHOWN])
    return "\n".join(lines)
