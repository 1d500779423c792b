"""Faults that concern one episode end it, unscored, and the others go on; faults of all pause the run."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Final

import pytest

from osler.core.config import Config as RunOf
from osler.core.factory import Factory
from osler.core.role import Seating
from osler.models.config import Config
from osler.models.open_models import Models
from osler.players.casting import players_of
from osler.protocols.consultation.config import RunConfig
from osler.protocols.consultation.settings import Limits, Settings
from osler.protocols.scenario.config import ScenarioConfig
from osler.protocols.ward_round.config import RoundConfig
from osler.runs import run as runs
from osler.runs.run import Session
from osler.runs.totals import totals
from osler.store.records import RunInfo
from osler.store.store import Store, open_store
from tests.endpoints import running
from tests.runs.test_model_faults import (
    HASTY,
    KEY,
    SWIFT,
    UNCACHED,
    VARIABLE,
    begun,
    endpoint,
    lines_of,
    stats,
)

FEW: Final = Settings(limits=Limits(max_turns=4))
TEN: Final = RunConfig(doctor="model:fake", cases="generated:10:1", settings=FEW)
NOTES: Final = [
    "A man of 85 with shortness of breath.",
    "A boy of 10 with headache.",
    "A woman of 82 with a rash that does not fade on pressure.",
]
"""The door notes of the cases 0, 1 and 6 of `TEN`, which no other case has."""
REFUSED: Final = {"status": 400, "reply": "Invalid 'messages[3].content'"}
HEALTHY: Final[list[dict[str, Any]]] = UNCACHED
KINDS: Final[dict[str, RunOf]] = {
    "consultation": RunConfig(doctor="model:fake", limit=3, settings=FEW),
    "ward_round": RoundConfig(tutor="model:fake", limit=3),
    "scenario": ScenarioConfig(examinee="model:fake", limit=3),
}
SEATS: Final = {"consultation": "doctor", "ward_round": "tutor", "scenario": "examinee"}


@pytest.fixture(autouse=True)
def key(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(VARIABLE, KEY)


def poison(*notes: str, **rule: Any) -> list[dict[str, Any]]:
    """An endpoint that refuses every prompt with one of these notes."""
    return [{"match": {"anywhere": note}, **(rule or REFUSED)} for note in notes] + HEALTHY


def play(
    run: RunInfo,
    store: Store,
    found: Config,
    *,
    concurrency: int = 8,
    max_errors: int | None = None,
    more: dict[str, Factory] | None = None,
) -> Session:
    models = Models(found, manners=SWIFT)
    players = {**players_of(Seating(runs.config_of(run), models)), **(more or {})}
    return runs.play(run, store, concurrency=concurrency, max_errors=max_errors, more=players, around=models)


@contextmanager
def opened(
    tmp_path: Path, script: Sequence[dict[str, Any]], config: RunOf = TEN, **more: Any
) -> Iterator[tuple[RunInfo, Store, Config]]:
    """A run begun in a new store, with a scripted endpoint."""
    name = f"{len(list(tmp_path.iterdir()))}.db"
    with running(script=list(script)) as url, open_store(tmp_path / name) as store:
        found = endpoint(url, **more)
        yield runs.begin(config, store, players_of(Seating(config, Models(found)))), store, found


def statuses(store: Store, run: RunInfo) -> list[str]:
    return [str(row.status) for row in store.episodes(run.id)]


@pytest.mark.parametrize("concurrency", [1, 8])
@pytest.mark.parametrize("poisoned", [[0], [6], [0, 1, 6]])
def test_a_poisoned_case_ends_alone_whatever_its_place_and_the_concurrency(
    poisoned: list[int], concurrency: int, tmp_path: Path
) -> None:
    notes = [NOTES[[0, 1, 6].index(case)] for case in poisoned]
    with opened(tmp_path, poison(*notes)) as (run, store, found):
        sitting = play(run, store, found, concurrency=concurrency)
        assert (sitting.status, sitting.run.done) == ("done", 10), sitting.why
        ended = statuses(store, run)
        assert [n for n, status in enumerate(ended) if status == "endpoint_fault"] == poisoned
        row = next(row for row in store.episodes(run.id) if row.ordinal == poisoned[0])
        assert "endpoint fake: bad request: HTTP 400 Invalid 'messages" in row.reason
        summed = totals(run, store)
        headline = summed.measures["correct"]
        assert (headline.n, headline.unscored) == (10 - len(poisoned), len(poisoned))
        assert summed.as_json()["ended_because"]["endpoint_fault"] == {"bad_request": len(poisoned)}


def test_the_same_episodes_end_with_the_same_bytes_at_any_concurrency(tmp_path: Path) -> None:
    exports = []
    for concurrency in (1, 16):
        with opened(tmp_path, poison(*NOTES)) as (run, store, found):
            assert play(run, store, found, concurrency=concurrency).status == "done"
            exports.append(lines_of(store, run))
    assert exports[0] == exports[1]


@pytest.mark.parametrize("kind", KINDS)
def test_every_protocol_goes_on_without_an_episode_whose_later_turn_is_refused(
    kind: str, tmp_path: Path
) -> None:
    config, seat = KINDS[kind], SEATS[kind]
    fifth = {"match": {"seat": seat, "nth": 5}, **REFUSED}
    with opened(tmp_path, [fifth, *HEALTHY], config) as (run, store, found):
        sitting = play(run, store, found, concurrency=1)
        assert sitting.status == "done", sitting.why
        ended = Counter(statuses(store, run))
        assert ended["endpoint_fault"] == 1
        assert ended.total() == run.planned
        stopped = next(row for row in store.episodes(run.id) if row.status == "endpoint_fault")
        before = store.recorded(run.id, stopped.ordinal)
        assert runs.forget_faults(run, store) == 1
        assert store.recorded(run.id, stopped.ordinal) == before, "it goes on where its record stands"
        assert play(store.info(run.id), store, found, concurrency=1).status == "done"
        mended = lines_of(store, run)
    with opened(tmp_path, HEALTHY, config) as (run, store, found):
        assert play(run, store, found).status == "done"
        assert lines_of(store, run) == mended


@pytest.mark.parametrize("seat", ["patient", "examination"])
def test_a_refusal_in_a_seat_of_the_simulation_ends_the_episode_by_the_endpoint(
    seat: str, tmp_path: Path
) -> None:
    config = RunConfig.model_validate({seat: "model:fake", "limit": 3})
    second = {"match": {"nth": 2}, **REFUSED}
    with opened(tmp_path, [second, *HEALTHY], config) as (run, store, found):
        assert play(run, store, found, concurrency=1).status == "done"
        assert Counter(statuses(store, run))["endpoint_fault"] == 1


@pytest.mark.parametrize("concurrency", [1, 4])
def test_a_model_that_loops_on_one_case_until_the_time_is_up_ends_that_one(
    concurrency: int, tmp_path: Path
) -> None:
    config = TEN.model_copy(update={"limit": 3, "settings": Settings(limits=Limits(max_turns=2))})
    slow = poison(NOTES[1], delay_ms=60_000)
    with opened(tmp_path, slow, config, timeout_s=0.5) as (run, store, found):
        sitting = play(run, store, found, concurrency=concurrency)
        assert sitting.status == "done", sitting.why
        assert [n for n, status in enumerate(statuses(store, run)) if status == "endpoint_fault"] == [1]
        (row,) = [row for row in store.episodes(run.id) if row.status == "endpoint_fault"]
        assert "timeout: no answer in time (after 5 tries)" in row.reason


@pytest.mark.parametrize("concurrency", [1, 8])
@pytest.mark.parametrize(
    ("rule", "words"),
    [
        ({"status": 400, "reply": "unknown field"}, "bad request"),
        ({"status": 401, "reply": "wrong key"}, "auth"),
        ({"status": 402, "reply": "no credit"}, "quota"),
        ({"delay_ms": 60_000}, "timeout"),
    ],
)
def test_what_an_endpoint_does_to_every_request_pauses_the_run_and_ends_nothing(
    rule: dict[str, Any], words: str, concurrency: int, tmp_path: Path
) -> None:
    with opened(tmp_path, [rule], timeout_s=0.3) as (run, store, found):
        sitting = play(run, store, found, concurrency=concurrency)
        assert sitting.status == "paused"
        assert f"endpoint fake: {words}" in sitting.why
        assert statuses(store, run) == []


def test_where_only_a_probe_is_answered_the_endpoint_is_at_fault(tmp_path: Path) -> None:
    """As with a chat template that has no system role: no real request was ever answered."""
    with opened(tmp_path, [{"match": {"contains": "Say yes"}, "reply": "yes"}, REFUSED]) as (
        run,
        store,
        found,
    ):
        sitting = play(run, store, found, concurrency=1)
        assert sitting.status == "paused"
        assert statuses(store, run) == []
        assert stats(found.endpoint("fake").base_url)["requests"] < 20, "it does not try every case"


def test_a_run_of_one_poisoned_case_ends_if_the_endpoint_answers_a_probe(tmp_path: Path) -> None:
    alone = TEN.model_copy(update={"limit": 1, "repeats": 3})
    with opened(tmp_path, poison(NOTES[0]), alone) as (run, store, found):
        assert play(run, store, found, concurrency=2).status == "done"
        assert statuses(store, run) == ["endpoint_fault"] * 3


def test_a_key_that_is_revoked_on_the_way_pauses_and_those_under_way_are_kept(tmp_path: Path) -> None:
    well = [{"match": {"nth": 1}, **HEALTHY[0]} for _ in range(12)]  # each answers once
    revoked = [*well, {"status": 401, "reply": "revoked"}]
    with opened(tmp_path, revoked) as (run, store, found):
        sitting = play(run, store, found, concurrency=4)
        assert sitting.status == "paused"
        assert "endpoint fake: auth" in sitting.why
        assert "endpoint_fault" not in statuses(store, run)
        held = sum(len(store.recorded(run.id, n)) for n in range(10))
        assert held >= 12, "every answer is recorded"


def test_too_many_faults_pause_the_run(tmp_path: Path) -> None:
    with opened(tmp_path, poison(*NOTES)) as (run, store, found):
        sitting = play(run, store, found, concurrency=1, max_errors=1)
        assert sitting.status == "paused"
        assert "2 episodes ended by faults, more than 1" in sitting.why
        again = play(store.info(run.id), store, found, concurrency=1, max_errors=5)
        assert again.status == "done", again.why


def test_resuming_with_only_poisoned_episodes_left_ends(tmp_path: Path) -> None:
    with running(script=HEALTHY) as url, open_store(tmp_path / "o.db") as store:
        run = begun(TEN, store, endpoint(url))
        assert play(run, store, endpoint(url)).status == "done"
        before = lines_of(store, run)
        for ordinal in (0, 1, 6):
            store.forget(run.id, ordinal)
        with running(script=poison(*NOTES)) as poisoned:
            sitting = play(store.info(run.id), store, endpoint(poisoned))
            assert sitting.status == "done", sitting.why
        assert Counter(statuses(store, run))["endpoint_fault"] == 3
        assert runs.forget_faults(run, store) == 3
        assert play(store.info(run.id), store, endpoint(url)).status == "done"
        assert lines_of(store, run) == before


@pytest.mark.slow
def test_two_in_a_hundred_of_a_thousand_then_lifted_is_equal_to_an_undisturbed_run(tmp_path: Path) -> None:
    check_lifted(1000, tmp_path)


@pytest.mark.slow
def test_two_in_a_hundred_then_lifted_is_equal_to_an_undisturbed_run(tmp_path: Path) -> None:
    check_lifted(100, tmp_path)


def check_lifted(many: int, tmp_path: Path) -> None:
    config = TEN.model_copy(
        update={"cases": f"generated:{many}:5", "settings": Settings(limits=Limits(max_turns=1))}
    )
    notes = Counter(case.opening.door_note for case in config.opened())
    rare = [note for note, times in notes.items() if times == 1][: many // 50]
    with running(script=poison(*rare)) as url, open_store(tmp_path / "o.db") as store:
        run = begun(config, store, endpoint(url))
        assert play(run, store, endpoint(url), concurrency=32).status == "done"
        assert Counter(statuses(store, run))["endpoint_fault"] == len(rare) > 0
        with running(script=HEALTHY) as healthy:
            assert runs.forget_faults(run, store) == len(rare)
            assert play(store.info(run.id), store, endpoint(healthy)).status == "done"
        mended = lines_of(store, run)
    with opened(tmp_path, HEALTHY, config) as (run, store, found):
        assert play(run, store, found, concurrency=32).status == "done"
        assert lines_of(store, run) == mended


TOO_LONG: Final = {
    "openai": (
        400,
        "This model's maximum context length is 8192 tokens. However, your messages resulted in 9000.",
    ),
    "vllm": (
        400,
        "This model's maximum context length is 4096 tokens. However, you requested 5000 tokens (4000 in the"
        " messages, 1000 in the completion). Please reduce the length of the messages or completion.",
    ),
    "llama.cpp": (400, "the request exceeds the available context size (4096 tokens), try increasing it"),
    "llama-cpp-python": (500, "Requested tokens (5000) exceed context window of 4096"),
    "sglang": (400, "The input (5000 tokens) is longer than the model's context length (4096 tokens)."),
    "tgi": (
        422,
        "Input validation error: `inputs` tokens + `max_new_tokens` must be <= 4096. Given: 5000 `inputs`",
    ),
    "ollama": (400, "prompt too long; exceeded max context length by 12 tokens"),
    "anthropic": (400, "prompt is too long: 210000 tokens > 200000 maximum"),
    "gemini": (
        400,
        "The input token count (1200000) exceeds the maximum number of tokens allowed (1048576).",
    ),
}


@pytest.mark.parametrize("server", TOO_LONG)
@pytest.mark.parametrize(("seat", "status"), [("doctor", "out_of_budget"), ("patient", "simulator_fault")])
def test_a_history_beyond_the_context_is_asked_once_and_no_fault_of_the_endpoint(
    server: str, seat: str, status: str, tmp_path: Path
) -> None:
    code, words = TOO_LONG[server]
    config = RunConfig.model_validate({seat: "model:fake", "limit": 1, "settings": FEW})
    with opened(tmp_path, [{"status": code, "reply": words}], config) as (run, store, found):
        assert play(run, store, found).status == "done"
        (row,) = store.episodes(run.id)
        assert (row.status, row.cause) == (status, "context")
        with_answer = server in ("vllm", "tgi")  # these count the answer asked for, too: once more without
        assert stats(found.endpoint("fake").base_url)["requests"] == 1 + with_answer
        value = totals(run, store).measures["correct"]
        assert (value.value, value.unscored) == ((0, 0) if seat == "doctor" else (None, 1))


CAUSES: Final[dict[str, tuple[str, dict[str, Any]]]] = {
    "azure": (
        "filtered",
        {
            "status": 400,
            "reply": "The response was filtered due to the prompt triggering"
            " Azure OpenAI's content management policy.",
        },
    ),
    "finish": ("filtered", {"reply": "", "finish_reason": "content_filter"}),
    "prose": ("refused", {"reply": "I'm sorry, but I can't provide medical advice."}),
    "cut": ("truncated", {"reply": '{"action": "ASK', "finish_reason": "length"}),
    "cut thought": ("thought_only", {"reply": "<think>Let me see", "finish_reason": "length"}),
    "thought": ("thought_only", {"reply": "<think>Let me see</think>"}),
    "empty": ("empty", {"reply": ""}),
    "words": ("unparsable", {"reply": "Where does it hurt?"}),
    "form": ("invalid", {"reply": {"action": "DANCE"}}),
}


@pytest.mark.parametrize("name", CAUSES)
def test_what_a_model_brings_on_itself_is_wrong_and_says_its_cause(name: str, tmp_path: Path) -> None:
    cause, rule = CAUSES[name]
    config = TEN.model_copy(update={"limit": 2})
    with opened(tmp_path, [rule], config) as (run, store, found):
        assert play(run, store, found).status == "done"
        lines = [json.loads(line) for line in lines_of(store, run)]
        assert {line["status"] for line in lines} == {"invalid_play"}
        attempts = [one for line in lines for row in line["exchanges"] for one in row["attempts"]]
        assert {one["cause"] for one in attempts if one["at"] == "refused"} == {cause}
        assert {row.cause for row in store.episodes(run.id)} == {cause}
        found_in = totals(run, store)
        assert found_in.measures["correct"].value == 0
        assert found_in.as_json()["ended_because"] == {"invalid_play": {cause: 2}}
        declined = cause in ("filtered", "refused")
        assert (found_in.headline_bounds == (0.0, 1.0)) is declined


class Broken:
    """A player whose program fails on one case."""

    name, durable = "broken", False

    def __init__(self, error: Exception) -> None:
        self._error = error

    async def reply(self, request: object) -> object:
        raise self._error


def raising(error: Exception, only: str) -> dict[str, Factory]:
    from osler.protocols.consultation.players.doctor import BaselineDoctor  # noqa: PLC0415

    good: Any = BaselineDoctor()
    bad: Any = Broken(error)
    return {"mine": lambda asked: bad if asked.case.id == only else good}


@pytest.mark.parametrize(
    "error", [NameError("name 'x' is not defined"), ConnectionError("reset"), KeyError("a")]
)
def test_a_players_exception_is_no_answer_and_pauses_the_run_with_its_name(
    error: Exception, tmp_path: Path
) -> None:
    config = RunConfig(doctor="mine", cases="generated:3:1", settings=FEW)
    players = raising(error, "made-1-1")
    with open_store(tmp_path / "o.db") as store:
        run = runs.begin(config, store, players)
        sitting = runs.play(run, store, concurrency=1, more=players)
        assert sitting.status == "paused"
        assert (
            f"episode {run.name}:1: the player broken (doctor) raised {type(error).__name__}" in sitting.why
        )
        assert statuses(store, run) == ["completed"]
        counted = runs.play(store.info(run.id), store, more=players, max_errors=1)
        assert counted.status == "done", counted.why
        assert statuses(store, run)[1] == "player_fault"
        assert totals(run, store).measures["correct"].unscored == 1
        assert totals(run, store).as_json()["ended_because"] == {"player_fault": {type(error).__name__: 1}}


def test_a_players_value_error_is_no_valid_move(tmp_path: Path) -> None:
    config = RunConfig(doctor="mine", cases="generated:3:1", settings=FEW)
    players = raising(ValueError("no"), "made-1-1")
    with open_store(tmp_path / "o.db") as store:
        run = runs.begin(config, store, players)
        assert runs.play(run, store, more=players).status == "done"
        assert statuses(store, run)[1] == "invalid_play"


def test_after_a_pause_no_answer_is_lost_and_those_under_way_play_on(tmp_path: Path) -> None:
    """The patient's endpoint is gone; the doctor's is well."""
    config = RunConfig(doctor="model:fake", patient="model:other", cases="generated:6:1", settings=FEW)
    with running(script=HEALTHY) as url, open_store(tmp_path / "o.db") as store:
        found = endpoint(url)
        other = found.endpoint("fake").model_copy(
            update={"name": "other", "base_url": "http://127.0.0.1:1/v1"}
        )
        found = found.model_copy(update={"endpoints": {**found.endpoints, "other": other}})
        run = begun(config, store, found)
        models = Models(found, manners=HASTY)
        sitting = runs.play(
            run, store, concurrency=3, more=players_of(Seating(runs.config_of(run), models)), around=models
        )
        assert sitting.status == "paused"
        assert "endpoint other: connection" in sitting.why
        assert all(store.recorded(run.id, n) for n in range(3)), "the doctors' answers are kept"
