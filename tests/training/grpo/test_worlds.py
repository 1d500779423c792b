"""Whole encounters as roll-outs: what a policy is given, what it is trained on, and how rounds end."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Mapping, Sequence

import pytest

from osler.core.factory import Factory
from osler.core.role import Seating
from osler.errors import InfrastructureFault, Status
from osler.players.casting import players_of
from osler.store.store import Store
from osler.training.batcher import Answer, Batcher, TokenPrompt
from osler.training.harvest import episodes
from osler.training.policy import CONTROL, Spoken
from osler.training.reward.opening import open_reward
from osler.training.reward.outcome import Outcome
from osler.training.task import Replayed, trained_seat
from osler.training.world import PlayedEncounter, World, Worlds, by_outcome, others, play_all, whole
from tests.training.grpo.worlds import END, Letters, Speaker, played, text, turn

SEAT = trained_seat("ward_round")


def more(world: World) -> Mapping[str, Factory]:
    return players_of(Seating(others(world.config, SEAT)))


def names_in(prompt: str) -> list[str]:
    """The students whom a tutor's prompt asks a thought about."""
    found = re.findall(r'<think_student student_id="([^"]+)">', prompt)
    return list(dict.fromkeys(found))


def sound(n: int, prompt: str) -> str:
    return turn(names_in(prompt), f"What do all of you make of this, in the {n}th of these rounds?")


def opened(store: Store, rounds: int = 3) -> list[World]:
    run = played(store, rounds=rounds)
    return list(Worlds(run, store, [row.key for row in store.episodes(run.id)], SEAT).values())


def play(
    worlds: Sequence[World], speaker: Speaker, room: int = 200_000
) -> tuple[list[PlayedEncounter], list[int]]:
    return asyncio.run(play_all(worlds, Letters(), speaker, room, more))


def runs_of(spoken: Spoken) -> list[tuple[int, str]]:
    """The tokens after the prompt as runs of learnt and masked ones."""
    found: list[tuple[int, list[int]]] = []
    for one, kind in zip(spoken.ids, spoken.mask, strict=True):
        if not found or found[-1][0] != kind:
            found.append((kind, []))
        found[-1][1].append(one)
    return [(kind, text(some)) for kind, some in found]


def test_all_rounds_are_answered_in_one_batch_and_only_own_words_are_learnt(store: Store) -> None:
    worlds = opened(store, rounds=3)
    assert len(worlds) == 2
    speaker = Speaker(sound)
    found, sizes = play([worlds[0], worlds[0], worlds[1]], speaker)
    assert sizes == [3, 3, 3]
    assert {one.status for one in found} <= {Status.COMPLETED, Status.OUT_OF_TURNS}
    for n, one in enumerate(found):
        runs = runs_of(one.spoken)
        assert [kind for kind, _ in runs] == [1, 0, 1, 0, 1]
        for kind, words in runs:
            if kind:
                assert words == f"{sound(n, text(one.spoken.prompt))}\x00"
            else:
                assert words.startswith("\nuser:")
                assert words.endswith("Guide the group now.\x00\nassistant:")


def test_a_policy_is_given_to_the_letter_what_a_data_set_holds(store: Store) -> None:
    """Its prompt at every turn is that of the state which the harvest of the same words would write."""
    (world, *_) = opened(store, rounds=2)
    speaker = Speaker(sound)
    (found,), _ = play([world], speaker)
    assert len(found.turns) == 2
    for (state, words), asked in zip(found.turns, speaker.asked, strict=True):
        assert text(Letters().asked(state.messages)) == asked[0]
        assert words in sound(0, asked[0])
    recorded = next(one for one in episodes(world.run, store, "tutor") if isinstance(one, Replayed))
    first = next(iter(SEAT.turns(recorded)))
    state = SEAT.state(first)
    assert found.turns[0][0].messages == state.messages
    assert found.turns[0][0].world == state.world
    assert found.turns[0][0].context["analyses"] == state.context["analyses"]


