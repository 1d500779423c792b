"""The ladder of formats: each step milder than the one before, taken once for each shape of a schema."""

from __future__ import annotations

import asyncio
import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from osler.models.faults import Fault, Kind
from osler.models.structured import (
    ANSWER_TOKENS,
    LADDER,
    OBJECT,
    PLAIN_TOKENS,
    TEXT,
    THINKING_TOKENS,
    Abilities,
    RequestForm,
)
from osler.models.types import Output
from tests.models.endpoint import client_of, fails, request_of, says, serving


def form(*ids: str, most: int = 40, name: str = "match") -> Output:
    """A form with a choice of ids and every kind of bound."""
    properties = {
        "action": {"type": "string", "enum": ["MATCH"]},
        "findings": {"type": "array", "items": {"type": "string", "enum": list(ids)}, "maxItems": 8},
        "share": {"type": "number", "minimum": 0, "maximum": 1},
        "why": {"type": "string", "maxLength": most},
    }
    schema = {"type": "object", "properties": properties, "required": list(properties)}
    return Output(name=name, json_schema={**schema, "additionalProperties": False}, strict=True)


FORM = form("F01", "F02", "F03")
NO_BOUNDS = Output(name="bare", json_schema={"type": "object", "properties": {"x": {"type": "boolean"}}})
REFUSAL = Fault(Kind.BAD_REQUEST, raw="invalid schema")
WORDS = ("invalid schema for response_format", "maxLength is not permitted", "unknown field", "grammar", "")


def fresh(**given: Any) -> Abilities:
    return Abilities(seed=True, lowest=0, json_object=True, **given)


def sent_as(asked: RequestForm, output: Output) -> Output | str:
    """What is sent of a form: it, or a milder one, where the endpoint is asked to enforce a schema."""
    return asked.form(output) if asked.rung == "json_schema" else asked.rung


def descent(abilities: Abilities, output: Output, words: str = "invalid schema") -> list[Output | str]:
    """What is sent of a form, until an endpoint that refuses everything is asked for text."""
    request, sent = request_of(output=output), []
    while True:
        asked = abilities.asked(output)
        sent.append(sent_as(asked, output))
        assert len(sent) <= len(LADDER)
        if not abilities.learn(Fault(Kind.BAD_REQUEST, raw=words), asked, request):
            return sent


def test_the_steps_give_up_one_thing_after_another() -> None:
    *forms, last_but_one, last = descent(fresh(), FORM)
    assert (last_but_one, last) == ("json_object", "text")
    assert all(isinstance(one, Output) for one in forms)
    whole, lengths, bounds, loose, free = (one.json_schema for one in forms if isinstance(one, Output))
    assert whole == FORM.json_schema
    assert lengths["properties"]["why"] == {"type": "string"}
    assert lengths["properties"]["findings"]["maxItems"] == 8
    assert bounds["properties"]["share"] == {"type": "number"}
    assert "maxItems" not in bounds["properties"]["findings"]
    assert [one.strict for one in forms if isinstance(one, Output)] == [True, True, True, False, False]
    assert loose == bounds
    assert free["properties"]["findings"]["items"] == {"type": "string"}
    assert free["properties"]["action"]["enum"] == ["MATCH"], "which move it is stays a choice"


@given(
    st.sampled_from([FORM, NO_BOUNDS, form("F01")]),
    st.lists(st.sampled_from(WORDS), min_size=12, max_size=12),
)
def test_it_ends_in_text_and_nothing_refused_is_sent_again(output: Output, words: list[str]) -> None:
    abilities, request, sent = fresh(), request_of(output=output), []
    for each in words:
        asked = abilities.asked(output)
        sent.append(sent_as(asked, output))
        if not abilities.learn(Fault(Kind.BAD_REQUEST, raw=each), asked, request):
            break
    assert sent[-1] == "text"
    assert all(one not in sent[:at] for at, one in enumerate(sent))
    assert len(sent) <= len(LADDER)


def test_a_schema_without_bounds_is_not_sent_twice_for_their_sake() -> None:
    assert descent(fresh(), NO_BOUNDS) == [NO_BOUNDS, "json_object", "text"]


def test_words_about_the_format_itself_leave_out_what_only_makes_a_schema_milder() -> None:
    assert descent(fresh(), FORM, "response_format is not supported") == [FORM, "json_object", "text"]


