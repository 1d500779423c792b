"""The wrappers' settings for a doctor's replies: their rendering and similarity, and the count of votes.

Composite doctors intervene when the wrapped doctor is about to conclude; every other move is a single
doctor's. Votes for the same diagnosis form one side, and the largest side wins; in a tie the side of the
earliest vote wins, and the reply mentions the tie.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import lru_cache
from typing import Annotated, Any, Final

from pydantic import AfterValidator, BaseModel, TypeAdapter

from osler.core.composite import AnyPlayer, InnerQuestion
from osler.core.contract import OwnReply, Request, rng
from osler.core.wrapper_events import How
from osler.knowledge.conditions import diagnosis_key
from osler.players.wrappers.asking import AGREE, Replies, as_json, asked, common_words
from osler.protocols.consultation.seats import Ask, DoctorReply, DoctorView, Finalize, RequestTest

MOST_CANDIDATES: Final = 8
_MOST_REASONS: Final = 4000


def form(view: DoctorView, concluding: bool) -> TypeAdapter[Any]:
    """The reply type of an inner doctor: any move, or only a conclusion; with options, by one of their
    keys."""
    return _form(tuple(view.task.options) if view.task.options else None, concluding)


def alike(one: BaseModel, other: BaseModel) -> tuple[bool, float]:
    """Compare two moves: whether they agree, and their similarity from 0 to 1. Conclusions agree if they mean
    the same diagnosis, questions and orders if most words are shared, moves of any other kind always."""
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
"""A doctor's moves; a conclusion is reconsidered step by step before it becomes final."""


def conclusion(
    doctor: AnyPlayer,
    request: Request[DoctorView],
    how: How,
    texts: Iterable[str] = (),
    *,
    before: Sequence[Any] = (),
    number: int = 1,
) -> InnerQuestion:
    """The inner question that asks a doctor to conclude now; see `asked`."""
    return asked(
        doctor, request, "doctor", how, texts, form(request.view, True), before=before, number=number
    )


def diagnoses_considered(request: Request[DoctorView], conclusion: Finalize) -> list[str]:
    """The diagnoses the doctor has considered in this encounter, latest first, without duplicates."""
    named = [conclusion.diagnosis, *(line.name for line in conclusion.working_diagnoses)]
    for item in reversed(request.feed):
        if isinstance(item, OwnReply):
            named += [line.name for line in getattr(item.reply, "working_diagnoses", ())]
    return list({diagnosis_key(name): name for name in reversed(named)}.values())[::-1][:MOST_CANDIDATES]


def shuffled(texts: Sequence[str], request: Request[DoctorView], purpose: str) -> list[str]:
    """The texts in a random order that is fixed by the world and the purpose."""
    order = list(texts)
    rng(request.world, "doctor", purpose).shuffle(order)
    return order


def side_of(conclusion: Finalize) -> str:
    """The key a vote is counted under: the option chosen, else the diagnosis, normalised."""
    if conclusion.answer is not None:
        return f"answer {conclusion.answer}"
    return diagnosis_key(conclusion.diagnosis)


def sides(votes: Sequence[Finalize]) -> list[list[Finalize]]:
    """The votes grouped by side, largest first, ties in the order of their earliest vote."""
    result: dict[str, list[Finalize]] = {}
    for vote in votes:
        result.setdefault(side_of(vote), []).append(vote)
    return sorted(result.values(), key=len, reverse=True)  # a stable sort keeps the order of equals


def majority(votes: Sequence[Finalize], missing: int = 0) -> Finalize:
    """The first vote of the winning side, with the count among its reasons. `missing` doctors gave none."""
    result = sides(votes)
    text = "; ".join(f"{len(side)} for {side[0].answer or side[0].diagnosis}"[:300] for side in result)
    counted = f"Votes: {text}."
    if missing:
        counted += f" No valid vote from {missing}."
    if len(result) > 1 and len(result[0]) == len(result[1]):
        counted += " A tie, which the earliest vote decides."
    return because(result[0][0], counted)


def because(conclusion: Finalize, reason: str) -> Finalize:
    """Return the conclusion with one more reason."""
    return conclusion.model_copy(update={"rationale": (*conclusion.rationale, reason[:_MOST_REASONS])})


@lru_cache(maxsize=256)
def _form(keys: tuple[str, ...] | None, concluding: bool) -> TypeAdapter[Any]:
    def check(move: Any) -> Any:
        if keys is not None and isinstance(move, Finalize) and move.answer not in keys:
            raise ValueError(f"answer must be one of {', '.join(keys)}")
        return move

    kind: Any = Finalize if concluding else DoctorReply
    return TypeAdapter(Annotated[kind, AfterValidator(check)])
