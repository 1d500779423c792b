"""The manager over HTTP, against the fake endpoint."""

from __future__ import annotations

import asyncio
import json
from random import Random
from typing import Any

import pytest

from osler.core.judge import PORTION
from osler.errors import InfrastructureFault
from osler.judging.model.verdicts import ids_of
from osler.models.client import EndpointClient
from osler.models.config import Endpoint
from osler.models.faults import Retry
from osler.models.manners import Manners
from osler.protocols.consultation.judge.manager import ManagerJudge, ModelJudgement
from osler.testing.endpoint import FakeEndpoint
from tests.judging.episodes import case_of
from tests.judging.model.judges import episode, verdicts

NONE = dict.fromkeys(ids_of(PORTION), 0)
OXYGEN = verdicts({**NONE, "I07": 2}, {"I07": "Oxygen if she is hypoxic"})
SAME = verdicts({"I01": 1}, {"I01": "pulmonary embolism"})


def judged(repeats: int = 1, capabilities: dict[str, bool] | None = None, **served: Any) -> ModelJudgement:
    """One judgement by an endpoint that is served so."""

    async def ask() -> ModelJudgement:
        async with FakeEndpoint(**served) as fake:
            endpoint = Endpoint.model_validate(
                {
                    "name": "fake",
                    "base_url": fake.base_url,
                    "model": "fake-model",
                    "capabilities": capabilities or {},
                }
            )
            manners = Manners(retry=Retry(tries=2, base_s=0.001, cap_s=0.002))
            async with EndpointClient(endpoint, rng=Random(7), manners=manners) as client:
                return await ManagerJudge(client, endpoint, repeats=repeats).judged(
                    case_of(), episode(), False
                )

    return asyncio.run(ask())


def rules(*replies: object) -> list[dict[str, object]]:
    """The manager's replies to the first of two portions in turn, the last one for ever; there is nothing in
    the other, and the comparison says "same"."""

    def told(words: str, reply: object, **more: object) -> dict[str, object]:
        return {"match": {"anywhere": words, **more}, "reply": reply}

    comparison = told("<<<BEGIN reference>>>", SAME)
    other = told("I01 follow_up", verdicts(dict.fromkeys(ids_of(13 - PORTION), 0)))
    turns = [told("I01 diagnosis", reply, nth=1) for reply in replies]
    return [comparison, other, *turns, {"reply": replies[-1]}]


def test_the_schema_alone_brings_a_complete_set_but_no_credit_without_quotes() -> None:
    """The fake endpoint fills the schema with no idea of the case."""
    judgement = judged()
    assert len(judgement.items) == 14
    assert {result.reason for result in judgement.items} <= {"", "quote_not_found"}
    assert {result.value for result in judgement.items} == {0, None}


@pytest.mark.parametrize(
    "capabilities", [{}, {"json_schema": False}, {"json_schema": False, "json_object": False}]
)
def test_every_rung_of_the_ladder_serves(capabilities: dict[str, bool]) -> None:
    judgement = judged(script=rules(OXYGEN), capabilities=capabilities)
    assert judgement.scores["plan"].value == 0.5
    assert judgement.scores["correct"].value == 1
    assert judgement.returned == ("fake-model",)


def test_a_judge_mends_its_answer() -> None:
    short = {"verdicts": OXYGEN["verdicts"][:-1]}
    judgement = judged(script=rules("I would say: good.", short, OXYGEN))
    assert judgement.scores["plan"].value == 0.5
    assert judgement.cost.calls == 5


def test_a_judge_that_never_answers_in_full_scores_nothing_of_its_own() -> None:
    judgement = judged(script=rules("I would say: good."))
    assert judgement.scores["plan"].reason == "judge_incomplete"
    assert judgement.scores["correct"].value == 1


def test_an_answer_that_is_cut_is_a_cause_of_its_own() -> None:
    cut = [{**rule, "finish_reason": "length"} for rule in rules(json.dumps(OXYGEN)[:90])]
    judgement = judged(script=cut)
    assert judgement.scores["plan"].reason == "judge_length"
    assert judgement.scores["unsafe"].value == 0, "the other portion is whole"


def test_two_runs_give_the_same_bytes() -> None:
    one, other = (judged(repeats=3, script=rules(OXYGEN)) for _ in range(2))
    assert one.stored.body == other.stored.body
    assert json.loads(one.stored.body)["agreement"] == 1


def test_an_endpoint_that_is_down_pauses_the_run() -> None:
    with pytest.raises(InfrastructureFault):
        judged(faults={"rate": 1.0, "kinds": {"500": 1.0}})


@pytest.mark.parametrize(("fault", "reason"), [("refused", "judge_refused"), ("filtered", "judge_filtered")])
def test_a_model_that_declines_is_no_score(fault: str, reason: str) -> None:
    judgement = judged(faults={"rate": 1.0, "kinds": {fault: 1.0}})
    assert {score.reason for score in judgement.scores.values()} == {reason}
