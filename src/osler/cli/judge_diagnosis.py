"""`osler judge diagnosis`: match answers to reference diagnoses, and the agreement with labels."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Annotated, Final

import typer
import yaml
from rich.text import Text

from osler.cli.json_lines import read_lines
from osler.cli.options import AsJson
from osler.cli.output import command, result
from osler.errors import BadInput
from osler.judging.diagnosis.judged import CONVENTION
from osler.judging.diagnosis.labelled import Labelled, Pairs, agreement_with
from osler.text.hostile import safe

_SHOWN: Final = 5
_WIDEST: Final = 120
_HINT: Final = 'each line is an object such as {"reference": "Stroke", "answers": ["CVA"]}'


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
    pairs = read_lines(file, Pairs.model_validate, _HINT)
    labelled = agreement_with(pairs)
    if labelled_by is not None:
        if not labelled.labelled:
            raise BadInput("no answer has a label", where=file.name, hint="give labels for the answers")
        entry = labelled.measured(file.stem, labelled_by)
        result(as_json, entry, Text(safe(yaml.safe_dump(entry, sort_keys=False, width=1000))))
        return
    result(as_json, labelled.plain(), Text(_words(pairs, labelled, explain)))


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
