"""Admission: which players may be named by whom, by list and never by what a name begins with.

A player's name can cost its owner money, read a file and import code. So each place that takes names from
others asks here. The owner at a terminal may name anything; it is never asked about their own words.

| who names it | built-in | language models | wrappers | files, code, packages |
| --- | --- | --- | --- | --- |
| a visitor of a shared server | but those handed the answer | - | none | - |
| a teacher, the browser, a room, a study's file | all | those of osler.toml | at most 9 calls | - |
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final, NamedTuple

from osler.core.composite import AnyPlayer
from osler.core.config import Config
from osler.core.events import Seat
from osler.core.factory import PlayerRequest
from osler.core.names import LONGEST, MARK, Kind, PlayerName, player_name
from osler.core.protocol import Protocol
from osler.core.role import MODEL, NOBODY, PERSON
from osler.errors import BadInput, NotAllowed
from osler.players.casting import checked_name


class Admission(NamedTuple):
    """The players that may be named from one place: their kinds, the product of their wrappers' calls (1: no
    wrappers), and whether those that are handed the answer may be among them."""

    kinds: frozenset[Kind]
    most_calls: int = 1
    privileged: bool = False

    @property
    def with_people(self) -> Admission:
        """The same, where a person may also sit."""
        return self._replace(kinds=self.kinds | {Kind.PERSON})


VISITOR: Final = Admission(frozenset({Kind.BUILT_IN, Kind.NOBODY}))
"""For visitors of a shared server who neither teach nor run anything."""
OTHERS: Final = Admission(frozenset({Kind.BUILT_IN, Kind.NOBODY, Kind.MODEL}), most_calls=9, privileged=True)
"""For everybody else who is not the owner at a terminal: teachers, runs from the browser, rooms, files."""

_REFUSALS: Final[Mapping[Kind, tuple[str, str]]] = {
    Kind.PERSON: ("the other seats are played here", "name a built-in player"),
    Kind.EXTERNAL: ("the other seats are played here", "name a built-in player"),
    Kind.MODEL: ("models are chosen by teachers", "join a room, or name a built-in player"),
    Kind.FILE: ("a player that is read from a file is named by the owner at a terminal alone", ""),
    Kind.CODE: ("a player that is code is named by the owner at a terminal alone", ""),
}


def check_config(config: Config, admission: Admission) -> None:
    """Raise NotAllowed if a seat of a configuration has a player that is not admitted."""
    for seat, full in config.players().items():
        check_name(config.plays, seat, full, admission)


def check_names(protocol: Protocol, players: Mapping[Seat, str], admission: Admission) -> None:
    """Raise NotAllowed for a name that is not admitted, and BadInput for a seat or player that there is
    not."""
    for seat, full in players.items():
        check_name(protocol, seat, full, admission)


def check_name(protocol: Protocol, seat: Seat, full: str, admission: Admission) -> None:
    """Raise NotAllowed, in one sentence, if a name for a seat is not admitted; nothing is imported, opened or
    asked to find out. Raises BadInput for a seat or a player that there is not."""
    role = protocol.role(seat)
    if len(full) > LONGEST:
        raise NotAllowed(f"a player's name has at most {LONGEST} characters", where=role.name)
    name = player_name(role, full)
    for player in name.everyone():
        if player.kind not in admission.kinds:
            raise _refusal(player, admission)
        if MARK in player.inside:
            wrong = player.inside.partition(MARK)[2][:40]
            raise BadInput(f"nothing is called +{wrong}", where=role.name, hint=_listed(player, admission))
        if player.name in role.privileged and not admission.privileged:
            what = f"{player.name} is handed the answer, so visitors cannot name it"
            raise NotAllowed(what, where=role.name, hint=_listed(player, admission))
    if name.around and admission.most_calls == 1:
        raise NotAllowed(
            "visitors name players without wrappers", where=role.name, hint=f"write {name.inside}"
        )
    if name.kind is not Kind.NOBODY:
        checked_name(role, full, dict.fromkeys((MODEL, PERSON, *role.given), _never), protocol.name)
    if name.calls > admission.most_calls:
        raise NotAllowed(
            f"its wrappers make {name.calls} calls for one move, of {admission.most_calls} that are allowed",
            where=role.name,
            hint="name fewer, or smaller ones",
        )


def _refusal(player: PlayerName, admission: Admission) -> BadInput:
    role = player.role
    if refusal := _REFUSALS.get(player.kind):
        what, hint = refusal
        return NotAllowed(what, where=role.name, hint=hint or _listed(player, admission))
    what = f"no {role.name} that may be named here is called {player.inside[:40]!r}"
    return BadInput(what, where=role.name, hint=_listed(player, admission))


def _never(asked: PlayerRequest) -> AnyPlayer:
    raise AssertionError("a name is checked, and nobody is seated")


def _listed(player: PlayerName, admission: Admission) -> str:
    role = player.role
    names = [name for name in role.players if admission.privileged or name not in role.privileged]
    names += ["model:NAME"] if Kind.MODEL in admission.kinds else []
    return f"known: {', '.join([*names, *([NOBODY] if role.optional else [])])}"
