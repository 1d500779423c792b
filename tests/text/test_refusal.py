"""Whether words order an act or refuse it; more in the consultation judge's test_named_acts.py."""

from __future__ import annotations

import pytest

from osler.text.refusal import refused, refuses


@pytest.mark.parametrize(
    ("text", "is_refused"),
    [
        ("give aspirin", False),
        ("do not give aspirin", True),
        ("no nitrates; give aspirin", False),
        ("aspirin is contraindicated", True),
        ("aspirin allergy", True),
    ],
)
def test_a_refusal_reaches_to_the_end_of_its_clause(text: str, is_refused: bool) -> None:
    start = text.index("aspirin")
    assert refused(text, start, start + len("aspirin")) is is_refused


def test_words_of_refusal_are_found() -> None:
    assert refuses("withhold the metformin")
    assert not refuses("give the metformin")
