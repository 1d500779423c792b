"""Prices of endpoints that are given with a run: `--price NAME=IN,OUT[,CACHED]`.

They take precedence over those of `osler.toml`, and the run's manifest keeps them, so that its costs and
budgets are always worked out at the same prices:

    "prices": {NAME: {"price_in": 2.5, "price_out": 10.0, "price_cached": 0.25}}
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, Final

from pydantic import Field, ValidationError

from osler.core.events import Frozen
from osler.errors import BadInput
from osler.models.config import Config

PRICES: Final = "prices"
WHERE: Final = "--price"
_MOST: Final = 1e9
_WRITE: Final = "write NAME=IN,OUT or NAME=IN,OUT,CACHED: numbers per million tokens"


class Prices(Frozen):
    """The prices of an endpoint, per million tokens, in one currency of your choice. Without a price of their
    own, cached tokens cost as much as others that are sent."""

    price_in: float = Field(ge=0, le=_MOST, allow_inf_nan=False)
    price_out: float = Field(ge=0, le=_MOST, allow_inf_nan=False)
    price_cached: float | None = Field(default=None, ge=0, le=_MOST, allow_inf_nan=False)


GivenPrices = Mapping[str, Prices]
"""Prices by the name of an endpoint."""


def prices_of(texts: Iterable[str]) -> dict[str, Prices]:
    """Parse `NAME=IN,OUT[,CACHED]`. Raises BadInput.

    >>> prices_of(["cloud=2.5,10,0.25"])["cloud"].price_out
    10.0
    """
    result: dict[str, Prices] = {}
    for text in texts:
        name, _, amounts = text.partition("=")
        parts = amounts.split(",")
        if not name.strip() or len(parts) not in (2, 3):
            raise BadInput(f"{text[:60]!r} is no price", where=WHERE, hint=_WRITE)
        try:
            fields = zip(Prices.model_fields, map(float, parts), strict=False)
            result[name.strip()] = Prices(**dict(fields))
        except (ValueError, ValidationError):
            raise BadInput(f"{text[:60]!r} is no price", where=WHERE, hint=_WRITE) from None
    return result


def price_flag(name: str, prices: Prices) -> str:
    """The value of `--price` that gives an endpoint these prices."""
    amounts = (prices.price_in, prices.price_out, prices.price_cached)
    return f"{name}={','.join(f'{one:.12g}' for one in amounts if one is not None)}"


def prices_in(manifest: Mapping[str, Any]) -> dict[str, Prices]:
    """The prices that a run was begun with."""
    return {name: Prices(**one) for name, one in manifest.get(PRICES, {}).items()}


def recorded_prices(prices: GivenPrices) -> dict[str, dict[str, float]]:
    """The prices as a manifest keeps them."""
    return {name: one.model_dump(exclude_none=True) for name, one in sorted(prices.items())}


def with_prices(config: Config, prices: GivenPrices) -> Config:
    """The configuration with other prices of some endpoints; those that it lacks are left out."""
    endpoints = {
        name: one.model_copy(update=prices[name].model_dump()) if name in prices else one
        for name, one in config.endpoints.items()
    }
    return config.model_copy(update={"endpoints": endpoints}) if prices else config


def check_named(config: Config, prices: GivenPrices) -> None:
    """Raise BadInput for the prices of an endpoint that is not configured."""
    for name in prices:
        config.endpoint(name)
