"""Players that a visitor may name: from another machine, no file and no module of this one."""

from __future__ import annotations

from collections.abc import Iterable

from osler.core.names import MARK
from osler.core.role import EXTERNAL, PERSON
from osler.web.problems import NotAllowed
from osler.web.rights import Visitor

_MODEL = "model"


def check_players(names: Iterable[str], asking: Visitor) -> None:
    """Raises NotAllowed for players of other seats that this visitor may not name.

    `scripted:FILE` reads a file and `python:MODULE:NAME` runs one, so both are for whoever sits at this
    machine; a model costs its owner money, so a learner gets one only in a teacher's room.
    """
    for full in names:
        name, colon, _ = full.partition(MARK)[0].partition(":")
        if name in (PERSON, EXTERNAL):
            raise NotAllowed(
                "the other seats are played here", where="players", hint="baseline or model:NAME"
            )
        if asking.here or not colon:
            continue
        if name != _MODEL:
            raise NotAllowed(
                "from another machine only built-in players and models can be named", where="players"
            )
        if not (asking.may("teach") or asking.may("run")):
            raise NotAllowed(
                "models are chosen by teachers", where="players", hint="join a room, or choose baseline"
            )
