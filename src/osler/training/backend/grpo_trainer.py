"""TRL's trainer of groups, with our states, roll-outs, reward and log."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final, NamedTuple

from osler.errors import BadInput
from osler.training.backend import models, processes, rollout, updates
from osler.training.backend.chats import opened
from osler.training.backend.rollout import NOBODY_ASKED, Rounds, Words, tokens_of
from osler.training.backend.rows import text_of
from osler.training.backend.validation import BestCheckpoint, Validation
from osler.training.config import GrpoConfig
from osler.training.folder import Folder
from osler.training.policy import PolicyAnswer
from osler.training.prompts import Prompts
from osler.training.rewarding import Batch, Rewarded, Rewarding

_LOGGED: Final = {
    **{"loss": "loss", "learning_rate": "rate", "grad_norm": "norm", "kl": "kl", "entropy": "entropy"},
    **{"clip_ratio/region_mean": "clipped", "completions/clipped_ratio": "cut_off"},
}
_PICTURE_TOKENS: Final = ("image_token", "video_token")


class Step(NamedTuple):
    """An update that was made: its number, of how many, and the figures of its log."""

    step: int
    steps: int
    figures: Mapping[str, float]


Made = Callable[[Step], None]


@dataclass
class Prepared:
    """A training that is set up and has not begun."""

    folder: Folder
    config: GrpoConfig
    words: Words
    prompts: Prompts
    left_out: Mapping[str, int]
    rewarding: Rewarding
    rounds: Rounds | None
    trainer: Any = None
    checkpoint: Path | None = None
    answers: Validation | None = None
    figures: dict[str, float] = field(default_factory=dict)
    """Those of the batch that was scored last, until its first update is logged."""
    void: bool = False
    """Whether no group of that batch tells one answer from another."""

    @property
    def model(self) -> Any:
        """The model under training, by itself."""
        return self.trainer.accelerator.unwrap_model(self.trainer.model)

    def look(self, step: int) -> None:
        """Log the answers at validation states, and keep the weights if they are the best so far."""
        figures = self.answers.figures(self.model, step) if self.answers else {}
        BestCheckpoint(self.folder, self.config).look(step, figures, self.model, self.words.processor)

    def scored(self, update: int, places: Sequence[int], ids: Sequence[Sequence[int]]) -> list[float | None]:
        """The reward function: what TRL is given for a batch of answers."""
        step = update // self.config.updates_per_step + 1
        if self.rounds is not None:
            encounters = self.rounds.played
            prompts = [self.rounds.at(place).episode.world for place in places]
            batch = Batch(step, prompts, [sum(one.spoken.mask) for one in encounters])
            result: Rewarded = self.rewarding.rounds(batch, encounters)
        else:
            states = [self.prompts[place].state for place in places]
            answers = [
                PolicyAnswer(self.words.said(one), True, bool(one) and one[-1] == self.words.end)
                for one in ids
            ]
            batch = Batch(step, [state.id for state in states], [len(one) for one in ids])
            result = self.rewarding.states(batch, states, answers)
        self.figures, self.void = result.figures, result.void
        return result.given


class Shares(NamedTuple):
    """The micro-batches of a step on one device: all of them, and those of one update."""

    step: int
    update: int


def shares(config: GrpoConfig, devices: int) -> Shares:
    """Micro-batches on each of `devices`. Raises BadInput where they do not divide, or part a group."""
    at_once = config.per_device * devices
    step, update = config.prompts * config.group, config.mini_batch * config.group
    if step % at_once or update % at_once:
        raise BadInput(
            f"{update} answers of an update cannot be shared by {devices} devices of {config.per_device}",
            where="per_device",
            hint="--set per_device=N with a divisor of mini_batch times group",
        )
    result = Shares(step // at_once, update // at_once)
    if config.per_device * result.step % config.group:
        raise BadInput(
            f"the answers on one device, {config.per_device * result.step}, part a group of {config.group}",
            where="per_device",
            hint="--set prompts=N with a multiple of the devices",
        )
    return result


def trainer_of(ready: Prepared, model: Any, made: Made) -> Any:
    """TRL's trainer with our prompts, reward and log."""
    from transformers import PrinterCallback

    os.environ.setdefault("TRL_EXPERIMENTAL_SILENCE", "1")  # roll-outs are; our versions are pinned
    config = ready.config

    def reward(completion_ids: Any, place: Any, trainer_state: Any, **_: Any) -> list[float | None]:
        return ready.scored(trainer_state.global_step, place, completion_ids)

    def taken(prompts: Any, trainer: Any) -> dict[str, Any]:
        assert ready.rounds is not None
        return tokens_of(ready.rounds.played, ready.words, scored=trainer.use_vllm)

    limit = model.config.get_text_config().max_position_embeddings
    trainer = _trainer_class(ready, limit - config.max_answer)(
        model=model,
        args=_args(ready, shares(config, processes.count())),
        reward_funcs=reward,
        train_dataset=_data(ready),
        processing_class=ready.words.processor,
        peft_config=updates.adapters(config),
        rollout_func=taken if ready.rounds else None,
    )
    trainer.remove_callback(PrinterCallback)
    trainer.add_callback(_watcher(ready, made))
    return trainer


