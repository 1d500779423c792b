"""What players reply for the table's use reads as sentences, with no tag, key or id of the code."""

from __future__ import annotations

import json

from osler.core.registry import protocol_named


def lines(protocol: str, seat: str, **reply: object) -> list[str]:
    worded = protocol_named(protocol).reply_lines(seat, json.dumps(reply))
    return [f"{one.label}: {one.text}" for one in worded]


def test_a_tutors_thought_is_told_block_by_block_without_its_tags() -> None:
    thought = (
        '<think_history>Round 1.</think_history>\n<think_student student_id="Ann">knows it.</think_student>\n'
        "<think_group>Slow.</think_group>"
    )
    assert lines("ward_round", "tutor", internal_monologue=thought, guidance="Why?", covered_steps=[2]) == [
        "tutor: Why?",
        "thinks of the round so far: Round 1.",
        "thinks of Ann: knows it.",
        "thinks of the group: Slow.",
        "covered: step 2",
    ]


def test_a_thought_that_is_not_in_blocks_is_kept_whole() -> None:
    assert lines("ward_round", "tutor", internal_monologue="Hm, <b>so</b>.", guidance="Why?")[1:] == [
        "thinks: Hm, <b>so</b>."
    ]


def test_reviewers_say_what_they_find() -> None:
    assert lines("ward_round", "specialist", is_correct=False, feedback="Not the lung.") == [
        "specialist: The draft is wrong: Not the lung."
    ]
    assert lines("ward_round", "supervisor", is_safe=True) == ["supervisor: The draft is safe"]


def test_a_controllers_ruling_is_told_act_by_act() -> None:
    acts = [
        {"raw": "close the door", "interpreted_action": "prepare_room", "status": "executed"},
        {"raw": "read the report", "interpreted_action": "read_report", "status": "pending"},
    ]
    assert lines("scenario", "controller", action_assessments=acts, should_end=True) == [
        "rules: “close the door”, taken as “prepare room”: it is done",
        "rules: “read the report”: it is begun",
        "ends: the encounter ends here",
    ]


def test_an_order_is_told_by_the_name_it_was_taken_for() -> None:
    found = {"match_type": "alias", "findings": ["x7"], "matched_test_name": "Electrocardiogram"}
    assert lines("consultation", "examination", **found) == ["understood: Electrocardiogram"]
    assert lines("consultation", "examination", match_type="none") == [
        "not understood: the case holds nothing of this name"
    ]
