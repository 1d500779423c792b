"""The context of stored rounds: whole enough for every reward, and read as it is written."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

from osler.protocols.ward_round.config import RoundConfig
from osler.protocols.ward_round.training.bedside import Bedside, bedside
from osler.protocols.ward_round.training.gain import heard
from osler.protocols.ward_round.training.rubric import Rubric
from osler.protocols.ward_round.training.seat import TUTOR_SEAT
from osler.runs import run as runs
from osler.store.permitted_store import for_reader
from osler.store.store import open_store
from osler.training.reward.score import RewardOptions
from osler.training.reward.stored import Stored, turns_of


@pytest.fixture(scope="module")
def turns(tmp_path_factory: pytest.TempPathFactory) -> list[Stored]:
    place = Path(tmp_path_factory.mktemp("rounds")) / "runs.db"
    config = RoundConfig.model_validate(
        {"cases": "library", "limit": 3, "students": 3, "settings": {"max_rounds": 3}}
    )
    with open_store(f"sqlite:///{place}") as store:
        done = runs.begin(config, store)
        runs.play(done, store)
        kept = for_reader(store, "data set")
        return turns_of(kept.run(done.name), kept, TUTOR_SEAT).turns


def test_every_field_that_a_reward_reads_is_in_the_context_of_a_stored_round(turns: list[Stored]) -> None:
    assert len(turns) == 9
    for one in turns:
        known = one.state.context.keys()
        missing = Bedside.model_fields.keys() - known
        assert not missing
        at = bedside(one.state)
        assert at.case
        assert at.steps
        assert set(at.levels) == set(at.students) == set(at.analyses) == set(at.stated)
        assert set(at.levels.values()) <= {"beginner", "intermediate", "advanced"}
    with_image = [step for one in turns for step in bedside(one.state).steps if step.image]
    assert all(step.observation for step in with_image)


def test_history_in_the_prompt_is_what_was_said(turns: list[Stored]) -> None:
    later = [one for one in turns if one.state.turn == 2]
    assert later
    for one in later:
        found = list(heard(one.state))
        earlier = [
            each.text.partition("\n\n")[2]
            for each in turns
            if each.state.episode == one.state.episode and each.state.turn < 2
        ]
        assert [each.text for each in found if each.part == "guidance"] == earlier
        assert {each.who for each in found if each.part == "analysis"} == set(bedside(one.state).students)


def test_the_built_in_tutors_turns_are_whole_and_give_nothing_away(turns: list[Stored]) -> None:
    reward = Rubric(RewardOptions())
    for one in turns:
        score = asyncio.run(reward.score(one.state, one.text))
        assert score.items["IS-1"] == 2
        assert not reward.leaks(one.state, one.text)
