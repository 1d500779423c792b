"""A real server of encounters in a thread, what it played, and policies that answer by rule."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

from osler.adapters.openenv import Encounters, OslerEnv, app_of
from osler.adapters.openenv.app import address, listening, server_of
from osler.adapters.openenv.models import OslerObservation
from osler.core.config import Config
from osler.runs.played import EndedEpisode

HOST = "127.0.0.1"
Policy = Callable[[int, Sequence[dict[str, Any]]], str]
"""Answers by the number of its own earlier answers, and the prompt."""


@dataclass
class Served:
    """A running server: its address, its encounters, and those that have ended, with their rows."""

    url: str
    encounters: Encounters
    played: list[tuple[int, EndedEpisode]] = field(default_factory=list)

    def client(self) -> Any:
        """A client of its own session, without an event loop."""
        return OslerEnv(base_url=self.url).sync()


@contextmanager
def served(config: Config, *, sessions: int = 64, idle_s: float = 3600, **more: Any) -> Iterator[Served]:
    """Serve a configuration on this machine, in a thread with its own event loop."""
    encounters = Encounters(config, **more)
    played: list[tuple[int, EndedEpisode]] = []
    play = encounters.world.play

    async def recorded(row: int, *given: Any) -> EndedEpisode:
        found = await play(row, *given)
        played.append((row, found))
        return found

    encounters.world.play = recorded  # type: ignore[method-assign, assignment]
    with listening(HOST, 0) as taken:
        server = server_of(app_of(encounters, sessions=sessions, idle_s=idle_s))
        thread = threading.Thread(target=server.run, kwargs={"sockets": [taken]})
        thread.start()
        try:
            yield Served(address(HOST, taken.getsockname()[1]), encounters, played)
        finally:
            server.should_exit = True
            thread.join()


def to_the_end(env: Any, policy: Policy, **reset: Any) -> OslerObservation:
    """Play one encounter with a policy."""
    result = env.reset(**reset)
    while not result.done:
        messages = result.observation.messages
        result = env.step(policy(sum(one["role"] == "assistant" for one in messages), messages))
    seen: OslerObservation = result.observation
    return seen


def in_order(*answers: str) -> Policy:
    """A policy that gives these answers in order, the last again and again."""
    return lambda said, messages: answers[min(said, len(answers) - 1)]
