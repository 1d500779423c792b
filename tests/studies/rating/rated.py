"""A small run to rate, and raters who follow a plan."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from osler.store.records import RunInfo
from osler.store.store import Store
from osler.studies.rating.export import FOR_RATERS, Exported, SampleRequest, write_export
from osler.studies.rating.scales import load_scale
from osler.studies.rating.sheet import read_sheet, text_of
from osler.studies.rating.unblinding_key import Behind
from tests.reports.stored_runs import Episode, write_run

SCALE = load_scale("manager")
Plan = Callable[[Behind, str, str], str]
"""What a rater writes: the episode, the rater, the item -> the cell."""


def run_of(store: Store, right: int, wrong: int, name: str = "clinic") -> RunInfo:
    """Episodes of a case each; the built-in judge finds the first `right` of them right."""
    said = ["Pulmonary embolism"] * right + ["Pneumonia"] * wrong
    return write_run(
        store, *(Episode(diagnosis=one, specialty=f"s{n}") for n, one in enumerate(said)), name=name
    )


def exported(store: Store, run: RunInfo, folder: Path, **wanted: int) -> Exported:
    """An export of the manager's scale."""
    return write_export(store, [run], SCALE, SampleRequest(**wanted), folder)


def sheets(found: Exported) -> list[Path]:
    """The raters' sheets."""
    return [path for path in found.files if path.parent.name == FOR_RATERS and path.suffix == ".csv"]


def order_of(found: Exported) -> tuple[str, ...]:
    """The blind ids of the first sheet, row by row."""
    return next(iter(found.key.sheets.values()))


def rate(found: Exported, plan: Plan) -> list[Path]:
    """Fill every sheet as planned, under the name of its file."""
    for path in sheets(found):
        sheet = read_sheet(path)
        for row in sheet.rows:
            behind = found.key.episodes[row.cells["id"]]
            row.cells["rater"] = path.stem
            for item in SCALE.items:
                row.cells[item.id] = plan(behind, path.stem, item.id)
        save(path, text_of(sheet))
    return sheets(found)


def save(path: Path, text: str) -> None:
    """Write a sheet as it is, line ends included."""
    path.write_text(text, encoding="utf-8", newline="")
