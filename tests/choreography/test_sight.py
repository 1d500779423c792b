"""What a view may not have is not in its choreography, and looks give nothing away."""

from __future__ import annotations

import json
from typing import Any

import pytest

from osler.choreography.cues import Spoken, ViewedEvent
from osler.choreography.director import direct
from osler.choreography.figure import Traits, figure_of, traits_of
from osler.choreography.gates import kept_back, with_gates
from osler.choreography.scene import Choreography
from osler.core.contract import OwnReply
from osler.core.events import Released
from osler.core.registry import protocol_named
from osler.runs.reread import set_up
from osler.store.store import Store
from osler.testing.cases import canary_case
from osler.web.watch.log import Recorded, View, items, view_of
from osler.web.watch.scenes import choreography, staging_of, told_of
from tests.choreography.test_episodes import played
from tests.protocols.scenario.test_canary import canary
from tests.web.test_log import MARK, watched_play

PROTOCOLS = ("consultation", "ward_round", "scenario")


def text_of(made: Choreography) -> str:
    return json.dumps(made.as_json())


@pytest.mark.parametrize("protocol", PROTOCOLS)
def test_marks_planted_in_hidden_fields_reach_no_choreography_before_its_seat_was_told(protocol: str) -> None:
    trace, cast = watched_play(protocol, canary() if protocol == "scenario" else canary_case())
    plays, record = protocol_named(protocol), Recorded(trace.rows)
    staging = staging_of(plays)
    for seat, player in cast.items():
        requests = player.seen
        told = [item for request in requests for item in request.feed]
        whole = "\n".join((one.reply if isinstance(one, OwnReply) else one).model_dump_json() for one in told)
        own = "\n".join(row.reply for row in trace.rows if row.seat == seat)
        views = "\n".join(request.view.model_dump_json() for request in requests)
        last = max((row.n for row in trace.rows if row.seat == seat), default=0)
        known = staging.cast(json.loads(requests[0].view.model_dump_json())) if requests else ()
        seen = [item for item in items(record, view_of(plays, seat), plays) if item.n <= last]
        made = direct(told_of(seen), "key", seat, staging, known=known)
        assert set(MARK.findall(text_of(made))) <= set(MARK.findall(whole + own + views))
    everything = direct(told_of(items(record, View("all"), plays)), "key", "all", staging)
    assert MARK.findall(text_of(everything)), "the test can see what it looks for"


def test_the_doctors_eyes_hold_no_diagnosis_and_no_fact_that_was_not_released() -> None:
    case: Any = canary_case()
    trace, _ = watched_play("consultation", case)
    plays, record = protocol_named("consultation"), Recorded(trace.rows)
    found = told_of(items(record, view_of(plays, "doctor"), plays))
    text = text_of(direct(found, "key", "doctor", staging_of(plays)))
    released = {event.item for event in trace.of(Released)}
    hidden = [fact for fact in case.facts if fact.id not in released]
    hidden += [finding for finding in case.findings if finding.id not in released]
    assert hidden
    for one in hidden:
        for words in filter(None, (getattr(one, "text", ""), getattr(one, "result", ""))):
            assert words not in text
    assert json.dumps(case.diagnosis.name)[1:-1] not in text


def test_no_unreleased_fact_of_the_library_is_shown_to_the_doctor(store: Store) -> None:
    run = played(store, "consultation", limit=6)
    for row in store.episodes(run.id):
        _, case, _ = set_up(run, store, row.ordinal, None)
        released = {event.item for event in store.trace(run.id, row.ordinal).of(Released)}
        text = text_of(choreography(store, run, row.ordinal, "doctor"))
        for fact in case.facts:
            if fact.id not in released and fact.spoken:
                assert json.dumps(fact.spoken)[1:-1] not in text


def test_in_the_room_nobodys_thoughts_are_seen(store: Store) -> None:
    for protocol in PROTOCOLS:
        run = played(store, protocol, limit=1)
        room, everything = (choreography(store, run, 0, view) for view in ("room", "all"))
        assert not [one for one in room.bubbles if one.private]
        assert [one for one in everything.bubbles if one.private] or protocol == "scenario"


def test_in_the_room_one_sees_where_people_go_and_nothing_more(store: Store) -> None:
    run = played(store, "consultation", limit=8)
    went = set[str]()
    for row in store.episodes(run.id):
        room, doctor = (choreography(store, run, row.ordinal, view) for view in ("room", "doctor"))
        wanted, seen = (_places(made) for made in (doctor, room))
        assert wanted <= seen
        went |= {one.split()[0] for one in seen}
        assert not [slip for slip in room.slips if slip.due is not None], "its due time was not said"
    assert went == {"Imaging", "Laboratory", "Examination"}


def _places(made: Choreography) -> set[str]:
    places = ("Imaging", "Laboratory", "Examination")
    return {scene.where for scene in made.scenes if scene.where.startswith(places)}


