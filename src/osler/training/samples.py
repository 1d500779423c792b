"""The rows of a data set: a turn with its prompt, a whole conversation, or a turn that a refusal led to."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final, Literal

from pydantic import Field, JsonValue

from osler.core.episode import digest
from osler.training.state import State, said, state_id, text_of
from osler.training.task import RefusedDraft, TrainedSeat, Turn

Kind = Literal["single", "multi", "revision"]
KINDS: Final[tuple[Kind, ...]] = ("single", "multi", "revision")
USUAL: Final[tuple[Kind, ...]] = ("single", "multi")
"""The kinds of a data set for which nobody names them."""


class Sample(State):
    """One row.

    single    `messages` are the prompt, `target` the text to learn
    multi     `messages` are a whole conversation; `target_spans` are the indices of the messages that carry
              loss, with one of `weights` each, and `target` is the last of them
    revision  as `single`, of a turn before which drafts were refused: `messages` end with them, each with the
              reviewers' reasons after it, `target` is the turn that passed; `refused_drafts` has both again

    `prefix` counts the turns of a conversation that was cut after its beginning, 0 for a whole one. `rounds`
    counts the seat's turns in the row, `dropped` the earliest of them that were left out for length. `tokens`
    are lengths by part. `about` describes the row, `provenance` says where it comes from.
    """

    kind: Kind
    split: str = ""
    target: str
    target_spans: tuple[int, ...] = ()
    weights: tuple[float, ...] = ()
    weight: float = 1.0
    prefix: int = 0
    revised: bool = False
    refused_drafts: tuple[RefusedDraft, ...] = Field(default=(), exclude_if=lambda drafts: not drafts)
    rounds: int = 1
    dropped: int = 0
    tokens: dict[str, int] = Field(default_factory=dict)
    about: dict[str, JsonValue] = Field(default_factory=dict)
    provenance: dict[str, JsonValue] = Field(default_factory=dict)

    @property
    def chat(self) -> tuple[dict[str, JsonValue], ...]:
        """The whole conversation, the target last."""
        return self.messages if self.kind == "multi" else (*self.messages, said("assistant", self.target))

    @property
    def drafts_at(self) -> tuple[int, ...]:
        """The indices of the messages that are its refused drafts, of equal ones the last; those of fewer if
        some are not there."""
        places = list[int]()
        before = len(self.messages)
        for draft in reversed(self.refused_drafts):
            own = (at for at in reversed(range(before)) if self.messages[at]["role"] == "assistant")
            found_at = next((at for at in own if text_of(self.messages[at]) == draft.text), None)
            if found_at is not None:
                places.append(found_at)
                before = found_at
        return tuple(reversed(places))


def sample_of(turn: Turn, seat: TrainedSeat, state: State) -> Sample:
    """The row of one turn."""
    row = turn.put.row
    target = seat.target(turn)
    sample = dict(state)
    if not turn.accepted:  # another turn may have the same number
        sample["id"] = state_id(seat.protocol, seat.seat, state.episode, f"{turn.number}/{row.n}")
    return Sample(
        **sample,
        kind="single",
        target=target,
        revised=bool(turn.refused_drafts),
        rounds=turn.number + 1,
        about=dict(turn.about),
        provenance=provenance_of(turn, seat),
    )


def provenance_of(turn: Turn, seat: TrainedSeat) -> dict[str, JsonValue]:
    """The origin of a turn: who played what, by which prompts, with which seed, under which licence."""
    played = turn.played
    config, source = played.config, getattr(played.case, "provenance", None)
    return {
        "protocol": config.protocol,
        "players": dict(sorted(config.players().items())),
        "models": dict(sorted(config.models.items())),
        "prompt": seat.prompt,
        "seed": config.seed,
        "exchange": turn.put.row.n,
        "origin": str(getattr(source, "origin", "") or ""),
        "licence": str(getattr(source, "licence", "") or ""),
    }


def conversation(turns: list[Sample], *, prefix: int = 0) -> Sample:
    """The conversation of a session's kept turns, in order, as one row; with `prefix`, the beginning of a
    session, of so many turns."""
    last = turns[-1]
    chat = last.chat
    spans = [at for one in turns if text_of(chat[at := len(one.messages)]) == one.target]
    return last.model_copy(
        update={
            "id": digest(last.id, "multi", str(prefix), str(len(turns))),
            "kind": "multi",
            "messages": chat,
            "target_spans": tuple(spans),
            "weights": tuple(1.0 for _ in spans),
            "prefix": prefix,
            "revised": any(one.revised for one in turns),
        }
    )


def revision(turn: Sample) -> Sample:
    """The row of a turn that a refusal led to."""
    return turn.model_copy(update={"id": digest(turn.id, "revision"), "kind": "revision"})


def as_row(sample: Sample) -> dict[str, Any]:
    """A row as plain JSON."""
    return sample.model_dump(mode="json")


def from_row(row: Mapping[str, Any]) -> Sample:
    """A row from plain JSON. Raises pydantic's ValidationError."""
    return Sample.model_validate(row)
