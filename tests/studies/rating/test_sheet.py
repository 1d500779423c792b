"""Sheets: hostile text stays text, nothing is lost on the way, and whatever a spreadsheet program does."""

from __future__ import annotations

import csv
import io
from pathlib import Path

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from osler.errors import BadInput
from osler.studies.rating.scales import load_scale
from osler.studies.rating.sheet import SheetRow, read_sheet, sheet_of, text_of
from osler.text.safe_csv import harmless, original, pieces

SCALE = load_scale("manager")
TEXT = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0\r\ufeff"), max_size=60)


@given(TEXT)
@example("=1+1")
@example("'=1+1")
@example(" @SUM(A1)")
@example("＝1")
@example("'quoted")
def test_a_cell_is_never_a_formula_and_comes_back_as_it_was(text: str) -> None:
    cell = harmless(text)
    assert cell.lstrip()[:1] not in {*"=+-@＝＋－＠"}
    assert original(cell) == text


@given(st.text(max_size=300), st.integers(1, 40))
def test_pieces_make_up_the_whole(text: str, longest: int) -> None:
    found = pieces(text, longest)
    assert "".join(found) == text
    assert all(len(piece) <= longest for piece in found)


@given(st.lists(st.tuples(TEXT, TEXT), min_size=1, max_size=5))
def test_a_sheet_is_read_as_it_was_written(
    tmp_path_factory: pytest.TempPathFactory, said: list[tuple[str, str]]
) -> None:
    path = tmp_path_factory.getbasetemp() / "sheet.csv"
    episodes = [SheetRow(f"BCDFG-{n}", *texts) for n, texts in enumerate(said)]
    text = sheet_of(SCALE, "rater-1", episodes)
    path.write_text(text, encoding="utf-8", newline="")
    sheet = read_sheet(path)
    found = [SheetRow(row.cells["id"], row.whole("transcript"), row.whole("reference")) for row in sheet.rows]
    assert found == episodes
    assert [asked.name for asked in sheet.items()] == [item.id for item in SCALE.items]
    assert text_of(sheet) == text


def test_the_headings_hold_the_scale(tmp_path: Path) -> None:
    path = tmp_path / "sheet.csv"
    path.write_text(
        sheet_of(SCALE, "r", [SheetRow("B-1", "doctor: hello", "")]), encoding="utf-8", newline=""
    )
    for (name, question, levels), item in zip(read_sheet(path).items(), SCALE.items, strict=True):
        assert (name, question, levels) == (item.id, item.asks, dict(enumerate(item.levels)))


def test_a_heading_of_others_is_no_formula_either(tmp_path: Path) -> None:
    path = tmp_path / "sheet.csv"
    path.write_text('id,rater,transcript,"\'=HYPERLINK(""x"")",=1+1\r\nB-1,r,t,a,b\r\n', encoding="utf-8")
    again = list(csv.reader(io.StringIO(text_of(read_sheet(path)).removeprefix("\ufeff"), newline="")))
    assert again[0][3:] == ['\'=HYPERLINK("x")', "'=1+1"]
    assert again[1] == ["B-1", "r", "t", "a", "b"]


def test_a_long_transcript_is_not_cut(tmp_path: Path) -> None:
    long = "\n".join(f"doctor: question {n}?" for n in range(5000))
    path = tmp_path / "sheet.csv"
    path.write_text(sheet_of(SCALE, "r", [SheetRow("B-1", long, "")]), encoding="utf-8", newline="")
    with path.open(encoding="utf-8-sig", newline="") as file:
        assert max(len(cell) for row in csv.reader(file) for cell in row) <= 32_767
    assert read_sheet(path).rows[0].whole("transcript") == long


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "cp1252"])
@pytest.mark.parametrize("delimiter", [",", ";", "\t"])
def test_what_spreadsheet_programs_save_can_be_read(tmp_path: Path, encoding: str, delimiter: str) -> None:
    text = sheet_of(SCALE, "Zoë", [SheetRow("B-1", "doctor: a, b; c\nResult: 5 µg", "a; b, c")])
    rows = list(csv.reader(io.StringIO(text.removeprefix("\ufeff"), newline="")))
    again = io.StringIO(newline="")
    csv.writer(again, delimiter=delimiter).writerows([*rows, [], [""] * len(rows[0])])
    path = tmp_path / "sheet.csv"
    path.write_bytes(again.getvalue().encode(encoding))
    (row,) = read_sheet(path).rows
    assert (row.number, row.cells["rater"]) == (2, "Zoë")
    assert row.whole("transcript") == "doctor: a, b; c\nResult: 5 µg"


@pytest.mark.parametrize("delimiter", [",", ";", "\t"])
@pytest.mark.parametrize(("above", "number"), [("sep={}\n", 2), ("Ratings of the spring exam\n\n", 4)])
def test_lines_above_the_headings_are_passed_over(
    tmp_path: Path, delimiter: str, above: str, number: int
) -> None:
    text = sheet_of(SCALE, "r", [SheetRow("B-1", "doctor: a, b; c", "")])
    rows = list(csv.reader(io.StringIO(text.removeprefix("\ufeff"), newline="")))
    again = io.StringIO(newline="")
    csv.writer(again, delimiter=delimiter).writerows(rows)
    path = tmp_path / "sheet.csv"
    path.write_text(above.format(delimiter) + again.getvalue(), encoding="utf-8", newline="")
    (row,) = read_sheet(path).rows
    assert (row.number, row.cells["id"], row.whole("transcript")) == (number, "B-1", "doctor: a, b; c")


@pytest.mark.parametrize(
    ("raw", "why"),
    [
        (b"", "no column 'id'"),
        (b"a,b\r\n1,2\r\n", "no column 'id'"),
        (b"id,rater,transcript,plan,plan\r\n", "two columns"),
        (b"PK\x03\x04rest", "own format"),
        (b'id,rater,transcript\r\n"no end', "not CSV"),
        (b"id,rater,transcript\r\n\x00\x81\x8d", "not a text file"),
    ],
)
def test_a_damaged_sheet_is_refused_in_words(tmp_path: Path, raw: bytes, why: str) -> None:
    path = tmp_path / "sheet.csv"
    path.write_bytes(raw)
    with pytest.raises(BadInput, match=why) as refused:
        read_sheet(path)
    assert "sheet.csv" in str(refused.value)
    assert refused.value.hint


def test_a_sheet_that_is_not_there_is_refused(tmp_path: Path) -> None:
    with pytest.raises(BadInput, match="cannot be read"):
        read_sheet(tmp_path)
