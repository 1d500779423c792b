"""What doctors made of doctors share: they step in when the doctor inside is about to conclude.

Every other move is one doctor's own.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import lru_cache
from typing import Annotated, Any, Final

from pydantic import AfterValidator, BaseModel, TypeAdapter

from osler.knowledge.diagnoses import diagnosis_key
from osler.players.experience.voting import side_of
from osler.players.wrappers.asking import AGREE, Replies, as_json, asked, common_words
from osler.seats.composite import AnyPlayer, InnerQuestion
from osler.seats.contract import Own, Request, luck
from osler.seats.doctor import Ask, DoctorReply, DoctorView, Finalize, RequestTest
from osler.seats.wrapper_events import How

MOST_CANDIDATES: Final = 8


def form(view: DoctorView, concluding: bool) -> TypeAdapter[Any]:
    """What a doctor inside may answer: any move, or a conclusion; with options, by one of their keys."""
    return _form(tuple(view.task.options) if view.task.options else None, concluding)


def alike(one: BaseModel, other: BaseModel) -> tuple[bool, float]:
    """Whether two moves of doctors agree: conclusions that mean the same; questions and orders whose words
    mostly do; of any other kind, all."""
    if type(one) is not type(other):
        return False, 0.0
    match one, other:
        case Finalize(), Finalize():
            share = float(side_of(one) == side_of(other))
        case Ask(), Ask():
            share = common_words(one.question, other.question)
        case RequestTest(), RequestTest():
            share = common_words(one.test_name, other.test_name)
        case _:
            share = 1.0
    return share >= AGREE, share


DOCTORS: Final = Replies(
    seat="doctor",
    form=form,
    shown=as_json,
    alike=alike,
    weighty=lambda reply: isinstance(reply, Finalize),
    again="step by step",
)
"""A doctor's moves; a conclusion is gone through step by step before it stands."""


def conclusion(
    doctor: AnyPlayer,
    request: Request[DoctorView],
    how: How,
    texts: Iterable[str] = (),
    *,
    before: Sequence[Any] = (),
    number: int = 1,
) -> InnerQuestion:
    """The question that makes a doctor conclude now; see `asked`."""
    return asked(
        doctor, request, "doctor", how, texts, form(request.view, True), before=before, number=number
    )


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


@lru_cache(maxsize=256)
def _form(keys: tuple[str, ...] | None, concluding: bool) -> TypeAdapter[Any]:
    def check(move: Any) -> Any:
        if keys is not None and isinstance(move, Finalize) and move.answer not in keys:
            raise ValueError(f"answer must be one of {', '.join(keys)}")
        return move

    kind: Any = Finalize if concluding else DoctorReply
    return TypeAdapter(Annotated[kind, AfterValidator(check)])
