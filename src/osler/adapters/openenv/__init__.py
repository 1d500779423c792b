"""OpenEnv: a server whose sessions are encounters, and the client for trainers (`osler openenv`).

Needs the extra `openenv`. Each name is imported on first use, so that a trainer does not load the server.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from osler.adapters.openenv.app import app_of as app_of
    from osler.adapters.openenv.client import OslerEnv as OslerEnv
    from osler.adapters.openenv.encounters import Encounters as Encounters
    from osler.adapters.openenv.models import OslerAction as OslerAction
    from osler.adapters.openenv.models import OslerObservation as OslerObservation
    from osler.adapters.openenv.models import OslerState as OslerState

_WHERE = {
    "Encounters": "encounters",
    "OslerAction": "models",
    "OslerEnv": "client",
    "OslerObservation": "models",
    "OslerState": "models",
    "app_of": "app",
}
__all__ = ["Encounters", "OslerAction", "OslerEnv", "OslerObservation", "OslerState", "app_of"]


def __getattr__(name: str) -> Any:
    """Import a name on first use."""
    if name not in _WHERE:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f"{__name__}.{_WHERE[name]}"), name)
