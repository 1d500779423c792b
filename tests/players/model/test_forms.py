"""The forms of all seats: one shape, strict, bounded, the same in every case; and how a prompt shows them."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import Any, Final

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from osler.cases.model import Case
from osler.cases.personas import persona
from osler.core.contract import Request
from osler.models.dialects import without_bounds
from osler.models.structured import ANSWER_TOKENS
from osler.models.types import Output
from osler.players.model.neutral_names import MOST_NAMES
from osler.players.model.opinions import OPINIONS, opinion_asked
from osler.players.model.reply_form import reply_form
from osler.players.model.schemas import closed, example, form, move, output, sketch, text
from osler.protocols.consultation import views
from osler.protocols.consultation.model.players import ModelExamination
from osler.protocols.scenario.seats import EXAMINEE
from osler.protocols.shared.model.patient import ModelPatient
from osler.protocols.shared.model.schemas import GROUNDING_VERDICT
from osler.protocols.shared.views import patient_view
from osler.testing.cases import canary_case, small_case
from osler.testing.quirk_schemas import strict_fault
from tests.players.model.every_seat import SEATS, instances, seated
from tests.players.model.table import Told

MOST_CHARACTERS: Final = 1900
"""Constrained decoding of longer bounds fails on some servers."""
MOST_VALUES: Final = 250
"""The choices that a service of a strict mode takes in one schema, with some to spare."""
ASKED: Final[dict[str, Output]] = {
    **{
        f"{kind.__name__}: {one.name} {at}": one
        for kind in {type(seated(name).player) for name in SEATS}
        for at, one in enumerate(kind.forms)
    },
    **{f"seat: {name}": seated(name).form for name in SEATS},
    **{f"opinion: {what}": opinion_asked(what, "doctor") for what in OPINIONS},
    "of another protocol": reply_form(EXAMINEE.reply, "derived").output,
}
FORMS: Final = sorted(ASKED)


def moves_of(asked: Output) -> list[dict[str, Any]]:
    moves: list[dict[str, Any]] = asked.json_schema["properties"]["move"]["anyOf"]
    return moves


def nodes(schema: Any) -> Iterator[dict[str, Any]]:
    """The schema and all schemas in it."""
    yield schema
    inner = [*schema.get("properties", {}).values(), *schema.get("anyOf", ())]
    for one in (*inner, *([schema["items"]] if "items" in schema else [])):
        yield from nodes(one)


# The shape


@pytest.mark.parametrize("name", FORMS)
def test_a_form_is_a_note_and_a_move_with_its_action_first(name: str) -> None:
    root = ASKED[name].json_schema
    assert list(root["properties"]) in (["move"], ["note", "move"])
    moves = moves_of(ASKED[name])
    actions = [one["properties"][next(iter(one["properties"]))]["enum"] for one in moves]
    assert all(next(iter(one["properties"])) == "action" for one in moves)
    assert all(len(values) == 1 for values in actions)
    assert len({values[0] for values in actions}) == len(moves), "an action has one form"


@pytest.mark.parametrize("name", FORMS)
def test_a_form_is_closed_and_whole_and_qualifies_for_strict_modes(name: str) -> None:
    asked = ASKED[name]
    assert asked.strict
    assert strict_fault(without_bounds(asked.json_schema)) is None
    for node in nodes(asked.json_schema):
        if node.get("type") == "object":
            assert node["required"] == list(node["properties"])
            assert node["additionalProperties"] is False
    inside = [node for one in moves_of(asked) for node in nodes(one)]
    assert not any(node.keys() & {"anyOf", "oneOf", "allOf", "$ref", "const"} for node in inside)
    assert all(isinstance(node["type"], str) and node["type"] != "null" for node in inside)


@pytest.mark.parametrize("name", [*FORMS, "second reader"])
def test_all_texts_lists_and_choices_of_a_form_are_bounded(name: str) -> None:
    asked = ASKED.get(name, GROUNDING_VERDICT)
    choices = 0
    for node in nodes(asked.json_schema):
        choices += len(node.get("enum", ()))
        if node.get("type") == "string" and "enum" not in node:
            assert 0 < node["maxLength"] < MOST_CHARACTERS
        if node.get("type") == "array":
            assert 0 < node["maxItems"] <= MOST_NAMES
    assert choices <= MOST_VALUES


@pytest.mark.parametrize("case", [small_case(), canary_case()], ids=["small", "canary"])
def test_a_form_is_the_same_in_every_case(case: Case) -> None:
    patient = patient_view(case, persona=persona("plain"), unknown="standard")
    service = views.examination_view(case)
    assert ModelPatient(Told([]), "m")._form(Request(patient, (), "w")) is seated("patient").form
    assert ModelExamination(Told([]), "m")._form(Request(service, (), "w")) is seated("examination").form


@pytest.mark.parametrize("name", SEATS)
def test_a_player_of_another_form_has_another_name(name: str) -> None:
    player, asked = seated(name).player, seated(name).form
    assert player.forms
    assert asked.name in {one.name for one in player.forms}
    narrow = seated(name).player
    narrow.narrow = True
    assert narrow.name != player.name


# The limit of an answer


@pytest.mark.parametrize("name", FORMS)
@settings(max_examples=20)
@given(st.data())
def test_the_limit_of_an_answer_holds_whatever_fits_its_form(name: str, data: st.DataObject) -> None:
    limit = ASKED[name].answer_tokens
    assert limit is not None
    answer = json.dumps(data.draw(instances(ASKED[name].json_schema)), ensure_ascii=False)
    assert len(answer) <= 2 * limit


def test_a_question_has_a_smaller_limit_than_a_ruling() -> None:
    limits = {name: seated(name).form.answer_tokens or 0 for name in ("student asks", "doctor", "controller")}
    assert limits["student asks"] < limits["doctor"] < limits["controller"]
    assert limits["doctor"] < ANSWER_TOKENS


@given(st.integers(1, 1800), st.integers(1, 400))
def test_a_longer_bound_raises_the_limit_by_what_it_adds(most: int, more: int) -> None:
    short, long = (
        form("x", move("SAY", words=text(length))).answer_tokens for length in (most, most + 2 * more)
    )
    assert short is not None
    assert long == short + more
    assert output("x", words={"type": "string"}).answer_tokens is None, "without a bound there is no limit"


# What a model is shown of it


@pytest.mark.parametrize("name", FORMS)
def test_the_sketch_of_a_form_names_every_action_and_field(name: str) -> None:
    shown = sketch(ASKED[name])
    for one in moves_of(ASKED[name]):
        action = one["properties"]["action"]["enum"][0]
        (line,) = (
            line for line in shown.splitlines() if re.search(rf'"action":(?:"\w+"\|)*"{action}"', line)
        )
        at = 0
        for field in one["properties"]:
            at = line.index(f'"{field}":', at)  # in their order
    assert len(shown) < len(ASKED[name].schema_text)


@pytest.mark.parametrize("name", FORMS)
def test_the_shortest_answer_fits_the_form_in_the_move_that_was_tried(name: str) -> None:
    for one in moves_of(ASKED[name]):
        action = one["properties"]["action"]["enum"][0]
        shown = json.loads(example(ASKED[name], closed(action, "I try", wrong=True)))
        assert shown["move"].keys() == one["properties"].keys()
        assert shown["move"]["action"] == action
        assert shown.keys() == ASKED[name].json_schema["properties"].keys()
    shown = json.loads(example(ASKED[name], "I would rather not."))["move"]
    says = [one for one in moves_of(ASKED[name]) if len(one["properties"]) > 1]
    actions = [one["properties"]["action"]["enum"][0] for one in says or moves_of(ASKED[name])]
    assert shown["action"] in actions
    shortest = min((example(ASKED[name], f'"{action}"') for action in actions), key=len)
    assert json.loads(shortest)["move"] == shown


@pytest.mark.parametrize("name", SEATS)
def test_the_rules_of_a_seat_end_in_the_sketch_of_its_form(name: str) -> None:
    seat = seated(name)
    messages = seat.player._messages(seat.request)
    said = messages[-1].text if "student" in name else messages[0].text
    assert said.endswith(sketch(seat.form)), "a student is told each time, for each time it differs"
