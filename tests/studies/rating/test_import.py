"""Ratings back in: what is good is kept, what is not is named with its place, and nothing is stored twice."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from pydantic_core import from_json

from osler.errors import BadInput
from osler.store.records import Judgement
from osler.store.store import Store, open_store
from osler.studies.rating.importing import import_sheets, rater_named
from osler.studies.rating.sheet import Sheet, read_sheet, text_of
from osler.studies.rating.unblinding_key import read_key
from tests.reports.stored_runs import Episode, write_run
from tests.studies.rating.rated import SCALE, exported, order_of, rate, run_of, save, sheets


def rated_by_people(store: Store) -> list[Judgement]:
    return [one for one in store.judgements(store.run("clinic").id) if one.grader.startswith("person:")]


def changed(path: Path, change: Callable[[Sheet], Any]) -> Path:
    sheet = read_sheet(path)
    change(sheet)
    save(path, text_of(sheet))
    return path


def test_what_a_rater_wrote_stands_beside_the_judges(store: Store, tmp_path: Path) -> None:
    found = exported(store, run_of(store, 2, 1), tmp_path / "out", raters=1)
    cells = {"diagnosis": "2", "plan": " 3.0 ", "follow_up": "?", "unsafe": "", "communication": "4,0"}
    rate(found, lambda behind, rater, item: cells.get(item, "1"))
    (path,) = sheets(found)
    changed(
        path, lambda sheet: sheet.rows[0].cells.update(comment='=HYPERLINK("x")\nso\tit is', rater=" Anna B ")
    )
    done = import_sheets(store, [path], found.key)
    assert (done.stored, done.replaced, done.refused, done.unfilled) == (3, 0, 0, 0)
    assert done.raters == {"anna-b": 1, "rater-1": 2}
    first = order_of(found)[0]
    (judgement,) = [one for one in rated_by_people(store) if one.grader == "person:manager:anna-b"]
    assert judgement.ordinal == found.key.episodes[first].ordinal
    assert judgement.version == SCALE.full_version
    body = from_json(judgement.body)
    assert body["comment"] == '=HYPERLINK("x")\nso\tit is'
    assert body["blind_id"] == first
    assert body["scores"] == {
        "diagnosis": {"value": 1.0, "level": 2},
        "supporting_evidence": {"value": 0.25, "level": 1},
        "plan": {"value": 0.75, "level": 3},
        "follow_up": {"value": None, "level": None, "reason": "cannot_say"},
        "unsafe": {"value": None, "level": None, "reason": "not_rated"},
        "unsupported": {"value": 0.5, "level": 1},
        "communication": {"value": 1.0, "level": 4},
    }
    assert len(list(store.judgements(store.run("clinic").id))) == 6


def test_importing_again_changes_nothing_and_a_change_replaces(store: Store, tmp_path: Path) -> None:
    found = exported(store, run_of(store, 2, 0), tmp_path / "out", raters=1)
    (path,) = rate(found, lambda behind, rater, item: "1")
    import_sheets(store, [path], found.key)
    before = rated_by_people(store)
    again = import_sheets(store, [path, path], read_key(tmp_path / "out" / "key.json"))
    assert (again.stored, again.replaced, again.unchanged) == (0, 0, 2)
    assert rated_by_people(store) == before
    changed(path, lambda sheet: sheet.rows[0].cells.update(plan="2"))
    assert import_sheets(store, [path], found.key).replaced == 1
    assert len(rated_by_people(store)) == 2


def test_good_rows_are_kept_and_every_bad_cell_is_named(store: Store, tmp_path: Path) -> None:
    found = exported(store, run_of(store, 7, 0), tmp_path / "out", raters=1)
    (path,) = rate(found, lambda behind, rater, item: "1")

    def damage(sheet: Sheet) -> None:
        rows = [row.cells for row in sheet.rows]
        rows[0].update(plan="7", unsafe="yes")
        rows[1].update(id="")
        rows[2].update(id="ZZZZZ-001")
        rows[3].update(rater="=cmd|' /C calc'!A0")
        rows[4].update({item.id: "" for item in SCALE.items})
        rows[5].update(diagnosis="-1", transcript=rows[6]["transcript"] + "more")

    done = import_sheets(store, [changed(path, damage)], found.key)
    assert [(p.row, p.column) for p in done.problems] == [
        (2, "plan"),
        (2, "unsafe"),
        (3, "id"),
        (4, "id"),
        (5, "rater"),
        (7, "diagnosis"),
        (7, "transcript"),
    ]
    assert (done.stored, done.refused, done.unfilled) == (1, 5, 1)
    assert {p.file for p in done.problems} == {str(path)}
    assert all(p.what and p.mend for p in done.problems)
    assert [one.ordinal for one in rated_by_people(store)] == [found.key.episodes[order_of(found)[6]].ordinal]


def test_columns_sorted_apart_are_noticed(store: Store, tmp_path: Path) -> None:
    run = write_run(store, *(Episode(says=f"Question {n}?") for n in range(3)), name="clinic")
    found = exported(store, run, tmp_path / "out", raters=1)
    (path,) = rate(found, lambda behind, rater, item: "1")

    def sort_ids(sheet: Sheet) -> None:
        for row, name in zip(sheet.rows, reversed(order_of(found)), strict=True):
            row.cells["id"] = name

    done = import_sheets(store, [changed(path, sort_ids)], found.key)
    assert [(p.row, p.column) for p in done.problems] == [(2, "transcript"), (4, "transcript")]
    assert done.stored == 1


def test_two_rows_that_differ_are_both_left_out(store: Store, tmp_path: Path) -> None:
    found = exported(store, run_of(store, 2, 0), tmp_path / "out", raters=2)
    one, other = rate(found, lambda behind, rater, item: "1" if rater == "rater-1" else "2")

    def first_is_anna(sheet: Sheet) -> None:
        for row in sheet.rows:
            if row.cells["id"] == order_of(found)[0]:
                row.cells["rater"] = "anna"

    done = import_sheets(store, [changed(path, first_is_anna) for path in (one, other)], found.key)
    assert (done.stored, done.refused) == (2, 2)
    assert {p.file for p in done.problems} == {str(one), str(other)}
    assert f"otherwise in {other} row" in done.problems[0].what


def test_sheets_of_the_same_name_are_told_apart(store: Store, tmp_path: Path) -> None:
    found = exported(store, run_of(store, 1, 0), tmp_path / "out", raters=2)
    one, other = rate(found, lambda behind, rater, item: "1" if rater == "rater-1" else "bad")
    (tmp_path / "ben").mkdir()
    moved = other.rename(tmp_path / "ben" / one.name)
    done = import_sheets(store, [one, moved], found.key)
    assert (done.stored, done.refused) == (1, 1)
    assert {p.file for p in done.problems} == {str(moved)}


def test_columns_that_are_not_ours_are_said_to_be_passed_over(store: Store, tmp_path: Path) -> None:
    found = exported(store, run_of(store, 1, 0), tmp_path / "out", raters=1)
    (path,) = rate(found, lambda behind, rater, item: "1")
    text = path.read_text("utf-8-sig")
    save(path, text.replace('"comment"', '"comment","mood"').replace('"1",""', '"1","","good"'))
    done = import_sheets(store, [path], found.key)
    assert (done.stored, [(p.row, p.column) for p in done.passed_over]) == (1, [(2, "mood")])


def test_an_episode_that_is_gone_or_played_anew_is_not_rated(store: Store, tmp_path: Path) -> None:
    run = run_of(store, 2, 0)
    found = exported(store, run, tmp_path / "out", raters=1)
    (path,) = rate(found, lambda behind, rater, item: "1")
    store.forget(run.id, 0)
    done = import_sheets(store, [path], found.key)
    assert (done.stored, done.refused) == (1, 1)
    assert "clinic:0 is not here as it was exported" in done.problems[0].what
    with open_store(tmp_path / "other.db") as other:
        assert import_sheets(other, [path], found.key).refused == 2


def test_a_column_that_is_missing_is_named(store: Store, tmp_path: Path) -> None:
    found = exported(store, run_of(store, 1, 0), tmp_path / "out", raters=1)
    (path,) = sheets(found)
    save(path, path.read_text("utf-8").replace('"plan\n', '"plans\n'))
    with pytest.raises(BadInput, match="no column 'plan'"):
        import_sheets(store, [path], found.key)


@pytest.mark.parametrize("text", ["", "{}", "[1]", '{"osler_rating_key": 1}'])
def test_what_is_no_key_is_refused(tmp_path: Path, text: str) -> None:
    path = tmp_path / "key.json"
    path.write_text(text)
    with pytest.raises(BadInput, match=r"key\.json"):
        read_key(path)


@pytest.mark.parametrize(
    ("name", "stored"),
    [
        (" Zoë  Müller ", "zoë-müller"),
        ("A.B_c-9", "a.b_c-9"),
        ("", None),
        ("-a", None),
        ("a" * 41, None),
        ("a/b", None),
    ],
)
def test_names_of_raters(name: str, stored: str | None) -> None:
    assert rater_named(name) == stored
