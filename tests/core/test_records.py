"""Records: frozen, strict, and a changed copy forgets what was worked out from the old fields."""

from __future__ import annotations

import pytest
from pydantic import ValidationError

from osler.core.events import EVENTS, Said, TurnBegan
from osler.protocols.consultation.views import examination_view
from osler.testing.cases import small_case


def test_a_changed_copy_has_a_hash_and_a_text_of_its_own() -> None:
    case = small_case()
    before = case.content_hash
    assert case.model_copy(update={"age_years": 99}).content_hash != before
    view = examination_view(case)
    assert view.text != view.model_copy(update={"findings": ()}).text


def test_an_event_reads_back_from_its_line_and_leaves_defaults_out() -> None:
    turn = TurnBegan(minute=4, to=("doctor",), turn=1, turns_left=3)
    assert EVENTS.read(f"[{turn.line}]", "a turn") == (turn,)
    assert "last_chance" not in turn.line
    said = Said(minute=0, by="patient", text='"\n')
    assert EVENTS.read(f"[{said.line}]", "words") == (said,)


def test_records_refuse_what_they_do_not_know_and_do_not_change() -> None:
    with pytest.raises(ValidationError):
        Said.model_validate({"minute": 0, "by": "patient", "text": "x", "mood": "sad"})
    said = Said(minute=0, by="patient", text="x")
    with pytest.raises(ValidationError):
        said.text = "y"  # type: ignore[misc]  # that is the point
