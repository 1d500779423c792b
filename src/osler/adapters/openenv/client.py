"""The typed client: `OslerEnv`, for a trainer's process."""

from __future__ import annotations

from typing import Any

from openenv.core.client_types import StepResult
from openenv.core.env_client import EnvClient

from osler.adapters.openenv.models import OslerAction, OslerObservation, OslerState


class OslerEnv(EnvClient[OslerAction, OslerObservation, OslerState]):
    """A session of an Osler server. `step` takes an OslerAction, or the answer's text alone.

    An answer without a ticket is sent with that of the last observation, so that one which is sent twice is
    refused the second time. Raises RuntimeError with the server's words for what is refused, and where
    something else than the policy failed: then there is no reward.
    """

    _ticket: str | None = None

    def _step_payload(self, action: OslerAction | str) -> dict[str, Any]:
        osler_action = OslerAction(text=action) if isinstance(action, str) else action
        return {"text": osler_action.text, "ticket": osler_action.ticket or self._ticket}

    def _parse_result(self, payload: dict[str, Any]) -> StepResult[OslerObservation]:
        done, reward = payload["done"], payload["reward"]
        result = OslerObservation(**{**payload["observation"], "done": done, "reward": reward})
        self._ticket = result.ticket or None
        return StepResult(observation=result, reward=reward, done=done)

    def _parse_state(self, payload: dict[str, Any]) -> OslerState:
        return OslerState(**payload)
