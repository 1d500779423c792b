"""Import and export of folders of rubrics: every file is imported, empty, or rejected with a reason.

An imported rubric is written in its published form, at the same place under the other folder, with a side
file beside it. Corrections that people have made in an existing side file are never overwritten.
"""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import Final, NamedTuple

from osler.cases.rubrics.model import COMPETENCIES, Rubric
from osler.cases.rubrics.reading import RubricFile, load, published, published_text, read, read_all
from osler.cases.rubrics.side_file import side_of, side_text
from osler.errors import BadInput
from osler.files import write_whole

MAX_REASONS: Final = 10_000


class Reason(NamedTuple):
    """A remark on one file: `kind` is rejected, empty, or note."""

    file: str
    kind: str
    reason: str


class Imported(NamedTuple):
    """The outcome: `read` = `imported` + `empty` + `rejected`.

    Empty rubrics are written as well; `kept` counts side files that existed already.
    """

    read: int
    imported: int
    empty: int
    rejected: int
    kept: int
    items: int
    items_by_competency: dict[str, int]
    reasons: tuple[Reason, ...]
    reasons_left_out: int


def import_rubrics(path: Path, out: Path | None = None) -> Imported:
    """Read a file or folder and write every readable rubric to `out`; without it, only report.

    Raises BadInput where nothing can be read.
    """
    if out is not None:
        _check_apart(path, out)
    counts: Counter[str] = Counter()
    items: Counter[str] = Counter()
    reasons: list[Reason] = []
    for result in read_all(path):
        kind, why = _read(result) if out is None else _kept(result, out, counts)
        counts[kind] += 1
        if why:
            reasons.append(Reason(result.file, kind, why))
        if kind == "imported" and result.rubric is not None:
            items.update(item.competency for item in result.rubric.items)
            reasons += [Reason(result.file, "note", remark) for remark in result.remarks]
    return Imported(
        read=counts["imported"] + counts["empty"] + counts["rejected"],
        imported=counts["imported"],
        empty=counts["empty"],
        rejected=counts["rejected"],
        kept=counts["kept"],
        items=items.total(),
        items_by_competency={name: items[name] for name in COMPETENCIES},
        reasons=tuple(reasons[:MAX_REASONS]),
        reasons_left_out=max(0, len(reasons) - MAX_REASONS),
    )


def export_rubrics(path: Path, out: Path) -> tuple[int, tuple[Reason, ...]]:
    """Write the published form of a file or folder of rubrics, without side files.

    Returns the number written, and the reasons for the others.
    """
    _check_apart(path, out)
    written, reasons = 0, []
    for result in read_all(path):
        if result.rubric is None:
            reasons.append(Reason(result.file, "rejected", result.reason))
        elif reason := _write(result.rubric, _target(out, result)):
            reasons.append(Reason(result.file, "rejected", reason))
        else:
            written += 1
    return written, tuple(reasons)


def _read(file: RubricFile) -> tuple[str, str]:
    """The outcome of reading a rubric, and the reason."""
    if file.rubric is None:
        return "rejected", file.reason
    return ("imported", "") if file.rubric.items else ("empty", "holds no item")


def _kept(file: RubricFile, out: Path, counts: Counter[str]) -> tuple[str, str]:
    """Write one rubric and its side file; return the outcome and the reason."""
    if file.rubric is None:
        return "rejected", file.reason
    target = _target(out, file)
    if reason := _write(file.rubric, target):
        return "rejected", reason
    side = side_of(target)
    if side.exists():
        try:
            load(target)
        except BadInput as error:
            return "rejected", f"the side file that is there already: {error}"
        counts["kept"] += 1
    else:
        write_whole(side, side_text(file.rubric))
    return _read(file)


def _write(rubric: Rubric, target: Path) -> str:
    """Write the published form; returns the reason if another rubric is already in that place, else empty."""
    if target.exists():
        there = _published_there(target)
        return "" if there == published(rubric) else "another rubric is already there; name another --out"
    write_whole(target, published_text(rubric))
    return ""


def _published_there(path: Path) -> dict[str, object] | None:
    try:
        return published(read(path))
    except BadInput:
        return None


def _target(out: Path, file: RubricFile) -> Path:
    return (out / file.file).with_suffix(".json")


def _check_apart(path: Path, out: Path) -> None:
    source, target = path.resolve(), out.resolve()
    if out.exists() and not out.is_dir():
        raise BadInput("is a file, not a folder", where=str(out), hint="name a folder with --out")
    folder = source if path.is_dir() else source.parent
    if target == folder or (path.is_dir() and target.is_relative_to(folder)):
        raise BadInput(
            "is inside the folder that is read", where=str(out), hint="name another folder with --out"
        )
