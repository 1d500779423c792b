"""The messages between a trainer and the server: an action, an observation, and the state of a session."""

from __future__ import annotations

from typing import Annotated, Any, Final

from openenv.core.env_server.types import Action, Observation, State
from pydantic import BeforeValidator, Field

from osler.models.types import encodable

MOST_TEXT: Final = 100_000
"""The longest answer of a policy, in characters."""

Text = Annotated[str, BeforeValidator(lambda text: encodable(text) if isinstance(text, str) else text)]
"""A text whose lone surrogates are replaced: OpenEnv could not even send what is wrong with them."""


class OslerAction(Action):
    """An answer of the policy: its text, and the ticket of the prompt it answers (`None`: the open one)."""

    text: Text = Field(json_schema_extra={"maxLength": MOST_TEXT})
    ticket: Text | None = None


class OslerObservation(Observation):
    """A prompt to answer, or the end of an encounter.

    `messages` are the whole prompt as chat messages, to the letter what a model of `osler.toml` is sent;
    `text` is the part of it that is new. `answer_schema` is the JSON schema of the answer (`None`: plain
    text). At the end `done` is true and `status` is how it ended; `reward` is then a number, or `None` with
    the reason in `unscored`. `scores` are those that the server was started to show.
    """

    text: str = ""
    messages: list[dict[str, Any]] = Field(default_factory=list)
    answer_schema: dict[str, Any] | None = None
    ticket: str = ""
    status: str = ""
    unscored: str = ""
    scores: dict[str, float | None] = Field(default_factory=dict)


class OslerState(State):
    """A session's state: the `row` it plays of how many `rows`, and that encounter's `world`, a hash of its
    case and seed, which is also its `episode_id` unless the trainer gave one."""

    row: int | None = None
    rows: int = 0
    world: str = ""
    status: str = ""
