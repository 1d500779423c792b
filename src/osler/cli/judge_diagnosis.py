"""`osler judge diagnosis`: match answers to reference diagnoses, and the agreement with human labels."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Annotated, Any, Final, TypeVar

import typer
import yaml
from pydantic import ValidationError
from rich.text import Text

from osler.cases.importers.reading import read_records
from osler.cases.importers.report import Rejected
from osler.cli.options import AsJson
from osler.cli.output import command, result
from osler.errors import BadInput
from osler.judging.diagnosis.agreement import Agreement, Item, compare
from osler.judging.diagnosis.judged import CONVENTIONS, Convention
from osler.judging.diagnosis.labelled import Labelled, Pairs, agreement_with
from osler.judging.diagnosis.match import Lists
from osler.text.hostile import safe

_LISTS: Final[dict[str, Lists]] = {"accept": "accept", "reject": "reject"}
_T = TypeVar("_T", Item, Pairs)
_OLDER: Final = frozenset({"reference_diagnosis", "candidate_diagnoses", "n_equivalent_by_dermatologist"})
_SHOWN: Final = 5
_WIDEST: Final = 120


@command
def judge_diagnosis(
    file: Annotated[
        Path,
        typer.Argument(
            metavar="FILE",
            help="JSON lines: reference and answers, if known also labels and the text of the case; or"
            " reference_diagnosis, candidate_diagnoses, n_equivalent_by_dermatologist.",
        ),
    ],
    convention: Annotated[
        str | None,
        typer.Option(
            help="physician: an answer that entails the reference is right. dermatologists: the rules fitted"
            " on CRAFT-MD.  [default: physician; dermatologists for files with n_equivalent_...]"
        ),
    ] = None,
    lists: Annotated[
        str,
        typer.Option(
            help="Whether an answer listing several diagnoses may match, for dermatologists: accept, reject."
        ),
    ] = "reject",
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
    if lists not in _LISTS:
        raise BadInput(f"{lists!r} is not known", where="--lists", hint="accept or reject")
    if convention is not None and convention not in CONVENTIONS:
        raise BadInput(f"{convention!r} is not known", where="--convention", hint=" or ".join(CONVENTIONS))
    rows = _rows(file)
    chosen: Convention | None = next((one for one in CONVENTIONS if one == convention), None)
    older = any(_OLDER & row.keys() for _, row in rows)
    if older and labelled_by is not None:
        raise BadInput(
            "only answers labelled one by one measure the judge", where=file.name, hint="give answers, labels"
        )
    if older and chosen != "physician":
        items = _read(file, rows, Item)
        found = compare(items, _LISTS[lists])
        result(as_json, _value(found, explain), Text(_told(items, found, explain)))
        return
    pairs = _read(file, rows, Pairs)
    labelled = agreement_with(pairs, chosen or "physician", _LISTS[lists])
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


def _read(file: Path, rows: Sequence[tuple[int, Any]], of: type[_T]) -> list[_T]:
    """The lines of a file, all valid; raises BadInput with the numbers of invalid ones."""
    items: list[_T] = []
    bad: list[str] = []
    for number, row in rows:
        try:
            items.append(of.model_validate(row))
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
    lines.append(f"{len(items)} references, {answers} answers, {right} right ({found.convention})")
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


def _value(found: Agreement, explain: bool) -> dict[str, Any]:
    exact = found.exact
    value: dict[str, Any] = {
        "n": len(found.verdicts),
        "labelled": exact.n,
        "exact_count_agreement": exact.value,
        "exact_count_agreement_interval": None if exact.low is None else [exact.low, exact.high],
        "mean_absolute_error": found.mean_absolute_error,
        "verdicts": [[verdict.same for verdict in row] for row in found.verdicts],
    }
    return value | ({"why": [[verdict.why for verdict in row] for row in found.verdicts]} if explain else {})


def _told(items: Sequence[Item], found: Agreement, explain: bool) -> str:
    lines = []
    if explain:
        for number, (item, row) in enumerate(zip(items, found.verdicts, strict=True), 1):
            for answer, verdict in zip(item.candidate_diagnoses, row, strict=True):
                said = "same" if verdict.same else "different"
                names = f"{answer[:_WIDEST]!r} for {item.reference_diagnosis[:_WIDEST]!r}"
                lines.append(safe(f"{number}: {names}: {said}: {verdict.why}"))
    right = sum(verdict.same for row in found.verdicts for verdict in row)
    lines.append(
        f"{len(items)} references, {sum(map(len, found.verdicts))} answers, {right} match the reference"
    )
    exact = found.exact
    if exact.value is not None and exact.low is not None and exact.high is not None:
        reach = f"95 % interval {exact.low:.3f} to {exact.high:.3f}"
        lines.append(f"the same count as the label in {exact.value:.3f} of {exact.n} ({reach})")
        lines.append(f"mean absolute error {found.mean_absolute_error:.3f} answers")
    else:
        lines.append("no labels to compare with")
    return "\n".join(lines)
