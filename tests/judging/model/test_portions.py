"""The form of a judge's answer: bounded, the same for all portions, and as many items as fit."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Iterator
from typing import Any

import pytest

from osler.cli.options import PORTION as BY_DEFAULT
from osler.core.judge import PORTION
from osler.judging.lines import JudgedLine
from osler.judging.model.verdicts import LONGEST, ids_of, output_of, portion_within
from osler.judging.opening import JudgeModel
from osler.judging.rubric.by_model import ModelRubricJudge
from osler.models.types import CompletionRequest
from osler.protocols.ward_round.judge import by_model as teaching
from osler.training.reward.judged import output_of as reward_of
from tests.cases.rubrics.samples import rubric_of
from tests.judging.model.judges import ENDPOINT, Scripted, ids_in
from tests.judging.rubric.scenes import LINES, answer, by_model, careful

ACCEPTED_BY_ALL = 1900
FORMS = {
    "verdicts": output_of(PORTION, 5),
    "marks": teaching._output(),
    "reward": reward_of("analysis", ("AQ-1", "AQ-2")),
}


def parts(schema: dict[str, Any]) -> Iterator[dict[str, Any]]:
    """A schema and all that it holds."""
    yield schema
    for inner in (*schema.get("properties", {}).values(), *filter(None, [schema.get("items")])):
        yield from parts(inner)


@pytest.mark.parametrize("name", FORMS)
def test_every_text_and_list_is_bounded_and_every_object_closed(name: str) -> None:
    for part in parts(FORMS[name].json_schema):
        assert not part.keys() & {"anyOf", "oneOf", "$ref", "pattern"}
        match part["type"]:
            case "string":
                assert "enum" in part or part["maxLength"] <= ACCEPTED_BY_ALL
            case "array":
                assert part["maxItems"] <= 20
            case "object":
                assert part["additionalProperties"] is False
                assert part["required"] == list(part["properties"])


def test_a_reason_stands_before_its_verdict() -> None:
    entry = output_of(2, 1).json_schema["properties"]["verdicts"]["items"]
    assert entry["required"] == ["id", "quotes", "why", "verdict"]
    assert entry["properties"]["id"]["enum"] == ["I01", "I02"]


def test_the_longest_portion_takes_about_1200_tokens() -> None:
    longest = answer(*[(1, ["x" * LONGEST] * 2)] * PORTION)
    for one in longest["verdicts"]:
        one["why"] = "x" * LONGEST
    assert len(json.dumps(longest)) / 4 <= 1200
    assert BY_DEFAULT == JudgeModel._field_defaults["batch"] == PORTION


@pytest.mark.parametrize(("most", "items"), [(None, 8), (8000, 8), (1200, 8), (500, 3), (100, 1)])
def test_an_endpoint_with_short_answers_is_asked_about_fewer(most: int | None, items: int) -> None:
    assert portion_within(most) == items
    client = Scripted(careful)
    endpoint = ENDPOINT.model_copy(update={"max_answer_tokens": most})
    judge = ModelRubricJudge(client, endpoint)
    asyncio.run(judge.judge(rubric_of(*(f"Washes hand number {n}" for n in range(9))), LINES))
    assert max(len(ids_in(request)) for request in client.asked) == items


def test_portions_with_different_items_have_the_same_names_and_each_item_its_own_verdict() -> None:
    rubric = rubric_of(*(f"Says word number {n}" for n in range(10)))
    lines = (JudgedLine(1, "examinee", "I say word number 9."),)

    def last(number: int, request: CompletionRequest) -> object:
        ids = ids_in(request)
        assert ids == list(ids_of(len(ids)))
        held = len(ids) == 2
        return answer(*[(0, [])] * (len(ids) - 1), (int(held), ["word number 9"] * held))

    found, _ = by_model(rubric, last, lines)
    assert [verdict.holds for verdict in found.verdicts] == [False] * 9 + [True]


def test_an_id_in_small_letters_is_read_and_a_quote_cut_at_its_bound_is_found() -> None:
    said = " ".join(f"word{n:03}" for n in range(60))
    lines = (JudgedLine(1, "examinee", said),)
    cut = answer((1, [said[:LONGEST]]))
    cut["verdicts"][0]["id"] = " i01"
    found, client = by_model(rubric_of("Says many words"), lambda n, request: cut, lines)
    assert found.verdicts[0].holds
    assert len(client.asked) == 1
    assert not said[:LONGEST].endswith(found.verdicts[0].quotes[0].text[-3:])


def test_each_asking_has_a_reason_and_another_seed() -> None:
    doubled = answer((0, []), (0, []))
    doubled["verdicts"][1]["id"] = "I01"
    found, client = by_model(rubric_of("Greets", "Asks about pain"), lambda n, request: doubled)
    assert {verdict.reason for verdict in found.verdicts} == {"judge_incomplete"}
    assert [request.seed for request in client.asked] == [0, 1, 2]