def test_the_members_of_a_group_meet_the_same_world(store: Store) -> None:
    (world, *_) = opened(store)
    found, _ = play([world] * 3, Speaker(sound))
    assert len({one.turns[0][0].model_dump_json() for one in found}) == 1


def test_a_turn_that_does_not_parse_ends_the_round_and_the_others_go_on(store: Store) -> None:
    worlds = opened(store, rounds=3)

    def one_breaks(n: int, prompt: str) -> str:
        return "no tags" if prompt.count("assistant:") == 2 and n == 0 else sound(n, prompt)

    found, sizes = play([worlds[0], worlds[1]], Speaker(one_breaks))
    assert sizes == [2, 2, 1]
    assert found[0].status is Status.INVALID_PLAY
    assert [said.valid for said in found[0].spoken.answers] == [True, False]
    assert [words for _, words in found[0].turns][1] == "no tags"
    assert len(found[1].turns) == 3
    outcome = open_reward(SEAT, "outcome")
    assert isinstance(outcome, Outcome)
    assert by_outcome(found[0], outcome).total == outcome.lowest
    gain = by_outcome(found[1], outcome)
    assert gain.total is not None
    assert set(gain.axes) <= {"learning_gain", "step_gain"}


def test_an_answer_that_was_cut_off_counts_as_empty(store: Store) -> None:
    (world, *_) = opened(store)

    class CutOff(Speaker):
        def __call__(self, prompts: list[TokenPrompt]) -> list[Answer]:
            return [Answer(one.ids[:-1]) for one in super().__call__(prompts)]

    (found,), _ = play([world], CutOff(sound))
    assert found.status is Status.INVALID_PLAY
    assert [words for _, words in found.turns] == [""]
    assert found.spoken.answers[0].text


def test_a_prompt_that_has_no_room_is_not_asked(store: Store) -> None:
    (world, *_) = opened(store)
    (found,), sizes = play([world], Speaker(sound), room=100)
    assert sizes == []
    assert found.status is Status.OUT_OF_BUDGET
    assert found.spoken.ids == []
    assert whole(found, []).unscored == "out_of_budget"


def test_a_failing_engine_leaves_nobody_waiting(store: Store) -> None:
    worlds = opened(store)

    def broken(prompts: list[TokenPrompt]) -> list[Answer]:
        raise MemoryError("no memory")

    with pytest.raises(InfrastructureFault, match="no memory"):
        asyncio.run(asyncio.wait_for(play_all(worlds, Letters(), broken, 200_000, more), 30))


def test_a_batch_is_in_the_order_of_places_whoever_comes_first() -> None:
    async def ask() -> list[list[int]]:
        met: list[list[list[int]]] = []

        def engine(prompts: list[TokenPrompt]) -> list[Answer]:
            met.append([one.ids for one in prompts])
            return [Answer([*one.ids, END]) for one in prompts]

        batcher = Batcher(engine, 3)

        async def come(place: int, after: float) -> None:
            await asyncio.sleep(after)
            assert (await batcher.speak(place, TokenPrompt([place]))).ids == [place, END]
            batcher.left()

        await asyncio.gather(come(0, 0.02), come(1, 0.0), come(2, 0.01))
        return met[0]

    assert asyncio.run(ask()) == [[0], [1], [2]]


def test_what_a_policy_cannot_be_shown_spoils_the_encounter_and_is_no_fault_of_its_own(store: Store) -> None:
    (world, *_) = opened(store)
    outcome = open_reward(SEAT, "outcome")
    assert isinstance(outcome, Outcome)

    class Confused(Letters):
        """A template in which these words open a turn."""

        @property
        def control(self) -> Sequence[str]:  # type: ignore[override]
            return ("Guide the group now.",)

    speaker = Speaker(sound)
    (found,), sizes = asyncio.run(play_all([world], Confused(), speaker, 200_000, more))
    assert sizes == []
    assert found.spoken.spoilt == CONTROL
    assert by_outcome(found, outcome).unscored == CONTROL
    assert whole(found, []).unscored == CONTROL
    assert by_outcome(found, outcome).total is None
