"""A session of OpenEnv: one encounter after another, each answered by the trainer's policy."""

from __future__ import annotations

import asyncio
from contextlib import suppress
from typing import Any, Final

from openenv.core.env_server.interfaces import Environment

from osler.adapters.conversation import Conversation, OpenPrompt
from osler.adapters.openenv.encounters import Encounters, asked
from osler.adapters.openenv.models import MOST_TEXT, OslerAction, OslerObservation, OslerState
from osler.errors import BadInput, InfrastructureFault, Stale
from osler.models.types import encodable
from osler.runs.played import EndedEpisode

_LONGEST_NAME: Final = 255


class OslerEnvironment(Environment[OslerAction, OslerObservation, OslerState]):
    """One session of a server. Only the asynchronous methods work; OpenEnv calls those.

    Raises BadInput for what the trainer did wrong (Stale, without effect, for an answer to a prompt that is
    not open), and InfrastructureFault if something else than the policy failed: never an observation, and
    never a reward.
    """

    SUPPORTS_CONCURRENT_SESSIONS = True

    def __init__(self, encounters: Encounters) -> None:
        super().__init__()
        self._encounters = encounters
        self._talk: Conversation | None = None
        self._loop: asyncio.AbstractEventLoop | None = None
        self._begun, self._row, self._closed, self._over = 0, 0, False, "no encounter has begun"
        self._state = OslerState(rows=len(encounters))

    async def reset_async(
        self, seed: Any = None, episode_id: Any = None, row: Any = None, **unknown: Any
    ) -> OslerObservation:
        """Leave the encounter under way, and begin the row named, that of a seed, or the next one."""
        self._check_open()
        if unknown:
            raise BadInput(f"reset takes no {encodable(min(unknown))[:40]!r}", hint="seed, row, episode_id")
        if episode_id is not None and not (isinstance(episode_id, str) and len(episode_id) <= _LONGEST_NAME):
            raise BadInput("episode_id is no text of at most 255 characters", where="reset")
        chosen = self._encounters.row(seed, row)
        await self._leave()
        self._loop, self._begun, self._row = asyncio.get_running_loop(), self._begun + 1, chosen
        world = self._encounters.world.episode(chosen).world
        self._state = OslerState(
            episode_id=encodable(episode_id or world), row=chosen, rows=len(self._encounters), world=world
        )
        self._talk = self._encounters.conversation(chosen)
        return await self._shown(self._talk, self._talk.next())

    async def step_async(
        self, action: OslerAction, timeout_s: float | None = None, **_: Any
    ) -> OslerObservation:
        """Answer the open prompt. An answer that cannot be read or is not allowed is refused: the next prompt
        says why, and the third in a row ends the encounter."""
        self._check_open()
        if self._talk is None:
            raise Stale(self._over, hint="call reset, over the same WebSocket")
        talk, pending = self._talk, self._talk.pending
        if pending is None:
            raise Stale("no prompt is open", hint="wait for the observation before the next step")
        if action.ticket not in (None, result := self._ticket(pending)):
            raise Stale(f"prompt {action.ticket[:40]!r} is not open", hint=f"now {result} is")
        if len(action.text) > MOST_TEXT:
            raise BadInput(f"the answer has {len(action.text)} characters", hint=f"at most {MOST_TEXT}")
        self._state.step_count += 1
        return await self._shown(talk, talk.step(action.text, pending.ticket))

    def reset(self, seed: int | None = None, episode_id: str | None = None, **_: Any) -> OslerObservation:
        """Raise BadInput: see the class."""
        raise BadInput("this environment is asynchronous", hint="await reset_async")

    def step(self, action: OslerAction, timeout_s: float | None = None, **_: Any) -> OslerObservation:
        """Raise BadInput: see the class."""
        raise BadInput("this environment is asynchronous", hint="await step_async")

    @property
    def state(self) -> OslerState:
        """The state of the session; nothing in it hints at the answer."""
        return self._state

    def close(self) -> None:
        """Leave the encounter under way; nothing is scored. OpenEnv calls this from any thread, when the
        socket is gone or has been idle for too long."""
        self._closed, talk, self._talk = True, self._talk, None
        if talk is not None and self._loop is not None:
            with suppress(RuntimeError):  # the loop has closed, and the encounter with it
                self._loop.call_soon_threadsafe(self._encounters.leave, talk)

    async def _leave(self) -> None:
        if self._talk is not None:
            talk, self._talk = self._talk, None
            await talk.leave()

    def _check_open(self) -> None:
        if self._closed:
            raise BadInput("this session was left, after being idle", hint="connect again")

    def _ticket(self, prompt: OpenPrompt) -> str:
        """The ticket of a prompt: it names the encounter too, so that an answer meant for an earlier one is
        refused."""
        return f"{self._begun}.{prompt.ticket}"

    async def _shown(self, talk: Conversation, coming: Any) -> OslerObservation:
        try:
            now: OpenPrompt | EndedEpisode = await coming
        except InfrastructureFault as fault:
            self._encounters.fault(str(fault))
            self._state.status, self._over = "fault", f"the encounter was stopped: {fault}"
            await self._leave()
            raise
        if isinstance(now, OpenPrompt):
            return asked(now, self._ticket(now))
        self._over = "the encounter has ended"
        self._talk = None
        ended = self._encounters.ended(self._row, now)
        self._state.status = ended.status
        return ended
