"""Markdown as material: marks are taken off, units are as they were written."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from osler.authoring.scenarios.markdown import plain_text, table, units


@pytest.mark.parametrize(
    ("line", "kind", "text"),
    [
        ("## Plan ##", "heading", "Plan"),
        ("- [ ] **Washes** hands", "box", "Washes hands"),
        ("☐ Washes hands", "box", "Washes hands"),
        ("12. Washes hands", "entry", "Washes hands"),
        ("   * _Washes_ hands", "entry", "Washes hands"),
        ("Asks about pain\\*", "line", "Asks about pain*"),
        ("Dose 10 mg & [more](http://x.example)", "line", "Dose 10 mg & more"),
    ],
)
def test_a_line_is_taken_for_what_it_is(line: str, kind: str, text: str) -> None:
    (unit,) = units(line)
    assert (unit.kind, unit.text) == (kind, text)


def test_cells_know_their_column_and_row() -> None:
    found = [
        (u.text, u.column, u.line) for u in units("| Item | Done |\n| --- | --- |\n| Asks \\| listens | |")
    ]
    assert found == [("Item", 0, 1), ("Done", 1, 1), ("Asks | listens", 0, 3)]


def test_a_row_is_told_with_colons() -> None:
    assert plain_text("| Age | 34 |\n|---|---|\n| Sex | female |") == "Age: 34\nSex: female"


@given(st.lists(st.lists(st.text(max_size=10), min_size=1, max_size=4), max_size=5))
def test_a_table_keeps_every_row_on_its_line(rows: list[list[str]]) -> None:
    lines = table(rows).splitlines()
    assert len(lines) in (0, 1 + sum(any(cell.strip() for cell in row) for row in rows))
