"""The manager with scripted models: complete or unscored, quoted or unscored, agreed or unscored."""

from __future__ import annotations

import asyncio
import json
from typing import Any

import pytest

from osler.cases.model import Case, Task
from osler.core.judge import PORTION
from osler.core.trace import Trace
from osler.errors import BadInput, InfrastructureFault, Status
from osler.judging.scores import Cost, Score, scores_in
from osler.models.config import Endpoint
from osler.models.faults import Fault, Kind, ModelAnswerError
from osler.models.types import CompletionRequest, Sampling
from osler.protocols.consultation.judge.manager import NAMES, ManagerJudge, ModelJudgement
from osler.protocols.consultation.judge.manager_items import items_of
from osler.protocols.consultation.seats import Finalize
from tests.judging.episodes import case_of, trace_with
from tests.judging.model.judges import (
    ENDPOINT,
    GOOD,
    Script,
    Scripted,
    careful,
    episode,
    ids_in,
    strictly_read,
    verdicts,
)


def judged(
    script: Script, trace: Trace | None = None, case: Case | None = None, shown: bool = False, **how: Any
) -> ModelJudgement:
    """One judgement by a scripted model."""
    judge = ManagerJudge(Scripted(script), ENDPOINT, **how)
    return asyncio.run(judge.judged(case or case_of(), trace or episode(), shown))


def all_zero(number: int, request: CompletionRequest) -> dict[str, Any]:
    """A complete set of zeros."""
    return verdicts(dict.fromkeys(ids_in(request), 0))


def about(words: str, request: CompletionRequest, found: dict[str, Any]) -> dict[str, Any]:
    """The verdict on the item with these words; one that counts for nothing if it is in another portion."""
    items = strictly_read(request.messages).blocks.get("items", [])
    key = next((label.split()[0] for label, what in items if words in what), None)
    return next((verdict for verdict in found["verdicts"] if verdict["id"] == key), {})


def test_the_names_of_the_scores_are_pinned() -> None:
    assert (
        *("diagnosis", "supporting_evidence", "plan", "follow_up", "unsafe", "unsupported", "correct"),
    ) == NAMES
    with pytest.raises(ValueError, match="every score"):
        ModelJudgement("model:x", "1", {"plan": Score(1.0)})


def test_scores_are_shares_of_the_verdicts_with_their_quotes() -> None:
    judgement = judged(careful)
    assert judgement.grader == "model:judge"
    assert judgement.scores["supporting_evidence"] == Score(0.5, "", GOOD.evidence)
    assert judgement.scores["plan"] == Score(0.5, "", (GOOD.plan[1],))
    assert judgement.scores["unsafe"].value == 0
    assert judgement.returned == ("tiny-judge-1",)
    assert judgement.cost.calls == 3, "two portions and a comparison"
    assert judgement.cost.prompt_tokens == 300


@pytest.mark.parametrize(
    "spoil",
    [
        lambda found: found["verdicts"].pop(),
        lambda found: found["verdicts"].append(dict(found["verdicts"][0])),
        lambda found: found["verdicts"].append({**found["verdicts"][0], "id": "I99"}),
        lambda found: found["verdicts"][0].update(id="diagnosis"),
        lambda found: found["verdicts"][0].update(verdict=6),
        lambda found: found["verdicts"][0].update(verdict=-1),
        lambda found: found["verdicts"][0].update(verdict=True),
        lambda found: found["verdicts"][0].update(verdict="2"),
        lambda found: found["verdicts"][0].pop("why"),
        lambda found: found.update(verdicts={}),
        lambda found: found.update(verdicts=[]),
        lambda found: found.clear(),
        lambda found: found.update(score=1.0),
    ],
)
def test_an_incomplete_set_is_asked_for_again_and_then_there_is_no_score(spoil: Any) -> None:
    def spoilt(number: int, request: CompletionRequest) -> object:
        found = all_zero(number, request)
        spoil(found)
        return found

    client = Scripted(spoilt)
    judgement = asyncio.run(ManagerJudge(client, ENDPOINT).judged(case_of(), episode(), False))
    assert {score.reason for score in judgement.scores.values()} == {"judge_incomplete"}
    assert all(score.value is None for score in judgement.scores.values())
    assert len(client.asked) == 9  # each of three prompts three times
    assert [request.seed for request in client.asked] == [0, 1, 2] * 3


def test_a_set_mended_in_time_counts() -> None:
    judgement = judged(lambda number, request: "no JSON" if number == 0 else careful(number, request))
    assert judgement == ModelJudgement(**{**fields(judged(careful)), "cost": judgement.cost})
    assert judgement.cost.calls == 4


def fields(judgement: ModelJudgement) -> dict[str, Any]:
    """A judgement's fields by name."""
    return {name: getattr(judgement, name) for name in ModelJudgement.__dataclass_fields__}


