"""The schema sampler: whatever it makes is an instance of the schema, and what it cannot make it refuses."""

from __future__ import annotations

import json
from functools import partial
from types import GenericAlias
from typing import Annotated, Any, Literal

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import BaseModel, Field, TypeAdapter, create_model

from osler.testing.endpoint_schema import Json, Sampler, Schema, Unsatisfiable
from tests.testing.schemas import CONTRACTS

SCALARS = st.one_of(st.none(), st.booleans(), st.integers(-5, 5), st.floats(0, 2), st.text(max_size=8))
VALUES = st.recursive(
    SCALARS,
    lambda inner: st.lists(inner, max_size=2) | st.dictionaries(st.text(max_size=4), inner, max_size=2),
)
# Any: a schema as pydantic gives it.
SCHEMAS: list[dict[str, Any]] = [contract.reply.json_schema() for contract in CONTRACTS.values()]
PARTS = [part for schema in SCHEMAS for part in (schema, *schema.get("$defs", {}).values())]
FIELDS = sorted({name for part in PARTS for name in part.get("properties", ())})
MOVES = st.sampled_from(["ASK", "REQUEST_TEST", "CALL_MDT", "WAIT", "FINALIZE", "none", "exact", "made up"])


@given(
    seat=st.sampled_from(sorted(CONTRACTS)),
    wishes=st.dictionaries(st.sampled_from(FIELDS), VALUES | MOVES, max_size=6),
    seed=st.text(max_size=3),
)
def test_an_instance_of_a_seats_schema_is_a_valid_reply_whatever_was_wished(
    seat: str, wishes: dict[str, Json], seed: str
) -> None:
    reply = CONTRACTS[seat].reply
    reply.validate_python(Sampler(reply.json_schema(), wishes, seed).instance(), strict=False)


class _Person(BaseModel):
    name: Annotated[str, Field(min_length=12, max_length=14)]
    friends: list[_Person] = []
    best: _Person | None


made: Any = partial(create_model, "Made")
# Any: types made at run time are values to mypy, and pydantic takes whatever a type may be.
TYPES: st.SearchStrategy[Any] = st.recursive(
    st.sampled_from(
        [
            bool,
            None,
            str,
            Literal["a", "b"],
            Literal[3],
            _Person,
            Annotated[int, Field(gt=3, le=9)],
            Annotated[int, Field(lt=-3)],
            Annotated[int, Field(multiple_of=7, ge=1)],
            Annotated[float, Field(gt=0, lt=0.5)],
            Annotated[str, Field(min_length=200)],
            Annotated[str, Field(max_length=1)],
            tuple[int, str],
        ]
    ),
    lambda inner: st.one_of(
        inner.map(lambda kind: kind | None if kind is not None else None),
        inner.map(lambda kind: GenericAlias(dict, (str, kind))),
        inner.map(lambda kind: made(many=(GenericAlias(list, (kind,)), Field(min_length=2)))),
        st.lists(inner, min_size=1, max_size=3).map(
            lambda kinds: made(**{f"f{i}": (kind, ...) for i, kind in enumerate(kinds)})
        ),
    ),
    max_leaves=6,
)


@given(TYPES)
def test_an_instance_validates_for_any_type_pydantic_can_describe(kind: Any) -> None:
    adapter: TypeAdapter[Any] = TypeAdapter(kind)
    adapter.validate_json(json.dumps(Sampler(adapter.json_schema()).instance()))


def test_only_what_is_required_constant_or_wanted_is_filled() -> None:
    schema: Schema = {
        "type": "object",
        "properties": {
            "must": {"type": "string"},
            "kind": {"const": "K"},
            "liked": {"type": "integer"},
            "spare": {"type": "string"},
        },
        "required": ["must"],
    }
    made = Sampler(schema, {"must": "said", "liked": 3}).instance()
    assert made == {"must": "said", "kind": "K", "liked": 3}


def test_alternatives_give_the_first_branch_or_the_one_that_takes_the_wishes() -> None:
    ask: Json = {"properties": {"action": {"const": "ASK"}, "question": {"type": "string"}}}
    order: Json = {"properties": {"action": {"const": "ORDER"}, "name": {"type": "string"}}}
    schema: Schema = {"anyOf": [ask, order]}
    assert Sampler(schema).instance() == {"action": "ASK"}
    assert Sampler(schema, {"action": "ORDER", "name": "x"}).instance() == {"action": "ORDER", "name": "x"}


def test_a_list_of_items_to_be_judged_gets_every_item_once() -> None:
    items: Json = {"type": "object", "properties": {"id": {"enum": ["a", "b", "c"]}}, "required": ["id"]}
    made = Sampler({"type": "array", "items": items, "minItems": 3}).instance()
    assert made == [{"id": "a"}, {"id": "b"}, {"id": "c"}]


def test_the_same_seed_says_the_same_and_another_something_else() -> None:
    said = [Sampler({"type": "string"}, seed=seed).instance() for seed in ("1", "1", "2")]
    assert said[0] == said[1] != said[2]


@pytest.mark.parametrize(
    "schema",
    [
        {"$ref": "#"},
        {"$ref": "#/$defs/nobody"},
        {"$ref": "https://example.org/schema"},
        {"type": "sound"},
        {"type": "integer", "minimum": 3, "maximum": 2},
        {"type": "string", "minLength": 3, "maxLength": 2},
        {"type": "string", "minLength": 10**12},
        {"type": "object", "properties": {"me": {"$ref": "#"}}, "required": ["me"]},
        {"type": "object", "properties": {"never": False}, "required": ["never"]},
        {"type": "number", "minimum": float("nan"), "maximum": -1},
        {
            "$defs": {"x": {"type": "array", "minItems": 1000, "items": {"$ref": "#/$defs/x"}}},
            "$ref": "#/$defs/x",
        },
    ],
)
def test_what_cannot_be_satisfied_is_refused(schema: Schema) -> None:
    with pytest.raises(Unsatisfiable):
        Sampler(schema).instance()
