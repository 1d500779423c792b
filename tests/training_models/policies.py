"""Data sets, rewards and trainings of policies, small enough for a CPU."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any
from zlib import crc32

from osler.training.reward.opening import open_reward
from osler.training.reward.score import Score, without_score
from osler.training.state import State
from osler.training.task import trained_seat
from tests.training.grpo.states import NAMES, data_set, sample
from tests.training_models.conftest import written

SEAT = trained_seat("ward_round")


def rows_of(states: Sequence[Any], targets: Callable[[int], str]) -> list[dict[str, Any]]:
    """Rows for fine-tuning, each state with its own target."""
    return [
        {
            **{"id": f"{state.id}-{n}", "kind": "single", "images": [], "weight": 1.0, "target": targets(n)},
            **{"messages": [dict(one) for one in state.messages], "target_spans": [], "weights": []},
        }
        for n, state in enumerate(states)
    ]


def spoilt(n: int, text: str) -> str:
    """A turn that parses, or one of three that do not."""
    broken = (
        text,
        text.replace("<think_group>One.</think_group>\n", ""),
        text.replace("</think_question>", ""),
        text.partition("\n\n")[2],
    )
    return broken[n % 4]


def forms(folder: Path) -> Path:
    """States of one student, and turns of which a quarter parses."""
    states = [sample(n, "Ada") for n in range(8)]
    many = [state for state in states for _ in range(4)]
    written(folder, rows_of(many, lambda n: spoilt(n, many[n].target)))
    return data_set(folder, states)


ARMS = NAMES[:8]


def bandit(folder: Path) -> Path:
    """One state, and eight answers of one word that are equally likely."""
    state = sample(0, "Ada")
    written(folder, rows_of([state] * 8, lambda n: ARMS[n]))
    return data_set(folder, [state])


class Arm:
    """1 for one of the words."""

    name, version = "arm", "1"

    def __init__(self, right: str = ARMS[2]) -> None:
        self.right, self.version = right, right

    async def score(self, state: State, text: str, /) -> Score:
        return Score(float(text == self.right))


class Unscored:
    """Never a score."""

    name, version = "unscored", "1"

    async def score(self, state: State, text: str, /) -> Score:
        return without_score("unreadable")


class Faulty:
    """The rule, of which a fifth of the answers stays unscored: always the same ones."""

    name, version = "faulty", "1"

    def __init__(self) -> None:
        self.rule: Any = open_reward(SEAT, "rule")

    async def score(self, state: State, text: str, /) -> Score:
        if crc32(text.encode()) % 5 == 0:
            return without_score("unreadable")
        found: Score = await self.rule.score(state, text)
        length = len(text) / 1000
        return found._replace(total=(found.total or 0.0) + length)


def rewards(reward: Any, **how: Any) -> Any:
    """A reward as it is trained on."""
    from osler.training.backend.grpo import Rewards
    from osler.training.rewarding import always

    return Rewards(always(reward), reward.name, reward.version, **how)


SMALL = (
    "prompts=2",
    "mini_batch=2",
    "group=4",
    "per_device=8",
    "learning_rate=0.001",
    "max_answer=80",
    "save_every=3",
)


def policy(data: Path, base: Path, out: Path, reward: Any, *changes: str, **more: Any) -> dict[str, Any]:
    """Train with the settings of `tiny`, changed."""
    from osler.training.backend.grpo import grpo
    from osler.training.config import grpo_config

    given = reward if hasattr(reward, "opens") else rewards(reward)
    return grpo(data, str(base), out, grpo_config("tiny", [*SMALL, *changes]), given, **more)


def prepared(data: Path, base: Path, out: Path, reward: Any, *changes: str, **more: Any) -> Any:
    """A training that is set up and has not begun."""
    from osler.training.backend.grpo import Way, prepare
    from osler.training.config import grpo_config

    config = grpo_config("tiny", [*SMALL, *changes])
    return prepare(data, str(base), out, config, rewards(reward), more.pop("way", Way()), **more)


def many(folder: Path) -> Path:
    """States of eight students, each with a prompt of its own."""
    return data_set(folder, [sample(n) for n in range(8)])