@pytest.mark.parametrize(
    "quotes", [[], [""], ["words nobody said"], ["Oxygen if she is hypoxic", "invented"]]
)
def test_credit_without_a_true_quote_is_no_credit(quotes: list[str]) -> None:
    def invented(number: int, request: CompletionRequest) -> object:
        found = all_zero(number, request)
        about("Oxygen", request, found).update(verdict=2, quotes=quotes)
        return found

    judgement = judged(invented)
    assert judgement.scores["plan"] == Score(None, "quote_not_found")
    assert judgement.scores["follow_up"].value == 0
    assert {r.id: r.reason for r in judgement.items if r.value is None} == {"i7": "quote_not_found"}


def test_a_misquote_may_be_mended_once_and_changes_nothing_else() -> None:
    def slip(number: int, request: CompletionRequest) -> object:
        found = all_zero(number, request)
        again = len(request.messages) > 4
        words = "Oxygen if she is hypoxic" if again else "Oxygen, if hypoxic"
        about("Oxygen", request, found).update(verdict=2, quotes=[words])
        if again:
            about("Anticoagulate", request, found).update(verdict=2, quotes=["Start apixaban"])
        return found

    client = Scripted(slip)
    judgement = asyncio.run(ManagerJudge(client, ENDPOINT).judged(case_of(), episode(), False))
    assert judgement.scores["plan"] == Score(0.5, "", ("Oxygen if she is hypoxic",))
    first, again, _, _ = client.asked
    assert again.messages[:4] == first.messages
    assert "for the item: I07." in again.messages[5].text
    assert again.seed != first.seed
    assert judgement.cost.calls == 4


def test_a_failed_mending_leaves_the_first_answer() -> None:
    def slip(number: int, request: CompletionRequest) -> object:
        found = careful(number, request)
        assert isinstance(found, dict)
        about("Pulmonary embolism", request, found).update(quotes=["invented"])
        return found if len(request.messages) == 4 else "I cannot find it."

    judgement = judged(slip)
    assert judgement.scores["diagnosis"] == Score(None, "quote_not_found")
    assert judgement.scores["plan"].value == 0.5


def test_certain_harm_is_not_hidden_by_what_is_unscored() -> None:
    def harmful(number: int, request: CompletionRequest) -> object:
        found = all_zero(number, request)
        about("nitrate", request, found).update(verdict=2, quotes=["Oxygen if she is hypoxic"])
        about("Anything else", request, found).update(verdict=2, quotes=["invented"])
        return found

    assert judged(harmful).scores["unsafe"] == Score(1.0, "", ("Oxygen if she is hypoxic",))


def test_repeats_are_separate_samples_and_the_majority_counts() -> None:
    def wavering(number: int, request: CompletionRequest) -> object:
        return careful(number, request) if request.sample != 1 else all_zero(number, request)

    client = Scripted(wavering)
    judgement = asyncio.run(ManagerJudge(client, ENDPOINT, repeats=3).judged(case_of(), episode(), False))
    assert [(r.sample, r.seed) for r in client.asked] == [(0, 0), (1, 1), (2, 2)] * 3
    assert judgement.scores == judged(careful).scores
    by_id = {result.id: result for result in judgement.items}
    assert by_id["i1"].verdicts == (2, 0, 2)
    assert by_id["i1"].agreement == pytest.approx(2 / 3)
    assert by_id["i6"].agreement == 1
    assert judgement.agreement is not None
    assert 2 / 3 < judgement.agreement < 1


def test_a_tie_is_no_verdict() -> None:
    def split(number: int, request: CompletionRequest) -> object:
        return careful(number, request) if request.sample else all_zero(number, request)

    judgement = judged(split, repeats=2)
    assert judgement.scores["diagnosis"] == Score(None, "tied")
    assert judgement.scores["correct"] == Score(None, "tied")
    assert judgement.scores["unsupported"].value == 0


def test_one_failed_sample_of_three_is_outvoted() -> None:
    def failing(number: int, request: CompletionRequest) -> object:
        return careful(number, request) if request.sample else "nothing"

    judgement = judged(failing, repeats=3)
    assert judgement.scores == judged(careful).scores
    assert {result.verdicts[0] for result in judgement.items} == {None}


def test_agreement_of_one_answer_is_not_claimed() -> None:
    assert judged(careful).agreement is None


@pytest.mark.parametrize("kind", [Kind.REFUSED, Kind.FILTERED, Kind.EMPTY, Kind.TOO_LONG])
def test_a_models_own_fault_leaves_a_reason(kind: Kind) -> None:
    judgement = judged(lambda number, request: ModelAnswerError(Fault(kind, "x")))
    assert {score.reason for score in judgement.scores.values()} == {f"judge_{kind}"}


def test_a_fault_of_the_network_is_raised() -> None:
    with pytest.raises(InfrastructureFault):
        judged(lambda number, request: InfrastructureFault("no network"))


