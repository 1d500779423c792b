"""Mark sheets of random layouts, with what each of their rows is, and writers for Word, Excel, CSV and PDF.

Run to measure: `python -m tests.authoring.stations.sheets 200 pdf` prints how many rows are placed, by kind.
"""

from __future__ import annotations

import csv
import io
import random
import sys
import tempfile
import zipfile
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple
from xml.sax.saxutils import escape

from openpyxl import Workbook  # type: ignore[import-untyped]

from osler.authoring.scenarios.office import converted
from osler.authoring.stations import mark_sheet
from osler.authoring.stations.draft import draft
from osler.authoring.stations.lines import lines_of
from tests.authoring.scenarios.source import OFFICE, PACKAGE, WORD

ITEMS = {
    "History": (
        "Asks when the pain began", "Asks about radiation of the pain", "Asks about allergies",
        "Takes a drug history, including over-the-counter medicines", "Site, character and severity of the pain",
        "Elicits the patient's ideas, concerns and expectations", "Asks about 2 or more risk factors", "Smoking",
    ),
    "Examination": (
        "Washes hands before touching the patient", "Measures the oxygen saturation", "Listens to the heart",
        "Checks the blood pressure in both arms", "Inspects, palpates and percusses the abdomen", "Peripheral pulses",
    ),
    "Management": (
        "Orders an ECG within 10 minutes", "Gives aspirin 300 mg", "Calls the cardiologist", "Oxygen only if below 94 %",
        "Starts fluids; repeats the blood pressure", "Offers analgesia (morphine 2.5 mg IV)",
    ),
    "Communication": (
        "Introduces self and role", "Explains the diagnosis to the patient in plain words", "Checks understanding",
        "No jargon is used", "Closes the consultation", "Responds to distress",
    ),
}  # fmt: skip
STEPS = {
    1.0: (("No 0", "Yes 1"), ("Not done (0)", "Done (1)"), ("0", "1"), ("Yes 1", "No 0"), ("Done = 1", "Not done = 0")),
    2.0: (
        ("Not done 0", "Attempted 1", "Done 2"), ("Done 2", "Partly 1", "Not done 0"), ("0", "1", "2"),
        ("2", "1", "0"), ("Poor 0", "Adequate 1", "Good 2"), ("Fully done (2)", "Partially done (1)", "Not done (0)"),
    ),
    3.0: (("0", "1", "2", "3"), ("Absent 0", "Poor 1", "Good 2", "Excellent 3")),
}  # fmt: skip
WRITTEN = {
    "plain": ("{}", (1.0, 2.0, 3.0, 0.5, 1.5)),
    "comma": ("{}", (1.0, 2.0, 0.5, 1.5, 2.5)),
    "out of": ("/{}", (1.0, 2.0, 3.0)),
    "blank out of": ("__/{}", (1.0, 2.0, 3.0)),
    "brackets": ("({})", (1.0, 2.0, 3.0)),
    "unit": ("{} marks", (2.0, 3.0, 1.5)),
    "range": ("0-{}", (1.0, 2.0, 3.0)),
    "half": ("½", (0.5,)),
    "fraction": ("1/2", (0.5,)),
}
FORMATS = ("docx", "xlsx", "csv", "pdf")


class Cell(NamedTuple):
    """A cell that covers rows downwards and columns to the right."""

    text: str
    down: int = 1
    across: int = 1


class Row(NamedTuple):
    """What a row of the sheet is, and of an item its text and marks; `None` where the sheet gives none."""

    kind: str
    text: str = ""
    marks: float | None = None


class Sheet(NamedTuple):
    """A grid whose covered places are `None`, and what its rows are."""

    cells: tuple[tuple[Cell | None, ...], ...]
    rows: tuple[Row, ...]


def sheet(rng: random.Random, kind: str) -> Sheet:
    """A sheet of a random layout for a format; CSV has no merged cells."""
    return _Layout(rng, kind).made()


