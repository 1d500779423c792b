"""The token benchmark: fixed replies, our prompts, and the source's way of prompting as a test double."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

BENCHMARKS = str(Path(__file__).parents[3] / "benchmarks")


@pytest.fixture(scope="module")
def tokens() -> Iterator[ModuleType]:
    """`benchmarks/scenario_tokens.py`, which imports its neighbours by name."""
    sys.path.insert(0, BENCHMARKS)
    try:
        import scenario_tokens  # noqa: PLC0415 - it lies outside the packages

        yield scenario_tokens
    finally:
        sys.path.remove(BENCHMARKS)


@pytest.fixture(scope="module")
def found(tokens: ModuleType) -> dict[str, Any]:
    measured: dict[str, Any] = tokens.measured()
    return measured


def test_after_eight_turns_less_than_a_quarter_of_what_is_sent_is_fresh(found: dict[str, Any]) -> None:
    fresh = {turns: each["fresh_over_sent"] for turns, each in found["by_turns"].items()}
    assert list(fresh) == ["4", "8", "12"]
    assert fresh["4"] > fresh["8"] > fresh["12"]
    assert fresh["8"] <= found["aims"]["fresh_over_sent"]


def test_about_as_much_is_sent_as_by_the_sources_prompting_and_far_less_from_explicit_states(
    found: dict[str, Any],
) -> None:
    for turns, each in found["by_turns"].items():
        assert each["states_over_original"] < 0.7
        opening = 2 / (3 * int(turns))  # of the controller and the actor, which the source never shows
        assert each["sent_over_original"] < 1.1 + opening  # the judge has the transcript in each portion
        assert each["calls_per_turn"] * int(turns) == pytest.approx(3 * int(turns) + 2)
        assert each["packet_share"] < each["sent_over_original"]


def test_the_double_makes_three_calls_a_turn_and_one_at_the_end(tokens: ModuleType) -> None:
    scenario = tokens.library_case()
    packet, turns = tokens.as_packet(scenario), tokens.fixed_turns(scenario, 8)
    prompts = tokens.original_prompts(packet, turns)
    assert len(prompts) == 3 * 8 + 1
    # The patient's calls send the last four turns and no more, with what was done in them.
    assert turns[0].acts[0][0] in prompts[1 + 3 * 4]
    assert turns[0].acts[0][0] not in prompts[1 + 3 * 5]
    # The environment's calls send the whole log and all feedback each time.
    assert turns[0].acts[0][2] in prompts[2 + 3 * 7]
    assert packet.packet.environment_controller.splitlines()[0] in prompts[2 + 3 * 7]


def test_both_sides_say_the_same(tokens: ModuleType) -> None:
    scenario = tokens.library_case()
    packet, turns = tokens.as_packet(scenario), tokens.fixed_turns(scenario, 4)
    ours = "\n".join(tokens.ours(packet, turns).by_seat["controller"])
    theirs = "\n".join(tokens.original_prompts(packet, turns))
    for turn in turns:
        assert turn.speak in ours
        assert turn.speak in theirs
        for act, _, _ in turn.acts:
            assert act in ours
            assert act in theirs


def test_a_growing_prompt_is_fresh_only_at_its_end(tokens: ModuleType) -> None:
    sent = tokens.Sent({"examinee": ["abcd", "abcdef", "abcdefgh"]}, ["judge"])
    assert (sent.fresh, sent.seats, sent.all, sent.calls) == (8, 18, 23, 3)
