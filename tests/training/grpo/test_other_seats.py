"""Any trained seat is played by a policy in the same way: a doctor, an examinee."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Mapping

from osler.core.factory import Factory
from osler.core.role import Seating
from osler.errors import Status
from osler.players.casting import players_of
from osler.protocols.consultation.config import RunConfig
from osler.protocols.scenario.config import ScenarioConfig
from osler.runs import run as runs
from osler.store.records import RunInfo
from osler.store.store import Store
from osler.training.reward.opening import open_reward
from osler.training.reward.outcome import Outcome
from osler.training.task import TrainedSeat, trained_seat
from osler.training.world import PlayedEncounter, World, Worlds, by_outcome, others, play_all
from tests.training.grpo.worlds import Letters, Speaker


def stored(store: Store, config: RunConfig | ScenarioConfig) -> RunInfo:
    source = runs.opened(config)
    run = runs.begin(config, store, None, source, name="one")
    runs.play(run, store, source=source)
    return store.run("one")


def played(store: Store, run: RunInfo, seat: TrainedSeat, speaker: Speaker) -> list[PlayedEncounter]:
    def more(world: World) -> Mapping[str, Factory]:
        return players_of(Seating(others(world.config, seat)))

    worlds = Worlds(run, store, [row.key for row in store.episodes(run.id)], seat)
    return asyncio.run(play_all(list(worlds.values()), Letters(), speaker, 500_000, more))[0]


def outcome_of(seat: TrainedSeat, one: PlayedEncounter) -> float | None:
    reward = open_reward(seat, "outcome")
    assert isinstance(reward, Outcome)
    return by_outcome(one, reward).total


def test_a_doctor_asks_in_text_and_is_rewarded_for_the_right_conclusion(store: Store) -> None:
    seat = trained_seat("consultation")
    run = stored(store, RunConfig(limit=2))
    rows = {row.key: row for row in store.episodes(run.id)}
    assert len(rows) == 2

    def says(n: int, prompt: str) -> str:
        if prompt.count("assistant:") == 1:
            return "When did it begin?"
        return "DIAGNOSIS READY: [gout]"

    found = played(store, run, seat, Speaker(says))
    for one in found:
        assert [text for _, text in one.turns] == ["When did it begin?", "DIAGNOSIS READY: [gout]"]
        assert one.status is Status.COMPLETED
        assert (outcome_of(seat, one) or 0) <= 0
        assert one.spoken.mask[0] == 1
    answers = [str(state.context["answer"]) for one in found for state, _ in one.turns[:1]]
    right = played(store, run, seat, Speaker(lambda n, prompt: f"DIAGNOSIS READY: [{answers[n]}]"))
    assert [outcome_of(seat, one) for one in right] == [0.975, 0.975]  # less the tariff of a visit


def test_an_examinee_answers_with_an_object_and_what_is_none_ends_it(store: Store) -> None:
    seat = trained_seat("scenario")
    run = stored(store, ScenarioConfig(limit=1))
    move = json.dumps({"speak": "Hello, what brings you in?", "actions": [], "eos": True})
    (found,) = played(store, run, seat, Speaker(lambda n, prompt: move))
    assert found.status not in (Status.INVALID_PLAY, Status.SIMULATOR_FAULT)
    assert len(found.turns) >= 1
    assert all(said.valid for said in found.spoken.answers)
    assert outcome_of(seat, found) is not None
    (broken,) = played(store, run, seat, Speaker(lambda n, prompt: "no object"))
    assert broken.status is Status.INVALID_PLAY
    assert [text for _, text in broken.turns] == ["no object"]
    assert (outcome_of(seat, broken) or 0) < (outcome_of(seat, found) or 0)