def _args(ready: Prepared, shares: Shares) -> Any:
    from trl import GRPOConfig

    config = ready.config
    steps = config.steps * config.updates_per_step
    args = GRPOConfig(
        **updates.arguments(config, ready.folder.path, steps, sees=ready.words.sees),
        per_device_train_batch_size=config.per_device,
        gradient_accumulation_steps=shares.update,
        steps_per_generation=shares.step,
        num_generations=config.group,
        num_iterations=config.iterations,
        max_completion_length=config.max_answer,
        temperature=config.temperature,
        top_p=config.top_p,
        generation_kwargs=_never_said(ready),
        beta=config.beta,
        use_bias_correction_kl=config.kl == "corrected",
        epsilon=config.epsilon,
        epsilon_high=config.epsilon_high,
        delta=config.dual_clip,
        importance_sampling_level=config.ratio,
        loss_type=config.loss,
        scale_rewards=config.scale,
        disable_dropout=True,
        use_vllm=config.vllm,
        vllm_mode="colocate",
        chat_template_kwargs=dict(models.TEMPLATE),
    )
    if args.n_gpu > 1:
        args._n_gpu = 1  # a process has one device: torchrun starts as many processes as there are
    return args


def _never_said(ready: Prepared) -> dict[str, Any] | None:
    """Keeps a base that sees from saying the tokens that stand for pictures: there would be none to them, and
    no update could be made."""
    tokenizer, processor = ready.words.tokenizer, ready.words.processor
    each = [getattr(processor, name, None) for name in _PICTURE_TOKENS] if ready.words.sees else []
    ids = sorted({int(tokenizer.convert_tokens_to_ids(one)) for one in each if one})
    if not ids:
        return None
    return {"logit_bias": dict.fromkeys(ids, -100)} if ready.config.vllm else {"suppress_tokens": ids}


def _data(ready: Prepared) -> Any:
    """The prompts by their place; they are rendered when a batch wants them. Fewer than a step has are taken
    in turn until it is full."""
    from datasets import Dataset

    here = len(ready.prompts)
    places = [n % here for n in range(max(here, ready.config.prompts))]

    def rendered(batch: Mapping[str, Any]) -> dict[str, Any]:
        result: dict[str, Any] = {
            "place": batch["place"],
            "prompt": [_prompt(ready, n) for n in batch["place"]],
        }
        if ready.words.sees and ready.rounds is None:
            result["images"] = [[opened(raw) for raw in ready.prompts[n].pictures] for n in batch["place"]]
        return result

    return Dataset.from_dict({"place": places}).with_transform(rendered)


def _prompt(ready: Prepared, place: int) -> list[dict[str, Any]]:
    if ready.rounds is not None:
        return [dict(message) for message in NOBODY_ASKED]  # it is known once the encounter is played
    messages = ready.prompts[place].state.messages
    if ready.words.sees:
        return [dict(message) for message in messages]
    return [{"role": message["role"], "content": text_of(message)} for message in messages]


def _trainer_class(ready: Prepared, room: int) -> Any:
    from trl import GRPOTrainer

    class Grouped(GRPOTrainer):
        """TRL's trainer, telling nobody; whole encounters are played before their first prompts are known."""

        def _generate_and_score_completions(self, inputs: Any) -> Any:
            if (rounds := ready.rounds) is not None:
                places = [one["place"] for one in inputs]
                rounds.played, _ = rounds.play(places, ready.words, rollout.engine(self, ready.words), room)
                rows = rollout.rows_of(rounds.played, ready.words)
                inputs = [{**one, **row} for one, row in zip(inputs, rows, strict=True)]
            return super()._generate_and_score_completions(inputs)

        def _send_telemetry(self) -> None:
            """Tell nobody."""

        def create_model_card(self, *args: Any, **kwargs: Any) -> None:
            """Write none: it would name paths and services."""

    return Grouped


def _watcher(ready: Prepared, made: Callable[..., None]) -> Any:
    from transformers import TrainerCallback

    class Watcher(TrainerCallback):
        """Keeps the log: a line for each update, the first of a step with the figures of its answers."""

        def on_pre_optimizer_step(self, args: Any, state: Any, control: Any, **known: Any) -> None:
            # The optimizer's momentum would move the weights though there is nothing to learn from.
            if ready.void and ready.config.beta == 0:
                ready.trainer.model.zero_grad(set_to_none=True)

        def on_save(self, args: Any, state: Any, control: Any, **_: Any) -> None:
            if state.is_world_process_zero:
                ready.look(state.global_step)

        def on_log(self, args: Any, state: Any, control: Any, logs: Any = None, **_: Any) -> None:
            if "loss" not in (logs or {}) or not state.is_world_process_zero:
                return
            line = {ours: float(logs[name]) for name, ours in _LOGGED.items() if logs.get(name) is not None}
            line = {name: value for name, value in line.items() if value == value}
            line |= ready.figures
            ready.figures = {}
            ready.folder.add({"step": state.global_step, **line})
            made(Step(state.global_step, state.max_steps, line))

    return Watcher()
