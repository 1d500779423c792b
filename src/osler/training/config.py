"""The settings of a training, strict and hashed, and their profiles.

`paper` is as ClinEdu's paper states them (MedTutor-R1: section 4.1, appendix C), `released` as its released
configuration has them where that differs, `small` for pretrained bases of 100 to 500 million weights on a
processor, `tiny` for models of a few hundred thousand weights on a processor.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from math import ceil
from typing import Any, Final, Literal, Self

from pydantic import ConfigDict, Field, ValidationError, model_validator

from osler.core.episode import digest
from osler.core.events import Frozen
from osler.errors import BadInput, in_words

Profile = Literal["paper", "released", "small", "tiny"]
PROFILES: Final[tuple[Profile, ...]] = ("paper", "released", "small", "tiny")
KeptBy = Literal["last", "loss", "reward"]


class Settings(Frozen):
    """The settings that SFT and GRPO share."""

    model_config = ConfigDict(frozen=True, extra="forbid", strict=True, allow_inf_nan=False)

    profile: Profile
    weights: Literal["lora", "all"] = Field("lora", description="what is trained: adapters, or all weights")
    rank: int = Field(8, ge=1, le=1024, description="rank of the adapters, on all linear layers")
    alpha: int = Field(16, ge=1, le=4096, description="adapters are scaled by alpha / rank")
    dropout: float = Field(0.0, ge=0, lt=1, description="dropout of the adapters")
    vision: Literal["frozen", "trained"] = Field(
        "frozen", description="whether adapters are put on the vision tower; servers ignore them there"
    )
    learning_rate: float = Field(gt=0, le=1, description="the highest learning rate")
    schedule: Literal["cosine", "constant"] = Field(
        "cosine", description="course of the learning rate after the warm-up"
    )
    warmup: float = Field(0.0, ge=0, le=1, description="share of the steps in which the rate rises")
    weight_decay: float = Field(0.0, ge=0, description="weight decay of AdamW")
    clip: float = Field(1.0, gt=0, description="most the norm of a step's gradient may be")
    precision: Literal["bf16", "fp32"] = Field("bf16", description="number format of the weights")
    pixels: int = Field(262_144, ge=784, description="most pixels of a picture, in training and as served")
    checkpointing: bool = Field(True, description="activations computed again to save memory")
    save_every: int = Field(100, ge=1, description="steps between two checkpoints")
    kept_by: KeptBy = Field(
        "last", description="the checkpoint that is kept: the last, or the best of validation rows or states"
    )
    validated: int = Field(64, ge=0, le=4096, description="validation rows that a loss is taken over")
    answered: int = Field(0, ge=0, le=4096, description="validation states that are answered and rewarded")
    max_answer: int = Field(2048, ge=1, description="longest answer, in tokens")
    seed: int = Field(7, ge=0, lt=2**31, description="seed of row order, new weights and sampling")

    @property
    def hash(self) -> str:
        """The hash over every setting."""
        return digest(json.dumps(self.model_dump(mode="json"), sort_keys=True))

    def warmup_steps(self, steps: int) -> int:
        """The number of steps in which the rate rises, of all `steps`."""
        return ceil(self.warmup * steps)

    @model_validator(mode="after")
    def _is_kept_by_what_is_measured(self) -> Self:
        if self.kept_by == "loss" and not self.validated:
            raise ValueError("kept_by loss needs validated, the number of validation rows")
        if self.kept_by == "reward" and not self.answered:
            raise ValueError("kept_by reward needs answered, the number of validation states")
        return self


class SftConfig(Settings):
    """Supervised fine-tuning: the mean loss over the target tokens of a whole effective batch, each row by
    its weight."""

    epochs: float = Field(3.0, gt=0, le=1000, description="passes over the rows")
    steps: int | None = Field(None, ge=1, description="updates; given, it takes the place of epochs")
    batch: int = Field(16, ge=1, description="rows of one update, over all devices")
    per_device: int = Field(1, ge=1, description="rows that a device holds at once")
    max_tokens: int = Field(8000, ge=16, description="longer rows are left out and counted")
    rows: Literal["all", "single", "multi", "revision"] = Field(
        "all", description="the kind of rows that are trained on"
    )
    row_weights: Literal["ours", "published"] = Field(
        "ours", description="ours: each distinct turn counts once; published: each row counts once"
    )
    targets: Literal["own", "shuffled"] = Field(
        "own", description="shuffled: a control in which each row is given another's turns to learn"
    )

    @model_validator(mode="after")
    def _divides(self) -> Self:
        if self.batch % self.per_device:
            raise ValueError("batch must be a multiple of per_device")
        return self

    def accumulation(self, devices: int) -> int:
        """Micro-batches of one update on each of `devices`. Raises BadInput where they do not divide."""
        at_once = self.per_device * devices
        if self.batch % at_once:
            raise BadInput(
                f"a batch of {self.batch} rows cannot be shared by {devices} devices of {self.per_device}",
                where="batch",
                hint="--set batch=N with a multiple of per_device times devices",
            )
        return self.batch // at_once

    def updates(self, rows: int) -> int:
        """The number of updates over `rows` rows."""
        return self.steps or max(1, ceil(self.epochs * ceil(rows / self.batch)))


class GrpoConfig(Settings):
    """Group-relative policy optimization over recorded states or whole encounters.

    `ratio` is per token (`released`) or over the whole answer (`paper`); `dual_clip` bounds the loss of bad
    answers (`released` only). `scale` divides an advantage by its group's spread, or only centres it.
    """

    steps: int = Field(150, ge=1, description="steps, each with answers of its own")
    prompts: int = Field(64, ge=1, description="states of one step")
    group: int = Field(5, ge=2, description="answers to each state")
    mini_batch: int = Field(64, ge=1, description="states of one update")
    per_device: int = Field(4, ge=1, description="answers that a device holds at once")
    iterations: int = Field(1, ge=1, description="passes over the answers of a step")
    beta: float = Field(0.01, ge=0, description="weight of the divergence from the reference")
    kl: Literal["plain", "corrected"] = Field(
        "plain", description="the divergence as published, or times the ratio: then its gradient is unbiased"
    )
    epsilon: float = Field(0.2, gt=0, lt=1, description="the ratio is clipped at 1 - epsilon")
    epsilon_high: float = Field(0.2, gt=0, lt=1, description="the ratio is clipped at 1 + epsilon_high")
    dual_clip: float | None = Field(None, gt=1, description="bound of the ratio for answers below the mean")
    ratio: Literal["token", "sequence"] = Field(
        "token", description="the ratio of each token, or the mean over an answer's tokens"
    )
    loss: Literal["grpo", "bnpo", "dr_grpo", "dapo"] = Field(
        "dapo", description="mean of the loss; dapo: over all tokens of an update"
    )
    scale: Literal["group", "batch", "none"] = Field(
        "group", description="the spread that divides an advantage: its group's, the batch's, or none"
    )
    temperature: float = Field(1.0, gt=0, description="temperature at which answers are sampled")
    top_p: float = Field(1.0, gt=0, le=1, description="share of the likeliest tokens that are sampled from")
    max_prompt: int = Field(4096, ge=16, description="states with longer prompts are left out and counted")
    veto: Literal["paper", "floor", "off"] = Field(
        "floor", description="the total of an answer with a veto: -15, one below the lowest sum, or its sum"
    )
    vllm: bool = Field(False, description="answers are sampled by vLLM, on the same GPUs")

    @model_validator(mode="after")
    def _checkpoints_lie_between_batches(self) -> Self:
        # Answers that were sampled but not yet used are in no checkpoint: resumed there, others are sampled.
        if self.prompts % self.mini_batch:
            raise ValueError("prompts must be a multiple of mini_batch")
        if self.save_every % self.updates_per_step:
            raise ValueError(
                f"save_every must be a multiple of {self.updates_per_step}, the updates of a step"
            )
        return self

    @property
    def updates_per_step(self) -> int:
        """Updates for the answers of one step."""
        return self.prompts // self.mini_batch * self.iterations


_ON_PROCESSOR: Final[Mapping[str, Any]] = {
    **{"weights": "lora", "rank": 16, "alpha": 32, "precision": "bf16", "checkpointing": False},
    **{"kept_by": "reward", "validated": 12, "answered": 8, "max_answer": 256},
}
_SFT: Final[Mapping[Profile, Mapping[str, Any]]] = {
    "paper": {"learning_rate": 1e-4, "warmup": 0.1},
    "released": {"learning_rate": 1e-4, "warmup": 0.1, "row_weights": "published"},
    "small": {
        **_ON_PROCESSOR,
        **{"learning_rate": 1e-3, "warmup": 0.1, "epochs": 2.0, "batch": 8, "rows": "multi"},
        **{"max_tokens": 4096, "save_every": 10},
    },
    "tiny": {
        **{
            "weights": "all",
            "learning_rate": 3e-3,
            "warmup": 0.05,
            "steps": 200,
            "batch": 8,
            "per_device": 8,
        },
        **{"precision": "fp32", "pixels": 12_544, "checkpointing": False, "save_every": 50},
    },
}
_GRPO: Final[Mapping[Profile, Mapping[str, Any]]] = {
    "paper": {
        **{"learning_rate": 1e-6, "weight_decay": 0.01, "schedule": "constant", "ratio": "sequence"},
        **{"veto": "paper", "save_every": 10},
    },
    "released": {
        **{"learning_rate": 1e-6, "weight_decay": 0.01, "schedule": "constant", "epsilon_high": 0.3},
        **{"dual_clip": 3.0, "max_prompt": 5120, "max_answer": 4096, "pixels": 4_194_304, "veto": "paper"},
        **{"save_every": 10},
    },
    "small": {
        **_ON_PROCESSOR,
        **{"learning_rate": 5e-5, "schedule": "constant", "steps": 30, "prompts": 2, "group": 4},
        **{"mini_batch": 2, "per_device": 1, "beta": 0.0, "max_prompt": 1536, "save_every": 5},
    },
    "tiny": {
        **{"weights": "all", "learning_rate": 5e-4, "schedule": "constant", "steps": 40, "prompts": 4},
        **{"group": 8, "mini_batch": 4, "per_device": 8, "beta": 0.0, "max_prompt": 4096, "max_answer": 160},
        **{"rank": 16, "alpha": 32, "precision": "fp32", "pixels": 12_544, "checkpointing": False},
        **{"save_every": 10},
    },
}


def sft_config(profile: str, changes: Sequence[str] = ()) -> SftConfig:
    """The settings of a profile for SFT, with `changes` as KEY=VALUE. Raises BadInput."""
    return SftConfig.model_validate(_given(SftConfig, _SFT, profile, changes))


def grpo_config(profile: str, changes: Sequence[str] = ()) -> GrpoConfig:
    """The settings of a profile for GRPO, with `changes` as KEY=VALUE. Raises BadInput."""
    return GrpoConfig.model_validate(_given(GrpoConfig, _GRPO, profile, changes))


def _given(
    kind: type[Settings],
    profiles: Mapping[Profile, Mapping[str, Any]],
    profile: str,
    changes: Sequence[str],
) -> dict[str, Any]:
    """The fields of a profile with those changed, checked."""
    known = next((one for one in PROFILES if one == profile), None)
    if known is None:
        raise BadInput(f"no profile {profile!r}", where="--profile", hint=f"known: {', '.join(PROFILES)}")
    fields: dict[str, Any] = {"profile": known, **profiles[known]}
    for change in changes:
        name, sign, value = change.partition("=")
        if not sign or name not in kind.model_fields or name == "profile":
            names = ", ".join(one for one in kind.model_fields if one != "profile")
            raise BadInput(f"no setting {name!r}", where="--set", hint=f"KEY=VALUE with one of: {names}")
        fields[name] = _value(value)
    try:
        kind.model_validate(fields)
    except ValidationError as error:
        raise BadInput(in_words(error, "settings"), where="--set") from None
    return fields


def _value(text: str) -> Any:
    """A value as JSON where it is that, otherwise as text."""
    try:
        return json.loads(text)
    except ValueError:
        return text
