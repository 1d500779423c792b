"""A session over the real server and client: encounters are played, scored, refused and left."""

from __future__ import annotations

import asyncio
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest
from openenv.cli._validation import validate_running_environment
from openenv.core import GenericEnvClient

from osler.adapters.openenv import Encounters, OslerAction, OslerEnv
from osler.errors import BadInput
from osler.protocols.consultation.config import RunConfig
from osler.protocols.scenario.config import ScenarioConfig
from osler.protocols.ward_round.config import RoundConfig
from osler.protocols.ward_round.settings import RoundSettings
from tests.adapter_tools.openenv.serving import in_order, served, to_the_end

THREE = RunConfig(cases="library", limit=3)
DOCTOR = in_order("When did it start?", "Where exactly does it hurt?", "DIAGNOSIS READY: [migraine]")
PLAYED: dict[str, Any] = {
    "consultation": (THREE, DOCTOR),
    "ward_round": (
        RoundConfig(cases="library", limit=1, moves="json", settings=RoundSettings(max_rounds=2)),
        in_order('{"guidance": "Which finding would change your mind?"}'),
    ),
    "scenario": (
        ScenarioConfig(cases="library", limit=1),
        in_order('{"words": "Good morning, may I examine you?", "actions": ["Take the vital signs"]}'),
    ),
}


@pytest.mark.parametrize("protocol", PLAYED)
def test_an_encounter_of_every_protocol_is_played_and_rewarded(protocol: str) -> None:
    config, policy = PLAYED[protocol]
    with served(config) as server, server.client() as env:
        seen = to_the_end(env, policy, row=0)
        assert seen.done
        assert seen.reward is not None
        assert seen.unscored == ""
        assert env.state().step_count > 1
        assert env.state().status == seen.status
    [(row, played)] = server.played
    assert row == 0
    assert played.trace.outcome.status == seen.status
    assert server.encounters.tally.scored == 1


def test_the_reward_is_the_measure_named_and_others_are_shown_by_name() -> None:
    with (
        served(THREE, reward="correct_or_unsupported", scores=("turns", "cost")) as server,
        server.client() as env,
    ):
        seen = to_the_end(env, DOCTOR, row=1)
    scores = server.played[0][1].scores
    assert seen.reward == scores["correct_or_unsupported"]
    assert seen.scores == {"turns": 3.0, "cost": scores["cost"]}


@pytest.mark.parametrize("player", ["external", "person"])
def test_nobody_but_the_policy_is_outside(player: str) -> None:
    with pytest.raises(BadInput, match="only the doctor can be"):
        Encounters(THREE.model_copy(update={"patient": player}))


@pytest.mark.parametrize(("reward", "why"), [("cost", "more of cost is not better"), ("luck", "luck")])
def test_a_measure_that_is_no_reward_is_refused(reward: str, why: str) -> None:
    with pytest.raises(BadInput, match=why):
        Encounters(THREE, reward=reward)


def test_the_same_seed_is_the_same_row_and_the_same_bytes_and_without_one_rows_come_in_order() -> None:
    with served(THREE) as server, server.client() as one, server.client() as other:
        first = [one.reset(seed=seed).observation.messages for seed in (0, 1, 2)]
        again = [other.reset(seed=seed).observation.messages for seed in (3, 4, 5)]
        rows = []
        for env in (one, other, one, other):
            env.reset()
            rows.append(env.state().row)
    assert first == again
    assert first[0] != first[1]
    assert rows == [0, 1, 2, 0]


def test_many_sessions_at_once_are_independent() -> None:
    def play(number: int) -> tuple[float | None, Any]:
        with server.client() as env:
            seen = to_the_end(env, DOCTOR, seed=number % 3)
            return seen.reward, env.state()

    with served(THREE, sessions=32) as server, ThreadPoolExecutor(32) as pool:
        found = list(pool.map(play, range(32)))
    assert len(server.played) == 32
    by_row = dict(server.played)
    assert all(played == by_row[row] for row, played in server.played)
    for number, (reward, state) in enumerate(found):
        assert (state.row, reward) == (number % 3, by_row[number % 3].scores["correct"])


def test_the_state_shows_the_world_and_never_the_case() -> None:
    case = next(iter(THREE.opened()))
    with served(THREE) as server, server.client() as env:
        env.reset(row=0, episode_id="mine")
        state, world = env.state(), server.encounters.world.episode(0).world
    assert (state.episode_id, state.world, state.row, state.rows) == ("mine", world, 0, 3)
    assert case.id not in state.model_dump_json()


def test_a_reset_leaves_the_encounter_under_way_and_its_tickets() -> None:
    with served(THREE) as server, server.client() as env:
        old = env.reset(row=0).observation.ticket
        new = env.reset(row=0).observation.ticket
        with pytest.raises(RuntimeError, match=r"prompt '1\.0' is not open \(now 2\.0 is\)"):
            env.step(OslerAction(text="When did it start?", ticket=old))
        assert env.step(OslerAction(text="When did it start?", ticket=new)).observation.ticket == "2.1"
    assert server.played == []


def test_a_double_step_moves_once() -> None:
    async def twice(url: str) -> list[Any]:
        async with OslerEnv(base_url=url) as env:
            await env.reset(row=0)
            sent = {"type": "step", "data": env._step_payload("When did it start?")}
            for _ in range(2):
                await env._send(sent)
            return [await env._receive(), await env._receive(), await env.state()]

    with served(THREE) as server:
        first, second, state = asyncio.run(twice(server.url))
    assert first["data"]["observation"]["ticket"] == "1.1"
    assert (second["type"], "is not open" in second["data"]["message"]) == ("error", True)
    assert state.step_count == 1


def test_a_generic_client_plays_without_tickets() -> None:
    with served(THREE) as server, GenericEnvClient(base_url=server.url).sync() as env:
        result = env.reset(row=0)
        while not result.done:
            result = env.step({"text": "DIAGNOSIS READY: [migraine]"})
        assert result.reward == server.played[0][1].scores["correct"]
        with pytest.raises(RuntimeError, match="has ended"):
            env.step({"text": "more"})


@pytest.mark.parametrize(
    ("reset", "why"),
    [
        ({"row": 3}, "there is no row 3"),
        ({"row": -1}, "row is no whole number"),
        ({"seed": "1"}, "seed is no whole number"),
        ({"seed": True}, "seed is no whole number"),
        ({"episode_id": 7}, "episode_id"),
        ({"rows": 1}, "reset takes no 'rows'"),
        ({"\ud800": 1}, "reset takes no"),
    ],
)
def test_a_wrong_reset_is_refused_in_words(reset: dict[str, Any], why: str) -> None:
    with served(THREE) as server, server.client() as env:
        with pytest.raises(RuntimeError, match=why):
            env.reset(**reset)
        assert env.reset().observation.ticket == "1.0"


def test_openenvs_own_validation_of_a_running_server_passes() -> None:
    with served(THREE) as server:
        found = validate_running_environment(server.url)
    assert found["passed"], found["summary"]