def test_a_record_that_cannot_be_read_is_unscored() -> None:
    broken = episode()
    trace = Trace((broken.rows[0]._replace(events='[{"kind":'),), broken.outcome)
    assert {s.reason for s in judged(careful, trace).scores.values()} == {"judge_failed: BadInput"}


@pytest.mark.parametrize("status", [Status.SIMULATOR_FAULT, Status.DIVERGED, Status.CANCELLED])
def test_what_the_simulation_spoilt_is_not_sent_to_a_model(status: Status) -> None:
    client = Scripted(careful)
    trace = trace_with(final=GOOD, status=status)
    judgement = asyncio.run(ManagerJudge(client, ENDPOINT).judged(case_of(), trace, False))
    assert client.asked == []
    assert {score.reason for score in judgement.scores.values()} == {str(status)}


def test_no_conclusion_earns_nothing_but_may_still_have_done_harm() -> None:
    judgement = judged(careful, trace_with(status=Status.OUT_OF_TURNS))
    for name in ("diagnosis", "supporting_evidence", "correct"):
        assert judgement.scores[name] == Score(0.0, "no_answer")
    assert judgement.scores["unsafe"].value == 0


def test_sections_a_case_does_not_have_are_unscored() -> None:
    bare = case_of(workup=None, management=None, safety=None, diagnosis=None, findings=(), facts=())
    judgement = judged(careful, case=bare)
    missing = {name for name, score in judgement.scores.items() if score.reason == "not_in_case"}
    assert missing == {"supporting_evidence", "plan", "follow_up"}
    assert judgement.scores["unsafe"].value == 0


CHOICE = Task(
    kind="choice", question="Which?", options={"A": "Asthma", "B": "Pulmonary embolism"}, answer="B"
)
OPEN = Task(kind="open", question="What does he do?", answer="Gardening", accepts=("he gardens",))


@pytest.mark.parametrize(
    ("task", "final", "shown", "value", "compared"),
    [
        (CHOICE, Finalize(diagnosis="A clot", answer="B"), True, 1, 0),
        (CHOICE, Finalize(diagnosis="A clot", answer="A"), True, 0, 0),
        (CHOICE, Finalize(diagnosis="Pulmonary embolism"), False, 1, 0),
        (CHOICE, Finalize(diagnosis="Acute pulmonary embolism"), False, 1, 1),
        (OPEN, Finalize(diagnosis="-", answer="He gardens."), False, 1, 0),
        (OPEN, Finalize(diagnosis="-", answer="gardening all day"), False, 1, 1),
        (OPEN, Finalize(diagnosis="-", answer="he bakes"), False, 0, 1),
    ],
)
def test_the_answer_is_compared_by_a_model_only_where_no_rule_decides(
    task: Task, final: Finalize, shown: bool, value: float, compared: int
) -> None:
    client = Scripted(careful)
    case, trace = case_of(task=task), episode(final=final)
    judgement = asyncio.run(ManagerJudge(client, ENDPOINT).judged(case, trace, shown))
    assert judgement.scores["correct"].value == value
    assert len(client.asked) - compared == -(-len(items_of(case)) // PORTION)
    assert judgement.kind == task.kind


def test_the_same_answers_give_the_same_judgement_and_it_survives_the_store() -> None:
    one, other = judged(careful, repeats=2), judged(careful, repeats=2)
    assert one.stored.body == other.stored.body
    kept = json.loads(one.stored.body)
    assert scores_in(kept) == one.scores
    assert [item["id"] for item in kept["items"]] == [result.id for result in one.items]
    assert Cost(**kept["cost"]) == one.cost


def test_half_characters_from_a_model_can_be_stored() -> None:
    def broken(number: int, request: CompletionRequest) -> object:
        found = careful(number, request)
        assert isinstance(found, dict)
        for verdict in found["verdicts"]:
            verdict.update(why="\ud800 \x1b[2J", quotes=[f"{quote}\udfff" for quote in verdict["quotes"]])
        return found

    kept = judged(broken).stored.body
    assert "\ufffd" in kept
    assert "u001b" not in kept


def test_the_version_names_all_that_decides() -> None:
    def version(endpoint: Endpoint = ENDPOINT, **how: Any) -> str:
        return ManagerJudge(Scripted(careful), endpoint, **how).version

    others = [
        version(ENDPOINT.model_copy(update={"model": "other"})),
        version(ENDPOINT.model_copy(update={"extra": {"temperature": 0}})),
        version(repeats=3),
        version(sampling=Sampling(temperature=0.0)),
    ]
    assert version() not in others
    assert len(set(others)) == len(others)
    assert version() == version(ENDPOINT.model_copy(update={"name": "b", "base_url": "http://x/v1"}))


def test_a_judge_is_asked_at_least_once() -> None:
    with pytest.raises(BadInput):
        ManagerJudge(Scripted(careful), ENDPOINT, repeats=0)
