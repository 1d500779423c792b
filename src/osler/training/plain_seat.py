"""A trained seat whose every exchange is a turn, as a doctor's or an examinee's: its protocol says the rest.

A seat with drafts, reviews or a private thought implements `osler.training.task.TrainedSeat` itself.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator, Mapping, Sequence
from types import MappingProxyType
from typing import Any, ClassVar, Final

from pydantic import BaseModel, JsonValue

from osler.core.contract import OwnReply
from osler.core.events import Event, Seat, View
from osler.errors import BadInput
from osler.players.model.seat import ModelSeat, Moves
from osler.text.conduct_rules import breach
from osler.training.moment import state_at
from osler.training.state import Keep, State
from osler.training.task import Breach, Filter, Replayed, TrainedSeat, Turn


class PlainSeat(ABC):
    """A seat of which every valid reply is a turn, in the form `moves` in which a model answers."""

    protocol: ClassVar[str]
    seat: ClassVar[Seat]
    moves: ClassVar[Moves]

    @abstractmethod
    def reads(self, played: Replayed, view: View) -> ModelSeat:
        """The rendering of a request."""

    @abstractmethod
    def context(self, turn: Turn) -> dict[str, JsonValue]:
        """The facts of a turn's moment for rewards and filters, which are in no prompt."""

    @abstractmethod
    def about(self, played: Replayed) -> dict[str, JsonValue]:
        """The description of an episode's turns in a data set."""

    @abstractmethod
    def spoken(self, turn: Turn) -> str:
        """The words of a turn that others heard."""

    @abstractmethod
    def case_texts(self, case: Any) -> Sequence[str]:
        """The case's own words, its question first."""

    @abstractmethod
    def read(self, state: State, text: str) -> BaseModel | Breach:
        """Parse a policy's text."""

    @property
    @abstractmethod
    def prompt(self) -> str:
        """The hash of the seat's prompt."""

    @property
    def filters(self) -> Mapping[str, Filter]:
        """The hard filters of a turn."""
        return {"repeats": self._repeats, "conduct": self._conduct}

    @property
    def rewards(self) -> Mapping[str, Any]:
        """The rewards of a turn, by name."""
        return _NONE

    @property
    def published(self) -> Mapping[str, int]:
        """No data set of such turns is published."""
        return _NONE

    @property
    def reviewed(self) -> bool:
        """Nobody reviews a reply before it counts."""
        return False

    def without_thinking(self) -> TrainedSeat:
        """Raise BadInput: there is no private thought."""
        raise BadInput(f"the {self.seat} has no private thought to leave out", where=self.protocol)

    def turns(self, played: Replayed) -> Iterator[Turn]:
        """Every valid reply, in order."""
        said = [put for put in played.asked if put.row.reply != "null"]
        about = self.about(played)
        for number, put in enumerate(said):
            assert put.request.contract is not None, "the table gives one"
            reply = put.request.contract.reply.validate_json(put.row.reply)
            yield Turn(played, number, put, reply, about=about)

    def state(self, turn: Turn, keep: Keep | None = None) -> State:
        """The moment at which a turn was asked for; `keep` is handed the bytes of its images."""
        request = turn.put.request
        reads = self.reads(turn.played, request.view)
        return state_at(turn, self, request, reads, self.moves, self.context(turn), keep)

    def target(self, turn: Turn) -> str:
        """The text of a turn, as the seat is shown it later."""
        request = turn.put.request
        reads = self.reads(turn.played, request.view)
        return reads.own(turn.reply, self.moves, request.view, request.feed)

    def words(self, text: str) -> str:
        """Raise BadInput: words alone are no turn, unless the seat says otherwise."""
        raise BadInput(f"words alone are no turn of the {self.seat}'s", where=self.protocol)

    def _repeats(self, turn: Turn) -> str:
        """Words that were said before in the episode, and the same again; to wait twice repeats nothing."""
        before: tuple[Event | OwnReply, ...] = turn.put.request.feed
        again = any(isinstance(item, OwnReply) and item.reply == turn.reply for item in before)
        return "it was said before in this encounter, word for word" if again and self.spoken(turn) else ""

    def _conduct(self, turn: Turn) -> str:
        result = breach(self.spoken(turn))
        return f"{result.category}: {result.quote}" if result else ""


_NONE: Final[Mapping[str, Any]] = MappingProxyType({})