def test_a_step_is_learnt_for_the_shape_whatever_is_on_offer() -> None:
    abilities = fresh()
    abilities.learn(REFUSAL, abilities.asked(FORM), request_of(output=FORM))
    for narrowed in (form("F02", "F03"), form("F03")):
        assert narrowed.digest != FORM.digest
        assert abilities.asked(narrowed).step == 1
    for other in (form("F01", "F02", most=41), form("F01", "F02", name="other")):
        assert abilities.asked(other).step == 0, "another shape may be taken as it is"


def test_a_refusal_in_no_words_counts_only_until_the_format_has_worked() -> None:
    silent = Fault(Kind.BAD_REQUEST, raw="bad request")
    abilities = fresh()
    abilities.honoured.add((FORM.shape, "json_schema"))
    assert not abilities.learn(silent, abilities.asked(FORM), request_of(output=FORM))
    assert fresh().learn(silent, fresh().asked(FORM), request_of(output=FORM))


def test_an_endpoint_without_json_mode_goes_from_schemas_to_text() -> None:
    abilities = Abilities(seed=True, lowest=0, json_object=False)
    *forms, last = descent(abilities, FORM)
    assert (len(forms), last) == (OBJECT, "text")
    assert all(isinstance(one, Output) for one in forms)
    assert Abilities(seed=True, lowest=OBJECT, json_object=True).asked(FORM).rung == "json_object"
    assert Abilities(seed=True, lowest=TEXT, json_object=False).asked(FORM).rung == "text"


def test_a_client_steps_down_and_stays_there() -> None:
    """Over HTTP, with an endpoint that takes no lengths, and another form of the same shape afterwards."""
    answer = says('{"action": "MATCH", "findings": [], "share": 0.5, "why": "it fits"}')

    script = (fails(400, "In context=('why',), 'maxLength' is not permitted."), answer)

    async def go() -> list[dict[str, Any]]:
        async with serving(*script) as served, client_of(served.url) as client:
            for output in (FORM, form("F03")):
                await client.complete(request_of("Rules.", "Go on.", output=output))
            return served.bodies

    bodies = asyncio.run(go())
    assert ["maxLength" in json.dumps(body["response_format"]) for body in bodies] == [True, False, False]


# Asking again


def test_a_repair_is_never_the_same_request() -> None:
    async def go() -> list[dict[str, Any]]:
        bad = says('{"action": "WAIT"}')
        async with serving(bad, bad, says('{"action": "MATCH"}')) as served, client_of(served.url) as client:

            def read(value: Any) -> Any:
                if value["action"] != "MATCH":
                    raise ValueError("action must be MATCH")
                return value

            await client.complete(request_of("Rules.", "Go on.", output=FORM, seed=7), validate=read)
            return served.bodies

    bodies = asyncio.run(go())
    assert len({body["seed"] for body in bodies}) == 3
    assert "action must be MATCH" in bodies[1]["messages"][-1]["content"]


# The limit of an answer


def test_the_limit_follows_from_the_bounds_of_the_form() -> None:
    abilities = fresh()
    asked = abilities.asked(FORM).answer_tokens
    assert asked == FORM.answer_tokens
    assert asked is not None
    assert asked < ANSWER_TOKENS
    assert abilities.asked(form("F01", most=1040)).answer_tokens == asked + 500
    assert abilities.asked(Output(name="x", json_schema={"type": "object"})).answer_tokens == ANSWER_TOKENS
    assert abilities.asked(None).answer_tokens == PLAIN_TOKENS


@pytest.mark.parametrize("output", [FORM, None])
def test_thought_that_has_filled_a_limit_once_is_given_room_of_its_own(output: Output | None) -> None:
    abilities, request = fresh(), request_of(output=output)
    before = abilities.asked(output)
    full = Fault(Kind.LENGTH)
    assert abilities.learn(full, before, request)
    after = abilities.asked(output)
    assert after.answer_tokens == (before.answer_tokens or 0) + THINKING_TOKENS
    assert not abilities.learn(full, after, request), "only once"


def test_a_limit_that_somebody_has_set_is_kept() -> None:
    assert fresh(declared_limit=300).asked(FORM).answer_tokens == 300
    assert fresh(own_limit=True).asked(FORM).answer_tokens is None
    assert fresh().asked(FORM, limited=False).answer_tokens is None
