"""A request as messages that only grow at their end.

Rules and view first; then, in the order of the feed, what happened since the seat's last reply as one user
message and each of its own replies as an assistant message. A refused attempt is a message of its own, with
a stand-in for the words refused, so that the messages of call n begin with those of call n-1, roles
alternate, and nothing sent is ever changed.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Iterator, Sequence
from functools import lru_cache
from hashlib import blake2b
from typing import Any, Final, NamedTuple

from pydantic import BaseModel, TypeAdapter

from osler.knowledge.topics import assurances
from osler.models.types import Image, Message
from osler.pictures import draw
from osler.players.model.facts import OPEN, fact_line
from osler.players.model.opening import Moves, opening
from osler.players.model.round.lines import LINES
from osler.players.model.round.own import own_guidance
from osler.players.model.scenario.kept_back import SeatKeptBack
from osler.players.model.scenario.lines import SCENARIO_LINES
from osler.players.model.scenario.own import own_in_scenario
from osler.players.model.text import as_text_move
from osler.prompts import block, neutral, prompt
from osler.seats.consultation_events import Advised, ConsultAsked, Registered, VisitBegan
from osler.seats.contract import Own, Request
from osler.seats.deliberation import DELIBERATIONS
from osler.seats.events import NOT_VALID, Event, Noticed, Said, TurnBegan, View, json_of
from osler.seats.order_events import Ordered, Pictured, Resulted, Taken
from osler.seats.patient import PatientFact, PatientView
from osler.seats.pictures import Picture
from osler.seats.scenario import PatientSeatView
from osler.seats.ward_round import Guidance, StudentView, TutorView
from osler.seats.wrapper_events import Corrected, Leaning, Recalled, Reconsidered

STAND_IN: Final = "(This answer could not be used and is left out.)"
_REFUSED_WORDS: Final = Message(role="assistant", text=STAND_IN)
_NOTHING_NEW: Final = "Go on."
SECOND_ATTEMPT: Final = "second_attempt"
_HINTS: Final = "You remember earlier patients. These are hints from experience, no facts about this patient:"
_CONCLUDE: Final = " This is your last move: conclude now."
_MAY_TELL: Final = "After these words you feel able to tell this as well, if you are asked about it:"


class _KeptBack(NamedTuple):
    """What a patient does not tell before it is assured of something."""

    facts: tuple[PatientFact, ...]

    def after(self, event: Event) -> tuple[_KeptBack, list[str]]:
        """What is still kept back after an event, and the lines that hand over the rest."""
        if not (self.facts and isinstance(event, Said) and event.by == "doctor"):
            return self, []
        met = assurances(event.text)
        now = [fact_line(fact) for fact in self.facts if fact.told in met]
        if not now:
            return self, []
        return _KeptBack(tuple(fact for fact in self.facts if fact.told not in met)), [_MAY_TELL, *now]


class _Begun(NamedTuple):
    """The messages of a feed up to and with one of the seat's own replies, and what it still keeps back."""

    feed: tuple[Event | Own, ...]
    messages: tuple[Message, ...]
    kept_back: _KeptBack | SeatKeptBack | None


_recent: OrderedDict[tuple[str, str, Moves, bool], _Begun] = OrderedDict()
_MOST_RECENT: Final = 2048
_PICTURE: Final[TypeAdapter[Picture]] = TypeAdapter(Picture)


def messages_of(request: Request[Any], moves: Moves = "json", *, eyes: bool = False) -> tuple[Message, ...]:
    """The messages of one call: a pure function of the request. `moves` is how a doctor's own moves read;
    with `eyes`, pictures are drawn and go along.

    What was made for the seat's previous call is kept for a while and gone on with where the feed begins the
    same, so that a call costs what is new in it.
    """
    view, feed = request.view, request.feed
    key = (request.world, view.text, moves, eyes)
    begun = _recent.get(key)
    if begun is None or begun.feed != feed[: len(begun.feed)]:
        begun = _Begun((), (opening(view, moves),), _kept_back(view))
    messages, kept_back, new = list(begun.messages), begun.kept_back, list[str]()
    # The pictures that a seat starts with go along with the first words it is told.
    images = list(_pictures_of(view)) if eyes and not begun.feed else list[Image]()
    for at in range(len(begun.feed), len(feed)):
        item = feed[at]
        if isinstance(item, Own):
            _close(messages, new, images)
            messages.append(Message(role="assistant", text=own_words(item.reply, moves, view, feed[:at])))
            begun = _Begun(feed[: at + 1], tuple(messages), kept_back)
        elif isinstance(item, Noticed) and item.text.startswith(NOT_VALID):
            _close(messages, new, images)
            messages.append(_REFUSED_WORDS)
            new.append(f"{block('notice', item.text)}\nAnswer again.")
        else:
            if line := _line(item):
                new.append(line)
            if eyes and isinstance(item, Resulted | Pictured) and item.picture:
                images.append(_drawn(item.picture))
            if kept_back:
                kept_back, handed = kept_back.after(item)
                new += handed
    _close(messages, new, images)
    _keep(key, begun)
    return tuple(messages)


def _keep(key: tuple[str, str, Moves, bool], begun: _Begun) -> None:
    _recent[key] = begun
    _recent.move_to_end(key)
    if len(_recent) > _MOST_RECENT:
        _recent.popitem(last=False)


