"""The form at a terminal: one episode at a time, stopped and gone on with at will."""

from __future__ import annotations

import asyncio
from pathlib import Path

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from osler.studies.rating.interactive_form import Sitting, sit
from osler.studies.rating.scales import Scale, ScaleItem
from osler.studies.rating.sheet import Sheet, SheetRow, read_sheet, sheet_of

SCALE = Scale.model_validate(
    {
        "name": "short",
        "title": "Two questions",
        "version": 1,
        "guide": "Rate.",
        "items": [
            {"id": "plan", "asks": "Is there a plan?", "levels": ["no", "partly", "yes"]},
            {"id": "unsafe", "asks": "Is it unsafe?", "levels": ["no", "yes"]},
        ],
    }
)
LONGER = SCALE.model_copy(
    update={"items": (*SCALE.items, ScaleItem(id="tone", asks="Is it kind?", levels=("no", "yes")))}
)
ANSWERS = st.sampled_from(["0", "1", "2", "3", "?", "", "b", "n", "t", "q", "x", "²", "01", "-1"])


class Lines:
    """A channel that types these lines and then hangs up."""

    def __init__(self, *lines: str) -> None:
        self.waiting, self.shown = list(lines), list[str]()

    async def read(self, prompt: str) -> str:
        if not self.waiting:
            raise EOFError
        return self.waiting.pop(0)

    def write(self, text: str) -> None:
        self.shown.append(text)

    def picture(self, name: str, png: bytes) -> None:
        raise AssertionError("a sheet has no pictures")


def sheet_in(folder: Path, episodes: int = 2, scale: Scale = SCALE) -> Sheet:
    path = folder / "sheet.csv"
    rows = [SheetRow(f"BCDFG-{n}", f"doctor: question {n}", f"right answer: {n}") for n in range(episodes)]
    path.write_text(sheet_of(scale, "rater-1", rows), encoding="utf-8", newline="")
    return read_sheet(path)


def filled(sheet: Sheet) -> list[tuple[str, ...]]:
    return [tuple(row.cells[name] for name in ("rater", "plan", "unsafe", "comment")) for row in sheet.rows]


def rate(sheet: Sheet, *lines: str, rater: str | None = None) -> tuple[Sitting, Lines]:
    channel = Lines(*lines)
    return asyncio.run(sit(sheet, channel, rater, lambda: None)), channel


def test_each_episode_is_shown_and_each_item_asked(tmp_path: Path) -> None:
    sheet = sheet_in(tmp_path)
    sitting, channel = rate(sheet, "2", "0", "short but sound", "?", "1", "", rater="anna")
    assert sitting == Sitting(rated=2, open=0)
    assert filled(sheet) == [("anna", "2", "0", "short but sound"), ("anna", "?", "1", "")]
    shown = "\n".join(channel.shown)
    for words in ("doctor: question 0", "right answer: 1", "Is it unsafe?", "1 = partly"):
        assert words in shown


def test_a_rater_stops_and_goes_on(tmp_path: Path) -> None:
    sheet = sheet_in(tmp_path)
    assert rate(sheet, "1", "q")[0] == Sitting(rated=0, open=2)
    assert filled(sheet)[0] == ("rater-1", "1", "", "")
    assert rate(sheet, "1", "", "n")[0] == Sitting(rated=1, open=1)
    sitting, channel = rate(sheet, "0", "0")
    assert sitting == Sitting(rated=1, open=0)
    assert "question 0" not in "\n".join(channel.shown)
    assert filled(sheet) == [("rater-1", "1", "1", ""), ("rater-1", "0", "0", "")]
    assert rate(sheet)[0] == Sitting(rated=0, open=0)


def test_going_back_mends_an_answer_and_skipping_leaves_one(tmp_path: Path) -> None:
    sheet = sheet_in(tmp_path, 1, LONGER)
    rate(sheet, "b", "1", "b", "2", "0", "b", "1", "", "q")
    assert filled(sheet) == [("rater-1", "2", "1", "")]
    assert sheet.rows[0].cells["tone"] == ""


def test_what_is_no_level_is_asked_again(tmp_path: Path) -> None:
    sheet = sheet_in(tmp_path, 1)
    _, channel = rate(sheet, "3", "yes", "²", "01", "2", "2", "1")
    assert filled(sheet) == [("rater-1", "2", "1", "")]
    assert "A number from 0 to 1." in channel.shown


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.lists(ANSWERS, max_size=20))
def test_whatever_is_typed_a_cell_holds_a_level_or_nothing(tmp_path: Path, lines: list[str]) -> None:
    sheet, kept = sheet_in(tmp_path), list[list[tuple[str, ...]]]()
    asyncio.run(sit(sheet, Lines(*lines), None, lambda: kept.append(filled(sheet))))
    assert {plan for _, plan, _, _ in filled(sheet)} <= {"", "?", "0", "1", "2"}
    assert {unsafe for _, _, unsafe, _ in filled(sheet)} <= {"", "?", "0", "1"}
    assert not kept or kept[-1] == filled(sheet)
