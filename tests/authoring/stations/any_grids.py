"""Grids of anything as mark sheets, and what of their rows is lost: `python -m tests.authoring.stations.any_grids 20000`."""

from __future__ import annotations

import random
import sys
import tempfile
from collections import Counter
from pathlib import Path

from osler.authoring.scenarios.office import converted
from osler.authoring.stations import mark_sheet
from osler.authoring.stations.draft import draft
from osler.authoring.stations.lines import lines_of
from tests.authoring.stations.sheets import Cell, Sheet, write

PIECES = (
    "Item", "Marks", "Total", "Done 2", "Not done 0", "0", "1", "2", "½", "1,5", "__/2", "-", "N/A", "^^", "a|b", "☐", "NaN",
    "History", "COMMUNICATION", "Asks about onset", "Palpates the abdomen", "Examiner: ____", "التحية", "询问过敏史", "<b>x</b>",
    "# Candidate instructions", "sep=;", "~~old~~", "= 1+1", "*Critical", "\\", "`", "Results", "- 2", "Total marks: 3",
    "0 / 1 / 2", "No", "1.", "ii)", "x" * 300,
)  # fmt: skip


def any_grid(rng: random.Random, kind: str) -> Sheet:
    """A grid of anything, cells merged anyhow."""
    wide, rows = rng.randint(1, 6), rng.randint(1, 9)
    grid: list[list[Cell | None]] = [
        [Cell(rng.choice((*PIECES, "", ""))) for _ in range(wide)] for _ in range(rows)
    ]
    for _ in range(rng.randint(0, 4) if kind != "csv" else 0):
        at, column = rng.randrange(rows), rng.randrange(wide)
        down, across = rng.randint(1, rows - at), rng.randint(1, wide - column)
        places = [(r, c) for r in range(at, at + down) for c in range(column, column + across)]
        first = grid[at][column]
        if first is None or any((held := grid[r][c]) is None or held[1:] != (1, 1) for r, c in places):
            continue
        for r, c in places:
            grid[r][c] = None
        grid[at][column] = first._replace(down=down, across=across)
    return Sheet(tuple(map(tuple, grid)), ())


def unaccounted(made: Sheet, path: Path) -> list[str]:
    """The words of a sheet's rows that are neither in the lines read of it nor in what became of each line."""
    text = converted(write(path, made)).get("text", "")
    lines = lines_of(f"mark sheet{path.suffix}", text)
    held = [line for line in lines if line.part in ("marks", "errors")]
    found = mark_sheet.sheet(held)
    places = Counter(item.place for item in found.items)
    places.update(line.place for line in (*found.about_marking, *(one.line for one in found.unread)))
    lost = [line.text for line in held if not places[line.place]]
    draft([(f"mark sheet{path.suffix}", text)], "case")
    shown = " ".join(text.split())
    for row in made.cells:
        words = [cell.text for cell in row if cell and cell.text.isalpha()]
        lost += [word for word in words if word not in shown]
    return lost


def fuzzed(count: int, first: int = 0) -> list[tuple[int, str, list[str]]]:
    """The grids, by seed and format, of which something is lost; a traceback is not caught."""
    bad = []
    with tempfile.TemporaryDirectory() as folder:
        for seed in range(first, first + count):
            kind = ("docx", "xlsx", "csv")[seed % 3]
            lost = unaccounted(any_grid(random.Random(seed), kind), Path(folder) / f"sheet.{kind}")
            bad += [(seed, kind, lost)] if lost else []
    return bad


if __name__ == "__main__":
    print(sys.argv[1], "grids; of these something is lost in", fuzzed(int(sys.argv[1])))
