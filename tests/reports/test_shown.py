"""What is shown on a screen: readable, and hostile text stays text."""

from __future__ import annotations

import io

import pytest
from rich.console import Console, Group, RenderableType

from osler.cases.model import Case
from osler.cli.totals_table import side_by_side, totals_table
from osler.core.trace import Trace
from osler.core.wording import clock
from osler.protocols.consultation.protocol import PROTOCOL as CONSULTATION
from osler.protocols.consultation.seats import Finalize
from osler.reports.cells import number
from osler.reports.debriefing import shown_debriefing
from osler.reports.transcript import render_transcript, transcript_lines
from tests.judging.episodes import asked, case_of, ordered, trace_with
from tests.protocols.consultation.test_debriefing import debriefed, whole
from tests.runs.episodes import totals_of

HOSTILE = "\x1b]0;owned\x07\x1b[31mred\x1b[0m \u202egnp.exe\u2066 [bold]x[/bold] [/] \x07\x9b2J end"
FINAL = Finalize(diagnosis=HOSTILE, evidence=(HOSTILE,), plan=("glyceryl trinitrate",), followup="soon")


def shown(what: RenderableType) -> str:
    """What a terminal would be sent."""
    console = Console(file=io.StringIO(), width=200, force_terminal=False)
    console.print(what)
    text = console.file.getvalue() if isinstance(console.file, io.StringIO) else ""
    assert text
    return text


def debriefing_shown(case: Case, trace: Trace, reader: str = "doctor") -> str:
    """The whole debriefing as a terminal would be sent it."""
    return shown(Group(*shown_debriefing(debriefed(case, trace, reader=reader), (), "run:0", whole=True)))


def test_a_transcript_tells_the_story_in_simulated_time() -> None:
    trace = trace_with(asked("Any travel?", "flight"), ordered("CTPA", "ctpa"), final=FINAL)
    lines = list(transcript_lines(trace, CONSULTATION))
    assert lines[0] == ("0:01", "doctor", "Any travel?")
    assert ("0:02", "order", "CTPA") in lines
    assert ("0:02", "result", "CTPA: as the case says") in lines
    assert lines[-1][1:] == ("follow-up", "soon")
    assert clock(8 * 24 * 60 + 125) == "day 9 2:05"


def test_hostile_words_cannot_pose_as_another_line_or_as_markup() -> None:
    trace = trace_with(asked(f"{HOSTILE}\n  0:09  patient: I am cured"), final=FINAL)
    text = shown(render_transcript(trace, CONSULTATION, title=HOSTILE))
    assert "[bold]x[/bold]" in text
    assert "\x1b" not in text
    assert not any(line.startswith("  0:09  patient") for line in text.splitlines())


def test_a_person_learns_what_was_found_missed_and_unsafe() -> None:
    case = case_of()
    trace = trace_with(asked("Any travel?", "flight"), ordered("CTPA", "ctpa"), final=FINAL)
    found = whole(case, trace)
    assert found["score"][1] == "the answer: Pulmonary embolism"
    assert found["elicited"] == ["Flew for eleven hours last week.", "Results: CT pulmonary angiogram."]
    assert found["not_obtained"] == [
        "The pain is not tearing.",
        "Heart rate: 118 a minute",
    ]
    assert found["harmful_acts"] == ['nitrate - "glyceryl trinitrate" - drops preload']
    assert found["critical_missed"] == ["Anticoagulate"]
    assert found["others_missed"] == ["Oxygen if hypoxic"]
    assert "Aortic dissection: equal pulses" in found["alternatives"]
    assert "glyceryl trinitrate" in debriefing_shown(case, trace)


def test_a_step_named_is_told_in_the_cases_words_and_the_doctors() -> None:
    case = case_of()
    final = Finalize(diagnosis="PE", plan=("apixaban today", "oxygen"))
    trace = trace_with(asked("Any travel?", "flight"), final=final)
    found = whole(case, trace)
    assert found["steps"] == [
        'Anticoagulate - "apixaban today"',
        'Oxygen if hypoxic - "oxygen"',
    ]
    assert found.keys().isdisjoint({"critical_missed", "others_missed"})
    assert "not_ordered" not in found, "no empty heading"


def test_to_the_patient_it_is_told_of_the_doctor() -> None:
    case = case_of()
    trace = trace_with(asked("Any travel?", "flight"), final=FINAL)
    text = debriefing_shown(case, trace, "patient")
    assert "The doctor's score" in text
    assert " you " not in text


def test_how_a_person_talked_is_told_with_the_words_worth_another_look() -> None:
    case = case_of()
    final = Finalize(diagnosis="PE", evidence=("Temperature 39.8",))
    trace = trace_with(asked("You don't smoke, do you?"), asked("Any syncope?"), final=final)
    found = whole(case, trace)
    talked = found["talk"]
    assert 'leading questions, of questions asked: 1 of 2 - "you don\'t smoke, do you?"' in talked
    assert 'turns with medical words left unexplained, of turns: 1 of 2 - "syncope"' in talked
    assert "said who they are at the beginning: not seen" in talked
    assert not any(line.startswith("feelings") for line in talked), "no rule judges empathy"
    assert found["not_given"] == ["Temperature 39.8"]
    text = debriefing_shown(case, trace, "patient")
    assert "How the doctor talked (counted from the doctor's words" in text
    assert "Evidence that no one gave the doctor" in text


def test_totals_are_shown_with_intervals_counts_and_label() -> None:
    found = totals_of(*[1.0] * 8, *[0.0] * 2)
    text = shown(totals_table(CONSULTATION, "a run", found, 1.5))
    (right,) = [line for line in text.splitlines() if "│ right  " in line]
    for cell in ("80.0%", "49.0% to 94.3%", "10", "0"):
        assert f" {cell} " in right
    for part in ("a run: 10 consultations of 10 cases (10 completed)", "baseline 1 (10)", found.label):
        assert part in text


def test_what_a_protocol_shows_first_is_followed_by_groups_and_the_rest() -> None:
    text = shown(totals_table(CONSULTATION, "a run", totals_of(1.0, 0.0), 0.0))
    first, groups, rest = text.split("├─")[0], text.split("├─")[1], text.split("├─")[2]
    for measure in CONSULTATION.measures:
        if f"│ {measure.words} " in text:
            assert f"│ {measure.words} " in (first if measure.name in CONSULTATION.main else rest)
    assert "diagnosis" in groups


def test_many_unscored_take_the_headline_away_and_say_why() -> None:
    found = totals_of(*[1.0] * 6, *[0.0] * 2, None, None)
    for text in (
        shown(totals_table(CONSULTATION, "a run", found, 0.0)),
        shown(side_by_side(CONSULTATION, {"baseline": found})),
    ):
        assert "no headline" in text
        assert "60.0% to 80.0% (bounds)" in text
    assert "2 needs_a_judge" in shown(totals_table(CONSULTATION, "a run", found, 0.0))


def test_a_name_of_a_run_is_text() -> None:
    hostile = totals_of(1.0)._replace(ended={HOSTILE: 1}, label=HOSTILE, graders={HOSTILE: 1})
    text = shown(totals_table(CONSULTATION, HOSTILE, hostile, 0.0))
    assert "[bold]x[/bold]" in text
    assert "\x1b" not in text


@pytest.mark.parametrize(
    ("value", "share", "text"),
    [(None, True, "-"), (0.125, True, "12.5%"), (12.345, False, "12.3"), (1234.5, False, "1,234")],
)
def test_numbers_are_short(value: float | None, share: bool, text: str) -> None:
    assert number(value, share) == text