class _Layout:
    def __init__(self, rng: random.Random, kind: str) -> None:
        self.rng = rng
        self.merging = kind != "csv"
        self.box = "[ ]" if kind == "pdf" else rng.choice(("☐", "□", "[ ]"))
        self.score = rng.choice(("marks", "marks", "levels", "levels", "in text"))
        self.domains = rng.choice(("none", "merged", "blank", "repeated", "sections"))
        self.written = rng.choice(tuple(WRITTEN))
        self.steps = rng.choice(STEPS[rng.choice(tuple(STEPS))])
        self.top = float(len(self.steps) - 1)
        self.body = rng.choice(("empty", "box", "box and figure", "figure"))
        named = [self.score == "levels" and any(one.isalpha() for one in self.steps[0])]
        # Levels whose figures stand in the cells need none in the heads.
        self.bare = bool(named[0]) and self.body in ("figure", "box and figure") and rng.random() < 0.3
        self.columns = self._columns()
        self.cells: list[list[Cell | None]] = []
        self.rows: list[Row] = []

    def _columns(self) -> list[str]:
        blocks = [["item"]]
        if self.score == "marks":
            blocks.append(["marks"])
        if self.score == "levels":
            blocks.append([f"level {n}" for n in range(len(self.steps))])
        for name, chance in (("number", 0.4), ("critical", 0.2), ("comment", 0.3)):
            if self.rng.random() < chance:
                blocks.append([name])
        if self.domains not in ("none", "sections"):
            blocks.append(["domain"])
        if len(blocks) == 1:
            blocks.append(["comment"])
        self.rng.shuffle(blocks)
        return [name for block in blocks for name in block]

    def made(self) -> Sheet:
        rng = self.rng
        for text in rng.sample(
            ("Mark sheet", "Station 4: chest pain", "Candidate name: ________"), rng.choice((0, 0, 1, 2))
        ):
            self._across(text, "title", merge=rng.random() < 0.5)
        self._head()
        number = 0
        for domain in rng.sample(tuple(ITEMS), rng.randint(1, 4)):
            if self.domains == "sections":
                self._across(domain, "heading", merge=rng.random() < 0.5)
            chosen = rng.sample(ITEMS[domain], rng.randint(2, 5))
            first = len(self.rows)
            for text in chosen:
                number += 1
                self._item(number, domain, text, first=text is chosen[0])
            if self.domains == "merged" and self.merging:
                self._merge(first, self.columns.index("domain"), len(chosen))
            if self.score == "marks" and self.merging and rng.random() < 0.15:
                self._share(first)
            if self.domains in ("none", "sections") and rng.random() < 0.2:
                self._total("Subtotal", first)
        if rng.random() < 0.6:
            self._total(rng.choice(("Total", "Total marks", "TOTAL", "Grand total")), 0)
        return Sheet(tuple(map(tuple, self.cells)), tuple(self.rows))

    def _add(self, texts: dict[str, str], row: Row) -> None:
        self.cells.append([Cell(texts.get(name, "")) for name in self.columns])
        self.rows.append(row)

    def _across(self, text: str, kind: str, *, merge: bool) -> None:
        self._add({self.columns[0]: text}, Row(kind, text))
        if merge and self.merging:
            wide = len(self.columns)
            self.cells[-1] = [Cell(text, 1, wide), *[None] * (wide - 1)]

    def _head(self) -> None:
        rng = self.rng
        names = {
            "item": rng.choice(("Item", "Criterion", "Criteria", "Task", "Checklist item", "Action")),
            "marks": rng.choice(("Marks", "Max marks", "Mark", "Points", "Score", "Weight")),
            "number": rng.choice(("#", "No.", "No", "S. No", "")),
            "critical": rng.choice(("Critical", "Essential")),
            "comment": rng.choice(("Comments", "Notes", "Examiner comments")),
            "domain": rng.choice(("Domain", "Section", "Area", "Category")),
        }
        steps = [one.rstrip("0123456789 =()") if self.bare else one for one in self.steps]
        levels = {f"level {n}": text for n, text in enumerate(steps)}
        if self.score == "levels" and self.merging and rng.random() < 0.3:
            at = self.columns.index("level 0")
            self._add({**names, "level 0": "Score"}, Row("head"))
            self.cells[-1][at : at + len(levels)] = [
                Cell("Score", 1, len(levels)),
                *[None] * (len(levels) - 1),
            ]
            self._add(levels, Row("head"))
            for n, name in enumerate(self.columns):
                if name not in levels:
                    self._merge(len(self.rows) - 2, n, 2)
            return
        if (
            self.score == "marks"
            and self.written in ("half", "fraction", "comma", "plain")
            and rng.random() < 0.1
        ):
            return  # no heads at all
        self._add({**names, **levels}, Row("head"))

    def _item(self, number: int, domain: str, text: str, *, first: bool) -> None:
        rng = self.rng
        texts = {"number": f"{number}{'.' if self.box == '☐' else ''}", "item": text}
        texts["domain"] = domain if first or self.domains == "repeated" else ""
        texts["critical"] = rng.choice(("", "", "yes"))
        value: float | None = None
        if self.score == "marks":
            form, values = WRITTEN[self.written]
            value = rng.choice(values)
            shown = f"{value:g}".replace(".", "," if self.written == "comma" else ".")
            texts["marks"] = form.format(shown)
        elif self.score == "levels":
            value = self.top
            order = self.steps if "0" in self.steps[0] else tuple(reversed(self.steps))
            for n, step in enumerate(self.steps):
                figure = str(order.index(step))
                texts[f"level {n}"] = {
                    "empty": "", "box": self.box, "box and figure": f"{self.box} {figure}", "figure": figure
                }[self.body]  # fmt: skip
        elif rng.random() < 0.9:
            value = rng.choice((1.0, 2.0, 1.5, 0.5))
            texts["item"] += rng.choice((" ({})", " [{}]", " ({} marks)")).format(f"{value:g}")
        self._add(texts, Row("item", text, value))

    def _total(self, name: str, first: int) -> None:
        total = sum(row.marks or 0 for row in self.rows[first:] if row.kind == "item")
        self._add({"item": name, "marks": f"{total:g}"}, Row("total", name))

    def _merge(self, row: int, column: int, down: int) -> None:
        held = self.cells[row][column]
        assert held is not None
        self.cells[row][column] = held._replace(down=down)
        for below in range(row + 1, row + down):
            self.cells[below][column] = None

    def _share(self, first: int) -> None:
        """The marks of two items in one cell: both have them, and the draft says so."""
        self._merge(first, self.columns.index("marks"), 2)
        self.rows[first + 1] = self.rows[first + 1]._replace(marks=self.rows[first].marks)


