"""What each kind of service is sent of a schema, and the milder forms of one."""

from __future__ import annotations

import copy
import json

import pytest

from osler.models.dialects import dialect_of, ids_as_text, sendable, without_bounds, without_lengths

FACTS = [f"F{n:02}" for n in range(1, 41)]
MOVE = {
    "type": "object",
    "additionalProperties": False,
    "required": ["note", "move"],
    "properties": {
        "note": {"type": "string", "minLength": 1, "maxLength": 300},
        "move": {
            "anyOf": [
                {
                    "type": "object",
                    "additionalProperties": False,
                    "required": ["action", "ids", "share", "verdict"],
                    "properties": {
                        "action": {"type": "string", "enum": ["answer"]},
                        "ids": {
                            "type": "array",
                            "minItems": 2,
                            "maxItems": 20,
                            "items": {"type": "string", "enum": FACTS},
                        },
                        "share": {"type": "number", "minimum": 0, "maximum": 1},
                        "verdict": {"type": "string", "enum": ["yes", "no", "partly"]},
                    },
                },
            ]
        },
    },
}
BOUNDS = ("minLength", "maxLength", "minimum", "maximum", "maxItems", "pattern", "uniqueItems")


def keywords(schema: object) -> set[str]:
    return {name for name in BOUNDS if f'"{name}":' in json.dumps(schema)}


@pytest.mark.parametrize("kind", ["openai", "local", "a plug-in's own"])
def test_a_service_that_takes_every_bound_is_sent_every_bound(kind: str) -> None:
    assert sendable(MOVE, kind) == MOVE


@pytest.mark.parametrize("kind", ["azure", "anthropic", "bedrock"])
def test_a_service_that_refuses_bounds_is_sent_none(kind: str) -> None:
    before = copy.deepcopy(MOVE)
    sent = sendable(MOVE, kind)
    assert keywords(sent) == set()
    assert before == MOVE, "the schema itself is left as it is"
    assert sent["properties"]["move"]["anyOf"][0]["properties"]["ids"]["items"]["enum"] == FACTS


def test_a_list_that_must_not_be_empty_stays_so_where_that_is_taken() -> None:
    def least(kind: str) -> object:
        branch = sendable(MOVE, kind)["properties"]["move"]["anyOf"][0]
        return branch["properties"]["ids"].get("minItems")

    assert [least(kind) for kind in ("anthropic", "bedrock", "azure")] == [1, 1, None]


def test_gemini_is_sent_no_lengths() -> None:
    assert keywords(sendable(MOVE, "gemini")) == {"minimum", "maximum", "maxItems"}
    assert keywords(without_lengths(MOVE)) == {"minimum", "maximum", "maxItems"}


def test_a_property_named_like_a_keyword_is_kept() -> None:
    named = {"type": "object", "properties": {"pattern": {"type": "string", "pattern": "^a"}}, "default": {}}
    assert without_bounds(named)["properties"] == {"pattern": {"type": "string"}}
    held = {"enum": [{"maxItems": 3}], "default": {"minimum": 1}}
    assert without_bounds(held) == held


def test_unions_constants_and_open_objects_are_spelt_as_every_service_takes_them() -> None:
    one = {"type": "object", "properties": {"kind": {"const": "a"}}, "required": ["kind"]}
    union = {"oneOf": [one, {"$ref": "#/$defs/B"}], "discriminator": {"propertyName": "kind"}}
    schema = {"type": "object", "properties": {"move": union}, "$defs": {"B": one}}
    sent = sendable(schema, "anthropic")
    closed = {**one, "properties": {"kind": {"enum": ["a"]}}, "additionalProperties": False}
    assert sent["properties"] == {"move": {"anyOf": [closed, {"$ref": "#/$defs/B"}]}}
    assert (sent["$defs"], sent["additionalProperties"]) == ({"B": closed}, False)


def test_ids_become_text_and_words_stay() -> None:
    fields = ids_as_text(MOVE)["properties"]["move"]["anyOf"][0]["properties"]
    assert fields["ids"]["items"] == {"type": "string"}
    assert fields["action"] == {"type": "string", "enum": ["answer"]}
    assert fields["verdict"]["enum"] == ["yes", "no", "partly"]


@pytest.mark.parametrize(
    ("listed", "freed"),
    [
        (["x7", "e3"], {"type": "string"}),
        (["F01", "F02", None], {"type": ["string", "null"]}),
        ([chr(97 + n) for n in range(21)], {"type": "string"}),
        (["F01"], None),
        ([1, 2, 3], None),
        (["F01", 2], None),
    ],
)
def test_a_list_is_freed_if_it_is_one_of_ids(listed: list[object], freed: dict[str, object] | None) -> None:
    assert ids_as_text({"enum": listed}) == (freed or {"enum": listed})


@pytest.mark.parametrize(
    ("host", "dialect"),
    [
        ("my-resource.openai.azure.com", "azure"),
        ("bedrock-runtime.us-west-2.amazonaws.com", "bedrock"),
        ("generativelanguage.googleapis.com", "gemini"),
        ("api.openai.com", "openai"),
        ("127.0.0.1", "openai"),
        ("models.example", "openai"),
    ],
)
def test_a_dialect_is_guessed_where_the_host_is_clear(host: str, dialect: str) -> None:
    assert dialect_of(host) == dialect
