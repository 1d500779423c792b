"""The page of the settings of training: each with its words, its bounds and its value in every profile."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Final

from docs.site.configuration import bounds_of, value_words
from docs.site.markdown import capital, cell, code, page, table, type_words
from osler.training.config import PROFILES, Settings, grpo_config, sft_config

_ABOUT: Final = (
    "`--profile NAME` chooses a column of values, and `--set NAME=VALUE` changes one setting; it may be given"
    " several times."
)
_HEAD: Final = ("setting", "meaning", "type", *PROFILES)


def training() -> str:
    """The page."""
    return page(
        "# Training settings",
        _ABOUT,
        "## Fine-tuning: `osler train sft`",
        table(_HEAD, _rows(sft_config)),
        "## Reinforcement: `osler train grpo`",
        table(_HEAD, _rows(grpo_config)),
    )


def _rows(config: Callable[[str], Settings]) -> Iterator[tuple[str, ...]]:
    """The settings of a training, each with its value in every profile."""
    profiles = [config(name) for name in PROFILES]
    for name, field in type(profiles[0]).model_fields.items():
        if name == "profile":
            continue
        meaning = cell(f"{capital(field.description or '').rstrip('.')}." if field.description else "")
        kind = ", ".join((code(type_words(field.annotation)), *map(cell, bounds_of(field))))
        yield code(name), meaning, kind, *(code(value_words(getattr(one, name))) for one in profiles)
