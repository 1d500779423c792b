"""Whatever a model answers is read, recorded, and shown to it later in the form that it was asked for."""

from __future__ import annotations

from contextlib import suppress
from typing import Any

import pytest
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st

from osler.core.events import json_of
from osler.models.extraction import last_object
from osler.players.model.schemas import closed, opened
from tests.players.model.every_seat import SEATS, Seated, seated

FLAT = tuple(name for name in SEATS if "tutor" not in name and "controller" not in name)
"""The seats whose form asks for what the record holds; a tutor's thought and a controller's acts are written
into it by Osler."""
ANY_JSON = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-3, 300)
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(max_size=8)
    | st.just("F01"),
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(["who", "name", "id"]), inner)
    ),
    max_leaves=6,
)
drawn = settings(max_examples=40, suppress_health_check=[HealthCheck.filter_too_much, HealthCheck.too_slow])


@pytest.mark.parametrize("name", SEATS)
@drawn
@given(st.data())
def test_what_a_seat_has_answered_is_shown_in_its_form_and_means_the_same(
    name: str, data: st.DataObject
) -> None:
    seat = seated(name)
    reply = read(seat, data.draw(seat.answers()))
    again = seat.read(seat.written(reply))
    assert again == reply
    shown = seat.shown_as(reply)
    assert shown is not None, "and out of the messages it can be read as well"
    action = shown["move"]["action"]
    moves = seat.form.json_schema["properties"]["move"]["anyOf"]
    assert action in [one["properties"]["action"]["enum"][0] for one in moves]


@pytest.mark.parametrize("name", FLAT)
@drawn
@given(st.data())
def test_an_answer_in_the_records_own_form_means_the_same(name: str, data: st.DataObject) -> None:
    seat = seated(name)
    reply = read(seat, data.draw(seat.answers()))
    assert seat.read(last_object(json_of(reply))) == reply


@pytest.mark.parametrize("name", SEATS)
@settings(max_examples=60)
@given(st.data())
def test_nothing_a_model_writes_into_a_form_ends_otherwise_than_in_words(
    name: str, data: st.DataObject
) -> None:
    seat = seated(name)
    answer = data.draw(seat.answers())
    field = data.draw(st.sampled_from(sorted(answer["move"])))
    answer["move"][field] = data.draw(ANY_JSON)
    for value in (answer, answer["move"], {"move": data.draw(ANY_JSON)}):
        with suppress(ValueError):
            seat.read(value)


def read(seat: Seated, answer: Any) -> Any:
    """The reply to an answer; an answer that says nothing is not tried further."""
    try:
        return seat.read(answer)
    except ValueError:
        assume(False)


@given(
    st.text(min_size=1, max_size=9),
    st.text(max_size=20),
    st.dictionaries(
        st.text(max_size=9).filter(lambda name: name not in ("note", "move", "action")), ANY_JSON
    ),
)
def test_an_answer_is_closed_and_opened_again(action: str, note: str, fields: dict[str, Any]) -> None:
    found = opened(last_object(closed(action, note, **fields)) or {})
    assert found.pop("action") == action
    assert found.pop("note", "") == note
    assert found == fields


@pytest.mark.parametrize(
    ("value", "fields"),
    [
        ({"move": {"action": "ASK", "question": "q"}}, {"action": "ASK", "question": "q"}),
        (
            {"note": "n", "move": '{"action": "ASK", "question": "q"}'},
            {"note": "n", "action": "ASK", "question": "q"},
        ),
        ({"move": "ASK", "question": "q"}, {"action": "ASK", "question": "q"}),
        ({"action": "ASK", "question": "q"}, {"action": "ASK", "question": "q"}),
        ({"question": "q", "move": None}, {"question": "q"}),
        ({"move": {"question": "in"}, "question": "beside"}, {"question": "in"}),
        ({"move": "[" * 50_000}, {"action": "[" * 50_000}),
    ],
)
def test_a_move_is_read_wherever_it_is_written(value: dict[str, Any], fields: dict[str, Any]) -> None:
    assert opened(value) == fields
