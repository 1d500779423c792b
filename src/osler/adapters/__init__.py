"""Doors into other tools: a seat answered from outside, and models borrowed from other frameworks.

Nothing here imports another tool's package; each has a folder of its own (`mcp`, `inspect_ai`, `openenv`).
"""

from osler.adapters.borrowed import Borrowed, BorrowedModels, Generated
from osler.adapters.conversation import Conversation, OpenPrompt, seated_model
from osler.adapters.scored import why_unscored
from osler.adapters.sync import SyncEnv
from osler.players.external import Pending
from osler.runs.played import EndedEpisode
from osler.runs.seating import ModelOptions, with_models
from osler.runs.sitting import Sitting
from osler.runs.world import World

__all__ = [
    "Borrowed",
    "BorrowedModels",
    "Conversation",
    "EndedEpisode",
    "Generated",
    "ModelOptions",
    "OpenPrompt",
    "Pending",
    "Sitting",
    "SyncEnv",
    "World",
    "seated_model",
    "why_unscored",
    "with_models",
]
