"""Common parts of wrappers: asking the wrapped player for replies, judgements and comments.

Every question is the seat's own request with something appended, so each player asked sees the whole
encounter, and a model's messages only grow.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from hashlib import blake2b
from typing import Any, Final, NamedTuple

from pydantic import BaseModel, TypeAdapter

from osler.core.composite import AnyPlayer, Inner, InnerQuestion
from osler.core.contract import Contract, NoUsableReply, OwnReply, Request
from osler.core.events import Event, Seat, json_of
from osler.core.wrapper_events import How, Reconsidered
from osler.players.model.event_text import PROMPTS
from osler.prompts import prompt
from osler.text.act_rules import stems

MOST_SHOWN: Final = 4000
AGREE: Final = 0.5
"""The default minimum share of common words at which two replies agree."""


class Expert(NamedTuple):
    """An expert of a panel, with their focus."""

    name: str
    looks_at: str


EXPERTS: Final = (
    Expert("the acute care physician", "what is dangerous now and what has to be done first, and how soon"),
    Expert("the communicator", "what the patient and the family need to hear, be asked and consent to"),
    Expert("the diagnostician", "what else it could be, and what would tell it apart"),
    Expert("the pharmacist", "drugs, doses, routes, allergies and interactions"),
    Expert("the team leader", "whom to call, what to hand over and who does what"),
    Expert("the safety officer", "what could go wrong, what was left undone, and what must be written down"),
    Expert(
        "the general practitioner", "the whole person: past illnesses, home, wishes, and what comes after"
    ),
    Expert("the ethicist", "consent, confidentiality, honesty and fairness"),
    Expert("the teacher", "what a careful examiner would still expect to see"),
    Expert("the emergency physician", "airway, breathing, circulation, and what cannot wait"),
    Expert("the anaesthetist", "the airway, sedation, pain and safe transfer"),
    Expert("the surgeon", "what needs an operation, how soon, and what must be ready for it"),
    Expert("the orthopaedic surgeon", "bones, joints, injuries and what they endanger"),
    Expert("the cardiologist", "heart, vessels and rhythm"),
    Expert("the respiratory physician", "lungs, oxygen and ventilation"),
    Expert("the neurologist", "consciousness, speech, strength, sensation and seizures"),
    Expert("the gastroenterologist", "gut, liver and nutrition"),
    Expert("the nephrologist", "kidneys, fluids and electrolytes"),
    Expert("the endocrinologist", "diabetes, hormones and metabolism"),
    Expert("the infection specialist", "infection, its source, cultures and antimicrobials"),
    Expert("the haematologist", "blood, bleeding, clotting and transfusion"),
    Expert("the oncologist", "cancer, its treatment and what the patient knows of it"),
    Expert("the paediatrician", "children: doses by weight, normal values by age, parents, safeguarding"),
    Expert("the obstetrician", "pregnancy, birth and gynaecology"),
    Expert("the psychiatrist", "mental state, risk of harm, capacity and substance use"),
    Expert("the geriatrician", "frailty, falls, confusion, many medicines and what matters to the person"),
    Expert("the palliative physician", "symptoms, wishes and care when cure is not the aim"),
    Expert("the toxicologist", "poisons, overdoses, antidotes and withdrawal"),
    Expert("the radiologist", "which picture answers the question, and its risks"),
    Expert("the nurse", "observation, comfort, skin, lines and what can really be done at this bedside"),
    Expert("the social worker", "home, money, safety, carers and what happens after"),
)
"""The experts to choose from; the first are asked where nobody chooses."""
Form = Callable[[Any, bool], TypeAdapter[Any]]


@dataclass(frozen=True, kw_only=True)
class Replies:
    """A seat's settings for wrappers: how its replies are requested, shown and compared.

    seat     the seat
    form     the reply type: (view, whether only a `weighty` reply is accepted) -> type
    shown    renders a reply for critics and experts
    alike    whether two replies agree, and their similarity from 0 to 1
    weighty  whether a reply is reconsidered step by step before it becomes final
    again    the prompt used for that
    experts  those to choose a panel from, at least 9; the first are asked where nobody chooses
    limits   the thresholds used by `alike`, for fingerprints
    """

    seat: Seat
    form: Form
    shown: Callable[[Any], str]
    alike: Callable[[Any, Any], tuple[bool, float]]
    weighty: Callable[[Any], bool] = lambda reply: True
    again: How = "think twice"
    experts: tuple[Expert, ...] = EXPERTS
    limits: str = f"{AGREE}"


def replies_of(
    contract: Contract[Any, Any],
    *,
    shown: Callable[[Any], str] | None = None,
    experts: tuple[Expert, ...] = EXPERTS,
) -> Replies:
    """Default settings for any contract: replies are shown as JSON and agree if most words are shared."""
    read = shown or as_json

    def like(one: Any, other: Any) -> tuple[bool, float]:
        share = common_words(read(one), read(other)) if type(one) is type(other) else 0.0
        return share >= AGREE, share

    return Replies(
        seat=contract.seat,
        form=lambda view, weighty: contract.reply,
        shown=read,
        alike=like,
        experts=experts,
    )


def as_json(reply: BaseModel) -> str:
    """Render a reply as JSON text, leaving out default values."""
    return json_of(reply, defaults=False)


def world_of(request: Request[Any], number: int) -> str:
    """The world of inner player `number`; the first has the encounter's own."""
    return request.world if number == 1 else f"{request.world}/{number}"


