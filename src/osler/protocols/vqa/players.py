"""The built-in players: baselines, which read nothing but the options; levels to compare with, no models.

uniform    one option by chance, seeded: its accuracy is the level of chance
first      always the option that is shown first: it shows whether the right ones are spread evenly
longest    the longest option: it shows whether the right ones can be told by their length
oracle     the right option: privileged; it shows that the questions, their order and the reading are sound
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Final

from osler.core.composite import AnyPlayer
from osler.core.contract import Request
from osler.core.factory import Factory, PlayerRequest, built_in
from osler.protocols.vqa.events import QuestionAsked
from osler.protocols.vqa.seats import CANDIDATE, Answer, CandidateView

CandidateRequest = Request[CandidateView]


def _player(name: str, chooses: Callable[[CandidateRequest, QuestionAsked], int]) -> Factory:
    """A player that names the letter at the place that `chooses` returns."""

    def reply(request: CandidateRequest) -> Answer:
        question = next(one for one in request.feed if isinstance(one, QuestionAsked))
        return Answer(text=f"Answer: {list(question.options)[chooses(request, question)]}")

    return built_in(name, reply)


def _uniform(request: CandidateRequest, question: QuestionAsked) -> int:
    rng = request.rng(CANDIDATE.seat, f"rotation {question.rotation}{' blind' * question.blind}")
    return rng.randrange(len(question.options))


def _longest(request: CandidateRequest, question: QuestionAsked) -> int:
    return max(range(len(question.options)), key=lambda at: len(list(question.options.values())[at]))


def _oracle(request: PlayerRequest) -> AnyPlayer:
    right: int = request.case.right
    return _player("oracle", lambda _, question: question.order.index(right))(request)


BUILT_IN: Final[Mapping[str, Factory]] = {
    "uniform": _player("uniform", _uniform),
    "first": _player("first", lambda request, question: 0),
    "longest": _player("longest", _longest),
    "oracle": _oracle,
}
