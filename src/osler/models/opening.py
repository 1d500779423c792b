"""From names to clients: every endpoint a run uses, opened once, sharing one ledger, budget and cache."""

from __future__ import annotations

import os
from collections.abc import Mapping
from types import TracebackType
from typing import Self

from osler.models.budget import Budget, Ledger, Limits
from osler.models.cache import Cache, CachedClient, CacheMode
from osler.models.client import EndpointClient, Manners
from osler.models.config import Config, Endpoint
from osler.models.types import ModelClient


class Models:
    """The models of one run. Use it in `async with`, which closes what was opened.

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
        self._open: dict[str, EndpointClient] = {}
        self._clients: dict[str, ModelClient] = {}

    def client(self, name: str) -> ModelClient:
        """The client of a configured endpoint; the same one each time."""
        if name not in self._clients:
            endpoint = self._config.endpoint(name)
            key = endpoint.key(self._environ)
            opened = EndpointClient(
                endpoint, key, ledger=self.ledger, budget=self.budget, manners=self._manners
            )
            self._open[name] = opened
            cached = self._cache is not None and self._cache_mode != "off"
            self._clients[name] = (
                CachedClient(opened, endpoint, self._cache, self._cache_mode)
                if self._cache is not None and cached
                else opened
            )
        return self._clients[name]

    def endpoint(self, name: str) -> Endpoint:
        """What is configured under a name."""
        return self._config.endpoint(name)

    def has_eyes(self, name: str) -> bool:
        """Whether the endpoint is declared to see images."""
        return self._config.endpoint(name).capabilities.images

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        for client in self._open.values():
            await client.close()