def asked(
    player: AnyPlayer,
    request: Request[Any],
    seat: Seat,
    how: How,
    texts: Iterable[str],
    form: TypeAdapter[Any],
    *,
    before: Sequence[Event | OwnReply] = (),
    number: int = 1,
) -> InnerQuestion:
    """Build one inner question of a wrapper. `before` is what this player was told and said beyond the seat's
    feed; player `number` has a separate world (`world_of`)."""
    told = Reconsidered(minute=0, to=(seat,), how=how, texts=tuple(texts))
    feed = (*request.feed, *before, told)
    return InnerQuestion(player, Request(request.view, feed, world_of(request, number)), form)


async def first_reply(player: AnyPlayer, request: Request[Any], form: TypeAdapter[Any], inner: Inner) -> Any:
    """Get the reply that the wrapped player gives by itself. Raises NoUsableReply if it has none."""
    (reply,) = await inner.ask_all([InnerQuestion(player, request, form)])
    if isinstance(reply, NoUsableReply):
        raise NoUsableReply(str(reply), cause=reply.cause, again=False)  # it has been asked again already
    return reply


async def candidates(
    player: AnyPlayer, request: Request[Any], form: TypeAdapter[Any], inner: Inner, number: int
) -> list[Any]:
    """Get `number` candidate replies concurrently, each from a different world; missing ones are left out.

    Raises NoUsableReply if there are none.
    """
    questions = [
        InnerQuestion(player, request._replace(world=world_of(request, each)), form)
        for each in range(1, number + 1)
    ]
    result = await inner.ask_all(questions)
    replies = [reply for reply in result if not isinstance(reply, NoUsableReply)]
    if not replies:
        (first, *_) = [one for one in result if isinstance(one, NoUsableReply)]
        # each has been asked again already
        raise NoUsableReply(f"no candidate move: {first}", cause=first.cause, again=False)
    return replies


def thinker_of(player: AnyPlayer) -> AnyPlayer:
    """The player that judges and advises: the player itself, or the innermost one of a wrapper."""
    thinker: AnyPlayer = getattr(player, "thinker", player)
    return thinker


def fingerprint_of(player: AnyPlayer, how: How, *parts: str) -> str:
    """The fingerprint of a wrapper that asks with the prompt of `how`; see `fingerprint_around`."""
    return fingerprint_around(player, prompt(PROMPTS[how]).hash, *parts)


def fingerprint_around(player: AnyPlayer, *parts: str) -> str:
    """16 hex digits over everything that determines a wrapper's answers: the wrapped player's own
    fingerprint, and the wrapper's `parts`."""
    text = "\x1f".join((str(getattr(player, "fingerprint", "")), *parts))
    return blake2b(text.encode("utf-8", "surrogatepass"), digest_size=8).hexdigest()


def common_words(
    one: str, other: str, read: Callable[[str], frozenset[str]] = lambda text: frozenset(stems(text))
) -> float:
    """The Jaccard similarity of the words of two texts; 1 for two texts without words."""
    left, right = read(one), read(other)
    both = left | right
    return len(left & right) / len(both) if both else 1.0
