"""The prompts of model players: packaged templates, versioned by hash."""

from osler.prompts.loader import NAMES, Prompt, for_seat, prompt

__all__ = ["NAMES", "Prompt", "for_seat", "prompt"]