def write(path: Path, made: Sheet) -> Path:
    """Write a sheet in the format of the file's suffix."""
    {".docx": _word, ".xlsx": _excel, ".csv": _csv, ".pdf": _pdf}[path.suffix](path, made)
    return path


def _word(path: Path, made: Sheet) -> None:
    rows = []
    for at, row in enumerate(made.cells):
        cells, column = "", 0
        while column < len(row):
            cell, merge, wide = row[column], "", 1
            if cell is None:  # covered from above; what is covered from the left is passed over with it
                above = next(held for up in range(at, -1, -1) if (held := made.cells[up][column]) is not None)
                text, merge, wide = "", "<w:vMerge/>", above.across
            else:
                text, wide = cell.text, cell.across
                merge = '<w:vMerge w:val="restart"/>' if cell.down > 1 else ""
            span = f'<w:gridSpan w:val="{wide}"/>' if wide > 1 else ""
            cells += (
                f"<w:tc><w:tcPr>{span}{merge}</w:tcPr><w:p><w:r><w:t>{escape(text)}</w:t></w:r></w:p></w:tc>"
            )
            column += wide
        rows.append(f"<w:tr>{cells}</w:tr>")
    body = f"<w:p><w:r><w:t>Mark scheme</w:t></w:r></w:p><w:tbl>{''.join(rows)}</w:tbl>"
    main = "application/vnd.openxmlformats-officedocument.wordprocessingml.document.main+xml"
    relations = "application/vnd.openxmlformats-package.relationships+xml"
    parts = {
        "[Content_Types].xml": f'<Types xmlns="{PACKAGE}/content-types"><Default Extension="rels" '
        f'ContentType="{relations}"/><Override PartName="/word/document.xml" ContentType="{main}"/></Types>',
        "_rels/.rels": f'<Relationships xmlns="{PACKAGE}/relationships"><Relationship Id="r" Type="{OFFICE}" '
        'Target="word/document.xml"/></Relationships>',
        "word/document.xml": f'<w:document xmlns:w="{WORD}"><w:body>{body}</w:body></w:document>',
    }
    with zipfile.ZipFile(path, "w") as archive:
        for name, text in parts.items():
            archive.writestr(name, text)


def _excel(path: Path, made: Sheet) -> None:
    book = Workbook()
    page = book.active
    for at, row in enumerate(made.cells, start=1):
        for column, cell in enumerate(row, start=1):
            if cell is None or not cell.text:
                continue
            plain = cell.text.replace(".", "", 1).isdigit() and not cell.text.endswith(".")
            page.cell(at, column, float(cell.text) if plain else cell.text)
            if cell.down > 1 or cell.across > 1:
                page.merge_cells(None, at, column, at + cell.down - 1, column + cell.across - 1)
    book.save(path)


def _csv(path: Path, made: Sheet) -> None:
    held = io.StringIO(newline="")
    texts = [[cell.text if cell else "" for cell in row] for row in made.cells]
    commas = sum("," in text for row in texts for text in row)
    csv.writer(held, delimiter=";" if commas % 2 else ",").writerows(texts)
    path.write_text(held.getvalue(), encoding="utf-8", newline="")


