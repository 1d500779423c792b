"""What doctors made of doctors share: they step in when the doctor inside is about to conclude.

Every other move is one doctor's own. Whoever is asked once more is asked under the same feed with something
added at its end, so a model's messages only grow.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import lru_cache
from hashlib import blake2b
from typing import Annotated, Any, Final

from pydantic import AfterValidator, BaseModel, TypeAdapter

from osler.knowledge.diagnoses import diagnosis_key
from osler.prompts import prompt
from osler.seats.composite import AnyPlayer, Inner, InnerQuestion
from osler.seats.contract import Own, Request, Unanswered, luck
from osler.seats.doctor import DoctorReply, DoctorView, Finalize
from osler.seats.wrapper_events import How, Reconsidered

PROMPT: Final = "reconsider"
MOST_CANDIDATES: Final = 8


async def first_move(doctor: AnyPlayer, request: Request[DoctorView], inner: Inner) -> BaseModel:
    """The move that the doctor inside wants to take. Raises Unanswered where it has none."""
    (said,) = await inner.ask_all([InnerQuestion(doctor, request, form(request.view, concluding=False))])
    if isinstance(said, Unanswered):
        raise Unanswered(str(said), again=False)  # it has been asked again already
    return said


def asked_again(
    doctor: AnyPlayer,
    request: Request[DoctorView],
    how: How,
    texts: Iterable[str] = (),
    *,
    before: Sequence[Any] = (),
    number: int = 1,
) -> InnerQuestion:
    """The question that makes a doctor conclude now. `before` is what it was told and said beyond the seat's
    feed; doctor `number` lives in a world of its own, the first in the encounter's."""
    told = Reconsidered(minute=0, to=("doctor",), how=how, texts=tuple(texts))
    world = request.world if number == 1 else f"{request.world}/{number}"
    asked = Request(request.view, (*request.feed, *before, told), world)
    return InnerQuestion(doctor, asked, form(request.view, concluding=True))


def candidates(request: Request[DoctorView], conclusion: Finalize) -> list[str]:
    """The diagnoses that the doctor has thought of in this encounter, the latest first, each once."""
    named = [conclusion.diagnosis, *(line.name for line in conclusion.working_diagnoses)]
    for item in reversed(request.feed):
        if isinstance(item, Own):
            named += [line.name for line in getattr(item.reply, "working_diagnoses", ())]
    return list({diagnosis_key(name): name for name in reversed(named)}.values())[::-1][:MOST_CANDIDATES]


def shuffled(texts: Sequence[str], request: Request[DoctorView], purpose: str) -> list[str]:
    """The texts in an order of this world's and purpose's own."""
    order = list(texts)
    luck(request.world, "doctor", purpose).shuffle(order)
    return order


def form(view: DoctorView, *, concluding: bool) -> TypeAdapter[Any]:
    """What a doctor inside may answer: any move, or a conclusion; with options, by one of their keys."""
    return _form(tuple(view.task.options) if view.task.options else None, concluding)


def fingerprint_of(doctor: AnyPlayer, *parts: str) -> str:
    """16 hex digits over what decides a composite's answers: the doctor inside, and the words it is told."""
    own = getattr(doctor, "fingerprint", "")
    told = "\x1f".join((own, prompt(PROMPT).hash, *parts))
    return blake2b(told.encode("utf-8", "surrogatepass"), digest_size=8).hexdigest()


@lru_cache(maxsize=256)
def _form(keys: tuple[str, ...] | None, concluding: bool) -> TypeAdapter[Any]:
    def check(move: Any) -> Any:
        if keys is not None and isinstance(move, Finalize) and move.answer not in keys:
            raise ValueError(f"answer must be one of {', '.join(keys)}")
        return move

    kind: Any = Finalize if concluding else DoctorReply
    return TypeAdapter(Annotated[kind, AfterValidator(check)])
