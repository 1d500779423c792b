"""What models are told: packaged files, versioned by hash."""

from osler.prompts.blocks import block, neutral
from osler.prompts.loader import NAMES, Prompt, prompt

__all__ = ["NAMES", "Prompt", "block", "neutral", "prompt"]
