"""The model clients of a run, opened by name and only once, sharing one ledger, budget and cache."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from types import TracebackType
from typing import TYPE_CHECKING, Final, Protocol, Self

from osler.errors import BadInput
from osler.models.budget import Budget, Ledger, Limits
from osler.models.cache import Cache, CachedClient
from osler.models.calls import Overheard
from osler.models.config import ANTHROPIC, OPENAI, CacheMode, Config, Endpoint
from osler.models.manners import Manners
from osler.models.rates import Bucket
from osler.models.secret import Secret
from osler.models.types import ModelClient
from osler.plugins import plugins

if TYPE_CHECKING:
    from osler.models.client import EndpointClient

GROUP: Final = "osler.model_clients"


class ClosingClient(ModelClient, Protocol):
    """A model client that is closed together with the run's models."""

    async def close(self) -> None:
        """Close its connections."""
        ...


class Models:
    """The models of one run, a context manager: use it in `async with`, which closes the clients.

    Raises BadInput for a name that is not configured, a key that is not set, or a money limit on an endpoint
    without prices.
    """

    def __init__(
        self,
        config: Config,
        *,
        ledger: Ledger | None = None,
        limits: Limits | None = None,
        cache: Cache | None = None,
        cache_mode: CacheMode = "off",
        environ: Mapping[str, str] = os.environ,
        manners: Manners = Manners(),  # noqa: B008 - frozen
    ) -> None:
        self.ledger = ledger if ledger is not None else Ledger()
        self.budget = Budget(limits, self.ledger) if limits is not None else None
        self._config, self._cache, self._cache_mode = config, cache, cache_mode
        self._environ, self._manners = environ, manners
        self._open: dict[str, ClosingClient] = {}
        self._ours: list[EndpointClient] = []
        self._clients: dict[str, ModelClient] = {}
        self._workers = 1
        self._bucket: Callable[[Endpoint], Bucket] | None = None

    def client(self, name: str) -> ModelClient:
        """The client of a configured endpoint, the same one each time; its calls can be overheard."""
        if name not in self._clients:
            endpoint = self._config.endpoint(name)
            key = endpoint.key(self._environ)
            opened = self._opened(endpoint, key)
            self._open[name] = opened
            self.share_among(self._workers)
            if self._bucket is not None:
                self.share_rates(self._bucket)
            cached = self._cache is not None and self._cache_mode != "off"
            asked: ModelClient = opened
            if self._cache is not None and cached:
                asked = CachedClient(opened, endpoint, self._cache, self._cache_mode)
            self._clients[name] = Overheard(asked, endpoint)
        return self._clients[name]

    def _opened(self, endpoint: Endpoint, key: Secret | None) -> ClosingClient:
        if endpoint.kind in (OPENAI, ANTHROPIC):
            from osler.models.client import EndpointClient  # noqa: PLC0415 - import time

            opened = EndpointClient(
                endpoint,
                key,
                ledger=self.ledger,
                budget=self.budget,
                manners=self._manners,
                environ=self._environ,
            )
            self._ours.append(opened)
            return opened
        plugin = next((one for one in plugins(GROUP) if one.name == endpoint.kind), None)
        where = f"endpoint {endpoint.name}"
        if plugin is None:
            text = ", ".join((OPENAI, ANTHROPIC, *(one.name for one in plugins(GROUP))))
            raise BadInput(
                f"no model client is of kind {endpoint.kind!r}", where=where, hint=f"known: {text}"
            )
        if endpoint.rates is not None:
            raise BadInput(
                f"a client of kind {endpoint.kind!r} sends by itself, so its rate cannot be limited",
                where=where,
                hint="leave out requests_per_minute and tokens_per_minute",
            )
        if self.budget is not None:
            raise BadInput(
                f"the usage of a client of kind {endpoint.kind!r} is not counted, so it cannot be limited",
                where=where,
                hint="leave out --token-budget and --max-money",
            )
        client: ClosingClient = plugin.loaded()(endpoint, key)
        if missing := [name for name in ("complete", "close") if not hasattr(client, name)]:
            raise BadInput(f"the client {plugin.value} returns has no {missing[0]!r}", where=plugin.where)
        return client

    def share_among(self, workers: int) -> None:
        """Keep to an equal share of each endpoint's `max_in_flight`: other processes send requests too."""
        self._workers = max(1, workers)
        for client in self._ours:
            client.share_among(self._workers)

    @property
    def config(self) -> Config:
        """The configured endpoints."""
        return self._config

    def share_rates(self, bucket: Callable[[Endpoint], Bucket]) -> None:
        """From here on, keep the rates of each endpoint that has any by the bucket it is given."""
        self._bucket = bucket
        for client in self._ours:
            if client.pacer is not None:
                client.pacer.bucket = bucket(client.endpoint)

    def endpoint(self, name: str) -> Endpoint:
        """The configured endpoint with this name."""
        return self._config.endpoint(name)

    def has_eyes(self, name: str) -> bool:
        """Whether the endpoint is declared to accept images."""
        return self._config.endpoint(name).capabilities.images

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        for client in self._open.values():
            await client.close()
