"""The contract with the pages: committed as it is, with every event told apart by its kind."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any, Final

import pytest

from osler.core.events import EVENTS
from osler.core.registry import OURS, protocol_named
from osler.web.contract import COMMITTED, contract
from osler.web.house import House
from tests.web.conftest import ask

ROOT: Final = Path(__file__).parents[2]


@pytest.fixture(scope="module")
def text() -> str:
    return contract()


@pytest.fixture(scope="module")
def document(text: str) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(text)
    return found


def test_the_committed_contract_is_current(text: str) -> None:
    assert (ROOT / COMMITTED).read_text("utf-8") == text, "run `make types`, then `make web`"


def test_the_server_shows_it(house: House, document: dict[str, Any]) -> None:
    assert ask(house, "GET", "/openapi.json").json() == document


def test_every_operation_has_a_name_of_its_own_that_makes_a_good_name_of_a_type(
    document: dict[str, Any],
) -> None:
    names = [one["operationId"] for each in document["paths"].values() for one in each.values()]
    assert len(names) == len(set(names))
    assert not [name for name in names if not re.fullmatch(r"[a-z][a-z0-9_]*", name)]


def test_every_error_is_a_problem(document: dict[str, Any]) -> None:
    for path, each in document["paths"].items():
        for one in each.values():
            assert "422" not in one["responses"], path
            said = one["responses"]["default"]["content"]["application/json"]["schema"]["$ref"]
            assert said == "#/components/schemas/Problem", path


def test_every_reference_leads_somewhere(text: str, document: dict[str, Any]) -> None:
    named = set(re.findall(r'"#/components/schemas/([^"]+)"', text))
    assert named <= document["components"]["schemas"].keys()


def test_every_kind_of_event_of_ours_is_in_the_union_with_its_defaults(document: dict[str, Any]) -> None:
    for name in OURS:
        protocol_named(name)
    ours = {kind for kind, one in EVENTS.kinds.items() if one.__module__.startswith("osler.")}
    schemas = document["components"]["schemas"]
    kinds = schemas["Event"]["discriminator"]["mapping"]
    assert kinds.keys() == ours
    for kind, ref in kinds.items():
        event = schemas[ref.rpartition("/")[2]]
        assert event["properties"]["kind"]["const"] == kind
        assert sorted(event["required"]) == sorted(event["properties"]), kind
    assert {"$ref": "#/components/schemas/Event"} in schemas["LogItem"]["properties"]["event"]["anyOf"]


def test_what_the_server_sends_has_every_field_and_what_it_takes_need_not(document: dict[str, Any]) -> None:
    schemas = document["components"]["schemas"]
    assert sorted(schemas["Problem"]["required"]) == ["mend", "what", "where"]
    assert sorted(schemas["Me"]["required"]) == sorted(schemas["Me"]["properties"])
