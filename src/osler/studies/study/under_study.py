"""A study with the players under study that a command names, one or several for a seat.

Several players make a row each: they take the places of the levels of a factor that the study leaves to the
command (`given`), or everything that leaves the seat open is played with each of them. The others are then
compared with the first, all else being equal.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final

from osler.core.protocol import Protocol
from osler.core.registry import protocol_named
from osler.errors import BadInput
from osler.studies.study.design import (
    AS_NAMED,
    CONDITION,
    SEATS,
    SLASH,
    Changes,
    Study,
    learning_from,
    learns_from,
    merged,
    said,
)

_OWN: Final = "or write a study of your own"
_MOST: Final = 3
"""The most levels that an error names."""


def with_players(study: Study, named: Mapping[str, Sequence[str]]) -> tuple[Study, dict[str, str]]:
    """Return the study with the named players, and those that are to be seated where a condition leaves their
    seat open. Raises BadInput for a seat that the protocol does not have, for one that every condition fills,
    and for several players of a seat that the study varies."""
    protocol = protocol_named(study.protocol)
    seats: dict[str, str] = {}
    for seat, names in named.items():
        if seat in study.factors and seat in study.given:
            study = with_levels(study, seat, *_levels(study.factors[seat], seat, names))
        elif len(names) > 1:
            study = _crossed(study, protocol, seat, names)
        elif protocol.role(seat).many and seat == protocol.role(seat).name:
            _open_in(study, protocol, seat)
            study = study.model_copy(update={"base": {**study.base, seat: [*names]}})
        else:
            seats[seat] = names[0]
    return study, seats


def with_levels(study: Study, factor: str, levels: Mapping[str, Changes], group: str = "") -> Study:
    """Return the study with other levels of a factor: the others are compared with the first. In the primary
    comparison the second stands against the first if the study compares two levels of this factor, else the
    first, or the `group`, stands on both sides. Raises BadInput for too few levels to compare, and for one
    with the name of a condition that the study has itself."""
    if len(study.factors) == 1 and (own := next((name for name in levels if name in study.conditions), "")):
        what = f"the study has a condition {own!r} itself"
        raise BadInput(what, where=study.name, hint="give yours another name: NAME=PLAYER")
    held, first = study.levels(), next(iter(levels))
    sides = {"condition": study.primary.condition, "against": study.primary.against}
    primary: dict[str, str] = {}
    if sides["condition"] in held and sides["against"] in held:
        before = {side: held[name][factor] for side, name in sides.items()}
        compared = before["condition"] != before["against"]
        if compared and len(levels) < 2:
            hint = "name two or more to compare; the others are compared with the first"
            raise BadInput(f"{len(levels)} {factor} is named", where=study.name, hint=hint)
        same = group if group and before["against"] in _groups(study.factors[factor]) else first
        second = list(levels)[1] if compared else same
        chosen = {"condition": second, "against": first if compared else same}
        primary = {
            side: SLASH.join({**held[name], factor: chosen[side]}.values()) for side, name in sides.items()
        }
    return study.model_copy(
        update={
            "factors": {**study.factors, factor: dict(levels)},
            "reference": _references(study, factor, levels),
            "primary": study.primary.model_copy(update=primary),
        }
    )


def _references(study: Study, factor: str, levels: Mapping[str, Changes]) -> tuple[dict[str, Any], ...]:
    """The references of a study with other levels of a factor: its own, and the first of several levels."""
    first = next(iter(levels))
    own = [{**one, factor: first} if factor in one else one for one in study.references if one]
    added = {factor: first}
    return tuple(own if added in own or len(levels) < 2 else [*own, added])


def _groups(levels: tuple[Any, ...] | Mapping[str, Changes]) -> dict[str, int]:
    """The levels that are a group of several players, with its size."""
    several = [level for level in levels if isinstance(level, list | tuple) and len(level) > 1]
    return {said(level): len(level) for level in several}


def _levels(
    before: tuple[Any, ...] | Mapping[str, Changes], factor: str, names: Sequence[str]
) -> tuple[dict[str, Changes], str]:
    """The levels that the named ones make of a factor, and which is the group: where the study has groups of
    players for a level, each named one makes a group of its own, and all together one of the study's size."""
    sizes = _groups(before)
    if not any(isinstance(level, list | tuple) for level in before):
        return {name: {factor: name} for name in names}, ""
    changes: dict[str, Changes] = {name: {factor: [name]} for name in names}
    together = list(names[: max(sizes.values(), default=1)])
    if len(together) < 2:
        return changes, ""
    return {**changes, said(together): {factor: together}}, said(together)


def _open_in(study: Study, protocol: Protocol, seat: str) -> dict[str, bool]:
    """Whether each condition leaves a seat open. Raises BadInput if none does."""
    many = protocol.role(seat).many
    result = {}
    for name, changes in study.all_conditions().items():
        level = merged(study.base, changes).get(seat, AS_NAMED)
        result[name] = isinstance(level, str) and (level == AS_NAMED or (level[:1] == "+" and not many))
    if not any(result.values()):
        what = f"every condition names the {seat} itself"
        raise BadInput(what, where=f"--given {seat}", hint=f"leave it out, {_OWN}")
    return result


def _crossed(study: Study, protocol: Protocol, seat: str, names: Sequence[str]) -> Study:
    """The study with every condition that leaves a seat open played by each of the players; one that names
    its own player stays as it is, where the study allows that."""
    opened = _open_in(study, protocol, seat)
    fixed = [name for name, is_open in opened.items() if not is_open]
    if fixed and (seat not in study.given or not study.conditions.keys() >= set(fixed)):
        some = ", ".join(fixed[:_MOST]) + (" ..." if len(fixed) > _MOST else "")
        what = f"the study varies the {seat} already, so it takes one {seat} only: see {some}"
        raise BadInput(what, where=f"--given {seat}", hint=f"name one, {_OWN}")
    many = protocol.role(seat).many
    players: dict[str, Changes] = {name: {seat: [name]} if many else {SEATS: {seat: name}} for name in names}
    first = names[0]

    def of(name: str, player: str = first) -> str:
        return f"{player}{SLASH}{name}" if opened.get(name) else name

    def learning(changes: Changes, player: str = first) -> Changes:
        learns = learns_from(changes)
        return learning_from(changes, of(learns, player)) if learns else changes

    factor = seat if seat not in study.factors else f"named {seat}"
    factors: dict[str, Any] = {factor: players, **study.factors}
    reference = tuple(one for one in study.references if one)
    conditions = {name: learning(study.conditions[name]) for name in fixed}
    if study.factors:
        conditions |= {
            of(name, player): merged(own, learning(changes, player))
            for player, own in players.items()
            for name, changes in study.conditions.items()
            if opened[name]
        }
    else:
        factors[CONDITION] = {name: study.conditions[name] for name in opened if opened[name]}
        if not study.against and opened[study.primary.against]:
            reference = ({CONDITION: study.primary.against},)
    against = {
        of(name, player): of(other, player) for name, other in study.against.items() for player in names
    }
    against |= {name: of(other) for name, other in study.against.items() if name in fixed}
    primary = {"condition": of(study.primary.condition), "against": of(study.primary.against)}
    return study.model_copy(
        update={
            "factors": factors,
            "conditions": conditions,
            "reference": (*reference, {factor: first}),
            "against": against,
            "primary": study.primary.model_copy(update=primary),
        }
    )
