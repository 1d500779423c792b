"""Players made of players, by name: in `NAME+cot+ensemble:3` each `+` wraps what stands left of it.

One way to read such names, for doctors (`doctors.py`) and for examinees (`examinees.py`).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, Final, NamedTuple

from osler.errors import BadInput
from osler.seats.composite import AnyPlayer

MARK: Final = "+"
FEWEST, MOST = 2, 9
Around = Callable[[AnyPlayer, int], AnyPlayer]


class Named(NamedTuple):
    """A player's name taken apart: who is inside, and (name, argument) of each that is built around it."""

    inside: str
    around: tuple[tuple[str, str], ...]


@dataclass(frozen=True)
class Endings:
    """The endings that the names of one seat's players may have.

    `around` builds a player around another by an ending without its number; those of `counted` want one.
    `given` are endings whose factory somebody hands over, and what is said where nobody does. Of `alone`
    there is only one, so that they cannot be counted. `where` is the option that names the player, `plural`
    and `kind` are words for such players.
    """

    where: str
    plural: str
    kind: str
    around: Mapping[str, Around]
    counted: frozenset[str]
    given: Mapping[str, str] = field(default_factory=dict)
    alone: frozenset[str] = frozenset({"person"})

    def known(self) -> tuple[str, ...]:
        """The endings, as they are written."""
        return tuple(sorted((*(f"{n}:N" if n in self.counted else n for n in self.around), *self.given)))

    def taken_apart(self, name: str) -> Named:
        """A name taken apart at its endings; a file's name may hold a `+` that begins none."""
        inside, around = name, list[tuple[str, str]]()
        while MARK in inside:
            left, _, right = inside.rpartition(MARK)
            ending, _, argument = right.partition(":")
            if f"{MARK}{ending}" not in (*self.around, *self.given):
                break
            inside = left
            around.append((f"{MARK}{ending}", argument))
        return Named(inside, tuple(reversed(around)))

    def with_inside(self, name: str, other: str) -> str:
        """The same composite of another player, without what has to be handed over."""
        kept = [pair for pair in self.taken_apart(name).around if pair[0] not in self.given]
        return other + "".join(f"{ending}:{argument}" if argument else ending for ending, argument in kept)

    def check(self, full: str, more: Mapping[str, Any]) -> Named:
        """A name taken apart. Raises BadInput for an ending that nobody knows or that does not fit."""
        named = self.taken_apart(full)
        who = named.inside.partition(":")[0]
        if MARK in named.inside and who != "scripted":
            wrong = named.inside.partition(MARK)[2]
            raise self._bad(f"{full!r}: nothing is called +{wrong}", f"known: {', '.join(self.known())}")
        for name, argument in named.around:
            if name in self.given and name not in more:
                raise self._bad(*f"{full!r} {self.given[name]}".split("; ", 1))
            counts = argument.isascii() and argument.isdecimal() and FEWEST <= int(argument[:3]) <= MOST
            if name in self.counted and not counts:
                raise self._bad(
                    f"{full!r}: how many {self.plural}?", f"write {name}:{FEWEST} to {name}:{MOST}"
                )
            if name in self.around and name not in self.counted and argument:
                raise self._bad(f"{full!r}: {name} takes no number", f"write {name}")
            if name in self.counted and who in self.alone:
                raise self._bad(
                    f"{full!r}: there is only one {who}", f"name a model or a built-in {self.kind}"
                )
        return named

    def _bad(self, what: str, mend: str) -> BadInput:
        return BadInput(what, where=self.where, mend=mend)
