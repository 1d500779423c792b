"""An encounter as a conversation: the prompts of a language model in a seat, answered in text from outside.

    talk = Conversation(world, 0)
    now = await talk.next()
    while isinstance(now, Asked):
        now = await talk.step(my_model(now.messages), now.ticket)

The player is the protocol's own model player, with a client that waits for its answer. So the text is
parsed, refused and asked for again as any model's is, in every protocol.
"""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Self

from osler.adapters.borrowed import Borrowed, BorrowedModels, Generated
from osler.core.config import Config
from osler.core.factory import PlayerRequest
from osler.core.role import EXTERNAL, PERSON, Seating
from osler.errors import BadInput, Stale
from osler.models.types import CompletionRequest, Message, Rung
from osler.players.seating import model_player
from osler.runs.played import EndedEpisode
from osler.runs.world import World

NAME = "external"
"""The name under which the outside party appears in the cast, `model:external`."""


@dataclass(frozen=True)
class OpenPrompt:
    """A prompt waiting for its answer: all its messages, how many of them have not been shown before, the
    JSON schema wanted (`None`: plain text), and the ticket that its answer has to name."""

    messages: tuple[Message, ...]
    new: int
    schema: Mapping[str, Any] | None
    ticket: str

    @property
    def text(self) -> str:
        """The new messages as one text, without the answers that the outside party gave itself."""
        fresh = self.messages[len(self.messages) - self.new :]
        return "\n\n".join(one.text for one in fresh if one.role != "assistant")


class Conversation:
    """One row of a world, played by text. As an async context manager, it is left at the end of the block.

    With `images` the prompts hold the case's pictures. For one event loop; nothing is stored.

    Raises BadInput if other seats are answered from outside, too; `next` and `step` raise InfrastructureFault
    if something else than the outside party failed: that is never an end, and never scored.
    """

    def __init__(self, world: World, row: int, *, images: bool = False) -> None:
        check_alone(world.config)
        self._world, self._row = world, row
        self._client = Borrowed(self._ask, schemas=False, images=images)
        self._task: asyncio.Task[EndedEpisode] | None = None
        self._open: tuple[OpenPrompt, asyncio.Future[str]] | None = None
        self._shown: tuple[Message, ...] = ()
        self._asked, self._left = 0, False
        self._changed = asyncio.Event()

    @property
    def pending(self) -> OpenPrompt | None:
        """The prompt that waits, if one does."""
        return self._open[0] if self._open else None

    async def next(self) -> OpenPrompt | EndedEpisode:
        """Return the open prompt, or the encounter if it has ended."""
        task = self._begun()
        while not task.done() and self._open is None:
            await self._changed.wait()
            self._changed.clear()
        if self._open is not None and not task.done():
            return self._open[0]
        if task.cancelled():
            raise BadInput("this conversation was left", hint="begin another")
        return task.result()

    async def step(self, text: str, at: str | None = None) -> OpenPrompt | EndedEpisode:
        """Answer the prompt with the ticket `at`, and wait for the next one. Raises Stale, without effect, if
        that prompt is not open."""
        await self.next()
        if self._open is None:
            raise Stale("the encounter has ended")
        asked, answer = self._open
        if at not in (None, asked.ticket):
            raise Stale(f"prompt {at} is not open", hint=f"now {asked.ticket} is")
        self._open = None
        answer.set_result(text)
        return await self.next()

    async def leave(self) -> None:
        """Stop here; nothing is scored."""
        self._left = True
        if self._task is not None:
            self._task.cancel()
            await asyncio.wait([self._task])
            if not self._task.cancelled():
                self._task.exception()  # retrieve it: the caller has left

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.leave()

    def _begun(self) -> asyncio.Task[EndedEpisode]:
        if self._left:
            raise BadInput("this conversation was left", hint="begin another")
        if self._task is None:
            self._task = asyncio.create_task(self._play())
            self._task.add_done_callback(lambda _: self._changed.set())
        return self._task

    async def _play(self) -> EndedEpisode:
        case = self._world.episode(self._row).case
        return await self._world.play(self._row, seated_model(self._world, case, self._client))

    async def _ask(self, messages: Sequence[Message], request: CompletionRequest, rung: Rung) -> Generated:
        asked = tuple(messages)
        known = len(self._shown) if asked[: len(self._shown)] == self._shown else 0
        schema = request.output.json_schema if request.output else None
        ticket, self._shown = str(self._asked), asked
        self._asked += 1
        answer: asyncio.Future[str] = asyncio.get_running_loop().create_future()
        self._open = OpenPrompt(asked, len(asked) - known, schema, ticket), answer
        self._changed.set()
        try:
            return Generated(await answer, "stop")
        finally:
            if self._open is not None and self._open[1] is answer:
                self._open = None


def check_alone(config: Config) -> None:
    """Raise BadInput if others than the seat under test are answered from outside: one voice would play all
    of them."""
    under_test = config.plays.under_test
    for seat, name in config.insides().items():
        if seat != under_test and name in (EXTERNAL, PERSON):
            what = f"the {seat} is answered from outside, and only the {under_test} can be"
            raise BadInput(what, where=seat, hint="name a built-in player or a model")


def seated_model(world: World, case: Any, client: Borrowed, name: str = NAME) -> Any:
    """The protocol's model player with this client, for the seat under test of a world's case."""
    config = world.config
    seating = Seating(config, BorrowedModels({name: client}))
    return model_player(PlayerRequest(config.plays.under_test, case, name), seating)