def test_a_gate_shows_as_a_lock_only_where_the_patients_view_is_held_and_holds_nothing_back() -> None:
    kept = kept_back(
        {
            "facts": [
                {"id": "f1", "topic": "alcohol", "told": "confidential", "text": "drinks SECRETLY"},
                {"id": "f2", "topic": "onset", "told": "asked", "text": "since Monday"},
            ]
        }
    )
    items = [
        *_asked(1, "How much alcohol do you drink?"),
        *_asked(2, "Do you drink alcohol, wine or beer?"),
        *_asked(3, "Whatever you tell me here is confidential. How much alcohol do you drink?"),
    ]
    told = list(with_gates(items, kept, "doctor", "patient"))
    made = direct(told, "key", "all", staging_of(protocol_named("consultation")))
    assert [(lock.id, lock.shut) for lock in made.locks] == [("1.0", True), ("2.1", False)]
    assert "SECRETLY" not in text_of(made)
    shown = {scene.id: scene.what for scene in made.scenes}
    assert shown["1.0"] == "a lock shuts: told only in confidence"
    assert direct(items, "key", "all", staging_of(protocol_named("consultation"))).locks == ()


def _asked(n: int, words: str) -> list[ViewedEvent]:
    said = Spoken("doctor", "said", words, "doctor")
    silent = {"answer": "I'd rather not say.", "unanswered_reason": "not_in_patient_view"}
    return [
        ViewedEvent(f"{n - 1}.1", n - 1, n, {"kind": "said", "by": "doctor", "text": words}, lines=(said,)),
        ViewedEvent(f"{n}.0", n, n, None, "patient", silent),
    ]


def test_locks_of_the_library_shut_before_they_open_and_never_for_the_doctor(store: Store) -> None:
    run = played(store, "consultation")
    shut = 0
    for row in store.episodes(run.id):
        for view in ("patient", "all"):
            closed = set[str]()
            for lock in choreography(store, run, row.ordinal, view).locks:
                shut += lock.shut
                assert lock.shut or lock.text in closed or lock.text.startswith("confidence")
                closed ^= {lock.text} if lock.shut or lock.text in closed else set()
        assert not choreography(store, run, row.ordinal, "doctor").locks
    assert shut


def test_votes_and_thoughts_of_players_inside_are_for_the_eyes_of_their_seat(store: Store) -> None:
    run = played(store, "consultation", limit=1, doctor="baseline+cot+ensemble:3")
    doctor, room, patient = (choreography(store, run, 0, view) for view in ("doctor", "room", "patient"))
    inside = [one for one in doctor.bubbles if ", vote: concludes" in one.text]
    assert len(inside) == 1
    assert inside[0].private
    assert inside[0].kind == "thought"
    assert [one.text for one in doctor.captions if one.text.startswith("3 for ")]
    for other in (room, patient):
        assert ", vote" not in text_of(other)
        assert not [one for one in other.captions if " for " in one.text and one.kind == "note"]


def test_words_of_models_stay_text_and_lose_what_steers_a_terminal() -> None:
    hostile = "<script>alert(1)</script> \x1b[31mred\x07 \u202eright to left"
    line = Spoken(f"{hostile}, to the tutor", "said", hostile, "student_1")
    made = direct([ViewedEvent("0.1", 0, 0, {"kind": "line"}, lines=(line,))], "key", "all")
    assert "\x1b" not in text_of(made) + made.bubbles[0].text
    assert "\u202e" not in made.bubbles[0].text + made.actors["student_1"].name
    assert "<script>" in made.bubbles[0].text, "it is data; the page sets it as text"


def test_looks_are_drawn_by_the_key_and_by_what_the_view_says() -> None:
    old = traits_of(
        {"age_years": 81, "sex": "female", "door_note": "An 81-year-old woman, who walks with a cane, fell."}
    )
    assert old == Traits(81.0, "female", "cane")
    figure = figure_of("key", "patient", "patient", old)
    assert (figure.age, figure.sex, figure.aid, figure.hair) == ("old", "female", "cane", 6)
    assert figure == figure_of("key", "patient", "patient", old)
    assert len({figure_of(str(key), "patient", "patient").skin for key in range(60)}) == 6
    unknown = figure_of("key", "patient", "patient", traits_of({"age_years": None, "sex": "other"}))
    assert (unknown.age, unknown.sex, unknown.aid) == ("", "", "")


@pytest.mark.parametrize(
    ("note", "aid"),
    [
        ("He is in a wheelchair.", "wheelchair"),
        ("She uses a walking stick outdoors.", "cane"),
        ("He no longer uses a cane.", ""),
        ("Hit with a cane at school.", ""),
        ("Tripped over a wheelchair.", ""),
    ],
)
def test_an_aid_is_shown_only_where_the_door_note_says_that_they_use_it(note: str, aid: str) -> None:
    assert traits_of({"door_note": note}).aid == aid


def test_looks_do_not_depend_on_the_case(store: Store) -> None:
    """Two people of the same key, age and sex look alike, whatever they have."""
    run = played(store, "consultation", limit=1)
    made = choreography(store, run, 0, "doctor")
    _, case, _ = set_up(run, store, 0, None)
    traits = Traits(case.age_years, case.sex)
    assert made.actors["patient"].figure == figure_of(made.key, "patient", "patient", traits)
