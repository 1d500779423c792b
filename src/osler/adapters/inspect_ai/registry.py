"""The distribution's entry point in the group `inspect_ai`: a task for every protocol, under its name."""

from __future__ import annotations

from osler.adapters.inspect_ai.scoring import measures
from osler.adapters.inspect_ai.tasks import task_of
from osler.core.registry import protocol_names

__all__ = ["TASKS", "measures"]

TASKS = {name: task_of(name) for name in protocol_names()}
"""Every protocol's task, installed packages' protocols included: `inspect eval osler/NAME`."""
