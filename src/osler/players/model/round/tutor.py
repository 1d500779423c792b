"""A language model as the tutor, answering in JSON or in the tagged text of the contract."""

from __future__ import annotations

from typing import Any, ClassVar

from osler.models.extraction import without_thought
from osler.models.types import Output
from osler.players.model.player import ModelPlayer
from osler.players.model.round import lines
from osler.players.model.round.schemas import PLAIN_GUIDANCE, TUTOR_GUIDANCE
from osler.players.model.seat import ModelSeat
from osler.seats.contract import Request
from osler.seats.events import Seat
from osler.seats.monologue import Thought, parse, parse_thought, render_thought
from osler.seats.ward_round import TUTOR, Guidance, TutorView


class ModelTutor(ModelPlayer[TutorView, Guidance]):
    """A model in the tutor's seat. `moves` is "json", or "text" for models that were trained on the tags.

    Text cannot state the covered steps, so all rounds are then played.
    """

    seat: Seat = "tutor"
    reads: ModelSeat = lines.TUTOR
    output: ClassVar[Output] = TUTOR_GUIDANCE

    def _output(self) -> Output | None:
        return self.output if self._moves == "json" else None

    def _asked(self, request: Request[TutorView]) -> Output | None:
        if self._moves == "text":
            return None
        return TUTOR_GUIDANCE if request.view.private_thought else PLAIN_GUIDANCE

    def _read(self, request: Request[TutorView], value: Any, /) -> Guidance:
        view = request.view
        if self._moves == "text":
            said = str(value).strip() if view.private_thought else without_thought(str(value))
            if not view.private_thought:
                return Guidance(guidance=said)
            turn = parse(said, view.students, has_images=bool(view.images))
            return Guidance(internal_monologue=render_thought(turn.thought), guidance=turn.guidance)
        told = {name: value.get(name) for name in ("guidance", "covered_steps")}
        if not view.private_thought:
            return TUTOR.reply.validate_python(told)
        thought = render_thought(_thought(value, view))
        parse_thought(thought, view.students, has_images=bool(view.images))  # checks that no part is empty
        return TUTOR.reply.validate_python({**told, "internal_monologue": thought})


def _thought(value: dict[str, Any], view: TutorView) -> Thought:
    """Parse the private thought from a filled schema. Raises ValueError, naming students left out."""
    entries = [one for one in value.get("students") or () if isinstance(one, dict)]
    by_name = {str(one.get("name", "")).strip(): _words(one.get("thought")) for one in entries}
    if missing := [name for name in view.students if not by_name.get(name)]:
        raise ValueError(f"students: there is no thought for {', '.join(missing)}")
    if strange := [name for name in by_name if name not in view.students]:
        raise ValueError(f"students: nobody here is called {strange[0][:40]!r}")
    return Thought(
        history=_words(value.get("history")),
        question=_words(value.get("question")),
        students=tuple((name, by_name[name]) for name in view.students),
        group=_words(value.get("group")),
        image=_words(value.get("image")) if view.images else None,
    )


def _words(value: object) -> str:
    """Text made safe inside a tag: angle brackets replaced."""
    return value.replace("<", "‹").replace(">", "›").strip() if isinstance(value, str) else ""
