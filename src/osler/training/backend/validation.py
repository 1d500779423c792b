"""Validation while a base is trained: its answers at states that are not trained on, rewarded as in training.

A loss falls while a model learns to say stock phrases; a reward of what it says itself does not. The best
checkpoint by the chosen figure is kept beside the training and becomes its result.
"""

from __future__ import annotations

import json
import shutil
from collections.abc import Mapping
from itertools import islice
from pathlib import Path
from typing import Any, Final

from osler.errors import BadInput
from osler.training.backend import models
from osler.training.backend.choice import Choice
from osler.training.backend.rollout import Words
from osler.training.config import Settings
from osler.training.folder import Folder
from osler.training.policy import PolicyAnswer
from osler.training.prompts import Prompt
from osler.training.reward.opening import open_reward
from osler.training.reward.score import Reward
from osler.training.rewarding import Batch, Opens, Rewarding, always
from osler.training.splits import VALIDATION
from osler.training.task import TrainedSeat, seat_of

BEST: Final = "best"
_BEST_STEP: Final = "best.json"
_AT_ONCE: Final = 4
_NAMES: Final = ("reward", "valid")


class Validation:
    """The greedy answers of a model under training to some validation states, and their rewards: those of
    `opens`, such as a judge's, or else by rules."""

    def __init__(
        self, data: Path, words: Words, config: Settings, most: int, opens: Opens | None = None
    ) -> None:
        """Choose the first states of at most `most` tokens. Raises BadInput where there are none, or the
        seat has no reward of turns."""
        self._words, self._config = words, config
        choice = Choice(data, words, most, split=VALIDATION)
        self.prompts: list[Prompt] = list(islice(choice.states(), config.answered))
        if not self.prompts:
            raise BadInput(
                "the data set has no validation state that fits",
                where=str(data),
                hint="--set answered=0 kept_by=last, or a larger share with osler dataset build --validation",
            )
        seat = seat_of(self.prompts[0].state)
        self._rewarding = Rewarding(seat, opens or always(_reward_of_turns(seat)), 1)

    def figures(self, model: Any, step: int) -> dict[str, float]:
        """The mean reward and the share of valid answers, by their names in the log."""
        answers = list[PolicyAnswer]()
        tokens = list[int]()
        for at in range(0, len(self.prompts), _AT_ONCE):
            some = self.prompts[at : at + _AT_ONCE]
            asked = self._words.prompts([one.state.messages for one in some], [one.pictures for one in some])
            for ids in models.generate(model, asked, self._config.max_answer):
                ends = self._words.end in ids
                answers.append(PolicyAnswer(self._words.said(ids), True, ends))
                tokens.append(len(ids))
        states = [one.state for one in self.prompts]
        batch = Batch(step, [one.id for one in states], tokens)
        result = self._rewarding.states(batch, states, answers).figures
        return {f"validation/{name}": result[name] for name in _NAMES if name in result}


def _reward_of_turns(seat: TrainedSeat) -> Reward:
    for name in seat.rewards:
        if isinstance(reward := open_reward(seat, name), Reward):
            return reward
    raise BadInput(f"the {seat.seat} has no reward of turns", hint="--set answered=0 kept_by=last")


def is_validated(folder: Folder, step: int) -> bool:
    """Whether the log holds the figures of validation at a step."""
    return any(line["step"] == step and "loss" not in line for line in folder.log())


class BestCheckpoint:
    """The best weights of a training so far, kept in its folder."""

    def __init__(self, folder: Folder, config: Settings) -> None:
        self._folder, self._by = folder, config.kept_by

    def look(self, step: int, figures: Mapping[str, float], model: Any, processor: Any) -> None:
        """Log the figures of validation at a step, and offer its weights; a step without any is passed over,
        and the base itself is not offered."""
        if figures:
            self._folder.add({"step": step, **figures})
        if figures and step:
            self.offer(step, figures, model, processor)

    def offer(self, step: int, figures: Mapping[str, float], model: Any, processor: Any) -> None:
        """Keep the weights of a step if none before were better by the chosen figure."""
        name = {"loss": "validation", "reward": "validation/reward"}.get(self._by, "")
        if name not in figures:
            return
        value = -figures[name] if self._by == "loss" else figures[name]
        best = self.known
        if best and best["step"] != step and value < best["value"]:
            return
        models.save(model, processor, self._folder.path / BEST)
        self._folder.write(_BEST_STEP, {"step": step, "value": value})

    @property
    def known(self) -> dict[str, Any]:
        """The step of the best weights and their figure; empty before the first."""
        path = self._folder.path / _BEST_STEP
        return dict(json.loads(path.read_text())) if path.is_file() else {}

    def take(self, where: Path) -> int | None:
        """Move the best weights to where the result is looked for; their step, `None` where none are kept."""
        best = self.known
        if self._by == "last" or not best:
            return None
        shutil.rmtree(where, ignore_errors=True)
        (self._folder.path / BEST).rename(where)
        (self._folder.path / _BEST_STEP).unlink()
        return int(best["step"])