def _pdf(path: Path, made: Sheet) -> None:
    wide = [
        max(len(cell.text) for row in made.cells if (cell := row[n]) and cell.across == 1)
        for n in range(len(made.cells[0]))
    ]
    edges = [30.0]
    for letters in wide:
        edges.append(edges[-1] + 5.2 * max(letters, 5) + 12)
    high, top = 18.0, 40 + 18.0 * len(made.cells) + 30
    drawn = [f"BT /F1 9 Tf 30 {top - 12} Td (Mark scheme) Tj ET 0.5 w"]
    for at, row in enumerate(made.cells):
        for n, cell in enumerate(row):
            if cell is None:
                continue
            x, width = edges[n], edges[n + cell.across] - edges[n]
            y, height = top - 30 - high * (at + cell.down), high * cell.down
            text = cell.text.replace("\\", "\\\\").replace("(", "\\(").replace(")", "\\)")
            drawn.append(
                f"{x} {y} {width} {height} re S BT /F1 8 Tf {x + 4} {y + height - 12} Td ({text}) Tj ET"
            )
    content = "\n".join(drawn)
    objects = (
        "<< /Type /Catalog /Pages 2 0 R >>",
        "<< /Type /Pages /Kids [3 0 R] /Count 1 >>",
        f"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 {edges[-1] + 40} {top + 20}] /Contents 4 0 R "
        "/Resources << /Font << /F1 5 0 R >> >> >>",
        f"<< /Length {len(content.encode('cp1252'))} >>\nstream\n{content}\nendstream",
        "<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica /Encoding /WinAnsiEncoding >>",
    )
    written, places = b"%PDF-1.4\n", []
    for number, held in enumerate(objects, start=1):
        places.append(len(written))
        written += f"{number} 0 obj\n{held}\nendobj\n".encode("cp1252")
    end = len(written)
    written += f"xref\n0 {len(objects) + 1}\n0000000000 65535 f \n".encode()
    written += "".join(f"{place:010} 00000 n \n" for place in places).encode()
    written += f"trailer << /Size {len(objects) + 1} /Root 1 0 R >>\nstartxref\n{end}\n%%EOF\n".encode()
    path.write_bytes(written)


class Found(NamedTuple):
    """What was read of a sheet: the items' marks by their words, and all that is listed as unplaced."""

    items: dict[str, float]
    listed: str


def read(path: Path) -> Found:
    """The mark sheet of one file, converted as the command does it."""
    lines = lines_of(f"mark sheet{path.suffix}", converted(path).get("text", ""))
    found = mark_sheet.sheet([line for line in lines if line.part in ("marks", "errors")])
    items = {_plain(item.text): 1.0 if item.marks is None else item.marks for item in found.items}
    return Found(items, _plain(" ".join(one.line.text for one in found.unread)))


def drafted(path: Path) -> Found:
    """The same of the whole draft."""
    found = draft([(f"mark sheet{path.suffix}", converted(path).get("text", ""))], "case")
    if found is None:
        return Found({}, "")
    items = {_plain(one.text): one.traits.weight for one in found.scenario.rubric}
    return Found(items, _plain(" ".join(one.text for one in found.unplaced)))


def verdicts(made: Sheet, found: Found) -> list[tuple[Row, str]]:
    """How each row came out: right, listed (as unplaced), wrong marks, taken for an item, or lost."""
    items, listed = found
    told = []
    for row in made.rows:
        name = _plain(row.text)
        if row.kind == "item":
            if name in items:
                told.append(
                    (
                        row,
                        "right"
                        if items[name] == (row.marks if row.marks is not None else 1.0)
                        else "wrong marks",
                    )
                )
            else:
                told.append((row, "listed" if name in listed else "lost"))
        else:
            told.append((row, "taken for an item" if name and name in items else "right"))
    extra = len(items) - len({_plain(row.text) for row in made.rows} & set(items))
    return [*told, *[(Row("extra"), "taken for an item")] * extra]


def _plain(text: str) -> str:
    return " ".join(text.lower().split()).strip(" .;,:")


def measured(count: int, kind: str, first: int = 0) -> Counter[str]:
    """The outcomes of the rows of many sheets of one format."""
    counts: Counter[str] = Counter()
    with tempfile.TemporaryDirectory() as folder:
        for seed in range(first, first + count):
            made = sheet(random.Random(seed), kind)
            path = write(Path(folder) / f"sheet.{kind}", made)
            told = verdicts(made, drafted(path))
            counts.update(what for _, what in told)
            bad = [(row, what) for row, what in told if what != "right"]
            counts["sheets whole"] += not bad
            if bad and "-v" in sys.argv:
                print(seed, bad[:3])
    return counts


def main(arguments: Sequence[str]) -> None:
    """Measure: the number of sheets, and formats (all, where none is named)."""
    count, *kinds = [one for one in arguments if one not in ("-v",)]
    for kind in kinds or FORMATS:
        counts = measured(int(count), kind)
        rows = counts.total() - counts["sheets whole"]
        print(kind, f"{rows} rows,", ", ".join(f"{name} {number}" for name, number in sorted(counts.items())))


if __name__ == "__main__":
    main(sys.argv[1:])
