"""Prices given with a run: written as `--price` takes them, and read back from the flag and the manifest."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from osler.errors import BadInput
from osler.models.config import Config, Endpoint
from osler.models.prices import (
    PRICES,
    Prices,
    check_named,
    price_flag,
    prices_in,
    prices_of,
    recorded_prices,
    with_prices,
)

AMOUNTS = st.integers(0, 10**9).map(lambda n: n / 1000)
PRICED = st.builds(Prices, price_in=AMOUNTS, price_out=AMOUNTS, price_cached=st.none() | AMOUNTS)


@given(PRICED)
def test_prices_come_back_from_their_flag_and_from_a_manifest(prices: Prices) -> None:
    assert prices_of([price_flag("cloud", prices)]) == {"cloud": prices}
    assert prices_in({PRICES: recorded_prices({"cloud": prices})}) == {"cloud": prices}


@pytest.mark.parametrize(
    "text",
    ["", "cloud", "cloud=", "=1,2", "cloud=1", "cloud=1,2,3,4", "cloud=a,b", "cloud=-1,2", "cloud=nan,1"],
)
def test_what_is_no_price_is_refused_with_how_to_write_one(text: str) -> None:
    with pytest.raises(BadInput, match="NAME=IN,OUT"):
        prices_of([text])


def test_given_prices_take_precedence_and_an_unknown_name_is_refused() -> None:
    endpoint = Endpoint(name="cloud", base_url="http://127.0.0.1/v1", model="m", price_in=1, price_out=2)
    config = Config(endpoints={"cloud": endpoint})
    priced = with_prices(config, prices_of(["cloud=3,4,0.5"])).endpoint("cloud")
    assert (priced.price_in, priced.price_out, priced.price_cached) == (3, 4, 0.5)
    assert with_prices(config, {}).endpoint("cloud") == endpoint
    with pytest.raises(BadInput, match="other"):
        check_named(config, prices_of(["other=1,2"]))
