"""Review sheets for two clinicians, and their inter-rater agreement on the scenario and every item.

A sheet is CSV that every spreadsheet program opens; none of its cells is a formula. Filled sheets are read
back with the agreement between the two and every row on which they differ.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Final, NamedTuple

from osler.authoring.scenarios.steps import digest
from osler.cases.rubrics.model import COMPETENCIES, NAMES, Rubric
from osler.errors import BadInput
from osler.stats.agreement import ac1, kappa
from osler.stats.intervals import Estimate, mean_interval
from osler.text.safe_csv import original, read_table, table_text

REVIEWERS: Final = 2
FEWEST: Final = 10
_COLUMNS: Final = (
    "id",
    "reviewer",
    "scenario",
    "about",
    "text",
    "agree",
    "competency",
    "critical",
    "comment",
)
_ANSWERS: Final = ("agree", "competency", "critical")
_QUESTIONS: Final = (
    "Everything in it is medically sound and current.",
    "The patient can be played from the patient's material.",
    "The environment can be run from the controller's material.",
    "The examinee's material gives nothing away.",
    "The rubric holds what matters in this scenario.",
)
_HEADINGS: Final = {
    "reviewer": "reviewer\nyour code",
    "agree": "agree\nyes or no: does it hold; for an item: is it decidable, sound, and worth judging?",
    "competency": "competency\nonly where another fits better: "
    + ", ".join(f"{k} {v}" for k, v in NAMES.items()),
    "critical": "critical\nyes where missing it would endanger the patient, else no",
}
_YES: Final = frozenset({"yes", "y", "ja", "1", "true", "x"})
_NO: Final = frozenset({"no", "n", "nein", "0", "false"})


class Answer(NamedTuple):
    """One filled row; `None` where a cell is empty. `competency` is the reviewer's, else the item's."""

    scenario: str
    about: str
    text: str
    agree: str | None
    competency: str | None
    critical: str | None
    comment: str


class Compared(NamedTuple):
    """The agreement of the two reviewers on one question.

    `share` is the share of equal answers; the coefficients need ten rows that both answered, else `reason` is
    `too_few`; it is `all_alike` where nothing varies, so that kappa is undefined.
    """

    share: Estimate
    kappa: Estimate
    ac1: Estimate
    reason: str


class Difference(NamedTuple):
    """A row on which the two differ, or that both reject."""

    id: str
    scenario: str
    text: str
    question: str
    answers: tuple[str, str]
    comments: tuple[str, str]


class Review(NamedTuple):
    """The result of comparing two filled sheets. `unfilled` counts rows that one or both left open."""

    reviewers: tuple[str, str]
    rows: int
    unfilled: int
    clustered_by: str
    agreement: dict[str, Compared]
    differences: tuple[Difference, ...]
    refused_by_both: tuple[Difference, ...]


def sheet_text(rubric: Rubric) -> str:
    """A new sheet: statements on the scenario first, then every item."""
    open_ = ["", "", "", ""]
    rows = [[_HEADINGS.get(name, name) for name in _COLUMNS]]
    for number, question in enumerate(_QUESTIONS, start=1):
        id = f"{digest(rubric.digest, number)[:12]}"
        rows.append([id, "", rubric.key, "scenario", question, *open_])
    rows += [[item.id, "", rubric.key, item.competency, item.text, *open_] for item in rubric.items]
    rows.append([rubric.digest, "", rubric.key, "version", "leave this row as it is", *open_])
    return table_text(rows)


def sheet_version(path: Path) -> str | None:
    """The digest of the rubric that a sheet was made from; `None` where it cannot be determined."""
    try:
        return next((row["id"] for row in _rows(path) if row["about"] == "version"), None)
    except BadInput:
        return None


def _by_reviewer(paths: Sequence[Path]) -> dict[str, dict[str, Answer]]:
    """Each reviewer's answers by row, over all their sheets."""
    result: dict[str, dict[str, Answer]] = {}
    for path in paths:
        for reviewer, id, answer in _answers(path):
            mine = result.setdefault(reviewer, {})
            if id in mine and mine[id] != answer:
                raise BadInput(f"{reviewer} answers row {id} twice, differently", where=str(path))
            mine[id] = answer
    return result


