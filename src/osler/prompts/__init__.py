"""The prompts of model players: packaged templates, versioned by hash."""

from osler.prompts.blocks import block, neutral
from osler.prompts.loader import NAMES, Prompt, for_seat, prompt

__all__ = ["NAMES", "Prompt", "block", "for_seat", "neutral", "prompt"]
