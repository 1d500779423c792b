"""Clauses of speech and their moods."""

from __future__ import annotations

import pytest

from osler.text.spoken_clauses import clauses


def moods(speech: str) -> list[str]:
    return [clause.mood for clause in clauses(speech, ("nurse okoro", "nurse", "mr reid")) if clause.core]


@pytest.mark.parametrize(
    ("speech", "wanted"),
    [
        ("She is not passing urine, give furosemide 40 mg IV.", ["none", "order"]),
        (
            "Nurse stay with her, don't leave her alone, and call the psychiatrist.",
            ["order", "none", "order"],
        ),
        ("I look now at the placenta.", ["announced"]),
        ("The incident report I send.", ["announced"]),
        ("You will give the adrenaline.", ["order"]),
        ("She goes to HDU with hourly obs.", ["granted"]),
        ("I'll examine you with a nurse here, okay?", ["announced"]),
        ("Look if anything is torn.", ["order"]),
        ("Give lorazepam if he fits again.", ["none"]),
        ("Don't sit her up, give her water.", ["none"]),
        ("The guideline says, give fluids early.", ["none"]),
        ("Has she been told to stay, keep still?", ["none"]),
        ("If she drops, give fluids.", ["none"]),
        ("We usually give steroids too.", ["none"]),
        ("I put a line in an hour ago.", ["none"]),
    ],
)
def test_each_clause_has_its_mood(speech: str, wanted: list[str]) -> None:
    assert moods(speech) == wanted


@pytest.mark.parametrize(
    ("phrase", "terse"),
    [
        ("Oxygen on, and two sets of cultures.", True),
        ("Legs high, head flat.", True),
        ("BP 80 over 40.", False),
        ("The adrenaline.", False),
        ("Wheeze, weak pulse.", False),
        ("Thanks for the oxygen.", False),
    ],
)
def test_a_phrase_without_a_verb_may_stand_for_an_order(phrase: str, terse: bool) -> None:
    assert any(clause.terse for clause in clauses(phrase)) is terse


def test_a_name_alone_addresses_what_follows() -> None:
    *_, last = clauses("Mr Reid, would you wait outside?", ("mr reid",))
    assert last.named == "mr reid"
