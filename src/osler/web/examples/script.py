"""The scripts of the recorded examples, read from the package."""

from __future__ import annotations

from functools import cache
from hashlib import blake2b
from importlib import resources
from typing import Any, Final

import yaml
from pydantic import Field

import osler
from osler.core.config import Config, config_type
from osler.core.events import Frozen
from osler.core.factory import PlayerRequest
from osler.core.protocol import Protocol
from osler.core.registry import protocol_named
from osler.players.scripted import Scripted

PREFIX: Final = "example-"
"""How the runs of examples are called."""
NOTE: Final = (
    "Recorded for this demonstration: we wrote the words of {seats}; every other part is a built-in player"
    " (rules, no language model)."
)


class Script(Frozen):
    """One example: the case, and the moves that were written, in order: those of the leading `seat` and those
    of `others`. `title` gives nothing away. Every other seat has its built-in player; `settings` differ from
    the protocol's own."""

    name: str = Field(pattern=r"^[a-z0-9-]{1,40}$")
    title: str
    protocol: str
    case: str
    seat: str
    persona: str = ""
    settings: dict[str, Any] = Field(default_factory=dict)
    moves: tuple[dict[str, Any], ...]
    others: dict[str, tuple[dict[str, Any], ...]] = Field(default_factory=dict)

    @property
    def plays(self) -> Protocol:
        """Its protocol."""
        return protocol_named(self.protocol)

    @property
    def run(self) -> str:
        """The name of its run: another one for other words or another version of Osler, whose players may
        answer otherwise."""
        made = blake2b(f"{osler.__version__}{self.model_dump_json()}".encode(), digest_size=3)
        return f"{PREFIX}{self.name}-{made.hexdigest()}"

    @property
    def note(self) -> str:
        """The players, in words."""
        parts = {f"the {self.seat}": None}
        for seat in self.others:
            role = self.plays.role(seat)
            parts |= {f"the {role.name}s" if role.many else f"the {seat}": None}
        return NOTE.format(seats=" and ".join(parts))

    def config(self) -> Config:
        """The configuration of its run."""
        config = config_type(self.plays)().model_copy(update={"only": self.case})
        if self.persona:
            config = config.model_copy(update={"persona": self.persona})
        config = config.practised()
        if self.settings:
            settings = dict(config)["settings"].model_copy(update=self.settings)
            config = config.model_copy(update={"settings": settings})
        return config.seated(dict.fromkeys((self.seat, *self.others), f"scripted:{self.name}"))

    def player(self, asked: PlayerRequest) -> Scripted:
        """The player of a seat's moves."""
        return Scripted(self.others.get(asked.seat, self.moves), "scripted")


@cache
def scripts() -> tuple[Script, ...]:
    """Every script, in the order of their file names."""
    folder = resources.files("osler.web.examples") / "scripts"
    files = sorted((one for one in folder.iterdir() if one.name.endswith(".yaml")), key=lambda one: one.name)
    read = (yaml.safe_load(one.read_text(encoding="utf-8")) for one in files)
    return tuple(Script.model_validate(one) for one in read)
