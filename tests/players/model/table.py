"""One way to play a consultation with models from the fake endpoint, and to read what they were sent."""

from __future__ import annotations

import asyncio
from collections import defaultdict
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

from osler.cases.model import Case
from osler.cases.personas import persona
from osler.core.contract import Player
from osler.core.events import Seat
from osler.core.trace import Trace
from osler.models.client import EndpointClient
from osler.models.config import Capabilities, Endpoint
from osler.models.secret import Secret
from osler.models.types import Completion, CompletionRequest, Message, ModelClient, Validate
from osler.protocols.consultation.episode import Episode
from osler.protocols.consultation.players.consultant import BaselineConsultant
from osler.protocols.consultation.players.doctor import BaselineDoctor
from osler.protocols.consultation.players.examination import BaselineExamination
from osler.protocols.consultation.settings import Settings
from osler.protocols.shared.players.patient import BaselinePatient
from osler.testing.endpoint import FakeEndpoint

KEY = "a-key-that-must-never-be-seen-0123456789"


@dataclass
class Overheard:
    """A client that keeps what it is asked, by seat."""

    inner: ModelClient
    asked: defaultdict[str, list[CompletionRequest]] = field(default_factory=lambda: defaultdict(list))

    async def complete(self, request: CompletionRequest, *, validate: Validate | None = None) -> Completion:
        self.asked[request.seat].append(request)
        return await self.inner.complete(request, validate=validate)

    async def embed(self, texts: Sequence[str]) -> list[list[float]]:
        return await self.inner.embed(texts)


@dataclass
class Told:
    """A client that answers with the given values in turn, then with the last; a value is validated as it
    stands, and refused where it does not pass."""

    values: Sequence[Any]
    asked: list[CompletionRequest] = field(default_factory=list)

    async def complete(self, request: CompletionRequest, *, validate: Validate | None = None) -> Completion:
        value = self.values[min(len(self.asked), len(self.values) - 1)]
        self.asked.append(request)
        return Completion(text=str(value), parsed=validate(value) if validate else value)

    async def embed(self, texts: Sequence[str]) -> list[list[float]]:
        raise NotImplementedError


def consult(
    case: Case,
    cast: Callable[[ModelClient], dict[Seat, Player]],
    *,
    script: Sequence[dict[str, Any]] = (),
    settings: Settings | None = None,
    seed: str = "0",
    capabilities: Capabilities = Capabilities(),  # noqa: B008 - frozen
) -> tuple[Trace, Overheard]:
    """Play one consultation. `cast` replaces built-in players."""

    async def run() -> tuple[Trace, Overheard]:
        async with FakeEndpoint(script=list(script)) as fake:
            endpoint = Endpoint(
                name="fake", base_url=fake.base_url, model="fake-model", capabilities=capabilities
            )
            async with EndpointClient(endpoint, Secret(KEY)) as client:
                overheard = Overheard(client)
                players: dict[Seat, Player] = {
                    "doctor": BaselineDoctor(),
                    "patient": BaselinePatient(),
                    "examination": BaselineExamination(),
                    "consultant": BaselineConsultant(),
                    **cast(overheard),
                }
                episode = Episode(0, case, persona("plain"), settings or Settings(), seed)
                return await episode.play(players), overheard

    return asyncio.run(run())


def grows(earlier: Sequence[Message], later: Sequence[Message]) -> bool:
    """Whether the later messages begin with the earlier ones, unchanged."""
    return tuple(later[: len(earlier)]) == tuple(earlier) and len(later) > len(earlier)