def review(paths: Sequence[Path]) -> Review:
    """Compare filled sheets of two reviewers; each may have filled several scenarios' sheets.

    Raises BadInput for a cell that cannot be read, or where there are not two reviewers.
    """
    by_reviewer = _by_reviewer(paths)
    if len(by_reviewer) != REVIEWERS:
        raise BadInput(
            f"the sheets are of {len(by_reviewer)} reviewers: {', '.join(sorted(by_reviewer)) or 'none'}",
            where=", ".join(str(path) for path in paths[:3]),
            hint="give the sheets of two reviewers, each with their code in the column reviewer",
        )
    (one, first), (two, second) = sorted(by_reviewer.items())
    ids = [id for id in first if id in second]
    if strange := [id for id in ids if first[id].text != second[id].text]:
        raise BadInput(
            f"row {strange[0]} has a different text in each sheet", hint="fill sheets of the same rubric"
        )
    if not ids:
        raise BadInput("the two sheets have no row in common", hint="fill sheets of the same rubric")
    scenarios = {first[id].scenario for id in ids}
    clusters = {id: first[id].scenario if len(scenarios) > 1 else id for id in ids}
    pairs = {id: (first[id], second[id]) for id in ids}
    return Review(
        reviewers=(one, two),
        rows=len(ids),
        unfilled=sum(None in (a.agree, b.agree) for a, b in pairs.values())
        + len(first.keys() ^ second.keys()),
        clustered_by="scenario" if len(scenarios) > 1 else "row",
        agreement={question: _compared(question, pairs, clusters) for question in _ANSWERS},
        differences=tuple(_differences(pairs, lambda a, b: a != b)),
        refused_by_both=tuple(_differences(pairs, lambda a, b: a == b == "no", ("agree",))),
    )


def _compared(
    question: str, pairs: Mapping[str, tuple[Answer, Answer]], clusters: Mapping[str, str]
) -> Compared:
    # Only items have a competency and can be critical.
    asked = {id: pair for id, pair in pairs.items() if question == "agree" or pair[0].about in COMPETENCIES}
    first = [getattr(pair[0], question) for pair in asked.values()]
    second = [getattr(pair[1], question) for pair in asked.values()]
    keys = [clusters[id] for id in asked]
    equal: dict[str, list[float]] = {}
    for key, a, b in zip(keys, first, second, strict=True):
        if None not in (a, b):
            equal.setdefault(key, []).append(float(a == b))
    n = sum(map(len, equal.values()))
    share = mean_interval(equal, len(first) - n, proportion=True)
    none = Estimate(None, None, None, n, len(first) - n)
    if n < FEWEST:
        return Compared(share, none, none, "too_few")
    order = COMPETENCIES if question == "competency" else ("yes", "no")
    chance = kappa(first, second, order, clusters=keys)
    return Compared(
        share, chance, ac1(first, second, order, keys), "" if chance.value is not None else "all_alike"
    )


def _differences(
    pairs: Mapping[str, tuple[Answer, Answer]],
    wanted: Callable[[str, str], bool],
    questions: Sequence[str] = _ANSWERS,
) -> Iterator[Difference]:
    for id, (a, b) in pairs.items():
        for question in questions:
            one, two = getattr(a, question), getattr(b, question)
            if None not in (one, two) and wanted(one, two):
                yield Difference(id, a.scenario, a.text, question, (one, two), (a.comment, b.comment))


def _answers(path: Path) -> Iterator[tuple[str, str, Answer]]:
    rows = [row for row in _rows(path) if row["about"] != "version"]
    codes = {code for row in rows if (code := " ".join(row["reviewer"].split()).casefold())}
    if len(codes) != 1:
        what = f"names {len(codes)} reviewers" if codes else "names no reviewer"
        mend = "write your code into the column reviewer, in one row or in all"
        raise BadInput(what, where=str(path), hint=mend)
    (reviewer,) = codes
    for row in rows:
        is_item = row["about"] in COMPETENCIES
        agree = _yes_no(row, "agree", path)
        yield (
            reviewer,
            row["id"],
            Answer(
                scenario=row["scenario"],
                about=row["about"],
                text=row["text"],
                agree=agree,
                competency=_competency(row, path) if is_item and agree else None,
                critical=_yes_no(row, "critical", path) if is_item else None,
                comment=row["comment"],
            ),
        )


def _yes_no(row: Mapping[str, str], name: str, path: Path) -> str | None:
    said = unicodedata.normalize("NFKC", row[name]).strip().casefold()
    if not said:
        return None
    if said in _YES | _NO:
        return "yes" if said in _YES else "no"
    raise BadInput(f"row {row['number']}, {name}: {row[name][:40]!r} is neither yes nor no", where=str(path))


def _competency(row: Mapping[str, str], path: Path) -> str:
    said = row["competency"].strip().upper()
    if said and said not in COMPETENCIES:
        raise BadInput(
            f"row {row['number']}, competency: {row['competency'][:40]!r} is none",
            where=str(path),
            hint=f"use one of {', '.join(COMPETENCIES)}, or leave it empty to keep the given one",
        )
    return said or row["about"]


def _rows(path: Path) -> list[dict[str, str]]:
    """The rows of a sheet by column name; `number` counts as a spreadsheet program does."""
    table = read_table(path)
    names = (
        [(original(cell).strip().splitlines() or [""])[0].strip().lower() for cell in table[0]]
        if table
        else []
    )
    if missing := [name for name in _COLUMNS if name not in names]:
        raise BadInput(
            f"there is no column {missing[0]!r} in its first row",
            where=str(path),
            hint="give a sheet that `osler author scenario` wrote, with its headings as they were",
        )
    return [
        {
            "number": str(number),
            **dict.fromkeys(_COLUMNS, ""),
            **dict(zip(names, map(original, cells), strict=False)),
        }
        for number, cells in enumerate(table[1:], start=2)
        if any(cell.strip() for cell in cells)
    ]