def replies_before(messages: Sequence[Message]) -> int:
    """How often this seat has answered before, refused attempts included."""
    return sum(message.role == "assistant" for message in messages)


def seed_of(world: str, seat: str, n: int) -> int:
    """The sampling seed of a seat's n-th answer in a world, from 0 to 2**31 - 1."""
    digest = blake2b(f"{world}\x1f{seat}\x1fmodel answer {n}".encode(), digest_size=4).digest()
    return int.from_bytes(digest) >> 1


def own_words(reply: BaseModel, moves: Moves, view: View, before: Sequence[Event | Own] = ()) -> str:
    """A seat's own earlier reply as it is shown to it again, private parts included. `before` is the feed up
    to it."""
    if isinstance(reply, Guidance):
        return own_guidance(reply, moves)
    if (of_a_scenario := own_in_scenario(reply, view, before)) is not None:
        return of_a_scenario
    return neutral(json_of(reply) if moves == "json" else as_text_move(reply))


def _close(messages: list[Message], new: list[str], images: list[Image]) -> None:
    """End the user message under way. Where nothing was told, roles still alternate."""
    if new:
        messages.append(Message(role="user", text="\n".join(new), images=tuple(images)))
        new.clear()
        images.clear()
    elif messages[-1].role != "user":
        messages.append(Message(role="user", text=_NOTHING_NEW))


@lru_cache(maxsize=256)
def _drawn_from(line: str) -> Image:
    return Image.of(draw(_PICTURE.validate_json(line)))


def _drawn(picture: Picture) -> Image:
    return _drawn_from(picture.model_dump_json())


def _pictures_of(view: object) -> Iterator[Image]:
    if isinstance(view, TutorView | StudentView):
        yield from (_drawn(image.picture) for image in view.images if image.picture is not None)


def _line(event: Event) -> str:
    """What a seat reads of an event; empty where there is nothing to read."""
    write = _LINES.get(type(event))
    return write(event) if write else ""


def _kept_back(view: object) -> _KeptBack | SeatKeptBack | None:
    if isinstance(view, PatientSeatView):
        return SeatKeptBack.at_first(view)
    if isinstance(view, PatientView):
        return _KeptBack(tuple(fact for fact in view.facts if fact.told not in OPEN))
    return None


def _said(event: Said) -> str:
    return block("doctor_says" if event.by == "doctor" else "patient_says", event.text)


def _turn(event: TurnBegan) -> str:
    left = [f"{event.turns_left} more turns after this one"]
    if event.tests_left is not None:
        left.append(f"{event.tests_left} tests this visit")
    if event.minutes_left is not None:
        left.append(f"{event.minutes_left} minutes of this visit")
    if event.cost_left is not None:
        left.append(f"{event.cost_left} points to spend")
    line = f"Turn {event.turn}, minute {event.minute}. Left: {', '.join(left)}."
    if event.differential_wanted:
        line += " Note your working diagnoses with this move."
    if event.last_chance:
        wrap_up = "examinee" in event.to
        line += " This is your last turn: bring the encounter to its end." if wrap_up else _CONCLUDE
    return line


def _taken(event: Taken) -> str:
    return f"Ordered: {block('test', event.name)} The result will be ready at minute {event.ready_minute}."


def _resulted(event: Resulted) -> str:
    return block("result" if event.returned else "not_available", f"{event.name}: {event.text}")


def _consult(event: ConsultAsked) -> str:
    names = (
        f"{d.name}{'' if d.confidence is None else f' ({d.confidence:g})'}" for d in event.working_diagnoses
    )
    thinks = "; ".join(names)
    asked = block("attending_asks", event.question or "What do you think?")
    return f"{asked}\n{block('attending_thinks_of', thinks)}" if thinks else asked


def _advised(event: Advised) -> str:
    advice = [event.note]
    if event.next_question:
        advice.append(f"Next question: {event.next_question}")
    if event.diagnosis_suggestion:
        advice.append(f"Suggested diagnosis: {event.diagnosis_suggestion}")
    if event.recommend_finalize:
        advice.append("Enough is known to conclude.")
    return block("consultant_says", "\n".join(advice))


def _recalled(event: Recalled) -> str:
    return "\n".join([_HINTS, *(block("memory_card", card.text) for card in event.cards)])


def _corrected(event: Corrected) -> str:
    return prompt(SECOND_ATTEMPT).render({"wrong": event.wrong, "right": event.right})


def _reconsidered(event: Reconsidered) -> str:
    name = "deliberation" if event.how in DELIBERATIONS else "reconsider"
    return prompt(name).render({"how": event.how, "texts": event.texts})


_LINES: Final[dict[type, Callable[[Any], str]]] = {
    Said: _said,
    TurnBegan: _turn,
    Taken: _taken,
    Resulted: _resulted,
    Pictured: lambda event: f"{block('ordered_as', event.name)}\nDescribe this picture.",
    ConsultAsked: _consult,
    Advised: _advised,
    Recalled: _recalled,
    Corrected: _corrected,
    Leaning: lambda event: neutral(event.text),
    Registered: lambda event: block("registration_form", event.text),
    Reconsidered: _reconsidered,
    Ordered: lambda event: block("order", event.name),
    Noticed: lambda event: block("notice", event.text),
    VisitBegan: lambda event: f"Visit {event.visit} begins, minute {event.minute}.",
    **LINES,
    **SCENARIO_LINES,
}
