"""The benchmark as data: its tables, and the configuration of each player in each of them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import cache
from hashlib import blake2b
from importlib.resources import files
from typing import Any, Final, NamedTuple

import yaml
from pydantic import Field, ValidationError

from osler.core.config import Config, config_type
from osler.core.events import Frozen, Seat
from osler.core.names import listed, player_name
from osler.core.protocol import Protocol
from osler.core.registry import protocol_named
from osler.errors import BadInput, in_words

TEST: Final = "test"
NOTHING: Final = "nothing"
"""The information that a trivial player looks at, as probes are described."""


class Table(Frozen):
    """One table: a protocol on some cases. `{seed}` in `cases` is the split's; `quick` replaces fields."""

    name: str
    protocol: str
    cases: str
    repeats: int = Field(default=1, ge=1)
    limit: int | None = Field(default=None, ge=1)
    settings: dict[str, Any] = Field(default_factory=dict)
    quick: dict[str, Any] = Field(default_factory=dict)


class Bench(Frozen):
    """The tables in their order, and the seed of each split."""

    version: int
    splits: dict[str, int]
    tables: tuple[Table, ...]

    @property
    def hash(self) -> str:
        """16 hex digits over everything in it."""
        return blake2b(self.model_dump_json().encode(), digest_size=8).hexdigest()


class Condition(NamedTuple):
    """One player in one table, with the configuration of its run. `role` says how it came there: trivial,
    baseline, oracle or named."""

    table: Table
    player: str
    role: str
    config: Config


@cache
def packaged() -> Bench:
    """The benchmark of this version."""
    text = files("osler.studies.bench").joinpath("bench.yaml").read_text("utf-8")
    return Bench.model_validate(yaml.safe_load(text))


def conditions(
    bench: Bench, split: str = TEST, *, quick: bool = False, seats: Mapping[Seat, str] | None = None
) -> list[Condition]:
    """The players of each table with their configurations, in order.

    `seats` names players by seat, several separated by commas for one under test; in another seat a player
    takes part in every table that has that seat. Raises BadInput for a split, seat or player that does not
    exist, before anything is played.
    """
    if split not in bench.splits:
        raise BadInput(
            f"there is no split {split!r}", where="--split", hint=f"known: {', '.join(bench.splits)}"
        )
    given, used = dict(seats or {}), set[Seat]()
    result = []
    for table in bench.tables:
        table = table.model_copy(update=table.quick if quick else {})
        protocol = protocol_named(table.protocol)
        config = _config(protocol, table, bench.splits[split])
        others = {
            seat: name for seat, name in given.items() if seat != protocol.under_test and _has(protocol, seat)
        }
        config = config.seated(others)
        named = listed(given.get(protocol.under_test, ""), f"--seat {protocol.under_test}")
        used |= {*others, *((protocol.under_test,) if named else ())}
        for player, role in _players(protocol, named):
            seated = config.seated({protocol.under_test: player})
            result.append(Condition(table, player, role, seated))
    if unused := sorted(given.keys() - used):
        text = ", ".join(sorted({protocol_named(one.protocol).under_test for one in bench.tables}))
        raise BadInput(f"no table has a seat {unused[0]!r}", where="--seat", hint=f"under test are: {text}")
    return result


def _config(protocol: Protocol, table: Table, seed: int) -> Config:
    fields = {
        "cases": table.cases.replace("{seed}", str(seed)),
        "seed": seed,
        "repeats": table.repeats,
        "limit": table.limit,
        **({"settings": table.settings} if table.settings else {}),
    }
    try:
        return config_type(protocol)(**fields)
    except ValidationError as error:
        raise BadInput(in_words(error), where=f"table {table.name}") from None


def _has(protocol: Protocol, seat: Seat) -> bool:
    return any(role.seats_of(seat) for role in protocol.roles)


def _players(protocol: Protocol, named: list[str]) -> Iterator[tuple[str, str]]:
    """Each player of a table with its role, those that come by themselves first."""
    role = protocol.role(protocol.under_test)
    own = {name: "trivial" for name, looked in protocol.probes.items() if looked == NOTHING}
    own[role.default] = "baseline"
    own |= {name: "oracle" for name in sorted(role.privileged) if name in role.players}
    yield from own.items()
    for name in named:
        if name not in own:
            player_name(role, name)
            yield name, "named"
