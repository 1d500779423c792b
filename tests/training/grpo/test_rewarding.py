"""The one reward function: reward k belongs to sample k whatever fails, and everything is kept."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from osler.errors import InfrastructureFault
from osler.training.policy import PolicyAnswer
from osler.training.reward.opening import open_reward
from osler.training.reward.score import RewardOptions, Score, without_score
from osler.training.rewarding import Batch, Rewarded, Rewarding, Together, always
from osler.training.sampled import Samples
from osler.training.state import State
from osler.training.task import trained_seat
from tests.training.grpo.states import sample

SEAT = trained_seat("ward_round")
STATES = [sample(n) for n in range(64)]
GROUP = 5


class Numbered:
    """Scores a turn by the number it holds; fails where a test plants a fault."""

    name, version = "numbered", "1"

    def __init__(self, faults: Mapping[int, str] = {}) -> None:
        self.faults, self.tried = faults, dict[int, int]()

    async def score(self, state: State, text: str, /) -> Score:
        n = int(text)
        self.tried[n] = self.tried.get(n, 0) + 1
        match self.faults.get(n):
            case "endpoint":
                raise InfrastructureFault("down")
            case "once" if self.tried[n] == 1:
                raise InfrastructureFault("down for a moment")
            case "code":
                raise ZeroDivisionError
            case "answer":
                return without_score("unreadable", {"IS-1": 2})
            case "veto":
                return Score(-15.0, {"CS-2": -1}, {"safety": -1.0}, vetoed=True)
        return Score(float(n), axes={"safety": 1.0})


def scored(reward: Any, tmp: Path | None = None, step: int = 1, **how: Any) -> Rewarded:
    states = [state for state in STATES for _ in range(GROUP)]
    said = [PolicyAnswer(str(n), True) for n in range(len(states))]
    samples = Samples(tmp / "samples.jsonl") if tmp else None
    batch = Batch(step, [state.id for state in states], [7] * len(states))
    return Rewarding(SEAT, always(reward), GROUP, samples, **how).states(batch, states, said)


def test_reward_k_is_that_of_answer_k_under_a_fifth_of_faults(tmp_path: Path) -> None:
    kinds = ("endpoint", "code", "answer", "once")
    faults = {n: kinds[n // 5 % 4] for n in range(0, 320, 5)}
    found = scored(Numbered(faults), tmp_path)
    lost = {n // GROUP for n, kind in faults.items() if kind != "once"}
    assert len(faults) == 64
    for n, given in enumerate(found.given):
        assert given == (None if n // GROUP in lost else float(n))
    assert found.figures["unscored"] == pytest.approx(48 / 320)
    assert found.figures["masked_groups"] == pytest.approx(48 / 64)
    lines = list(Samples(tmp_path / "samples.jsonl"))
    assert [(one["prompt"], one["k"], one["text"]) for one in lines] == [
        (f"state-{n // GROUP:02}", n % GROUP, str(n)) for n in range(320)
    ]
    assert [one["given"] for one in lines] == found.given
    assert all((one["total"] is None) == (one["unscored"] is not None) for one in lines)


def test_a_judge_that_always_fails_stops_the_training() -> None:
    with pytest.raises(InfrastructureFault):
        scored(Numbered(dict.fromkeys(range(320), "endpoint")))


def test_vetoes_and_levelled_groups_are_counted() -> None:
    found = scored(Numbered(dict.fromkeys((0, 1, 5, 10, 11, 12, 13, 14), "veto")))
    assert found.figures["vetoed"] == 8 / 320
    assert found.figures["veto_groups"] == 3 / 64
    assert found.figures["zero_spread"] == 1 / 64
    assert found.given[:2] == [-15.0, -15.0]
    assert found.figures["axis/safety"] == pytest.approx((312 - 8) / 320)


def test_the_control_gives_each_answer_anothers_reward() -> None:
    real, control = scored(Numbered()), scored(Numbered(), shuffle=True)
    assert sorted(map(float, control.given)) == sorted(map(float, real.given))  # type: ignore[arg-type]
    assert all(mine != theirs for mine, theirs in zip(control.given, real.given, strict=True))
    assert control.figures["reward"] == real.figures["reward"]


def test_form_leaks_and_length_stand_beside_the_reward() -> None:
    said = [PolicyAnswer(one.target, True) for one in STATES[:4]]
    said[1] = PolicyAnswer("no tags", True)
    said[2] = PolicyAnswer(f"{STATES[2].target} Pericarditis?", True)
    said[3] = PolicyAnswer(STATES[3].target, True, ended=False)
    batch = Batch(1, [one.id for one in STATES[:4]], [3, 1, 4, 2])
    reward = open_reward(SEAT, "rule")
    found = Rewarding(SEAT, always(reward), 2).states(batch, STATES[:4], said)
    assert found.given == [1.0, 0.0, 1.0, 0.0]
    assert found.figures["valid"] == 0.5
    assert found.figures["length"] == 2.5
    assert found.figures["control/leak"] == 0.25


def test_gain_under_one_theory_is_reported_under_the_others() -> None:
    reward = open_reward(SEAT, "gain", RewardOptions(theory="telling"))
    states = STATES[:2]
    said = [PolicyAnswer(one.target, True) for one in states]
    found = Rewarding(SEAT, always(reward), 2).states(Batch(1, ["a", "b"], [1, 1]), states, said)
    assert {"axis/construct", "axis/telling", "axis/novice"} <= found.figures.keys()
    assert found.figures["axis/telling"] == pytest.approx(found.figures["reward"])


def test_what_was_sampled_after_a_checkpoint_is_cut_and_nothing_else(tmp_path: Path) -> None:
    for step in (1, 2, 3):
        scored(Numbered(), tmp_path, step)
    samples = Samples(tmp_path / "samples.jsonl")
    whole = samples.path.read_bytes()
    with samples.path.open("a") as file:
        file.write('{"step": 3, "prompt": "cut o')
    samples.cut(3)
    assert samples.path.read_bytes() == whole
    samples.cut(2)
    assert [json.loads(line)["step"] for line in samples.path.read_text().splitlines()] == [1] * 320 + [
        2
    ] * 320
    samples.cut(0)
    assert samples.path.read_bytes() == b""


def test_processes_score_their_own_answers_by_the_figures_of_all(tmp_path: Path) -> None:
    """Two processes, here one after the other: each is handed what both have scored."""
    faults = {3: "answer", 12: "answer", 17: "veto", 25: "veto"}
    alone = scored(Numbered(faults), tmp_path, shuffle=True)
    states = [state for state in STATES for _ in range(GROUP)]
    halves = (slice(0, 160), slice(160, 320))
    own: list[Any] = []

    def part(number: int, of_all: Any, samples: Samples | None = None) -> Rewarded:
        here = list(range(320))[halves[number]]
        batch = Batch(1, [states[n].id for n in here], [7] * 160)
        said = [PolicyAnswer(str(n), True) for n in here]
        together = Together(number, of_all)
        reward = Rewarding(SEAT, always(Numbered(faults)), GROUP, samples, shuffle=True, together=together)
        return reward.states(batch, [states[n] for n in here], said)

    def heard(value: Any) -> list[Any]:
        own.append(value)
        return own[:]

    for number in (0, 1):
        part(number, heard)
    files = [Samples(tmp_path / name) for name in ("first.jsonl", "second.jsonl")]
    found = [part(number, lambda value: own[:2], files[number]) for number in (0, 1)]
    assert [*found[0].given, *found[1].given] == alone.given
    assert found[0].figures == found[1].figures == alone.figures
    assert found[0].void is found[1].void is False
    assert files[0].path.read_bytes() == (tmp_path / "samples.jsonl").read_bytes()
    assert not files[1].path.exists(), "the first process alone writes"


def test_one_process_whose_judge_is_down_is_masked_and_all_of_them_stop() -> None:
    down = Numbered(dict.fromkeys(range(320), "endpoint"))
    fine: list[Any] = []

    def heard(value: Any) -> list[Any]:
        fine.append(value)
        return [value]

    scored(Numbered(), together=Together(0, heard))
    found = scored(down, together=Together(1, lambda value: [fine[0], value]))
    assert found.given == [None] * 320
    assert found.figures["masked_groups"] == 0.5
    with pytest.raises(InfrastructureFault):
        scored(down, together=Together(1, lambda value: [value, value]))


def test_what_is_no_finite_number_is_no_reward() -> None:
    class Odd(Numbered):
        async def score(self, state: State, text: str, /) -> Score:
            return Score(float("nan")) if text == "7" else await super().score(state, text)

    found = scored(Odd())
    assert found.given[5:10] == [None] * 5
    assert found.scores[7].unscored == "reward_failed: nan"
    assert found.given[10] == 10.0


def test_leaks_are_counted_whatever_reward_is_trained_on() -> None:
    said = [PolicyAnswer(one.target, True) for one in STATES[:4]]
    said[2] = PolicyAnswer(f"{STATES[2].target} Pericarditis?", True)
    batch = Batch(1, [one.id for one in STATES[:4]], [3, 1, 4, 2])

    class Plain:
        name, version = "plain", "1"

        async def score(self, state: State, text: str, /) -> Score:
            return Score(1.0)

    found = Rewarding(SEAT, always(Plain()), 2).states(batch, STATES[:4], said)
    assert found.figures["control/leak"] == 0.25
    assert found.void
