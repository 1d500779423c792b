"""The trained seat: all that a protocol knows about learning to play it, and how the seat is found.

A protocol names its trained seats lazily (`Protocol.training`), so that nothing in this room knows one by
name.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple, cast
from typing import Protocol as Interface

from pydantic import BaseModel, JsonValue

from osler.core.config import Config
from osler.core.contract import Request
from osler.core.episode import Episode
from osler.core.events import Frozen, Seat
from osler.core.lazy import load
from osler.core.protocol import Protocol
from osler.core.registry import protocol_named
from osler.core.trace import ExchangeRow, Trace
from osler.errors import BadInput
from osler.store.records import EpisodeRow, RunInfo
from osler.training.state import Keep, State


class FirstRequest(NamedTuple):
    """A request as it was first put to the trained seat, with its exchange (`row.n` is its number)."""

    request: Request[Any]
    row: ExchangeRow


@dataclass(frozen=True)
class Replayed:
    """A stored episode that was played again: `asked` are all requests to the trained seat, each proved to be
    the recorded one by its hash."""

    run: RunInfo
    row: EpisodeRow
    config: Config
    episode: Episode
    trace: Trace
    asked: tuple[FirstRequest, ...]

    @property
    def case(self) -> Any:
        """The case that was played."""
        return self.episode.case


class Refusal(Frozen):
    """A reviewer's refusal of a draft: its seat, the kind of fault, and the reason in its words."""

    by: Seat
    issue: str
    reason: str


class RefusedDraft(Frozen):
    """A draft that was not spoken, as the seat is shown it later, and who refused it."""

    text: str
    refusals: tuple[Refusal, ...]


@dataclass(frozen=True)
class Turn:
    """A turn of the trained seat in a stored episode: of several drafts of a turn, the last.

    `number` counts the accepted turns before it, `put` is the request that the reply answers. A turn that is
    not `accepted` (no draft was approved) says `why`, and is no target. `refused_drafts` are those before it;
    `about` describes the turn in a data set: specialty, students, persona and the like.
    """

    played: Replayed
    number: int
    put: FirstRequest
    reply: BaseModel
    accepted: bool = True
    why: str = ""
    refused_drafts: tuple[RefusedDraft, ...] = ()
    about: Mapping[str, JsonValue] = field(default_factory=dict)


class Breach(NamedTuple):
    """A text that breaks the form of the seat's reply: `at` is the 0-based character, `filter` the name under
    which it is rejected."""

    at: int
    expected: str
    found: str
    filter: str = "parse"

    @property
    def words(self) -> str:
        """The breach in one line."""
        return f"at character {self.at}: expected {self.expected}, found {self.found}"


Filter = Callable[[Turn], str]
"""A hard filter of a seat: why a turn may not be a target, empty if it may."""


class TrainedSeat(Interface):
    """A seat that a model can be trained to play, as its protocol knows it.

    `state` and `target` depend on the turn alone. `read` is the one parser of a policy's text and returns the
    seat's own reply type. `filters` come beside the general ones, in their order; `rewards` are given, or
    named as import paths. `published` are sizes of a published data set by kind, if there is one.
    """

    @property
    def protocol(self) -> str: ...

    @property
    def seat(self) -> Seat: ...

    @property
    def filters(self) -> Mapping[str, Filter]: ...

    @property
    def rewards(self) -> Mapping[str, Any]: ...

    @property
    def published(self) -> Mapping[str, int]: ...

    @property
    def prompt(self) -> str:
        """The hash of the seat's prompt."""
        ...

    @property
    def reviewed(self) -> bool:
        """Whether its drafts are reviewed before they are spoken, so that a revision can be learnt."""
        ...

    def without_thinking(self) -> TrainedSeat:
        """The same seat without private thought, in prompts and targets. Raises BadInput if it has none."""
        ...

    def turns(self, played: Replayed) -> Iterator[Turn]:
        """Every turn of a stored episode, in order, with the request it was given."""
        ...

    def state(self, turn: Turn, keep: Keep | None = None) -> State:
        """The moment at which a turn was asked for; `keep` is handed the bytes of its images."""
        ...

    def target(self, turn: Turn) -> str:
        """The canonical text of a turn, which `read` reads."""
        ...

    def spoken(self, turn: Turn) -> str:
        """The words of a turn that others heard."""
        ...

    def words(self, text: str) -> str:
        """The text of a turn that says these words and does nothing else. Raises BadInput where words alone
        are no turn."""
        ...

    def case_texts(self, case: Any) -> Sequence[str]:
        """The case's own words, its question first: what near-duplicates of cases are found by."""
        ...

    def read(self, state: State, text: str) -> BaseModel | Breach:
        """Parse a policy's text."""
        ...


def trained_seat(protocol: str | Protocol, seat: Seat = "") -> TrainedSeat:
    """The trained seat of a protocol, by default the one under test. Raises BadInput where there is none."""
    plays = protocol_named(protocol) if isinstance(protocol, str) else protocol
    wanted = seat or plays.under_test
    if wanted not in plays.training:
        text = ", ".join(plays.training)
        raise BadInput(
            f"no model is trained as {wanted} of {plays.many}",
            where=plays.name,
            hint=f"known: {text}" if text else "a protocol names its trained seats in `training`",
        )
    return cast(TrainedSeat, load(plays.training[wanted]))


def seat_of(state: State) -> TrainedSeat:
    """The trained seat that acts in a recorded state, without private thought where the state has none."""
    seat = trained_seat(state.protocol, state.seat)
    return seat.without_thinking() if state.context.get("thinking") is False else seat
