"""The encounters that a server offers, and its count of how they ended."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from pydantic_core import from_json

from osler.adapters.borrowed import Borrowed, BorrowedModels, Generated
from osler.adapters.conversation import NAME, Conversation, OpenPrompt, check_alone
from osler.adapters.openenv.models import OslerObservation
from osler.adapters.scored import why_unscored
from osler.core.config import Config
from osler.core.episode import Episode
from osler.core.factory import Factory
from osler.core.measure import NOTHING, Measure, Scored, plain_value
from osler.core.registry import protocol_named
from osler.errors import BadInput
from osler.judging.scores import UNSCORED
from osler.models.types import Message
from osler.runs.played import EndedEpisode
from osler.runs.world import World
from osler.store.records import EpisodeRow

MOST_ROW: Final = 2**63


@dataclass
class Tally:
    """A count of ended encounters: with a reward, without one, or by a fault outside the policy.
    `up` says that the last one was not stopped by a fault, `last` why it has no reward."""

    scored: int = 0
    unscored: int = 0
    faults: int = 0
    up: bool = True
    last: str = ""


class Encounters:
    """The rows of a configuration, to be played by the policy in the seat under test.

    `reward` names the measure that is the reward (the protocol's headline if empty), `scores` those that are
    shown beside it at the end. The policy answers in text where the protocol has such moves, unless the
    configuration sets `moves`. With `sees`, it is shown the cases' pictures. `models` are those opened for
    other seats, `more` adds players by name. For one event loop.

    Raises BadInput for a configuration that cannot be played so, and a measure that is no reward.
    """

    def __init__(
        self,
        config: Config,
        *,
        reward: str = "",
        scores: Sequence[str] = (),
        sees: bool = False,
        models: Any = None,
        more: Mapping[str, Factory] | None = None,
    ) -> None:
        config, protocol = in_text(config), config.plays
        check_alone(config)
        check_sight(config, sees)
        self.world, self.sees = World(config, (protocol.under_test,), models=models, more=more), sees
        self._models = models
        self.seat, self.tally = protocol.under_test, Tally()
        self.reward = protocol.measure(reward) if reward else protocol.measures[0]
        self.scores = tuple(protocol.measure(name) for name in scores)
        _check_reward(self.reward)
        self._rows, self._next = len(self.world), 0
        if not self._rows:
            raise BadInput("there is nothing to play", where=config.cases)
        self._leaving: set[asyncio.Task[None]] = set()

    def __len__(self) -> int:
        """Return the number of rows."""
        return self._rows

    def row(self, seed: object = None, row: object = None) -> int:
        """The row to play: the one named, else the one of a seed (seed modulo the number of rows), else the
        next one that nobody was given. Raises BadInput if it is not a whole number, or there is no such row.
        """
        if row is not None:
            result = _whole(row, "row")
            if result >= self._rows:
                raise BadInput(f"there is no row {result}", hint=f"there are {self._rows}, from 0")
            return result
        if seed is not None:
            return _whole(seed, "seed") % self._rows
        result, self._next = self._next, (self._next + 1) % self._rows
        return result

    def conversation(self, row: int) -> Conversation:
        """Begin a row."""
        return Conversation(self.world, row, images=self.sees)

    def leave(self, talk: Conversation) -> None:
        """Leave an encounter, without waiting until it is left."""
        task = asyncio.get_running_loop().create_task(talk.leave())
        self._leaving.add(task)
        task.add_done_callback(self._leaving.discard)

    async def open(self) -> None:
        """Open the connections of the models, in the event loop that will play."""
        if self._models is not None:
            await self._models.__aenter__()

    async def close(self) -> None:
        """Wait until every encounter that was to be left is, and close the models."""
        await asyncio.gather(*self._leaving)
        if self._models is not None:
            await self._models.__aexit__(None, None, None)

    def fault(self, why: str) -> None:
        """Count an encounter that a fault stopped."""
        self.tally.faults, self.tally.up, self.tally.last = self.tally.faults + 1, False, why

    def ended(self, row: int, played: EndedEpisode) -> OslerObservation:
        """The observation of an encounter that has ended: a reward, or the reason why there is none."""
        outcome = played.trace.outcome
        why, reward, shown = why_unscored(played.trace, self.seat), None, dict[str, float | None]()
        if not why:
            result = figures(self.world.episode(row), played, (self.reward, *self.scores))
            reward, shown = result[self.reward.name], {one.name: result[one.name] for one in self.scores}
            why = "" if reward is not None else f"{self.reward.name} is not scored here"
        if outcome.status in UNSCORED:
            self.fault(why)
        elif reward is None:
            self.tally.unscored, self.tally.last = self.tally.unscored + 1, why
        else:
            self.tally.scored, self.tally.up = self.tally.scored + 1, True
        return OslerObservation(
            done=True, reward=reward, status=str(outcome.status), unscored=why, scores=shown
        )


def figures(episode: Episode, ended: EndedEpisode, measures: Sequence[Measure]) -> dict[str, float | None]:
    """The measures of an ended episode by name; `None` is unscored. Whether it may be scored at all is
    `why_unscored`'s to say."""
    case, protocol = episode.case, protocol_named(episode.protocol)
    row = EpisodeRow(episode.ordinal, ended.key, case.content_hash, case.id, *ended.trace.outcome, None, None)
    body = from_json(ended.judgement)
    judged = None if protocol.judgement is None else protocol.judgement(lambda: case, body)
    scored = Scored(row, body, lambda: ended.trace, judged)
    values = {measure.name: measure.of(scored) for measure in measures}
    return {name: None if value is NOTHING else plain_value(value) for name, value in values.items()}


def asked(now: OpenPrompt, ticket: str) -> OslerObservation:
    """The observation of a prompt."""
    return OslerObservation(
        text=now.text,
        messages=[chat(message) for message in now.messages],
        answer_schema=None if now.schema is None else dict(now.schema),
        ticket=ticket,
    )


def chat(message: Message) -> dict[str, Any]:
    """A message in the chat format: its content is text, or with pictures a list of parts."""
    if not message.images:
        return {"role": message.role, "content": message.text}
    parts: list[dict[str, Any]] = [{"type": "text", "text": message.text}]
    for one in message.images:
        url = f"data:{one.media_type};base64,{one.data}"
        parts.append({"type": "image_url", "image_url": {"url": url}})
    return {"role": message.role, "content": parts}


def in_text(config: Config) -> Config:
    """A configuration with text moves where its protocol has them, unless it was built with `moves`."""
    if "moves" in type(config).model_fields and "moves" not in config.model_fields_set:
        return config.model_copy(update={"moves": "text"})
    return config


def check_sight(config: Config, sees: bool) -> None:
    """Raise BadInput if the policy would have to see pictures, and is shown none."""

    async def nobody(*_: object) -> Generated:
        raise BadInput("nobody answers")

    borrowed = BorrowedModels({NAME: Borrowed(nobody, images=sees)})
    config.seated({config.plays.under_test: f"model:{NAME}"}).check_seating(borrowed)


def _check_reward(measure: Measure) -> None:
    if measure.better != "more":
        raise BadInput(
            f"more of {measure.name} is not better, so it is no reward",
            where="reward",
            hint="name a measure of which more is better, and show this one by scores",
        )


def _whole(given: object, name: str) -> int:
    if not isinstance(given, int) or isinstance(given, bool) or not 0 <= given < MOST_ROW:
        raise BadInput(f"{name} is no whole number from 0", where="reset")
    return given
