"""Distress shows in posture, where it was told, and from then on."""

from __future__ import annotations

import pytest

from osler.choreography.cues import ViewedEvent
from osler.choreography.director import direct
from osler.choreography.posture import strain_of
from osler.core.registry import protocol_named
from osler.web.watch.scenes import staging_of


@pytest.mark.parametrize(
    ("words", "strain"),
    [
        ("She lies on the trolley, flushed and shivering.", 1),
        ("He sits doubled up and gasps for breath.", 2),
        ("She sits on the floor with her arms round her knees.", 2),
        ("He is comfortable, not sweating and in no pain.", 0),
        ("She has stopped shivering. She reads.", 0),
        ("Not pale. He is clammy.", 1),
        ("", 0),
    ],
)
def test_words_of_somebody_s_looks_say_how_bent_they_are(words: str, strain: int) -> None:
    assert strain_of(words) == strain


def seen(id_: str, minute: int, status: str) -> ViewedEvent:
    return ViewedEvent(id_, minute, minute, {"kind": "observed", "status": status, "vitals": {}})


def test_a_patient_of_a_station_bends_when_it_is_seen_and_rises_again() -> None:
    items = [
        seen("1.1", 1, "He reads."),
        seen("2.1", 2, "He is grey and clammy."),
        seen("3.1", 3, "He reads."),
    ]
    made = direct(items, "key", "all", staging_of(protocol_named("scenario")))
    strains = [pose.strain for pose in made.actors["patient"].poses]
    assert strains[0] == strains[-1] == 0
    assert 1 in strains
    assert all(pose.pose == "lie" for pose in made.actors["patient"].poses)


def test_a_patient_of_a_consultation_bends_once_it_was_found_and_takes_it_along() -> None:
    found = {"kind": "result", "order": 1, "name": "General examination", "finding_kind": "examination"}
    items = [
        ViewedEvent("0.1", 0, 0, {"kind": "visit", "visit": 1}),
        ViewedEvent("1.1", 1, 3, {**found, "text": "A man in pain, pale."}),
        ViewedEvent("2.1", 2, 4, {"kind": "said", "by": "doctor"}),
    ]
    made = direct(items, "key", "all", staging_of(protocol_named("consultation")))
    poses = made.actors["patient"].poses
    earned = next(card.t for card in made.cards if card.id == "1.1")
    assert {pose.strain for pose in poses if pose.t < earned} == {0}
    assert {pose.strain for pose in poses if pose.t > earned} == {1}
