"""What makes a text inert, and when a quote stands in the transcript."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from osler.judging.lines import JudgedLine, quoted
from osler.text.hostile import inert

SAID = (
    JudgedLine(1, "plan", inert("Start apixaban 10 mg twice a day; avoid “NSAIDs” – she bleeds")),
    JudgedLine(1, "plan", "Aspirin"),
    JudgedLine(1, "plan", inert("Transfuse if Hb <70 g/L")),
    JudgedLine(1, "patient", "I was told to take warfarin every evening"),
    JudgedLine(1, "plan", "给予抗凝治疗"),
)
PLAN = [line for line in SAID if line.source == "plan"]


@pytest.mark.parametrize(
    "quote",
    [
        "Start apixaban 10 mg twice a day",
        "start  APIXABAN 10 mg",
        '"apixaban 10 mg twice a day"',
        "avoid 'NSAIDs' - she bleeds.",
        "t1 plan: Start apixaban",
        "apixaban",
        "aspirin",
        "Transfuse if Hb <70 g/L",
        "抗凝治疗",
    ],
)
def test_a_quote_stands_in_the_record_whatever_its_case_spacing_and_marks(quote: str) -> None:
    assert quoted(quote, PLAN)


@pytest.mark.parametrize(
    "quote",
    [
        *("", " ", "...", '""', "t1 plan:", "\u200b"),
        "Start apixaban 100 mg",
        "Transfuse if Hb >70 g/L",
        "take warfarin every evening",
        "pixaban 10 mg",
        "Start apixaban ... she bleeds",
        "day",
        "twice a day; avoid NSAIDs - she bleeds Aspirin",
    ],
)
def test_what_was_not_said_there_is_not_found(quote: str) -> None:
    assert not quoted(quote, PLAN)


@given(st.text(st.characters(categories=["L", "N"], max_codepoint=0x24F), min_size=6, max_size=60))
def test_a_line_is_a_quote_of_itself(text: str) -> None:
    said = (JudgedLine(1, "plan", inert(text)),)
    assert quoted(text, said)
